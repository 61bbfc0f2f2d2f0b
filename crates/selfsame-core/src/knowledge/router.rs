//! Which beliefs come first when something is asked.

use super::freshness::STALE;
use super::observation::{ObservationKind, Status};

/// From this on a belief may come before raw memories.
pub const SURE_ENOUGH: f64 = 0.6;

/// How good an answer a belief is, given how well it fits the question (0 to 1).
pub fn score(fit: f64, kind: ObservationKind, confidence: f64, freshness: f64) -> f64 {
    fit * kind.rank() * confidence * (0.5 + 0.5 * freshness)
}

/// Whether it may come first for a question about how things are now.
pub fn comes_first(status: Status, confidence: f64, freshness: f64) -> bool {
    status == Status::Active && confidence >= SURE_ENOUGH && freshness >= STALE
}
