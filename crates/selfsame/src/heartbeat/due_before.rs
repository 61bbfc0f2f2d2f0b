//! What was stored before there was a heartbeat falls due as well.
//!
//! Batch by batch, each a transaction that locks the agent and adds only what is missing: killed anywhere, or done by two
//! at once, it ends the same. The agent's hearts begin to beat in the last one, and that is how it is known to be done.

use super::due::{begin, first_beat, home_of, keep_deadline, keep_entry, keep_todo, settle};
use crate::config::HeartbeatSettings;
use crate::error::{Result, StoreResult};
use crate::heartbeat::due::Fate;
use crate::mind::Mind;
use selfsame_core::heartbeat::schedule::{self, Schedule};
use selfsame_core::id::{Id, ScheduleId};
use selfsame_core::kept::{Kept, Words};
use selfsame_core::memory::Memory;
use selfsame_core::time::Time;
use selfsame_store::agents::{self, Agent};
use selfsame_store::heartbeat::{beats, moments};
use selfsame_store::schedules::{self, NewSchedule};
use selfsame_store::{StoreError, Writer, calendar, memory, principals, todos};

/// Rows in one transaction, at most: others may want to write too.
const BATCH: usize = 200;

/// Where things that fall due come from.
#[derive(Clone, Copy)]
enum From {
    Tags,
    Deadlines,
    Todos,
    Calendar,
}

impl Mind {
    /// Sees to it that whatever an earlier version stored falls due, and that every heart beats.
    pub(crate) fn catch_up_on_what_is_due(&self) -> Result<()> {
        for agent in self.store.system(agents::without_heart)? {
            for from in [From::Tags, From::Deadlines, From::Todos, From::Calendar] {
                self.catch_up_on(&agent, from)?;
            }
            self.store.background("catch_up", &[agent.id], |writer| begin_to_beat(writer, &agent))?;
        }
        Ok(())
    }

    fn catch_up_on(&self, agent: &Agent, from: From) -> Result<()> {
        let mut passed = Some(Id::NIL);
        while let Some(after) = passed {
            let now = self.now();
            let ids = (0..BATCH).map(|_| ScheduleId::of(self.mint.id(now))).collect();
            let batch = Batch { settings: &self.settings.heartbeat, agent, now, after, ids };
            passed = self.store.background("catch_up", &[agent.id], |writer| match from {
                From::Tags => batch.tags(writer),
                From::Deadlines => batch.deadlines(writer),
                From::Todos => batch.todos(writer),
                From::Calendar => batch.calendar(writer),
            })?;
        }
        Ok(())
    }
}

/// The next rows of one sort, and the ids for what is made of them.
struct Batch<'b> {
    settings: &'b HeartbeatSettings,
    agent: &'b Agent,
    now: Time,
    after: Id,
    ids: Vec<ScheduleId>,
}

impl Batch<'_> {
    fn tags(&self, writer: &mut Writer) -> StoreResult<Option<Id>> {
        let page = memory::scheduled_page(writer, self.agent.id, self.after, BATCH as i64)?;
        self.each(writer, page, |writer, memory, id| self.tagged(writer, memory, id))
    }

    fn deadlines(&self, writer: &mut Writer) -> StoreResult<Option<Id>> {
        // What is longer past than a ladder is high is no deadline any more.
        let passed = Time::MIN.saturating_add(self.now.since(self.settings.ladder.over_at(Time::MIN)));
        let page = memory::dated_page(writer, self.agent.id, self.after, BATCH as i64, passed)?;
        let serves = |memory: &Memory| memory.serves(self.agent.operator);
        self.each(writer, page, |writer, memory, _| {
            keep_deadline(writer, &self.settings.ladder, memory, serves(memory), self.now)
        })
    }

    fn todos(&self, writer: &mut Writer) -> StoreResult<Option<Id>> {
        let page = todos::page(writer, self.agent.id, self.after, BATCH as i64)?;
        self.each(writer, page, |writer, todo, id| {
            if schedules::by_source(writer, self.agent.id, todo.id.into())?.is_some() {
                return Ok(());
            }
            keep_todo(writer, self.agent, todo, &todo.standing, id, self.now)?;
            match todo.standing.due_at.filter(|due| due.saturating_add(self.settings.grace) < self.now) {
                Some(due) => {
                    settle(writer, self.settings.grace, self.agent.id, id, due, Fate::Missed, self.now)
                        .map(drop)
                }
                None => Ok(()),
            }
        })
    }

    fn calendar(&self, writer: &mut Writer) -> StoreResult<Option<Id>> {
        let page = calendar::page(writer, self.agent.id, self.after, BATCH as i64)?;
        self.each(writer, page, |writer, event, id| keep_entry(writer, self.agent, event, id, self.now))
    }

    /// Does something about each row of a page; gives the last one, none if there was none.
    fn each<W: Words>(
        &self,
        writer: &mut Writer,
        page: Vec<StoreResult<Kept<W>>>,
        mut act: impl FnMut(&mut Writer, &Kept<W>, ScheduleId) -> StoreResult<()>,
    ) -> StoreResult<Option<Id>> {
        let mut last = None;
        for (row, id) in page.into_iter().zip(&self.ids) {
            match row {
                Ok(row) => {
                    act(writer, &row, *id)?;
                    last = Some(row.id());
                }
                // Nobody can say what it was; `verify` names it.
                Err(StoreError::Spoiled(spoiled)) => last = Some(spoiled.id),
                Err(error) => return Err(error),
            }
        }
        Ok(last)
    }

    /// What should have been said once and long ago is missed: nobody is told of it now, and the list shows it.
    fn tagged(&self, writer: &mut Writer, memory: &Memory, id: ScheduleId) -> StoreResult<()> {
        let Some(serves) = memory.serves(self.agent.operator) else {
            return Ok(());
        };
        let home = home_of(writer, self.agent, serves)?;
        let tag = schedule::of_tags(&memory.tags).ok().flatten();
        // Tags were not looked at in those days: one that says nothing stays a label.
        let schedule = tag.and_then(|tag| Schedule::parse(tag, &home, memory.created_at).ok());
        let (Some(tag), Some(schedule)) = (tag, schedule) else {
            return Ok(());
        };
        let to_come = schedule.next_after(self.now);
        let Some(due) = to_come.or_else(|| schedule.next_after(memory.created_at)) else {
            return Ok(());
        };
        let new = NewSchedule {
            id,
            source: memory.id.into(),
            serves,
            spec: tag.to_owned(),
            zone: schedule.zone().name().to_owned(),
            next_due_at: due,
            created_at: memory.created_at,
        };
        begin(writer, self.agent.id, &new)?;
        if due.saturating_add(schedule.grace(self.settings.grace)) < self.now {
            settle(writer, self.settings.grace, self.agent.id, id, due, Fate::Missed, self.now)?;
        }
        Ok(())
    }
}

fn begin_to_beat(writer: &mut Writer, agent: &Agent) -> StoreResult<()> {
    for principal in principals::all(writer, agent.id)? {
        beats::ensure(writer, agent.id, principal.id, first_beat(principal.created_at))?;
        let due = moments::known(writer, agent.id, principal.id, Time::MIN)?;
        for moment in due.schedule.into_iter().chain(due.rung) {
            beats::wake_by(writer, agent.id, principal.id, moment)?;
        }
    }
    Ok(())
}
