//! entity add, list, show, alias, profile, merge: whom and what an agent knows.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::entity::{EntityKind, Known, NewEntity};
use selfsame::id::EntityId;
use selfsame::key::Scope;
use serde::{Deserialize, Serialize};

const WRITES: Option<Tool> =
    Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
const READS: Option<Tool> =
    Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });

/// Somebody or something that an agent knows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EntityView {
    /// `ent_...`
    pub id: String,
    /// person, organization, project, tool, place or agent.
    pub kind: String,
    /// Its first name.
    pub name: String,
    /// Its other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Who it is, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_summary: Option<String>,
    /// Who said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile_by: Option<String>,
    /// What that was derived from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profile_sources: Vec<String>,
    /// When it was first seen.
    pub first_seen_at: String,
    /// When it last spoke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<String>,
    /// The agent of this house that it is: `agt_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

impl From<&Known> for EntityView {
    fn from(known: &Known) -> EntityView {
        let entity = &known.entity;
        let profile = entity.profile.as_ref();
        EntityView {
            id: entity.id.to_string(),
            kind: entity.kind.as_str().to_owned(),
            name: entity.name.clone(),
            aliases: known.aliases.clone(),
            profile_summary: profile.map(|profile| profile.summary.clone()),
            profile_by: profile.map(|profile| profile.by.clone()),
            profile_sources: profile.map(|profile| profile.sources.clone()).unwrap_or_default(),
            first_seen_at: entity.created_at.to_string(),
            last_seen_at: entity.last_seen_at.map(|time| time.to_string()),
            agent: entity.agent_ref.map(|id| id.to_string()),
        }
    }
}

/// What became of an entity.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EntityReply {
    /// `ent_...`
    pub id: String,
    /// `named`, `profiled`, `merged` or `would_merge`
    pub outcome: String,
}

fn told(reply: &EntityReply) -> String {
    format!("{} {}", reply.outcome.replace('_', " "), reply.id)
}

fn outcome(id: EntityId, outcome: &str) -> EntityReply {
    EntityReply { id: id.to_string(), outcome: outcome.into() }
}

/// Makes an entity.
pub struct AddEntity;

/// An entity to be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddEntityRequest {
    /// Its first name.
    pub name: String,
    /// person (default), organization, project, tool, place or agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

/// The new entity.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AddEntityReply {
    /// `ent_...`
    pub id: String,
    /// Who else has one of its names: the same one, perhaps, and to be merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares_a_name_with: Vec<String>,
}

impl Operation for AddEntity {
    const NAME: &'static str = "entity_add";
    const SUMMARY: &'static str =
        "Make an entity: a person, organization, project, tool, place or agent to know.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/entities" };
    const TOOL: Option<Tool> = WRITES;
    type Request = AddEntityRequest;
    type Reply = AddEntityReply;

    fn run(context: &Context<'_>, request: AddEntityRequest) -> Result<AddEntityReply, Failure> {
        let kind = kind(request.kind.as_deref())?.unwrap_or(EntityKind::Person);
        let new = NewEntity { name: request.name, kind, aliases: request.aliases };
        let added = context.access()?.entity_add(&new, context.idempotency()?.as_ref())?;
        let others = added.shares_a_name_with.iter().map(ToString::to_string);
        Ok(AddEntityReply { id: added.id.to_string(), shares_a_name_with: others.collect() })
    }

    fn tell(reply: &AddEntityReply) -> String {
        match reply.shares_a_name_with.as_slice() {
            [] => format!("added {}", reply.id),
            others => format!("added {}, which shares a name with {}", reply.id, others.join(", ")),
        }
    }
}

fn kind(word: Option<&str>) -> Result<Option<EntityKind>, Error> {
    Ok(word.map(EntityKind::parse).transpose()?)
}

/// Lists the entities.
pub struct ListEntities;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListEntitiesRequest {
    /// Only of this kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Begin after this one: the `next` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Entities, at most (1 to 1000; 100 if not given).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A page of entities.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListEntitiesReply {
    /// First seen first.
    pub entities: Vec<EntityView>,
    /// Where the next page begins, if there may be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Operation for ListEntities {
    const NAME: &'static str = "entity_list";
    const SUMMARY: &'static str = "List whom and what the agent knows.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/entities" };
    const TOOL: Option<Tool> = READS;
    type Request = ListEntitiesRequest;
    type Reply = ListEntitiesReply;

    fn run(context: &Context<'_>, request: ListEntitiesRequest) -> Result<ListEntitiesReply, Failure> {
        let after = request.after.map(|id| id.parse()).transpose().map_err(Error::from)?;
        let limit = request.limit.unwrap_or(100) as usize;
        let page = context.access()?.entity_list(kind(request.kind.as_deref())?, after, limit)?;
        let next = page.last().filter(|_| page.len() == limit).map(|last| last.entity.id.to_string());
        Ok(ListEntitiesReply { entities: page.iter().map(EntityView::from).collect(), next })
    }

