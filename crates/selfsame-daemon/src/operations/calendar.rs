//! add_to_calendar, check_calendar, remove_from_calendar.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::wire::ProvenanceView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::calendar::{CalendarDraft, CalendarEvent, Occurrence};
use selfsame::id::CalendarId;
use selfsame::kept::Kept;
use selfsame::key::Scope;
use selfsame::trust::Privacy;
use serde::{Deserialize, Serialize};

/// Adds an entry.
pub struct AddToCalendar;

/// What takes place when.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddToCalendarRequest {
    /// What, in a few words.
    pub title: String,
    /// 2026-12-24T18:00 (local), 2026-12-24 (a whole day) or RFC 3339 with an offset.
    pub start: String,
    /// Until when, written likewise; of whole days the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// Instead of an end: 90m, 1h30m, 2d.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<String>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// IANA zone of the local times, such as Europe/Berlin; the agent's if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// How it repeats: an RFC 5545 rule, such as FREQ=WEEKLY;BYDAY=MO.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<String>,
    /// Be reminded so many minutes before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind: Option<u32>,
    /// Only the principal who asks and the operator may see it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AddToCalendarReply {
    /// `cal_...`
    pub id: String,
    /// When it takes place for the first time.
    pub first_at: String,
}

impl Operation for AddToCalendar {
    const NAME: &'static str = "add_to_calendar";
    const SUMMARY: &'static str = "Put something in the calendar: once, or repeated by an RFC 5545 rule. Local times stay what they are when the clocks change.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/calendar" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = AddToCalendarRequest;
    type Reply = AddToCalendarReply;

    fn run(context: &Context<'_>, request: AddToCalendarRequest) -> Result<AddToCalendarReply, Failure> {
        let draft = CalendarDraft {
            title: request.title,
            start: request.start,
            end: request.end,
            duration: request.duration,
            location: request.location,
            description: request.description,
            zone: request.zone,
            recurrence: request.recurrence,
            remind_minutes: request.remind,
            privacy: if request.private { Privacy::Private } else { Privacy::Shared },
        };
        let added = context.access()?.add_to_calendar(draft, context.idempotency()?.as_ref())?;
        Ok(AddToCalendarReply { id: added.id.to_string(), first_at: added.first_at.to_string() })
    }

    fn tell(reply: &AddToCalendarReply) -> String {
        format!("added {}, first at {}", reply.id, reply.first_at)
    }
}

/// Looks at a range.
pub struct CheckCalendar;

/// Which range.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckCalendarRequest {
    /// From when: a date or time in the agent's zone, or RFC 3339; now if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Until when, a date included; two weeks on if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Occurrences, at most (1 to 1000; 100 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// What takes place.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckCalendarReply {
    /// By their moments; what still runs at the beginning too.
    pub occurrences: Vec<OccurrenceView>,
    /// The beginning of the range.
    pub from: String,
    /// The end of the range.
    pub to: String,
    /// Whether there are more than the limit.
    pub more: bool,
    /// What was left out because it is damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
}

/// One time at which something takes place.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OccurrenceView {
    /// The entry: `cal_...`
    pub id: String,
    /// What.
    pub title: String,
    /// The local start; a date if it is a whole day. Names the occurrence in remove_from_calendar.
    pub starts: String,
    /// The local end, or the last day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<String>,
    /// The zone of the two.
    pub zone: String,
    /// The moment at which it begins.
    pub begin: String,
    /// The moment at which it is over; the same if that is not known.
    pub end: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How it repeats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<String>,
    /// A reminder so many minutes before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind: Option<u32>,
    /// Where it comes from.
    #[serde(flatten)]
    pub provenance: ProvenanceView,
}

fn view(event: &Kept<CalendarEvent>, occurrence: &Occurrence) -> OccurrenceView {
    OccurrenceView {
        id: event.id.to_string(),
        title: event.title.clone(),
        starts: occurrence.slot.starts(),
        ends: occurrence.slot.ends(),
        zone: event.zone.name().to_owned(),
        begin: occurrence.begin.to_string(),
        end: occurrence.end.to_string(),
        location: event.location.clone(),
        description: event.description.clone(),
        recurrence: event.recurrence.as_ref().map(ToString::to_string),
        remind: event.remind_minutes,
        provenance: (&event.provenance).into(),
    }
}

impl Operation for CheckCalendar {
    const NAME: &'static str = "check_calendar";
    const SUMMARY: &'static str = "See what takes place in a range of time, repetitions included.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/calendar" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = CheckCalendarRequest;
    type Reply = CheckCalendarReply;

    fn run(context: &Context<'_>, request: CheckCalendarRequest) -> Result<CheckCalendarReply, Failure> {
        let limit = request.limit.map(|limit| limit as usize);
        let agenda =
            context.access()?.check_calendar(request.from.as_deref(), request.to.as_deref(), limit)?;
        Ok(CheckCalendarReply {
            occurrences: agenda.occurrences.iter().map(|(event, one)| view(event, one)).collect(),
            from: agenda.from.to_string(),
            to: agenda.to.to_string(),
            more: agenda.more,
            damaged: agenda.damaged,
        })
    }

    fn tell(reply: &CheckCalendarReply) -> String {
        if reply.occurrences.is_empty() {
            return format!("Nothing takes place from {} to {}.", reply.from, reply.to);
        }
        let line = |one: &OccurrenceView| {
            let ends = one.ends.as_ref().map(|ends| format!(" to {ends}")).unwrap_or_default();
            let place = one.location.as_ref().map(|place| format!(", {place}")).unwrap_or_default();
            format!("[{}] {}{ends} {}: {}{place}\n", one.id, one.starts, one.zone, one.title)
        };
        reply.occurrences.iter().map(line).collect()
    }
}

/// Removes an entry or an occurrence.
pub struct RemoveFromCalendar;

/// What to remove.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveFromCalendarRequest {
    /// `cal_...`
    pub id: String,
    /// Only this occurrence, by its local start or date; the whole series if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RemoveFromCalendarReply {
    /// `cal_...`
    pub id: String,
    /// `removed` or `already_removed`
    pub outcome: String,
}

impl Operation for RemoveFromCalendar {
    const NAME: &'static str = "remove_from_calendar";
    const SUMMARY: &'static str = "Take an entry off the calendar, or one occurrence of a series.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/calendar/{id}/remove" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: true, idempotent: true });
    type Request = RemoveFromCalendarRequest;
    type Reply = RemoveFromCalendarReply;

    fn run(
        context: &Context<'_>,
        request: RemoveFromCalendarRequest,
    ) -> Result<RemoveFromCalendarReply, Failure> {
        let id: CalendarId = request.id.parse().map_err(Error::from)?;
        let key = context.idempotency()?;
        let (occurrence, reason) = (request.occurrence.as_deref(), request.reason.as_deref());
        let removed = context.access()?.remove_from_calendar(id, occurrence, reason, key.as_ref())?;
        let outcome = if removed.now { "removed" } else { "already_removed" };
        Ok(RemoveFromCalendarReply { id: removed.id.to_string(), outcome: outcome.into() })
    }

    fn tell(reply: &RemoveFromCalendarReply) -> String {
        format!("{} {}", reply.outcome, reply.id)
    }
}
