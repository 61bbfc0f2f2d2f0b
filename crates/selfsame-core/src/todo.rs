//! To-dos: what is to be done, by when, how urgently, and in which order it is shown.

use crate::id::{AgentId, TodoId};
use crate::kept::{Words, row};
use crate::seal::Sealer;
use crate::text::{TextProblem, check_text};
use crate::time::Time;
use crate::trust::{Author, Caller, Privacy};
use crate::word::words;
use std::cmp::{Ordering, Reverse};

words! {
    /// How urgent it is, the least first.
    Priority, "priority":
    /// When there is time.
    Low = "low",
    /// As anything else.
    Normal = "normal",
    /// Before other things.
    High = "high",
    /// At once.
    Urgent = "urgent",
}

words! {
    /// Where it stands.
    TodoStatus, "status of a to-do":
    /// Nobody has begun.
    Pending = "pending",
    /// Somebody is at it.
    InProgress = "in_progress",
    /// It is done.
    Done = "done",
    /// It will not be done.
    Cancelled = "cancelled",
}

impl TodoStatus {
    /// Whether there is still something to do.
    pub const fn is_open(self) -> bool {
        matches!(self, TodoStatus::Pending | TodoStatus::InProgress)
    }
}

/// Bytes in a title, at most.
pub const MAX_TITLE_BYTES: usize = 1000;
/// Bytes in a description, at most.
pub const MAX_DESCRIPTION_BYTES: usize = 64 * 1024;

/// Something to be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Todo {
    /// Its id.
    pub id: TodoId,
    /// Whose.
    pub agent: AgentId,
    /// What.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// When it was added.
    pub created_at: Time,
    /// What may change.
    pub standing: Standing,
}

/// What may change about a to-do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// How urgent.
    pub priority: Priority,
    /// By when.
    pub due_at: Option<Time>,
    /// Where it stands.
    pub status: TodoStatus,
    /// Whether the heartbeat may bring it up.
    pub remind: bool,
    /// When it was done or cancelled.
    pub finished_at: Option<Time>,
    /// When any of this changed last.
    pub updated_at: Time,
}

impl Words for Todo {
    row!("todos", "to-do");

    fn seal_into(&self, sealer: Sealer) -> Sealer {
        sealer
            .text("title", &self.title)
            .opt_text("description", self.description.as_deref())
            .time("created_at", self.created_at)
    }
}

impl Todo {
    /// Whether it should have been done by `now`.
    pub fn is_overdue(&self, now: Time) -> bool {
        self.standing.status.is_open() && self.standing.due_at.is_some_and(|due| due < now)
    }

    /// The order in which to-dos are shown: what is open before what is finished; then the overdue, the urgent, what
    /// is due first, the oldest. What is finished: the latest first.
    pub fn before(&self, other: &Todo, now: Time) -> Ordering {
        let key = |todo: &Todo| {
            let Standing { priority, due_at, status, finished_at, .. } = todo.standing;
            match status.is_open() {
                true => (
                    0,
                    !todo.is_overdue(now),
                    Reverse(Some(priority)),
                    due_at.unwrap_or(Time::MAX),
                    Reverse(None),
                ),
                false => (1, false, Reverse(None), Time::MAX, Reverse(finished_at)),
            }
        };
        key(self).cmp(&key(other)).then(self.id.cmp(&other.id))
    }
}

impl Standing {
    /// The same with another status: what is over has an end, what is taken up again has none.
    pub fn with_status(self, status: TodoStatus, now: Time) -> Standing {
        if status == self.status {
            return self;
        }
        Standing { status, finished_at: (!status.is_open()).then_some(now), updated_at: now, ..self }
    }
}

/// What somebody wants done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TodoDraft {
    /// What.
    pub title: String,
    /// More about it.
    pub description: Option<String>,
    /// How urgent.
    pub priority: Priority,
    /// By when, as written.
    pub due: Option<String>,
    /// Whether to be reminded; none: as [`reminds_by_default`].
    pub remind: Option<bool>,
    /// Who may see it.
    pub privacy: Privacy,
}

impl TodoDraft {
    /// Something to do, some time.
    pub fn new(title: impl Into<String>) -> TodoDraft {
        TodoDraft {
            title: title.into(),
            description: None,
            priority: Priority::Normal,
            due: None,
            remind: None,
            privacy: Privacy::Shared,
        }
    }

    /// Whether its words may be stored.
    pub fn check(&self) -> Result<(), BadTodo> {
        let text =
            |field, text: &str, max| check_text(text, max).map_err(|problem| BadTodo { field, problem });
        text("title", &self.title, MAX_TITLE_BYTES)?;
        self.description.as_deref().map_or(Ok(()), |more| text("description", more, MAX_DESCRIPTION_BYTES))
    }
}

/// Why a to-do cannot be stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct BadTodo {
    /// Which field.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: TextProblem,
}

/// Who asks for something wants to hear of it; what the agent set itself, nobody nags about.
pub fn reminds_by_default(caller: &Caller) -> bool {
    caller.author() == Author::Principal
}
