//! Why, for a person.

use super::decision::Decision;
use super::signal::Sighting;
use crate::time::{Time, Zone};
use std::time::Duration;

/// What is told of a tick.
pub struct Account<'t> {
    /// For whom.
    pub principal: &'t str,
    /// When.
    pub at: Time,
    /// What came of it.
    pub decision: &'t Decision,
    /// What was seen.
    pub sightings: &'t [Sighting],
    /// When next.
    pub next_at: Time,
    /// Why then.
    pub next_why: &'t str,
    /// How long it took.
    pub took: Duration,
    /// Statements asked.
    pub statements: u64,
    /// How many equal ticks.
    pub ticks: u64,
}

/// In words.
pub fn explain(account: &Account, _zone: &Zone) -> String {
    account.decision.verdict.reason().to_owned()
}
