//! When to speak up: signals found by SQL, seven steps that judge them, and a trace that says why.
//!
//! [`signal`] is what a scan finds, [`rules`] what the operator set, [`state`] what is known of the principal; [`decide()`]
//! judges, [`decision`] is what came of it, [`nudge`] says it, [`explain()`] explains it, [`next_tick()`] says when to look
//! again. [`schedule`] and [`ladder`] say when
//! something falls due, [`windows`] how far signals look. Nothing here reads a clock or a row: equal inputs give equal decisions, so a [`receipt`] that keeps
//! the inputs can be judged again.

mod decide;
pub mod decision;
pub mod explain;
pub mod habit;
pub mod header;
pub mod ladder;
pub mod next_tick;
pub mod nudge;
pub mod persona;
pub mod receipt;
pub mod response;
pub mod rules;
pub mod schedule;
pub mod score;
pub mod sentiment;
pub mod signal;
mod span;
pub mod state;
pub mod told;
pub mod windows;
mod wording;

pub use decide::decide;
pub use decision::{Decision, StepName, StepTrace, Verdict};
pub use explain::explain;
pub use ladder::{Ladder, Rung};
pub use next_tick::{Moment, NextTick, next_tick};
pub use nudge::{Nudge, NudgeAction, NudgeKind, phrase};
pub use persona::Persona;
pub use rules::{Autonomy, Period, Rules, minute_of_day, show_minute};
pub use schedule::Schedule;
pub use score::{Account, FellDue, Promise};
pub use signal::{Finding, RefKind, Sighting, Signal, Tier};
pub use state::State;
pub use told::NudgeState;
pub use windows::{Scans, Windows};
