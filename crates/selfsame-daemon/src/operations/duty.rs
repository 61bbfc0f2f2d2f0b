//! duty list, requeue, cancel: what is done in the background, and what is stuck.

use super::agent::NoRequest;
use super::{Context, Method, Operation, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::id::DutyId;
use selfsame::key::Scope;
use selfsame::scheduler::Health;
use serde::{Deserialize, Serialize};

/// A background duty.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DutyView {
    /// `dut_...`
    pub id: String,
    /// What is done.
    pub kind: String,
    /// For which agent; absent: for the whole house.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// How it repeats: once, every 1h, daily 03:30 UTC.
    pub rhythm: String,
    /// waiting, running, dead, cancelled or done.
    pub state: String,
    /// fine, late or dead.
    pub health: String,
    /// When it is tried next.
    pub next_at: String,
    /// Attempts for the slot at hand.
    pub attempts: u32,
    /// The last slot that was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_done: Option<String>,
    /// How many slots were done.
    pub done: u64,
    /// How many were given up because nobody was there.
    pub passed_over: u64,
    /// What went wrong last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// Lists the duties.
pub struct ListDuties;

/// The duties, the next first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListDutiesReply {
    /// All of them.
    pub duties: Vec<DutyView>,
}

impl Operation for ListDuties {
    const NAME: &'static str = "duty_list";
    const SUMMARY: &'static str = "List what is done in the background, with what is late or dead.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/duties" };
    const TOOL: Option<Tool> = None;
    type Request = NoRequest;
    type Reply = ListDutiesReply;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<ListDutiesReply, Failure> {
        let duties = context.mind.duty_health()?;
        Ok(ListDutiesReply { duties: duties.into_iter().map(|(duty, health)| view(duty, health)).collect() })
    }

    fn tell(reply: &ListDutiesReply) -> String {
        format!("{} duties", reply.duties.len())
    }
}

fn view(duty: selfsame::scheduler::Duty, health: Health) -> DutyView {
    DutyView {
        id: duty.id.to_string(),
        kind: duty.kind,
        agent: duty.agent.map(|id| id.to_string()),
        rhythm: duty.rhythm,
        state: duty.state,
        health: health.as_str().into(),
        next_at: duty.next_at.to_string(),
        attempts: duty.attempts,
        last_done: duty.done_slot.map(|time| time.to_string()),
        done: duty.done_count,
        passed_over: duty.passed_over,
        last_error: duty.last_error,
    }
}

/// Which duty.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DutyRequest {
    /// `dut_...`
    pub id: String,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DutyReply {
    /// `dut_...`
    pub id: String,
    /// `requeued`, `cancelled` or `unchanged`
    pub outcome: String,
}

/// Gives a dead or cancelled duty another chance.
pub struct RequeueDuty;

impl Operation for RequeueDuty {
    const NAME: &'static str = "duty_requeue";
    const SUMMARY: &'static str = "Give a dead or cancelled duty another chance, from now.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/duties/{id}/requeue" };
    const TOOL: Option<Tool> = None;
    type Request = DutyRequest;
    type Reply = DutyReply;

    fn run(context: &Context<'_>, request: DutyRequest) -> Result<DutyReply, Failure> {
        let id = known(context, &request)?;
        Ok(outcome(request, context.mind.requeue_duty(id)?, "requeued"))
    }

    fn tell(reply: &DutyReply) -> String {
        format!("{} {}", reply.outcome, reply.id)
    }
}

/// Stops a duty.
pub struct CancelDuty;

impl Operation for CancelDuty {
    const NAME: &'static str = "duty_cancel";
    const SUMMARY: &'static str =
        "Stop a duty; whoever works on it can write nothing more. Requeue brings it back.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/duties/{id}/cancel" };
    const TOOL: Option<Tool> = None;
    type Request = DutyRequest;
    type Reply = DutyReply;

    fn run(context: &Context<'_>, request: DutyRequest) -> Result<DutyReply, Failure> {
        let id = known(context, &request)?;
        Ok(outcome(request, context.mind.cancel_duty(id)?, "cancelled"))
    }

    fn tell(reply: &DutyReply) -> String {
        format!("{} {}", reply.outcome, reply.id)
    }
}

fn known(context: &Context<'_>, request: &DutyRequest) -> Result<DutyId, Failure> {
    let id: DutyId = request.id.parse().map_err(Error::from)?;
    match context.mind.duties()?.iter().any(|duty| duty.id == id) {
        true => Ok(id),
        false => Err(Error::NoSuch { what: "duty", id: request.id.clone() }.into()),
    }
}

fn outcome(request: DutyRequest, changed: bool, word: &str) -> DutyReply {
    DutyReply { id: request.id, outcome: if changed { word } else { "unchanged" }.into() }
}
