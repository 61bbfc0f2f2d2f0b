//! Whom and what an agent knows.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::params;
use selfsame_core::id::{AgentId, EntityId};
use selfsame_core::time::Time;

statements! {
    agent INSERT = "INSERT INTO entities (agent_id, id, kind, name, created_at) VALUES ($1, $2, $3, $4, $5)";
    agent EXISTS = "SELECT COUNT(*) FROM entities WHERE agent_id = $1 AND id = $2";
}

/// Adds an entity.
pub fn insert(
    writer: &mut Writer,
    agent: AgentId,
    id: EntityId,
    kind: &str,
    name: &str,
    now: Time,
) -> Result<()> {
    writer.execute(&INSERT, agent, params![id.id(), kind, name, now])?;
    Ok(())
}

/// Whether the agent knows it.
pub fn exists(reader: &mut Reader, agent: AgentId, id: EntityId) -> Result<bool> {
    let row = reader.row(&EXISTS, agent, params![id.id()])?;
    Ok(row.map(|row| row.fields().count()).transpose()?.is_some_and(|count| count > 0))
}
