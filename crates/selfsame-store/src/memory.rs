//! Memories: stored with their seal, read through it.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::provenance;
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::id::{AgentId, EntityId, MemoryId, PrincipalId};
use selfsame_core::memory::{Memory, StoredMemory, tags_json};
use selfsame_core::text::ANALYSER_VERSION;

macro_rules! columns {
    () => {
        "id, content, memory_type, entity_id, importance, tags, expires_at, created_at, author, source_ref, \
         principal_id, private, trust, state, pinned, updated_at, row_hash"
    };
}

statements! {
    agent INSERT = "INSERT INTO memory_items (agent_id, id, content, memory_type, entity_id, importance, tags,
            expires_at, created_at, author, source_ref, principal_id, private, trust, state, pinned, updated_at,
            row_hash, content_hash, analyser)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)";
    agent BY_ID = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND id = $2");
    agent BY_IDS = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND id IN ({list})");
    agent PAGE = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND id > $2
        ORDER BY id LIMIT $3");
    agent COUNT = "SELECT COUNT(*) FROM memory_items WHERE agent_id = $1";
    agent DELETE = "DELETE FROM memory_items WHERE agent_id = $1 AND id = $2";
}

/// Adds a memory.
pub fn insert(writer: &mut Writer, memory: &Memory) -> Result<()> {
    let provenance = &memory.provenance;
    writer.execute(
        &INSERT,
        memory.agent,
        params![
            memory.id.id(),
            &memory.content,
            memory.kind.as_str(),
            memory.entity.map(EntityId::id),
            memory.importance,
            Value::Json(tags_json(&memory.tags)),
            memory.expires_at,
            memory.created_at,
            provenance.author().as_str(),
            provenance.source(),
            provenance.principal_id().map(PrincipalId::id),
            provenance.is_private(),
            provenance.trust().value(),
            memory.state.as_str(),
            memory.pinned,
            memory.updated_at,
            memory.seal().bytes(),
            &memory.content_hash(),
            ANALYSER_VERSION,
        ],
    )?;
    Ok(())
}

/// One memory, whole; damaged ones are an error.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: MemoryId) -> Result<Option<Memory>> {
    let Some(row) = reader.row(&BY_ID, agent, params![id.id()])? else {
        return Ok(None);
    };
    Ok(Some(Memory::restore(stored(agent, row)?)?))
}

/// What of the asked-for is there, in no order; a damaged one comes as the error that it is.
pub fn by_ids(reader: &mut Reader, agent: AgentId, ids: &[MemoryId]) -> Result<Vec<Result<Memory>>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(id.id())).collect();
    let rows = reader.rows_in(&BY_IDS, agent, &[], &list)?;
    Ok(rows.into_iter().map(|row| believed(agent, row)).collect())
}

/// The next memories after `after`, in the order of their ids.
pub fn page(reader: &mut Reader, agent: AgentId, after: MemoryId, limit: i64) -> Result<Vec<Result<Memory>>> {
    let rows = reader.rows(&PAGE, agent, params![after.id(), limit])?;
    Ok(rows.into_iter().map(|row| believed(agent, row)).collect())
}

/// How many the agent has.
pub fn count(reader: &mut Reader, agent: AgentId) -> Result<u64> {
    reader.row(&COUNT, agent, &[])?.map_or(Ok(0), |row| row.fields().count())
}

/// Removes a memory. The schema refuses unless an erasure is open.
pub fn delete(writer: &mut Writer, agent: AgentId, id: MemoryId) -> Result<bool> {
    Ok(writer.execute(&DELETE, agent, params![id.id()])? > 0)
}

fn believed(agent: AgentId, row: Row) -> Result<Memory> {
    Ok(Memory::restore(stored(agent, row)?)?)
}

fn stored(agent: AgentId, row: Row) -> Result<StoredMemory> {
    let mut fields = row.fields();
    let id = MemoryId::of(fields.id()?);
    let content = fields.text()?;
    let kind = fields.text()?;
    let entity = fields.opt_id()?.map(EntityId::of);
    let importance = fields.real()?;
    let tags = fields.json()?;
    let expires_at = fields.opt_time()?;
    let created_at = fields.time()?;
    let provenance = provenance::stored(&mut fields)?;
    let state = fields.text()?;
    let pinned = fields.bool()?;
    let updated_at = fields.time()?;
    let row_hash = fields.bytes()?;
    Ok(StoredMemory {
        id,
        agent,
        content,
        kind,
        entity,
        importance,
        tags,
        expires_at,
        created_at,
        provenance,
        state,
        pinned,
        updated_at,
        row_hash,
    })
}
