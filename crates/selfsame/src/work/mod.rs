//! Work for thinkers: it waits in a queue, is taken with a lease, and is done once.
//!
//! A model, a program or a host is asked from a lane that may wait; the agent itself comes for its work
//! ([`Access::next_work`]). Either way the prompt is made when the work is taken, what came back is judged by the same
//! function, and that it is done is written with what it brought. No row of the queue has anybody's words.

mod desk;
mod pull;

pub use pull::{Handed, Returned, ToolUse};

use crate::agent::Agent;
use crate::config::ThinkerKind;
use crate::error::{Error, Result, StoreResult};
use crate::lease;
use crate::mind::{Access, Mind};
use crate::ports::{Prompt, Thought};
use desk::WorkDesk;
use selfsame_core::contemplation::prompt::Assembled;
use selfsame_core::contemplation::retry::{Next, what_next, worn_out};
use selfsame_core::contemplation::{Fault, FaultKind, Purse, WorkKind, WorkState};
use selfsame_core::id::{AgentId, EpisodeId, WorkId};
use selfsame_core::local::Moment;
use selfsame_core::time::Time;
use selfsame_core::trust::Caller;
use selfsame_store::work::attempts::{self, Ended};
use selfsame_store::work::items::{self, NewWork, PULLED, Settled, WorkItem};
use selfsame_store::work::spend::{self, Spend};
use selfsame_store::{StoreError, Writer, agents};
use std::time::Duration;

pub use selfsame_store::work::attempts::Attempt;
pub use selfsame_store::work::calls::Call;
pub use selfsame_store::work::items::WorkItem as Item;

/// A piece of work with every attempt at it and every tool that was called.
pub type WorkRecord = (Item, Vec<Attempt>, Vec<Call>);

/// Pieces of work in one step of a lane, at most: others want it too.
const PER_STEP: usize = 16;
/// Pieces of work in one answer, at most.
const MAX_LIMIT: usize = 200;

/// What a step of a lane did.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WorkStep {
    /// Each piece of work that was tried.
    pub worked: Vec<Worked>,
    /// When to come again; none when nothing is waiting.
    pub wake_at: Option<Time>,
}

/// What came of an attempt.
#[derive(Clone, PartialEq, Debug)]
pub struct Worked {
    /// Whose.
    pub agent: AgentId,
    /// Which.
    pub id: WorkId,
    /// What it was.
    pub kind: WorkKind,
    /// What became of it.
    pub outcome: WorkOutcome,
}

/// What became of an attempt.
#[derive(Clone, PartialEq, Debug)]
pub enum WorkOutcome {
    /// Done, and perhaps with an episode.
    Done(Option<EpisodeId>),
    /// Tried again then.
    Again {
        /// When.
        at: Time,
        /// Why.
        reason: String,
    },
    /// Given up.
    Dead {
        /// Why.
        reason: String,
    },
    /// Another took it over; nothing was written.
    Superseded,
}

/// A prompt with what has to be known of it afterwards.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Brief {
    pub(crate) instructions: String,
    pub(crate) material: String,
    /// What it quotes, by id: nothing else may be answered about.
    pub(crate) quoted: Vec<String>,
    /// The lowest trust of that.
    pub(crate) trust: f64,
    /// Tokens of the answer.
    pub(crate) max_tokens: u32,
}

impl Brief {
    /// Of an assembled prompt.
    pub(crate) fn of(asked: Assembled, max_tokens: u32) -> Brief {
        let Assembled { instructions, material, quoted, trust, .. } = asked;
        Brief { instructions, material, quoted, trust, max_tokens }
    }
}

/// What came back, from whomever.
pub(crate) struct Reply<'r> {
    pub(crate) text: &'r str,
    /// What the prompt quoted, by id.
    pub(crate) quoted: &'r [String],
    /// The lowest trust of what was quoted and read.
    pub(crate) trust: f64,
    pub(crate) model: Option<&'r str>,
    /// When the work was begun.
    pub(crate) began_at: Time,
}

impl Mind {
    /// Does what waits for a model, a program, a host or the rules, as far as it is due. A lane calls it; it may wait.
    pub fn work_step(&self, lease: Duration) -> Result<WorkStep> {
        let mut step = WorkStep::default();
        while step.worked.len() < PER_STEP {
            let now = self.now();
            if self.store.system(items::next_moment)?.is_none_or(|next| next > now) {
                break;
            }
            let until = now.saturating_add(lease);
            let Some(item) = self.store.system_write(|writer| items::claim(writer, now, until))? else {
                break;
            };
            step.worked.push(self.perform(&item, lease)?);
        }
        step.wake_at = self.store.system(items::next_moment)?;
        Ok(step)
    }

