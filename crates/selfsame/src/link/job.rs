//! The duty that goes on with links: what a process left half copied or half taken away, what the log does not tell of yet,
//! and requests that ran out.

use crate::error::Result;
use crate::mind::Mind;
use crate::scheduler::{Effects, Job, Pace};
use selfsame_core::link::Side;
use selfsame_core::trust::Caller;
use selfsame_store::duties::Duty;
use selfsame_store::links;

/// Goes on with links.
pub struct Neural;

impl Job for Neural {
    fn kind(&self) -> &'static str {
        "link"
    }

    /// Large memories take their time.
    fn pace(&self) -> Pace {
        Pace::Slow
    }

    fn prepare(&self, mind: &Mind, _duty: &Duty) -> Result<Effects> {
        mind.carry_on_links().map(|()| Effects::none())
    }
}

impl Mind {
    /// Does what is left to be done about every link. Each step is a transaction of its own that knows how far it is, so that
    /// two processes share the work.
    pub fn carry_on_links(&self) -> Result<()> {
        for agent in self.agents()? {
            let unfinished = self
                .store
                .read(&Caller::agent(None), &[agent.id], |reader| links::unfinished(reader, agent.id))?;
            for link in unfinished.into_iter().filter(|link| link.side == Side::Receives) {
                self.carry_on_link(agent.id, link.id)?;
            }
        }
        Ok(())
    }
}
