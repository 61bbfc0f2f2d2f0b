//! Acts of forgetting, and the tombstones they leave.
//!
//! The schema refuses to delete or change what must be kept, except inside a transaction in which an erasure of that
//! agent is open. [`erase`] opens one, does the work and closes it: an open erasure is never committed.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::{Value, params};
use selfsame_core::id::{AgentId, ErasureId, Id};
use selfsame_core::time::Time;

statements! {
    agent OPEN = "INSERT INTO erasures (agent_id, id, reason, erased, at, open) VALUES ($1, $2, $3, 0, $4, TRUE)";
    agent CLOSE = "UPDATE erasures SET open = FALSE, erased = $3 WHERE agent_id = $1 AND id = $2";
    agent BURY = "INSERT INTO tombstones (agent_id, item_id, kind, erasure_id) VALUES {rows: $1, ?, ?, ?}";
    agent IS_BURIED = "SELECT COUNT(*) FROM tombstones WHERE agent_id = $1 AND item_id = $2";
    agent LEFT_OPEN = "SELECT COUNT(*) FROM erasures WHERE agent_id = $1 AND open";
}

/// One act of forgetting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Erasure {
    /// Its id.
    pub id: ErasureId,
    /// Whose.
    pub agent: AgentId,
    /// Why, in a word of ours; never content.
    pub reason: String,
    /// When.
    pub at: Time,
}

/// Something that was erased: what kind of row, and its id.
pub type Buried = (&'static str, Id);

/// Opens the erasure, lets `work` delete, buries what it names, closes.
pub fn erase(
    writer: &mut Writer,
    erasure: &Erasure,
    work: impl FnOnce(&mut Writer) -> Result<Vec<Buried>>,
) -> Result<usize> {
    let Erasure { id, agent, reason, at } = erasure;
    writer.execute(&OPEN, *agent, params![id.id(), reason, *at])?;
    let buried = work(writer)?;
    let tombstones: Vec<Vec<Value>> =
        buried.iter().map(|(kind, item)| vec![(*item).into(), (*kind).into(), id.id().into()]).collect();
    writer.insert_all(&BURY, *agent, &tombstones)?;
    writer.execute(&CLOSE, *agent, params![id.id(), buried.len() as i64])?;
    Ok(buried.len())
}

/// Whether something of that id was here and was forgotten.
pub fn is_buried(reader: &mut Reader, agent: AgentId, item: Id) -> Result<bool> {
    let row = reader.row(&IS_BURIED, agent, params![item])?;
    Ok(row.map(|row| row.fields().count()).transpose()?.is_some_and(|count| count > 0))
}

/// Erasures that somebody committed open, against the rule; zero, or the guards stand aside.
pub fn left_open(reader: &mut Reader, agent: AgentId) -> Result<u64> {
    reader.row(&LEFT_OPEN, agent, &[])?.map_or(Ok(0), |row| row.fields().count())
}
