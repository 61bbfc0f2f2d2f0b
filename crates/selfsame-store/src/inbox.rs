//! The inbox: candidates, filed once for each conversation, decided once.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::events;
use crate::provenance::{self, provenance_columns};
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::event::Act;
use selfsame_core::id::{AgentId, CandidateId, ConversationId, EntityId, MemoryId, MessageId};
use selfsame_core::inbox::{Candidate, CandidateKind, Status};
use selfsame_core::kept::Kept;
use selfsame_core::memory::MemoryKind;
use selfsame_core::time::Time;
use std::collections::BTreeSet;

/// Who decides when nobody does: the rules at review, the sweep at the end of the wait, capture when it was asked for.
pub const BY_RULES: &str = "rules";
/// See [`BY_RULES`].
pub const BY_SWEEP: &str = "sweep";
/// See [`BY_RULES`].
pub const BY_CAPTURE: &str = "capture";

macro_rules! columns {
    () => {
        concat!(
            "id, candidate_type, content, confidence, cue, conversation_id, message_id, memory_type, importance, \
             entity_id, created_at, expires_at, status, decided_at, decided_by, decision_reason, memory_id, ",
            provenance_columns!(),
            ", row_hash"
        )
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO inbox_candidates (agent_id, text_hash, ", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
            $24, $25)");
    agent BY_ID = concat!("SELECT ", columns!(), " FROM inbox_candidates WHERE agent_id = $1 AND id = $2");
    agent BY_IDS = concat!("SELECT ", columns!(), " FROM inbox_candidates WHERE agent_id = $1 AND id IN ({list})");
    agent OF_STATUS = concat!("SELECT ", columns!(), " FROM inbox_candidates WHERE agent_id = $1 AND status = $2
        AND id > $3 ORDER BY id LIMIT $4");
    agent PAGE = concat!("SELECT ", columns!(), " FROM inbox_candidates WHERE agent_id = $1 AND id > $2
        ORDER BY id LIMIT $3");
    agent SAME_WORDS = "SELECT id, conversation_id FROM inbox_candidates WHERE agent_id = $1 AND text_hash = $2
        ORDER BY id";
    agent LIVE = concat!("SELECT ", columns!(), " FROM inbox_candidates WHERE agent_id = $1 AND status = $2
        AND author <> 'import' AND id > $3 ORDER BY id LIMIT $4");
    agent COUNT_PENDING = "SELECT COUNT(*) FROM inbox_candidates WHERE agent_id = $1 AND status = 'pending'
        AND author <> 'import'";
    agent OLDEST_PENDING = "SELECT id FROM inbox_candidates WHERE agent_id = $1 AND status = 'pending'
        AND author <> 'import' ORDER BY id LIMIT $2";
    agent DELETE = "DELETE FROM inbox_candidates WHERE agent_id = $1 AND id = $2";
    agent OVERDUE = "SELECT id, created_at, expires_at FROM inbox_candidates
        WHERE agent_id = $1 AND status = 'pending' AND expires_at <= $2 ORDER BY id LIMIT $3";
    agent LAST_REVIEW = "SELECT MAX(decided_at) FROM inbox_candidates
        WHERE agent_id = $1 AND status IN ('promoted', 'merged', 'rejected') AND decided_by NOT IN ('rules', 'capture')";
    agent DECIDE = "UPDATE inbox_candidates SET status = $3, decided_at = $4, decided_by = $5, decision_reason = $6,
        memory_id = $7 WHERE agent_id = $1 AND id = $2 AND status = 'pending'";
    agent REOPEN = "UPDATE inbox_candidates SET status = 'pending', decided_at = NULL, decided_by = NULL,
        decision_reason = NULL, memory_id = NULL WHERE agent_id = $1 AND id = $2 AND status IN ('expired', 'rejected')";
    agent OF_MESSAGE = concat!("SELECT ", columns!(), " FROM inbox_candidates WHERE agent_id = $1 AND message_id = $2
        ORDER BY id");
    agent BECAME = "SELECT message_id, memory_id FROM inbox_candidates WHERE agent_id = $1 AND memory_id IS NOT NULL
        AND message_id IN ({list}) ORDER BY id";
    agent EXTEND = "UPDATE inbox_candidates SET expires_at = $3 WHERE agent_id = $1 AND id = $2 AND status = 'pending'";
}

/// Where a candidate went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filed {
    /// The row that has the words now.
    pub id: CandidateId,
    /// Whether it was filed just now.
    pub is_new: bool,
}

/// Files candidates, each once for its conversation, and lets the oldest expire where there are too many. One that was
/// asked for is opened again if it was left before.
pub fn file(
    writer: &mut Writer,
    agent: AgentId,
    rows: &[Kept<Candidate>],
    max_pending: usize,
    now: Time,
) -> Result<Vec<Filed>> {
    let mut filed = Vec::with_capacity(rows.len());
    for row in rows {
        let known = same_words(writer, agent, &row.text_hash(&row.provenance))?;
        let known = known.into_iter().find(|(_, conversation)| *conversation == row.conversation);
        match known {
            Some((id, _)) => {
                if row.is_explicit() && writer.execute(&REOPEN, agent, params![id.id()])? > 0 {
                    events::record(writer, agent, now, &[act("reopened", id)])?;
                }
                filed.push(Filed { id, is_new: false });
            }
            None => {
                insert(writer, row)?;
                events::record(writer, agent, now, &[act("filed", row.id)])?;
                filed.push(Filed { id: row.id, is_new: true });
            }
        }
    }
    make_room(writer, agent, max_pending, now)?;
    Ok(filed)
}

fn insert(writer: &mut Writer, row: &Kept<Candidate>) -> Result<()> {
    let mut bound = params![
        &row.text_hash(&row.provenance),
        row.id.id(),
        row.kind.as_str(),
        &row.content,
        row.confidence,
        &row.cue,
        row.conversation.map(ConversationId::id),
        row.message.map(MessageId::id),
        row.memory_kind.as_str(),
        row.importance,
        row.entity.map(EntityId::id),
        row.created_at,
        row.expires_at,
        row.status.as_str(),
        row.decided_at,
        row.decided_by.as_deref(),
        row.reason.as_deref(),
        row.memory.map(MemoryId::id),
    ]
    .to_vec();
    bound.extend(provenance::sealed(row));
    writer.execute(&INSERT, row.agent, &bound)?;
    Ok(())
}

fn make_room(writer: &mut Writer, agent: AgentId, max_pending: usize, now: Time) -> Result<()> {
    let pending = writer.row(&COUNT_PENDING, agent, &[])?.map_or(Ok(0), |row| row.fields().count())?;
    let too_many = pending.saturating_sub(max_pending as u64);
    if too_many == 0 {
        return Ok(());
    }
    for row in writer.rows(&OLDEST_PENDING, agent, params![too_many as i64])? {
        let id = CandidateId::of(row.fields().id()?);
        expire(writer, agent, id, "the inbox was full", now)?;
    }
    Ok(())
}

/// Lets a pending candidate go.
pub fn expire(writer: &mut Writer, agent: AgentId, id: CandidateId, reason: &str, now: Time) -> Result<bool> {
    let decided = Decided {
        id,
        status: Status::Expired,
        by: BY_SWEEP.into(),
        reason: Some(reason.into()),
        memory: None,
    };
    decide(writer, agent, &decided, now)
}

/// What was decided on a candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decided {
    /// On which.
    pub id: CandidateId,
    /// What it is now.
    pub status: Status,
    /// By whom.
    pub by: String,
    /// Why.
    pub reason: Option<String>,
    /// What it became, or was merged into.
    pub memory: Option<MemoryId>,
}

/// Decides on a pending candidate; says whether it was pending.
pub fn decide(writer: &mut Writer, agent: AgentId, decided: &Decided, now: Time) -> Result<bool> {
    let Decided { id, status, by, reason, memory } = decided;
    let bound = params![id.id(), status.as_str(), now, by, reason.as_deref(), memory.map(MemoryId::id)];
    let changed = writer.execute(&DECIDE, agent, bound)? > 0;
    if changed {
        events::record(writer, agent, now, &[act(status.as_str(), *id)])?;
    }
    Ok(changed)
}

/// Lets a pending candidate wait longer.
pub fn extend(writer: &mut Writer, agent: AgentId, id: CandidateId, until: Time, now: Time) -> Result<()> {
    if writer.execute(&EXTEND, agent, params![id.id(), until])? > 0 {
        events::record(writer, agent, now, &[act("extended", id)])?;
    }
    Ok(())
}

fn act(act: &'static str, id: CandidateId) -> Act {
    Act { act, subject_kind: "candidate", subject: id.id() }
}

/// What a message yielded, in the order in which it was said.
pub fn of_message(reader: &mut Reader, agent: AgentId, message: MessageId) -> Result<Vec<Kept<Candidate>>> {
    reader
        .rows(&OF_MESSAGE, agent, params![message.id()])?
        .into_iter()
        .map(|row| believed(agent, row))
        .collect()
}

/// Whether the words of a candidate are filed already for its conversation.
pub fn is_filed(reader: &mut Reader, row: &Kept<Candidate>) -> Result<bool> {
    let known = same_words(reader, row.agent, &row.text_hash(&row.provenance))?;
    Ok(known.into_iter().any(|(_, conversation)| conversation == row.conversation))
}

/// In how many conversations the same person said the same words.
pub fn conversations_with(reader: &mut Reader, candidate: &Kept<Candidate>) -> Result<usize> {
    let same = same_words(reader, candidate.agent, &candidate.text_hash(&candidate.provenance))?;
    Ok(same.into_iter().map(|(_, conversation)| conversation).collect::<BTreeSet<_>>().len())
}

fn same_words(
    reader: &mut Reader,
    agent: AgentId,
    hash: &[u8; 32],
) -> Result<Vec<(CandidateId, Option<ConversationId>)>> {
    let rows = reader.rows(&SAME_WORDS, agent, params![hash])?;
    let read = |row: Row| {
        let mut fields = row.fields();
        Ok((CandidateId::of(fields.id()?), fields.opt_id()?.map(ConversationId::of)))
    };
    rows.into_iter().map(read).collect()
}

/// A candidate whose wait is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overdue {
    /// Which.
    pub id: CandidateId,
    /// When it was filed.
    pub created_at: Time,
    /// When its wait ended.
    pub expires_at: Time,
}

/// The pending candidates whose wait was over at `now`.
pub fn overdue(reader: &mut Reader, agent: AgentId, now: Time, limit: i64) -> Result<Vec<Overdue>> {
    let read = |row: Row| {
        let mut fields = row.fields();
        Ok(Overdue {
            id: CandidateId::of(fields.id()?),
            created_at: fields.time()?,
            expires_at: fields.time()?,
        })
    };
    reader.rows(&OVERDUE, agent, params![now, limit])?.into_iter().map(read).collect()
}

/// When somebody last decided on a candidate: the rules and the clock are nobody.
pub fn last_review(reader: &mut Reader, agent: AgentId) -> Result<Option<Time>> {
    reader.row(&LAST_REVIEW, agent, &[])?.map_or(Ok(None), |row| row.fields().opt_time())
}

/// One candidate.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: CandidateId) -> Result<Option<Kept<Candidate>>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(|row| believed(agent, row)).transpose()
}

/// What of the asked-for is there, in no order.
pub fn by_ids(reader: &mut Reader, agent: AgentId, ids: &[CandidateId]) -> Result<Vec<Kept<Candidate>>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(id.id())).collect();
    reader.rows_in(&BY_IDS, agent, &[], &list)?.into_iter().map(|row| believed(agent, row)).collect()
}

