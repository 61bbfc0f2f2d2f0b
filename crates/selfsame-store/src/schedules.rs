//! Schedules: when memories, to-dos and calendar entries are to be brought up. To be recalled changes nothing here.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::{Row, params};
use selfsame_core::heartbeat::schedule::{Ending, Outcome, Source, SourceKind};
use selfsame_core::id::{AgentId, PrincipalId, ScheduleId};
use selfsame_core::time::Time;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, source_kind, source_id, serves_id, spec, zone, next_due_at, surfaced_slot, last_due_at,
             last_outcome, delivered, missed, created_at, ended_at, ended_how FROM schedules WHERE agent_id = $1 AND ",
            $rest
        )
    };
}

statements! {
    agent INSERT = "INSERT INTO schedules (agent_id, id, source_kind, source_id, serves_id, spec, zone, next_due_at,
            delivered, missed, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, $9) ON CONFLICT (agent_id, source_kind, source_id) DO NOTHING";
    agent BY_ID = select!("id = $2");
    agent BY_SOURCE = select!("source_kind = $2 AND source_id = $3");
    agent DUE = select!("serves_id = $2 AND next_due_at <= $3 AND surfaced_slot IS NULL ORDER BY next_due_at, id");
    agent RUNNING_OF = select!("serves_id = $2 AND next_due_at IS NOT NULL ORDER BY next_due_at, id");
    agent RUNNING = select!("ended_at IS NULL ORDER BY next_due_at, id LIMIT $2");
    agent ENDED = select!("ended_at IS NOT NULL ORDER BY ended_at DESC, id LIMIT $2");
    agent SURFACE = "UPDATE schedules SET surfaced_slot = next_due_at
        WHERE agent_id = $1 AND id = $2 AND next_due_at = $3";
    // Whoever settles a moment that is not the pending one is too late, or has done so before.
    agent SETTLE = "UPDATE schedules SET last_due_at = $3, last_outcome = $4, next_due_at = $5, surfaced_slot = NULL,
            delivered = delivered + $6, missed = missed + $7, ended_at = $8, ended_how = $9
        WHERE agent_id = $1 AND id = $2 AND next_due_at = $3";
    agent RESCHEDULE = "UPDATE schedules SET next_due_at = $3, surfaced_slot = NULL, ended_at = NULL,
            ended_how = NULL WHERE agent_id = $1 AND id = $2";
    agent SET_ZONE = "UPDATE schedules SET zone = $3 WHERE agent_id = $1 AND id = $2";
    agent MOVE = "UPDATE schedules SET source_id = $4 WHERE agent_id = $1 AND source_kind = $2 AND source_id = $3";
    agent END = "UPDATE schedules SET next_due_at = NULL, surfaced_slot = NULL, ended_at = $4, ended_how = $5
        WHERE agent_id = $1 AND source_kind = $2 AND source_id = $3 AND ended_at IS NULL";
    agent DELETE = "DELETE FROM schedules WHERE agent_id = $1 AND source_kind = $2 AND source_id = $3";
}

/// A schedule to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewSchedule {
    /// Its id.
    pub id: ScheduleId,
    /// What is brought up.
    pub source: Source,
    /// Who is told.
    pub serves: PrincipalId,
    /// When, as it was written.
    pub spec: String,
    /// By whose clock.
    pub zone: String,
    /// When first.
    pub next_due_at: Time,
    /// Since when there is one.
    pub created_at: Time,
}

/// A schedule as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleRow {
    /// Its id.
    pub id: ScheduleId,
    /// What is brought up.
    pub source: Source,
    /// Who is told.
    pub serves: PrincipalId,
    /// When, as it was written; a to-do's and an entry's own moments: `due`, `entry`.
    pub spec: String,
    /// By whose clock.
    pub zone: String,
    /// The moment that is to come, or is due and not settled; none: there is no more.
    pub next_due_at: Option<Time>,
    /// The due moment that a nudge was made for.
    pub surfaced_slot: Option<Time>,
    /// The due moment that was last settled, and how.
    pub last: Option<(Time, Outcome)>,
    /// How often it reached somebody.
    pub delivered: u64,
    /// How often it did not.
    pub missed: u64,
    /// Since when there is one.
    pub created_at: Time,
    /// When it ended, and how.
    pub ended: Option<(Time, Ending)>,
}

/// What becomes of a schedule whose due moment is settled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settlement {
    /// The due moment.
    pub slot: Time,
    /// What came of it.
    pub outcome: Outcome,
    /// The next one; none: there is no more.
    pub next: Option<Time>,
    /// When and how it ends, if there is no more.
    pub ended: Option<(Time, Ending)>,
}

/// Adds a schedule, unless what it brings up has one.
pub fn insert(writer: &mut Writer, agent: AgentId, new: &NewSchedule) -> Result<bool> {
    let NewSchedule { id, source, serves, spec, zone, next_due_at, created_at } = new;
    let kind = source.kind.as_str();
    let bound = params![id.id(), kind, source.id, serves.id(), spec, zone, *next_due_at, *created_at];
    Ok(writer.execute(&INSERT, agent, bound)? > 0)
}

