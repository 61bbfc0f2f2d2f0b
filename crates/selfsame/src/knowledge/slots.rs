//! The questions that an agent knows of.

use crate::error::Result;
use crate::mind::Access;
use selfsame_core::knowledge::slot::{Registered, registry};
use selfsame_store::knowledge::slots;

impl Access<'_> {
    /// Every question that claims can answer: those that are known from the start, and those that came up in what the agent
    /// was told, or only these. What was stored a moment ago is read first.
    pub fn slots(&self, own_only: bool) -> Result<Vec<Registered>> {
        self.consolidate()?;
        let agent = self.agent.id;
        let own = self.mind.store.read(&self.caller, &[agent], |reader| slots::all(reader, agent))?;
        Ok(registry(&own).into_iter().filter(|slot| slot.is_own || !own_only).collect())
    }
}
