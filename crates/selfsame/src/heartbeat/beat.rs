//! The hearts whose time has come: many in one transaction, each on its own if one of them stumbles.

use super::tick::{Beating, Ids, Tick};
use crate::agent::Agent;
use crate::error::{Error, Result, StoreResult};
use crate::mind::Mind;
use crate::principal::Principal;
use selfsame_core::duty::{Retries, Verdict};
use selfsame_core::id::AgentId;
use selfsame_core::time::Time;
use selfsame_core::trust::Caller;
use selfsame_store::heartbeat::beats::{self, Beat};
use selfsame_store::{StoreError, agents, principals};
use std::time::Duration;

/// Hearts that beat in one transaction, at most.
const AT_ONCE: i64 = 100;
/// Transactions in one step, at most: others want the mind too.
const ROUNDS: usize = 20;
/// After a failure it is tried again soon, then hourly; it is never given up, and `heartbeat status` says that it fails.
const PATIENCE: Retries = Retries {
    max_attempts: u32::MAX,
    first_pause: Duration::from_secs(10),
    longest_pause: Duration::from_secs(3600),
};

/// What a round of beats did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Beats {
    /// Hearts that beat.
    pub ticks: usize,
    /// Of them, those that said something.
    pub acts: usize,
    /// Those that could not beat.
    pub failures: usize,
}

impl Mind {
    /// Lets every heart beat whose time has come.
    pub fn beat_due(&self, lease: Duration) -> Result<Beats> {
        let mut done = Beats::default();
        if !self.settings.heartbeat.enabled {
            return Ok(done);
        }
        for _ in 0..ROUNDS {
            let now = self.now();
            let until = now.saturating_add(lease);
            if self.store.system(beats::next_moment)?.is_none_or(|next| next > now) {
                break;
            }
            let due = self.store.system_write(|writer| beats::claim(writer, now, until, AT_ONCE))?;
            if due.is_empty() {
                break;
            }
            self.beat_all(&due, &mut done)?;
        }
        Ok(done)
    }

    /// When the next heart is to beat.
    pub(crate) fn next_beat(&self) -> Result<Option<Time>> {
        match self.settings.heartbeat.enabled {
            true => Ok(self.store.system(beats::next_moment)?),
            false => Ok(None),
        }
    }

    fn beat_all(&self, due: &[Beat], done: &mut Beats) -> Result<()> {
        match self.beat_together(due) {
            Ok(ticks) => count(&ticks, done),
            // One of many is at fault: each for itself.
            Err(_) if due.len() > 1 => {
                for beat in due {
                    self.beat_all(std::slice::from_ref(beat), done)?;
                }
            }
            Err(Error::Store(StoreError::StaleFence)) => {}
            Err(error) => {
                done.failures += 1;
                self.note_failure(&due[0], &error)?;
            }
        }
        Ok(())
    }

    fn beat_together(&self, due: &[Beat]) -> Result<Vec<Tick>> {
        let hearts = self.hearts_of(due)?;
        let now = self.now();
        let own = self.own_signals();
        let mut beatings = Vec::with_capacity(hearts.len());
        for (beat, agent, principal) in &hearts {
            let custom = self.scan_custom(&own, agent, principal, now)?;
            beatings.push((*beat, agent, principal, custom, Ids::new(self, now)));
        }
        let mut agents: Vec<AgentId> = hearts.iter().map(|(beat, ..)| beat.agent).collect();
        agents.dedup();
        Ok(self.store.background("heartbeat", &agents, |writer| {
            let paused = beats::paused_since(writer)?.is_some();
            let mut ticks = Vec::with_capacity(beatings.len());
            for (beat, agent, principal, custom, ids) in &beatings {
                let beating = Beating { mind: self, agent, principal, custom, ids: ids.clone(), now };
                let tick = beating.beat(writer, paused)?;
                beats::settle(writer, beat, tick.next.at)?;
                ticks.push(tick);
            }
            Ok(ticks)
        })?)
    }

    /// With the agent and the principal of each, asked for all of them together.
    fn hearts_of<'d>(&self, due: &'d [Beat]) -> Result<Vec<(&'d Beat, Agent, Principal)>> {
        let agents = self.store.system(|reader| {
            due.iter().map(|beat| agents::by_id(reader, beat.agent)).collect::<StoreResult<Vec<_>>>()
        })?;
        let agent = |(beat, agent): (&Beat, Option<Agent>)| {
            agent.ok_or_else(|| Error::NoSuch { what: "agent", id: beat.agent.to_string() })
        };
        let agents = due.iter().zip(agents).map(agent).collect::<Result<Vec<_>>>()?;
        let Some(first) = agents.first() else { return Ok(Vec::new()) };
        let caller = Caller::operator(first.operator);
        let ids: Vec<AgentId> = due.iter().map(|beat| beat.agent).collect();
        let principals = self.store.read(&caller, &ids, |reader| {
            let one = |beat: &Beat| principals::by_id(reader, beat.agent, beat.principal);
            due.iter().map(one).collect::<StoreResult<Vec<_>>>()
        })?;
        let heart = |((beat, agent), principal): ((&'d Beat, Agent), Option<Principal>)| {
            let missing = || Error::NoSuch { what: "principal", id: beat.principal.to_string() };
            Ok((beat, agent, principal.ok_or_else(missing)?))
        };
        due.iter().zip(agents).zip(principals).map(heart).collect()
    }

    fn note_failure(&self, beat: &Beat, error: &Error) -> Result<()> {
        let now = self.now();
        let next = match PATIENCE.after_failure(beat.principal.id(), beat.failures + 1, now) {
            Verdict::Retry(at) => at,
            Verdict::GiveUp => now.saturating_add(PATIENCE.longest_pause),
        };
        let noted = self.store.system_write(|writer| beats::fail(writer, beat, next, &error.to_string()));
        match noted {
            Err(StoreError::StaleFence) => Ok(()),
            other => Ok(other?),
        }
    }
}

fn count(ticks: &[Tick], done: &mut Beats) {
    done.ticks += ticks.len();
    done.acts += ticks.iter().filter(|tick| tick.nudge.is_some()).count();
}
