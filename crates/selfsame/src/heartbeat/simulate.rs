//! The heartbeat run forward: on a copy of the agent's rows, in memory, by a clock that is moved. Nothing of the agent
//! changes, and nothing goes out.

use super::receipts::Explained;
use crate::clock::ManualClock;
use crate::config::Settings;
use crate::error::{Error, Result};
use crate::jobs;
use crate::mind::{Access, Mind, Opening, Speaker};
use crate::principal::Principal;
use selfsame_core::heartbeat::{NudgeKind, NudgeState, Period, Persona, Rules};
use selfsame_core::id::NudgeId;
use selfsame_core::time::civil::Date;
use selfsame_core::time::{Clock as _, Time};
use selfsame_store::heartbeat::nudges::Nudge;
use selfsame_store::heartbeat::standing::{self, Wishes};
use selfsame_store::{Durability, Options, Store};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Days that are run forward, at most.
const MAX_DAYS: u32 = 366;
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A day of a simulation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SimulatedDay {
    /// Beats of the heart.
    pub ticks: u64,
    /// What was said.
    pub nudges: u32,
    /// Of that, what was said in quiet hours.
    pub in_quiet_hours: u32,
    /// Reminders and deadlines that reached the principal.
    pub reminders: u32,
    /// Reminders that nobody fetched in time.
    pub missed: u32,
    /// What was answered.
    pub answered: u32,
}

/// Something that was said in a simulation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SimulatedNudge {
    /// When.
    pub at: Time,
    /// In which part of the principal's day.
    pub period: Period,
    /// What sort.
    pub kind: NudgeKind,
    /// What was said.
    pub what: String,
    /// What came of it.
    pub state: NudgeState,
}

/// What a simulation showed.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// For whom.
    pub principal: Principal,
    /// From.
    pub from: Time,
    /// To.
    pub until: Time,
    /// Each day, by the principal's calendar.
    pub days: BTreeMap<Date, SimulatedDay>,
    /// Everything that was said, in order.
    pub nudges: Vec<SimulatedNudge>,
    /// Why it would speak up or be silent at the end.
    pub at_the_end: Explained,
}

impl Access<'_> {
    /// Runs the heartbeat of a principal forward by some days.
    pub fn heartbeat_simulate(&self, whose: Option<&str>, days: u32, persona: Persona) -> Result<Simulated> {
        if !(1..=MAX_DAYS).contains(&days) {
            return Err(Error::Unfit(format!("days: {days} is not from 1 to {MAX_DAYS}")));
        }
        let principal = self.heart_of(whose)?;
        let from = self.mind.now();
        let clock = Arc::new(ManualClock::at(from));
        let copy = self.copied(&principal, &clock)?;
        let access = copy.access(&self.agent.id.to_string(), Speaker::Principal(principal.id))?;
        let until = from.saturating_add(DAY * days);
        let rules = access.heart_rules(&principal)?;
        let mut run =
            Run { mind: &copy, access, clock: &clock, persona, rules, until, answers: BTreeMap::new() };
        run.go_on_to_the_end()?;
        run.report(principal, from)
    }

    /// A mind of its own that holds this agent alone.
    fn copied(&self, principal: &Principal, clock: &Arc<ManualClock>) -> Result<Mind> {
        let now = clock.now();
        let store =
            Store::open_in_memory(Options { durability: Durability::None, ..Options::default() }, now)?;
        self.mind.store.copy_agent_to(&store, self.agent.id)?;
        let mut settings: Settings = self.mind.settings.clone();
        settings.heartbeat.channels = vec![super::told::LIST.to_owned()];
        let mind = Opening::new(settings).clock(Arc::clone(clock) as _).seed([0; 32]).over(store, None)?;
        mind.store.background("simulation", &[self.agent.id], |writer| {
            let wishes = standing::of(writer, self.agent.id, principal.id)?.wishes;
            let quiet = Wishes { channels: None, ..wishes };
            standing::want(writer, self.agent.id, principal.id, &quiet)
        })?;
        mind.ensure_house_duties()?;
        Ok(mind)
    }
}

