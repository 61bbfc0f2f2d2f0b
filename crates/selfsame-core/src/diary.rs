//! The diary: one document per local date, made of entries in the order in which they were written.

use crate::id::{AgentId, DiaryId};
use crate::json::{self, NotStorable};
use crate::kept::{Words, row};
use crate::local::show_day;
use crate::seal::Sealer;
use crate::text::{TextProblem, check_text};
use crate::time::Time;
use crate::trust::Privacy;
use jiff::civil::Date;

/// Bytes in an entry, at most: a short book. What is longer is several entries.
pub const MAX_ENTRY_BYTES: usize = 256 * 1024;
/// Bytes in a mood or a location, at most.
pub const MAX_WORD_BYTES: usize = 1000;
/// Bytes of JSON beside an entry, at most.
pub const MAX_DETAIL_BYTES: usize = 64 * 1024;

/// One entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiaryEntry {
    /// Its id.
    pub id: DiaryId,
    /// Whose.
    pub agent: AgentId,
    /// The date in the agent's zone.
    pub day: Date,
    /// Its place in the day: the first is 1.
    pub ordinal: u32,
    /// The words.
    pub text: String,
    /// How the agent felt.
    pub mood: Option<String>,
    /// Where it was.
    pub location: Option<String>,
    /// Anything else: a JSON object in its canonical spelling.
    pub detail: Option<String>,
    /// When it was written.
    pub created_at: Time,
}

impl Words for DiaryEntry {
    row!("diary_entries", "diary entry");

    fn seal_into(&self, sealer: Sealer) -> Sealer {
        sealer
            .text("day", &show_day(self.day))
            .real("ordinal", f64::from(self.ordinal))
            .text("content", &self.text)
            .opt_text("mood", self.mood.as_deref())
            .opt_text("location", self.location.as_deref())
            .opt_text("detail", self.detail.as_deref())
            .time("created_at", self.created_at)
    }
}

/// What somebody wants to write.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DiaryDraft {
    /// The words.
    pub text: String,
    /// How the agent feels.
    pub mood: Option<String>,
    /// Where it is.
    pub location: Option<String>,
    /// Anything else, as a JSON object.
    pub detail: Option<serde_json::Value>,
    /// For which day, as written; none: today.
    pub date: Option<String>,
    /// Who may see it.
    pub privacy: Privacy,
}

impl DiaryDraft {
    /// An entry of these words, for today.
    pub fn new(text: impl Into<String>) -> DiaryDraft {
        DiaryDraft { text: text.into(), ..DiaryDraft::default() }
    }

    /// Whether it may be stored; gives the detail as it is stored.
    pub fn check(&self) -> Result<Option<String>, BadDiary> {
        let text = |field, text: &str, max| {
            check_text(text, max).map_err(|problem| BadDiary::Text { field, problem })
        };
        text("text", &self.text, MAX_ENTRY_BYTES)?;
        self.mood.as_deref().map_or(Ok(()), |mood| text("mood", mood, MAX_WORD_BYTES))?;
        self.location.as_deref().map_or(Ok(()), |place| text("location", place, MAX_WORD_BYTES))?;
        let Some(detail) = &self.detail else {
            return Ok(None);
        };
        if !detail.is_object() {
            return Err(BadDiary::NoObject);
        }
        let stored = json::storable(detail)?;
        match stored.len() {
            bytes if bytes > MAX_DETAIL_BYTES => {
                Err(BadDiary::DetailTooLong { bytes, max: MAX_DETAIL_BYTES })
            }
            _ => Ok(Some(stored)),
        }
    }
}

/// Why an entry cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadDiary {
    /// A text that cannot be stored.
    #[error("{field}: {problem}")]
    Text {
        /// Which.
        field: &'static str,
        /// What is wrong.
        problem: TextProblem,
    },
    /// The detail is a list or a bare value.
    #[error("detail: it must be a JSON object, such as {{\"weather\": \"rain\"}}")]
    NoObject,
    /// The detail has something that a database cannot hold.
    #[error("detail: {0}")]
    NotStorable(#[from] NotStorable),
    /// More JSON than allowed.
    #[error("detail: it has {bytes} bytes of JSON and may have {max}; keep the essence")]
    DetailTooLong {
        /// As given.
        bytes: usize,
        /// Allowed.
        max: usize,
    },
    /// A day that has not come.
    #[error(
        "date: {day} has not come yet; it is {today} in the agent's zone. A diary is written for today or a past day"
    )]
    Future {
        /// As given.
        day: Date,
        /// Today.
        today: Date,
    },
}

/// Whether a day can be written about.
pub fn check_day(day: Date, today: Date) -> Result<(), BadDiary> {
    if day > today { Err(BadDiary::Future { day, today }) } else { Ok(()) }
}
