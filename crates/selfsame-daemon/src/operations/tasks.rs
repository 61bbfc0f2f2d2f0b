//! tasks: all that an agent does with its to-dos, as one tool. The single operations are in `todo`.

use super::todo::{
    AddTodo, AddTodoRequest, ListTodo, ListTodoRequest, TodoView, UpdateTodo, UpdateTodoRequest,
};
use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::key::Scope;
use serde::{Deserialize, Serialize};

/// Lists, adds or changes to-dos.
pub struct Tasks;

/// What to do with them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TasksRequest {
    /// list, add, update or complete.
    pub action: String,
    /// `tdo_...`, to update or complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What is to be done, to add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// More about it, to add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// pending, in_progress, done or cancelled; to list also open (default) or all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// low, normal, high or urgent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    /// By when: 2026-12-24, 2026-12-24T18:00 or RFC 3339; `none` takes it away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<String>,
    /// Whether to be reminded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind: Option<bool>,
    /// To-dos to list, at most (1 to 1000; 100 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// What became of it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TasksReply {
    /// listed, added, changed or unchanged.
    pub outcome: String,
    /// `tdo_...`, of what was added or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Where that stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// By when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<String>,
    /// What was listed: overdue first, then by priority and date.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub todos: Vec<TodoView>,
    /// How many there are in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

fn unfit(words: &str) -> Failure {
    Error::Unfit(words.into()).into()
}

impl TasksRequest {
    /// Refuses what an action has no use for: it would be lost in silence.
    fn only(&self, allowed: &[&str]) -> Result<(), Failure> {
        let given = [
            ("id", self.id.is_some()),
            ("title", self.title.is_some()),
            ("description", self.description.is_some()),
            ("status", self.status.is_some()),
            ("priority", self.priority.is_some()),
            ("due", self.due.is_some()),
            ("remind", self.remind.is_some()),
            ("limit", self.limit.is_some()),
        ];
        match given.iter().find(|(field, given)| *given && !allowed.contains(field)) {
            Some((field, _)) => {
                Err(unfit(&format!("{field}: {} takes only {}", self.action, allowed.join(", "))))
            }
            None => Ok(()),
        }
    }

    fn named(&self) -> Result<String, Failure> {
        self.id.clone().ok_or_else(|| unfit("id: say which to-do is meant (`tdo_...`, as list shows it)"))
    }
}

impl Operation for Tasks {
    const NAME: &'static str = "tasks";
    const SUMMARY: &'static str = "Keep track of what is to be done: `list`, `add`, `update` (status, priority, date, \
        reminder) or `complete`.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/tasks" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Core, read_only: false, destructive: false, idempotent: false });
    type Request = TasksRequest;
    type Reply = TasksReply;

    fn run(context: &Context<'_>, request: TasksRequest) -> Result<TasksReply, Failure> {
        match request.action.as_str() {
            "list" => {
                request.only(&["status", "limit"])?;
                let asked = ListTodoRequest { status: request.status, limit: request.limit };
                let list = ListTodo::run(context, asked)?;
                let (todos, total) = (list.todos, Some(list.total));
                Ok(TasksReply { outcome: "listed".into(), todos, total, ..TasksReply::default() })
            }
            "add" => {
                request.only(&["title", "description", "priority", "due", "remind"])?;
                let title = request.title.ok_or_else(|| unfit("title: say what is to be done"))?;
                let TasksRequest { description, priority, due, remind, .. } = request;
                let asked = AddTodoRequest { title, description, priority, due, remind, private: false };
                let added = AddTodo::run(context, asked)?;
                let (id, status) = (Some(added.id), Some("pending".into()));
                Ok(TasksReply {
                    outcome: "added".into(),
                    id,
                    status,
                    due_at: added.due_at,
                    ..TasksReply::default()
                })
            }
            "update" | "complete" => {
                let completes = request.action == "complete";
                request.only(if completes {
                    &["id"]
                } else {
                    &["id", "status", "priority", "due", "remind"]
                })?;
                let id = request.named()?;
                let status = if completes { Some("done".into()) } else { request.status };
                let TasksRequest { priority, due, remind, .. } = request;
                let asked = UpdateTodoRequest { id, status, priority, due, remind };
                let changed = UpdateTodo::run(context, asked)?;
                let (id, status) = (Some(changed.id), Some(changed.status));
                Ok(TasksReply { outcome: changed.outcome, id, status, ..TasksReply::default() })
            }
            other => {
                let other: String = other.chars().take(64).collect();
                Err(unfit(&format!("action: {other:?} is none of list, add, update, complete")))
            }
        }
    }

    fn tell(reply: &TasksReply) -> String {
        match (&reply.id, reply.outcome.as_str()) {
            (None, _) if reply.todos.is_empty() => "There is nothing to do here.".into(),
            (None, _) => reply.todos.iter().map(TodoView::line).collect(),
            (Some(id), "added") => {
                let due = reply.due_at.as_ref().map(|due| format!(", due {due}")).unwrap_or_default();
                format!("added {id}{due}")
            }
            (Some(id), outcome) => {
                let already = if outcome == "unchanged" { " already" } else { "" };
                format!("{id} is{already} {}", reply.status.as_deref().unwrap_or_default())
            }
        }
    }
}
