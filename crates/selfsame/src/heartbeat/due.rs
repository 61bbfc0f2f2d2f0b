//! What falls due: every write that sets, moves or ends a schedule or a deadline passes here, in its own transaction.
//!
//! A due moment stays due until it is settled, and settling it says what came of it: what was only looked at, held back
//! or failed on its way is still there. After a long sleep there is one moment to settle, and the next lies ahead.

use crate::error::{Result, StoreResult};
use crate::mind::Access;
use selfsame_core::calendar::CalendarEvent;
use selfsame_core::event::Act;
use selfsame_core::heartbeat::schedule::{self, Ending, Outcome, Schedule, Source, SourceKind};
use selfsame_core::heartbeat::{Ladder, Promise, Rung};
use selfsame_core::id::{AgentId, CalendarId, MemoryId, PrincipalId, ScheduleId};
use selfsame_core::kept::Kept;
use selfsame_core::memory::Memory;
use selfsame_core::time::{Time, Zone};
use selfsame_core::todo::{Standing, Todo};
use selfsame_core::trust::Provenance;
use selfsame_store::agents::Agent;
use selfsame_store::deadlines::{self, Deadline};
use selfsame_store::heartbeat::beats;
use selfsame_store::schedules::{self, NewSchedule, ScheduleRow, Settlement};
use selfsame_store::{Reader, StoreError, Writer, calendar, events, principals};
use std::collections::BTreeSet;
use std::time::Duration;

/// What the schedule of a to-do says: at its own date.
const AT_ITS_DATE: &str = "due";
/// What the schedule of a calendar entry says: before it takes place.
const BEFORE_IT: &str = "entry";
/// A principal's heart beats first so long after they met.
const FIRST_BEAT: Duration = Duration::from_secs(5 * 60);

/// When the heart of a principal beats first.
pub(crate) fn first_beat(created_at: Time) -> Time {
    created_at.saturating_add(FIRST_BEAT)
}

/// What a memory on its way into the store says about its schedule.
#[derive(Clone)]
pub(crate) enum Plan {
    /// Nothing: what the memory that it takes the place of had goes on.
    Keep,
    /// It is due then.
    Set(Box<Planned>),
    /// It is not to be brought up any more.
    Drop,
}

/// A schedule that was asked for.
#[derive(Clone)]
pub(crate) struct Planned {
    id: ScheduleId,
    tag: String,
    schedule: Schedule,
}

impl Access<'_> {
    /// What the tags of a memory say about its schedule.
    pub(crate) fn plan(&self, tags: &[String], now: Time) -> Result<Plan> {
        let Some(tag) = schedule::of_tags(tags)? else {
            return Ok(Plan::Keep);
        };
        let schedule = Schedule::parse(tag, &self.home()?, now)?;
        let id = ScheduleId::of(self.mind.mint.id(now));
        Ok(Plan::Set(Box::new(Planned { id, tag: tag.to_owned(), schedule })))
    }

    /// The zone of whom the caller speaks for.
    fn home(&self) -> Result<Zone> {
        let whom = self.caller.principal_id().unwrap_or(self.agent.operator);
        let read = |reader: &mut Reader| home_of(reader, &self.agent, whom);
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], read)?)
    }
}

/// The zone of a principal's days.
pub(super) fn home_of(reader: &mut Reader, agent: &Agent, whom: PrincipalId) -> StoreResult<Zone> {
    let named = principals::zone(reader, agent.id, whom)?;
    zone(named.as_deref().unwrap_or(&agent.zone))
}

fn zone(name: &str) -> StoreResult<Zone> {
    Zone::parse(name).map_err(|unknown| StoreError::Damaged(unknown.to_string()))
}

// Memories ---------------------------------------------------------------------------------------------------------

/// Keeps what a memory that was just stored says about when it is due.
pub(crate) fn keep(
    writer: &mut Writer,
    ladder: &Ladder,
    memory: &Memory,
    serves: Option<PrincipalId>,
    plan: &Plan,
    now: Time,
) -> StoreResult<()> {
    keep_schedule(writer, memory, serves, plan, now)?;
    keep_deadline(writer, ladder, memory, serves, now)
}

fn keep_schedule(
    writer: &mut Writer,
    memory: &Memory,
    serves: Option<PrincipalId>,
    plan: &Plan,
    now: Time,
) -> StoreResult<()> {
    let (agent, replaced) = (memory.agent, memory.links.replaces.map(Source::from));
    let former = match replaced {
        Some(replaced) => schedules::by_source(writer, agent, replaced)?,
        None => None,
    };
    match (plan, former) {
        (Plan::Keep, None) | (Plan::Drop, None) => Ok(()),
        (Plan::Drop, Some(former)) => {
            schedules::end(writer, agent, former.source, now, Ending::Removed).map(drop)
        }
        (Plan::Set(planned), Some(former)) if planned.tag != former.spec => {
            schedules::delete(writer, agent, former.source)?;
            // Whoever puts the words right, it is still the same one who is reminded.
            planned.insert(writer, memory, former.serves, now)
        }
        (_, Some(former)) => schedules::move_to(writer, agent, former.source, memory.id.into()).map(drop),
        (Plan::Set(planned), None) => match serves {
            Some(serves) => planned.insert(writer, memory, serves, now),
            None => Ok(()),
        },
    }
}

