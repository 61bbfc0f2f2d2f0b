//! The ladder of a deadline: how often it is spoken of, and when it is given up.
//!
//! Of several rungs that were passed in the meantime only the newest is told: what is late is not told late as well.

use crate::time::Time;
use crate::word::words;
use std::time::Duration;

words! {
    /// A rung, in the order in which they are reached.
    Rung, "rung of a deadline":
    /// A day before.
    Day = "24h",
    /// Four hours before.
    Hours = "4h",
    /// An hour before.
    Hour = "1h",
    /// Now.
    Due = "due",
    /// A day after.
    OverdueOne = "overdue_1",
    /// Two days after.
    OverdueTwo = "overdue_2",
    /// Three days after.
    OverdueThree = "overdue_3",
}

/// Seconds of a day.
const DAY: u64 = 24 * 3600;

const fn hours(n: u64) -> Duration {
    Duration::from_secs(n * 3600)
}

/// When the rungs are reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ladder {
    /// How long before it a deadline is first spoken of; rungs further ahead are left out.
    pub window: Duration,
    /// The rungs before it: how long before.
    pub before: [Duration; 3],
    /// The pause between two words on what is overdue, and before it is given up.
    pub overdue_every: Duration,
}

impl Default for Ladder {
    fn default() -> Ladder {
        Ladder { window: hours(24), before: [hours(24), hours(4), hours(1)], overdue_every: hours(24) }
    }
}

impl Ladder {
    /// The newest rung reached that was not told yet.
    pub fn reached(&self, due_at: Time, told: Option<Rung>, now: Time) -> Option<Rung> {
        let newest = self.rungs().filter(|rung| self.at(*rung, due_at) <= now).last()?;
        let is_new = told.is_none_or(|told| told < newest);
        (is_new && !self.is_over(due_at, now)).then_some(newest)
    }

    /// When there is something to do about it next: the moment of the rung that is to be told, which may be past, of the
    /// first one to come, or of giving it up. None once that has passed.
    pub fn next_rung_at(&self, due_at: Time, told: Option<Rung>, now: Time) -> Option<Time> {
        if self.is_over(due_at, now) {
            return None;
        }
        let waiting = self.reached(due_at, told, now).map(|rung| self.at(rung, due_at));
        let untold = self.rungs().filter(|rung| told.is_none_or(|told| told < *rung));
        let to_come = untold.map(|rung| self.at(rung, due_at)).find(|at| *at > now);
        Some(waiting.or(to_come).unwrap_or_else(|| self.over_at(due_at)))
    }

    /// Whether it is given up: `missed`.
    pub fn is_over(&self, due_at: Time, now: Time) -> bool {
        self.over_at(due_at) <= now
    }

    /// When it is given up: one pause after the last rung.
    pub fn over_at(&self, due_at: Time) -> Time {
        due_at.saturating_add(self.overdue_every * 4)
    }

    /// What a rung is called where it is spoken of: how long before or after the deadline it stands, as this ladder has
    /// it. The books call it by the rung's own word, whatever the ladder.
    pub fn word(&self, rung: Rung) -> String {
        match (self.before.get(rung as usize), self.after(rung)) {
            (Some(before), _) => show_span(*before),
            (None, Duration::ZERO) => rung.as_str().to_owned(),
            (None, after) if after.as_secs().is_multiple_of(DAY) => {
                format!("overdue_{}", after.as_secs() / DAY)
            }
            (None, after) => format!("overdue_{}", show_span(after)),
        }
    }

    /// The rung that is called so.
    pub fn rung_called(&self, word: &str) -> Option<Rung> {
        Rung::ALL.iter().copied().find(|rung| self.word(*rung) == word)
    }

    fn rungs(&self) -> impl Iterator<Item = Rung> {
        let is_in_window = |rung: &Rung| {
            let before = self.before.get(*rung as usize);
            before.is_none_or(|before| *before <= self.window)
        };
        Rung::ALL.iter().copied().filter(is_in_window)
    }

    fn at(&self, rung: Rung, due_at: Time) -> Time {
        match self.before.get(rung as usize) {
            Some(before) => due_at.saturating_sub(*before),
            None => due_at.saturating_add(self.after(rung)),
        }
    }

    /// How long after the deadline a rung stands; none for those before it.
    fn after(&self, rung: Rung) -> Duration {
        self.overdue_every * (rung as u32).saturating_sub(Rung::Due as u32)
    }
}

/// A span in the largest unit that is whole: `24h`, `90m`.
fn show_span(span: Duration) -> String {
    match span.as_secs() {
        seconds if seconds.is_multiple_of(3600) => format!("{}h", seconds / 3600),
        seconds if seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}
