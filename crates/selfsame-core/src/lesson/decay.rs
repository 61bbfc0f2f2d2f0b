//! What is not seen again fades.

use crate::time::Time;
use std::time::Duration;

/// How sure a lesson is at `now` that was this sure when it was last judged: half in each half-life, and never below the
/// floor, since what was learned once is not nothing.
pub fn confidence_at(stored: f64, judged_at: Time, now: Time, half_life: Duration, floor: f64) -> f64 {
    let left = libm::exp2(-now.since(judged_at).as_secs_f64() / half_life.as_secs_f64());
    (stored * left).max(floor)
}
