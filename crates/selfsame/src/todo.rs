//! The verbs of to-dos: add, list, change, complete.

use crate::error::{Error, Result, check_limit};
use crate::heartbeat::due;
use crate::mind::Access;
use crate::sound::sound;
use selfsame_core::event::Act;
use selfsame_core::id::{ScheduleId, TodoId};
use selfsame_core::kept::Kept;
use selfsame_core::local::Moment;
use selfsame_core::time::Time;
use selfsame_core::todo::reminds_by_default;
use selfsame_core::trust::Provenance;
use selfsame_store::{Idempotency, Replay, StoreError, events, todos};

pub use selfsame_core::todo::{Priority, Standing, Todo, TodoDraft, TodoStatus};

/// To-dos in one answer, at most.
const MAX_LIMIT: usize = 1000;
/// To-dos in one answer when the caller does not say.
const USUAL: usize = 100;

/// A to-do was added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TodoAdded {
    /// Which.
    pub id: TodoId,
    /// By when.
    pub due_at: Option<Time>,
    /// Whether the heartbeat may bring it up.
    pub remind: bool,
}

/// What somebody wants to change; what is not given stays.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TodoChange {
    /// Where it stands.
    pub status: Option<TodoStatus>,
    /// How urgent it is.
    pub priority: Option<Priority>,
    /// By when, as written; `none` takes the date away.
    pub due: Option<String>,
    /// Whether the heartbeat may bring it up.
    pub remind: Option<bool>,
}

/// What became of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TodoChanged {
    /// Which.
    pub id: TodoId,
    /// Where it stands now.
    pub status: TodoStatus,
    /// Whether anything changed.
    pub changed: bool,
}

/// The to-dos of an agent, or as many as were asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct TodoList {
    /// In the order in which they call for attention.
    pub todos: Vec<Kept<Todo>>,
    /// How many there are in all.
    pub total: usize,
    /// When this was so: what is overdue follows from it.
    pub at: Time,
    /// To-dos that were left out because they are damaged.
    pub damaged: Vec<String>,
}

