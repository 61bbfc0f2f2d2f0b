//! schedule list: what will be brought up, when, and what came of the last time.

use super::{Context, Method, Operation, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::heartbeat::schedule::SourceKind;
use selfsame::id::{CalendarId, MemoryId, TodoId};
use selfsame::key::Scope;
use selfsame::schedule::{ScheduleCard, Source};
use serde::{Deserialize, Serialize};

/// Listed when the caller does not say.
const USUAL_LIMIT: u32 = 50;

/// Something that is brought up at its time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleView {
    /// `sch_...`
    pub id: String,
    /// The memory, to-do or calendar entry: `mem_...`, `tdo_...`, `cal_...`
    pub source: String,
    /// What it says, or its title.
    pub what: String,
    /// Who is told: `pri_...`
    pub principal: String,
    /// When, as it was written; `due` for a to-do's own date, `entry` for a calendar entry's.
    pub when: String,
    /// By which clock.
    pub zone: String,
    /// The moment that is to come, or is due and has reached nobody yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_due_at: Option<String>,
    /// The due moment before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_due_at: Option<String>,
    /// What came of it: delivered, late, missed or missed_muted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_outcome: Option<String>,
    /// How often it reached somebody.
    pub delivered: u64,
    /// How often it did not.
    pub missed: u64,
    /// How it ended, if it has: done, missed, missed_muted or removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

impl From<&ScheduleCard> for ScheduleView {
    fn from(card: &ScheduleCard) -> ScheduleView {
        let row = &card.schedule;
        ScheduleView {
            id: row.id.to_string(),
            source: name_of(row.source),
            what: card.what.clone(),
            principal: row.serves.to_string(),
            when: row.spec.clone(),
            zone: row.zone.clone(),
            next_due_at: row.next_due_at.map(|time| time.to_string()),
            last_due_at: row.last.map(|(slot, _)| slot.to_string()),
            last_outcome: row.last.map(|(_, outcome)| outcome.as_str().to_owned()),
            delivered: row.delivered,
            missed: row.missed,
            ended: row.ended.map(|(_, how)| how.as_str().to_owned()),
        }
    }
}

fn name_of(source: Source) -> String {
    match source.kind {
        SourceKind::Memory => MemoryId::of(source.id).to_string(),
        SourceKind::Todo => TodoId::of(source.id).to_string(),
        SourceKind::Calendar => CalendarId::of(source.id).to_string(),
    }
}

/// Lists the schedules.
pub struct ListSchedules;

/// How many.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListSchedulesRequest {
    /// Schedules, at most (1 to 500; 50 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Schedules.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SchedulesReply {
    /// The next first, then those that have ended, the last first.
    pub schedules: Vec<ScheduleView>,
}

impl Operation for ListSchedules {
    const NAME: &'static str = "schedule_list";
    const SUMMARY: &'static str = "List what will be brought up and when, the next first.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/schedules" };
    const TOOL: Option<Tool> = None;
    type Request = ListSchedulesRequest;
    type Reply = SchedulesReply;

    fn run(context: &Context<'_>, request: ListSchedulesRequest) -> Result<SchedulesReply, Failure> {
        let cards = context.access()?.schedules(request.limit.unwrap_or(USUAL_LIMIT) as usize)?;
        Ok(SchedulesReply { schedules: cards.iter().map(ScheduleView::from).collect() })
    }

    fn tell(reply: &SchedulesReply) -> String {
        let line = |one: &ScheduleView| {
            let next = match (&one.next_due_at, &one.ended) {
                (Some(next), _) => format!("next {next}"),
                (None, ended) => format!("ended: {}", ended.as_deref().unwrap_or("done")),
            };
            format!("- {} [{}, {}, {next}]", one.what, one.source, one.when)
        };
        let lines: Vec<String> = reply.schedules.iter().map(line).collect();
        if lines.is_empty() { "Nothing is scheduled.".into() } else { lines.join("\n") }
    }
}
