//! heartbeat status, set, mute, unmute, snooze, and pause and resume of the whole house.

use super::view::{HeartView, named, shown};
use crate::failure::Failure;
use crate::operations::agent::NoRequest;
use crate::operations::{Context, Method, Operation, Profile, Route, Tool};
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::heartbeat::{Autonomy, HeartCard, WishesChange};
use selfsame::key::Scope;
use selfsame::time::parse_duration;
use serde::{Deserialize, Serialize};

/// The word that goes back to what is set for everybody.
const DEFAULT: &str = "default";

/// Whose heartbeat.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeartRequest {
    /// For whom: a name or `pri_...`; who asks, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
}

fn view(context: &Context<'_>, card: &HeartCard) -> Result<HeartView, Failure> {
    let score = context.access()?.heartbeat_score(Some(&named(&card.principal)))?;
    Ok(HeartView::of(card, score))
}

/// How somebody is spoken to.
pub struct HeartbeatStatus;

impl Operation for HeartbeatStatus {
    const NAME: &'static str = "heartbeat_status";
    const SUMMARY: &'static str =
        "How a principal is spoken to unasked: autonomy, quiet hours, silence, and when it is looked next.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/heartbeat" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = HeartRequest;
    type Reply = HeartView;

    fn run(context: &Context<'_>, request: HeartRequest) -> Result<HeartView, Failure> {
        view(context, &context.access()?.heartbeat_status(request.principal.as_deref())?)
    }

    fn tell(reply: &HeartView) -> String {
        reply.line()
    }
}

/// Changes how somebody is spoken to.
pub struct HeartbeatSet;

/// What to change; what is not given stays. The word `default` goes back to what is set for everybody.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeartbeatSetRequest {
    /// For whom: a name or `pri_...`; who asks, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// observe (only the agent sees it), suggest (it waits on a list) or act (the agent is woken).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autonomy: Option<String>,
    /// Quiet hours by the principal's clock, such as 22:30-07:30.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet: Option<String>,
    /// Where nudges go: list, webhook, command, file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<String>>,
}

impl HeartbeatSetRequest {
    fn change(self) -> Result<WishesChange, Failure> {
        let own = |word: String| (word != DEFAULT).then_some(word);
        let autonomy = self.autonomy.map(|word| own(word).map(|word| Autonomy::parse(&word)).transpose());
        let channels = self.channels.map(|names| (names != [DEFAULT]).then_some(names));
        Ok(WishesChange {
            autonomy: autonomy.transpose().map_err(Error::from)?,
            quiet: self.quiet.map(own),
            channels,
        })
    }
}

impl Operation for HeartbeatSet {
    const NAME: &'static str = "heartbeat_set";
    const SUMMARY: &'static str =
        "Change how a principal is spoken to unasked. For the principal and the operator, not for the agent.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/heartbeat" };
    const TOOL: Option<Tool> = None;
    type Request = HeartbeatSetRequest;
    type Reply = HeartView;

    fn run(context: &Context<'_>, request: HeartbeatSetRequest) -> Result<HeartView, Failure> {
        let principal = request.principal.clone();
        let (change, key) = (request.change()?, context.idempotency()?);
        view(context, &context.access()?.heartbeat_set(principal.as_deref(), &change, key.as_ref())?)
    }

    fn tell(reply: &HeartView) -> String {
        reply.line()
    }
}

/// Says nothing more to somebody.
pub struct HeartbeatMute;

impl Operation for HeartbeatMute {
    const NAME: &'static str = "heartbeat_mute";
    const SUMMARY: &'static str =
        "Say nothing unasked to a principal until unmuted, critical deadlines included.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/heartbeat/mute" };
    const TOOL: Option<Tool> = None;
    type Request = HeartRequest;
    type Reply = HeartView;

    fn run(context: &Context<'_>, request: HeartRequest) -> Result<HeartView, Failure> {
        mute(context, &request, true)
    }

    fn tell(reply: &HeartView) -> String {
        reply.line()
    }
}

