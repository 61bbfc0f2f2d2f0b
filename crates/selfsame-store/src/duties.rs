//! Background duties: rows with a time, a lease and a fence.
//!
//! A process claims a duty for a while (the lease) and gets a number higher than any before (the token). Whatever it
//! then writes is checked against that number in the same transaction, so a process that slept through its lease cannot
//! overwrite what its successor did.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::{Fields, Row, Value, params};
use selfsame_core::duty::Standing;
use selfsame_core::id::{AgentId, DutyId};
use selfsame_core::time::Time;

macro_rules! columns {
    () => {
        "id, kind, agent_id, scope, rhythm, slot, next_at, state, attempts, token, lease_until, done_slot, \
         done_spans, done_count, passed_over, last_error"
    };
}

statements! {
    global ENSURE = "INSERT INTO duties (id, kind, agent_id, scope, rhythm, slot, next_at, state, attempts, token,
            done_count, passed_over, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $6, 'waiting', 0, 0, 0, 0, $7, $7)
        ON CONFLICT (kind, scope) DO NOTHING";
    global CLAIM = concat!("UPDATE duties
        SET state = 'running', token = token + 1, attempts = attempts + 1, lease_until = $2, updated_at = $1
        WHERE id = (SELECT id FROM duties
            WHERE state IN ('waiting', 'running') AND next_at <= $1 AND (lease_until IS NULL OR lease_until <= $1)
                AND kind IN ({list})
            ORDER BY next_at, id LIMIT 1 {skip locked})
        RETURNING ", columns!());
    global FENCE = "UPDATE duties SET updated_at = $3 WHERE id = $1 AND token = $2 AND state = 'running'";
    global RENEW = "UPDATE duties SET lease_until = $3 WHERE id = $1 AND token = $2 AND state = 'running'";
    global SETTLE = "UPDATE duties SET state = $3, slot = $4, next_at = $5, attempts = $6, lease_until = NULL,
            done_slot = $7, done_spans = $8, done_count = done_count + $9, passed_over = passed_over + $10,
            last_error = $11, updated_at = $12
        WHERE id = $1 AND token = $2 AND state = 'running'";
    global REANCHOR = "UPDATE duties SET slot = $3, next_at = $3, updated_at = $4
        WHERE id = $1 AND token = $2 AND state = 'waiting'";
    global RELEASE = "UPDATE duties SET state = 'waiting', next_at = $3, lease_until = NULL, updated_at = $4
        WHERE id = $1 AND token = $2 AND state IN ('waiting', 'running')";
    global REQUEUE = "UPDATE duties SET state = 'waiting', attempts = 0, next_at = $2, lease_until = NULL,
            updated_at = $2
        WHERE id = $1 AND state IN ('dead', 'cancelled')";
    global HASTEN = "UPDATE duties SET slot = $3, next_at = $3, updated_at = $3
        WHERE kind = $1 AND scope = $2 AND state = 'waiting' AND attempts = 0 AND next_at > $3";
    global SET_RHYTHM = "UPDATE duties SET rhythm = $2, slot = $3, next_at = $3, updated_at = $4
        WHERE id = $1 AND state <> 'running'";
    global CANCEL = "UPDATE duties SET state = 'cancelled', token = token + 1, lease_until = NULL, updated_at = $2
        WHERE id = $1 AND state IN ('waiting', 'running', 'dead')";
    global ALL = concat!("SELECT ", columns!(), " FROM duties ORDER BY next_at, id");
    global BY_ID = concat!("SELECT ", columns!(), " FROM duties WHERE id = $1");
    global SWEEP_DONE = "DELETE FROM duties WHERE kind = $1 AND state = 'done' AND updated_at < $2";
    global NEXT_WAITING = "SELECT MIN(next_at) FROM duties WHERE state = 'waiting' AND kind IN ({list})";
    global NEXT_LEASE = "SELECT MIN(lease_until) FROM duties WHERE state = 'running' AND kind IN ({list})";
}

