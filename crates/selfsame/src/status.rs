//! Where a mind stands, in a few numbers.

use crate::error::Result;
use crate::mind::Mind;
use crate::scheduler::Health;
use selfsame_core::trust::Caller;
use selfsame_store::{Engine, memory, migrate};
use std::time::Duration;

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
    /// Each agent with its number of memories.
    pub agents: Vec<(String, u64)>,
    /// How recall finds things.
    pub recall: &'static str,
    /// Background duties: all, late, dead.
    pub duties: DutyCounts,
    /// How far this machine's clock is from the database server's, if that is worth an alarm.
    pub clock_skew: Option<Duration>,
}

/// Background duties, counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DutyCounts {
    /// All of them.
    pub all: u64,
    /// Behind their time.
    pub late: u64,
    /// Given up.
    pub dead: u64,
}

impl Mind {
    /// Where the mind stands.
    pub fn status(&self) -> Result<Status> {
        let mut agents = Vec::new();
        for agent in self.agents()? {
            let caller = Caller::operator(agent.operator);
            let memories = self.store.read(&caller, &[agent.id], |reader| memory::count(reader, agent.id))?;
            agents.push((agent.name, memories));
        }
        Ok(Status {
            version: env!("CARGO_PKG_VERSION"),
            engine: self.store.engine(),
            engine_version: self.store.engine_version()?,
            schema: migrate::latest(),
            agents,
            recall: "by words (no embedding model)",
            duties: self.duty_counts()?,
            clock_skew: self.clock_skew(),
        })
    }

    /// Background duties, counted by health.
    pub fn duty_counts(&self) -> Result<DutyCounts> {
        let mut counts = DutyCounts::default();
        for (_, health) in self.duty_health()? {
            counts.all += 1;
            counts.late += u64::from(health == Health::Late);
            counts.dead += u64::from(health == Health::Dead);
        }
        Ok(counts)
    }
}
