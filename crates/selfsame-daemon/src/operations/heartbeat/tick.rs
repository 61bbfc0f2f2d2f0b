//! heartbeat tick, peek, explain and gate: a beat that counts, one that does not, why, and whether to wake.

use super::control::HeartRequest;
use super::view::{NudgeView, TickView};
use crate::failure::Failure;
use crate::operations::{Context, Method, Operation, Profile, Route, Tool};
use crate::wire::PrincipalView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::heartbeat::{Explained, Tick};
use selfsame::id::ReceiptId;
use selfsame::key::Scope;
use selfsame::time::Time;
use serde::{Deserialize, Serialize};

/// Lets a heart beat.
pub struct HeartbeatTick;

impl Operation for HeartbeatTick {
    const NAME: &'static str = "heartbeat_tick";
    const SUMMARY: &'static str = "Look now whether anything is worth saying to a principal, and say it. It happens by itself; no token is spent.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/heartbeat/tick" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = HeartRequest;
    type Reply = TickView;

    fn run(context: &Context<'_>, request: HeartRequest) -> Result<TickView, Failure> {
        view(context, &context.access()?.heartbeat_tick(request.principal.as_deref())?)
    }

    fn tell(reply: &TickView) -> String {
        reply.line()
    }
}

/// With what it said.
fn view(context: &Context<'_>, tick: &Tick) -> Result<TickView, Failure> {
    let nudge = tick.nudge.map(|id| context.access()?.nudge(id).map_err(Failure::from)).transpose()?;
    Ok(TickView::of(tick, nudge.as_ref()))
}

/// Looks, and changes nothing.
pub struct HeartbeatPeek;

/// For whom, and at which moment.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeekRequest {
    /// For whom: a name or `pri_...`; who asks, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// As if it were then, such as `tomorrow 09:00` by the principal's clock; now, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// A moment as it is written.
fn moment(context: &Context<'_>, whose: Option<&str>, at: Option<&str>) -> Result<Option<Time>, Failure> {
    at.map(|written| context.access()?.heartbeat_moment(whose, written).map_err(Failure::from)).transpose()
}

impl Operation for HeartbeatPeek {
    const NAME: &'static str = "heartbeat_peek";
    const SUMMARY: &'static str =
        "Look whether anything would be said to a principal, now or at a moment. Nothing changes.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/heartbeat/peek" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = PeekRequest;
    type Reply = TickView;

    fn run(context: &Context<'_>, request: PeekRequest) -> Result<TickView, Failure> {
        let whose = request.principal.as_deref();
        let at = moment(context, whose, request.at.as_deref())?;
        view(context, &context.access()?.heartbeat_peek(whose, at)?)
    }

    fn tell(reply: &TickView) -> String {
        reply.line()
    }
}

/// Says why.
pub struct Explain;

/// Which silence, or which word.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplainRequest {
    /// For whom: a name or `pri_...`; who asks, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// At that moment, such as `tomorrow 09:00` or `yesterday 18:00` by the principal's clock; now, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The tick of this receipt instead: `rcp_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
}

/// Why it spoke up or was silent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExplainReply {
    /// Towards whom.
    pub principal: PrincipalView,
    /// The moment that is explained.
    pub at: String,
    /// Whether it speaks up.
    pub acts: bool,
    /// The receipt that says so; absent if it was looked at just now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
    /// In words, line by line.
    pub text: String,
}

impl From<Explained> for ExplainReply {
    fn from(explained: Explained) -> ExplainReply {
        ExplainReply {
            principal: (&explained.principal).into(),
            at: explained.at.to_string(),
            acts: explained.acts,
            receipt: explained.receipt.map(|id| id.to_string()),
            text: explained.lines.join("\n"),
        }
    }
}

impl Operation for Explain {
    const NAME: &'static str = "heartbeat_explain";
    const SUMMARY: &'static str = "Say why something was or would be said to a principal, or nothing: what was seen, which step decided, \
         what would change it.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/heartbeat/explain" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = ExplainRequest;
    type Reply = ExplainReply;

    fn run(context: &Context<'_>, request: ExplainRequest) -> Result<ExplainReply, Failure> {
        let access = context.access()?;
        let whose = request.principal.as_deref();
        match (request.receipt, request.at) {
            (Some(_), Some(_)) => {
                Err(Failure::bad_request("bad_request", "give a receipt or a moment, not both"))
            }
            (Some(receipt), None) => {
                let id: ReceiptId = receipt.parse().map_err(Error::from)?;
                Ok(access.receipt_explain(id)?.into())
            }
            (None, at) => {
                let at = moment(context, whose, at.as_deref())?;
                Ok(access.heartbeat_explain(whose, at)?.into())
            }
        }
    }

    fn tell(reply: &ExplainReply) -> String {
        reply.text.clone()
    }
}

/// Says whether a host should wake its agent.
pub struct HeartbeatGate;

/// Whether to wake, and for what.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GateReply {
    /// Wake the agent.
    pub wake: bool,
    /// Why, or why not.
    pub why: String,
    /// What is to be said now, the newest first; it counts as delivered.
    pub nudges: Vec<NudgeView>,
    /// The beat.
    pub tick: TickView,
}

impl Operation for HeartbeatGate {
    const NAME: &'static str = "heartbeat_gate";
    const SUMMARY: &'static str = "Say whether a host should wake its agent now, and hand over what is to be said. For hosts that wake an agent by the clock.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/heartbeat/gate" };
    const TOOL: Option<Tool> = None;
    type Request = HeartRequest;
    type Reply = GateReply;

    fn run(context: &Context<'_>, request: HeartRequest) -> Result<GateReply, Failure> {
        let gate = context.access()?.heartbeat_gate(request.principal.as_deref())?;
        let tick = view(context, &gate.tick)?;
        let why = match (tick.acts, gate.wakes()) {
            (false, true) => "something said before waits to be told".to_owned(),
            _ => tick.reason.clone(),
        };
        Ok(GateReply {
            wake: gate.wakes(),
            why,
            nudges: gate.nudges.iter().map(NudgeView::from).collect(),
            tick,
        })
    }

    fn tell(reply: &GateReply) -> String {
        let word = if reply.wake { "wake" } else { "stay silent" };
        let nudges: Vec<String> = reply.nudges.iter().map(NudgeView::line).collect();
        format!("{word}: {}\n{}", reply.why, nudges.join("\n"))
    }
}
