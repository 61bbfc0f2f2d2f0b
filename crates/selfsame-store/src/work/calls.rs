//! The ledger of tools: every call of a thinker, also those that were refused. Names and hashes, no words.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::contemplation::{CallOutcome, ToolClass};
use selfsame_core::id::{AgentId, CallId, WorkId};
use selfsame_core::time::Time;

macro_rules! columns {
    () => {
        "id, work_id, tool, class, arguments_hash, began_at, ended_at, outcome, reason"
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO tool_calls (agent_id, ", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)");
    agent OF_WORK = concat!("SELECT ", columns!(), " FROM tool_calls WHERE agent_id = $1 AND work_id IN ({list})
        ORDER BY began_at, id");
}

/// One call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// Its name.
    pub id: CallId,
    /// For which work.
    pub work: WorkId,
    /// Of which tool.
    pub tool: String,
    /// What the tool can do.
    pub class: ToolClass,
    /// With what, as a hash.
    pub arguments: [u8; 32],
    /// When it began.
    pub began_at: Time,
    /// When it ended.
    pub ended_at: Time,
    /// What became of it.
    pub outcome: CallOutcome,
    /// Why it was refused or failed, in our own words.
    pub reason: Option<String>,
}

/// Writes a call down.
pub fn insert(writer: &mut Writer, agent: AgentId, call: &Call) -> Result<()> {
    let Call { id, work, tool, class, arguments, began_at, ended_at, outcome, reason } = call;
    let bound = params![
        id.id(),
        work.id(),
        tool,
        class.as_str(),
        arguments.as_slice(),
        *began_at,
        *ended_at,
        outcome.as_str(),
        reason.as_deref(),
    ];
    writer.execute(&INSERT, agent, bound).map(drop)
}

/// The calls of these pieces of work, in the order in which they were made.
pub fn of_work(reader: &mut Reader, agent: AgentId, work: &[WorkId]) -> Result<Vec<Call>> {
    let list: Vec<Value> = work.iter().map(|id| Value::Id(id.id())).collect();
    reader.rows_in(&OF_WORK, agent, &[], &list)?.into_iter().map(call).collect()
}

fn call(row: Row) -> Result<Call> {
    let mut fields = row.fields();
    let id = CallId::of(fields.id()?);
    let damaged = |what: &str| StoreError::Damaged(format!("the {what} of tool call {id} cannot be read"));
    Ok(Call {
        id,
        work: WorkId::of(fields.id()?),
        tool: fields.text()?,
        class: ToolClass::parse(&fields.text()?).map_err(|_| damaged("class"))?,
        arguments: fields.bytes()?.try_into().map_err(|_| damaged("hash"))?,
        began_at: fields.time()?,
        ended_at: fields.time()?,
        outcome: CallOutcome::parse(&fields.text()?).map_err(|_| damaged("outcome"))?,
        reason: fields.opt_text()?,
    })
}
