//! Where the deadlines of memories stand on their ladders.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::{Row, params};
use selfsame_core::heartbeat::{Promise, Rung};
use selfsame_core::id::{AgentId, MemoryId, PrincipalId};
use selfsame_core::time::Time;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT memory_id, serves_id, due_at, told, next_rung_at, ended_at, outcome FROM deadlines
             WHERE agent_id = $1 AND ",
            $rest
        )
    };
}

statements! {
    agent INSERT = "INSERT INTO deadlines (agent_id, memory_id, serves_id, due_at, told, next_rung_at)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (agent_id, memory_id) DO NOTHING";
    agent BY_MEMORY = select!("memory_id = $2");
    agent REACHED = select!("serves_id = $2 AND next_rung_at <= $3 ORDER BY next_rung_at, memory_id");
    agent TOLD = "UPDATE deadlines SET told = $3, next_rung_at = $4
        WHERE agent_id = $1 AND memory_id = $2 AND ended_at IS NULL";
    agent WAIT = "UPDATE deadlines SET next_rung_at = $3
        WHERE agent_id = $1 AND memory_id = $2 AND ended_at IS NULL";
    agent END = "UPDATE deadlines SET ended_at = $3, outcome = $4, next_rung_at = NULL
        WHERE agent_id = $1 AND memory_id = $2 AND ended_at IS NULL";
    agent DELETE = "DELETE FROM deadlines WHERE agent_id = $1 AND memory_id = $2";
    agent ENDED_SINCE = "SELECT outcome FROM deadlines
        WHERE agent_id = $1 AND serves_id = $2 AND ended_at > $3 AND outcome IS NOT NULL";
}

/// A deadline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deadline {
    /// Of which memory.
    pub memory: MemoryId,
    /// Who is told.
    pub serves: PrincipalId,
    /// By when.
    pub due_at: Time,
    /// The last rung that was told.
    pub told: Option<Rung>,
    /// When there is something to do about it; none: it has ended.
    pub next_rung_at: Option<Time>,
    /// When it ended, and how.
    pub ended: Option<(Time, String)>,
}

/// Adds a deadline, unless the memory has one.
pub fn insert(writer: &mut Writer, agent: AgentId, deadline: &Deadline) -> Result<bool> {
    let Deadline { memory, serves, due_at, told, next_rung_at, .. } = deadline;
    let told = told.map(Rung::as_str);
    let bound = params![memory.id(), serves.id(), *due_at, told, *next_rung_at];
    Ok(writer.execute(&INSERT, agent, bound)? > 0)
}

/// The deadline of a memory, ended or not.
pub fn by_memory(reader: &mut Reader, agent: AgentId, memory: MemoryId) -> Result<Option<Deadline>> {
    reader.row(&BY_MEMORY, agent, params![memory.id()])?.map(deadline).transpose()
}

/// The deadlines of a principal that something is to be done about, the longest waiting first.
pub fn reached(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    now: Time,
) -> Result<Vec<Deadline>> {
    reader.rows(&REACHED, agent, params![principal.id(), now])?.into_iter().map(deadline).collect()
}

/// A rung was told; says whether there is a deadline that has not ended.
pub fn told(
    writer: &mut Writer,
    agent: AgentId,
    memory: MemoryId,
    rung: Rung,
    next: Option<Time>,
) -> Result<bool> {
    Ok(writer.execute(&TOLD, agent, params![memory.id(), rung.as_str(), next])? > 0)
}

/// Nothing is to be done about it until then; says whether there is a deadline that has not ended.
pub fn wait_until(writer: &mut Writer, agent: AgentId, memory: MemoryId, next: Time) -> Result<bool> {
    Ok(writer.execute(&WAIT, agent, params![memory.id(), next])? > 0)
}

/// Ends a deadline; says whether it had not ended.
pub fn end(
    writer: &mut Writer,
    agent: AgentId,
    memory: MemoryId,
    now: Time,
    outcome: Promise,
) -> Result<bool> {
    Ok(writer.execute(&END, agent, params![memory.id(), now, outcome.as_str()])? > 0)
}

/// Removes the deadline of a memory that is being forgotten or has a next edition.
pub fn delete(writer: &mut Writer, agent: AgentId, memory: MemoryId) -> Result<bool> {
    Ok(writer.execute(&DELETE, agent, params![memory.id()])? > 0)
}

fn deadline(row: Row) -> Result<Deadline> {
    let mut fields = row.fields();
    let memory = MemoryId::of(fields.id()?);
    let unknown = |_| StoreError::Damaged(format!("the deadline of {memory} is on no known rung"));
    let serves = PrincipalId::of(fields.id()?);
    let due_at = fields.time()?;
    let told = fields.opt_text()?.map(|rung| Rung::parse(&rung)).transpose().map_err(unknown)?;
    let next_rung_at = fields.opt_time()?;
    let ended = fields.opt_time()?.zip(fields.opt_text()?);
    Ok(Deadline { memory, serves, due_at, told, next_rung_at, ended })
}

/// How the deadlines of a principal ended that did so after a moment.
pub fn ended_since(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    since: Time,
) -> Result<Vec<Promise>> {
    let one =
        |row: Row| Promise::parse(&row.fields().text()?).map_err(|word| crate::heartbeat::unknown(&word));
    reader.rows(&ENDED_SINCE, agent, params![principal.id(), since])?.into_iter().map(one).collect()
}