impl Planned {
    fn insert(
        &self,
        writer: &mut Writer,
        memory: &Memory,
        serves: PrincipalId,
        now: Time,
    ) -> StoreResult<()> {
        let Some(first) = self.schedule.next_after(now) else {
            let why = format!("`{}` is past: write a later time", self.tag);
            return Err(StoreError::BadValue(why));
        };
        let new = NewSchedule {
            id: self.id,
            source: memory.id.into(),
            serves,
            spec: self.tag.clone(),
            zone: self.schedule.zone().name().to_owned(),
            next_due_at: first,
            created_at: now,
        };
        begin(writer, memory.agent, &new)
    }
}

/// Adds a schedule, and sees to it that somebody looks when it is due.
pub(super) fn begin(writer: &mut Writer, agent: AgentId, new: &NewSchedule) -> StoreResult<()> {
    schedules::insert(writer, agent, new)?;
    beats::wake_by(writer, agent, new.serves, new.next_due_at)
}

/// Puts the deadline of a memory on its ladder; a next edition stands where the one before stood, if it is due at the
/// same time.
pub(super) fn keep_deadline(
    writer: &mut Writer,
    ladder: &Ladder,
    memory: &Memory,
    serves: Option<PrincipalId>,
    now: Time,
) -> StoreResult<()> {
    let agent = memory.agent;
    let former = match memory.links.replaces {
        Some(replaced) => deadlines::by_memory(writer, agent, replaced)?,
        None => None,
    };
    // What a tool says again changes no deadline.
    let due_at =
        if serves.is_some() { memory.expires_at } else { former.as_ref().map(|former| former.due_at) };
    if let Some(former) = &former {
        if former.ended.is_some() && due_at == Some(former.due_at) {
            return Ok(());
        }
        if former.ended.is_none() {
            deadlines::delete(writer, agent, former.memory)?;
        }
    }
    let whom = former.as_ref().map(|former| former.serves).or(serves);
    let (Some(due_at), Some(serves)) = (due_at, whom) else {
        return Ok(());
    };
    let told = former.filter(|former| former.due_at == due_at).and_then(|former| former.told);
    let Some(next) = ladder.next_rung_at(due_at, told, now) else {
        return Ok(());
    };
    let next_rung_at = Some(next);
    let deadline = Deadline { memory: memory.id, serves, due_at, told, next_rung_at, ended: None };
    deadlines::insert(writer, agent, &deadline)?;
    beats::wake_by(writer, agent, serves, next)
}

/// A memory is done with: so is what was due about it. By its deadline it is kept, after it broken.
pub(crate) fn resolved(writer: &mut Writer, agent: AgentId, id: MemoryId, now: Time) -> StoreResult<()> {
    schedules::end(writer, agent, id.into(), now, Ending::Done)?;
    let Some(deadline) = deadlines::by_memory(writer, agent, id)? else {
        return Ok(());
    };
    deadlines::end(writer, agent, id, now, Promise::done(deadline.due_at, now)).map(drop)
}

/// A memory is put away for good: it is not brought up any more.
pub(crate) fn put_away(writer: &mut Writer, agent: AgentId, id: MemoryId, now: Time) -> StoreResult<()> {
    schedules::end(writer, agent, id.into(), now, Ending::Removed).map(drop)
}

/// Takes away all that was due about a memory that is being forgotten.
pub(crate) fn forget(writer: &mut Writer, agent: AgentId, id: MemoryId) -> StoreResult<()> {
    schedules::delete(writer, agent, id.into())?;
    deadlines::delete(writer, agent, id).map(drop)
}

// To-dos -----------------------------------------------------------------------------------------------------------

/// Keeps the reminder of a to-do in step with where it stands; `id` is for a new one.
pub(crate) fn keep_todo(
    writer: &mut Writer,
    agent: &Agent,
    todo: &Kept<Todo>,
    standing: &Standing,
    id: ScheduleId,
    now: Time,
) -> StoreResult<()> {
    let source = Source::from(todo.id);
    let due_at = standing.due_at.filter(|_| standing.remind && standing.status.is_open());
    let there = schedules::by_source(writer, agent.id, source)?;
    match (due_at, there) {
        (None, None) => Ok(()),
        (None, Some(_)) => {
            let how = if standing.status.is_open() { Ending::Removed } else { Ending::Done };
            schedules::end(writer, agent.id, source, now, how).map(drop)
        }
        (Some(due_at), Some(there)) => remind_at(writer, agent.id, &there, due_at),
        (Some(due_at), None) => {
            let serves = served_by(&todo.provenance, agent);
            let zone = home_of(writer, agent, serves)?.name().to_owned();
            let spec = AT_ITS_DATE.to_owned();
            let new = NewSchedule { id, source, serves, spec, zone, next_due_at: due_at, created_at: now };
            begin(writer, agent.id, &new)
        }
    }
}

