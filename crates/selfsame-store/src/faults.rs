//! Named points at which a test can make the store fail or die.
//!
//! A point costs one comparison when no fault is planned, so the program that is tested is the program that ships.

use crate::error::{Result, StoreError};
use std::fmt;
use std::sync::Arc;

/// What happens at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The operation fails there.
    Fail,
    /// The process ends there, without a word, as by `kill -9`.
    Die,
}

/// The points, in the order in which a write passes them; a duty has one more, between its work and its write,
/// and an act of forgetting two, after its write and after its line in the ledger. Each batch of self-care and each step of
/// a link, given or taken back, has two: when all of it is written and nothing committed, and after its commit.
pub const POINTS: &[&str] = &[
    "migrate.before_commit",
    "duty.prepared",
    "write.begun",
    "write.applied",
    "write.before_commit",
    "write.committed",
    "forget.committed",
    "forget.ledgered",
    "care.folding",
    "care.folded",
    "link.copying",
    "link.copied",
    "link.falling",
    "link.fallen",
];

type Plan = dyn Fn(&'static str) -> Option<Fault> + Send + Sync;

/// The faults that are planned: none, unless a test says otherwise.
#[derive(Clone, Default)]
pub struct Faults(Option<Arc<Plan>>);

impl Faults {
    /// Asks `plan` at every point.
    pub fn planned(plan: impl Fn(&'static str) -> Option<Fault> + Send + Sync + 'static) -> Faults {
        Faults(Some(Arc::new(plan)))
    }

    /// Passes the point, or does what is planned there.
    pub(crate) fn reach(&self, point: &'static str) -> Result<()> {
        match self.0.as_ref().and_then(|plan| plan(point)) {
            None => Ok(()),
            Some(Fault::Fail) => Err(StoreError::Planned(point)),
            Some(Fault::Die) => std::process::abort(),
        }
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Faults(planned)" } else { "Faults(none)" })
    }
}
