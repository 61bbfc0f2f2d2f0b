//! What follows a failure: a pause that grows, with some jitter, and an end.

use crate::id::Id;
use crate::seal::sha256;
use crate::time::Time;
use std::time::Duration;

/// How often and how patiently a duty is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retries {
    /// Attempts for one slot, at most. An attempt counts when it starts, so one that kills the process counts too.
    pub max_attempts: u32,
    /// The first pause.
    pub first_pause: Duration,
    /// No pause is longer.
    pub longest_pause: Duration,
}

/// Twelve attempts within about fifty minutes: an outage of lunch length passes unnoticed, a lasting one is told today.
impl Default for Retries {
    fn default() -> Retries {
        Retries {
            max_attempts: 12,
            first_pause: Duration::from_secs(2),
            longest_pause: Duration::from_secs(15 * 60),
        }
    }
}

/// What to do after a failed attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Try again then.
    Retry(Time),
    /// Enough: it goes to the dead letters, visible until somebody requeues or cancels it.
    GiveUp,
}

impl Retries {
    /// After attempt number `attempts` (from 1) of `duty` failed at `now`.
    pub fn after_failure(&self, duty: Id, attempts: u32, now: Time) -> Verdict {
        if attempts >= self.max_attempts {
            return Verdict::GiveUp;
        }
        Verdict::Retry(now.saturating_add(self.pause(duty, attempts)))
    }

    /// Doubles each time up to the longest, then between half and all of it: which part is fixed by duty and attempt,
    /// so many duties that failed together do not come back together, and a replay waits as long as the first run.
    fn pause(&self, duty: Id, attempts: u32) -> Duration {
        let doubled = self.first_pause.saturating_mul(1 << attempts.saturating_sub(1).min(20));
        let full = doubled.min(self.longest_pause);
        let dice = sha256(&[&duty.bytes(), &attempts.to_be_bytes()]);
        let share = u32::from(u16::from_be_bytes([dice[0], dice[1]]));
        full / 2 + full / 2 * share / 65_536
    }
}