    /// Does this piece of work at once, if nobody else has it.
    pub(crate) fn work_on(&self, agent: AgentId, id: WorkId) -> Result<Option<Worked>> {
        let (now, lease) = (self.now(), self.settings.duties.lease);
        let until = now.saturating_add(lease);
        let item = self.store.system_write(|writer| items::claim_one(writer, agent, id, now, until))?;
        item.map(|item| self.perform(&item, lease)).transpose()
    }

    fn perform(&self, item: &WorkItem, lease: Duration) -> Result<Worked> {
        let agent = self.store.system(|reader| agents::by_id(reader, item.agent))?;
        let agent = agent.ok_or_else(|| Error::NoSuch { what: "agent", id: item.agent.to_string() })?;
        let access = self.at_work(agent);
        let began_at = self.now();
        let done = access
            .begin(item, began_at)
            .and_then(|()| self.keeping(item, lease, || access.think_through(item, began_at)));
        let outcome = match done {
            Ok(Ok(episode)) => WorkOutcome::Done(episode),
            Ok(Err(fault)) => access.stumble(item, &fault)?,
            Err(Error::Store(StoreError::StaleFence)) => WorkOutcome::Superseded,
            // Of a database or a row, and not of the thinker: tried again like any other failure.
            Err(error) => access.stumble(item, &Fault::new(FaultKind::Failed, error.to_string()))?,
        };
        Ok(Worked { agent: item.agent, id: item.id, kind: item.kind, outcome })
    }

    /// The agent itself, at work that nobody watches.
    pub(crate) fn at_work(&self, agent: Agent) -> Access<'_> {
        Access { mind: self, agent, caller: Caller::agent(None).unattended(), is_host: false }
    }

    /// Works while the lease on the work is kept.
    fn keeping<T>(&self, item: &WorkItem, length: Duration, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let renew = || {
            let until = self.now().saturating_add(length);
            let renewed = self.store.system_write(|writer| items::renew(writer, item, until));
            !matches!(renewed, Err(StoreError::StaleFence))
        };
        lease::keeping(length, renew, work)?
    }
}

/// What a thinker brought, or why it brought nothing.
type Brought = std::result::Result<Option<EpisodeId>, Fault>;

