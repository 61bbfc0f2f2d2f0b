//! Revalidation: looks again at beliefs whose time has come.

use super::book::{Book, Together};
use crate::error::{Result, StoreResult};
use crate::mind::Mind;
use crate::scheduler::{Effects, Job};
use selfsame_core::id::ObservationId;
use selfsame_core::time::Time;
use selfsame_store::agents::Agent;
use selfsame_store::duties::Duty;
use selfsame_store::knowledge::{claims, observations};
use selfsame_store::{StoreError, Writer};

/// Beliefs in one transaction, at most.
const BATCH: i64 = 100;

/// Looks at every belief that is due.
pub struct Revalidate;

impl Job for Revalidate {
    fn kind(&self) -> &'static str {
        "revalidate"
    }

    /// Each batch is a transaction of its own: what was looked at is due later, and the rest is found again.
    fn prepare(&self, mind: &Mind, duty: &Duty) -> Result<Effects> {
        for agent in mind.agents()? {
            mind.consolidate_agent(&agent)?;
            let now = mind.now();
            let mut look = |writer: &mut Writer| look_at_due(writer, mind, &agent, now);
            while mind.store.fenced(&duty.fence(mind.now()), &[agent.id], &mut look)? == BATCH as usize {}
        }
        Ok(Effects::none())
    }
}

fn look_at_due(writer: &mut Writer, mind: &Mind, agent: &Agent, now: Time) -> StoreResult<usize> {
    let due = observations::due(writer, agent.id, now, BATCH)?;
    let looked_at = due.len();
    let mut reading = claims::reading(writer, agent.id)?;
    let mut together = Together::default();
    for row in due {
        match row {
            Ok(row) => {
                let mut book = Book::open(writer, mind, agent, &row.key)?;
                book.revalidate(writer, &mut reading, now)?;
                book.close(writer, &mut together)?;
            }
            // Nobody can say what it was: it stays as it is, and must not come up again for ever.
            Err(StoreError::Spoiled(spoiled)) => {
                observations::leave_alone(writer, agent.id, ObservationId::of(spoiled.id))?;
            }
            Err(error) => return Err(error),
        }
    }
    together.write(writer, agent.id)?;
    if looked_at > 0 {
        claims::keep_reading(writer, agent.id, reading)?;
    }
    Ok(looked_at)
}
