//! What was recalled is held more firmly; but recall itself writes nothing.
//!
//! Recalls are noted in memory and written down in batches, by each process for itself. A crash may lose them: a memory
//! then fades a little earlier, and nothing else is lost.

use crate::error::Result;
use crate::life::carry_on;
use crate::mind::Mind;
use selfsame_core::id::{AgentId, MemoryId};
use selfsame_core::time::{Time, Zone};
use selfsame_store::agents::Agent;
use selfsame_store::{StoreError, Writer, memory};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a recall waits to be written down, at most.
const WRITTEN_EVERY: Duration = Duration::from_secs(60);
/// Recalls that wait, at most: beyond that the newest are not noted.
const MOST_WAITING: usize = 100_000;
/// Memories in one transaction, at most.
const BATCH: usize = 200;

/// The recalls that are not written down yet.
#[derive(Default)]
pub(crate) struct Touches(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    recalls: BTreeMap<AgentId, BTreeMap<MemoryId, Time>>,
    count: usize,
    since: Option<Time>,
}

impl Touches {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that these were recalled.
    pub(crate) fn note(&self, agent: AgentId, recalled: impl Iterator<Item = MemoryId>, now: Time) {
        let mut waiting = self.lock();
        for id in recalled {
            if waiting.count >= MOST_WAITING {
                return;
            }
            if waiting.recalls.entry(agent).or_default().insert(id, now).is_none() {
                waiting.count += 1;
            }
            waiting.since.get_or_insert(now);
        }
    }

    fn are_due(&self, now: Time) -> bool {
        self.lock().since.is_some_and(|since| now.since(since) >= WRITTEN_EVERY || now < since)
    }

    fn take(&self) -> BTreeMap<AgentId, BTreeMap<MemoryId, Time>> {
        std::mem::take(&mut *self.lock()).recalls
    }
}

impl Mind {
    /// Writes down what was recalled, if it has waited long enough.
    pub(crate) fn write_due_touches(&self) -> Result<()> {
        match self.touches.are_due(self.now()) {
            true => self.write_touches(),
            false => Ok(()),
        }
    }

    /// Writes down what was recalled since the last time. A process that ends calls it.
    pub fn write_touches(&self) -> Result<()> {
        let taken = self.touches.take();
        if taken.is_empty() {
            return Ok(());
        }
        let agents = self.agents()?;
        for (id, recalls) in taken {
            let Some(agent) = agents.iter().find(|agent| agent.id == id) else { continue };
            let recalls: Vec<(MemoryId, Time)> = recalls.into_iter().collect();
            for batch in recalls.chunks(BATCH) {
                self.touch(agent, batch)?;
            }
        }
        Ok(())
    }

    fn touch(&self, agent: &Agent, recalls: &[(MemoryId, Time)]) -> Result<()> {
        let zone = Zone::parse(&agent.zone)?;
        self.store.background("touch", &[agent.id], |writer| touch_all(writer, agent.id, &zone, recalls))?;
        Ok(())
    }
}

fn touch_all(
    writer: &mut Writer,
    agent: AgentId,
    zone: &Zone,
    recalls: &[(MemoryId, Time)],
) -> std::result::Result<(), StoreError> {
    let when: BTreeMap<MemoryId, Time> = recalls.iter().copied().collect();
    let ids: Vec<MemoryId> = when.keys().copied().collect();
    // What was forgotten or damaged in the meantime is none of our business here.
    let mut there: Vec<_> = memory::by_ids(writer, agent, &ids)?.into_iter().flatten().collect();
    there.sort_by_key(|memory| memory.id);
    for before in there {
        let at = when[&before.id];
        if let Some(hold) = before.life.hold.recalled(before.kind, zone, at) {
            let mut after = before.clone();
            after.life.hold = hold;
            carry_on(writer, &before, after, "recalled", at)?;
        }
    }
    Ok(())
}
