//! Spans of time as the heartbeat reckons with them: in whole microseconds, so that every machine agrees.

use crate::time::Time;
use std::time::Duration;

/// So many times as long, to the nearest microsecond. What is no number of times is none.
pub(super) fn times(span: Duration, factor: f64) -> Duration {
    // A float holds whole microseconds exactly for centuries, and products of floats are the same everywhere.
    let micros = span.as_micros() as f64 * factor;
    Duration::from_micros(micros.round() as u64)
}

/// Whether the moment is less than a span away. A moment ahead counts too: two clocks that differ by a second must not
/// make one word two; but one that is far ahead, left behind by a wrong clock, holds nothing back.
pub(super) fn is_within(now: Time, at: Time, span: Duration) -> bool {
    now.since(at).max(at.since(now)) < span
}
