//! What somebody asks to have remembered, checked before anything is stored.

use super::{Affect, MemoryKind};
use crate::id::{EntityId, MemoryId};
use crate::knowledge::ObservationKind;
use crate::text::{TextProblem, check_text};
use crate::time::Time;
use crate::trust::Privacy;

/// Tags on one memory, at most.
pub const MAX_TAGS: usize = 32;
/// Bytes in one tag, at most.
pub const MAX_TAG_BYTES: usize = 128;
/// Bytes in a part of a claim, at most.
const MAX_PART_BYTES: usize = 512;
/// Bytes in the name of a source, at most.
const MAX_SOURCE_BYTES: usize = 512;

/// A memory to be.
#[derive(Clone, PartialEq, Debug)]
pub struct Draft {
    /// The words, kept as they are.
    pub content: String,
    /// What sort of fact.
    pub kind: MemoryKind,
    /// Whom or what it is about.
    pub entity: Option<EntityId>,
    /// 0 to 1.
    pub importance: f64,
    /// What it felt like.
    pub affect: Affect,
    /// Free labels.
    pub tags: Vec<String>,
    /// The plan that it serves.
    pub goal: Option<MemoryId>,
    /// The question that it answers.
    pub answers: Option<MemoryId>,
    /// What is done with it.
    pub resolves: Option<MemoryId>,
    /// A deadline.
    pub expires_at: Option<Time>,
    /// Exempt from decay and self-care.
    pub pinned: bool,
    /// Who may see it.
    pub privacy: Privacy,
    /// Message, tool call or file it came by.
    pub source: Option<String>,
    /// What it says, where the writer knows better than the rules.
    pub claim: Option<Stated>,
}

impl Draft {
    /// A plain fact, of ordinary importance.
    pub fn new(content: impl Into<String>) -> Draft {
        Draft {
            content: content.into(),
            kind: MemoryKind::Knowledge,
            entity: None,
            importance: 0.5,
            affect: Affect::default(),
            tags: Vec::new(),
            goal: None,
            answers: None,
            resolves: None,
            expires_at: None,
            pinned: false,
            privacy: Privacy::Shared,
            source: None,
            claim: None,
        }
    }

    /// The draft as it may be stored (tags sorted, each once), or what is wrong with it.
    pub fn check(mut self, max_content_bytes: usize) -> Result<Draft, BadDraft> {
        check_text(&self.content, max_content_bytes)
            .map_err(|problem| BadDraft::Text { field: "content", problem })?;
        if !(0.0..=1.0).contains(&self.importance) {
            return Err(BadDraft::Importance { given: self.importance });
        }
        self.importance += 0.0; // -0.0 and 0.0 are one number in the database
        self.affect = self.affect.check()?;
        for tag in &self.tags {
            check_text(tag, MAX_TAG_BYTES).map_err(|problem| BadDraft::Text { field: "tags", problem })?;
        }
        if let Some(source) = &self.source {
            check_text(source, MAX_SOURCE_BYTES)
                .map_err(|problem| BadDraft::Text { field: "source", problem })?;
        }
        if let Some(claim) = &self.claim {
            claim.check()?;
        }
        self.tags.sort();
        self.tags.dedup();
        if self.tags.len() > MAX_TAGS {
            return Err(BadDraft::Tags { given: self.tags.len() });
        }
        Ok(self)
    }
}

/// What a memory says, in its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stated {
    /// Of whom or what: a name or an id of an entity, `self`, `world`.
    pub subject: String,
    /// What sort of belief; none: what the subject suggests.
    pub kind: Option<ObservationKind>,
    /// The question.
    pub slot: String,
    /// The answer.
    pub value: String,
    /// It is not so.
    pub denied: bool,
    /// The answer that it takes the place of.
    pub replaces: Option<String>,
}

impl Stated {
    /// What is wrong with its parts, if anything is.
    pub fn check(&self) -> Result<(), BadDraft> {
        let parts = [
            ("claim.subject", Some(&self.subject)),
            ("claim.slot", Some(&self.slot)),
            ("claim.value", Some(&self.value)),
            ("claim.replaces", self.replaces.as_ref()),
        ];
        for (field, text) in parts {
            if let Some(text) = text {
                check_text(text, MAX_PART_BYTES).map_err(|problem| BadDraft::Text { field, problem })?;
            }
        }
        Ok(())
    }
}

/// Why a draft cannot be stored.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadDraft {
    /// A text field is empty, too long or has what no text may have.
    #[error("{field}: {problem}")]
    Text {
        /// Which.
        field: &'static str,
        /// What is wrong.
        problem: TextProblem,
    },
    /// Not between 0 and 1.
    #[error("importance {given} is outside 0 to 1: give a number such as 0.5")]
    Importance {
        /// As given.
        given: f64,
    },
    /// How good or bad it felt, out of range.
    #[error("valence {given} is outside -2 to 2: -2 is terrible, 2 wonderful")]
    Valence {
        /// As given.
        given: f64,
    },
    /// How strongly it was felt, out of range.
    #[error("arousal {given} is outside 0 to 1: 0 is calm, 1 beside oneself")]
    Arousal {
        /// As given.
        given: f64,
    },
    /// Too many.
    #[error("{given} tags are more than {MAX_TAGS}: leave some out")]
    Tags {
        /// How many.
        given: usize,
    },
}

impl BadDraft {
    /// A stable word for programs.
    pub const fn code(&self) -> &'static str {
        match self {
            BadDraft::Text { problem, .. } => problem.code(),
            BadDraft::Importance { .. } => "importance_out_of_range",
            BadDraft::Valence { .. } => "valence_out_of_range",
            BadDraft::Arousal { .. } => "arousal_out_of_range",
            BadDraft::Tags { .. } => "too_many_tags",
        }
    }
}
