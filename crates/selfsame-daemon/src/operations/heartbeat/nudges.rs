//! nudges (fetch), nudge list, answer and dismiss: what was said unasked.

use super::view::NudgeView;
use crate::failure::Failure;
use crate::operations::{Context, Method, Operation, Profile, Route, Tool};
use crate::wire::PrincipalView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::heartbeat::{NudgeCard, NudgePage};
use selfsame::id::NudgeId;
use selfsame::key::Scope;
use serde::{Deserialize, Serialize};

/// Given when the caller does not say.
const USUAL_LIMIT: u32 = 20;

/// Some nudges.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NudgesReply {
    /// For whom.
    pub principal: PrincipalView,
    /// The newest first.
    pub nudges: Vec<NudgeView>,
}

impl From<&NudgePage> for NudgesReply {
    fn from(page: &NudgePage) -> NudgesReply {
        NudgesReply {
            principal: (&page.principal).into(),
            nudges: page.nudges.iter().map(NudgeView::from).collect(),
        }
    }
}

impl NudgesReply {
    fn text(&self) -> String {
        if self.nudges.is_empty() {
            return "There is nothing to say.".into();
        }
        self.nudges.iter().map(NudgeView::line).collect::<Vec<_>>().join("\n")
    }
}

/// Fetches what is to be said.
pub struct FetchNudges;

/// For whom.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FetchNudgesRequest {
    /// For whom: a name or `pri_...`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// 1 to 200; 20 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

impl Operation for FetchNudges {
    const NAME: &'static str = "nudges";
    const SUMMARY: &'static str = "Fetch what the heartbeat found worth saying: reminders, deadlines, suggestions. Fetched is delivered: tell them.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/nudges/fetch" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Core, read_only: false, destructive: false, idempotent: true });
    type Request = FetchNudgesRequest;
    type Reply = NudgesReply;

    fn run(context: &Context<'_>, request: FetchNudgesRequest) -> Result<NudgesReply, Failure> {
        let limit = request.limit.unwrap_or(USUAL_LIMIT) as usize;
        Ok((&context.access()?.fetch_nudges(request.principal.as_deref(), limit)?).into())
    }

    fn tell(reply: &NudgesReply) -> String {
        reply.text()
    }
}

/// Lists nudges.
pub struct ListNudges;

/// Which nudges.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ListNudgesRequest {
    /// For whom: a name or `pri_...`; who asks, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// Also those that are over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// Only those before this one: `nud_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// How many, at most (1 to 200; 20 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

impl Operation for ListNudges {
    const NAME: &'static str = "nudge_list";
    const SUMMARY: &'static str =
        "List what was said to a principal unasked, the newest first. Nothing changes.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/nudges" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = ListNudgesRequest;
    type Reply = NudgesReply;

    fn run(context: &Context<'_>, request: ListNudgesRequest) -> Result<NudgesReply, Failure> {
        let ListNudgesRequest { principal, all, before, limit } = request;
        let before = before.map(|id| self::id(&id)).transpose()?;
        let limit = limit.unwrap_or(USUAL_LIMIT) as usize;
        Ok((&context.access()?.nudges(principal.as_deref(), all, before, limit)?).into())
    }

    fn tell(reply: &NudgesReply) -> String {
        reply.text()
    }
}

/// Answers a nudge.
pub struct AnswerNudge;

/// Which, and with what.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerNudgeRequest {
    /// `nud_...`
    pub id: String,
    /// What the principal said, in a few words, or the message: `msg_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

impl Operation for AnswerNudge {
    const NAME: &'static str = "nudge_answer";
    const SUMMARY: &'static str = "Note that the principal answered a nudge.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/nudges/{id}/answer" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = AnswerNudgeRequest;
    type Reply = NudgeView;

    fn run(context: &Context<'_>, request: AnswerNudgeRequest) -> Result<NudgeView, Failure> {
        let (id, key) = (id(&request.id)?, context.idempotency()?);
        let card: NudgeCard = context.access()?.nudge_answer(id, request.answer.as_deref(), key.as_ref())?;
        Ok((&card).into())
    }

    fn tell(reply: &NudgeView) -> String {
        format!("{} is {}", reply.id, reply.state)
    }
}

/// Waves a nudge away.
pub struct DismissNudge;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DismissNudgeRequest {
    /// `nud_...`
    pub id: String,
}

impl Operation for DismissNudge {
    const NAME: &'static str = "nudge_dismiss";
    const SUMMARY: &'static str = "Note that the principal waved a nudge away. It counts as no answer.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/nudges/{id}/dismiss" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = DismissNudgeRequest;
    type Reply = NudgeView;

    fn run(context: &Context<'_>, request: DismissNudgeRequest) -> Result<NudgeView, Failure> {
        let (id, key) = (id(&request.id)?, context.idempotency()?);
        Ok((&context.access()?.nudge_dismiss(id, key.as_ref())?).into())
    }

    fn tell(reply: &NudgeView) -> String {
        format!("{} is {}", reply.id, reply.state)
    }
}

fn id(text: &str) -> Result<NudgeId, Error> {
    Ok(text.parse()?)
}
