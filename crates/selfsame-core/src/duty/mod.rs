//! Background duties, judged: when the next one is due, how long to wait after a failure, when to give up.
//!
//! A duty's slots are fixed points in time, computed from its rhythm alone and never from when it last happened to run.
//! So a late run does not shift the next, a clock that jumps back repeats nothing, and after downtime there is one run
//! and not a burst.

mod retry;
mod rhythm;
mod spans;
mod standing;

pub use retry::{Retries, Verdict};
pub use rhythm::{BadRhythm, Due, Rhythm};
pub use spans::Spans;
pub use standing::{Health, Standing};
