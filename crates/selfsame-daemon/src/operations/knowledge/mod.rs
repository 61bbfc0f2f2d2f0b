//! What is believed and why: observations, why, feedback, conflicts, retract, consolidate, slots.

mod judge;
mod slots;
mod view;
mod why;

pub use judge::{
    FallenView, GiveFeedback, GiveFeedbackReply, GiveFeedbackRequest, Retract, RetractReply, RetractRequest,
};
pub use slots::{SlotView, Slots, SlotsReply, SlotsRequest};
pub(crate) use view::rounded;
pub use view::{ChangeView, ConflictView, ObservationView};
pub use why::{ConfidencePartView, ConfidenceView, EvidenceView, Why, WhyReply, WhyRequest};

use super::agent::NoRequest;
use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::key::Scope;
use selfsame::knowledge::{BeliefQuery, Consolidated, ObservationKind};
use serde::{Deserialize, Serialize};

/// Lists what is believed.
pub struct Observations;

/// Which beliefs.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ObservationsRequest {
    /// Of whom or what: a name, an id, `self` or `world`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// operator_preference, project_state, tooling_state, relationship_fact, self_model or world_fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The question that is answered, such as `database` or `employer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// As it was believed on this date or at this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// With what was believed before and is no more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub history: bool,
    /// Beliefs to pass over: how many the pages before had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u32>,
    /// How many, at most (1 to 200; 20 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// What is believed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ObservationsReply {
    /// The surest first; what is believed no more comes last.
    pub observations: Vec<ObservationView>,
    /// What was left out because it is damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
}

impl Operation for Observations {
    const NAME: &'static str = "observations";
    const SUMMARY: &'static str = "List what is believed about somebody or something, the surest first, with how sure and how \
         current it is and how many sources speak for and against it.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/observations" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Core, read_only: true, destructive: false, idempotent: true });
    type Request = ObservationsRequest;
    type Reply = ObservationsReply;

    fn run(context: &Context<'_>, request: ObservationsRequest) -> Result<ObservationsReply, Failure> {
        let access = context.access()?;
        let defaults = BeliefQuery::default();
        let query = BeliefQuery {
            about: request.about,
            kind: request.kind.map(|kind| ObservationKind::parse(&kind)).transpose().map_err(Error::from)?,
            slot: request.slot,
            as_of: request.as_of.map(|written| access.until(&written)).transpose()?,
            history: request.history,
            offset: request.offset.unwrap_or(0) as usize,
            limit: request.limit.map_or(defaults.limit, |limit| limit as usize),
        };
        let told = access.know(&query)?;
        let observations = told.beliefs.iter().map(ObservationView::from).collect();
        Ok(ObservationsReply { observations, damaged: told.damaged })
    }

    fn tell(reply: &ObservationsReply) -> String {
        if reply.observations.is_empty() {
            return "Nothing is believed about that.".into();
        }
        reply.observations.iter().map(ObservationView::line).collect::<Vec<_>>().join("\n")
    }
}

/// Lists questions with two answers.
pub struct Conflicts;

/// Which of them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ConflictsRequest {
    /// With those that were settled.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub settled: bool,
    /// How many, at most (1 to 200; 20 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Questions with two answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConflictsReply {
    /// The newest first.
    pub conflicts: Vec<ConflictView>,
}

impl Operation for Conflicts {
    const NAME: &'static str = "conflicts";
    const SUMMARY: &'static str =
        "List questions to which two answers were given and neither has won: ask somebody who knows.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/conflicts" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = ConflictsRequest;
    type Reply = ConflictsReply;

    fn run(context: &Context<'_>, request: ConflictsRequest) -> Result<ConflictsReply, Failure> {
        let limit = request.limit.unwrap_or(20) as usize;
        let conflicts = context.access()?.conflicts(request.settled, limit)?;
        let view = |both: &selfsame::knowledge::Conflicting| ConflictView::of(&both.conflict, &both.belief);
        Ok(ConflictsReply { conflicts: conflicts.iter().map(view).collect() })
    }

    fn tell(reply: &ConflictsReply) -> String {
        if reply.conflicts.is_empty() {
            return "Nothing is in conflict.".into();
        }
        reply.conflicts.iter().map(ConflictView::line).collect::<Vec<_>>().join("\n")
    }
}

/// Reads what was stored and not read yet.
pub struct ConsolidateNow;

/// What was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConsolidateReply {
    /// Events of the log that were read.
    pub read: u64,
    /// Claims that were found.
    pub claims: u64,
    /// Beliefs that were formed.
    pub created: u64,
    /// Claims that agreed with what was believed.
    pub reinforced: u64,
    /// Beliefs that took the place of others.
    pub superseded: u64,
    /// Claims that spoke against what is believed.
    pub contended: u64,
    /// Beliefs that were given up.
    pub given_up: u64,
}

impl Operation for ConsolidateNow {
    const NAME: &'static str = "consolidate";
    const SUMMARY: &'static str =
        "Read what was stored and make beliefs of it, now. It happens by itself a moment after every write.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/consolidate" };
    const TOOL: Option<Tool> = None;
    type Request = NoRequest;
    type Reply = ConsolidateReply;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<ConsolidateReply, Failure> {
        let Consolidated { read, claims, created, reinforced, superseded, contended, given_up, more: _ } =
            context.access()?.consolidate()?;
        Ok(ConsolidateReply { read, claims, created, reinforced, superseded, contended, given_up })
    }

    fn tell(reply: &ConsolidateReply) -> String {
        format!(
            "{} claims read: {} beliefs formed, {} reinforced, {} superseded, {} contended, {} given up",
            reply.claims, reply.created, reply.reinforced, reply.superseded, reply.contended, reply.given_up
        )
    }
}
