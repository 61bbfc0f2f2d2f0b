//! Whom and what an agent knows, with their names.
//!
//! A merged entity keeps its row and points to the one that it is part of; that one has its names. Nothing points
//! twice: who was merged into the merged one is pointed on.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::entity::{EntityKind, name_key};
use selfsame_core::id::{AgentId, EntityId};
use selfsame_core::time::Time;
use std::collections::BTreeMap;

macro_rules! columns {
    () => {
        "id, kind, name, created_at, agent_ref, profile_summary, profile_by, profile_sources, last_seen_at, merged_into"
    };
}

statements! {
    agent INSERT = "INSERT INTO entities (agent_id, id, kind, name, created_at, agent_ref, heard_at)
        VALUES ($1, $2, $3, $4, $5, $6, $5)";
    agent EXISTS = "SELECT COUNT(*) FROM entities WHERE agent_id = $1 AND id = $2";
    agent BY_IDS = concat!("SELECT ", columns!(), " FROM entities WHERE agent_id = $1 AND id IN ({list})");
    agent BY_AGENT = concat!("SELECT ", columns!(), " FROM entities WHERE agent_id = $1 AND agent_ref = $2
        ORDER BY id");
    agent PAGE = concat!("SELECT ", columns!(), " FROM entities
        WHERE agent_id = $1 AND merged_into IS NULL AND id > $2 ORDER BY id LIMIT $3");
    agent PAGE_OF_KIND = concat!("SELECT ", columns!(), " FROM entities
        WHERE agent_id = $1 AND merged_into IS NULL AND id > $2 AND kind = $4 ORDER BY id LIMIT $3");
    agent MERGED_INTO = "SELECT id FROM entities WHERE agent_id = $1 AND merged_into = $2 ORDER BY id";
    agent SEEN = "UPDATE entities SET last_seen_at = $3,
            heard_at = CASE WHEN heard_at > $3 THEN heard_at ELSE $3 END
        WHERE agent_id = $1 AND id = $2 AND COALESCE(last_seen_at, $3) <= $3";
    agent HEARD = "UPDATE entities SET heard_at = $2 WHERE agent_id = $1 AND COALESCE(heard_at, $2) <= $2
        AND id IN ({list})";
    agent HEARD_AT = "SELECT heard_at FROM entities WHERE agent_id = $1 AND id = $2";
    agent SET_PROFILE = "UPDATE entities SET profile_summary = $3, profile_by = $4, profile_sources = $5
        WHERE agent_id = $1 AND id = $2";
    agent RENAME = "UPDATE entities SET name = $3 WHERE agent_id = $1 AND id = $2";
    agent SET_AGENT = "UPDATE entities SET agent_ref = $3 WHERE agent_id = $1 AND id = $2";
    agent MERGE = "UPDATE entities SET merged_into = $3 WHERE agent_id = $1 AND id = $2";
    agent POINT_ON = "UPDATE entities SET merged_into = $3 WHERE agent_id = $1 AND merged_into = $2";
    agent ADD_NAME = "INSERT INTO entity_names (agent_id, name_key, entity_id, name, created_at)
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT (agent_id, name_key, entity_id) DO NOTHING";
    agent NAMES = "SELECT entity_id, name, created_at FROM entity_names WHERE agent_id = $1 AND entity_id IN ({list})
        ORDER BY created_at, name_key";
    agent UNNAMED = "SELECT id FROM entities WHERE agent_id = $1 AND agent_ref IS NULL AND profile_summary IS NULL
            AND last_seen_at IS NULL AND merged_into IS NULL
            AND id NOT IN (SELECT entity_id FROM principals WHERE agent_id = $1)
            AND id NOT IN (SELECT entity_id FROM mentions WHERE agent_id = $1)
            AND id NOT IN (SELECT entity_id FROM relationships WHERE agent_id = $1)
            AND id NOT IN (SELECT entity_id FROM conversation_participants WHERE agent_id = $1)
            AND id NOT IN (SELECT entity_id FROM memory_items WHERE agent_id = $1 AND entity_id IS NOT NULL)
            AND id NOT IN (SELECT entity_id FROM observation_evidence WHERE agent_id = $1 AND entity_id IS NOT NULL)
            AND id NOT IN (SELECT merged_into FROM entities WHERE agent_id = $1 AND merged_into IS NOT NULL)
            AND id NOT IN (SELECT subject_id FROM events WHERE agent_id = $1 AND subject_kind = 'entity')
        ORDER BY id";
    agent DELETE = "DELETE FROM entities WHERE agent_id = $1 AND id = $2";
    agent DROP_NAMES = "DELETE FROM entity_names WHERE agent_id = $1 AND entity_id = $2";
    agent BY_KEYS = "SELECT name_key, entity_id FROM entity_names WHERE agent_id = $1 AND name_key IN ({list})
        ORDER BY name_key, entity_id";
}

/// Somebody or something that an agent knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entity {
    /// Its id.
    pub id: EntityId,
    /// What it is.
    pub kind: EntityKind,
    /// Its first name; others are aliases.
    pub name: String,
    /// When it was first seen.
    pub created_at: Time,
    /// The agent that it is, if it is one of this house.
    pub agent_ref: Option<AgentId>,
    /// Who it is, in a few words.
    pub profile: Option<Profile>,
    /// When it last spoke.
    pub last_seen_at: Option<Time>,
    /// The entity that it turned out to be.
    pub merged_into: Option<EntityId>,
}

/// Who somebody is, in a few words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// The words.
    pub summary: String,
    /// Who set it.
    pub by: String,
    /// The ids of what it was derived from.
    pub sources: Vec<String>,
}

/// Adds an entity with its name.
pub fn insert(
    writer: &mut Writer,
    agent: AgentId,
    id: EntityId,
    kind: &str,
    name: &str,
    now: Time,
) -> Result<()> {
    insert_row(writer, agent, id, kind, name, now, None)
}

/// Adds the entity that stands for another agent of the house.
pub fn insert_agent(
    writer: &mut Writer,
    agent: AgentId,
    id: EntityId,
    other: AgentId,
    name: &str,
    now: Time,
) -> Result<()> {
    insert_row(writer, agent, id, EntityKind::Agent.as_str(), name, now, Some(other))
}

fn insert_row(
    writer: &mut Writer,
    agent: AgentId,
    id: EntityId,
    kind: &str,
    name: &str,
    now: Time,
    stands_for: Option<AgentId>,
) -> Result<()> {
    writer.execute(&INSERT, agent, params![id.id(), kind, name, now, stands_for.map(AgentId::id)])?;
    add_name(writer, agent, id, name, now)
}

/// Those that nobody added, met, named or spoke of: they were read out of something that may be gone. Goes through the log: few
/// ask for it.
pub fn unnamed(reader: &mut Reader, agent: AgentId) -> Result<Vec<EntityId>> {
    let rows = reader.rows(&UNNAMED, agent, &[])?;
    rows.into_iter().map(|row| Ok(EntityId::of(row.fields().id()?))).collect()
}

/// Takes an entity away with its names.
pub fn delete(writer: &mut Writer, agent: AgentId, id: EntityId) -> Result<()> {
    writer.execute(&DROP_NAMES, agent, params![id.id()])?;
    writer.execute(&DELETE, agent, params![id.id()]).map(drop)
}

/// Whether the agent knows it.
pub fn exists(reader: &mut Reader, agent: AgentId, id: EntityId) -> Result<bool> {
    let row = reader.row(&EXISTS, agent, params![id.id()])?;
    Ok(row.map(|row| row.fields().count()).transpose()?.is_some_and(|count| count > 0))
}

/// What of the asked-for is there, as it is, in the order of the ids.
pub fn by_ids(reader: &mut Reader, agent: AgentId, ids: &[EntityId]) -> Result<Vec<Entity>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(id.id())).collect();
    let rows = reader.rows_in(&BY_IDS, agent, &[], &list)?;
    let mut found = rows.into_iter().map(entity).collect::<Result<Vec<_>>>()?;
    found.sort_by_key(|entity| entity.id);
    Ok(found)
}