/// The candidates of a status after `after`, the oldest first.
pub fn of_status(
    reader: &mut Reader,
    agent: AgentId,
    status: Status,
    after: CandidateId,
    limit: i64,
) -> Result<Vec<Kept<Candidate>>> {
    let rows = reader.rows(&OF_STATUS, agent, params![status.as_str(), after.id(), limit])?;
    rows.into_iter().map(|row| believed(agent, row)).collect()
}

/// The same without what was imported, of which there may be thousands: it waits for whoever imported it, and takes no
/// one's place meanwhile.
pub fn live_of_status(
    reader: &mut Reader,
    agent: AgentId,
    status: Status,
    after: CandidateId,
    limit: i64,
) -> Result<Vec<Kept<Candidate>>> {
    let rows = reader.rows(&LIVE, agent, params![status.as_str(), after.id(), limit])?;
    rows.into_iter().map(|row| believed(agent, row)).collect()
}

/// Removes a candidate; says whether it was there. The schema refuses unless an erasure is open.
pub fn delete(writer: &mut Writer, agent: AgentId, id: CandidateId) -> Result<bool> {
    Ok(writer.execute(&DELETE, agent, params![id.id()])? > 0)
}

/// The next candidates after `after`, in the order of their ids; a damaged one comes as the error that it is.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    after: CandidateId,
    limit: i64,
) -> Result<Vec<Result<Kept<Candidate>>>> {
    let rows = reader.rows(&PAGE, agent, params![after.id(), limit])?;
    Ok(rows.into_iter().map(|row| believed(agent, row)).collect())
}

