//! What is brought up, what came of it, and how a schedule ends.

use crate::id::{CalendarId, Id, MemoryId, TodoId};
use crate::time::Time;
use crate::word::words;
use std::time::Duration;

words! {
    /// What a schedule brings up.
    SourceKind, "kind of what is scheduled":
    /// A memory with a tag.
    Memory = "memory",
    /// A to-do with a date and a reminder.
    Todo = "todo",
    /// An entry of the calendar with a reminder.
    Calendar = "calendar",
}

/// What a schedule brings up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Source {
    /// What sort of thing.
    pub kind: SourceKind,
    /// Which.
    pub id: Id,
}

impl From<MemoryId> for Source {
    fn from(id: MemoryId) -> Source {
        Source { kind: SourceKind::Memory, id: id.id() }
    }
}

impl From<TodoId> for Source {
    fn from(id: TodoId) -> Source {
        Source { kind: SourceKind::Todo, id: id.id() }
    }
}

impl From<CalendarId> for Source {
    fn from(id: CalendarId) -> Source {
        Source { kind: SourceKind::Calendar, id: id.id() }
    }
}

words! {
    /// What came of a due moment.
    Outcome, "outcome of a reminder":
    /// It reached somebody in time.
    Delivered = "delivered",
    /// It reached somebody, after the grace.
    Late = "late",
    /// It reached nobody.
    Missed = "missed",
    /// It reached nobody, because nobody wanted to hear anything.
    MissedMuted = "missed_muted",
}

impl Outcome {
    /// Of what reached somebody at `now`: in time or not.
    pub fn delivered(slot: Time, grace: Duration, now: Time) -> Outcome {
        if now > slot.saturating_add(grace) { Outcome::Late } else { Outcome::Delivered }
    }

    /// Whether it reached somebody.
    pub const fn reached_somebody(self) -> bool {
        matches!(self, Outcome::Delivered | Outcome::Late)
    }

    /// How a schedule ends whose last due moment came to this.
    pub const fn ending(self) -> Ending {
        match self {
            Outcome::Delivered | Outcome::Late => Ending::Done,
            Outcome::Missed => Ending::Missed,
            Outcome::MissedMuted => Ending::MissedMuted,
        }
    }
}

words! {
    /// How a schedule ended.
    Ending, "end of a schedule":
    /// There was no more to bring up, or it was done before.
    Done = "done",
    /// Its last due moment reached nobody.
    Missed = "missed",
    /// The same, because nobody wanted to hear anything.
    MissedMuted = "missed_muted",
    /// It was taken off.
    Removed = "removed",
}
