//! Where a duty stands: whether it is on time, and whether its times can be right at all.

use super::Rhythm;
use crate::time::Time;
use std::time::Duration;

/// A duty without a rhythm is late after this long.
const LATE_ONCE: Duration = Duration::from_secs(3600);

/// No lease and no pause after a failure reaches further ahead than this.
const FARTHEST: Duration = Duration::from_secs(3600);

/// Whether a duty is on time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Health {
    /// On time.
    Fine,
    /// Two of its periods behind, or left behind by a process that died.
    Late,
    /// Given up.
    Dead,
}

impl Health {
    /// As shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Health::Fine => "fine",
            Health::Late => "late",
            Health::Dead => "dead",
        }
    }
}

/// What of a stored duty is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing<'a> {
    /// `waiting`, `running`, `dead`, `cancelled` or `done`.
    pub state: &'a str,
    /// How it repeats, as stored.
    pub rhythm: &'a str,
    /// The slot to be done next.
    pub slot: Time,
    /// When to try.
    pub next_at: Time,
    /// Until when somebody works on it.
    pub lease_until: Option<Time>,
}

impl Standing<'_> {
    /// Whether it is on time.
    pub fn health(&self, now: Time) -> Health {
        let period = Rhythm::parse(self.rhythm).ok().and_then(|rhythm| rhythm.period());
        let patience = period.map_or(LATE_ONCE, |period| period.saturating_mul(2));
        match self.state {
            "dead" => Health::Dead,
            "waiting" | "running" if now.since(self.slot) > patience => Health::Late,
            _ => Health::Fine,
        }
    }

    /// When to try a duty whose lease or pause lies further ahead than any can: the clock was wrong when it was set. None
    /// if it can be right. The token makes taking it safe: whoever works on it after all can write nothing more.
    pub fn released(&self, now: Time) -> Option<Time> {
        let from = self.slot.max(now);
        let absurd = match self.state {
            "running" => self.lease_until > Some(now.saturating_add(FARTHEST)),
            "waiting" => self.next_at > from.saturating_add(FARTHEST),
            _ => false,
        };
        absurd.then_some(from)
    }

    /// The slot to move it to when its own lies further ahead than its rhythm allows, for the same reason; none if it can
    /// be right.
    pub fn reanchored(&self, now: Time) -> Option<Time> {
        let rhythm = Rhythm::parse(self.rhythm).ok()?;
        let (next, period) = (rhythm.slot_after(now)?, rhythm.period()?);
        (self.state == "waiting" && self.slot > next.saturating_add(period)).then_some(next)
    }
}