/// Speaks to somebody again.
pub struct HeartbeatUnmute;

impl Operation for HeartbeatUnmute {
    const NAME: &'static str = "heartbeat_unmute";
    const SUMMARY: &'static str = "End a principal's silence, muted or snoozed.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/heartbeat/unmute" };
    const TOOL: Option<Tool> = None;
    type Request = HeartRequest;
    type Reply = HeartView;

    fn run(context: &Context<'_>, request: HeartRequest) -> Result<HeartView, Failure> {
        mute(context, &request, false)
    }

    fn tell(reply: &HeartView) -> String {
        reply.line()
    }
}

fn mute(context: &Context<'_>, request: &HeartRequest, muted: bool) -> Result<HeartView, Failure> {
    let key = context.idempotency()?;
    view(context, &context.access()?.heartbeat_mute(request.principal.as_deref(), muted, key.as_ref())?)
}

/// Says nothing to somebody for a while.
pub struct HeartbeatSnooze;

/// For how long.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SnoozeRequest {
    /// For whom: a name or `pri_...`; who asks, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// How long, such as 2h; up to 30d.
    #[serde(rename = "for")]
    pub length: String,
}

impl Operation for HeartbeatSnooze {
    const NAME: &'static str = "heartbeat_snooze";
    const SUMMARY: &'static str =
        "Say nothing unasked to a principal for a while, critical deadlines included.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/heartbeat/snooze" };
    const TOOL: Option<Tool> = None;
    type Request = SnoozeRequest;
    type Reply = HeartView;

    fn run(context: &Context<'_>, request: SnoozeRequest) -> Result<HeartView, Failure> {
        let length = parse_duration(&request.length)
            .map_err(|error| Failure::bad_request("bad_duration", format!("for: {error}")))?;
        let key = context.idempotency()?;
        let whose = request.principal.as_deref();
        view(context, &context.access()?.heartbeat_snooze(whose, length, key.as_ref())?)
    }

    fn tell(reply: &HeartView) -> String {
        reply.line()
    }
}

/// Whether the house is silent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PauseReply {
    /// `paused` or `resumed`; `unchanged` if it was so already.
    pub outcome: String,
    /// Since when no heart speaks; absent: they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_since: Option<String>,
}

impl PauseReply {
    fn of(context: &Context<'_>, is_new: bool, outcome: &str) -> Result<PauseReply, Failure> {
        Ok(PauseReply {
            outcome: if is_new { outcome } else { "unchanged" }.into(),
            paused_since: shown(context.mind.heartbeat_paused_since()?),
        })
    }

    fn line(&self) -> String {
        match &self.paused_since {
            Some(since) => format!("no heart speaks, since {since}"),
            None => "hearts speak".into(),
        }
    }
}

/// Silences the whole house.
pub struct HeartbeatPause;

impl Operation for HeartbeatPause {
    const NAME: &'static str = "heartbeat_pause";
    const SUMMARY: &'static str =
        "Let no agent of the house say anything unasked until resumed, critical deadlines included.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/heartbeat/pause" };
    const TOOL: Option<Tool> = None;
    type Request = NoRequest;
    type Reply = PauseReply;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<PauseReply, Failure> {
        let is_new = context.mind.heartbeat_pause()?;
        PauseReply::of(context, is_new, "paused")
    }

    fn tell(reply: &PauseReply) -> String {
        reply.line()
    }
}

/// Lets the house speak again.
pub struct HeartbeatResume;

impl Operation for HeartbeatResume {
    const NAME: &'static str = "heartbeat_resume";
    const SUMMARY: &'static str = "Let the agents of the house speak again after a pause.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/heartbeat/resume" };
    const TOOL: Option<Tool> = None;
    type Request = NoRequest;
    type Reply = PauseReply;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<PauseReply, Failure> {
        let is_new = context.mind.heartbeat_resume()?;
        PauseReply::of(context, is_new, "resumed")
    }

    fn tell(reply: &PauseReply) -> String {
        reply.line()
    }
}
