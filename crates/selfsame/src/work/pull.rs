//! The agent comes for its work itself: *next work* hands out a prompt with a lease, *complete work* takes the answer.

use super::{Brief, Reply, is_pulled};
use crate::config::ThinkerKind;
use crate::error::{Error, Result};
use crate::mind::Access;
use selfsame_core::contemplation::retry::worn_out;
use selfsame_core::contemplation::tool::may_use;
use selfsame_core::contemplation::{CallOutcome, ToolClass, WorkKind, WorkState};
use selfsame_core::id::{CallId, EpisodeId, WorkId};
use selfsame_core::time::Time;
use selfsame_core::tokens::count;
use selfsame_core::trust::Author;
use selfsame_store::StoreError;
use selfsame_store::work::attempts::{self, Ended};
use selfsame_store::work::calls::{self, Call};
use selfsame_store::work::items::{self, Settled, WorkItem};
use selfsame_store::work::spend::{self, Spend};

/// Bytes of an answer, at most.
const MAX_REPLY_BYTES: usize = 1 << 20;

/// A piece of work, handed out.
#[derive(Clone, PartialEq, Debug)]
pub struct Handed {
    /// Which.
    pub id: WorkId,
    /// What is to be done.
    pub kind: WorkKind,
    /// To be given back with the answer: who lost the lease has lost the work.
    pub token: i64,
    /// Until when.
    pub until: Time,
    /// What to do.
    pub instructions: String,
    /// What to do it with: quoted data.
    pub material: String,
}

/// A use of one of our tools.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ToolUse<'u> {
    /// Which.
    pub tool: &'u str,
    /// What it can do.
    pub class: ToolClass,
    /// Hash of what it was given.
    pub arguments: [u8; 32],
}

/// What became of an answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Returned {
    /// Which piece of work.
    pub id: WorkId,
    /// It had been given before; nothing was done.
    pub already: bool,
    /// What it brought.
    pub episode: Option<EpisodeId>,
    /// What was wrong with it, if it has to be done again.
    pub again: Option<String>,
}

