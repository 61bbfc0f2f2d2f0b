//! Lessons: what was learned from what was done.
//!
//! They are drawn from episodes ([`extract`], [`patterns`]); the same again makes one surer, and what says the same is one
//! ([`sameness`]); time and people take from it ([`decay`], [`judge`]); what is sure enough is proposed as a belief
//! ([`propose`]); the few that fit go into the next context ([`inject`]). What a stretch of episodes comes to as a whole is
//! told by [`evaluate`].

pub mod decay;
pub mod evaluate;
pub mod extract;
pub mod inject;
pub mod judge;
pub mod patterns;
pub mod propose;
pub mod sameness;

pub use decay::confidence_at;
pub use extract::{LedgerEntry, LessonDraft};
pub use judge::Judgement;

use crate::id::{AgentId, LessonId, ObservationId};
use crate::kept::{Words, row};
use crate::memory::tags_json;
use crate::seal::Sealer;
use crate::time::Time;
use crate::word::words;

/// Bytes in one field of a lesson, at most.
pub const MAX_FIELD_BYTES: usize = 8 * 1024;

/// How sure a lesson is when it is new.
pub const CONFIDENCE_AT_BIRTH: f64 = 0.5;

words! {
    /// What sort of thing was learned.
    LessonKind, "lesson type":
    /// What not to do.
    Mistake = "mistake",
    /// What to do again.
    Success = "success",
    /// How to get around something.
    Workaround = "workaround",
    /// What was not known before.
    Discovery = "discovery",
}

/// What was learned.
#[derive(Clone, PartialEq, Debug)]
pub struct Lesson {
    /// Its name.
    pub id: LessonId,
    /// The mind it belongs to.
    pub agent: AgentId,
    /// What sort.
    pub kind: LessonKind,
    /// In which situation.
    pub context: Option<String>,
    /// What was done.
    pub action: Option<String>,
    /// What came of it.
    pub outcome: Option<String>,
    /// What follows.
    pub lesson: String,
    /// What to do instead.
    pub correction: Option<String>,
    /// Free labels, sorted, each once.
    pub tags: Vec<String>,
    /// The tools it is about, sorted, each once.
    pub tools: Vec<String>,
    /// When it was learned.
    pub created_at: Time,
    /// How sure it was at [`Lesson::judged_at`], 0 to 1; how sure it is by now is [`confidence_at`].
    pub confidence: f64,
    /// When that was last judged; it fades from there.
    pub judged_at: Time,
    /// How often it was seen.
    pub occurrences: i64,
    /// When it was last seen.
    pub last_seen_at: Time,
    /// When anything of it last changed.
    pub updated_at: Time,
    /// Another lesson that says the same, and goes on in its place.
    pub merged_into: Option<LessonId>,
    /// The belief that it was proposed as.
    pub proposed: Option<ObservationId>,
}

impl Words for Lesson {
    row!("lessons", "lesson");

    fn seal_into(&self, sealer: Sealer) -> Sealer {
        sealer
            .text("lesson_type", self.kind.as_str())
            .opt_text("context", self.context.as_deref())
            .opt_text("action", self.action.as_deref())
            .opt_text("outcome", self.outcome.as_deref())
            .text("lesson", &self.lesson)
            .opt_text("correction", self.correction.as_deref())
            .text("tags", &tags_json(&self.tags))
            .text("tools", &tags_json(&self.tools))
            .time("created_at", self.created_at)
    }
}
