//! Pieces of work. A row has a lease and a fence like a duty; whoever comes for it (a lane, or the agent itself) takes one.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::contemplation::{WorkKind, WorkState};
use selfsame_core::id::{AgentId, CycleId, Id, WorkId};
use selfsame_core::time::Time;

/// The thinker that comes for its work by itself.
pub const PULLED: &str = "agent";

macro_rules! columns {
    () => {
        "agent_id, id, kind, thinker, state, about, quoted, trust, cycle_id, seed, created_at, ready_at, lease_until, \
         token, attempts, ended_at, reason"
    };
}

statements! {
    global INSERT = "INSERT INTO work_items (agent_id, id, kind, thinker, state, about, cycle_id, seed, created_at,
            ready_at, token, attempts)
        VALUES ($1, $2, $3, $4, 'ready', $5, $6, $7, $8, $8, 0, 0)";
    // What was left by a lease that ran out is taken like what was never begun. The agent comes for its own itself.
    global CLAIM = concat!("UPDATE work_items SET state = 'leased', token = token + 1, attempts = attempts + 1,
            lease_until = $2
        WHERE (agent_id, id) IN (SELECT agent_id, id FROM work_items
            WHERE thinker <> 'agent' AND ((state IN ('ready', 'parked') AND ready_at <= $1)
                OR (state = 'leased' AND lease_until <= $1))
            ORDER BY ready_at, agent_id, id LIMIT 1 {skip locked})
        RETURNING ", columns!());
    global CLAIM_ONE = concat!("UPDATE work_items SET state = 'leased', token = token + 1, attempts = attempts + 1,
            lease_until = $4
        WHERE agent_id = $1 AND id = $2 AND ((state IN ('ready', 'parked')) OR (state = 'leased' AND lease_until <= $3))
        RETURNING ", columns!());
    global PULL = concat!("UPDATE work_items SET state = 'leased', token = token + 1, attempts = attempts + 1,
            lease_until = $3
        WHERE (agent_id, id) IN (SELECT agent_id, id FROM work_items
            WHERE agent_id = $1 AND thinker = 'agent' AND ((state IN ('ready', 'parked') AND ready_at <= $2)
                OR (state = 'leased' AND lease_until <= $2))
            ORDER BY ready_at, id LIMIT 1 {skip locked})
        RETURNING ", columns!());
    global RENEW = "UPDATE work_items SET lease_until = $4
        WHERE agent_id = $1 AND id = $2 AND token = $3 AND state = 'leased'";
    global HANDED = "UPDATE work_items SET quoted = $4, trust = $5
        WHERE agent_id = $1 AND id = $2 AND token = $3 AND state = 'leased'";
    global LOWER = "UPDATE work_items SET trust = $4
        WHERE agent_id = $1 AND id = $2 AND token = $3 AND state = 'leased' AND (trust IS NULL OR trust > $4)";
    global SETTLE = "UPDATE work_items SET state = $4, ready_at = $5, ended_at = $6, reason = $7, lease_until = NULL
        WHERE agent_id = $1 AND id = $2 AND token = $3 AND state = 'leased'";
    global CANCEL = "UPDATE work_items SET state = 'cancelled', ended_at = $3, reason = $4, token = token + 1,
            lease_until = NULL
        WHERE agent_id = $1 AND id = $2 AND state IN ('ready', 'leased', 'parked')";
    global BY_ID = concat!("SELECT ", columns!(), " FROM work_items WHERE agent_id = $1 AND id = $2");
    global OF_AGENT = concat!("SELECT ", columns!(), " FROM work_items WHERE agent_id = $1
        ORDER BY created_at DESC, id DESC LIMIT $2");
    global OPEN = concat!("SELECT ", columns!(), " FROM work_items WHERE agent_id = $1
        AND state IN ('ready', 'leased', 'parked') ORDER BY created_at, id");
    // What was given up has its end as the moment from which on it waits.
    global COUNT = "SELECT COUNT(*) FROM work_items WHERE agent_id = $1 AND state = $2 AND ready_at > $3";
    global OF_CYCLE = "SELECT id FROM work_items WHERE agent_id = $1 AND cycle_id = $2 ORDER BY id";
    global BEGUN = "SELECT created_at FROM work_items WHERE agent_id = $1 AND kind = 'contemplate'
        AND created_at > $2 ORDER BY created_at";
    global BEGUN_BY_ALL = "SELECT created_at FROM work_items WHERE kind = 'contemplate' AND created_at > $1
        ORDER BY created_at";
    global NEXT_READY = "SELECT MIN(ready_at) FROM work_items WHERE state IN ('ready', 'parked') AND thinker <> 'agent'";
    global NEXT_LEASE = "SELECT MIN(lease_until) FROM work_items WHERE state = 'leased' AND thinker <> 'agent'";
}

/// A piece of work.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkItem {
    /// Whose mind.
    pub agent: AgentId,
    /// Its name.
    pub id: WorkId,
    /// What is to be done.
    pub kind: WorkKind,
    /// By whom.
    pub thinker: String,
    /// Where it stands.
    pub state: WorkState,
    /// What it is about, as ids.
    pub about: Vec<String>,
    /// What the prompt handed out, as ids.
    pub quoted: Vec<String>,
    /// The lowest trust of what the prompt quotes.
    pub trust: Option<f64>,
    /// The time of thinking that it is.
    pub cycle: Option<CycleId>,
    /// What chance begins from.
    pub seed: i64,
    /// When it was wanted.
    pub created_at: Time,
    /// From when on it may be begun.
    pub ready_at: Time,
    /// Until when whoever has it may take.
    pub lease_until: Option<Time>,
    /// The fence: good until another takes it.
    pub token: i64,
    /// How often it was begun.
    pub attempts: u32,
    /// When it ended.
    pub ended_at: Option<Time>,
    /// Why it stands as it does.
    pub reason: Option<String>,
}

/// A piece of work to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewWork {
    /// Its name.
    pub id: WorkId,
    /// What is to be done.
    pub kind: WorkKind,
    /// By whom.
    pub thinker: String,
    /// What it is about, as ids.
    pub about: Vec<String>,
    /// The time of thinking that it is.
    pub cycle: Option<CycleId>,
    /// What chance begins from.
    pub seed: i64,
}

/// How a lease ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settled<'s> {
    /// Where it stands from now on.
    pub state: WorkState,
    /// From when on it may be begun again.
    pub ready_at: Time,
    /// When it ended, if it did.
    pub ended_at: Option<Time>,
    /// Why.
    pub reason: Option<&'s str>,
}

/// Adds work.
pub fn insert(writer: &mut Writer, agent: AgentId, new: &NewWork, now: Time) -> Result<()> {
    let NewWork { id, kind, thinker, about, cycle, seed } = new;
    let cycle = cycle.map(CycleId::id);
    let bound = params![agent.id(), id.id(), kind.as_str(), thinker, ids_json(about), cycle, *seed, now];
    writer.global_execute(&INSERT, bound).map(drop)
}

/// Takes what has waited the longest, whosesoever it is.
pub fn claim(writer: &mut Writer, now: Time, until: Time) -> Result<Option<WorkItem>> {
    one(writer.global_rows(&CLAIM, params![now, until])?)
}

/// Takes this one, if nobody has it, however long it should still wait.
pub fn claim_one(
    writer: &mut Writer,
    agent: AgentId,
    id: WorkId,
    now: Time,
    until: Time,
) -> Result<Option<WorkItem>> {
    one(writer.global_rows(&CLAIM_ONE, params![agent.id(), id.id(), now, until])?)
}

/// Takes what waits for the agent itself the longest.
pub fn pull(writer: &mut Writer, agent: AgentId, now: Time, until: Time) -> Result<Option<WorkItem>> {
    one(writer.global_rows(&PULL, params![agent.id(), now, until])?)
}

/// Keeps it for longer. Refused if another took it over.
pub fn renew(writer: &mut Writer, item: &WorkItem, until: Time) -> Result<()> {
    let bound = params![item.agent.id(), item.id.id(), item.token, until];
    fenced(writer.global_execute(&RENEW, bound)?)
}

/// Writes down what the prompt handed out, and how far the least of it is believed.
pub fn handed_out(writer: &mut Writer, item: &WorkItem, quoted: &[String], trust: f64) -> Result<()> {
    let bound = params![item.agent.id(), item.id.id(), item.token, ids_json(quoted), trust];
    fenced(writer.global_execute(&HANDED, bound)?)
}

/// Something was read meanwhile that is believed no further than this; what is lower stays.
pub fn lower_trust(writer: &mut Writer, item: &WorkItem, trust: f64) -> Result<()> {
    let bound = params![item.agent.id(), item.id.id(), item.token, trust];
    writer.global_execute(&LOWER, bound).map(drop)
}

/// Ends a lease. Refused if another took it over.
pub fn settle(writer: &mut Writer, item: &WorkItem, settled: &Settled<'_>) -> Result<()> {
    let Settled { state, ready_at, ended_at, reason } = settled;
    let bound =
        params![item.agent.id(), item.id.id(), item.token, state.as_str(), *ready_at, *ended_at, *reason];
    fenced(writer.global_execute(&SETTLE, bound)?)
}

/// It is not wanted any more; says whether it was.
pub fn cancel(writer: &mut Writer, agent: AgentId, id: WorkId, reason: &str, now: Time) -> Result<bool> {
    Ok(writer.global_execute(&CANCEL, params![agent.id(), id.id(), now, reason])? > 0)
}

/// One of them.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: WorkId) -> Result<Option<WorkItem>> {
    one(reader.global_rows(&BY_ID, params![agent.id(), id.id()])?)
}