/// One schedule, ended or not.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: ScheduleId) -> Result<Option<ScheduleRow>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(schedule).transpose()
}

/// The schedule of what it brings up, ended or not.
pub fn by_source(reader: &mut Reader, agent: AgentId, source: Source) -> Result<Option<ScheduleRow>> {
    let bound = params![source.kind.as_str(), source.id];
    reader.row(&BY_SOURCE, agent, bound)?.map(schedule).transpose()
}

/// The schedules of a principal that are due and were not surfaced yet, the longest due first.
pub fn due(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    now: Time,
) -> Result<Vec<ScheduleRow>> {
    all(reader.rows(&DUE, agent, params![principal.id(), now])?)
}

/// Those of a principal that have not ended.
pub fn running_of(reader: &mut Reader, agent: AgentId, principal: PrincipalId) -> Result<Vec<ScheduleRow>> {
    all(reader.rows(&RUNNING_OF, agent, params![principal.id()])?)
}

/// Those that have not ended, the next first.
pub fn running(reader: &mut Reader, agent: AgentId, limit: i64) -> Result<Vec<ScheduleRow>> {
    all(reader.rows(&RUNNING, agent, params![limit])?)
}

/// Those that have ended, the last first.
pub fn ended(reader: &mut Reader, agent: AgentId, limit: i64) -> Result<Vec<ScheduleRow>> {
    all(reader.rows(&ENDED, agent, params![limit])?)
}

/// A nudge was made for a due moment; says whether that is still pending.
pub fn surface(writer: &mut Writer, agent: AgentId, id: ScheduleId, slot: Time) -> Result<bool> {
    Ok(writer.execute(&SURFACE, agent, params![id.id(), slot])? > 0)
}

/// Settles a due moment; says whether it was pending.
pub fn settle(writer: &mut Writer, agent: AgentId, id: ScheduleId, settlement: &Settlement) -> Result<bool> {
    let Settlement { slot, outcome, next, ended } = *settlement;
    let reached = i64::from(outcome.reached_somebody());
    let (ended_at, ended_how) = ended.map(|(at, how)| (at, how.as_str())).unzip();
    let bound = params![id.id(), slot, outcome.as_str(), next, reached, 1 - reached, ended_at, ended_how];
    Ok(writer.execute(&SETTLE, agent, bound)? > 0)
}

/// Sets when a schedule is due next, as if it had not ended.
pub fn reschedule(writer: &mut Writer, agent: AgentId, id: ScheduleId, next: Time) -> Result<()> {
    writer.execute(&RESCHEDULE, agent, params![id.id(), next]).map(drop)
}

/// Sets by which clock a schedule goes on; what is pending stays.
pub fn set_zone(writer: &mut Writer, agent: AgentId, id: ScheduleId, zone: &str) -> Result<()> {
    writer.execute(&SET_ZONE, agent, params![id.id(), zone]).map(drop)
}

/// Gives the schedule of one source to another of the same kind: its next edition.
pub fn move_to(writer: &mut Writer, agent: AgentId, from: Source, to: Source) -> Result<bool> {
    Ok(writer.execute(&MOVE, agent, params![from.kind.as_str(), from.id, to.id])? > 0)
}

/// Ends the schedule of a source; says whether it had one that had not ended.
pub fn end(writer: &mut Writer, agent: AgentId, source: Source, now: Time, how: Ending) -> Result<bool> {
    Ok(writer.execute(&END, agent, params![source.kind.as_str(), source.id, now, how.as_str()])? > 0)
}

/// Removes the schedule of a source.
pub fn delete(writer: &mut Writer, agent: AgentId, source: Source) -> Result<bool> {
    Ok(writer.execute(&DELETE, agent, params![source.kind.as_str(), source.id])? > 0)
}

fn all(rows: Vec<Row>) -> Result<Vec<ScheduleRow>> {
    rows.into_iter().map(schedule).collect()
}

fn schedule(row: Row) -> Result<ScheduleRow> {
    let mut fields = row.fields();
    let id = ScheduleId::of(fields.id()?);
    let unknown = |_| StoreError::Damaged(format!("a word of {id} is unknown"));
    let kind = SourceKind::parse(&fields.text()?).map_err(unknown)?;
    let source = Source { kind, id: fields.id()? };
    let serves = PrincipalId::of(fields.id()?);
    let (spec, zone) = (fields.text()?, fields.text()?);
    let (next_due_at, surfaced_slot, last_due_at) =
        (fields.opt_time()?, fields.opt_time()?, fields.opt_time()?);
    let outcome = fields.opt_text()?.map(|word| Outcome::parse(&word)).transpose().map_err(unknown)?;
    let (delivered, missed, created_at) = (fields.count()?, fields.count()?, fields.time()?);
    let ended_at = fields.opt_time()?;
    let how = fields.opt_text()?.map(|word| Ending::parse(&word)).transpose().map_err(unknown)?;
    let (last, ended) = (last_due_at.zip(outcome), ended_at.zip(how));
    Ok(ScheduleRow {
        id,
        source,
        serves,
        spec,
        zone,
        next_due_at,
        surfaced_slot,
        last,
        delivered,
        missed,
        created_at,
        ended,
    })
}
