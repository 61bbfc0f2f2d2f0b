//! Reflections, each with what it was made from.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::provenance::{self, counted_columns};
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::id::{AgentId, EpisodeId, Id, MemoryId, ReflectionId};
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
        AND item_kind = $3 ORDER BY item_id";
    agent OF_SOURCE = "SELECT reflection_id FROM reflection_sources WHERE agent_id = $1 AND item_kind = $2
        AND item_id = $3 ORDER BY reflection_id";
    agent DROP_SOURCES = "DELETE FROM reflection_sources WHERE agent_id = $1 AND reflection_id = $2";
    agent DELETE = "DELETE FROM reflections WHERE agent_id = $1 AND id = $2";
    agent BY_ID = concat!("SELECT ", columns!(), " FROM reflections WHERE agent_id = $1 AND id = $2");
    agent NEWEST = concat!("SELECT ", columns!(), " FROM reflections WHERE agent_id = $1 ORDER BY id DESC LIMIT $2");
    agent PAGE = concat!("SELECT ", columns!(), " FROM reflections WHERE agent_id = $1 AND id > $2
        ORDER BY id LIMIT $3");
}

/// A reflection with the memories it was made from.
const MEMORY: &str = "memory";
/// Or the episodes.
const EPISODE: &str = "episode";

/// Adds a reflection with the memories it was made from.
pub fn insert(writer: &mut Writer, row: &Kept<Reflection>, sources: &[MemoryId]) -> Result<()> {
    insert_with(writer, row, MEMORY, sources.iter().map(|id| id.id()))
}

/// Adds a reflection on episodes.
pub fn insert_on(writer: &mut Writer, row: &Kept<Reflection>, sources: &[EpisodeId]) -> Result<()> {
    insert_with(writer, row, EPISODE, sources.iter().map(|id| id.id()))
}

fn insert_with(
    writer: &mut Writer,
    row: &Kept<Reflection>,
    kind: &'static str,
    sources: impl Iterator<Item = Id>,
) -> Result<()> {
    let mut bound = params![row.id.id(), row.from, row.until, &row.content, row.created_at].to_vec();
    bound.extend(provenance::counted_sealed(row));
    writer.execute(&INSERT, row.agent, &bound)?;
    let rows: Vec<Vec<Value>> =
        sources.map(|source| vec![Value::Id(row.id.id()), kind.into(), Value::Id(source)]).collect();
    writer.insert_all(&ADD_SOURCES, row.agent, &rows).map(drop)
}

/// The memories that a reflection was made from.
pub fn sources(reader: &mut Reader, agent: AgentId, id: ReflectionId) -> Result<Vec<MemoryId>> {
    Ok(sources_of(reader, agent, id, MEMORY)?.into_iter().map(MemoryId::of).collect())
}

/// The episodes that a reflection looks back on.
pub fn episodes(reader: &mut Reader, agent: AgentId, id: ReflectionId) -> Result<Vec<EpisodeId>> {
    Ok(sources_of(reader, agent, id, EPISODE)?.into_iter().map(EpisodeId::of).collect())
}

fn sources_of(reader: &mut Reader, agent: AgentId, id: ReflectionId, kind: &str) -> Result<Vec<Id>> {
    let rows = reader.rows(&SOURCES, agent, params![id.id(), kind])?;
    rows.into_iter().map(|row| row.fields().id()).collect()
}

/// The reflections that look back on an episode, among others or on it alone.
pub fn of_episode(reader: &mut Reader, agent: AgentId, episode: EpisodeId) -> Result<Vec<ReflectionId>> {
    let rows = reader.rows(&OF_SOURCE, agent, params![EPISODE, episode.id()])?;
    rows.into_iter().map(|row| Ok(ReflectionId::of(row.fields().id()?))).collect()
}

/// The reflections that were made from a memory, among others or from it alone.
pub fn of_memory(reader: &mut Reader, agent: AgentId, memory: MemoryId) -> Result<Vec<ReflectionId>> {
    let rows = reader.rows(&OF_SOURCE, agent, params![MEMORY, memory.id()])?;
    rows.into_iter().map(|row| Ok(ReflectionId::of(row.fields().id()?))).collect()
}

/// Takes a reflection away. An erasure must be open.
pub fn delete(writer: &mut Writer, agent: AgentId, id: ReflectionId) -> Result<()> {
    for statement in [&DROP_SOURCES, &DELETE] {
        writer.execute(statement, agent, params![id.id()])?;
    }
    Ok(())
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