impl Access<'_> {
    /// Adds something to be done.
    pub fn add_todo(&self, draft: TodoDraft, key: Option<&Idempotency>) -> Result<TodoAdded> {
        let draft = self.without_secrets(draft);
        draft.check()?;
        let now = self.mind.now();
        let due_at = draft.due.as_deref().map(|due| self.due(due, now)).transpose()?;
        let remind = draft.remind.unwrap_or_else(|| reminds_by_default(&self.caller));
        if remind {
            self.must_be_watched("a reminder is set")?;
        }
        let standing = Standing {
            priority: draft.priority,
            due_at,
            status: TodoStatus::Pending,
            remind,
            finished_at: None,
            updated_at: now,
        };
        let todo = Todo {
            id: TodoId::of(self.mind.mint.id(now)),
            agent: self.agent.id,
            title: draft.title,
            description: draft.description,
            created_at: now,
            standing,
        };
        let todo = Kept::new(todo, Provenance::stated(&self.caller, None, draft.privacy));
        let reminder = ScheduleId::of(self.mind.mint.id(now));
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            todos::insert(writer, &todo)?;
            due::keep_todo(writer, &self.agent, &todo, &standing, reminder, now)?;
            let act = Act { act: "added", subject_kind: "todo", subject: todo.id.id() };
            events::record(writer, self.agent.id, now, &[act])?;
            Ok(TodoAdded { id: todo.id, due_at, remind })
        })?)
    }

    /// One to-do, if it is there and the caller may see it.
    pub fn todo(&self, id: TodoId) -> Result<Option<Kept<Todo>>> {
        let found = self
            .mind
            .store
            .read(&self.caller, &[self.agent.id], |reader| todos::by_id(reader, self.agent.id, id))?;
        Ok(found.filter(|todo| todo.provenance.is_visible_to(&self.caller)))
    }

    /// The to-dos that stand so, in the order in which they call for attention; without a status, what is open.
    pub fn todos(&self, among: Option<&[TodoStatus]>, limit: Option<usize>) -> Result<TodoList> {
        let limit = limit.unwrap_or(USUAL);
        check_limit(limit, MAX_LIMIT)?;
        let among = among.unwrap_or(&[TodoStatus::Pending, TodoStatus::InProgress]);
        let found = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            todos::with_status(reader, self.agent.id, among)
        })?;
        let (mut todos, damaged) = sound(found)?;
        todos.retain(|todo| todo.provenance.is_visible_to(&self.caller));
        let (total, at) = (todos.len(), self.mind.now());
        todos.sort_by(|a, b| a.before(b, at));
        todos.truncate(limit);
        Ok(TodoList { todos, total, at, damaged })
    }

    /// Marks a to-do as done. Twice is as once.
    pub fn complete_todo(&self, id: TodoId, key: Option<&Idempotency>) -> Result<TodoChanged> {
        self.update_todo(id, &TodoChange { status: Some(TodoStatus::Done), ..TodoChange::default() }, key)
    }

    /// Changes where a to-do stands: start, cancel, reopen, another date.
    pub fn update_todo(
        &self,
        id: TodoId,
        change: &TodoChange,
        key: Option<&Idempotency>,
    ) -> Result<TodoChanged> {
        let Some(todo) = self.todo(id)? else {
            return Err(Error::NoSuch { what: "to-do", id: id.to_string() });
        };
        if change.remind.is_some() || (change.due.is_some() && todo.standing.remind) {
            self.must_be_watched("a reminder is changed")?;
        }
        let now = self.mind.now();
        let due = match change.due.as_deref() {
            Some("none") => Some(None),
            Some(due) => Some(Some(self.due(due, now)?)),
            None => None,
        };
        let reminder = ScheduleId::of(self.mind.mint.id(now));
        let apply = |old: Standing| {
            let new = Standing {
                priority: change.priority.unwrap_or(old.priority),
                due_at: due.unwrap_or(old.due_at),
                remind: change.remind.unwrap_or(old.remind),
                ..change.status.map_or(old, |status| old.with_status(status, now))
            };
            if new == old { old } else { Standing { updated_at: now, ..new } }
        };
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            let Some(todo) = todos::by_id(writer, self.agent.id, id)? else {
                return Err(StoreError::Conflict(format!("to-do {id} was forgotten meanwhile")));
            };
            let (old, new) = (todo.standing, apply(todo.standing));
            if new != old {
                todos::change(writer, self.agent.id, id, &new)?;
                due::keep_todo(writer, &self.agent, &todo, &new, reminder, now)?;
                let act = Act { act: act_of(old.status, new.status), subject_kind: "todo", subject: id.id() };
                events::record(writer, self.agent.id, now, &[act])?;
            }
            Ok(TodoChanged { id, status: new.status, changed: new != old })
        })?)
    }

    /// A date means its last second: what is due on Monday is not overdue on Monday.
    fn due(&self, text: &str, now: Time) -> Result<Time> {
        let zone = self.zone()?;
        Ok(Moment::parse(text, zone.date(now))?.end(&zone))
    }
}

fn act_of(old: TodoStatus, new: TodoStatus) -> &'static str {
    match new {
        _ if old == new => "changed",
        TodoStatus::Pending => "reopened",
        TodoStatus::InProgress => "started",
        TodoStatus::Done => "completed",
        TodoStatus::Cancelled => "cancelled",
    }
}

impl Replay for TodoAdded {
    fn encode(&self) -> String {
        let due = self.due_at.map_or("null".to_owned(), |due| due.micros().to_string());
        format!("[\"{}\",{due},{}]", self.id, self.remind)
    }

    fn decode(stored: &str) -> std::result::Result<TodoAdded, StoreError> {
        let damaged = StoreError::unreadable_reply;
        let (id, due, remind): (String, Option<i64>, bool) =
            serde_json::from_str(stored).map_err(|_| damaged())?;
        Ok(TodoAdded { id: id.parse().map_err(|_| damaged())?, due_at: due.map(Time::from_micros), remind })
    }
}

impl Replay for TodoChanged {
    fn encode(&self) -> String {
        format!("[\"{}\",\"{}\",{}]", self.id, self.status.as_str(), self.changed)
    }

    fn decode(stored: &str) -> std::result::Result<TodoChanged, StoreError> {
        let damaged = StoreError::unreadable_reply;
        let (id, status, changed): (String, String, bool) =
            serde_json::from_str(stored).map_err(|_| damaged())?;
        let status = TodoStatus::parse(&status).map_err(|_| damaged())?;
        Ok(TodoChanged { id: id.parse().map_err(|_| damaged())?, status, changed })
    }
}
