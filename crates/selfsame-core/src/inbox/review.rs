//! What the rules decide at review time, when there is no thinker and nobody else has; and how long a candidate waits.

use super::{Candidate, CandidateKind, Verdict};
use crate::time::Time;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// How long a candidate waits for a decision.
pub const WAITS: Duration = Duration::from_secs(7 * 24 * 3600);

/// How long it waits at most, while nobody reviews.
pub const WAITS_AT_MOST: Duration = DAY.saturating_mul(30);

/// How long what was imported waits: thousands may come at once, and whoever brought them decides in their own time. Ten
/// years.
pub const IMPORTED_WAITS: Duration = DAY.saturating_mul(3650);

/// From here on a rule is sure enough.
const SURE: f64 = 0.8;

/// What the rules say of a pending candidate; none: it waits, and expires. `conversations` is in how many of them the
/// same words were said.
pub fn by_rules(candidate: &Candidate, conversations: usize) -> Option<Verdict> {
    match candidate.kind {
        _ if candidate.is_explicit() => Some(Verdict::Promote),
        CandidateKind::Emotion => Some(Verdict::Reject),
        CandidateKind::Question | CandidateKind::Fact => None,
        CandidateKind::Preference
        | CandidateKind::Directive
        | CandidateKind::Correction
        | CandidateKind::Identity
        | CandidateKind::Relationship
        | CandidateKind::Decision
        | CandidateKind::Commitment => {
            (candidate.confidence >= SURE || conversations >= 2).then_some(Verdict::Promote)
        }
    }
}

/// What becomes of a candidate whose time has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overdue {
    /// It waits longer: nobody has looked since it was filed.
    Until(Time),
    /// It is gone.
    Expires,
}

/// Extends a wait by another seven days, up to thirty in all, as long as no review took place since it was filed.
pub fn overdue(filed: Time, expires: Time, last_review: Option<Time>) -> Overdue {
    let latest = filed.saturating_add(WAITS_AT_MOST);
    let reviewed = last_review.is_some_and(|review| review >= filed);
    if reviewed || expires >= latest {
        return Overdue::Expires;
    }
    Overdue::Until(expires.saturating_add(WAITS).min(latest))
}
