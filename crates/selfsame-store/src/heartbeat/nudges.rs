//! What was said unasked: what it was about, how it went out, and what came of it.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::{Statement, statements};
use crate::value::{Fields, Row, Value, params};
use selfsame_core::heartbeat::{Autonomy, NudgeKind, NudgeState, RefKind, Tier};
use selfsame_core::id::{AgentId, Id, NudgeId, PrincipalId, ReceiptId};
use selfsame_core::time::Time;
use std::collections::BTreeMap;

macro_rules! columns {
    () => {
        "id, principal_id, receipt_id, autonomy, kind, urgency, what, why, actions, phrasing, quiet, created_at, \
         grace_until, state, delivered_at, delivered_by, closed_at, answer"
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO nudges (agent_id, ", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)");
    agent INSERT_REFS = "INSERT INTO nudge_refs (agent_id, nudge_id, ref_kind, ref_id, signal, status, due_at)
        VALUES {rows: $1, ?, ?, ?, ?, ?, ?}";
    agent BY_ID = concat!("SELECT ", columns!(), " FROM nudges WHERE agent_id = $1 AND id = $2");
    agent OF = concat!("SELECT ", columns!(), " FROM nudges WHERE agent_id = $1 AND principal_id = $2 AND id < $3
        ORDER BY id DESC LIMIT $4");
    agent IN_STATES = concat!("SELECT ", columns!(), " FROM nudges WHERE agent_id = $1 AND principal_id = $2
        AND id < $3 AND state IN ({list}) ORDER BY id DESC LIMIT $4");
    agent OVERDUE = concat!("SELECT ", columns!(), " FROM nudges WHERE agent_id = $1 AND principal_id = $2
        AND state = 'waiting' AND kind IN ('reminder', 'deadline') AND grace_until <= $3 ORDER BY id");
    agent UNANSWERED_SINCE = concat!("SELECT ", columns!(), " FROM nudges WHERE agent_id = $1 AND principal_id = $2
        AND delivered_at >= $3 AND delivered_at IS NOT NULL AND state = 'delivered' ORDER BY id");
    agent RATED = "SELECT state, delivered_at FROM nudges WHERE agent_id = $1 AND principal_id = $2
        AND delivered_at >= $3 AND delivered_at IS NOT NULL AND NOT quiet ORDER BY delivered_at DESC LIMIT $4";
    agent INTRODUCED = "SELECT created_at FROM nudges WHERE agent_id = $1 AND principal_id = $2 AND created_at > $3
        AND kind = 'introduction' ORDER BY created_at DESC";
    agent DELIVER = "UPDATE nudges SET state = $3, delivered_at = $4, delivered_by = $5
        WHERE agent_id = $1 AND id = $2 AND delivered_at IS NULL";
    agent CLOSE = "UPDATE nudges SET state = $3, closed_at = $4, answer = $5 WHERE agent_id = $1 AND id = $2";
    agent PHRASE = "UPDATE nudges SET phrasing = $3 WHERE agent_id = $1 AND id = $2 AND delivered_at IS NULL";
    agent SAID_BETWEEN = concat!("SELECT ", columns!(), " FROM nudges WHERE agent_id = $1 AND principal_id = $2
        AND created_at >= $3 AND created_at <= $4 ORDER BY created_at, id");
    agent REFS = "SELECT nudge_id, ref_kind, ref_id, signal, status, due_at FROM nudge_refs
        WHERE agent_id = $1 AND nudge_id IN ({list}) ORDER BY nudge_id, ref_kind, ref_id, signal";
    agent ABOUT = "SELECT DISTINCT nudge_id FROM nudge_refs WHERE agent_id = $1 AND ref_id = $2";
    agent COUNT_SINCE = "SELECT state, COUNT(*) FROM nudges
        WHERE agent_id = $1 AND principal_id = $2 AND created_at > $3 GROUP BY state";
    agent INSERT_DELIVERY = "INSERT INTO deliveries (agent_id, nudge_id, channel, state, attempts, updated_at)
        VALUES ($1, $2, $3, 'waiting', 0, $4)";
    agent TRIED = "UPDATE deliveries SET state = $4, attempts = attempts + 1, last_error = $5, updated_at = $6
        WHERE agent_id = $1 AND nudge_id = $2 AND channel = $3";
    agent DELIVERIES = "SELECT nudge_id, channel, state, attempts, last_error, updated_at FROM deliveries
        WHERE agent_id = $1 AND nudge_id IN ({list}) ORDER BY nudge_id, channel";
    agent DELETE_DELIVERIES = "DELETE FROM deliveries WHERE agent_id = $1 AND nudge_id = $2";
    agent DELETE_REFS = "DELETE FROM nudge_refs WHERE agent_id = $1 AND nudge_id = $2";
    agent DELETE = "DELETE FROM nudges WHERE agent_id = $1 AND id = $2";
}

/// Something said unasked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nudge {
    /// Its id.
    pub id: NudgeId,
    /// To whom.
    pub principal: PrincipalId,
    /// The record of the tick that made it.
    pub receipt: ReceiptId,
    /// What acting meant then.
    pub autonomy: Autonomy,
    /// What sort.
    pub kind: NudgeKind,
    /// How much it presses.
    pub urgency: Tier,
    /// What is said.
    pub what: String,
    /// The signals and their words, as JSON.
    pub why: String,
    /// What could be done, as JSON.
    pub actions: String,
    /// A thinker's words for it.
    pub phrasing: Option<String>,
    /// Whether it was made in quiet hours.
    pub quiet: bool,
    /// When it was made.
    pub created_at: Time,
    /// A reminder that nobody fetched by then is missed.
    pub grace_until: Time,
    /// What came of it.
    pub state: NudgeState,
    /// When it reached somebody.
    pub delivered_at: Option<Time>,
    /// Through which channel.
    pub delivered_by: Option<String>,
    /// When it was answered, dismissed or given up.
    pub closed_at: Option<Time>,
    /// By what: a message, or a word of ours.
    pub answer: Option<String>,
}

/// What a nudge speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NudgeRef {
    /// What sort of thing.
    pub kind: RefKind,
    /// Which.
    pub id: Id,
    /// Found by which signal.
    pub signal: String,
    /// How it stood.
    pub status: String,
    /// When it was due.
    pub due_at: Option<Time>,
}

/// A nudge on its way through one channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// Which channel.
    pub channel: String,
    /// `waiting`, `delivered` or `failed`.
    pub state: String,
    /// How often it was tried.
    pub attempts: u64,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// When that was.
    pub updated_at: Time,
}

/// Adds a nudge with what it speaks of.
pub fn insert(writer: &mut Writer, agent: AgentId, nudge: &Nudge, refs: &[NudgeRef]) -> Result<()> {
    let bound = params![
        nudge.id.id(),
        nudge.principal.id(),
        nudge.receipt.id(),
        nudge.autonomy.as_str(),
        nudge.kind.as_str(),
        nudge.urgency.as_str(),
        &nudge.what,
        &nudge.why,
        &nudge.actions,
        nudge.phrasing.as_deref(),
        nudge.quiet,
        nudge.created_at,
        nudge.grace_until,
        nudge.state.as_str(),
        nudge.delivered_at,
        nudge.delivered_by.as_deref(),
        nudge.closed_at,
        nudge.answer.as_deref(),
    ];
    writer.execute(&INSERT, agent, bound)?;
    let row = |one: &NudgeRef| {
        let NudgeRef { kind, id, signal, status, due_at } = one;
        vec![
            nudge.id.id().into(),
            kind.as_str().into(),
            (*id).into(),
            signal.as_str().into(),
            status.as_str().into(),
            (*due_at).into(),
        ]
    };
    writer.insert_all(&INSERT_REFS, agent, &refs.iter().map(row).collect::<Vec<_>>()).map(drop)
}

/// The nudge of that id.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: NudgeId) -> Result<Option<Nudge>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(nudge).transpose()
}

/// The newest for somebody before a nudge, the newest first; in some states, or in any.
pub fn newest(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    before: Id,
    states: Option<&[NudgeState]>,
    limit: i64,
) -> Result<Vec<Nudge>> {
    let bound = params![principal.id(), before, limit];
    let rows = match states {
        None => reader.rows(&OF, agent, bound)?,
        Some(states) => {
            let list: Vec<Value> = states.iter().map(|state| state.as_str().into()).collect();
            reader.rows_in(&IN_STATES, agent, bound, &list)?
        }
    };
    rows.into_iter().map(nudge).collect()
}

/// Reminders that nobody fetched in time. The rest has time.
pub fn overdue(reader: &mut Reader, agent: AgentId, principal: PrincipalId, now: Time) -> Result<Vec<Nudge>> {
    reader.rows(&OVERDUE, agent, params![principal.id(), now])?.into_iter().map(nudge).collect()
}

/// Those that reached somebody since a moment and wait for an answer.
pub fn unanswered_since(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    since: Time,
) -> Result<Vec<Nudge>> {
    let rows = reader.rows(&UNANSWERED_SINCE, agent, params![principal.id(), since])?;
    rows.into_iter().map(nudge).collect()
}

/// What became of the last that count for the rate of answers, and when each was delivered; the latest first.
pub fn rated(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    since: Time,
    last: u32,
) -> Result<Vec<(NudgeState, Time)>> {
    let rows = reader.rows(&RATED, agent, params![principal.id(), since, i64::from(last)])?;
    let one = |row: Row| {
        let mut fields = row.fields();
        Ok((NudgeState::parse(&fields.text()?).map_err(|word| super::unknown(&word))?, fields.time()?))
    };
    rows.into_iter().map(one).collect()
}

/// When the agent introduced itself after a moment; the latest first.
pub fn introduced(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    after: Time,
) -> Result<Vec<Time>> {
    let rows = reader.rows(&INTRODUCED, agent, params![principal.id(), after])?;
    rows.into_iter().map(|row| row.fields().time()).collect()
}

/// It reached somebody; says whether that is new.
pub fn deliver(
    writer: &mut Writer,
    agent: AgentId,
    id: NudgeId,
    state: NudgeState,
    now: Time,
    by: &str,
) -> Result<bool> {
    Ok(writer.execute(&DELIVER, agent, params![id.id(), state.as_str(), now, by])? > 0)
}

/// It is over, and how.
pub fn close(
    writer: &mut Writer,
    agent: AgentId,
    id: NudgeId,
    state: NudgeState,
    now: Time,
    answer: Option<&str>,
) -> Result<()> {
    writer.execute(&CLOSE, agent, params![id.id(), state.as_str(), now, answer]).map(drop)
}

/// A thinker found better words for it, before anybody had it.
pub fn phrase(writer: &mut Writer, agent: AgentId, id: NudgeId, words: &str) -> Result<()> {
    writer.execute(&PHRASE, agent, params![id.id(), words]).map(drop)
}

/// What was made for somebody from one moment to another.
pub fn said_between(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    (from, to): (Time, Time),
) -> Result<Vec<Nudge>> {
    let rows = reader.rows(&SAID_BETWEEN, agent, params![principal.id(), from, to])?;
    rows.into_iter().map(nudge).collect()
}

/// What a nudge speaks of.
pub fn refs(reader: &mut Reader, agent: AgentId, id: NudgeId) -> Result<Vec<NudgeRef>> {
    Ok(refs_of(reader, agent, &[id])?.remove(&id).unwrap_or_default())
}

/// What nudges speak of, by nudge; none for those that speak of nothing.
pub fn refs_of(
    reader: &mut Reader,
    agent: AgentId,
    ids: &[NudgeId],
) -> Result<BTreeMap<NudgeId, Vec<NudgeRef>>> {
    by_nudge(reader, &REFS, agent, ids, |fields| {
        Ok(NudgeRef {
            kind: RefKind::parse(&fields.text()?).map_err(|word| super::unknown(&word))?,
            id: fields.id()?,
            signal: fields.text()?,
            status: fields.text()?,
            due_at: fields.opt_time()?,
        })
    })
}

/// The rows of several nudges in one read. Each begins with its nudge.
fn by_nudge<T>(
    reader: &mut Reader,
    statement: &Statement,
    agent: AgentId,
    ids: &[NudgeId],
    mut one: impl FnMut(&mut Fields) -> Result<T>,
) -> Result<BTreeMap<NudgeId, Vec<T>>> {
    let mut all: BTreeMap<NudgeId, Vec<T>> = BTreeMap::new();
    let list: Vec<Value> = ids.iter().map(|id| id.id().into()).collect();
    for row in reader.rows_in(statement, agent, &[], &list)? {
        let mut fields = row.fields();
        all.entry(NudgeId::of(fields.id()?)).or_default().push(one(&mut fields)?);
    }
    Ok(all)
}

/// The nudges that speak of something.
pub fn about(reader: &mut Reader, agent: AgentId, item: Id) -> Result<Vec<NudgeId>> {
    let rows = reader.rows(&ABOUT, agent, params![item])?;
    rows.into_iter().map(|row| Ok(NudgeId::of(row.fields().id()?))).collect()
}

/// How many there are in each state, of those made after a moment.
pub fn count_since(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    after: Time,
) -> Result<Vec<(NudgeState, u64)>> {
    let one = |row: Row| {
        let mut fields = row.fields();
        Ok((NudgeState::parse(&fields.text()?).map_err(|word| super::unknown(&word))?, fields.count()?))
    };
    reader.rows(&COUNT_SINCE, agent, params![principal.id(), after])?.into_iter().map(one).collect()
}

/// It is to go out through a channel.
pub fn send(writer: &mut Writer, agent: AgentId, id: NudgeId, channel: &str, now: Time) -> Result<()> {
    writer.execute(&INSERT_DELIVERY, agent, params![id.id(), channel, now]).map(drop)
}

/// A channel was tried: it is `delivered`, `failed` for good, or `waiting` for another attempt.
pub fn tried(
    writer: &mut Writer,
    agent: AgentId,
    id: NudgeId,
    channel: &str,
    state: &str,
    error: Option<&str>,
    now: Time,
) -> Result<()> {
    writer.execute(&TRIED, agent, params![id.id(), channel, state, error, now]).map(drop)
}

/// The ways a nudge goes out.
pub fn deliveries(reader: &mut Reader, agent: AgentId, id: NudgeId) -> Result<Vec<Delivery>> {
    Ok(deliveries_of(reader, agent, &[id])?.remove(&id).unwrap_or_default())
}

/// The ways that nudges go out, by nudge; none for those that go nowhere.
pub fn deliveries_of(
    reader: &mut Reader,
    agent: AgentId,
    ids: &[NudgeId],
) -> Result<BTreeMap<NudgeId, Vec<Delivery>>> {
    by_nudge(reader, &DELIVERIES, agent, ids, |fields| {
        Ok(Delivery {
            channel: fields.text()?,
            state: fields.text()?,
            attempts: fields.count()?,
            last_error: fields.opt_text()?,
            updated_at: fields.time()?,
        })
    })
}

/// Removes a nudge that speaks of what is being forgotten.
pub fn delete(writer: &mut Writer, agent: AgentId, id: NudgeId) -> Result<()> {
    for statement in [&DELETE_DELIVERIES, &DELETE_REFS, &DELETE] {
        writer.execute(statement, agent, params![id.id()])?;
    }
    Ok(())
}

fn nudge(row: Row) -> Result<Nudge> {
    let mut fields = row.fields();
    Ok(Nudge {
        id: NudgeId::of(fields.id()?),
        principal: PrincipalId::of(fields.id()?),
        receipt: ReceiptId::of(fields.id()?),
        autonomy: Autonomy::parse(&fields.text()?).map_err(|word| super::unknown(&word))?,
        kind: NudgeKind::parse(&fields.text()?).map_err(|word| super::unknown(&word))?,
        urgency: Tier::parse(&fields.text()?).map_err(|word| super::unknown(&word))?,
        what: fields.text()?,
        why: fields.text()?,
        actions: fields.text()?,
        phrasing: fields.opt_text()?,
        quiet: fields.bool()?,
        created_at: fields.time()?,
        grace_until: fields.time()?,
        state: NudgeState::parse(&fields.text()?).map_err(|word| super::unknown(&word))?,
        delivered_at: fields.opt_time()?,
        delivered_by: fields.opt_text()?,
        closed_at: fields.opt_time()?,
        answer: fields.opt_text()?,
    })
}