/// Who it is today: itself, or what it was merged into.
pub fn survivor(reader: &mut Reader, agent: AgentId, id: EntityId) -> Result<Option<Entity>> {
    let found = by_ids(reader, agent, &[id])?.into_iter().next();
    match found {
        Some(Entity { merged_into: Some(other), .. }) => {
            Ok(by_ids(reader, agent, &[other])?.into_iter().next())
        }
        found => Ok(found),
    }
}

/// The entity that stands for another agent of the house, if they have met.
pub fn of_agent(reader: &mut Reader, agent: AgentId, other: AgentId) -> Result<Option<Entity>> {
    match reader.row(&BY_AGENT, agent, params![other.id()])?.map(entity).transpose()? {
        Some(found) => survivor(reader, agent, found.id),
        None => Ok(None),
    }
}

/// Everybody who has one of these names, by the key of the name.
pub fn by_name_keys(
    reader: &mut Reader,
    agent: AgentId,
    keys: &[&str],
) -> Result<BTreeMap<String, Vec<EntityId>>> {
    let list: Vec<Value> = keys.iter().map(|key| Value::from(*key)).collect();
    let mut found: BTreeMap<String, Vec<EntityId>> = BTreeMap::new();
    for row in reader.rows_in(&BY_KEYS, agent, &[], &list)? {
        let mut fields = row.fields();
        found.entry(fields.text()?).or_default().push(EntityId::of(fields.id()?));
    }
    Ok(found)
}

/// The next entities after `after` that are still themselves, first seen first.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    kind: Option<EntityKind>,
    after: EntityId,
    limit: i64,
) -> Result<Vec<Entity>> {
    let rows = match kind {
        Some(kind) => reader.rows(&PAGE_OF_KIND, agent, params![after.id(), limit, kind.as_str()])?,
        None => reader.rows(&PAGE, agent, params![after.id(), limit])?,
    };
    rows.into_iter().map(entity).collect()
}

