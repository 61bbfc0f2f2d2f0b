//! When to speak up: signals found by SQL, seven steps that judge them, and a trace that says why.
//!
//! [`signal`] is what a scan finds, by a file whose [`header`] says what it is; [`habit`] and [`sentiment`] judge what SQL
//! cannot. [`rules`] what the operator set, [`state`] what is known of the principal;
//! [`decision`] is what came of it. Nothing here reads a clock or a row: equal inputs give equal decisions, so a receipt
//! that keeps the inputs can be judged again.

pub mod decision;
pub mod habit;
pub mod header;
pub mod ladder;
pub mod rules;
pub mod sentiment;
pub mod signal;
pub mod state;

pub use decision::{Decision, StepName, StepTrace, Verdict};
pub use rules::{Autonomy, Period, Rules};
pub use signal::{Finding, RefKind, Sighting, Signal, Tier};
pub use state::State;
