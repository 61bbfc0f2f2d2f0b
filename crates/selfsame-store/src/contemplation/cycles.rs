//! Times of thinking, and why there was none. Equal skips in a row are one row with a count.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::{Row, params};
use selfsame_core::id::{AgentId, CycleId, EpisodeId};
use selfsame_core::time::Time;

macro_rules! columns {
    () => {
        "id, began_at, last_at, outcome, reason, count, cause, episode_id"
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO cycles (agent_id, ", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)");
    agent LATEST = concat!("SELECT ", columns!(), " FROM cycles WHERE agent_id = $1
        ORDER BY began_at DESC, id DESC LIMIT $2");
    agent BY_ID = concat!("SELECT ", columns!(), " FROM cycles WHERE agent_id = $1 AND id = $2");
    agent SKIP_AGAIN = "UPDATE cycles SET last_at = $3, count = count + 1 WHERE agent_id = $1 AND id = $2";
    agent END = "UPDATE cycles SET last_at = $3, outcome = $4, reason = $5, episode_id = $6
        WHERE agent_id = $1 AND id = $2";
}

/// A time of thinking, or several equal reasons in a row why there was none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycle {
    /// Its name.
    pub id: CycleId,
    /// When it began, or was first skipped.
    pub began_at: Time,
    /// When it ended, or was last skipped.
    pub last_at: Time,
    /// waiting, done, skipped or failed.
    pub outcome: String,
    /// Why, for what was skipped or failed.
    pub reason: Option<String>,
    /// How often.
    pub count: i64,
    /// interval or asked.
    pub cause: String,
    /// What it brought.
    pub episode: Option<EpisodeId>,
}

/// Adds one.
pub fn insert(writer: &mut Writer, agent: AgentId, cycle: &Cycle) -> Result<()> {
    let Cycle { id, began_at, last_at, outcome, reason, count, cause, episode } = cycle;
    let bound = params![
        id.id(),
        *began_at,
        *last_at,
        outcome,
        reason.as_deref(),
        *count,
        cause,
        episode.map(EpisodeId::id)
    ];
    writer.execute(&INSERT, agent, bound).map(drop)
}

/// Notes that there was no thinking, and why: with the last row if that says the same.
pub fn skip(writer: &mut Writer, agent: AgentId, cycle: &Cycle) -> Result<()> {
    let last = latest(writer, agent, 1)?.pop();
    match last.filter(|last| last.outcome == cycle.outcome && last.reason == cycle.reason) {
        Some(last) => writer.execute(&SKIP_AGAIN, agent, params![last.id.id(), cycle.last_at]).map(drop),
        None => insert(writer, agent, cycle),
    }
}

/// Writes down how it ended.
pub fn end(
    writer: &mut Writer,
    agent: AgentId,
    id: CycleId,
    outcome: &str,
    reason: Option<&str>,
    episode: Option<EpisodeId>,
    now: Time,
) -> Result<()> {
    match writer.execute(&END, agent, params![id.id(), now, outcome, reason, episode.map(EpisodeId::id)])? {
        0 => Err(StoreError::Damaged(format!("there is no cycle {id}"))),
        _ => Ok(()),
    }
}

/// The latest, the newest first.
pub fn latest(reader: &mut Reader, agent: AgentId, limit: i64) -> Result<Vec<Cycle>> {
    reader.rows(&LATEST, agent, params![limit])?.into_iter().map(cycle).collect()
}

/// One of them.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: CycleId) -> Result<Option<Cycle>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(cycle).transpose()
}

fn cycle(row: Row) -> Result<Cycle> {
    let mut fields = row.fields();
    Ok(Cycle {
        id: CycleId::of(fields.id()?),
        began_at: fields.time()?,
        last_at: fields.time()?,
        outcome: fields.text()?,
        reason: fields.opt_text()?,
        count: fields.int()?,
        cause: fields.text()?,
        episode: fields.opt_id()?.map(EpisodeId::of),
    })
}