/// Which memories came of these messages.
pub fn became(
    reader: &mut Reader,
    agent: AgentId,
    messages: &[MessageId],
) -> Result<Vec<(MessageId, MemoryId)>> {
    let list: Vec<Value> = messages.iter().map(|id| Value::Id(id.id())).collect();
    let pair = |row: Row| {
        let mut fields = row.fields();
        Ok((MessageId::of(fields.id()?), MemoryId::of(fields.id()?)))
    };
    reader.rows_in(&BECAME, agent, &[], &list)?.into_iter().map(pair).collect()
}

fn believed(agent: AgentId, row: Row) -> Result<Kept<Candidate>> {
    let mut fields = row.fields();
    let id = CandidateId::of(fields.id()?);
    let unknown = |what: &str| StoreError::Damaged(format!("the {what} of candidate {id} is unknown"));
    let candidate = Candidate {
        id,
        agent,
        kind: CandidateKind::parse(&fields.text()?).map_err(|_| unknown("type"))?,
        content: fields.text()?,
        confidence: fields.real()?,
        cue: fields.text()?,
        conversation: fields.opt_id()?.map(ConversationId::of),
        message: fields.opt_id()?.map(MessageId::of),
        memory_kind: MemoryKind::parse(&fields.text()?).map_err(|_| unknown("memory type"))?,
        importance: fields.real()?,
        entity: fields.opt_id()?.map(EntityId::of),
        created_at: fields.time()?,
        expires_at: fields.time()?,
        status: Status::parse(&fields.text()?).map_err(|_| unknown("status"))?,
        decided_at: fields.opt_time()?,
        decided_by: fields.opt_text()?,
        reason: fields.opt_text()?,
        memory: fields.opt_id()?.map(MemoryId::of),
    };
    provenance::believed(candidate, &mut fields)
}
