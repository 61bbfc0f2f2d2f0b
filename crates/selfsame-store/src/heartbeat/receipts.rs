//! What every tick saw and said. Equal silent ones in a row are one row with a count.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::heartbeat::StepName;
use selfsame_core::id::{AgentId, PrincipalId, ReceiptId};
use selfsame_core::time::Time;

macro_rules! columns {
    () => {
        "id, principal_id, first_at, last_at, ticks, verdict, step, reason, sameness, inputs, outcome, next_at, \
         next_why, took_micros, statements, tokens, settings_hash"
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO receipts (agent_id, ", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)");
    agent REPEAT = "UPDATE receipts SET last_at = $3, ticks = ticks + 1, next_at = $4, next_why = $5,
            took_micros = $6, statements = $7
        WHERE agent_id = $1 AND id = $2";
    agent BY_ID = concat!("SELECT ", columns!(), " FROM receipts WHERE agent_id = $1 AND id = $2");
    agent LATEST = concat!("SELECT ", columns!(), " FROM receipts WHERE agent_id = $1 AND principal_id = $2
        ORDER BY last_at DESC, id DESC LIMIT 1");
    agent LATEST_BRIEF = "SELECT id, verdict, sameness FROM receipts WHERE agent_id = $1 AND principal_id = $2
        ORDER BY last_at DESC, id DESC LIMIT 1";
    agent AT = concat!("SELECT ", columns!(), " FROM receipts WHERE agent_id = $1 AND principal_id = $2
        AND first_at <= $3 ORDER BY first_at DESC, id DESC LIMIT 1");
    agent PAGE = concat!("SELECT ", columns!(), " FROM receipts WHERE agent_id = $1 AND principal_id = $2
        AND last_at < $3 ORDER BY last_at DESC, id DESC LIMIT $4");
    agent ACTS = concat!("SELECT ", columns!(), " FROM receipts WHERE agent_id = $1 AND principal_id = $2
        AND last_at < $3 AND verdict = 'act' ORDER BY last_at DESC, id DESC LIMIT $4");
    agent OLDER = "SELECT id FROM receipts WHERE agent_id = $1 AND verdict = 'suppress' AND last_at < $2 LIMIT 1";
    agent SWEEP = "DELETE FROM receipts WHERE agent_id = $1 AND verdict = 'suppress' AND last_at < $2";
}

/// The record of a tick, or of several equal silent ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Receipt {
    /// Its id.
    pub id: ReceiptId,
    /// For whom the heart beat.
    pub principal: PrincipalId,
    /// The first of these ticks.
    pub first_at: Time,
    /// The last.
    pub last_at: Time,
    /// How many.
    pub ticks: u64,
    /// Whether something was said.
    pub acted: bool,
    /// The step that decided.
    pub step: StepName,
    /// Why, in words of ours.
    pub reason: String,
    /// Equal for ticks that saw and said the same.
    pub sameness: [u8; 32],
    /// What the first of them judged, as canonical JSON.
    pub inputs: String,
    /// What came of it, as canonical JSON.
    pub outcome: String,
    /// When the next tick was to be.
    pub next_at: Time,
    /// And why then.
    pub next_why: String,
    /// How long the last of them took.
    pub took_micros: u64,
    /// Statements that it asked of the database.
    pub statements: u64,
    /// Tokens that it cost: none.
    pub tokens: u64,
    /// Of the rules that held.
    pub settings_hash: [u8; 32],
}

/// What is kept of one more tick that saw and said the same.
#[derive(Clone, Copy, Debug)]
pub struct Again<'a> {
    /// When it was.
    pub at: Time,
    /// When the next tick is to be.
    pub next_at: Time,
    /// And why then.
    pub next_why: &'a str,
    /// How long it took.
    pub took_micros: u64,
    /// Statements that it asked of the database.
    pub statements: u64,
}

/// Adds a receipt.
pub fn insert(writer: &mut Writer, agent: AgentId, receipt: &Receipt) -> Result<()> {
    let bound = params![
        receipt.id.id(),
        receipt.principal.id(),
        receipt.first_at,
        receipt.last_at,
        receipt.ticks as i64,
        if receipt.acted { "act" } else { "suppress" },
        receipt.step.as_str(),
        &receipt.reason,
        &receipt.sameness,
        &receipt.inputs,
        &receipt.outcome,
        receipt.next_at,
        &receipt.next_why,
        receipt.took_micros as i64,
        receipt.statements as i64,
        receipt.tokens as i64,
        &receipt.settings_hash,
    ];
    writer.execute(&INSERT, agent, bound).map(drop)
}

/// One more tick that saw and said the same.
pub fn repeat(writer: &mut Writer, agent: AgentId, id: ReceiptId, again: &Again<'_>) -> Result<()> {
    let Again { at, next_at, next_why, took_micros, statements } = *again;
    let bound: &[Value] = params![id.id(), at, next_at, next_why, took_micros as i64, statements as i64];
    writer.execute(&REPEAT, agent, bound).map(drop)
}

/// The receipt of that id.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: ReceiptId) -> Result<Option<Receipt>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(receipt).transpose()
}

/// The last one for somebody.
pub fn latest(reader: &mut Reader, agent: AgentId, principal: PrincipalId) -> Result<Option<Receipt>> {
    reader.row(&LATEST, agent, params![principal.id()])?.map(receipt).transpose()
}

/// What the last one for somebody says of itself, if it was of silence: its id, and what ticks that saw and said the same
/// have in common.
pub fn latest_silence(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
) -> Result<Option<(ReceiptId, [u8; 32])>> {
    let Some(row) = reader.row(&LATEST_BRIEF, agent, params![principal.id()])? else { return Ok(None) };
    let mut fields = row.fields();
    let (id, verdict) = (ReceiptId::of(fields.id()?), fields.text()?);
    let sameness = super::hash(fields.bytes()?, "the sameness of a receipt")?;
    Ok((verdict == "suppress").then_some((id, sameness)))
}

/// The one whose tick was the last at a moment.
pub fn at(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    moment: Time,
) -> Result<Option<Receipt>> {
    reader.row(&AT, agent, params![principal.id(), moment])?.map(receipt).transpose()
}

/// The newest before a moment, the newest first; of acts alone, or of silence too.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    before: Time,
    acts_only: bool,
    limit: i64,
) -> Result<Vec<Receipt>> {
    let statement = if acts_only { &ACTS } else { &PAGE };
    reader.rows(statement, agent, params![principal.id(), before, limit])?.into_iter().map(receipt).collect()
}

/// Whether there are any of silence that are older.
pub fn has_older(reader: &mut Reader, agent: AgentId, before: Time) -> Result<bool> {
    Ok(reader.row(&OLDER, agent, params![before])?.is_some())
}

/// Removes those of silence that are older; says how many.
pub fn sweep(writer: &mut Writer, agent: AgentId, before: Time) -> Result<u64> {
    writer.execute(&SWEEP, agent, params![before])
}

fn receipt(row: Row) -> Result<Receipt> {
    let mut fields = row.fields();
    Ok(Receipt {
        id: ReceiptId::of(fields.id()?),
        principal: PrincipalId::of(fields.id()?),
        first_at: fields.time()?,
        last_at: fields.time()?,
        ticks: fields.count()?,
        acted: fields.text()? == "act",
        step: StepName::parse(&fields.text()?).map_err(|word| super::unknown(&word))?,
        reason: fields.text()?,
        sameness: super::hash(fields.bytes()?, "the sameness of a receipt")?,
        inputs: fields.text()?,
        outcome: fields.text()?,
        next_at: fields.time()?,
        next_why: fields.text()?,
        took_micros: fields.count()?,
        statements: fields.count()?,
        tokens: fields.count()?,
        settings_hash: super::hash(fields.bytes()?, "the hash of a receipt's settings")?,
    })
}
