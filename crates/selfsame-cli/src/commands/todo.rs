//! selfsame todo

use crate::output::{Output, Tone, columns, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::todo::{
    AddTodo, AddTodoRequest, CompleteTodo, CompleteTodoRequest, ListTodo, ListTodoReply, ListTodoRequest,
    TodoReply, TodoView, UpdateTodo, UpdateTodoRequest,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Note something to be done
    Add {
        /// What
        title: String,
        /// More about it
        #[arg(long)]
        description: Option<String>,
        /// low, normal, high or urgent [default: normal]
        #[arg(long)]
        priority: Option<String>,
        /// By when: 2026-12-24, 2026-12-24T18:00 (in the agent's zone), tomorrow
        #[arg(long, value_name = "TIME")]
        due: Option<String>,
        /// Whether to be reminded [default: true when you ask]
        #[arg(long, value_name = "BOOL")]
        remind: Option<bool>,
        /// Only you may see it
        #[arg(long)]
        private: bool,
    },
    /// List what is to be done
    List {
        /// open, all, pending, in_progress, done or cancelled [default: open]
        #[arg(long)]
        status: Option<String>,
        /// To-dos, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Begin with a to-do
    Start {
        /// The to-do: tdo_...
        id: String,
    },
    /// Mark a to-do as done
    Done {
        /// The to-do: tdo_...
        id: String,
    },
    /// Give a to-do up
    Cancel {
        /// The to-do: tdo_...
        id: String,
    },
    /// Change a to-do
    Edit {
        /// The to-do: tdo_...
        id: String,
        /// pending (reopens it), in_progress, done or cancelled
        #[arg(long)]
        status: Option<String>,
        /// low, normal, high or urgent
        #[arg(long)]
        priority: Option<String>,
        /// By when; `none` takes the date away
        #[arg(long, value_name = "TIME")]
        due: Option<String>,
        /// Whether to be reminded
        #[arg(long, value_name = "BOOL")]
        remind: Option<bool>,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    let update = |request: UpdateTodoRequest| backend.call::<UpdateTodo>(agent, &request);
    let with_status = |id, status: &str| {
        update(UpdateTodoRequest { id, status: Some(status.into()), ..UpdateTodoRequest::default() })
    };
    match command {
        Command::Add { title, description, priority, due, remind, private } => {
            let request = AddTodoRequest { title, description, priority, due, remind, private };
            let reply = backend.call::<AddTodo>(agent, &request)?;
            output.reply(&reply, |output| {
                let due =
                    reply.due_at.as_deref().map(|due| format!("  due {}", minute(due))).unwrap_or_default();
                format!("{}  {}{due}\n", output.paint(Tone::Good, "added"), reply.id)
            });
        }
        Command::List { status, limit } => {
            let reply = backend.call::<ListTodo>(agent, &ListTodoRequest { status, limit })?;
            output.reply(&reply, |_| words(&reply));
            output.left_out(&reply.damaged);
        }
        Command::Start { id } => say(&with_status(id, "in_progress")?, output),
        Command::Cancel { id } => say(&with_status(id, "cancelled")?, output),
        Command::Done { id } => {
            say(&backend.call::<CompleteTodo>(agent, &CompleteTodoRequest { id })?, output);
        }
        Command::Edit { id, status, priority, due, remind } => {
            say(&update(UpdateTodoRequest { id, status, priority, due, remind })?, output);
        }
    }
    Ok(())
}

fn say(reply: &TodoReply, output: &Output) {
    let already = if reply.outcome == "unchanged" { " already" } else { "" };
    output.reply(reply, |output| {
        format!("{}  is{already} {}\n", output.paint(Tone::Good, &reply.id), reply.status.replace('_', " "))
    });
}

/// A moment to the minute, in UTC.
pub(crate) fn minute(moment: &str) -> String {
    format!("{}Z", moment.get(..16).unwrap_or(moment).replace('T', " "))
}

fn words(reply: &ListTodoReply) -> String {
    if reply.todos.is_empty() {
        return "nothing to do\n".into();
    }
    let mut text = columns(&reply.todos.iter().map(row).collect::<Vec<_>>());
    if reply.total > reply.todos.len() as u64 {
        text += &format!("and {} more (--limit)\n", reply.total - reply.todos.len() as u64);
    }
    text
}

fn row(todo: &TodoView) -> Vec<String> {
    let due = match (&todo.due_at, todo.overdue) {
        (Some(due), true) => format!("overdue {}", minute(due)),
        (Some(due), false) => format!("due {}", minute(due)),
        (None, _) => String::new(),
    };
    let status = todo.status.replace('_', " ");
    vec![todo.id.clone(), todo.priority.clone(), status, harmless(&todo.title), due]
}
