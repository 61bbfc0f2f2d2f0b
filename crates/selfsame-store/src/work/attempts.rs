//! Who tried a piece of work, and what came of it. Written before it begins: who dies over it leaves a row without an end.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::{Row, params};
use selfsame_core::id::{AgentId, WorkId};
use selfsame_core::time::Time;

statements! {
    agent BEGIN = "INSERT INTO work_attempts (agent_id, work_id, attempt, thinker, model, began_at, tokens, calls)
        VALUES ($1, $2, $3, $4, $5, $6, 0, 0)";
    agent SPENT = "UPDATE work_attempts SET tokens = tokens + $4 WHERE agent_id = $1 AND work_id = $2 AND attempt = $3";
    agent CALLED = "UPDATE work_attempts SET calls = calls + 1 WHERE agent_id = $1 AND work_id = $2 AND attempt = $3";
    agent END = "UPDATE work_attempts SET ended_at = $4, outcome = $5, reason = $6, model = COALESCE($7, model)
        WHERE agent_id = $1 AND work_id = $2 AND attempt = $3";
    agent OF_WORK = "SELECT attempt, thinker, model, began_at, ended_at, outcome, reason, tokens, calls FROM work_attempts
        WHERE agent_id = $1 AND work_id = $2 ORDER BY attempt";
}

/// One attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// Which, from 1.
    pub attempt: i64,
    /// Who.
    pub thinker: String,
    /// Which model, where that is known.
    pub model: Option<String>,
    /// When it began.
    pub began_at: Time,
    /// When it ended; none: nobody came back.
    pub ended_at: Option<Time>,
    /// done, or the sort of fault.
    pub outcome: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// Tokens that were spent.
    pub tokens: i64,
    /// Tools that were called, refused ones too.
    pub calls: i64,
}

/// How an attempt ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended<'e> {
    /// When.
    pub at: Time,
    /// done, or the sort of fault.
    pub outcome: &'e str,
    /// Why.
    pub reason: Option<&'e str>,
    /// Which model it was, if that is known only now.
    pub model: Option<&'e str>,
}

/// Somebody begins.
pub fn begin(
    writer: &mut Writer,
    agent: AgentId,
    work: WorkId,
    attempt: u32,
    thinker: &str,
    model: Option<&str>,
    now: Time,
) -> Result<()> {
    writer.execute(&BEGIN, agent, params![work.id(), i64::from(attempt), thinker, model, now]).map(drop)
}

/// It cost so much more.
pub fn spent(writer: &mut Writer, agent: AgentId, work: WorkId, attempt: u32, tokens: i64) -> Result<()> {
    writer.execute(&SPENT, agent, params![work.id(), i64::from(attempt), tokens]).map(drop)
}

/// It called a tool.
pub fn called(writer: &mut Writer, agent: AgentId, work: WorkId, attempt: u32) -> Result<()> {
    writer.execute(&CALLED, agent, params![work.id(), i64::from(attempt)]).map(drop)
}

/// It ended.
pub fn end(writer: &mut Writer, agent: AgentId, work: WorkId, attempt: u32, ended: Ended<'_>) -> Result<()> {
    let Ended { at, outcome, reason, model } = ended;
    writer.execute(&END, agent, params![work.id(), i64::from(attempt), at, outcome, reason, model]).map(drop)
}

/// Those of a piece of work, in order.
pub fn of_work(reader: &mut Reader, agent: AgentId, work: WorkId) -> Result<Vec<Attempt>> {
    reader.rows(&OF_WORK, agent, params![work.id()])?.into_iter().map(attempt).collect()
}

fn attempt(row: Row) -> Result<Attempt> {
    let mut fields = row.fields();
    Ok(Attempt {
        attempt: fields.int()?,
        thinker: fields.text()?,
        model: fields.opt_text()?,
        began_at: fields.time()?,
        ended_at: fields.opt_time()?,
        outcome: fields.opt_text()?,
        reason: fields.opt_text()?,
        tokens: fields.int()?,
        calls: fields.int()?,
    })
}
