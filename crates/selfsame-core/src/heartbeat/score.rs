//! Accountability: how much of what was promised and asked came to something. Shown, never rewarded.

use std::fmt;

/// What came of seven days.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Account {
    /// To-dos and promises that were done by their time.
    pub kept: u32,
    /// And those that were not.
    pub broken: u32,
    /// Reminders that reached nobody.
    pub missed: u32,
    /// Nudges that reached somebody.
    pub delivered: u32,
    /// Of those, how many were answered.
    pub answered: u32,
}

impl Account {
    /// From 0 to 100; nothing when nothing was promised or said.
    pub fn score(&self) -> Option<f64> {
        let sum = |counts: &[u32]| counts.iter().map(|count| f64::from(*count)).sum::<f64>();
        let all = sum(&[self.kept, self.broken, self.missed, self.delivered]);
        (all > 0.0).then(|| 100.0 * sum(&[self.kept, self.answered.min(self.delivered)]) / all)
    }
}

/// `75 (kept 2, broken 1, missed 0, answered 1 of 1)`, or `n/a`.
impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(score) = self.score() else {
            return f.write_str("n/a");
        };
        let Account { kept, broken, missed, delivered, answered } = self;
        write!(
            f,
            "{score:.0} (kept {kept}, broken {broken}, missed {missed}, answered {answered} of {delivered})"
        )
    }
}
