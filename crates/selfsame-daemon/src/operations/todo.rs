//! add_todo, complete_todo, list_todo, update_todo.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::wire::ProvenanceView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::id::TodoId;
use selfsame::kept::Kept;
use selfsame::key::Scope;
use selfsame::time::Time;
use selfsame::todo::{Priority, Standing, Todo, TodoChange, TodoChanged, TodoDraft, TodoStatus};
use selfsame::trust::Privacy;
use serde::{Deserialize, Serialize};

/// Adds a to-do.
pub struct AddTodo;

/// What is to be done.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddTodoRequest {
    /// What, in a few words.
    pub title: String,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// low, normal (default), high or urgent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// By when: 2026-12-24, 2026-12-24T18:00 (in the agent's zone) or RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// Whether to be reminded; if not given, yes when a principal asks, no when the agent sets it itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind: Option<bool>,
    /// Only the principal who asks and the operator may see it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AddTodoReply {
    /// `tdo_...`
    pub id: String,
    /// By when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<String>,
    /// Whether there will be a reminder.
    pub remind: bool,
}

impl Operation for AddTodo {
    const NAME: &'static str = "add_todo";
    const SUMMARY: &'static str = "Note something to be done. It stays until it is completed or cancelled.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/todos" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = AddTodoRequest;
    type Reply = AddTodoReply;

    fn run(context: &Context<'_>, request: AddTodoRequest) -> Result<AddTodoReply, Failure> {
        let draft = TodoDraft {
            title: request.title,
            description: request.description,
            priority: priority(request.priority.as_deref())?.unwrap_or(Priority::Normal),
            due: request.due,
            remind: request.remind,
            privacy: if request.private { Privacy::Private } else { Privacy::Shared },
        };
        let added = context.access()?.add_todo(draft, context.idempotency()?.as_ref())?;
        Ok(AddTodoReply {
            id: added.id.to_string(),
            due_at: added.due_at.map(|due| due.to_string()),
            remind: added.remind,
        })
    }

    fn tell(reply: &AddTodoReply) -> String {
        let due = reply.due_at.as_ref().map(|due| format!(", due {due}")).unwrap_or_default();
        format!("added {}{due}", reply.id)
    }
}

fn priority(word: Option<&str>) -> Result<Option<Priority>, Error> {
    Ok(word.map(Priority::parse).transpose()?)
}

/// Completes a to-do.
pub struct CompleteTodo;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompleteTodoRequest {
    /// `tdo_...`
    pub id: String,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TodoReply {
    /// `tdo_...`
    pub id: String,
    /// pending, in_progress, done or cancelled.
    pub status: String,
    /// `changed`, or `unchanged` if it was so already
    pub outcome: String,
}

impl From<TodoChanged> for TodoReply {
    fn from(changed: TodoChanged) -> TodoReply {
        TodoReply {
            id: changed.id.to_string(),
            status: changed.status.as_str().into(),
            outcome: if changed.changed { "changed" } else { "unchanged" }.into(),
        }
    }
}

fn told(reply: &TodoReply) -> String {
    let already = if reply.outcome == "unchanged" { " already" } else { "" };
    format!("{} is{already} {}", reply.id, reply.status)
}

impl Operation for CompleteTodo {
    const NAME: &'static str = "complete_todo";
    const SUMMARY: &'static str = "Mark a to-do as done.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/todos/{id}/complete" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: true });
    type Request = CompleteTodoRequest;
    type Reply = TodoReply;

    fn run(context: &Context<'_>, request: CompleteTodoRequest) -> Result<TodoReply, Failure> {
        let id: TodoId = request.id.parse().map_err(Error::from)?;
        Ok(context.access()?.complete_todo(id, context.idempotency()?.as_ref())?.into())
    }

    fn tell(reply: &TodoReply) -> String {
        told(reply)
    }
}

/// Changes a to-do.
pub struct UpdateTodo;

/// What to change; what is not given stays.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateTodoRequest {
    /// `tdo_...`
    pub id: String,
    /// pending (reopen), in_progress (start), done or cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// low, normal, high or urgent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// By when, as in add_todo; `none` takes the date away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// Whether to be reminded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind: Option<bool>,
}