/// The names of entities, the oldest first.
pub fn names(
    reader: &mut Reader,
    agent: AgentId,
    ids: &[EntityId],
) -> Result<BTreeMap<EntityId, Vec<(String, Time)>>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(id.id())).collect();
    let mut found: BTreeMap<EntityId, Vec<(String, Time)>> = BTreeMap::new();
    for row in reader.rows_in(&NAMES, agent, &[], &list)? {
        let mut fields = row.fields();
        let id = EntityId::of(fields.id()?);
        found.entry(id).or_default().push((fields.text()?, fields.time()?));
    }
    Ok(found)
}

/// An entity and all that were merged into it: whose rows count as its own.
pub fn family(reader: &mut Reader, agent: AgentId, id: EntityId) -> Result<Vec<EntityId>> {
    let rows = reader.rows(&MERGED_INTO, agent, params![id.id()])?;
    let merged = rows.into_iter().map(|row| Ok(EntityId::of(row.fields().id()?)));
    std::iter::once(Ok(id)).chain(merged).collect()
}

/// One name more.
pub fn add_name(writer: &mut Writer, agent: AgentId, id: EntityId, name: &str, now: Time) -> Result<()> {
    writer.execute(&ADD_NAME, agent, params![name_key(name), id.id(), name, now])?;
    Ok(())
}

/// Another first name; the old one stays as an alias.
pub fn rename(writer: &mut Writer, agent: AgentId, id: EntityId, name: &str, now: Time) -> Result<()> {
    writer.execute(&RENAME, agent, params![id.id(), name])?;
    add_name(writer, agent, id, name, now)
}

/// It was there at this moment.
pub fn seen(writer: &mut Writer, agent: AgentId, id: EntityId, at: Time) -> Result<()> {
    writer.execute(&SEEN, agent, params![id.id(), at])?;
    Ok(())
}

/// They were spoken of at this moment, or spoke.
pub fn heard(writer: &mut Writer, agent: AgentId, ids: &[EntityId], at: Time) -> Result<()> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(id.id())).collect();
    writer.execute_in(&HEARD, agent, params![at], &list).map(drop)
}

fn heard_at(reader: &mut Reader, agent: AgentId, id: EntityId) -> Result<Option<Time>> {
    reader.row(&HEARD_AT, agent, params![id.id()])?.map_or(Ok(None), |row| row.fields().opt_time())
}

/// Says who it is.
pub fn set_profile(writer: &mut Writer, agent: AgentId, id: EntityId, profile: &Profile) -> Result<()> {
    let sources = Value::Json(selfsame_core::json::canonical(&profile.sources.clone().into()));
    writer.execute(&SET_PROFILE, agent, params![id.id(), &profile.summary, &profile.by, sources])?;
    Ok(())
}

/// The first goes on as a name of the second.
pub fn merge(writer: &mut Writer, agent: AgentId, from: &Entity, into: &Entity) -> Result<()> {
    writer.execute(&MERGE, agent, params![from.id.id(), into.id.id()])?;
    writer.execute(&POINT_ON, agent, params![from.id.id(), into.id.id()])?;
    for (name, at) in names(writer, agent, &[from.id])?.remove(&from.id).unwrap_or_default() {
        add_name(writer, agent, into.id, &name, at)?;
    }
    writer.execute(&DROP_NAMES, agent, params![from.id.id()])?;
    if let (Some(other), None) = (from.agent_ref, into.agent_ref) {
        writer.execute(&SET_AGENT, agent, params![into.id.id(), other.id()])?;
    }
    if let Some(at) = heard_at(writer, agent, from.id)? {
        heard(writer, agent, &[into.id], at)?;
    }
    match from.last_seen_at {
        Some(at) => seen(writer, agent, into.id, at),
        None => Ok(()),
    }
}

fn entity(row: Row) -> Result<Entity> {
    let damaged = |what: &str| StoreError::Damaged(format!("an entity's {what} cannot be read"));
    let mut fields = row.fields();
    let id = EntityId::of(fields.id()?);
    let kind = EntityKind::parse(&fields.text()?).map_err(|_| damaged("kind"))?;
    let name = fields.text()?;
    let created_at = fields.time()?;
    let agent_ref = fields.opt_id()?.map(AgentId::of);
    let (summary, by, sources) = (fields.opt_text()?, fields.opt_text()?, fields.opt_json()?);
    let sources = serde_json::from_str(sources.as_deref().unwrap_or("[]")).map_err(|_| damaged("sources"))?;
    let profile = summary.map(|summary| Profile { summary, by: by.unwrap_or_default(), sources });
    let last_seen_at = fields.opt_time()?;
    let merged_into = fields.opt_id()?.map(EntityId::of);
    Ok(Entity { id, kind, name, created_at, agent_ref, profile, last_seen_at, merged_into })
}
