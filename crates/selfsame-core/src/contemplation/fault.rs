//! What goes wrong with a thinker, and what is done about it. All of it is normal.

use crate::word::words;
use std::time::Duration;

words! {
    /// What went wrong.
    FaultKind, "fault":
    /// Nobody answers there: refused, not found, no TLS, cut off.
    Unreachable = "unreachable",
    /// It took longer than it may: in all, or between two signs of life.
    TooSlow = "too slow",
    /// It wants to be left alone for a while.
    Busy = "busy",
    /// It answered that it failed.
    Failed = "failed",
    /// It does not take the key, the model or the way it is asked: somebody has to change something.
    Misconfigured = "misconfigured",
    /// What it answered cannot be read.
    Unreadable = "unreadable",
    /// It answered more than is taken.
    TooLarge = "too large",
    /// It answered nothing, or that it will not.
    Refused = "refused",
    /// It went on using tools without an end, or the same one over and over.
    Restless = "restless",
    /// The day's budget is spent.
    Budget = "budget",
}

/// A thinker did not answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{told}")]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// In our own words, with what to do; nothing that the other side said, which may repeat texts or keys.
    pub told: String,
    /// For how long it asks to be left alone.
    pub wait: Option<Duration>,
}

impl Fault {
    /// Of this kind, told so.
    pub fn new(kind: FaultKind, told: impl Into<String>) -> Fault {
        Fault { kind, told: told.into(), wait: None }
    }
}
