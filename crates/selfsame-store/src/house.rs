//! What is true of the whole house: that it moved, that another is moving in.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::{Statement, statements};
use crate::value::{Value, params};
use selfsame_core::id::AgentId;
use selfsame_core::time::Time;

statements! {
    global MARK = "SELECT value FROM house WHERE name = $1";
    global SET = "INSERT INTO house (name, value, at) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value, at = excluded.at";
    global CLEAR = "DELETE FROM house WHERE name = $1";
    agent FREEZE = "UPDATE agent_heads SET moved_seq = seq WHERE agent_id = $1 AND moved_seq IS NULL";
    agent THAW = "UPDATE agent_heads SET moved_seq = NULL WHERE agent_id = $1";
    agent HEAD = "SELECT COUNT(*) FROM agent_heads WHERE agent_id = $1";
    global LEASES = "SELECT COUNT(*) FROM duties WHERE state = 'running' AND lease_until > $1";
    global KEYS = "SELECT COUNT(*) FROM keys";
}

/// What a house can be marked with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// It is being left; the value says for where.
    Leaving,
    /// It was left; the value says for where.
    Left,
    /// Another house is moving in; the value is that one's name.
    Arriving,
}

impl Mark {
    const fn as_str(self) -> &'static str {
        match self {
            Mark::Leaving => "leaving",
            Mark::Left => "left",
            Mark::Arriving => "arriving",
        }
    }
}

/// What a mark says, if it is there.
pub fn mark(reader: &mut Reader, mark: Mark) -> Result<Option<String>> {
    let row = reader.global_rows(&MARK, params![mark.as_str()])?.into_iter().next();
    row.map(|row| row.fields().text()).transpose()
}

/// Puts a mark.
pub fn set(writer: &mut Writer, mark: Mark, value: &str, now: Time) -> Result<()> {
    writer.global_execute(&SET, params![mark.as_str(), value, now]).map(drop)
}

/// Takes a mark away.
pub fn clear(writer: &mut Writer, mark: Mark) -> Result<()> {
    writer.global_execute(&CLEAR, params![mark.as_str()]).map(drop)
}

/// From now on nothing can be written into an agent's log, and so nothing at all: the schema refuses.
pub fn freeze(writer: &mut Writer, agent: AgentId) -> Result<()> {
    writer.execute(&FREEZE, agent, &[]).map(drop)
}

/// It can be written again.
pub fn thaw(writer: &mut Writer, agent: AgentId) -> Result<()> {
    writer.execute(&THAW, agent, &[]).map(drop)
}

/// Whether an agent's rows have come, and not only its name.
pub fn has_head(reader: &mut Reader, agent: AgentId) -> Result<bool> {
    Ok(reader.row(&HEAD, agent, &[])?.map_or(Ok(0), |row| row.fields().count())? > 0)
}

/// Whether a process is at a duty of this house.
pub fn is_at_work(reader: &mut Reader, now: Time) -> Result<bool> {
    count(reader, &LEASES, params![now]).map(|leases| leases > 0)
}

/// Whether there are keys to this house.
pub fn has_keys(reader: &mut Reader) -> Result<bool> {
    count(reader, &KEYS, &[]).map(|keys| keys > 0)
}

fn count(reader: &mut Reader, statement: &Statement, params: &[Value]) -> Result<u64> {
    let row = reader.global_rows(statement, params)?.into_iter().next();
    row.ok_or_else(|| StoreError::Damaged("the house cannot be counted".into()))?.fields().count()
}
