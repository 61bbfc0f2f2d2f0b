//! How far back and ahead the signals look.

use super::ladder::Ladder;
use std::time::Duration;

const fn hours(n: u64) -> Duration {
    Duration::from_secs(n * 3600)
}

const fn days(n: u64) -> Duration {
    hours(n * 24)
}

/// By what signals are found: all that a scan is told besides whom and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scans {
    /// How far they look.
    pub windows: Windows,
    /// When the rungs of deadlines are reached.
    pub ladder: Ladder,
    /// So many new memories are many.
    pub velocity: u32,
}

/// The spans of time by which signals are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Windows {
    /// A conversation that rests so long broke off.
    pub continuity_after: Duration,
    /// One that rests longer than this is over.
    pub continuity_within: Duration,
    /// How far back new memories are counted, at most.
    pub velocity_within: Duration,
    /// A plan or an activity that was touched so lately is under way.
    pub pending_touched: Duration,
    /// So is one that is due so soon.
    pub pending_due: Duration,
    /// A plan that was not worked on for so long stands still.
    pub stalled_after: Duration,
    /// If it is due so soon, it is at risk.
    pub at_risk_within: Duration,
    /// A question of that age waits for its answer.
    pub question_after: Duration,
    /// Somebody who was not heard of for so long is silent.
    pub silent_after: Duration,
    /// They matter if something about them is due so soon.
    pub silent_due: Duration,
}

impl Default for Windows {
    fn default() -> Windows {
        Windows {
            continuity_after: Duration::from_secs(15 * 60),
            continuity_within: hours(12),
            velocity_within: hours(24),
            pending_touched: days(7),
            pending_due: days(14),
            stalled_after: days(7),
            at_risk_within: days(14),
            question_after: hours(1),
            silent_after: days(7),
            silent_due: days(14),
        }
    }
}