impl Access<'_> {
    /// Puts work into the queue, in the transaction that wants it.
    pub(crate) fn queue(&self, writer: &mut Writer, new: &NewWork, now: Time) -> StoreResult<()> {
        items::insert(writer, self.agent.id, new, now)
    }

    /// A piece of work of that kind, for whoever does it; none where nobody thinks.
    pub(crate) fn wanted(&self, kind: WorkKind, about: Vec<String>, now: Time) -> Option<NewWork> {
        let thinker = self.mind.settings.thinker_of(&self.agent.name, kind).kind;
        (thinker != ThinkerKind::None).then(|| NewWork {
            id: WorkId::of(self.mind.mint.id(now)),
            kind,
            thinker: thinker.as_str().to_owned(),
            about,
            cycle: None,
            seed: 0,
        })
    }

    /// The work of this agent, the newest first.
    pub fn work(&self, limit: usize) -> Result<Vec<Item>> {
        crate::error::check_limit(limit, MAX_LIMIT)?;
        Ok(self.mind.store.system(|reader| items::of_agent(reader, self.agent.id, limit as i64))?)
    }

    /// One piece of work with every attempt at it and every tool that was called.
    pub fn work_record(&self, id: WorkId) -> Result<Option<WorkRecord>> {
        let agent = self.agent.id;
        let Some(item) = self.mind.store.system(|reader| items::by_id(reader, agent, id))? else {
            return Ok(None);
        };
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let attempts = attempts::of_work(reader, agent, id)?;
            let calls = selfsame_store::work::calls::of_work(reader, agent, &[id])?;
            Ok(Some((item.clone(), attempts, calls)))
        })?)
    }

    /// What thinking has cost today, in the agent's zone.
    pub fn spent_today(&self) -> Result<Spend> {
        let day = self.today()?;
        Ok(self
            .mind
            .store
            .read(&self.caller, &[self.agent.id], |reader| spend::of(reader, self.agent.id, &day))?)
    }

    /// The agent's day, as it is written.
    pub(crate) fn today(&self) -> Result<String> {
        Ok(self.zone()?.date(self.mind.now()).to_string())
    }

    /// When the agent's next day begins.
    pub(crate) fn tomorrow(&self) -> Result<Time> {
        let zone = self.zone()?;
        let today = zone.date(self.mind.now());
        Ok(Moment::Day(today.tomorrow().unwrap_or(today)).begin(&zone))
    }

    /// Whether there is nothing left to spend today, and why.
    pub(crate) fn is_broke(&self) -> Result<Option<Fault>> {
        let settings = self.mind.settings.thinker_of(&self.agent.name, WorkKind::Contemplate);
        Ok(overdrawn(settings.purse(), self.spent_today()?))
    }

    /// Writes down that somebody begins, before anything is asked.
    fn begin(&self, item: &WorkItem, now: Time) -> Result<()> {
        let agent = self.agent.id;
        Ok(self.mind.store.background("thinking", &[agent], |writer| {
            attempts::begin(writer, agent, item.id, item.attempts, &item.thinker, None, now)
        })?)
    }

    fn think_through(&self, item: &WorkItem, began_at: Time) -> Result<Brought> {
        if let Some(fault) = worn_out(item.attempts) {
            return Ok(Err(fault));
        }
        if self.is_afterthought_moot(item)? {
            return self.finish_moot(item).map(|()| Ok(None));
        }
        if item.thinker == ThinkerKind::None.as_str() {
            return self.finish_by_rules(item, began_at).map(Ok);
        }
        if let Some(fault) = self.is_broke()? {
            return Ok(Err(fault));
        }
        let thinkers = self.mind.thinking.thinkers.as_ref();
        let thinker = match thinkers.map(|thinkers| thinkers.thinker(&self.agent.name, item.kind)) {
            Some(Ok(thinker)) => thinker,
            Some(Err(fault)) => return Ok(Err(fault)),
            None => return Ok(Err(nobody_thinks())),
        };
        let brief = self.brief(item)?;
        self.mind.store.system_write(|writer| items::handed_out(writer, item, &brief.quoted, brief.trust))?;
        let settings = self.mind.settings.thinker_of(&self.agent.name, item.kind);
        let desk = WorkDesk::new(self, item, &settings, brief.trust, began_at)?;
        let prompt = Prompt {
            instructions: brief.instructions,
            material: brief.material,
            max_tokens: brief.max_tokens,
            timeout: settings.timeout,
        };
        let thought = thinker.think(&prompt, &desk);
        self.note_time(began_at)?;
        let Thought { text, model } = match thought {
            Ok(thought) => thought,
            Err(fault) => return Ok(Err(fault)),
        };
        let model = model.as_deref().or_else(|| thinker.model());
        let trust = desk.trust().min(self.trust_of(item)?);
        let reply = Reply { text: &text, quoted: &brief.quoted, trust, model, began_at };
        self.finish(item, &reply)
    }

    /// How far the least is believed that was read for a piece of work, by now.
    fn trust_of(&self, item: &WorkItem) -> Result<f64> {
        let item = self.mind.store.system(|reader| items::by_id(reader, self.agent.id, item.id))?;
        Ok(item.and_then(|item| item.trust).unwrap_or(1.0))
    }

    fn note_time(&self, began_at: Time) -> Result<()> {
        let millis = i64::try_from(self.mind.now().since(began_at).as_millis()).unwrap_or(i64::MAX);
        let (agent, day) = (self.agent.id, self.today()?);
        let spend = Spend { millis, ..Spend::default() };
        Ok(self
            .mind
            .store
            .background("thinking", &[agent], |writer| spend::add(writer, agent, &day, spend))?)
    }

    /// It came to nothing: tried again, parked until there is a budget again, or given up, as the fault has it.
    fn stumble(&self, item: &WorkItem, fault: &Fault) -> Result<WorkOutcome> {
        let now = self.mind.now();
        let is_learning = item.kind == WorkKind::ExtractLessons;
        let readable_within = is_learning.then_some(self.mind.settings.lessons.tries);
        let next = what_next(fault, item.id.id(), item.attempts, readable_within);
        let (state, at) = match next {
            Next::Retry(pause) => (WorkState::Ready, now.saturating_add(pause)),
            Next::Park => (WorkState::Parked, self.tomorrow()?),
            Next::GiveUp => (WorkState::Dead, now),
        };
        let is_over = state == WorkState::Dead;
        let settled =
            Settled { state, ready_at: at, ended_at: is_over.then_some(now), reason: Some(&fault.told) };
        let ended = Ended { at: now, outcome: fault.kind.as_str(), reason: Some(&fault.told), model: None };
        let agent = self.agent.id;
        let written = self.mind.store.background("thinking", &[agent], |writer| {
            items::settle(writer, item, &settled)?;
            attempts::end(writer, agent, item.id, item.attempts, ended)?;
            if is_over {
                self.bury(writer, item, &fault.told, now)?;
            }
            Ok(())
        });
        match written {
            Err(StoreError::StaleFence) => Ok(WorkOutcome::Superseded),
            Err(error) => Err(error.into()),
            Ok(()) if is_over => Ok(WorkOutcome::Dead { reason: fault.told.clone() }),
            Ok(()) => Ok(WorkOutcome::Again { at, reason: fault.told.clone() }),
        }
    }

    /// Ends a piece of work well, in the transaction that writes what it brought.
    pub(crate) fn settle_done(
        &self,
        writer: &mut Writer,
        item: &WorkItem,
        model: Option<&str>,
        now: Time,
    ) -> StoreResult<()> {
        let settled = Settled { state: WorkState::Done, ready_at: now, ended_at: Some(now), reason: None };
        items::settle(writer, item, &settled)?;
        let ended = Ended { at: now, outcome: "done", reason: None, model };
        attempts::end(writer, self.agent.id, item.id, item.attempts, ended)
    }

    /// There is nothing to think about any more: nobody is asked.
    fn finish_moot(&self, item: &WorkItem) -> Result<()> {
        let (agent, now) = (self.agent.id, self.mind.now());
        Ok(self.mind.store.background("thinking", &[agent], |writer| {
            self.say_as_it_is(writer, item, now)?;
            self.settle_done(writer, item, None, now)
        })?)
    }

    /// The prompt, as things stand now.
    fn brief(&self, item: &WorkItem) -> Result<Brief> {
        match item.kind {
            WorkKind::Contemplate => self.brief_to_contemplate(item),
            WorkKind::ReviewInbox => self.brief_to_review(),
            WorkKind::ExtractLessons => self.brief_to_learn(item),
            WorkKind::PhraseClaim => self.brief_to_phrase(item),
            WorkKind::PhraseNudge => self.brief_for_afterthought(item),
            WorkKind::Summarize => self.brief_to_summarize(item),
        }
    }

    /// Judges what came back and writes what it brought.
    fn finish(&self, item: &WorkItem, reply: &Reply<'_>) -> Result<Brought> {
        let text = self.masked(reply.text);
        let reply = &Reply { text: &text, ..*reply };
        match item.kind {
            WorkKind::Contemplate => self.finish_contemplation(item, reply).map(|id| Ok(Some(id))),
            WorkKind::ReviewInbox => self.finish_review(item, reply).map(|()| Ok(None)),
            WorkKind::ExtractLessons => self.finish_learning(item, reply).map(|done| done.map(|()| None)),
            WorkKind::PhraseClaim => self.finish_phrasing(item, reply).map(|()| Ok(None)),
            WorkKind::PhraseNudge => self.finish_afterthought(item, reply).map(|()| Ok(None)),
            WorkKind::Summarize => self.finish_summary(item, reply).map(|done| done.map(|()| None)),
        }
    }

    /// What the rules make of it, where nobody thinks.
    fn finish_by_rules(&self, item: &WorkItem, began_at: Time) -> Result<Option<EpisodeId>> {
        match item.kind {
            WorkKind::Contemplate => self.contemplate_by_rules(item, began_at).map(Some),
            _ => self.finish_moot(item).map(|()| None),
        }
    }

    /// What else ends with a piece of work that is given up.
    fn bury(&self, writer: &mut Writer, item: &WorkItem, why: &str, now: Time) -> StoreResult<()> {
        match item.kind {
            WorkKind::Contemplate => self.end_failed_cycle(writer, item, why, now),
            WorkKind::ExtractLessons => self.learn_no_more_from(writer, item),
            WorkKind::PhraseNudge => self.say_as_it_is(writer, item, now),
            WorkKind::Summarize => self.summarize_no_more(writer, item),
            WorkKind::ReviewInbox | WorkKind::PhraseClaim => Ok(()),
        }
    }
}

fn nobody_thinks() -> Fault {
    Fault::new(
        FaultKind::Misconfigured,
        "nobody is there to think: set thinker.kind, or run it where a thinker is set up (`selfsame serve`)",
    )
}

/// Whether nothing is left of a day's allowance, and why.
fn overdrawn(purse: Purse, spent: Spend) -> Option<Fault> {
    let time = Duration::from_millis(spent.millis.unsigned_abs());
    purse.overdrawn(spent.tokens.unsigned_abs(), time)
}

/// Whether work of this thinker is fetched, and not done on a lane.
pub(crate) fn is_pulled(thinker: &str) -> bool {
    thinker == PULLED
}
