//! The one scheduler: it owns every background duty.
//!
//! [`Scheduler::step`] is a function of the moment: it claims what is due, does it, and says when to come again. The
//! daemon calls it in a loop, the simulator with a virtual clock, a one-shot command once at its end; all three run the
//! very same code. A duty that has to wait for a model or a channel is *slow* and runs on a lane of its own.

use crate::error::{Error, Result};
use crate::heartbeat::Beats;
use crate::lease;
use crate::mind::Mind;
use crate::ports::PortError;
use selfsame_core::duty::{Retries, Rhythm, Spans, Verdict};
use selfsame_core::id::{AgentId, DutyId};
use selfsame_core::time::Time;
use selfsame_store::duties::{self, Fence, NewDuty, Settlement};
use selfsame_store::{StoreError, Writer};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::time::Duration;

pub use selfsame_core::duty::Health;
pub use selfsame_store::duties::Duty;

/// How often the times of all duties are looked through for what a wrong clock left.
const PUT_RIGHT_EVERY: Duration = Duration::from_secs(60);

/// Duties done in one step, at most: others want the mind too.
const PER_STEP: usize = 64;

/// What a kind of duty does.
pub trait Job: Send + Sync {
    /// Its name, as stored.
    fn kind(&self) -> &'static str;

    /// Whether it may wait for something outside the database.
    fn pace(&self) -> Pace {
        Pace::Quick
    }

    /// Everything that needs no lock: reads, thinks, computes. What it returns is written, with the duty's completion,
    /// in one transaction that is refused if another process has taken the duty over.
    fn prepare(&self, mind: &Mind, duty: &Duty) -> Result<Effects>;

    /// A patience of its own; none: the scheduler's.
    fn retries(&self) -> Option<Retries> {
        None
    }

    /// What else is to be written when a duty of it is given up, because of this error. It is written with the duty's end,
    /// in one transaction: whoever waits for the duty hears of it, or the duty is not dead yet.
    fn gave_up(&self, _mind: &Mind, _duty: &Duty, _error: &Error) -> Result<Effects> {
        Ok(Effects::none())
    }
}

/// How long a job may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// Database work only: runs inside the step.
    Quick,
    /// Waits for a model, a channel, a large file: runs on a lane.
    Slow,
}

type Write = dyn FnMut(&mut Writer) -> std::result::Result<(), StoreError> + Send;

/// What a duty writes.
pub struct Effects {
    agents: Vec<AgentId>,
    write: Box<Write>,
}

impl Effects {
    /// Nothing to write.
    pub fn none() -> Effects {
        Effects::of(Vec::new(), |_| Ok(()))
    }

    /// Rows of these agents. May be run again.
    pub fn of(
        agents: Vec<AgentId>,
        write: impl FnMut(&mut Writer) -> std::result::Result<(), StoreError> + Send + 'static,
    ) -> Effects {
        Effects { agents, write: Box::new(write) }
    }
}

/// What a step did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Step {
    /// Each duty that was tried.
    pub ran: Vec<Ran>,
    /// The hearts that beat.
    pub beats: Beats,
    /// Agents that began to think: what they think about is on the lanes.
    pub thinking: usize,
    /// When to come again; none when nothing is waiting.
    pub wake_at: Option<Time>,
}

/// One attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ran {
    /// Which duty.
    pub id: DutyId,
    /// What kind.
    pub kind: String,
    /// For which slot.
    pub slot: Time,
    /// What came of it.
    pub outcome: RunOutcome,
}

/// What came of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunOutcome {
    /// Done.
    Done,
    /// Failed; will be tried again then.
    Retry {
        /// When.
        at: Time,
        /// Why.
        error: String,
    },
    /// Failed too often.
    Dead {
        /// Why, the last time.
        error: String,
    },
    /// Another process took over; nothing was written.
    Superseded,
}

/// Runs duties for a mind.
pub struct Scheduler {
    jobs: BTreeMap<&'static str, Box<dyn Job>>,
    lease: Duration,
    retries: Retries,
    hearts: bool,
}

