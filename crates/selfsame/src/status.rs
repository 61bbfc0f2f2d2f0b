//! Where a mind stands, in a few numbers.

use crate::agent::Agent;
use crate::error::{Result, StoreResult};
use crate::heartbeat::NudgeState;
use crate::heartbeat::receipts::SCORED;
use crate::meaning::{NO_GENERATION, pending};
use crate::mind::Mind;
use crate::scheduler::{Duty, Health};
use selfsame_core::contemplation::WorkState;
use selfsame_core::id::AgentId;
use selfsame_core::knowledge::Status as Held;
use selfsame_core::readiness::{self, AgentFound, DutyFound, Found};
use selfsame_core::trust::Caller;
use selfsame_store::heartbeat::{beats, nudges};
use selfsame_store::knowledge::{conflicts, observations};
use selfsame_store::work::items;
use selfsame_store::{Engine, Reader, memory, migrate, principals, shelves, summaries, vectors};
use std::time::Duration;

pub use selfsame_core::readiness::{DutyCounts, HeartCounts, Readiness, Standing, ThinkingCounts};

/// Where a mind stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Status {
    /// The program's version.
    pub version: &'static str,
    /// Which engine.
    pub engine: Engine,
    /// Its version.
    pub engine_version: String,
    /// The schema's version.
    pub schema: i64,
    /// Each agent in numbers.
    pub agents: Vec<AgentStatus>,
    /// How recall finds things.
    pub recall: &'static str,
    /// What turns texts into vectors, if anything does.
    pub model: Option<ModelStatus>,
    /// Background duties: all, late, dead.
    pub duties: DutyCounts,
    /// How far this machine's clock is from the database server's, if that is worth an alarm.
    pub clock_skew: Option<Duration>,
}

/// One agent in numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentStatus {
    /// Its name.
    pub name: String,
    /// How many memories it has.
    pub memories: u64,
    /// How many summaries stand for what was folded.
    pub summaries: u64,
    /// What it believes.
    pub beliefs: BeliefCounts,
    /// What is wrong with its heartbeat.
    pub hearts: HeartCounts,
    /// What came to nothing of its thinking.
    pub thinking: ThinkingCounts,
}

/// What is believed, counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BeliefCounts {
    /// Taken for current.
    pub active: u64,
    /// Not said for long.
    pub stale: u64,
    /// Of these, with another answer beside them that is not settled.
    pub contested: u64,
}

/// What turns texts into vectors, and how far it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelStatus {
    /// Its name.
    pub name: String,
    /// Texts that it has read, of all agents.
    pub vectors: u64,
    /// Texts that it has not read yet.
    pub pending: u64,
    /// Agents whose recall still looks among the vectors of another model.
    pub behind: u64,
    /// Bytes of vectors that are in memory.
    pub bytes: u64,
    /// Why it did not answer the last time, if it did not.
    pub trouble: Option<String>,
}

impl Mind {
    /// Where the mind stands.
    pub fn status(&self) -> Result<Status> {
        let mut agents = Vec::new();
        for agent in self.agents()? {
            let caller = Caller::operator(agent.operator);
            let (memories, summaries, beliefs) = self.store.read(&caller, &[agent.id], |reader| {
                let summaries = summaries::count(reader, agent.id)?;
                Ok((memory::count(reader, agent.id)?, summaries, beliefs(reader, agent.id)?))
            })?;
            let (hearts, thinking) = (self.heart_counts(&agent)?, self.thinking_counts(&agent)?);
            agents.push(AgentStatus { name: agent.name, memories, summaries, beliefs, hearts, thinking });
        }
        Ok(Status {
            version: env!("CARGO_PKG_VERSION"),
            engine: self.store.engine(),
            engine_version: self.store.engine_version()?,
            schema: migrate::latest(),
            agents,
            recall: match self.embedder() {
                Some(_) => "by words and by meaning",
                None => "by words (no embedding model)",
            },
            model: self.model_status()?,
            duties: self.duty_counts()?,
            clock_skew: self.clock_skew(),
        })
    }

