//! Which beliefs come first when something is asked.

use super::freshness::STALE;
use super::observation::{ObservationKind, Status};
use crate::id::ObservationId;
use std::cmp::Ordering;

/// From this on a belief may come before raw memories.
pub const SURE_ENOUGH: f64 = 0.6;

/// How much of the fit of the best answer a belief must have to come before it: it says in its own words what others say
/// in theirs.
const FITS_AS_WELL: f64 = 0.75;

/// How good an answer a belief is, given how well it fits the question (0 to 1).
pub fn score(fit: f64, kind: ObservationKind, confidence: f64, freshness: f64) -> f64 {
    fit * kind.rank() * confidence * (0.5 + 0.5 * freshness)
}

/// Whether it fits a question so well that it may come before the text that fits best.
pub fn fits_as_well(fit: f64, best: f64) -> bool {
    fit >= FITS_AS_WELL * best
}

/// Which of two beliefs is told of first: what is believed before what is not any more, then the surer, then the older.
pub fn surest_first(one: (Status, f64, ObservationId), other: (Status, f64, ObservationId)) -> Ordering {
    let held = other.0.is_held().cmp(&one.0.is_held());
    held.then(other.1.total_cmp(&one.1)).then(one.2.cmp(&other.2))
}

/// Whether it may come first for a question about how things are now.
pub fn comes_first(status: Status, confidence: f64, freshness: f64) -> bool {
    status == Status::Active && confidence >= SURE_ENOUGH && freshness >= STALE
}