impl Default for Scheduler {
    fn default() -> Scheduler {
        Scheduler {
            jobs: BTreeMap::new(),
            lease: Duration::from_secs(60),
            retries: Retries::default(),
            hearts: false,
        }
    }
}

impl Scheduler {
    /// With a job more.
    pub fn with(mut self, job: impl Job + 'static) -> Scheduler {
        self.jobs.insert(job.kind(), Box::new(job));
        self
    }

    /// With the hearts of all agents, which beat in its quick steps, and their turns to think.
    pub fn with_hearts(mut self) -> Scheduler {
        self.hearts = true;
        self
    }

    /// With leases of another length.
    pub fn lease(mut self, lease: Duration) -> Scheduler {
        self.lease = lease;
        self
    }

    /// With other patience.
    pub fn retries(mut self, retries: Retries) -> Scheduler {
        self.retries = retries;
        self
    }

    /// Does what is due, quick duties only, and says when to come again.
    pub fn step(&self, mind: &Mind) -> Result<Step> {
        self.step_of(mind, Pace::Quick)
    }

    /// Does what is due of one pace. Lanes call it with [`Pace::Slow`], each from a thread of its own.
    pub fn step_of(&self, mind: &Mind, pace: Pace) -> Result<Step> {
        self.put_right(mind)?;
        if pace == Pace::Quick {
            mind.write_due_touches()?;
            mind.consolidate_written()?;
        }
        let mut step = Step::default();
        let mut next_beat = None;
        if self.hearts && pace == Pace::Quick {
            step.beats = mind.beat_due(self.lease)?;
            step.thinking = mind.take_turns()?;
            next_beat = [mind.next_beat()?, mind.next_turn()?].into_iter().flatten().min();
        }
        while step.ran.len() < PER_STEP {
            let Some(duty) = self.claim(mind, pace)? else {
                break;
            };
            step.ran.push(self.attempt(mind, &duty)?);
        }
        // What is done at another pace wakes whoever does it: here it would never be taken, and would never let anybody sleep.
        let kinds = self.kinds_of(pace);
        let moments = [mind.store.system(|reader| duties::next_moment(reader, &kinds))?, next_beat];
        step.wake_at = moments.into_iter().flatten().min();
        Ok(step)
    }

    fn claim(&self, mind: &Mind, pace: Pace) -> Result<Option<Duty>> {
        let kinds = self.kinds_of(pace);
        let now = mind.now();
        let until = now.saturating_add(self.lease);
        Ok(mind.store.system_write(|writer| duties::claim(writer, &kinds, now, until))?)
    }

    fn kinds_of(&self, pace: Pace) -> Vec<&str> {
        self.jobs.values().filter(|job| job.pace() == pace).map(|job| job.kind()).collect()
    }

    fn attempt(&self, mind: &Mind, duty: &Duty) -> Result<Ran> {
        // A job that panics has failed: it takes neither this thread nor the other duties with it.
        let done = catch_unwind(AssertUnwindSafe(|| self.do_it(mind, duty)));
        let outcome = match done.unwrap_or_else(|_| Err(Error::Broken("the job panicked".into()))) {
            Ok(()) => RunOutcome::Done,
            Err(Error::Store(StoreError::StaleFence)) => RunOutcome::Superseded,
            Err(error) => self.record_failure(mind, duty, &error)?,
        };
        Ok(Ran { id: duty.id, kind: duty.kind.clone(), slot: duty.slot, outcome })
    }