/// A simulation under way.
struct Run<'r> {
    mind: &'r Mind,
    access: Access<'r>,
    clock: &'r ManualClock,
    persona: Persona,
    rules: Rules,
    until: Time,
    /// When the principal will answer what.
    answers: BTreeMap<Time, NudgeId>,
}

impl Run<'_> {
    fn go_on_to_the_end(&mut self) -> Result<()> {
        let scheduler = jobs::scheduler(&self.mind.settings);
        loop {
            let step = scheduler.step(self.mind)?;
            self.read_the_list()?;
            self.answer_what_is_due()?;
            let answer = self.answers.keys().next().copied();
            let next = [step.wake_at, answer].into_iter().flatten().min();
            // Never at rest: what is due at once is done in the next moment.
            let least = self.mind.now().saturating_add(Duration::from_secs(1));
            match next.map(|next| next.max(least)).filter(|next| *next < self.until) {
                Some(next) => self.clock.set(next),
                None => {
                    self.clock.set(self.until);
                    return Ok(());
                }
            }
        }
    }

    /// Awake, the principal sees what stands on the list, and makes up their mind.
    fn read_the_list(&mut self) -> Result<()> {
        let now = self.mind.now();
        if self.rules.period(now) == Period::Quiet {
            return Ok(());
        }
        let waiting = self.access.nudges(None, false, None, 100)?.nudges;
        if !waiting.iter().any(|card| card.nudge.delivered_at.is_none()) {
            return Ok(());
        }
        for card in self.access.fetch_nudges(None, 100)?.nudges {
            let just_now = card.nudge.delivered_at.is_some_and(|at| at >= now);
            if let Some(after) = self.persona.answers_after(card.nudge.id.id()).filter(|_| just_now) {
                self.answers.insert(now.saturating_add(after), card.nudge.id);
            }
        }
        Ok(())
    }

    fn answer_what_is_due(&mut self) -> Result<()> {
        let now = self.mind.now();
        while let Some(entry) = self.answers.first_entry().filter(|entry| *entry.key() <= now) {
            let id = entry.remove();
            if self.access.nudge(id)?.nudge.state.is_listed() {
                self.access.nudge_answer(id, None, None)?;
            }
        }
        Ok(())
    }

    fn report(&self, principal: Principal, from: Time) -> Result<Simulated> {
        let mut days: BTreeMap<Date, SimulatedDay> = BTreeMap::new();
        let mut nudges = Vec::new();
        for nudge in self.all_nudges(from)? {
            let period = self.rules.period(nudge.created_at);
            let day = days.entry(self.rules.zone.date(nudge.created_at)).or_default();
            let is_reminder = matches!(nudge.kind, NudgeKind::Reminder | NudgeKind::Deadline);
            day.nudges += 1;
            day.in_quiet_hours += u32::from(period == Period::Quiet);
            day.reminders += u32::from(is_reminder && nudge.delivered_at.is_some());
            day.missed += u32::from(nudge.state == NudgeState::Missed);
            day.answered += u32::from(nudge.state == NudgeState::Answered);
            let Nudge { created_at: at, kind, what, state, .. } = nudge;
            nudges.push(SimulatedNudge { at, period, kind, what, state });
        }
        let mut before = None;
        loop {
            let receipts = self.access.receipts(None, before, false, 500)?;
            let Some(last) = receipts.last() else { break };
            before = Some(last.last_at);
            for receipt in receipts.iter().filter(|receipt| receipt.last_at >= from) {
                // Equal silent ticks are counted on the day of the last of them.
                days.entry(self.rules.zone.date(receipt.last_at)).or_default().ticks += receipt.ticks;
            }
        }
        let at_the_end = self.access.heartbeat_explain(None, None)?;
        Ok(Simulated { principal, from, until: self.until, days, nudges, at_the_end })
    }

    /// Everything that was said since the beginning, in order.
    fn all_nudges(&self, from: Time) -> Result<Vec<Nudge>> {
        let (mut all, mut before) = (Vec::new(), None);
        loop {
            let page = self.access.nudges(None, true, before, 200)?.nudges;
            let Some(last) = page.last() else { break };
            before = Some(last.nudge.id);
            all.extend(page.into_iter().map(|card| card.nudge).filter(|nudge| nudge.created_at >= from));
        }
        all.reverse();
        Ok(all)
    }
}
