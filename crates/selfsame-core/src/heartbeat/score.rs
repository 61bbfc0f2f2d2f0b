//! Accountability: how much of what was promised and asked came to something. Shown, never rewarded.

use super::told::NudgeState;
use crate::time::Time;
use crate::todo::TodoStatus;
use crate::word::words;
use std::fmt;

words! {
    /// What came of a promise: something that had a deadline.
    Promise, "end of a deadline":
    /// It was done by then.
    Kept = "kept",
    /// It was done later.
    Broken = "broken",
    /// It was given up.
    Missed = "missed",
    /// It was given up while nobody wanted to hear of it.
    MissedMuted = "missed_muted",
}

impl Promise {
    /// Of what was done.
    pub fn done(due_at: Time, now: Time) -> Promise {
        if now <= due_at { Promise::Kept } else { Promise::Broken }
    }

    /// Of what is given up.
    pub const fn given_up(is_muted: bool) -> Promise {
        if is_muted { Promise::MissedMuted } else { Promise::Missed }
    }
}

/// A to-do that fell due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FellDue {
    /// How far it is.
    pub status: TodoStatus,
    /// When it was due.
    pub due_at: Time,
    /// When it was done or cancelled.
    pub finished_at: Option<Time>,
}

impl FellDue {
    /// Whether it was done by its time.
    fn is_kept(&self) -> bool {
        self.status == TodoStatus::Done && self.finished_at.is_some_and(|finished| finished <= self.due_at)
    }
}

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
    /// Of promises that ended, to-dos that fell due, and how many nudges there are in each state.
    pub fn of(promises: &[Promise], todos: &[FellDue], nudges: &[(NudgeState, u64)]) -> Account {
        let told = |state: NudgeState| {
            let of_state = nudges.iter().filter(|(one, _)| *one == state);
            of_state
                .fold(0, |sum: u32, (_, count)| sum.saturating_add(u32::try_from(*count).unwrap_or(u32::MAX)))
        };
        let promised = promises.iter().filter(|promise| **promise == Promise::Kept).count();
        let kept = promised + todos.iter().filter(|todo| todo.is_kept()).count();
        let reached = [NudgeState::Delivered, NudgeState::Answered, NudgeState::Dismissed];
        Account {
            kept: kept as u32,
            broken: (promises.len() + todos.len() - kept) as u32,
            missed: told(NudgeState::Missed),
            delivered: reached.into_iter().fold(0, |sum: u32, state| sum.saturating_add(told(state))),
            answered: told(NudgeState::Answered),
        }
    }

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