    fn do_it(&self, mind: &Mind, duty: &Duty) -> Result<()> {
        // Its attempts were used up by processes that died over it.
        if duty.attempts > self.retries_of(duty).max_attempts {
            return Err(Error::Broken(
                "every attempt ended without an answer: the process died over it".into(),
            ));
        }
        let rhythm = Rhythm::parse(&duty.rhythm)?;
        let job = self
            .jobs
            .get(duty.kind.as_str())
            .ok_or_else(|| Error::NoSuch { what: "job", id: duty.kind.clone() })?;
        let due = rhythm.catch_up(duty.slot, mind.now());
        let spans = duty.done_spans.as_deref().map(Spans::parse).unwrap_or_default();
        // A clock that was ahead when it was done, and has been put right.
        let done_before = spans.contain(due.slot);
        let mut effects = match done_before {
            true => Effects::none(),
            false => self.prepare(mind, job.as_ref(), &Duty { slot: due.slot, ..duty.clone() })?,
        };
        mind.store.reach("duty.prepared")?;
        let now = mind.now();
        let next = rhythm.slot_after(due.slot);
        let spans = spans.with(&rhythm, due.slot).to_string();
        let settlement = Settlement {
            state: if next.is_some() { "waiting" } else { "done" },
            slot: next.unwrap_or(due.slot),
            next_at: next.unwrap_or(due.slot),
            attempts: 0,
            done_slot: Some(due.slot),
            done_spans: Some(&spans),
            done: u64::from(!done_before),
            passed_over: due.passed_over,
            error: None,
        };
        let fence = duty.fence(now);
        mind.store.fenced(&fence, &effects.agents, |writer| {
            (effects.write)(writer)?;
            duties::settle(writer, &fence, &settlement)
        })?;
        Ok(())
    }

    /// What may take longer than a lease keeps it meanwhile.
    fn prepare(&self, mind: &Mind, job: &dyn Job, duty: &Duty) -> Result<Effects> {
        match job.pace() {
            Pace::Quick => job.prepare(mind, duty),
            Pace::Slow => self.keeping_the_lease(mind, duty, || job.prepare(mind, duty)),
        }
    }

    /// Does the work while the duty's lease is kept. Twice may a renewal fail, because the database cannot be reached, before
    /// the lease ends.
    fn keeping_the_lease<T>(&self, mind: &Mind, duty: &Duty, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let renew = || {
            let renewed = mind.renew_duty(&duty.fence(mind.now()), self.lease);
            !matches!(renewed, Err(Error::Store(StoreError::StaleFence)))
        };
        lease::keeping(self.lease, renew, work)?
    }

    fn record_failure(&self, mind: &Mind, duty: &Duty, error: &Error) -> Result<RunOutcome> {
        let now = mind.now();
        let verdict = match error {
            // Nothing but a person's act changes it, so nobody is asked again before that.
            Error::Port(PortError::Lasting(_)) => Verdict::GiveUp,
            _ => self.retries_of(duty).after_failure(duty.id.id(), duty.attempts, now),
        };
        let (state, next_at, mut effects) = match verdict {
            Verdict::Retry(at) => ("waiting", at, Effects::none()),
            Verdict::GiveUp => ("dead", duty.next_at, self.last_words(mind, duty, error)?),
        };
        let error = error.to_string();
        let settlement = Settlement {
            state,
            slot: duty.slot,
            next_at,
            attempts: duty.attempts,
            done_slot: duty.done_slot,
            done_spans: duty.done_spans.as_deref(),
            done: 0,
            passed_over: 0,
            error: Some(&error),
        };
        let fence = duty.fence(now);
        let written = mind.store.fenced(&fence, &effects.agents, |writer| {
            (effects.write)(writer)?;
            duties::settle(writer, &fence, &settlement)
        });
        match written {
            Ok(()) => {}
            Err(StoreError::StaleFence) => return Ok(RunOutcome::Superseded),
            Err(error) => return Err(error.into()),
        }
        Ok(match verdict {
            Verdict::Retry(at) => RunOutcome::Retry { at, error },
            Verdict::GiveUp => RunOutcome::Dead { error },
        })
    }

    /// What its job writes about a duty that is given up. A job that panics over that has nothing to say: the duty must
    /// come to its end.
    fn last_words(&self, mind: &Mind, duty: &Duty, error: &Error) -> Result<Effects> {
        let Some(job) = self.jobs.get(duty.kind.as_str()) else {
            return Ok(Effects::none());
        };
        let said = catch_unwind(AssertUnwindSafe(|| job.gave_up(mind, duty, error)));
        said.unwrap_or_else(|_| Ok(Effects::none()))
    }

    fn retries_of(&self, duty: &Duty) -> Retries {
        let own = self.jobs.get(duty.kind.as_str()).and_then(|job| job.retries());
        own.unwrap_or(self.retries)
    }

