//! Questions with two answers, neither of which has won.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::id::{AgentId, ConflictId, ObservationId};
use selfsame_core::time::Time;

statements! {
    agent RAISE = "INSERT INTO knowledge_conflicts (agent_id, id, observation_id, rival, raised_at)
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT (agent_id, observation_id, rival) WHERE settled_at IS NULL DO NOTHING";
    agent SETTLE = "UPDATE knowledge_conflicts SET settled_at = $3, settled_how = $4
        WHERE agent_id = $1 AND observation_id = $2 AND settled_at IS NULL";
    agent OPEN = "SELECT id, observation_id, rival, raised_at, settled_at, settled_how FROM knowledge_conflicts
        WHERE agent_id = $1 AND settled_at IS NULL ORDER BY id DESC LIMIT $2";
    agent ALL = "SELECT id, observation_id, rival, raised_at, settled_at, settled_how FROM knowledge_conflicts
        WHERE agent_id = $1 ORDER BY id DESC LIMIT $2";
    agent OF = "SELECT id, observation_id, rival, raised_at, settled_at, settled_how FROM knowledge_conflicts
        WHERE agent_id = $1 AND observation_id = $2 ORDER BY id";
    agent OF_ALL = "SELECT id, observation_id, rival, raised_at, settled_at, settled_how FROM knowledge_conflicts
        WHERE agent_id = $1 AND observation_id IN ({list})";
    agent CONTESTED = "SELECT COUNT(DISTINCT observation_id) FROM knowledge_conflicts
        WHERE agent_id = $1 AND settled_at IS NULL";
}

/// Two sides of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// Its id.
    pub id: ConflictId,
    /// What is believed.
    pub observation: ObservationId,
    /// What speaks against it: another value, or its own where it is only denied.
    pub rival: String,
    /// Since when.
    pub raised_at: Time,
    /// When it was settled.
    pub settled_at: Option<Time>,
    /// How, in a word of ours.
    pub settled_how: Option<String>,
}

/// Raises a conflict, unless the same one is open.
pub fn raise(writer: &mut Writer, agent: AgentId, conflict: &Conflict) -> Result<bool> {
    let Conflict { id, observation, rival, raised_at, .. } = conflict;
    Ok(writer.execute(&RAISE, agent, params![id.id(), observation.id(), rival, *raised_at])? > 0)
}

/// Settles whatever is open about an observation.
pub fn settle(
    writer: &mut Writer,
    agent: AgentId,
    observation: ObservationId,
    how: &str,
    now: Time,
) -> Result<()> {
    writer.execute(&SETTLE, agent, params![observation.id(), now, how])?;
    Ok(())
}

/// The newest, open ones only or all.
pub fn newest(reader: &mut Reader, agent: AgentId, only_open: bool, limit: i64) -> Result<Vec<Conflict>> {
    let statement = if only_open { &OPEN } else { &ALL };
    reader.rows(statement, agent, params![limit])?.into_iter().map(conflict).collect()
}

/// Those about an observation, the first first.
pub fn of(reader: &mut Reader, agent: AgentId, observation: ObservationId) -> Result<Vec<Conflict>> {
    reader.rows(&OF, agent, params![observation.id()])?.into_iter().map(conflict).collect()
}

/// How many observations have another answer beside them.
pub fn contested(reader: &mut Reader, agent: AgentId) -> Result<u64> {
    reader.row(&CONTESTED, agent, &[])?.map_or(Ok(0), |row| row.fields().count())
}

/// Those about several observations, in no order.
pub fn of_all(reader: &mut Reader, agent: AgentId, observations: &[ObservationId]) -> Result<Vec<Conflict>> {
    let list: Vec<Value> = observations.iter().map(|id| Value::Id(id.id())).collect();
    reader.rows_in(&OF_ALL, agent, &[], &list)?.into_iter().map(conflict).collect()
}

fn conflict(row: Row) -> Result<Conflict> {
    let mut fields = row.fields();
    Ok(Conflict {
        id: ConflictId::of(fields.id()?),
        observation: ObservationId::of(fields.id()?),
        rival: fields.text()?,
        raised_at: fields.time()?,
        settled_at: fields.opt_time()?,
        settled_how: fields.opt_text()?,
    })
}
