//! What happened, as a chain: each event's hash covers the one before it.
//!
//! One log serves two ends. As an outbox it is what in-memory indexes, sockets and deliveries follow, by a number
//! without holes. As an audit it cannot be cut, reordered or rewritten unseen. It holds ids and our own words, never
//! content: what is forgotten leaves no trace here but that it was forgotten.

use crate::id::{AgentId, Id};
use crate::seal::sha256;
use crate::time::Time;

/// The hash before the first event.
pub const GENESIS: [u8; 32] = [0; 32];

/// Something that is about to be recorded: what was done, to what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Act {
    /// What: a word of ours, such as `remembered`.
    pub act: &'static str,
    /// To what kind of thing.
    pub subject_kind: &'static str,
    /// To which.
    pub subject: Id,
}

/// Something that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Its number: the first is 1, and none is left out.
    pub seq: i64,
    /// When.
    pub at: Time,
    /// Who did it.
    pub actor: String,
    /// What.
    pub act: String,
    /// To what kind of thing.
    pub subject_kind: String,
    /// To which.
    pub subject: Id,
}

impl Event {
    /// Its hash, which binds it to all that came before.
    pub fn hash(&self, agent: AgentId, before: &[u8; 32]) -> [u8; 32] {
        let length = |text: &str| (text.len() as u64).to_be_bytes();
        sha256(&[
            before,
            &agent.id().bytes(),
            &self.seq.to_be_bytes(),
            &self.at.micros().to_be_bytes(),
            &length(&self.actor),
            self.actor.as_bytes(),
            &length(&self.act),
            self.act.as_bytes(),
            &length(&self.subject_kind),
            self.subject_kind.as_bytes(),
            &self.subject.bytes(),
        ])
    }
}