    /// A clock that was years ahead and has been put right would leave every duty waiting for years. A slot that lies
    /// further ahead than the rhythm allows is moved back to the next one from now, and a lease or a pause that lies
    /// further ahead than any can is ended. It reads every duty, so it is done once a minute and not with every step.
    fn put_right(&self, mind: &Mind) -> Result<()> {
        let now = mind.now();
        if !mind.is_time_to_put_right(now) {
            return Ok(());
        }
        for mut duty in mind.store.system(duties::all)? {
            if let Some(next_at) = duty.standing().released(now) {
                mind.store.system_write(|writer| duties::release(writer, &duty, next_at, now))?;
                duty.state = "waiting".into();
            }
            if let Some(slot) = duty.standing().reanchored(now) {
                mind.store.system_write(|writer| duties::reanchor(writer, &duty, slot, now))?;
            }
        }
        Ok(())
    }
}

impl Mind {
    /// Whether the duties were not looked through for a minute; says yes once.
    fn is_time_to_put_right(&self, now: Time) -> bool {
        let mut last = self.put_right_at.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = last.is_some_and(|last| now.since(last) < PUT_RIGHT_EVERY);
        if !recent {
            *last = Some(now);
        }
        !recent
    }

    /// Sees to it that a duty exists; its first slot is the first of its rhythm from now.
    pub fn ensure_duty(&self, kind: &str, agent: Option<AgentId>, rhythm: &Rhythm) -> Result<bool> {
        self.ensure_duty_after(kind, agent, rhythm, self.now())
    }

    /// Sees to it that a duty exists; its first slot is the first of its rhythm after a moment, which may be past.
    pub(crate) fn ensure_duty_after(
        &self,
        kind: &str,
        agent: Option<AgentId>,
        rhythm: &Rhythm,
        moment: Time,
    ) -> Result<bool> {
        let now = self.now();
        let scope = agent.map_or_else(|| "house".to_owned(), |agent| agent.to_string());
        let duty = NewDuty {
            id: DutyId::of(self.mint.id(now)),
            kind,
            agent,
            scope: &scope,
            rhythm: &rhythm.to_string(),
            slot: rhythm.slot_after(moment).unwrap_or(now),
        };
        Ok(self.store.system_write(|writer| duties::ensure(writer, &duty, now))?)
    }

    /// Every duty with its health, the next first.
    pub fn duty_health(&self) -> Result<Vec<(Duty, Health)>> {
        let now = self.now();
        let with_health = |duty: Duty| {
            let health = duty.standing().health(now);
            (duty, health)
        };
        Ok(self.duties()?.into_iter().map(with_health).collect())
    }

    /// Every duty, the next first.
    pub fn duties(&self) -> Result<Vec<Duty>> {
        Ok(self.store.system(duties::all)?)
    }

    /// Gives a duty another rhythm, from its next slot on; says whether there was one that is not at work.
    pub(crate) fn set_rhythm(&self, id: DutyId, rhythm: &Rhythm) -> Result<bool> {
        let now = self.now();
        let slot = rhythm.slot_after(now).unwrap_or(now);
        Ok(self
            .store
            .system_write(|writer| duties::set_rhythm(writer, id, &rhythm.to_string(), slot, now))?)
    }

    /// Gives a dead or cancelled duty another chance; says whether there was one.
    pub fn requeue_duty(&self, id: DutyId) -> Result<bool> {
        let now = self.now();
        Ok(self.store.system_write(|writer| duties::requeue(writer, id, now))?)
    }

    /// Stops a duty, also one that is running; says whether there was one.
    pub fn cancel_duty(&self, id: DutyId) -> Result<bool> {
        let now = self.now();
        Ok(self.store.system_write(|writer| duties::cancel(writer, id, now))?)
    }

    /// Prolongs the lease of a duty that takes long.
    pub fn renew_duty(&self, fence: &Fence, lease: Duration) -> Result<()> {
        let until = self.now().saturating_add(lease);
        Ok(self.store.system_write(|writer| duties::renew(writer, fence, until))?)
    }
}
