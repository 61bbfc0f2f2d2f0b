//! Reflections, each with what it was made from.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::provenance::{self, counted_columns};
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::id::{AgentId, MemoryId, ReflectionId};
use selfsame_core::kept::Kept;
use selfsame_core::reflection::Reflection;

macro_rules! columns {
    () => {
        concat!("id, from_at, until_at, content, created_at, ", counted_columns!(), ", row_hash")
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO reflections (agent_id, ", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)");
    agent ADD_SOURCES = "INSERT INTO reflection_sources (agent_id, reflection_id, item_kind, item_id)
        VALUES {rows: $1, ?, ?, ?}";
    agent SOURCES = "SELECT item_id FROM reflection_sources WHERE agent_id = $1 AND reflection_id = $2
        AND item_kind = 'memory' ORDER BY item_id";
    agent BY_ID = concat!("SELECT ", columns!(), " FROM reflections WHERE agent_id = $1 AND id = $2");
    agent NEWEST = concat!("SELECT ", columns!(), " FROM reflections WHERE agent_id = $1 ORDER BY id DESC LIMIT $2");
    agent PAGE = concat!("SELECT ", columns!(), " FROM reflections WHERE agent_id = $1 AND id > $2
        ORDER BY id LIMIT $3");
}

/// Adds a reflection with the memories it was made from.
pub fn insert(writer: &mut Writer, row: &Kept<Reflection>, sources: &[MemoryId]) -> Result<()> {
    let mut bound = params![row.id.id(), row.from, row.until, &row.content, row.created_at].to_vec();
    bound.extend(provenance::counted_sealed(row));
    writer.execute(&INSERT, row.agent, &bound)?;
    let source = |memory: &MemoryId| vec![Value::Id(row.id.id()), "memory".into(), Value::Id(memory.id())];
    writer.insert_all(&ADD_SOURCES, row.agent, &sources.iter().map(source).collect::<Vec<_>>())?;
    Ok(())
}

/// The memories that a reflection was made from.
pub fn sources(reader: &mut Reader, agent: AgentId, id: ReflectionId) -> Result<Vec<MemoryId>> {
    let rows = reader.rows(&SOURCES, agent, params![id.id()])?;
    rows.into_iter().map(|row| Ok(MemoryId::of(row.fields().id()?))).collect()
}

/// One reflection.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: ReflectionId) -> Result<Option<Kept<Reflection>>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(|row| believed(agent, row)).transpose()
}

/// The newest first; a damaged one comes as the error that it is.
pub fn newest(reader: &mut Reader, agent: AgentId, limit: i64) -> Result<Vec<Result<Kept<Reflection>>>> {
    let rows = reader.rows(&NEWEST, agent, params![limit])?;
    Ok(rows.into_iter().map(|row| believed(agent, row)).collect())
}

/// The next after `after`, in the order of their ids; a damaged one comes as the error that it is.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    after: ReflectionId,
    limit: i64,
) -> Result<Vec<Result<Kept<Reflection>>>> {
    let rows = reader.rows(&PAGE, agent, params![after.id(), limit])?;
    Ok(rows.into_iter().map(|row| believed(agent, row)).collect())
}

fn believed(agent: AgentId, row: Row) -> Result<Kept<Reflection>> {
    let mut fields = row.fields();
    let reflection = Reflection {
        id: ReflectionId::of(fields.id()?),
        agent,
        from: fields.time()?,
        until: fields.time()?,
        content: fields.text()?,
        created_at: fields.time()?,
    };
    provenance::counted_believed(reflection, &mut fields)
}