/// A duty as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Duty {
    /// Its id.
    pub id: DutyId,
    /// What is to be done.
    pub kind: String,
    /// For whom; none: the whole house.
    pub agent: Option<AgentId>,
    /// With the kind, what makes it the same duty.
    pub scope: String,
    /// How it repeats, as text.
    pub rhythm: String,
    /// The slot to be done next.
    pub slot: Time,
    /// When to try.
    pub next_at: Time,
    /// `waiting`, `running`, `dead`, `cancelled` or `done`.
    pub state: String,
    /// Attempts for this slot.
    pub attempts: u32,
    /// The fence.
    pub token: i64,
    /// Until when somebody works on it.
    pub lease_until: Option<Time>,
    /// The last slot that was done.
    pub done_slot: Option<Time>,
    /// Which slots were done: stretches, as text.
    pub done_spans: Option<String>,
    /// How many slots were done.
    pub done_count: u64,
    /// How many were given up because nobody was there.
    pub passed_over: u64,
    /// What went wrong last.
    pub last_error: Option<String>,
}

impl Duty {
    /// What of it is judged.
    pub fn standing(&self) -> Standing<'_> {
        Standing {
            state: &self.state,
            rhythm: &self.rhythm,
            slot: self.slot,
            next_at: self.next_at,
            lease_until: self.lease_until,
        }
    }

    /// What its holder must show to write.
    pub fn fence(&self, now: Time) -> Fence {
        Fence { id: self.id, kind: self.kind.clone(), token: self.token, now }
    }
}

/// The right to write for a duty: good until another claims it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fence {
    id: DutyId,
    kind: String,
    token: i64,
    now: Time,
}

impl Fence {
    pub(crate) fn actor(&self) -> String {
        format!("duty:{}", self.kind)
    }
}

/// A duty to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewDuty<'a> {
    /// Its id.
    pub id: DutyId,
    /// What is to be done.
    pub kind: &'a str,
    /// For whom.
    pub agent: Option<AgentId>,
    /// With the kind, what makes it the same duty.
    pub scope: &'a str,
    /// How it repeats, as text.
    pub rhythm: &'a str,
    /// The first slot.
    pub slot: Time,
}

/// What becomes of a duty after an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settlement<'a> {
    /// `waiting`, `dead` or `done`.
    pub state: &'a str,
    /// The slot to be done next.
    pub slot: Time,
    /// When to try.
    pub next_at: Time,
    /// Attempts so far for that slot.
    pub attempts: u32,
    /// The last slot that was done.
    pub done_slot: Option<Time>,
    /// Which slots were done: stretches, as text.
    pub done_spans: Option<&'a str>,
    /// Slots done by this attempt: none or one.
    pub done: u64,
    /// Slots given up.
    pub passed_over: u64,
    /// What went wrong.
    pub error: Option<&'a str>,
}

/// Adds a duty unless the same is there.
pub fn ensure(writer: &mut Writer, duty: &NewDuty<'_>, now: Time) -> Result<bool> {
    let NewDuty { id, kind, agent, scope, rhythm, slot } = *duty;
    let agent = agent.map(AgentId::id);
    Ok(writer.global_execute(&ENSURE, params![id.id(), kind, agent, scope, rhythm, slot, now])? > 0)
}

/// Takes the duty that has been due the longest, of the kinds given, for as long as the lease. Its attempt is counted
/// here, before it starts: one that kills the process counts as well.
pub fn claim(writer: &mut Writer, kinds: &[&str], now: Time, lease_until: Time) -> Result<Option<Duty>> {
    let list: Vec<Value> = kinds.iter().map(|kind| Value::from(*kind)).collect();
    let rows = writer.global_rows_in(&CLAIM, params![now, lease_until], &list)?;
    rows.into_iter().next().map(duty).transpose()
}

/// Refuses whoever does not hold the latest token.
pub(crate) fn check_fence(writer: &mut Writer, fence: &Fence) -> Result<()> {
    match writer.global_execute(&FENCE, params![fence.id.id(), fence.token, fence.now])? {
        0 => Err(StoreError::StaleFence),
        _ => Ok(()),
    }
}

/// Prolongs the lease; refused when another has taken over.
pub fn renew(writer: &mut Writer, fence: &Fence, lease_until: Time) -> Result<()> {
    match writer.global_execute(&RENEW, params![fence.id.id(), fence.token, lease_until])? {
        0 => Err(StoreError::StaleFence),
        _ => Ok(()),
    }
}

/// Ends an attempt.
pub fn settle(writer: &mut Writer, fence: &Fence, settlement: &Settlement<'_>) -> Result<()> {
    let Settlement { state, slot, next_at, attempts, done_slot, done_spans, done, passed_over, error } =
        *settlement;
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let changed = writer.global_execute(
        &SETTLE,
        params![
            fence.id.id(),
            fence.token,
            state,
            slot,
            next_at,
            attempts,
            done_slot,
            done_spans,
            count(done),
            count(passed_over),
            error,
            fence.now,
        ],
    )?;
    if changed == 0 { Err(StoreError::StaleFence) } else { Ok(()) }
}