impl Operation for UpdateTodo {
    const NAME: &'static str = "update_todo";
    const SUMMARY: &'static str =
        "Change where a to-do stands: start, cancel or reopen it, another priority, date or reminder.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/todos/{id}" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: true });
    type Request = UpdateTodoRequest;
    type Reply = TodoReply;

    fn run(context: &Context<'_>, request: UpdateTodoRequest) -> Result<TodoReply, Failure> {
        let id: TodoId = request.id.parse().map_err(Error::from)?;
        let status = request.status.as_deref().map(TodoStatus::parse).transpose().map_err(Error::from)?;
        let priority = priority(request.priority.as_deref())?;
        let change = TodoChange { status, priority, due: request.due, remind: request.remind };
        Ok(context.access()?.update_todo(id, &change, context.idempotency()?.as_ref())?.into())
    }

    fn tell(reply: &TodoReply) -> String {
        told(reply)
    }
}

/// Lists to-dos.
pub struct ListTodo;

/// Which to-dos.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListTodoRequest {
    /// open (default: pending and in_progress), all, pending, in_progress, done or cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// To-dos, at most (1 to 1000; 100 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// The to-dos.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListTodoReply {
    /// Overdue first, then by priority and date.
    pub todos: Vec<TodoView>,
    /// How many there are in all.
    pub total: u64,
    /// What was left out because it is damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
}

/// One to-do.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TodoView {
    /// `tdo_...`
    pub id: String,
    /// What.
    pub title: String,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// low, normal, high or urgent.
    pub priority: String,
    /// pending, in_progress, done or cancelled.
    pub status: String,
    /// By when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<String>,
    /// Whether that is past.
    pub overdue: bool,
    /// Whether there will be a reminder.
    pub remind: bool,
    /// When it was added.
    pub created_at: String,
    /// When it was done or cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Where it comes from.
    #[serde(flatten)]
    pub provenance: ProvenanceView,
}

impl TodoView {
    /// For a model that reads.
    pub(super) fn line(&self) -> String {
        let due = self.due_at.as_ref().map(|due| format!(", due {due}")).unwrap_or_default();
        let overdue = if self.overdue { ", overdue" } else { "" };
        format!("[{}] {} ({}, {}{due}{overdue})\n", self.id, self.title, self.status, self.priority)
    }
}

fn view(todo: &Kept<Todo>, now: Time) -> TodoView {
    let Standing { priority, due_at, status, remind, finished_at, .. } = todo.standing;
    TodoView {
        id: todo.id.to_string(),
        title: todo.title.clone(),
        description: todo.description.clone(),
        priority: priority.as_str().into(),
        status: status.as_str().into(),
        due_at: due_at.map(|due| due.to_string()),
        overdue: todo.is_overdue(now),
        remind,
        created_at: todo.created_at.to_string(),
        finished_at: finished_at.map(|time| time.to_string()),
        provenance: (&todo.provenance).into(),
    }
}

impl Operation for ListTodo {
    const NAME: &'static str = "list_todo";
    const SUMMARY: &'static str = "List what is to be done: overdue first, then by priority and date.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/todos" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = ListTodoRequest;
    type Reply = ListTodoReply;

    fn run(context: &Context<'_>, request: ListTodoRequest) -> Result<ListTodoReply, Failure> {
        let one;
        let among = match request.status.as_deref() {
            None | Some("open") => None,
            Some("all") => Some(TodoStatus::ALL),
            Some(word) => {
                one = [TodoStatus::parse(word).map_err(|error| {
                    Failure::bad_request("unknown_word", format!("{error}; or open, or all"))
                })?];
                Some(one.as_slice())
            }
        };
        let list = context.access()?.todos(among, request.limit.map(|limit| limit as usize))?;
        Ok(ListTodoReply {
            todos: list.todos.iter().map(|todo| view(todo, list.at)).collect(),
            total: list.total as u64,
            damaged: list.damaged,
        })
    }

    fn tell(reply: &ListTodoReply) -> String {
        if reply.todos.is_empty() {
            return "There is nothing to do here.".into();
        }
        reply.todos.iter().map(TodoView::line).collect()
    }
}
