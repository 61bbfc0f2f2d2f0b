//! How current a belief is. It falls with time whatever the confidence, and being said again makes it new.

use super::observation::ObservationKind;
use crate::time::Time;
use std::time::Duration;

/// Below this a belief is stale.
pub const STALE: f64 = 0.35;

/// What a contradiction since the last support costs.
const CONTRADICTED: f64 = 0.2;

/// When a belief was last said, and last spoken against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heard {
    /// When it was last said; or when it was formed, if nobody says it any more.
    pub supported_at: Time,
    /// When something last spoke against it.
    pub contradicted_at: Option<Time>,
}

impl Heard {
    fn lost_to_contradiction(&self) -> f64 {
        if self.contradicted_at.is_some_and(|at| at > self.supported_at) { CONTRADICTED } else { 0.0 }
    }

    /// How current a belief of this kind is at `now`, 1 to 0: a half when it is due, nothing after twice that time.
    pub fn freshness(&self, kind: ObservationKind, now: Time) -> f64 {
        let age = now.since(self.supported_at).as_secs_f64();
        let whole = 2.0 * kind.cadence().as_secs_f64();
        (1.0 - age / whole - self.lost_to_contradiction()).clamp(0.0, 1.0)
    }

    /// The moment at which it becomes stale, unless something is said.
    pub fn stale_at(&self, kind: ObservationKind) -> Time {
        let share = (1.0 - STALE - self.lost_to_contradiction()).max(0.0);
        let seconds = 2.0 * kind.cadence().as_secs_f64() * share;
        // The first moment that lies below.
        self.supported_at.saturating_add(Duration::from_micros((seconds * 1e6) as u64 + 1))
    }

    /// When it has to be looked at after something was said.
    pub fn due_at(&self, kind: ObservationKind) -> Time {
        self.supported_at.saturating_add(kind.cadence()).min(self.stale_at(kind))
    }
}
