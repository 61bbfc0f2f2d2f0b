//! Whether a host should wake its agent now: a beat, and what it or an earlier one left to be told.

use super::nudges::{MAX_LIMIT, NudgeCard};
use super::tick::Tick;
use crate::error::Result;
use crate::mind::Access;
use selfsame_core::heartbeat::{Period, StepName};

/// What a host is told when it asks whether to wake.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The beat.
    pub tick: Tick,
    /// What is to be told now, the newest first. It has been delivered with this.
    pub nudges: Vec<NudgeCard>,
}

impl Gate {
    /// Whether there is anything to say.
    pub fn wakes(&self) -> bool {
        !self.nudges.is_empty()
    }
}

impl Access<'_> {
    /// Lets the heart beat, and hands over what waits to be told. What was left from the day is not told at night, and
    /// nothing is while the principal wants silence: it waits on.
    pub fn heartbeat_gate(&self, whose: Option<&str>) -> Result<Gate> {
        let tick = self.heartbeat_tick(whose)?;
        if tick.decision.verdict.step() == StepName::Held {
            return Ok(Gate { tick, nudges: Vec::new() });
        }
        let by_day = tick.decision.period != Period::Quiet;
        let taken = self.take_waiting(&tick.principal, MAX_LIMIT, |nudge| by_day || nudge.quiet)?;
        let nudges = taken.into_iter().map(|id| self.nudge(id)).collect::<Result<_>>()?;
        Ok(Gate { tick, nudges })
    }
}