impl Access<'_> {
    /// Takes the next piece of work that waits for the agent itself; none if there is none, or no budget for it today.
    pub fn next_work(&self) -> Result<Option<Handed>> {
        self.must_work_itself()?;
        let worker = self.mind.at_work(self.agent.clone());
        if worker.is_broke()?.is_some() {
            return Ok(None);
        }
        let now = self.mind.now();
        let lease = self.mind.settings.contemplation_of(&self.agent.name).work_lease;
        let until = now.saturating_add(lease);
        let agent = self.agent.id;
        let item = loop {
            let pulled = self.mind.store.system_write(|writer| items::pull(writer, agent, now, until))?;
            let Some(item) = pulled else {
                return Ok(None);
            };
            worker.begin(&item, now)?;
            match worn_out(item.attempts) {
                None if worker.is_afterthought_moot(&item)? => worker.finish_moot(&item)?,
                None => break item,
                Some(fault) => drop(worker.stumble(&item, &fault)?),
            }
        };
        let Brief { instructions, material, quoted, trust, .. } = worker.brief(&item)?;
        self.mind.store.system_write(|writer| items::handed_out(writer, &item, &quoted, trust))?;
        Ok(Some(Handed { id: item.id, kind: item.kind, token: item.token, until, instructions, material }))
    }

    /// Gives back what the agent made of a piece of work. The same again changes nothing.
    pub fn complete_work(&self, id: WorkId, token: i64, reply: &str) -> Result<Returned> {
        self.must_work_itself()?;
        if reply.len() > MAX_REPLY_BYTES {
            return Err(Error::Unfit(format!("reply: more than {MAX_REPLY_BYTES} bytes; make it shorter")));
        }
        let agent = self.agent.id;
        let item = self.mind.store.system(|reader| items::by_id(reader, agent, id))?;
        let item = item.ok_or_else(|| Error::NoSuch { what: "piece of work", id: id.to_string() })?;
        if item.state == WorkState::Done && item.token == token {
            let episode = self.episode_of(&item)?;
            return Ok(Returned { id, already: true, episode, again: None });
        }
        if item.state != WorkState::Leased || item.token != token || !is_pulled(&item.thinker) {
            return Err(lost(id));
        }
        self.take_answer(&item, reply)
    }

    /// Gives a piece of work back undone: it waits for whoever comes next.
    pub fn release_work(&self, id: WorkId, token: i64) -> Result<()> {
        self.must_work_itself()?;
        let (agent, now) = (self.agent.id, self.mind.now());
        let item = self.mind.store.system(|reader| items::by_id(reader, agent, id))?;
        let item =
            item.filter(|item| item.token == token && is_pulled(&item.thinker)).ok_or_else(|| lost(id))?;
        let settled =
            Settled { state: WorkState::Ready, ready_at: now, ended_at: None, reason: Some("given back") };
        let ended = Ended { at: now, outcome: "given back", reason: None, model: None };
        let written = self.mind.store.background("thinking", &[agent], |writer| {
            items::settle(writer, &item, &settled)?;
            attempts::end(writer, agent, id, item.attempts, ended)
        });
        match written {
            Err(StoreError::StaleFence) => Err(lost(id)),
            other => Ok(other?),
        }
    }

    fn take_answer(&self, item: &WorkItem, reply: &str) -> Result<Returned> {
        let worker = self.mind.at_work(self.agent.clone());
        worker.charge(item, reply)?;
        let began_at = worker.began(item)?;
        let trust = item.trust.unwrap_or_default();
        let reply = Reply { text: reply, quoted: &item.quoted, trust, model: None, began_at };
        let returned = |episode, again| Returned { id: item.id, already: false, episode, again };
        match worker.finish(item, &reply) {
            Ok(Ok(episode)) => Ok(returned(episode, None)),
            Ok(Err(fault)) => {
                worker.stumble(item, &fault)?;
                Ok(returned(None, Some(fault.told)))
            }
            Err(Error::Store(StoreError::StaleFence)) => Err(lost(item.id)),
            Err(error) => Err(error),
        }
    }

    /// The agent's own model wrote it, at somebody's cost: the answer counts.
    fn charge(&self, item: &WorkItem, reply: &str) -> Result<()> {
        let (agent, day) = (self.agent.id, self.today()?);
        let tokens = i64::try_from(count(reply)).unwrap_or(i64::MAX);
        let spent = Spend { tokens, exchanges: 1, millis: 0 };
        Ok(self.mind.store.background("thinking", &[agent], |writer| {
            spend::add(writer, agent, &day, spent)?;
            attempts::spent(writer, agent, item.id, item.attempts, tokens)
        })?)
    }

    fn began(&self, item: &WorkItem) -> Result<Time> {
        let agent = self.agent.id;
        let attempts = self
            .mind
            .store
            .read(&self.caller, &[agent], |reader| attempts::of_work(reader, agent, item.id))?;
        Ok(attempts.last().map_or(item.created_at, |attempt| attempt.began_at))
    }

    /// Writes into the ledger that the agent used a tool of ours, if it is at a piece of work: what it will claim to have
    /// used is held against this. `read` is the lowest trust of what the tool showed, and lowers that of the work. What the
    /// engine itself uses is written down where it is used.
    pub fn note_tool(&self, used: &ToolUse<'_>, outcome: CallOutcome, read: Option<f64>) -> Result<()> {
        for item in self.work_at_hand()? {
            if let Some(trust) = read {
                self.mind.store.system_write(|writer| items::lower_trust(writer, &item, trust))?;
            }
            self.write_call(&item, used, outcome, None)?;
        }
        Ok(())
    }

    /// Whether the agent may use a tool of ours now: who is at a piece of work gets none that weighs after it read what is
    /// not believed enough. What is refused is in the ledger.
    pub fn may_use_at_work(&self, used: &ToolUse<'_>) -> Result<()> {
        if used.class != ToolClass::Weighty {
            return Ok(());
        }
        for item in self.work_at_hand()? {
            let Some(Err(why)) = item.trust.map(|trust| may_use(used.class, trust)) else { continue };
            self.write_call(&item, used, CallOutcome::Refused, Some(why.to_owned()))?;
            let at_hand = format!("{} is at hand: complete it or give it back first", item.id);
            return Err(Error::Forbidden(format!("{why}; {at_hand}")));
        }
        Ok(())
    }

    fn write_call(
        &self,
        item: &WorkItem,
        used: &ToolUse<'_>,
        outcome: CallOutcome,
        reason: Option<String>,
    ) -> Result<()> {
        let now = self.mind.now();
        let call = Call {
            id: CallId::of(self.mind.mint.id(now)),
            work: item.id,
            tool: used.tool.to_owned(),
            class: used.class,
            arguments: used.arguments,
            began_at: now,
            ended_at: now,
            outcome,
            reason,
        };
        let agent = self.agent.id;
        Ok(self.mind.store.background("thinking", &[agent], |writer| {
            calls::insert(writer, agent, &call)?;
            attempts::called(writer, agent, item.id, item.attempts)
        })?)
    }

    /// The work that the agent is at, itself or by a program or host that thinks for it. What it uses meanwhile it may use for
    /// any of it.
    fn work_at_hand(&self) -> Result<Vec<WorkItem>> {
        let is_agent = self.caller.author() == Author::Agent && !self.caller.is_unattended();
        if !is_agent || !self.mind.settings.anybody_thinks_outside() {
            return Ok(Vec::new());
        }
        let now = self.mind.now();
        let open = self.mind.store.system(|reader| items::open(reader, self.agent.id))?;
        let is_outside = |item: &WorkItem| {
            ThinkerKind::ALL.iter().any(|kind| kind.is_outside() && kind.as_str() == item.thinker)
        };
        let is_at_it = |item: &WorkItem| {
            is_outside(item)
                && item.state == WorkState::Leased
                && item.lease_until.is_some_and(|until| until > now)
        };
        Ok(open.into_iter().filter(is_at_it).collect())
    }

    fn must_work_itself(&self) -> Result<()> {
        match self.caller.author() == Author::Agent || self.caller.is_operator() {
            true => Ok(()),
            false => Err(Error::Forbidden("only the agent itself does its own thinking".into())),
        }
    }
}

fn lost(id: WorkId) -> Error {
    Error::Store(StoreError::Conflict(format!(
        "{id} is not yours any more: its lease ran out, or it was never taken with this token; ask for the next work"
    )))
}
