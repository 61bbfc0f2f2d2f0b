//! status: where the mind stands.

use super::agent::NoRequest;
use super::{Context, Method, Operation, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::key::Scope;
use selfsame::status::{HeartCounts, ThinkingCounts};
use serde::{Deserialize, Serialize};

/// The operation.
pub struct GetStatus;

/// Where the mind stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatusReply {
    /// The program's version.
    pub version: String,
    /// SQLite or PostgreSQL, with its version.
    pub database: String,
    /// The schema's version.
    pub schema: i64,
    /// How recall finds things.
    pub recall: String,
    /// What turns texts into vectors, if anything does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelStatus>,
    /// Background duties.
    pub duties: DutyStatus,
    /// How far this machine's clock is from the database server's, in seconds; absent when they agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_skew_seconds: Option<u64>,
    /// The agents.
    pub agents: Vec<AgentStatus>,
}

/// What turns texts into vectors, and how far it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ModelStatus {
    /// Its name.
    pub name: String,
    /// Texts that it has read, of all agents.
    pub vectors: u64,
    /// Texts that it has not read yet: a duty is at it.
    pub pending: u64,
    /// Agents whose recall still looks among the vectors of another model.
    pub behind: u64,
    /// Bytes of vectors that are in memory.
    pub bytes: u64,
    /// Why it did not answer the last time, if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl From<selfsame::status::ModelStatus> for ModelStatus {
    fn from(status: selfsame::status::ModelStatus) -> ModelStatus {
        let selfsame::status::ModelStatus { name, vectors, pending, behind, bytes, trouble } = status;
        ModelStatus { name, vectors, pending, behind, bytes, trouble }
    }
}

/// Background duties, counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DutyStatus {
    /// All of them.
    pub all: u64,
    /// Behind their time.
    pub late: u64,
    /// Given up: `selfsame duty list` names them.
    pub dead: u64,
}

/// One agent in numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentStatus {
    /// Its name.
    pub name: String,
    /// How many memories it has.
    pub memories: u64,
    /// How many summaries stand for what was folded.
    #[serde(default)]
    pub summaries: u64,
    /// What it believes.
    pub beliefs: BeliefStatus,
    /// What is wrong with its heartbeat; absent when nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hearts: Option<HeartStatus>,
    /// What came to nothing of its thinking; absent when nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<ThinkingStatus>,
}

/// What came to nothing of an agent's thinking, counted: `selfsame work list` says why.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ThinkingStatus {
    /// Pieces of work of the last seven days that were given up.
    pub dead: u64,
    /// Pieces of work that wait for another day's budget.
    pub parked: u64,
}

impl ThinkingStatus {
    /// Nothing, if nothing came to nothing.
    pub fn of(counts: ThinkingCounts) -> Option<ThinkingStatus> {
        let ThinkingCounts { dead, parked } = counts;
        (!counts.is_well()).then_some(ThinkingStatus { dead, parked })
    }

    /// In words, with where to look.
    pub fn words(&self) -> String {
        let ThinkingStatus { dead, parked } = *self;
        ThinkingCounts { dead, parked }.words()
    }
}

/// What is wrong with an agent's hearts, counted: `selfsame heartbeat status` says more of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeartStatus {
    /// Principals for whom the heart could not beat the last time.
    pub failing: u64,
    /// Reminders of the last seven days that reached nobody.
    pub missed: u64,
}

impl HeartStatus {
    /// Nothing, if nothing is wrong.
    pub fn of(counts: HeartCounts) -> Option<HeartStatus> {
        let HeartCounts { failing, missed } = counts;
        (!counts.are_well()).then_some(HeartStatus { failing, missed })
    }

    /// In words, with what to do.
    pub fn words(&self) -> String {
        let HeartStatus { failing, missed } = *self;
        HeartCounts { failing, missed }.words()
    }
}

/// What is believed, counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BeliefStatus {
    /// Taken for current.
    pub active: u64,
    /// Not said for long.
    pub stale: u64,
    /// Of these, with another answer beside them that is not settled: `selfsame know conflicts` names them.
    pub contested: u64,
}

impl From<selfsame::status::AgentStatus> for AgentStatus {
    fn from(status: selfsame::status::AgentStatus) -> AgentStatus {
        let selfsame::status::AgentStatus { name, memories, summaries, beliefs, hearts, thinking } = status;
        let selfsame::status::BeliefCounts { active, stale, contested } = beliefs;
        let (beliefs, hearts) = (BeliefStatus { active, stale, contested }, HeartStatus::of(hearts));
        AgentStatus { name, memories, summaries, beliefs, hearts, thinking: ThinkingStatus::of(thinking) }
    }
}

impl Operation for GetStatus {
    const NAME: &'static str = "status";
    const SUMMARY: &'static str = "Where the mind stands: database, agents, how recall works.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/status" };
    const TOOL: Option<Tool> = None;
    type Request = NoRequest;
    type Reply = StatusReply;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<StatusReply, Failure> {
        let status = context.mind.status()?;
        Ok(StatusReply {
            version: status.version.to_owned(),
            database: format!("{} {}", status.engine.name(), status.engine_version),
            schema: status.schema,
            recall: status.recall.to_owned(),
            model: status.model.map(ModelStatus::from),
            duties: DutyStatus { all: status.duties.all, late: status.duties.late, dead: status.duties.dead },
            clock_skew_seconds: status.clock_skew.map(|skew| skew.as_secs()),
            agents: status.agents.into_iter().map(AgentStatus::from).collect(),
        })
    }

    fn tell(reply: &StatusReply) -> String {
        format!("selfsame {} on {}", reply.version, reply.database)
    }
}
