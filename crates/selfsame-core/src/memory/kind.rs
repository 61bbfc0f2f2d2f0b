//! The types and states of memories, and how long each type stays stable.

use crate::word::words;

words! {
    /// What sort of fact a memory holds.
    MemoryKind, "memory type":
    /// Who somebody is.
    Identity = "identity",
    /// What somebody prefers.
    Preference = "preference",
    /// How people stand to each other.
    Relationship = "relationship",
    /// A fact learned.
    Knowledge = "knowledge",
    /// How something is done.
    Skill = "skill",
    /// Something that happened.
    Event = "event",
    /// Something intended.
    Plan = "plan",
    /// Something asked.
    Question = "question",
    /// What is going on just now.
    Context = "context",
    /// What a cycle of contemplation brought.
    Episode = "episode",
    /// Of use for a few days.
    Ephemeral = "ephemeral",
    /// Something being done.
    Activity = "activity",
}

impl MemoryKind {
    /// Days after which an unrecalled memory of this type has faded to 1/e.
    pub const fn stability_days(self) -> f64 {
        match self {
            MemoryKind::Identity => 365.0,
            MemoryKind::Preference | MemoryKind::Relationship => 270.0,
            MemoryKind::Knowledge | MemoryKind::Skill => 180.0,
            MemoryKind::Event => 120.0,
            MemoryKind::Activity => 90.0,
            MemoryKind::Plan | MemoryKind::Question => 60.0,
            MemoryKind::Episode => 30.0,
            MemoryKind::Context => 21.0,
            MemoryKind::Ephemeral => 3.0,
        }
    }
}

impl State {
    /// Whether ordinary recall and context see it.
    pub const fn is_in_mind(self) -> bool {
        matches!(self, State::Active | State::Stale)
    }
}

words! {
    /// Whether ordinary recall and context see a memory.
    State, "memory state":
    /// Retained well.
    Active = "active",
    /// Fading.
    Stale = "stale",
    /// Out of ordinary recall, still readable and evidence.
    Archived = "archived",
    /// A plan, activity or question that is done.
    Resolved = "resolved",
}
