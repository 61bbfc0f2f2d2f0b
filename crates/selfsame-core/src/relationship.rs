//! How an agent stands to somebody: what may be said of it, and the history of what was.
//!
//! The standing itself is a row that changes; every change leaves a sealed one that does not.

use crate::id::{AgentId, ChangeId, EntityId, Id};
use crate::kept::Words;
use crate::seal::Sealer;
use crate::text::{TextProblem, check_text};
use crate::time::Time;

/// Bytes in a type of relationship, at most.
pub const MAX_TYPE_BYTES: usize = 64;
/// Bytes in a tone, at most.
pub const MAX_TONE_BYTES: usize = 128;
/// Bytes in a rationale, at most.
pub const MAX_RATIONALE_BYTES: usize = 4096;
/// Bytes in the notes, at most.
pub const MAX_NOTES_BYTES: usize = 16 * 1024;

/// How every relationship begins.
pub const FIRST_TYPE: &str = "neutral";
/// Why it begins.
pub const FIRST_MET: &str = "first met";

/// How the agent stands to somebody.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// ally, rival, mentor, neutral, ... an open set.
    pub kind: String,
    /// -1 to 1.
    pub trust: f64,
    /// In a word or two.
    pub tone: Option<String>,
}

impl Standing {
    /// To somebody just met.
    pub fn first() -> Standing {
        Standing { kind: FIRST_TYPE.into(), trust: 0.0, tone: None }
    }
}

/// How the agent wants it to be from now on. What is not given stays.
#[derive(Clone, PartialEq, Debug)]
pub struct Assignment {
    /// The type.
    pub kind: String,
    /// -1 to 1.
    pub trust: Option<f64>,
    /// The tone.
    pub tone: Option<String>,
    /// Why; on every change.
    pub rationale: String,
    /// Whatever else is to be kept of it.
    pub notes: Option<String>,
}

impl Assignment {
    /// Whether it may be stored.
    pub fn check(&self) -> Result<(), BadAssignment> {
        let texts = [
            ("relationship_type", Some(&self.kind), MAX_TYPE_BYTES),
            ("emotional_tone", self.tone.as_ref(), MAX_TONE_BYTES),
            ("rationale", Some(&self.rationale), MAX_RATIONALE_BYTES),
            ("notes", self.notes.as_ref(), MAX_NOTES_BYTES),
        ];
        for (field, text, most) in texts {
            if let Some(text) = text {
                check_text(text, most).map_err(|problem| BadAssignment::Text { field, problem })?;
            }
        }
        match self.trust {
            Some(given) if !(-1.0..=1.0).contains(&given) => Err(BadAssignment::Trust { given }),
            _ => Ok(()),
        }
    }

    /// What becomes of a standing.
    pub fn applied_to(&self, old: &Standing) -> Standing {
        Standing {
            kind: self.kind.clone(),
            // Both zeroes are one number in the database.
            trust: self.trust.unwrap_or(old.trust) + 0.0,
            tone: self.tone.clone().or_else(|| old.tone.clone()),
        }
    }
}

/// Why a relationship cannot be so.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadAssignment {
    /// A text field.
    #[error("{field}: {problem}")]
    Text {
        /// Which.
        field: &'static str,
        /// What is wrong with it.
        problem: TextProblem,
    },
    /// Not between -1 and 1.
    #[error("trust_level {given} is outside -1 to 1: give a number such as 0.6")]
    Trust {
        /// As given.
        given: f64,
    },
}

/// A change in how the agent stands to somebody. The first one, without an old standing, is that they met.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// Its id.
    pub id: ChangeId,
    /// Whose view.
    pub agent: AgentId,
    /// Of whom.
    pub entity: EntityId,
    /// Before; none when they met.
    pub old: Option<Standing>,
    /// After.
    pub new: Standing,
    /// Why.
    pub rationale: String,
    /// When.
    pub created_at: Time,
}

impl Words for Change {
    const TABLE: &'static str = "relationship_history";

    fn name(&self) -> String {
        format!("change {} of a relationship", self.id)
    }

    fn agent(&self) -> AgentId {
        self.agent
    }

    fn id(&self) -> Id {
        self.id.id()
    }

    fn seal_into(&self, sealer: Sealer) -> Sealer {
        let sealer = sealer.id("entity_id", self.entity.id());
        let sealer = match &self.old {
            Some(old) => sealer
                .text("old_type", &old.kind)
                .real("old_trust", old.trust)
                .opt_text("old_tone", old.tone.as_deref()),
            None => sealer,
        };
        sealer
            .text("new_type", &self.new.kind)
            .real("new_trust", self.new.trust)
            .opt_text("new_tone", self.new.tone.as_deref())
            .text("rationale", &self.rationale)
            .time("created_at", self.created_at)
    }
}