/// Moves a reminder, unless it has been given for that very moment or waits for it.
fn remind_at(writer: &mut Writer, agent: AgentId, there: &ScheduleRow, at: Time) -> StoreResult<()> {
    let given = there.last.is_some_and(|(slot, _)| slot == at);
    if given || there.next_due_at == Some(at) {
        return Ok(());
    }
    schedules::reschedule(writer, agent, there.id, at)?;
    beats::wake_by(writer, agent, there.serves, at)
}

/// Whose reminder it is: the agent's own are the operator's.
pub(super) fn served_by(provenance: &Provenance, agent: &Agent) -> PrincipalId {
    provenance.principal_id().unwrap_or(agent.operator)
}

// The calendar -----------------------------------------------------------------------------------------------------

/// Sets the reminder of a calendar entry that was just added, if it wants one and is still to come.
pub(crate) fn keep_entry(
    writer: &mut Writer,
    agent: &Agent,
    event: &Kept<CalendarEvent>,
    id: ScheduleId,
    now: Time,
) -> StoreResult<()> {
    let without = exceptions(writer, agent.id, event.id)?;
    let Some(first) = event.reminder(Time::MIN, now, &without) else {
        return Ok(());
    };
    let new = NewSchedule {
        id,
        source: event.id.into(),
        serves: served_by(&event.provenance, agent),
        spec: BEFORE_IT.to_owned(),
        zone: event.zone.name().to_owned(),
        next_due_at: first,
        created_at: now,
    };
    begin(writer, agent.id, &new)
}

/// An occurrence was taken off: if it was the one to be reminded of, another is.
pub(crate) fn occurrence_removed(
    writer: &mut Writer,
    agent: AgentId,
    event: &CalendarEvent,
    now: Time,
) -> StoreResult<()> {
    let Some(there) = schedules::by_source(writer, agent, event.id.into())? else {
        return Ok(());
    };
    let Some(pending) = there.next_due_at else {
        return Ok(());
    };
    let without = exceptions(writer, agent, event.id)?;
    if event.reminds_at(pending, &without) {
        return Ok(());
    }
    match event.reminder(pending, now, &without) {
        Some(next) => remind_at(writer, agent, &there, next),
        None => schedules::end(writer, agent, there.source, now, Ending::Removed).map(drop),
    }
}

/// A calendar entry was taken off.
pub(crate) fn entry_removed(
    writer: &mut Writer,
    agent: AgentId,
    id: CalendarId,
    now: Time,
) -> StoreResult<()> {
    schedules::end(writer, agent, id.into(), now, Ending::Removed).map(drop)
}

pub(super) fn exceptions(
    reader: &mut Reader,
    agent: AgentId,
    id: CalendarId,
) -> StoreResult<BTreeSet<String>> {
    Ok(calendar::exceptions(reader, agent, &[id.id()])?.remove(&id.id()).unwrap_or_default())
}

// Zones ------------------------------------------------------------------------------------------------------------

/// A principal lives by another clock: so does what names none.
pub(crate) fn rezone(
    writer: &mut Writer,
    agent: AgentId,
    whom: PrincipalId,
    home: &Zone,
    now: Time,
) -> StoreResult<()> {
    for row in schedules::running_of(writer, agent, whom)? {
        if row.source.kind != SourceKind::Memory {
            continue;
        }
        let schedule = parsed(&row, home)?;
        if schedule.names_its_zone() {
            continue;
        }
        let left = zone(&row.zone)?;
        schedules::set_zone(writer, agent, row.id, home.name())?;
        let since = row.last.map_or(row.created_at, |(slot, _)| slot);
        if let Some(next) = schedule.after_moving(&left, since, row.next_due_at, now) {
            remind_at(writer, agent, &row, next)?;
        }
    }
    Ok(())
}

// What came of it --------------------------------------------------------------------------------------------------

/// What became of a due moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It reached somebody, in time or not.
    Delivered,
    /// It can no longer reach anybody.
    Missed,
    /// Nobody wanted to hear anything.
    Muted,
}

/// A due moment that was settled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settled {
    /// What came of it.
    pub outcome: Outcome,
    /// When it is due next; none: it has ended.
    pub next: Option<Time>,
}

