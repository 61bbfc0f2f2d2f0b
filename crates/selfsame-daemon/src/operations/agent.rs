//! agent create, list, show, set: administration.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::wire::{AgentCardView, AgentView};
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::key::Scope;
use serde::{Deserialize, Serialize};

/// Makes an agent.
pub struct CreateAgent;

/// An agent to be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateAgentRequest {
    /// Its name: letters, digits, `-`, `_`, `.`
    pub name: String,
    /// IANA zone of its days; the configured one if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// One of the family, which thinks as often as `contemplation.family_every` says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub family: bool,
}

impl Operation for CreateAgent {
    const NAME: &'static str = "agent_create";
    const SUMMARY: &'static str = "Make an agent, with an operator to serve.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents" };
    const TOOL: Option<Tool> = None;
    type Request = CreateAgentRequest;
    type Reply = AgentView;

    fn run(context: &Context<'_>, request: CreateAgentRequest) -> Result<AgentView, Failure> {
        let (name, zone) = (request.name.as_str(), request.zone.as_deref());
        let agent = match request.family {
            true => context.mind.create_family_agent(name, zone)?,
            false => context.mind.create_agent(name, zone)?,
        };
        Ok((&agent).into())
    }

    fn tell(reply: &AgentView) -> String {
        format!("made agent {} ({})", reply.name, reply.id)
    }
}

/// Lists the agents.
pub struct ListAgents;

/// Nothing to say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoRequest {}

/// The agents, by name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListAgentsReply {
    /// All of them.
    pub agents: Vec<AgentView>,
}

impl Operation for ListAgents {
    const NAME: &'static str = "agent_list";
    const SUMMARY: &'static str = "List the agents.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents" };
    const TOOL: Option<Tool> = None;
    type Request = NoRequest;
    type Reply = ListAgentsReply;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<ListAgentsReply, Failure> {
        Ok(ListAgentsReply { agents: context.mind.agents()?.iter().map(AgentView::from).collect() })
    }

    fn tell(reply: &ListAgentsReply) -> String {
        reply.agents.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// Shows one agent.
pub struct ShowAgent;

impl Operation for ShowAgent {
    const NAME: &'static str = "agent_show";
    const SUMMARY: &'static str = "Show one agent: whom it serves and how much it remembers.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}" };
    const TOOL: Option<Tool> = None;
    type Request = NoRequest;
    type Reply = AgentCardView;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<AgentCardView, Failure> {
        let agent = context.access()?.agent().id.to_string();
        Ok((&context.mind.agent_card(&agent)?).into())
    }

    fn tell(reply: &AgentCardView) -> String {
        format!("{}: {} memories", reply.agent.name, reply.memories)
    }
}

/// Changes an agent.
pub struct SetAgent;

/// What is to be different.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetAgentRequest {
    /// Whether it is one of the family, which thinks as often as `contemplation.family_every` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<bool>,
    /// Where it lives: elsewhere it does not take care of itself. Empty: nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SetAgentReply {
    /// `agt_...`
    pub id: String,
    /// `changed` or `unchanged`
    pub outcome: String,
}

impl Operation for SetAgent {
    const NAME: &'static str = "agent_set";
    const SUMMARY: &'static str =
        "Say whether an agent is one of the family, or where it lives. For its operator.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}" };
    const TOOL: Option<Tool> = None;
    type Request = SetAgentRequest;
    type Reply = SetAgentReply;

    fn run(context: &Context<'_>, request: SetAgentRequest) -> Result<SetAgentReply, Failure> {
        let access = context.access()?;
        let key = context.idempotency()?;
        let changed = match (request.family, &request.home) {
            (Some(family), None) => access.set_family(family, key.as_ref())?.changed,
            (None, Some(home)) => access.set_home(home, key.as_ref())?.changed,
            // A key stands for one change: with both, it is that of the first.
            (Some(family), Some(home)) => {
                let moved = access.set_home(home, None)?.changed;
                access.set_family(family, key.as_ref())?.changed || moved
            }
            (None, None) => {
                return Err(Error::Unfit("family or home: say what is to be different".into()).into());
            }
        };
        Ok(SetAgentReply { id: access.agent().id.to_string(), outcome: outcome(changed).into() })
    }

    fn tell(reply: &SetAgentReply) -> String {
        format!("{} {}", reply.outcome, reply.id)
    }
}

/// Goes to a place.
pub struct MoveAgent;

/// Where to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveAgentRequest {
    /// The place, in your own words.
    pub place: String,
}

impl Operation for MoveAgent {
    const NAME: &'static str = "agent_move";
    const SUMMARY: &'static str =
        "Go to a place. If you have a home, you take care of yourself there and nowhere else.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/move" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: true });
    type Request = MoveAgentRequest;
    type Reply = SetAgentReply;

    fn run(context: &Context<'_>, request: MoveAgentRequest) -> Result<SetAgentReply, Failure> {
        let access = context.access()?;
        let moved = access.move_to(&request.place, context.idempotency()?.as_ref())?;
        Ok(SetAgentReply { id: access.agent().id.to_string(), outcome: outcome(moved.changed).into() })
    }

    fn tell(reply: &SetAgentReply) -> String {
        format!("{} {}", reply.outcome, reply.id)
    }
}

/// Whether anything is different now, in a word.
pub(super) const fn outcome(changed: bool) -> &'static str {
    if changed { "changed" } else { "unchanged" }
}
