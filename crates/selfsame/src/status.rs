//! Where a mind stands, in a few numbers.

use crate::error::Result;
use crate::mind::Mind;
use selfsame_core::trust::Caller;
use selfsame_store::{Engine, memory, migrate};

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
}

impl Mind {
    /// Where the mind stands.
    pub fn status(&self) -> Result<Status> {
        let mut agents = Vec::new();
        for agent in self.agents()? {
            let caller = Caller::operator(agent.operator);
            let memories = self
                .store
                .read(&caller, &[agent.id], |reader| memory::count(reader, agent.id))?;
            agents.push((agent.name, memories));
        }
        Ok(Status {
            version: env!("CARGO_PKG_VERSION"),
            engine: self.store.engine(),
            engine_version: self.store.engine_version()?,
            schema: migrate::latest(),
            agents,
            recall: "by words (no embedding model)",
        })
    }
}
