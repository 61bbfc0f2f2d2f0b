//! Reflections: interpreted summaries of a period, each with what it was made from.

use crate::id::{AgentId, ReflectionId};
use crate::kept::{Words, row};
use crate::seal::Sealer;
use crate::time::Time;

/// Bytes in a reflection, at most.
pub const MAX_CONTENT_BYTES: usize = 32 * 1024;

/// Sources of one reflection or lesson, at most.
pub const MAX_SOURCES: usize = 200;

/// What a period meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reflection {
    /// Its name.
    pub id: ReflectionId,
    /// The mind it belongs to.
    pub agent: AgentId,
    /// The period begins.
    pub from: Time,
    /// And ends.
    pub until: Time,
    /// The words.
    pub content: String,
    /// When it was written.
    pub created_at: Time,
}

impl Words for Reflection {
    row!("reflections", "reflection");

    fn seal_into(&self, sealer: Sealer) -> Sealer {
        sealer
            .time("from_at", self.from)
            .time("until_at", self.until)
            .text("content", &self.content)
            .time("created_at", self.created_at)
    }
}
