//! monitor add, list, checked, end: memories that want to be looked after.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::id::MemoryId;
use selfsame::key::Scope;
use selfsame::monitor::MonitorCard;
use selfsame::time::show_duration;
use serde::{Deserialize, Serialize};

/// Listed when the caller does not say.
const USUAL_LIMIT: u32 = 50;

/// A memory that is looked after.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MonitorView {
    /// `mem_...`
    pub memory: String,
    /// What it says.
    pub content: String,
    /// How often it is to be checked, such as 7d.
    pub every: String,
    /// When somebody last looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_checked_at: Option<String>,
    /// When somebody should look next.
    pub next_check_at: String,
    /// Whether that is past.
    pub overdue: bool,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
}

impl From<&MonitorCard> for MonitorView {
    fn from(card: &MonitorCard) -> MonitorView {
        MonitorView {
            memory: card.monitor.memory.to_string(),
            content: card.memory.content.clone(),
            every: show_duration(card.monitor.every),
            last_checked_at: card.monitor.last_checked_at.map(|time| time.to_string()),
            next_check_at: card.monitor.next_check_at.to_string(),
            overdue: card.overdue,
            ended_at: card.monitor.ended_at.map(|time| time.to_string()),
        }
    }
}

/// Looks after a memory.
pub struct AddMonitor;

/// Which memory, how often.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddMonitorRequest {
    /// The memory: `mem_...`
    pub memory: String,
    /// How often, from 1m to 366d, such as 7d or 12h.
    pub every: String,
}

impl Operation for AddMonitor {
    const NAME: &'static str = "monitor_add";
    const SUMMARY: &'static str =
        "Look after a memory: have it checked every so often. Recalling it is no check.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/monitors" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: true });
    type Request = AddMonitorRequest;
    type Reply = MonitorView;

    fn run(context: &Context<'_>, request: AddMonitorRequest) -> Result<MonitorView, Failure> {
        let key = context.idempotency()?;
        let card = context.access()?.monitor(id(&request.memory)?, &request.every, key.as_ref())?;
        Ok((&card).into())
    }

    fn tell(reply: &MonitorView) -> String {
        format!("{} is checked every {}, next at {}", reply.memory, reply.every, reply.next_check_at)
    }
}

/// Lists the monitors.
pub struct ListMonitors;

/// How many.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListMonitorsRequest {
    /// Monitors, at most (1 to 500; 50 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Monitors.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MonitorsReply {
    /// The one that has been due the longest first.
    pub monitors: Vec<MonitorView>,
}

impl Operation for ListMonitors {
    const NAME: &'static str = "monitor_list";
    const SUMMARY: &'static str = "List the memories that are looked after, the overdue ones first.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/monitors" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = ListMonitorsRequest;
    type Reply = MonitorsReply;

    fn run(context: &Context<'_>, request: ListMonitorsRequest) -> Result<MonitorsReply, Failure> {
        let cards = context.access()?.monitors(request.limit.unwrap_or(USUAL_LIMIT) as usize)?;
        Ok(MonitorsReply { monitors: cards.iter().map(MonitorView::from).collect() })
    }

    fn tell(reply: &MonitorsReply) -> String {
        let line = |one: &MonitorView| {
            let due = if one.overdue { "overdue since" } else { "next" };
            format!("- {} [{}, every {}, {due} {}]", one.content, one.memory, one.every, one.next_check_at)
        };
        let lines: Vec<String> = reply.monitors.iter().map(line).collect();
        if lines.is_empty() { "No memory is looked after.".into() } else { lines.join("\n") }
    }
}

/// Records a check-in.
pub struct CheckMonitor;

/// Which, and what was seen.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckMonitorRequest {
    /// The memory: `mem_...`
    pub memory: String,
    /// What was seen; kept as a memory of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Operation for CheckMonitor {
    const NAME: &'static str = "monitor_checked";
    const SUMMARY: &'static str = "Record that a memory was looked after just now, with what was seen.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/monitors/checked" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = CheckMonitorRequest;
    type Reply = MonitorView;

    fn run(context: &Context<'_>, request: CheckMonitorRequest) -> Result<MonitorView, Failure> {
        let (id, key) = (id(&request.memory)?, context.idempotency()?);
        Ok((&context.access()?.monitor_checked(id, request.note.as_deref(), key.as_ref())?).into())
    }

    fn tell(reply: &MonitorView) -> String {
        format!("checked {}, next at {}", reply.memory, reply.next_check_at)
    }
}

/// Ends a monitor.
pub struct EndMonitor;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndMonitorRequest {
    /// The memory: `mem_...`
    pub memory: String,
}

impl Operation for EndMonitor {
    const NAME: &'static str = "monitor_end";
    const SUMMARY: &'static str = "Stop looking after a memory; the memory stays.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/monitors/end" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: true, idempotent: true });
    type Request = EndMonitorRequest;
    type Reply = MonitorView;

    fn run(context: &Context<'_>, request: EndMonitorRequest) -> Result<MonitorView, Failure> {
        let (id, key) = (id(&request.memory)?, context.idempotency()?);
        Ok((&context.access()?.monitor_end(id, key.as_ref())?).into())
    }

    fn tell(reply: &MonitorView) -> String {
        format!("{} is no longer looked after", reply.memory)
    }
}

fn id(text: &str) -> Result<MemoryId, Error> {
    Ok(text.parse()?)
}