/// An agent's, the newest first.
pub fn of_agent(reader: &mut Reader, agent: AgentId, limit: i64) -> Result<Vec<WorkItem>> {
    reader.global_rows(&OF_AGENT, params![agent.id(), limit])?.into_iter().map(item).collect()
}

/// What of an agent's is not at its end, the oldest first.
pub fn open(reader: &mut Reader, agent: AgentId) -> Result<Vec<WorkItem>> {
    reader.global_rows(&OPEN, params![agent.id()])?.into_iter().map(item).collect()
}

/// How many of an agent's stand so, of those that wait for, or ended at, a moment after this.
pub fn count(reader: &mut Reader, agent: AgentId, state: WorkState, after: Time) -> Result<u64> {
    let rows = reader.global_rows(&COUNT, params![agent.id(), state.as_str(), after])?;
    rows.into_iter().next().map_or(Ok(0), |row| row.fields().count())
}

/// The work of a time of thinking.
pub fn of_cycle(reader: &mut Reader, agent: AgentId, cycle: CycleId) -> Result<Vec<WorkId>> {
    let rows = reader.global_rows(&OF_CYCLE, params![agent.id(), cycle.id()])?;
    rows.into_iter().map(|row| Ok(WorkId::of(row.fields().id()?))).collect()
}

