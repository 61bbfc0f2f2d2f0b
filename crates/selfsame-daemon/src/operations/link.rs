//! neural_link_request_memory, neural_link_share_memory, neural_link_revoke, link_list, link_show: memory that one agent
//! gives another.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::id::LinkId;
use selfsame::key::Scope;
use selfsame::link::{Answer, LinkCard, LinkState, Side};
use serde::{Deserialize, Serialize};

/// Listed when the caller does not say.
const USUAL_LIMIT: u32 = 50;

/// A link, as this agent sees it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LinkView {
    /// `lnk_...`
    pub id: String,
    /// `receives` for the agent that asked, `gives` for the one that was asked.
    pub side: String,
    /// The agent on the other side.
    pub other: String,
    /// `requested`, `declined`, `expired`, `copying`, `accepted`, `falling` or `revoked`.
    pub state: String,
    /// When it was asked for.
    pub requested_at: String,
    /// Until when it may be answered.
    pub expires_at: String,
    /// When it was answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_at: Option<String>,
    /// Since when the receiver sees what came by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted_at: Option<String>,
    /// When it was declined, ran out, or was taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Whether the receiver may give on what came by it.
    pub onward: bool,
    /// Memories that were new to the receiver.
    pub copied: u64,
    /// Memories that the receiver knew.
    pub merged: u64,
}

impl From<&LinkCard> for LinkView {
    fn from(card: &LinkCard) -> LinkView {
        let link = &card.link;
        let shown = |time: Option<selfsame::time::Time>| time.map(|time| time.to_string());
        LinkView {
            id: link.id.to_string(),
            side: link.side.as_str().into(),
            other: card.other.clone(),
            state: link.state.as_str().into(),
            requested_at: link.requested_at.to_string(),
            expires_at: link.expires_at.to_string(),
            answered_at: shown(link.answered_at),
            accepted_at: shown(link.accepted_at),
            ended_at: shown(link.ended_at),
            onward: link.onward,
            copied: link.copied,
            merged: link.merged,
        }
    }
}

impl LinkView {
    /// In a few words.
    pub fn in_words(&self) -> String {
        let LinkView { id, other, state, copied, merged, .. } = self;
        let gives = self.side == Side::Gives.as_str();
        match LinkState::parse(state) {
            Some(LinkState::Requested) if gives => {
                format!("{other} asks for your memory until {} [{id}]", self.expires_at)
            }
            Some(LinkState::Requested) => format!("{other} may answer until {} [{id}]", self.expires_at),
            Some(LinkState::Accepted) => {
                let way = if gives { "given to" } else { "received from" };
                format!("{copied} memories {way} {other}, {merged} more were known already [{id}]")
            }
            _ if gives => format!("to {other}: {state} [{id}]"),
            _ => format!("from {other}: {state} [{id}]"),
        }
    }
}

const CHANGES: Tool = Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: true };
const LOOKS: Tool = Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true };

/// Asks another agent for its memory.
pub struct RequestMemory;

/// Whom.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestMemoryRequest {
    /// The agent that is asked: its name or `agt_...`
    pub target: String,
}

impl Operation for RequestMemory {
    const NAME: &'static str = "neural_link_request_memory";
    const SUMMARY: &'static str =
        "Ask another agent for its whole memory. It has two minutes to share it or to decline.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/links" };
    const TOOL: Option<Tool> = Some(CHANGES);
    type Request = RequestMemoryRequest;
    type Reply = LinkView;

    fn run(context: &Context<'_>, request: RequestMemoryRequest) -> Result<LinkView, Failure> {
        let key = context.idempotency()?;
        Ok((&context.access()?.link_request(&request.target, key.as_ref())?).into())
    }

    fn tell(reply: &LinkView) -> String {
        reply.in_words()
    }
}

/// Answers a request.
pub struct ShareMemory;

/// Which, and how.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShareMemoryRequest {
    /// The request: `lnk_...`
    pub request: String,
    /// `accept` (if not given) or `decline`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// Whether the other may give on what it receives; not, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_onward: Option<bool>,
}

