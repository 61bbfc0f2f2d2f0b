//! What was said of each question, in the order in which it was read, and how far the log has been read.

use super::{damaged, origin_bytes, origins};
use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::id::{AgentId, Id};
use selfsame_core::knowledge::claim::{self, Says};
use selfsame_core::knowledge::decide::{Voice, Voucher};
use selfsame_core::knowledge::evidence::{Origin, Piece, SourceRef, SourceSort};
use selfsame_core::knowledge::key::{Question, prefix, prefix_of};
use selfsame_core::knowledge::{ObservationKind, Subject};
use selfsame_core::time::Time;
use std::collections::BTreeSet;

macro_rules! columns {
    () => {
        "canonical_key, seq, source_sort, source_id, value, says, replaces, sentence, reader, voucher, confirms, weight, \
         origins, said_at"
    };
}

statements! {
    agent READING = "SELECT read_seq, next_seq FROM knowledge_reading WHERE agent_id = $1";
    agent BEGIN = "INSERT INTO knowledge_reading (agent_id, read_seq, next_seq) VALUES ($1, $2, $3)
        ON CONFLICT (agent_id) DO UPDATE SET read_seq = excluded.read_seq, next_seq = excluded.next_seq";
    agent INSERT = concat!("INSERT INTO knowledge_claims (agent_id, ", columns!(), ")
        VALUES {rows: $1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?}");
    agent OF_KEY = concat!("SELECT ", columns!(), " FROM knowledge_claims
        WHERE agent_id = $1 AND canonical_key = $2 AND withdrawn_at IS NULL ORDER BY seq DESC LIMIT $3");
    agent OF_SOURCE = concat!("SELECT ", columns!(), " FROM knowledge_claims
        WHERE agent_id = $1 AND source_id = $2 ORDER BY canonical_key, seq");
    agent READ_ALREADY = "SELECT DISTINCT source_id FROM knowledge_claims WHERE agent_id = $1 AND source_id IN ({list})";
    agent OF_ORIGIN = concat!("SELECT ", columns!(), " FROM knowledge_claims
        WHERE agent_id = $1 AND origins = $2 AND withdrawn_at IS NULL ORDER BY canonical_key, seq");
    agent WITHDRAW_ORIGIN = "UPDATE knowledge_claims SET withdrawn_at = $3
        WHERE agent_id = $1 AND origins = $2 AND withdrawn_at IS NULL";
    agent OF_SUBJECT = concat!("SELECT ", columns!(), " FROM knowledge_claims
        WHERE agent_id = $1 AND canonical_key >= $2 AND canonical_key < $3 AND withdrawn_at IS NULL ORDER BY seq");
    agent WITHDRAW_KEY = "UPDATE knowledge_claims SET withdrawn_at = $3
        WHERE agent_id = $1 AND canonical_key = $2 AND withdrawn_at IS NULL";
    agent KEY_WITH_VALUE = "SELECT canonical_key FROM knowledge_claims
        WHERE agent_id = $1 AND canonical_key >= $2 AND canonical_key < $3 AND value = $4 AND withdrawn_at IS NULL
        ORDER BY canonical_key, seq LIMIT 8";
    agent WITHDRAW = "UPDATE knowledge_claims SET withdrawn_at = $3
        WHERE agent_id = $1 AND source_id = $2 AND withdrawn_at IS NULL";
    agent DELETE_SAYING = "DELETE FROM knowledge_claims WHERE agent_id = $1 AND source_id = $2 AND origins = $3";
    agent DELETE = "DELETE FROM knowledge_claims WHERE agent_id = $1 AND source_id = $2";
}

/// How far an agent's log has been read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// The last event that was read.
    pub read_seq: i64,
    /// The next number of a claim or of a change of belief.
    pub next_seq: i64,
}

impl Reading {
    /// The next number.
    pub fn take(&mut self) -> i64 {
        self.next_seq += 1;
        self.next_seq - 1
    }
}

/// A claim as it is kept.
#[derive(Clone, PartialEq, Debug)]
pub struct Claimed {
    /// The question.
    pub key: String,
    /// Its place in the order of all.
    pub seq: i64,
    /// The row that says so.
    pub source: SourceRef,
    /// The sentence.
    pub sentence: String,
    /// Who read it.
    pub reader: claim::Reader,
    /// Whether it is the operator's judgement of a belief.
    pub confirms: bool,
    /// What it says, and what that weighs.
    pub voice: Voice,
}

impl AsRef<Voice> for Claimed {
    fn as_ref(&self) -> &Voice {
        &self.voice
    }
}

/// How far the log has been read.
pub fn reading(reader: &mut Reader, agent: AgentId) -> Result<Reading> {
    let Some(row) = reader.row(&READING, agent, &[])? else {
        return Ok(Reading::default());
    };
    let mut fields = row.fields();
    Ok(Reading { read_seq: fields.int()?, next_seq: fields.int()? })
}

/// Notes how far the log has been read.
pub fn keep_reading(writer: &mut Writer, agent: AgentId, reading: Reading) -> Result<()> {
    writer.execute(&BEGIN, agent, params![reading.read_seq, reading.next_seq])?;
    Ok(())
}

/// Adds claims.
pub fn insert(writer: &mut Writer, agent: AgentId, claims: &[Claimed]) -> Result<()> {
    let rows: Vec<Vec<Value>> = claims.iter().map(cells).collect();
    writer.insert_all(&INSERT, agent, &rows)?;
    Ok(())
}

/// The newest claims about a question that stand, in their order.
pub fn of_key(reader: &mut Reader, agent: AgentId, key: &str, limit: i64) -> Result<Vec<Claimed>> {
    let rows = reader.rows(&OF_KEY, agent, params![key, limit])?;
    let mut claims = rows.into_iter().map(claimed).collect::<Result<Vec<_>>>()?;
    claims.reverse();
    Ok(claims)
}

/// All that was read out of a row, withdrawn or not.
pub fn of_source(reader: &mut Reader, agent: AgentId, source: Id) -> Result<Vec<Claimed>> {
    reader.rows(&OF_SOURCE, agent, params![source])?.into_iter().map(claimed).collect()
}

/// Which of some rows were read already and said something.
pub fn read_already(reader: &mut Reader, agent: AgentId, sources: &[Id]) -> Result<BTreeSet<Id>> {
    let list: Vec<Value> = sources.iter().map(|id| Value::Id(*id)).collect();
    reader.rows_in(&READ_ALREADY, agent, &[], &list)?.into_iter().map(|row| row.fields().id()).collect()
}

/// The slot in which something was said of this subject with this value, if values do not coexist in it.
pub fn slot_with_value(
    reader: &mut Reader,
    agent: AgentId,
    subject: &Subject,
    kind: ObservationKind,
    value: &str,
) -> Result<Option<String>> {
    let from = prefix(subject, kind);
    for row in reader.rows(&KEY_WITH_VALUE, agent, params![&from, &after_all(&from), value])? {
        let question = Question::parse(&row.fields().text()?);
        if let Some(Question { slot, value: None, .. }) = question {
            return Ok(Some(slot));
        }
    }
    Ok(None)
}

/// All that was said of a subject and stands, in the order in which it was read.
pub fn of_subject(reader: &mut Reader, agent: AgentId, subject: &Subject) -> Result<Vec<Claimed>> {
    let from = prefix_of(subject);
    let rows = reader.rows(&OF_SUBJECT, agent, params![&from, &after_all(&from)])?;
    rows.into_iter().map(claimed).collect()
}

/// What was said of a question counts no more.
pub fn withdraw_key(writer: &mut Writer, agent: AgentId, key: &str, now: Time) -> Result<()> {
    writer.execute(&WITHDRAW_KEY, agent, params![key, now])?;
    Ok(())
}

/// The first text after all that begin with a prefix which ends in a colon.
fn after_all(prefix: &str) -> String {
    format!("{};", &prefix[..prefix.len() - 1])
}

/// What a row says counts no more.
pub fn withdraw(writer: &mut Writer, agent: AgentId, source: Id, now: Time) -> Result<()> {
    writer.execute(&WITHDRAW, agent, params![source, now])?;
    Ok(())
}

/// All that was said by one independent source alone, and stands. Goes through all claims: few ask for it.
pub fn of_origin(reader: &mut Reader, agent: AgentId, origin: Origin) -> Result<Vec<Claimed>> {
    reader
        .rows(&OF_ORIGIN, agent, params![Value::Bytes(origin_bytes(&[origin]))])?
        .into_iter()
        .map(claimed)
        .collect()
}

/// What one independent source says counts no more.
pub fn withdraw_origin(writer: &mut Writer, agent: AgentId, origin: Origin, now: Time) -> Result<()> {
    writer.execute(&WITHDRAW_ORIGIN, agent, params![Value::Bytes(origin_bytes(&[origin])), now])?;
    Ok(())
}

/// Forgets what was read out of a row.
pub fn delete(writer: &mut Writer, agent: AgentId, source: Id) -> Result<()> {
    writer.execute(&DELETE, agent, params![source])?;
    Ok(())
}

/// Forgets what was read out of a row because one independent source says it, too.
pub fn delete_saying(writer: &mut Writer, agent: AgentId, source: Id, origin: Origin) -> Result<()> {
    let origin = Value::Bytes(origin_bytes(&[origin]));
    writer.execute(&DELETE_SAYING, agent, params![source, origin]).map(drop)
}

fn cells(claim: &Claimed) -> Vec<Value> {
    let Voice { value, says, replaces, voucher, piece } = &claim.voice;
    vec![
        claim.key.as_str().into(),
        claim.seq.into(),
        claim.source.sort.as_str().into(),
        claim.source.id.into(),
        value.as_str().into(),
        says.as_str().into(),
        replaces.as_deref().into(),
        claim.sentence.as_str().into(),
        claim.reader.as_str().into(),
        voucher.as_str().into(),
        claim.confirms.into(),
        piece.weight.into(),
        Value::Bytes(origin_bytes(&piece.origins)),
        piece.at.into(),
    ]
}

fn claimed(row: Row) -> Result<Claimed> {
    let mut fields = row.fields();
    let key = fields.text()?;
    let seq = fields.int()?;
    let sort = SourceSort::parse(&fields.text()?).map_err(|_| damaged("the source of a claim"))?;
    let source = SourceRef { sort, id: fields.id()? };
    let value = fields.text()?;
    let says = Says::parse(&fields.text()?).map_err(|_| damaged("the stance of a claim"))?;
    let replaces = fields.opt_text()?;
    let sentence = fields.text()?;
    let reader = claim::Reader::parse(&fields.text()?).map_err(|_| damaged("the reader of a claim"))?;
    let voucher = Voucher::parse(&fields.text()?).map_err(|_| damaged("whose word a claim is"))?;
    let confirms = fields.bool()?;
    let weight = fields.real()?;
    let origins = origins(&fields.bytes()?)?;
    let piece = Piece { sort, origins, weight, at: fields.time()? };
    let voice = Voice { value, says, replaces, voucher, piece };
    Ok(Claimed { key, seq, source, sentence, reader, confirms, voice })
}
