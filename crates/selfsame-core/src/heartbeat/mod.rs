//! When to speak up: signals found by SQL, seven steps that judge them, and a trace that says why.
//!
//! [`signal`] is what a scan finds, [`rules`] what the operator set, [`state`] what is known of the principal;
//! [`decide()`] judges, [`decision`] is what came of it; [`nudge`] says it and [`explain()`] explains it. Nothing here reads a clock or a row: equal inputs give equal decisions, so a receipt
//! that keeps the inputs can be judged again.

mod decide;
pub mod decision;
pub mod explain;
pub mod header;
pub mod next_tick;
pub mod nudge;
pub mod receipt;
pub mod response;
pub mod rules;
pub mod score;
pub mod signal;
mod span;
pub mod state;
mod wording;

pub use decide::decide;
pub use decision::{Decision, StepName, StepTrace, Verdict};
pub use explain::explain;
pub use next_tick::{Moment, NextTick, next_tick};
pub use nudge::{Nudge, NudgeAction, NudgeKind, phrase};
pub use rules::{Autonomy, Period, Rules};
pub use score::Account;
pub use signal::{Finding, RefKind, Sighting, Signal, Tier};
pub use state::State;
