//! Self-care: what may be folded into summaries, what a summary is, and what must survive it.
//!
//! What has to stay is judged by [`mod@held`], which memories a theme means by [`mod@focus`]. A summary is written by the agent, by
//! a thinker ([`prompt`], [`reply`]) or, with neither, of sentences that were chosen ([`extract`]). What is said in
//! conversations is folded again and again, so what must not be lost on the way is carried beside the prose ([`facts`]).
//! Choosing rows and moving them is the engine's matter.

pub mod extract;
pub mod facts;
pub mod focus;
pub mod held;
pub mod prompt;
pub mod reply;
mod summary;

pub use held::{Held, held};
pub use summary::{ConversationSummary, MemorySummary, WrittenBy, without_label};

use crate::word::words;

words! {
    /// What is to be folded.
    What, "part of self-care":
    /// Memories.
    Memories = "memories",
    /// What was said in conversations.
    Conversations = "conversations",
    /// Both.
    Both = "both",
}

impl What {
    /// Whether memories are meant.
    pub const fn has_memories(self) -> bool {
        matches!(self, What::Memories | What::Both)
    }

    /// Whether conversations are meant.
    pub const fn has_conversations(self) -> bool {
        matches!(self, What::Conversations | What::Both)
    }
}

words! {
    /// What a batch is made of.
    Phase, "phase of self-care":
    /// Memories.
    Memories = "memories",
    /// What was said with one counterpart.
    Conversations = "conversations",
    /// Summaries of memories, because they are too many themselves.
    Summaries = "summaries",
}

/// Whether two places are the same: nobody minds capitals and spaces around a name.
pub fn same_place(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}