    /// Where the model stands, if there is one.
    fn model_status(&self) -> Result<Option<ModelStatus>> {
        let Some(model) = self.embedder() else {
            return Ok(None);
        };
        let mut status = ModelStatus {
            name: model.model().to_owned(),
            vectors: 0,
            pending: 0,
            behind: 0,
            bytes: self.store.vector_bytes() as u64,
            trouble: self.models.trouble(),
        };
        // A model that was never asked has read nothing.
        let generation = self.known_generation_of(model)?;
        for agent in self.agents()? {
            let caller = Caller::operator(agent.operator);
            let number = generation.as_ref().map_or(NO_GENERATION, |generation| generation.number);
            let (pending, vectors, used) = self.store.read(&caller, &[agent.id], |reader| {
                let mut vectors = 0;
                for kind in vectors::KINDS.into_iter().chain(shelves::shown(reader, agent.id)?) {
                    vectors += vectors::stock_of(reader, agent.id, number, kind)?.live;
                }
                Ok((pending(reader, agent.id, number)?, vectors, vectors::in_use(reader, agent.id)?))
            })?;
            status.pending += pending;
            status.vectors += vectors;
            status.behind += u64::from(used.is_some_and(|used| used != number));
        }
        Ok(Some(status))
    }

    /// What is wrong with an agent's hearts.
    pub fn heart_counts(&self, agent: &Agent) -> Result<HeartCounts> {
        let since = self.now().saturating_sub(SCORED);
        Ok(self.store.read(&Caller::operator(agent.operator), &[agent.id], |reader| {
            let mut counts = HeartCounts { failing: beats::failing(reader, agent.id)?, missed: 0 };
            for principal in principals::all(reader, agent.id)? {
                let told = nudges::count_since(reader, agent.id, principal.id, since)?;
                let missed = told.iter().filter(|(state, _)| *state == NudgeState::Missed);
                counts.missed += missed.map(|(_, count)| count).sum::<u64>();
            }
            Ok(counts)
        })?)
    }

    /// What came to nothing of an agent's thinking.
    pub fn thinking_counts(&self, agent: &Agent) -> Result<ThinkingCounts> {
        let (now, since) = (self.now(), self.now().saturating_sub(SCORED));
        Ok(self.store.system(|reader| {
            let dead = items::count(reader, agent.id, WorkState::Dead, since)?;
            let parked = items::count(reader, agent.id, WorkState::Parked, now)?;
            Ok(ThinkingCounts { dead, parked })
        })?)
    }

    /// Background duties, counted by health.
    pub fn duty_counts(&self) -> Result<DutyCounts> {
        Ok(self.duty_health()?.into_iter().map(|(_, health)| health).collect())
    }

    /// Whether the house is ready, for whoever asks.
    pub fn readiness(&self) -> Result<Standing> {
        let duties = self.duty_counts()?;
        Ok(Standing { readiness: duties.readiness(), duties, clock_skew: self.clock_skew() })
    }

    /// What is late or broken, each with what to do about it. For whoever may see the whole house.
    pub fn troubles(&self) -> Result<Vec<String>> {
        let duty = |(duty, health): (Duty, Health)| DutyFound {
            id: duty.id,
            kind: duty.kind,
            health,
            next_at: duty.next_at,
            last_error: duty.last_error,
        };
        let agent = |agent: AgentStatus| AgentFound {
            name: agent.name,
            hearts: agent.hearts,
            thinking: agent.thinking,
        };
        let status = self.status()?;
        Ok(readiness::troubles(&Found {
            duties: self.duty_health()?.into_iter().map(duty).collect(),
            model: status.model.and_then(|model| Some((model.name, model.trouble?))),
            agents: status.agents.into_iter().map(agent).collect(),
        }))
    }
}

fn beliefs(reader: &mut Reader, agent: AgentId) -> StoreResult<BeliefCounts> {
    let mut counts =
        BeliefCounts { contested: conflicts::contested(reader, agent)?, ..BeliefCounts::default() };
    for (status, count) in observations::count(reader, agent)? {
        match status {
            Held::Active => counts.active = count,
            Held::Stale => counts.stale = count,
            Held::Superseded | Held::Invalidated => {}
        }
    }
    Ok(counts)
}