/// What is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// All memories that are not private are copied to the other.
    Accept,
    /// Nothing is.
    Decline,
}

impl Operation for ShareMemory {
    const NAME: &'static str = "neural_link_share_memory";
    const SUMMARY: &'static str = "Answer another agent's request: copy all memories to it that are not private, or decline. \
         Soul, diary and conversations stay.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/links/{request}/answer" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = ShareMemoryRequest;
    type Reply = LinkView;

    fn run(context: &Context<'_>, request: ShareMemoryRequest) -> Result<LinkView, Failure> {
        let (id, key) = (id(&request.request)?, context.idempotency()?);
        let answer = match request.decision.unwrap_or(Decision::Accept) {
            Decision::Accept => Answer::Share { onward: request.allow_onward.unwrap_or(false) },
            Decision::Decline => Answer::Decline,
        };
        Ok((&context.access()?.link_answer(id, answer, key.as_ref())?).into())
    }

    fn tell(reply: &LinkView) -> String {
        reply.in_words()
    }
}

/// Takes back what was given.
pub struct RevokeLink;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RevokeLinkRequest {
    /// The link: `lnk_...`
    pub link: String,
}

impl Operation for RevokeLink {
    const NAME: &'static str = "neural_link_revoke";
    const SUMMARY: &'static str = "Take back what was shared: it disappears from the other agent, with all that was made of it or given on.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/links/{link}/revoke" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: true, idempotent: false });
    type Request = RevokeLinkRequest;
    type Reply = LinkView;

    fn run(context: &Context<'_>, request: RevokeLinkRequest) -> Result<LinkView, Failure> {
        let (id, key) = (id(&request.link)?, context.idempotency()?);
        Ok((&context.access()?.link_revoke(id, key.as_ref())?).into())
    }

    fn tell(reply: &LinkView) -> String {
        reply.in_words()
    }
}

/// Lists the links.
pub struct ListLinks;

/// Which, and how many.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListLinksRequest {
    /// Only requests that this agent can answer now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<bool>,
    /// Older than this one: `lnk_...`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Links, at most (1 to 1000; 50 if not given).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Links.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LinksReply {
    /// The newest first.
    pub links: Vec<LinkView>,
}

impl Operation for ListLinks {
    const NAME: &'static str = "link_list";
    const SUMMARY: &'static str =
        "List the neural links of this agent and what waits to be answered, the newest first.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/links" };
    const TOOL: Option<Tool> = Some(LOOKS);
    type Request = ListLinksRequest;
    type Reply = LinksReply;

    fn run(context: &Context<'_>, request: ListLinksRequest) -> Result<LinksReply, Failure> {
        let access = context.access()?;
        let cards = match request.pending.unwrap_or(false) {
            true => access.link_requests()?,
            false => {
                let before = request.before.as_deref().map(id).transpose()?;
                access.links(before, request.limit.unwrap_or(USUAL_LIMIT) as usize)?
            }
        };
        Ok(LinksReply { links: cards.iter().map(LinkView::from).collect() })
    }

    fn tell(reply: &LinksReply) -> String {
        let lines: Vec<String> = reply.links.iter().map(|link| format!("- {}", link.in_words())).collect();
        if lines.is_empty() { "There are no neural links.".into() } else { lines.join("\n") }
    }
}

/// Shows one link.
pub struct ShowLink;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowLinkRequest {
    /// The link: `lnk_...`
    pub link: String,
}

impl Operation for ShowLink {
    const NAME: &'static str = "link_show";
    const SUMMARY: &'static str = "Show one neural link.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/links/{link}" };
    const TOOL: Option<Tool> = None;
    type Request = ShowLinkRequest;
    type Reply = LinkView;

    fn run(context: &Context<'_>, request: ShowLinkRequest) -> Result<LinkView, Failure> {
        Ok((&context.access()?.link(id(&request.link)?)?).into())
    }

    fn tell(reply: &LinkView) -> String {
        reply.in_words()
    }
}

fn id(text: &str) -> Result<LinkId, Error> {
    Ok(text.parse()?)
}
