//! How an agent stands to whom it has met, and how that came to be.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::provenance::{believed, provenance_columns, sealed};
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::id::{AgentId, ChangeId, EntityId};
use selfsame_core::kept::Kept;
use selfsame_core::relationship::{Change, Standing};
use selfsame_core::time::Time;

macro_rules! columns {
    () => {
        "entity_id, relationship_type, trust_level, emotional_tone, rationale, relationship_notes, interaction_count, \
         first_met_at, last_met_at, updated_at"
    };
}

macro_rules! history_columns {
    () => {
        concat!(
            "id, entity_id, old_type, old_trust, old_tone, new_type, new_trust, new_tone, rationale, created_at, ",
            provenance_columns!(),
            ", row_hash"
        )
    };
}

statements! {
    agent INSERT = "INSERT INTO relationships (agent_id, entity_id, relationship_type, trust_level, emotional_tone,
            rationale, relationship_notes, interaction_count, first_met_at, last_met_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    agent OF = concat!("SELECT ", columns!(), " FROM relationships WHERE agent_id = $1 AND entity_id IN ({list})");
    agent PAGE = concat!("SELECT ", columns!(), " FROM relationships WHERE agent_id = $1 AND entity_id > $2
        ORDER BY entity_id LIMIT $3");
    agent ASSIGN = "UPDATE relationships SET relationship_type = $3, trust_level = $4, emotional_tone = $5,
            rationale = $6, relationship_notes = $7, updated_at = $8
        WHERE agent_id = $1 AND entity_id = $2";
    agent MET = "UPDATE relationships SET last_met_at = $3
        WHERE agent_id = $1 AND entity_id = $2 AND last_met_at < $3";
    agent SET_COUNT = "UPDATE relationships SET interaction_count = $3 WHERE agent_id = $1 AND entity_id = $2";
    agent APPEND = concat!("INSERT INTO relationship_history (agent_id, ", history_columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)");
    agent HISTORY = concat!("SELECT ", history_columns!(), " FROM relationship_history
        WHERE agent_id = $1 AND entity_id IN ({list}) ORDER BY id");
    agent HISTORY_PAGE = concat!("SELECT ", history_columns!(), " FROM relationship_history
        WHERE agent_id = $1 AND id > $2 ORDER BY id LIMIT $3");
}

/// How the agent stands to somebody.
#[derive(Clone, PartialEq, Debug)]
pub struct Relationship {
    /// To whom.
    pub entity: EntityId,
    /// How.
    pub standing: Standing,
    /// Why, as last said.
    pub rationale: String,
    /// Whatever else is kept of it.
    pub notes: Option<String>,
    /// Conversations in which both spoke.
    pub interactions: i64,
    /// When they met.
    pub first_met_at: Time,
    /// When they last met.
    pub last_met_at: Time,
    /// When the agent last changed it.
    pub updated_at: Time,
}

/// Adds a relationship.
pub fn insert(writer: &mut Writer, agent: AgentId, relationship: &Relationship) -> Result<()> {
    let Relationship { entity, standing, rationale, notes, interactions, .. } = relationship;
    writer.execute(
        &INSERT,
        agent,
        params![
            entity.id(),
            &standing.kind,
            standing.trust,
            standing.tone.as_deref(),
            rationale,
            notes.as_deref(),
            *interactions,
            relationship.first_met_at,
            relationship.last_met_at,
            relationship.updated_at,
        ],
    )?;
    Ok(())
}

/// The relationships with these, in the order of their ids.
pub fn of(reader: &mut Reader, agent: AgentId, entities: &[EntityId]) -> Result<Vec<Relationship>> {
    let rows = reader.rows_in(&OF, agent, &[], &ids(entities))?;
    let mut found = rows.into_iter().map(relationship).collect::<Result<Vec<_>>>()?;
    found.sort_by_key(|relationship| relationship.entity);
    Ok(found)
}

/// The next relationships after `after`, in the order of the entities' ids.
pub fn page(reader: &mut Reader, agent: AgentId, after: EntityId, limit: i64) -> Result<Vec<Relationship>> {
    reader.rows(&PAGE, agent, params![after.id(), limit])?.into_iter().map(relationship).collect()
}

/// Stores how the agent stands to somebody from now on.
pub fn assign(writer: &mut Writer, agent: AgentId, relationship: &Relationship) -> Result<()> {
    let Relationship { entity, standing, rationale, notes, updated_at, .. } = relationship;
    let (tone, notes) = (standing.tone.as_deref(), notes.as_deref());
    writer.execute(
        &ASSIGN,
        agent,
        params![entity.id(), &standing.kind, standing.trust, tone, rationale, notes, *updated_at],
    )?;
    Ok(())
}

/// They met again.
pub fn met(writer: &mut Writer, agent: AgentId, entity: EntityId, at: Time) -> Result<()> {
    writer.execute(&MET, agent, params![entity.id(), at])?;
    Ok(())
}

/// Stores in how many conversations both spoke.
pub fn set_count(writer: &mut Writer, agent: AgentId, entity: EntityId, interactions: i64) -> Result<()> {
    writer.execute(&SET_COUNT, agent, params![entity.id(), interactions])?;
    Ok(())
}

/// Adds to the history.
pub fn append(writer: &mut Writer, change: &Kept<Change>) -> Result<()> {
    let old = change.old.as_ref();
    let mut bound = params![
        change.id.id(),
        change.entity.id(),
        old.map(|old| old.kind.as_str()),
        old.map(|old| old.trust),
        old.and_then(|old| old.tone.as_deref()),
        &change.new.kind,
        change.new.trust,
        change.new.tone.as_deref(),
        &change.rationale,
        change.created_at,
    ]
    .to_vec();
    bound.extend(sealed(change));
    writer.execute(&APPEND, change.agent, &bound)?;
    Ok(())
}

/// What became of the relationships with these, oldest first; a damaged change comes as the error that it is.
pub fn history(
    reader: &mut Reader,
    agent: AgentId,
    entities: &[EntityId],
) -> Result<Vec<Result<Kept<Change>>>> {
    let rows = reader.rows_in(&HISTORY, agent, &[], &ids(entities))?;
    Ok(rows.into_iter().map(|row| change(agent, row)).collect())
}

/// The next changes after `after`, in the order of their ids.
pub fn history_page(
    reader: &mut Reader,
    agent: AgentId,
    after: ChangeId,
    limit: i64,
) -> Result<Vec<Result<Kept<Change>>>> {
    let rows = reader.rows(&HISTORY_PAGE, agent, params![after.id(), limit])?;
    Ok(rows.into_iter().map(|row| change(agent, row)).collect())
}

fn ids(entities: &[EntityId]) -> Vec<Value> {
    entities.iter().map(|entity| Value::Id(entity.id())).collect()
}

fn relationship(row: Row) -> Result<Relationship> {
    let mut fields = row.fields();
    Ok(Relationship {
        entity: EntityId::of(fields.id()?),
        standing: Standing { kind: fields.text()?, trust: fields.real()?, tone: fields.opt_text()? },
        rationale: fields.text()?,
        notes: fields.opt_text()?,
        interactions: fields.int()?,
        first_met_at: fields.time()?,
        last_met_at: fields.time()?,
        updated_at: fields.time()?,
    })
}

fn change(agent: AgentId, row: Row) -> Result<Kept<Change>> {
    let mut fields = row.fields();
    let id = ChangeId::of(fields.id()?);
    let entity = EntityId::of(fields.id()?);
    let (old_kind, old_trust, old_tone) = (fields.opt_text()?, fields.opt_real()?, fields.opt_text()?);
    let old = old_kind.map(|kind| Standing { kind, trust: old_trust.unwrap_or_default(), tone: old_tone });
    let new = Standing { kind: fields.text()?, trust: fields.real()?, tone: fields.opt_text()? };
    let change =
        Change { id, agent, entity, old, new, rationale: fields.text()?, created_at: fields.time()? };
    believed(change, &mut fields)
}
