//! Runs of reading in what other systems wrote, and what each of them brought.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::id::{AgentId, CandidateId, RunId};
use selfsame_core::time::Time;
use std::collections::BTreeSet;

statements! {
    agent INSERT = "INSERT INTO import_runs (agent_id, id, format, source, filed, known, at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    agent ALL = "SELECT id, format, source, filed, known, at, undone_at FROM import_runs WHERE agent_id = $1
        ORDER BY id";
    agent BY_ID = "SELECT id, format, source, filed, known, at, undone_at FROM import_runs
        WHERE agent_id = $1 AND id = $2";
    agent UNDONE = "UPDATE import_runs SET undone_at = $3 WHERE agent_id = $1 AND id = $2 AND undone_at IS NULL";
    agent UNNAME = "UPDATE import_runs SET source = $3 WHERE agent_id = $1 AND id = $2";
    agent ADD_ITEMS = "INSERT INTO import_items (agent_id, item_key, run_id, candidate_id)
        VALUES {rows: $1, ?, ?, ?}";
    agent KNOWN = "SELECT item_key FROM import_items WHERE agent_id = $1 AND item_key IN ({list})";
    agent OF_RUN = "SELECT candidate_id FROM import_items WHERE agent_id = $1 AND run_id = $2 ORDER BY candidate_id";
    agent FORGET_ITEMS = "DELETE FROM import_items WHERE agent_id = $1 AND run_id = $2";
}

/// One run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// What the source was taken for.
    pub format: String,
    /// The name of the file or folder.
    pub source: String,
    /// Candidates that it filed.
    pub filed: u64,
    /// Items that an earlier run had brought already.
    pub known: u64,
    /// When.
    pub at: Time,
    /// When it was undone.
    pub undone_at: Option<Time>,
}

/// The hash under which an item is known.
pub type ItemKey = [u8; 32];

/// Adds a run with what it brought.
pub fn insert(
    writer: &mut Writer,
    agent: AgentId,
    run: &Run,
    items: &[(ItemKey, CandidateId)],
) -> Result<()> {
    let Run { id, format, source, filed, known, at, .. } = run;
    let bound = params![id.id(), format, source, *filed as i64, *known as i64, *at];
    writer.execute(&INSERT, agent, bound)?;
    let rows: Vec<Vec<Value>> = items
        .iter()
        .map(|(key, candidate)| vec![key.into(), id.id().into(), candidate.id().into()])
        .collect();
    writer.insert_all(&ADD_ITEMS, agent, &rows).map(drop)
}

/// Which of these were brought already.
pub fn known(reader: &mut Reader, agent: AgentId, keys: &[ItemKey]) -> Result<BTreeSet<Vec<u8>>> {
    let list: Vec<Value> = keys.iter().map(Value::from).collect();
    if list.is_empty() {
        return Ok(BTreeSet::new());
    }
    reader.rows_in(&KNOWN, agent, &[], &list)?.into_iter().map(|row| row.fields().bytes()).collect()
}

/// Every run, the oldest first.
pub fn all(reader: &mut Reader, agent: AgentId) -> Result<Vec<Run>> {
    reader.rows(&ALL, agent, &[])?.into_iter().map(run).collect()
}

/// One run.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: RunId) -> Result<Option<Run>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(run).transpose()
}

/// The candidates that a run filed.
pub fn candidates(reader: &mut Reader, agent: AgentId, id: RunId) -> Result<Vec<CandidateId>> {
    let rows = reader.rows(&OF_RUN, agent, params![id.id()])?;
    rows.into_iter().map(|row| Ok(CandidateId::of(row.fields().id()?))).collect()
}

/// Notes that a run was undone: what it brought may be brought again.
pub fn undone(writer: &mut Writer, agent: AgentId, id: RunId, now: Time) -> Result<()> {
    writer.execute(&FORGET_ITEMS, agent, params![id.id()])?;
    writer.execute(&UNDONE, agent, params![id.id(), now]).map(drop)
}

/// What the file or folder was called is forgotten; that there was a run is not. The schema refuses it unless an erasure is
/// open.
pub fn unname(writer: &mut Writer, agent: AgentId, id: RunId, instead: &str) -> Result<()> {
    writer.execute(&UNNAME, agent, params![id.id(), instead]).map(drop)
}

fn run(row: Row) -> Result<Run> {
    let mut fields = row.fields();
    Ok(Run {
        id: RunId::of(fields.id()?),
        format: fields.text()?,
        source: fields.text()?,
        filed: fields.count()?,
        known: fields.count()?,
        at: fields.time()?,
        undone_at: fields.opt_time()?,
    })
}
