//! events: what happened to an agent, in order and without holes.

use super::{Context, Method, Operation, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::event::Event;
use selfsame::key::Scope;
use serde::{Deserialize, Serialize};

/// The operation.
pub struct ListEvents;

/// From where.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventsRequest {
    /// The number after which to begin; from the first if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u32>,
    /// Events, at most (1 to 1000; 100 if not given).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// What happened.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EventsReply {
    /// The oldest first.
    pub events: Vec<EventView>,
    /// The number of the last event there is.
    pub head: i64,
}

/// One event: ids and our own words, never content.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EventView {
    /// Its number: none is left out.
    pub seq: i64,
    /// When.
    pub at: String,
    /// Who did it.
    pub actor: String,
    /// What.
    pub act: String,
    /// To what.
    pub subject: String,
}

impl EventView {
    /// As it is shown.
    pub(crate) fn of(event: Event, subject: String) -> EventView {
        EventView { seq: event.seq, at: event.at.to_string(), actor: event.actor, act: event.act, subject }
    }
}

impl Operation for ListEvents {
    const NAME: &'static str = "events";
    const SUMMARY: &'static str = "What happened to this agent, numbered without holes and chained by hash.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/events" };
    const TOOL: Option<Tool> = None;
    type Request = EventsRequest;
    type Reply = EventsReply;

    fn run(context: &Context<'_>, request: EventsRequest) -> Result<EventsReply, Failure> {
        let log = context
            .access()?
            .events(request.after.unwrap_or(0).into(), request.limit.unwrap_or(100) as usize)?;
        let events = log.events.into_iter().map(|(event, subject)| EventView::of(event, subject));
        Ok(EventsReply { events: events.collect(), head: log.head })
    }

    fn tell(reply: &EventsReply) -> String {
        format!("{} events, the last is {}", reply.events.len(), reply.head)
    }
}
