//! assign_relationship, relationship list, show: how the agent stands to whom it has met.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::wire::ProvenanceView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::key::Scope;
use selfsame::relationship::{Assignment, Related, RelationshipCard};
use serde::{Deserialize, Serialize};

const READS: Option<Tool> =
    Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });

/// How the agent stands to somebody.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RelationshipView {
    /// To whom: `ent_...`
    pub entity: String,
    /// Its name.
    pub name: String,
    /// ally, rival, mentor, neutral, ...: an open set.
    pub relationship_type: String,
    /// -1 to 1.
    pub trust_level: f64,
    /// In a word or two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emotional_tone: Option<String>,
    /// Why, as last said.
    pub rationale: String,
    /// Whatever else is kept of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relationship_notes: Option<String>,
    /// Conversations in which both spoke.
    pub interaction_count: i64,
    /// When they met.
    pub first_met_at: String,
    /// When they last met.
    pub last_met_at: String,
}

impl From<&Related> for RelationshipView {
    fn from(related: &Related) -> RelationshipView {
        let relationship = &related.relationship;
        RelationshipView {
            entity: related.entity.id.to_string(),
            name: related.entity.name.clone(),
            relationship_type: relationship.standing.kind.clone(),
            trust_level: relationship.standing.trust,
            emotional_tone: relationship.standing.tone.clone(),
            rationale: relationship.rationale.clone(),
            relationship_notes: relationship.notes.clone(),
            interaction_count: relationship.interactions,
            first_met_at: relationship.first_met_at.to_string(),
            last_met_at: relationship.last_met_at.to_string(),
        }
    }
}

/// Assigns a relationship.
pub struct AssignRelationship;

/// How the agent stands to somebody from now on. What is not given stays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AssignRelationshipRequest {
    /// To whom: `ent_...`, a name, an alias, or another agent's name.
    pub entity: String,
    /// ally, rival, mentor, romantic_partner, neutral, ...: your own word.
    pub relationship_type: String,
    /// -1 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust_level: Option<f64>,
    /// In a word or two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emotional_tone: Option<String>,
    /// Why. Kept with the change for good.
    pub rationale: String,
    /// Whatever else is to be kept of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AssignRelationshipReply {
    /// To whom: `ent_...`
    pub entity: String,
    /// The change, in the history: `chg_...`
    pub change: String,
}

impl Operation for AssignRelationship {
    const NAME: &'static str = "assign_relationship";
    const SUMMARY: &'static str =
        "Say how you stand to somebody you have met: type, trust, tone, and why. Only the agent itself may.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/relationships" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = AssignRelationshipRequest;
    type Reply = AssignRelationshipReply;

    fn run(
        context: &Context<'_>,
        request: AssignRelationshipRequest,
    ) -> Result<AssignRelationshipReply, Failure> {
        let assignment = Assignment {
            kind: request.relationship_type,
            trust: request.trust_level,
            tone: request.emotional_tone,
            rationale: request.rationale,
            notes: request.notes,
        };
        let key = context.idempotency()?;
        let assigned = context.access()?.assign_relationship(&request.entity, &assignment, key.as_ref())?;
        Ok(AssignRelationshipReply {
            entity: assigned.entity.to_string(),
            change: assigned.change.to_string(),
        })
    }

    fn tell(reply: &AssignRelationshipReply) -> String {
        format!("assigned {} ({})", reply.entity, reply.change)
    }
}

/// Lists the relationships.
pub struct ListRelationships;

/// From where.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListRelationshipsRequest {
    /// Begin after this entity: the `next` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Relationships, at most (1 to 1000; 100 if not given).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A page of relationships.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListRelationshipsReply {
    /// In the order in which the agent came to know them.
    pub relationships: Vec<RelationshipView>,
    /// Where the next page begins, if there may be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Operation for ListRelationships {
    const NAME: &'static str = "relationship_list";
    const SUMMARY: &'static str = "List how the agent stands to everybody whom it has met.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/relationships" };
    const TOOL: Option<Tool> = READS;
    type Request = ListRelationshipsRequest;
    type Reply = ListRelationshipsReply;

    fn run(
        context: &Context<'_>,
        request: ListRelationshipsRequest,
    ) -> Result<ListRelationshipsReply, Failure> {
        let after = request.after.map(|id| id.parse()).transpose().map_err(Error::from)?;
        let limit = request.limit.unwrap_or(100) as usize;
        let page = context.access()?.relationship_list(after, limit)?;
        let next = page.last().filter(|_| page.len() == limit).map(|last| last.entity.id.to_string());
        Ok(ListRelationshipsReply { relationships: page.iter().map(RelationshipView::from).collect(), next })
    }

    fn tell(reply: &ListRelationshipsReply) -> String {
        let lines = reply.relationships.iter().map(|one| {
            format!("{}: {}, trust {} ({})", one.name, one.relationship_type, one.trust_level, one.entity)
        });
        match reply.relationships.is_empty() {
            true => "nobody was met yet".into(),
            false => lines.collect::<Vec<_>>().join("\n"),
        }
    }
}

/// Shows a relationship.
pub struct ShowRelationship;

/// With whom.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowRelationshipRequest {
    /// `ent_...`, a name, an alias, or another agent's name.
    pub entity: String,
}

/// A relationship and how it came to be.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RelationshipCardView {
    /// How it is.
    #[serde(flatten)]
    pub relationship: RelationshipView,
    /// How it came to be, oldest first.
    pub history: Vec<ChangeView>,
    /// Changes that were left out because they are damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
}

/// One change.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangeView {
    /// `chg_...`
    pub id: String,
    /// When.
    pub at: String,
    /// The type before; absent when they met.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_type: Option<String>,
    /// The type after.
    pub new_type: String,
    /// The trust before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_trust: Option<f64>,
    /// The trust after.
    pub new_trust: f64,
    /// The tone before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_tone: Option<String>,
    /// The tone after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_tone: Option<String>,
    /// Why.
    pub rationale: String,
    /// Who.
    #[serde(flatten)]
    pub provenance: ProvenanceView,
}

impl Operation for ShowRelationship {
    const NAME: &'static str = "relationship_show";
    const SUMMARY: &'static str = "Show how the agent stands to somebody, and how that came to be.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/relationships/{entity}" };
    const TOOL: Option<Tool> = READS;
    type Request = ShowRelationshipRequest;
    type Reply = RelationshipCardView;

    fn run(context: &Context<'_>, request: ShowRelationshipRequest) -> Result<RelationshipCardView, Failure> {
        Ok(card(&context.access()?.relationship_show(&request.entity)?))
    }

    fn tell(reply: &RelationshipCardView) -> String {
        let one = &reply.relationship;
        format!(
            "{}: {}, trust {}, because {}",
            one.name, one.relationship_type, one.trust_level, one.rationale
        )
    }
}

fn card(card: &RelationshipCard) -> RelationshipCardView {
    let changes = card.history.iter().map(|change| {
        let old = change.old.as_ref();
        ChangeView {
            id: change.id.to_string(),
            at: change.created_at.to_string(),
            old_type: old.map(|old| old.kind.clone()),
            new_type: change.new.kind.clone(),
            old_trust: old.map(|old| old.trust),
            new_trust: change.new.trust,
            old_tone: old.and_then(|old| old.tone.clone()),
            new_tone: change.new.tone.clone(),
            rationale: change.rationale.clone(),
            provenance: (&change.provenance).into(),
        }
    });
    RelationshipCardView {
        relationship: (&card.related).into(),
        history: changes.collect(),
        damaged: card.damaged.iter().map(ToString::to_string).collect(),
    }
}