/// Settles the due moment `slot` of a schedule; none if that is not pending: settled before, moved or taken off. The next
/// one lies after `now`, however many have passed.
pub fn settle(
    writer: &mut Writer,
    grace: Duration,
    agent: AgentId,
    id: ScheduleId,
    slot: Time,
    fate: Fate,
    now: Time,
) -> StoreResult<Option<Settled>> {
    let Some(row) = schedules::by_id(writer, agent, id)?.filter(|row| row.next_due_at == Some(slot)) else {
        return Ok(None);
    };
    let next = next_due(writer, agent, &row, now.max(slot))?;
    let outcome = match fate {
        Fate::Delivered => Outcome::delivered(slot, grace_of(&row, grace)?, now),
        Fate::Missed => Outcome::Missed,
        Fate::Muted => Outcome::MissedMuted,
    };
    let ended = next.is_none().then(|| (now, outcome.ending()));
    schedules::settle(writer, agent, id, &Settlement { slot, outcome, next, ended })?;
    if let Some(next) = next {
        beats::wake_by(writer, agent, row.serves, next)?;
    }
    let act = Act { act: outcome.as_str(), subject_kind: "schedule", subject: id.id() };
    events::record(writer, agent, now, &[act])?;
    Ok(Some(Settled { outcome, next }))
}

/// How long after its due moment a schedule can still be told in time.
pub(super) fn grace_of(row: &ScheduleRow, most: Duration) -> StoreResult<Duration> {
    match row.source.kind {
        SourceKind::Memory => Ok(parsed(row, &zone(&row.zone)?)?.grace(most)),
        SourceKind::Todo | SourceKind::Calendar => Ok(most),
    }
}

/// When a schedule is due next, after a moment.
fn next_due(
    reader: &mut Reader,
    agent: AgentId,
    row: &ScheduleRow,
    after: Time,
) -> StoreResult<Option<Time>> {
    match row.source.kind {
        SourceKind::Memory => Ok(parsed(row, &zone(&row.zone)?)?.next_after(after)),
        SourceKind::Todo => Ok(None),
        SourceKind::Calendar => {
            let id = CalendarId::of(row.source.id);
            let without = exceptions(reader, agent, id)?;
            let event = calendar::by_id(reader, agent, id)?.filter(|event| event.removed_at.is_none());
            Ok(event.and_then(|event| event.reminder(after, Time::MIN, &without)))
        }
    }
}

fn parsed(row: &ScheduleRow, home: &Zone) -> StoreResult<Schedule> {
    let unreadable = |bad: schedule::BadSchedule| StoreError::Damaged(format!("{}: {bad}", row.id));
    Schedule::parse(&row.spec, home, row.created_at).map_err(unreadable)
}

/// A rung of a memory's deadline was told; gives when there is something to do about it next. None if it has ended.
pub fn tell_rung(
    writer: &mut Writer,
    ladder: &Ladder,
    agent: AgentId,
    memory: MemoryId,
    rung: Rung,
    now: Time,
) -> StoreResult<Option<Time>> {
    let Some(deadline) = deadlines::by_memory(writer, agent, memory)?.filter(|one| one.ended.is_none())
    else {
        return Ok(None);
    };
    // Told out of turn, an older rung does not bring the newer ones back.
    let told = deadline.told.map_or(rung, |told| told.max(rung));
    let next = ladder.next_rung_at(deadline.due_at, Some(told), now);
    let next = next.unwrap_or_else(|| ladder.over_at(deadline.due_at));
    deadlines::told(writer, agent, memory, told, Some(next))?;
    Ok(Some(next))
}

/// Gives up the deadlines of a principal whose ladder is over: they are missed. Gives which. What has reached no rung of
/// this ladder was put on another one, before somebody set it otherwise: it waits for the rung that is next now.
pub fn give_up_deadlines(
    writer: &mut Writer,
    ladder: &Ladder,
    agent: AgentId,
    principal: PrincipalId,
    muted: bool,
    now: Time,
) -> StoreResult<Vec<MemoryId>> {
    let outcome = Promise::given_up(muted);
    let reached = deadlines::reached(writer, agent, principal, now)?;
    let (over, running): (Vec<_>, Vec<_>) =
        reached.into_iter().partition(|deadline| ladder.is_over(deadline.due_at, now));
    for deadline in running {
        let next = ladder.next_rung_at(deadline.due_at, deadline.told, now);
        if let Some(next) = next.filter(|next| *next > now) {
            deadlines::wait_until(writer, agent, deadline.memory, next)?;
        }
    }
    for deadline in &over {
        deadlines::end(writer, agent, deadline.memory, now, outcome)?;
        let act = Act { act: outcome.as_str(), subject_kind: "deadline", subject: deadline.memory.id() };
        events::record(writer, agent, now, &[act])?;
    }
    Ok(over.into_iter().map(|deadline| deadline.memory).collect())
}
