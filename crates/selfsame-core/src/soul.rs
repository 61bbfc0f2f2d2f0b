//! Soul entries: what the agent is at heart. Beliefs, values, fears, convictions; not facts.
//!
//! Written one at a time by a deliberate call, with a reason. No job reads this with the intent to change it.

use crate::id::{AgentId, SoulId};
use crate::kept::{Words, row};
use crate::seal::Sealer;
use crate::text::{TextProblem, check_text};
use crate::time::Time;
use crate::trust::{Author, Caller};
use crate::word::words;

words! {
    /// What sort of truth it is.
    SoulKind, "kind of soul entry":
    /// What it holds to be so.
    Belief = "belief",
    /// What it holds dear.
    Value = "value",
    /// What it dreads.
    Fear = "fear",
    /// What it will not be talked out of.
    Conviction = "conviction",
}

/// Bytes in a reason, at most.
pub const MAX_REASON_BYTES: usize = 4000;

/// One truth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SoulEntry {
    /// Its id.
    pub id: SoulId,
    /// Whose.
    pub agent: AgentId,
    /// What sort.
    pub kind: SoulKind,
    /// The words.
    pub content: String,
    /// Why it was added.
    pub reason: String,
    /// When it was added.
    pub created_at: Time,
    /// When, why and by whom it was removed; it stays as history.
    pub removed: Option<Removal>,
}

/// The end of a truth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Removal {
    /// When.
    pub at: Time,
    /// Why.
    pub reason: String,
    /// Who did it, as the log of events names it.
    pub by: String,
}

impl Words for SoulEntry {
    row!("soul_entries", "soul entry");

    fn seal_into(&self, sealer: Sealer) -> Sealer {
        sealer
            .text("kind", self.kind.as_str())
            .text("content", &self.content)
            .text("reason", &self.reason)
            .time("created_at", self.created_at)
    }
}

/// Why words cannot be part of a soul.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSoul {
    /// A text that cannot be stored.
    #[error("{field}: {problem}")]
    Text {
        /// Which.
        field: &'static str,
        /// What is wrong.
        problem: TextProblem,
    },
    /// More characters than allowed.
    #[error(
        "content: {given} characters are more than {max}; say it in fewer words (or raise soul.max_characters)"
    )]
    TooLong {
        /// As given.
        given: usize,
        /// Allowed.
        max: usize,
    },
}

/// Whether these words may be part of a soul.
pub fn check(content: &str, reason: &str, max_characters: usize) -> Result<(), BadSoul> {
    let text = |field, text, max| check_text(text, max).map_err(|problem| BadSoul::Text { field, problem });
    // People count characters: a Japanese belief may be as long as an English one.
    text("content", content, usize::MAX)?;
    let given = content.chars().count();
    if given > max_characters {
        return Err(BadSoul::TooLong { given, max: max_characters });
    }
    text("reason", reason, MAX_REASON_BYTES)
}

/// Whether the caller may write the soul: the agent by its own call, or the operator. Nobody else, and nothing that
/// was extracted, imported or returned by a tool.
pub fn may_write(caller: &Caller) -> bool {
    caller.is_operator() || caller.author() == Author::Agent
}
