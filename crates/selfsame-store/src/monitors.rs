//! Monitors: which memories want to be looked after, and when somebody last did.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::{Row, params};
use selfsame_core::id::{AgentId, MemoryId};
use selfsame_core::monitor::Monitor;
use selfsame_core::time::Time;
use std::time::Duration;

macro_rules! columns {
    () => {
        "memory_id, check_every, last_checked_at, next_check_at, created_at, ended_at"
    };
}

statements! {
    // Asked for again, it begins anew and keeps when it was last checked.
    agent INSERT = "INSERT INTO monitors (agent_id, memory_id, check_every, next_check_at, created_at)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (agent_id, memory_id) DO UPDATE SET check_every = excluded.check_every,
            next_check_at = excluded.next_check_at, ended_at = NULL";
    agent BY_MEMORY = concat!("SELECT ", columns!(), " FROM monitors WHERE agent_id = $1 AND memory_id = $2");
    agent RUNNING = concat!("SELECT ", columns!(), " FROM monitors WHERE agent_id = $1 AND ended_at IS NULL
        ORDER BY next_check_at, memory_id LIMIT $2");
    agent CHECKED = "UPDATE monitors SET last_checked_at = $3, next_check_at = $4
        WHERE agent_id = $1 AND memory_id = $2 AND ended_at IS NULL";
    agent DELETE = "DELETE FROM monitors WHERE agent_id = $1 AND memory_id = $2";
    agent END = "UPDATE monitors SET ended_at = $3 WHERE agent_id = $1 AND memory_id = $2 AND ended_at IS NULL";
}

/// Adds a monitor, or begins it anew.
pub fn insert(writer: &mut Writer, monitor: &Monitor) -> Result<()> {
    let Monitor { agent, memory, every, next_check_at, created_at, .. } = monitor;
    writer.execute(
        &INSERT,
        *agent,
        params![memory.id(), every.as_secs() as i64, *next_check_at, *created_at],
    )?;
    Ok(())
}

/// The monitor of a memory, ended or not.
pub fn by_memory(reader: &mut Reader, agent: AgentId, memory: MemoryId) -> Result<Option<Monitor>> {
    reader.row(&BY_MEMORY, agent, params![memory.id()])?.map(|row| monitor(agent, row)).transpose()
}

/// Those that have not ended, the one that has been due the longest first.
pub fn running(reader: &mut Reader, agent: AgentId, limit: i64) -> Result<Vec<Monitor>> {
    reader.rows(&RUNNING, agent, params![limit])?.into_iter().map(|row| monitor(agent, row)).collect()
}

/// Somebody looked; says whether there is a monitor to look for.
pub fn checked(writer: &mut Writer, agent: AgentId, memory: MemoryId, now: Time, next: Time) -> Result<bool> {
    Ok(writer.execute(&CHECKED, agent, params![memory.id(), now, next])? > 0)
}

/// Ends a monitor; says whether there was one.
pub fn end(writer: &mut Writer, agent: AgentId, memory: MemoryId, now: Time) -> Result<bool> {
    Ok(writer.execute(&END, agent, params![memory.id(), now])? > 0)
}

/// Removes the monitor of a memory that is being forgotten; says whether there was one.
pub fn delete(writer: &mut Writer, agent: AgentId, memory: MemoryId) -> Result<bool> {
    Ok(writer.execute(&DELETE, agent, params![memory.id()])? > 0)
}

fn monitor(agent: AgentId, row: Row) -> Result<Monitor> {
    let mut fields = row.fields();
    let memory = MemoryId::of(fields.id()?);
    let seconds = u64::try_from(fields.int()?)
        .map_err(|_| StoreError::Damaged(format!("the monitor of {memory} has a negative rhythm")))?;
    Ok(Monitor {
        agent,
        memory,
        every: Duration::from_secs(seconds),
        last_checked_at: fields.opt_time()?,
        next_check_at: fields.time()?,
        created_at: fields.time()?,
        ended_at: fields.opt_time()?,
    })
}