/// Moves a waiting duty whose slot lies absurdly far ahead, because the clock was wrong when it was set.
pub fn reanchor(writer: &mut Writer, duty: &Duty, slot: Time, now: Time) -> Result<bool> {
    Ok(writer.global_execute(&REANCHOR, params![duty.id.id(), duty.token, slot, now])? > 0)
}

/// Takes a duty from whoever holds it, to be tried at `next_at`: its lease or its pause lies absurdly far ahead, because
/// the clock was wrong when it was set.
pub fn release(writer: &mut Writer, duty: &Duty, next_at: Time, now: Time) -> Result<bool> {
    Ok(writer.global_execute(&RELEASE, params![duty.id.id(), duty.token, next_at, now])? > 0)
}

/// Gives a dead or cancelled duty another chance, from now.
pub fn requeue(writer: &mut Writer, id: DutyId, now: Time) -> Result<bool> {
    Ok(writer.global_execute(&REQUEUE, params![id.id(), now])? > 0)
}

/// Lets a duty that was never tried be done now instead of later; says whether there was such.
pub fn hasten(writer: &mut Writer, kind: &str, scope: &str, now: Time) -> Result<bool> {
    Ok(writer.global_execute(&HASTEN, params![kind, scope, now])? > 0)
}

/// Gives a duty another rhythm, and the first slot of it; not while somebody is at work on it.
pub fn set_rhythm(writer: &mut Writer, id: DutyId, rhythm: &str, slot: Time, now: Time) -> Result<bool> {
    Ok(writer.global_execute(&SET_RHYTHM, params![id.id(), rhythm, slot, now])? > 0)
}

/// Stops a duty; whoever works on it is fenced off.
pub fn cancel(writer: &mut Writer, id: DutyId, now: Time) -> Result<bool> {
    Ok(writer.global_execute(&CANCEL, params![id.id(), now])? > 0)
}

/// Every duty, the next first.
pub fn all(reader: &mut Reader) -> Result<Vec<Duty>> {
    reader.global_rows(&ALL, &[])?.into_iter().map(duty).collect()
}

/// The duty of that id.
pub fn by_id(reader: &mut Reader, id: DutyId) -> Result<Option<Duty>> {
    reader.global_rows(&BY_ID, params![id.id()])?.into_iter().next().map(duty).transpose()
}

/// When something of the kinds given will be due, or a lease on it will end, next.
pub fn next_moment(reader: &mut Reader, kinds: &[&str]) -> Result<Option<Time>> {
    let list: Vec<Value> = kinds.iter().map(|kind| Value::from(*kind)).collect();
    let mut least = |statement| -> Result<Option<Time>> {
        let row = reader.global_rows_in(statement, &[], &list)?.into_iter().next();
        row.map_or(Ok(None), |row| row.fields().opt_time())
    };
    let (waiting, lease) = (least(&NEXT_WAITING)?, least(&NEXT_LEASE)?);
    Ok(waiting.into_iter().chain(lease).min())
}

fn duty(row: Row) -> Result<Duty> {
    let mut fields = row.fields();
    Ok(Duty {
        id: DutyId::of(fields.id()?),
        kind: fields.text()?,
        agent: fields.opt_id()?.map(AgentId::of),
        scope: fields.text()?,
        rhythm: fields.text()?,
        slot: fields.time()?,
        next_at: fields.time()?,
        state: fields.text()?,
        attempts: small_count(&mut fields)?,
        token: fields.int()?,
        lease_until: fields.opt_time()?,
        done_slot: fields.opt_time()?,
        done_spans: fields.opt_text()?,
        done_count: fields.count()?,
        passed_over: fields.count()?,
        last_error: fields.opt_text()?,
    })
}

fn small_count(fields: &mut Fields) -> Result<u32> {
    Ok(u32::try_from(fields.count()?).unwrap_or(u32::MAX))
}

/// Removes duties of a kind that were done before a moment; says how many.
pub fn sweep_done(writer: &mut Writer, kind: &str, before: Time) -> Result<u64> {
    writer.global_execute(&SWEEP_DONE, params![kind, before])
}
