//! Whose heart is to beat, and when. A row has a lease and a fence like a duty, but many are taken and settled at once:
//! ten thousand hearts would otherwise cost twenty thousand transactions.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::{Row, params};
use selfsame_core::id::{AgentId, Id, PrincipalId};
use selfsame_core::time::Time;

macro_rules! columns {
    () => {
        "agent_id, principal_id, next_at, token, failures, last_error"
    };
}

statements! {
    global ENSURE = "INSERT INTO heartbeats (agent_id, principal_id, next_at, token, failures)
        VALUES ($1, $2, $3, 0, 0) ON CONFLICT (agent_id, principal_id) DO NOTHING";
    global WAKE = "UPDATE heartbeats SET next_at = $3 WHERE agent_id = $1 AND principal_id = $2 AND next_at > $3";
    global WAKE_ALL = "UPDATE heartbeats SET next_at = $1 WHERE next_at > $1";
    global CLAIM = concat!("UPDATE heartbeats SET token = token + 1, lease_until = $2
        WHERE (agent_id, principal_id) IN (SELECT agent_id, principal_id FROM heartbeats
            WHERE next_at <= $1 AND (lease_until IS NULL OR lease_until <= $1)
            ORDER BY next_at, agent_id, principal_id LIMIT $3 {skip locked})
        RETURNING ", columns!());
    global SETTLE = "UPDATE heartbeats SET next_at = $4, lease_until = NULL, failures = 0, last_error = NULL
        WHERE agent_id = $1 AND principal_id = $2 AND token = $3";
    global FAIL = "UPDATE heartbeats SET next_at = $4, lease_until = NULL, failures = failures + 1, last_error = $5
        WHERE agent_id = $1 AND principal_id = $2 AND token = $3";
    global TAKE = "UPDATE heartbeats SET next_at = $3, token = token + 1, lease_until = NULL
        WHERE agent_id = $1 AND principal_id = $2";
    global OF = concat!("SELECT ", columns!(), " FROM heartbeats WHERE agent_id = $1 AND principal_id = $2");
    global FAILING = "SELECT COUNT(*) FROM heartbeats WHERE agent_id = $1 AND failures > 0";
    global NEXT = "SELECT MIN(next_at) FROM heartbeats WHERE lease_until IS NULL";
    global NEXT_LEASE = "SELECT MIN(lease_until) FROM heartbeats WHERE lease_until IS NOT NULL";
    global PAUSE = "INSERT INTO heartbeat_pauses (id, paused_at) VALUES ($1, $2)";
    global RESUME = "UPDATE heartbeat_pauses SET resumed_at = $1 WHERE resumed_at IS NULL";
    global PAUSED = "SELECT MIN(paused_at) FROM heartbeat_pauses WHERE resumed_at IS NULL";
}

/// A heart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beat {
    /// Whose mind.
    pub agent: AgentId,
    /// For whom.
    pub principal: PrincipalId,
    /// When it was, or is, to beat.
    pub next_at: Time,
    /// The fence: good until another takes it.
    pub token: i64,
    /// Beats that failed, in a row.
    pub failures: u32,
    /// What went wrong last.
    pub last_error: Option<String>,
}

/// Sees to it that a heart beats for somebody; says whether that is new.
pub fn ensure(writer: &mut Writer, agent: AgentId, principal: PrincipalId, first_at: Time) -> Result<bool> {
    Ok(writer.global_execute(&ENSURE, params![agent.id(), principal.id(), first_at])? > 0)
}

/// Sees to it that it beats by then; what beats earlier stays as it is.
pub fn wake_by(writer: &mut Writer, agent: AgentId, principal: PrincipalId, moment: Time) -> Result<()> {
    writer.global_execute(&WAKE, params![agent.id(), principal.id(), moment]).map(drop)
}

/// Takes those that are due, those due the longest first, for as long as a lease lasts.
pub fn claim(writer: &mut Writer, now: Time, until: Time, limit: i64) -> Result<Vec<Beat>> {
    let mut beats = writer
        .global_rows(&CLAIM, params![now, until, limit])?
        .into_iter()
        .map(beat)
        .collect::<Result<Vec<_>>>()?;
    beats.sort_by_key(|beat| (beat.agent, beat.principal));
    Ok(beats)
}

/// It has beaten, and beats again then. Refused if another took it over.
pub fn settle(writer: &mut Writer, beat: &Beat, next_at: Time) -> Result<()> {
    let Beat { agent, principal, token, .. } = beat;
    fenced(writer.global_execute(&SETTLE, params![agent.id(), principal.id(), *token, next_at])?)
}

/// It could not beat; it is tried again then.
pub fn fail(writer: &mut Writer, beat: &Beat, next_at: Time, error: &str) -> Result<()> {
    let Beat { agent, principal, token, .. } = beat;
    fenced(writer.global_execute(&FAIL, params![agent.id(), principal.id(), *token, next_at, error])?)
}

/// It has beaten because somebody asked for it; whoever was about to do it has lost it.
pub fn take(writer: &mut Writer, agent: AgentId, principal: PrincipalId, next_at: Time) -> Result<()> {
    writer.global_execute(&TAKE, params![agent.id(), principal.id(), next_at]).map(drop)
}

/// The heart that beats for somebody.
pub fn of(reader: &mut Reader, agent: AgentId, principal: PrincipalId) -> Result<Option<Beat>> {
    reader.global_rows(&OF, params![agent.id(), principal.id()])?.into_iter().next().map(beat).transpose()
}

/// How many hearts of an agent could not beat the last time.
pub fn failing(reader: &mut Reader, agent: AgentId) -> Result<u64> {
    let row = reader.global_rows(&FAILING, params![agent.id()])?.into_iter().next();
    row.map_or(Ok(0), |row| row.fields().count())
}

/// When the next one is to beat, or to be taken over.
pub fn next_moment(reader: &mut Reader) -> Result<Option<Time>> {
    let next = moment(reader.global_rows(&NEXT, &[])?)?;
    let lease = moment(reader.global_rows(&NEXT_LEASE, &[])?)?;
    Ok([next, lease].into_iter().flatten().min())
}

/// No heart speaks from now on; says whether that is new.
pub fn pause(writer: &mut Writer, id: Id, now: Time) -> Result<bool> {
    if paused_since(writer)?.is_some() {
        return Ok(false);
    }
    writer.global_execute(&PAUSE, params![id, now])?;
    Ok(true)
}

/// They speak again, and look at once what there is to say; says whether that is new.
pub fn resume(writer: &mut Writer, now: Time) -> Result<bool> {
    let resumed = writer.global_execute(&RESUME, params![now])? > 0;
    if resumed {
        writer.global_execute(&WAKE_ALL, params![now])?;
    }
    Ok(resumed)
}

/// Since when no heart speaks.
pub fn paused_since(reader: &mut Reader) -> Result<Option<Time>> {
    moment(reader.global_rows(&PAUSED, &[])?)
}

fn moment(rows: Vec<Row>) -> Result<Option<Time>> {
    rows.into_iter().next().map_or(Ok(None), |row| row.fields().opt_time())
}

fn fenced(changed: u64) -> Result<()> {
    match changed {
        0 => Err(StoreError::StaleFence),
        _ => Ok(()),
    }
}

fn beat(row: Row) -> Result<Beat> {
    let mut fields = row.fields();
    Ok(Beat {
        agent: AgentId::of(fields.id()?),
        principal: PrincipalId::of(fields.id()?),
        next_at: fields.time()?,
        token: fields.int()?,
        failures: fields.count()? as u32,
        last_error: fields.opt_text()?,
    })
}