/// When an agent began to think, after a moment.
pub fn begun_since(reader: &mut Reader, agent: AgentId, since: Time) -> Result<Vec<Time>> {
    moments(reader.global_rows(&BEGUN, params![agent.id(), since])?)
}

/// When anybody began to think, after a moment.
pub fn begun_by_all_since(reader: &mut Reader, since: Time) -> Result<Vec<Time>> {
    moments(reader.global_rows(&BEGUN_BY_ALL, params![since])?)
}

/// When a lane finds something to do.
pub fn next_moment(reader: &mut Reader) -> Result<Option<Time>> {
    let mut next = None;
    for statement in [&NEXT_READY, &NEXT_LEASE] {
        let rows = reader.global_rows(statement, &[])?;
        let moment = rows.into_iter().next().map_or(Ok(None), |row| row.fields().opt_time())?;
        next = [next, moment].into_iter().flatten().min();
    }
    Ok(next)
}

fn ids_json(ids: &[String]) -> Value {
    Value::Json(serde_json::Value::from(ids.to_vec()).to_string())
}

fn moments(rows: Vec<Row>) -> Result<Vec<Time>> {
    rows.into_iter().map(|row| row.fields().time()).collect()
}

fn fenced(changed: u64) -> Result<()> {
    match changed {
        0 => Err(StoreError::StaleFence),
        _ => Ok(()),
    }
}

fn one(rows: Vec<Row>) -> Result<Option<WorkItem>> {
    rows.into_iter().next().map(item).transpose()
}

fn item(row: Row) -> Result<WorkItem> {
    let mut fields = row.fields();
    let agent = AgentId::of(fields.id()?);
    let id = WorkId::of(fields.id()?);
    let damaged = |what: &str| StoreError::Damaged(format!("the {what} of work {id} cannot be read"));
    let ids = |json: Option<String>| match json {
        Some(json) => serde_json::from_str(&json).map_err(|_| damaged("ids")),
        None => Ok(Vec::new()),
    };
    Ok(WorkItem {
        agent,
        id,
        kind: WorkKind::parse(&fields.text()?).map_err(|_| damaged("kind"))?,
        thinker: fields.text()?,
        state: WorkState::parse(&fields.text()?).map_err(|_| damaged("state"))?,
        about: ids(fields.opt_json()?)?,
        quoted: ids(fields.opt_json()?)?,
        trust: fields.opt_real()?,
        cycle: fields.opt_id()?.map(|id: Id| CycleId::of(id)),
        seed: fields.int()?,
        created_at: fields.time()?,
        ready_at: fields.time()?,
        lease_until: fields.opt_time()?,
        token: fields.int()?,
        attempts: u32::try_from(fields.count()?).unwrap_or(u32::MAX),
        ended_at: fields.opt_time()?,
        reason: fields.opt_text()?,
    })
}
