//! The log of what happened: written in the transaction of what it tells of.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::news::News;
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::event::{Act, Event, GENESIS};
use selfsame_core::id::AgentId;
use selfsame_core::time::Time;

statements! {
    agent HEAD = "SELECT seq, audit_head FROM agent_heads WHERE agent_id = $1";
    agent ADVANCE = "UPDATE agent_heads SET seq = $2, audit_head = $3 WHERE agent_id = $1";
    agent APPEND = "INSERT INTO events (agent_id, seq, at, actor, act, subject_kind, subject_id, hash)
        VALUES {rows: $1, ?, ?, ?, ?, ?, ?, ?}";
    agent AFTER = "SELECT seq, at, actor, act, subject_kind, subject_id, hash FROM events
        WHERE agent_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
}

/// Where an agent's log ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    /// The last number given out.
    pub seq: i64,
    /// The last hash.
    pub hash: [u8; 32],
}

/// Where the log of an agent ends.
pub fn head(reader: &mut Reader, agent: AgentId) -> Result<Head> {
    let Some(row) = reader.row(&HEAD, agent, &[])? else {
        return Ok(Head { seq: 0, hash: GENESIS });
    };
    let mut fields = row.fields();
    Ok(Head { seq: fields.int()?, hash: hash(fields.bytes()?)? })
}

/// Records what the transaction does; gives the number of the last event.
pub fn record(writer: &mut Writer, agent: AgentId, now: Time, acts: &[Act]) -> Result<i64> {
    let mut head = head(writer, agent)?;
    let mut rows = Vec::with_capacity(acts.len());
    for act in acts {
        let event = Event {
            seq: head.seq + 1,
            at: now,
            actor: writer.actor().to_owned(),
            act: act.act.to_owned(),
            subject_kind: act.subject_kind.to_owned(),
            subject: act.subject,
        };
        head = Head { seq: event.seq, hash: event.hash(agent, &head.hash) };
        rows.push(cells(event, &head));
    }
    writer.insert_all(&APPEND, agent, &rows)?;
    writer.execute(&ADVANCE, agent, params![head.seq, &head.hash])?;
    writer.tell(News::Log { agent, seq: head.seq });
    Ok(head.seq)
}

/// The events after a number, oldest first, each with its stored hash.
pub fn after(reader: &mut Reader, agent: AgentId, seq: i64, limit: i64) -> Result<Vec<(Event, [u8; 32])>> {
    reader.rows(&AFTER, agent, params![seq, limit])?.into_iter().map(event).collect()
}

fn cells(event: Event, head: &Head) -> Vec<Value> {
    vec![
        event.seq.into(),
        event.at.into(),
        event.actor.into(),
        event.act.into(),
        event.subject_kind.into(),
        event.subject.into(),
        (&head.hash).into(),
    ]
}

fn event(row: Row) -> Result<(Event, [u8; 32])> {
    let mut fields = row.fields();
    let event = Event {
        seq: fields.int()?,
        at: fields.time()?,
        actor: fields.text()?,
        act: fields.text()?,
        subject_kind: fields.text()?,
        subject: fields.id()?,
    };
    Ok((event, hash(fields.bytes()?)?))
}

fn hash(bytes: Vec<u8>) -> Result<[u8; 32]> {
    bytes.try_into().map_err(|_| StoreError::Damaged("a hash has the wrong length".into()))
}
