//! The duty *decay*: memories whose time has come become stale, and then archived. Nothing decays into deletion.

use crate::error::Result;
use crate::life::carry_on;
use crate::mind::Mind;
use crate::scheduler::{Effects, Job};
use selfsame_core::id::AgentId;
use selfsame_core::time::Time;
use selfsame_store::duties::Duty;
use selfsame_store::{StoreError, Writer, memory};

/// Memories in one transaction, at most: others want to write too.
const BATCH: i64 = 200;

/// Judges every memory whose state changes by now.
pub struct Decay;

impl Job for Decay {
    fn kind(&self) -> &'static str {
        "decay"
    }

    /// Each batch is a transaction of its own: a state follows from the memory and the moment alone, so what a process
    /// that died has done already is done, and the rest is found again.
    fn prepare(&self, mind: &Mind, duty: &Duty) -> Result<Effects> {
        let now = mind.now();
        for agent in mind.agents()? {
            loop {
                let fence = duty.fence(mind.now());
                let judged =
                    mind.store.fenced(&fence, &[agent.id], |writer| judge_batch(writer, agent.id, now))?;
                if judged < BATCH as usize {
                    break;
                }
            }
        }
        Ok(Effects::none())
    }
}

fn judge_batch(writer: &mut Writer, agent: AgentId, now: Time) -> std::result::Result<usize, StoreError> {
    let due = memory::due(writer, agent, now, BATCH)?;
    let judged = due.len();
    for read in due {
        match read {
            Ok(before) => {
                memory::make_comparable(writer, &before)?;
                carry_on(writer, &before, before.clone(), "decayed", now)?;
            }
            // Nobody can say what it was: it stays as it is, and must not come up again for ever.
            Err(StoreError::Spoiled(spoiled)) => memory::leave_alone(writer, agent, spoiled.id)?,
            Err(error) => return Err(error),
        }
    }
    Ok(judged)
}