    fn tell(reply: &ListEntitiesReply) -> String {
        let lines =
            reply.entities.iter().map(|entity| format!("{} ({}) {}", entity.name, entity.kind, entity.id));
        match reply.entities.is_empty() {
            true => "nobody is known yet".into(),
            false => lines.collect::<Vec<_>>().join("\n"),
        }
    }
}

/// Shows an entity.
pub struct ShowEntity;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowEntityRequest {
    /// `ent_...`, a name or an alias.
    pub entity: String,
}

/// An entity with what is known of it at once.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EntityCardView {
    /// The entity.
    #[serde(flatten)]
    pub entity: EntityView,
    /// Ids of entities that were merged into it; they still name it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former_ids: Vec<String>,
    /// Memories that name it.
    pub memories: u64,
    /// Messages that name it.
    pub messages: u64,
}

impl Operation for ShowEntity {
    const NAME: &'static str = "entity_show";
    const SUMMARY: &'static str =
        "Show one entity, by id, name or alias: its names, its profile, how often it is named.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/entities/{entity}" };
    const TOOL: Option<Tool> = READS;
    type Request = ShowEntityRequest;
    type Reply = EntityCardView;

    fn run(context: &Context<'_>, request: ShowEntityRequest) -> Result<EntityCardView, Failure> {
        let card = context.access()?.entity_show(&request.entity)?;
        Ok(EntityCardView {
            entity: (&card.known).into(),
            former_ids: card.former_ids.iter().map(ToString::to_string).collect(),
            memories: card.memories,
            messages: card.messages,
        })
    }

    fn tell(reply: &EntityCardView) -> String {
        let entity = &reply.entity;
        let profile = entity.profile_summary.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
        format!("{} ({}) {}{profile}", entity.name, entity.kind, entity.id)
    }
}

/// Gives an entity another name.
pub struct NameEntity;

/// Which, and how.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NameEntityRequest {
    /// `ent_...`, a name or an alias.
    pub entity: String,
    /// The other name.
    pub alias: String,
}

impl Operation for NameEntity {
    const NAME: &'static str = "entity_alias";
    const SUMMARY: &'static str = "Give an entity another name by which it is found and recognised.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/entities/{entity}/aliases" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: true });
    type Request = NameEntityRequest;
    type Reply = EntityReply;

    fn run(context: &Context<'_>, request: NameEntityRequest) -> Result<EntityReply, Failure> {
        let key = context.idempotency()?;
        let id = context.access()?.entity_alias(&request.entity, &request.alias, key.as_ref())?;
        Ok(outcome(id, "named"))
    }

    fn tell(reply: &EntityReply) -> String {
        told(reply)
    }
}

/// Says who an entity is.
pub struct ProfileEntity;

/// Which, and what.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileEntityRequest {
    /// `ent_...`, a name or an alias.
    pub entity: String,
    /// Who or what it is, in a few words; in the place of what was said before.
    pub text: String,
    /// If the words were derived: the memories and messages that they were made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
}

impl Operation for ProfileEntity {
    const NAME: &'static str = "entity_profile";
    const SUMMARY: &'static str =
        "Say who an entity is, in a few words; name the sources if they were derived.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/entities/{entity}/profile" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: true, idempotent: true });
    type Request = ProfileEntityRequest;
    type Reply = EntityReply;

    fn run(context: &Context<'_>, request: ProfileEntityRequest) -> Result<EntityReply, Failure> {
        let ProfileEntityRequest { entity, text, sources } = request;
        let key = context.idempotency()?;
        let id = context.access()?.entity_profile(&entity, &text, &sources, key.as_ref())?;
        Ok(outcome(id, "profiled"))
    }

    fn tell(reply: &EntityReply) -> String {
        told(reply)
    }
}

/// Merges two entities.
pub struct MergeEntities;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeEntitiesRequest {
    /// The one that goes on as a name of the other: `ent_...`, a name or an alias.
    pub from: String,
    /// The one that stays.
    pub into: String,
    /// Only look whether it can be done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl Operation for MergeEntities {
    const NAME: &'static str = "entity_merge";
    const SUMMARY: &'static str =
        "Two entities are one: the old id and its names go on as names of the other. Cannot be undone.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/merge-entities" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: true, idempotent: false });
    type Request = MergeEntitiesRequest;
    type Reply = EntityReply;

    fn run(context: &Context<'_>, request: MergeEntitiesRequest) -> Result<EntityReply, Failure> {
        let MergeEntitiesRequest { from, into, dry_run } = request;
        let access = context.access()?;
        if dry_run {
            return Ok(outcome(access.entity_merge_preview(&from, &into)?.1.id, "would_merge"));
        }
        let id = access.entity_merge(&from, &into, context.idempotency()?.as_ref())?;
        Ok(outcome(id, "merged"))
    }

    fn tell(reply: &EntityReply) -> String {
        told(reply)
    }
}
