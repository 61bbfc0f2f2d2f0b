//! The duty *decay*: memories whose time has come become stale, and then archived. Nothing decays into deletion.

use crate::error::{Result, StoreResult};
use crate::life::carry_on;
use crate::linking;
use crate::mind::Mind;
use crate::scheduler::{Effects, Job};
use selfsame_core::id::AgentId;
use selfsame_core::time::Time;
use selfsame_core::trust::Caller;
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
        let in_batches = |agent: AgentId, batch: &dyn Fn(&mut Writer) -> StoreResult<usize>| -> Result<()> {
            while mind.store.fenced(&duty.fence(mind.now()), &[agent], batch)? == BATCH as usize {}
            Ok(())
        };
        for agent in mind.agents()? {
            in_batches(agent.id, &|writer| catch_up_batch(writer, agent.id))?;
            in_batches(agent.id, &|writer| judge_batch(writer, agent.id, now))?;
        }
        Ok(Effects::none())
    }
}

/// What an earlier version stored is read as if it were new: its words compared, and what is open known to be open.
fn catch_up_batch(writer: &mut Writer, agent: AgentId) -> StoreResult<usize> {
    let unread = memory::unread(writer, agent, BATCH)?;
    let read = unread.len();
    for memory in unread {
        match memory {
            Ok(memory) => {
                memory::make_comparable(writer, &memory)?;
                if memory.is_open() {
                    linking::open(writer, &memory)?;
                }
            }
            Err(StoreError::Spoiled(spoiled)) => memory::give_up_comparing(writer, agent, spoiled.id)?,
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

fn judge_batch(writer: &mut Writer, agent: AgentId, now: Time) -> StoreResult<usize> {
    let due = memory::due(writer, agent, now, BATCH)?;
    let judged = due.len();
    for read in due {
        match read {
            Ok(before) => {
                carry_on(writer, &before, before.clone(), "decayed", now)?;
            }
            // Nobody can say what it was: it stays as it is, and must not come up again for ever.
            Err(StoreError::Spoiled(spoiled)) => memory::leave_alone(writer, agent, spoiled.id)?,
            Err(error) => return Err(error),
        }
    }
    Ok(judged)
}

impl Mind {
    /// Whether there are memories that an earlier version stored and nobody has read since.
    pub(crate) fn has_unread_memories(&self) -> Result<bool> {
        for agent in self.agents()? {
            let caller = Caller::operator(agent.operator);
            let unread =
                self.store.read(&caller, &[agent.id], |reader| memory::unread(reader, agent.id, 1))?;
            if !unread.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
