//! Learning the weights of the ranking from the data, and measuring them on conversations that they never saw.

use selfsame::Access;
use selfsame::id::Id;
use selfsame::recall::features::{COUNT, NAMES};
use selfsame::recall::learn::{Candidate, Case, Figures, LeftOut, leave_one_out, measure};
use selfsame::recall::weights::fusion;
use selfsame::recall::{Fit, Question};
use selfsame_daemon::Failure;
use std::collections::BTreeSet;

/// What speaks for a candidate.
pub(crate) fn features() -> [&'static str; COUNT] {
    NAMES
}

/// Something that the engine proposes for a question: its row, and one value for each of [`features`].
pub(super) struct Proposal {
    row: Id,
    features: Vec<f64>,
}

/// What is weighed for a question, in the order of the places where ties are broken.
pub(super) fn candidates_of(asker: &Access, question: &str) -> Result<Vec<Proposal>, Failure> {
    let mut fits = asker.weighed(&Question::new(question))?;
    fits.sort_by_key(|fit| (fit.layer, fit.spot));
    let proposal = |fit: &Fit| Proposal { row: fit.item, features: fit.features.list().to_vec() };
    Ok(fits.iter().map(proposal).collect())
}

/// A question to learn from.
pub(super) fn case(proposed: Vec<Proposal>, evidence: &BTreeSet<Id>) -> Case {
    let mut seen = BTreeSet::new();
    let candidate = |Proposal { row, features }| {
        // A message and what was captured from it count once.
        let is_evidence = evidence.contains(&row) && seen.insert(row);
        Candidate { features, is_evidence }
    };
    Case { candidates: proposed.into_iter().map(candidate).collect(), evidence: evidence.len() }
}

/// What cross-validation found.
pub(crate) struct Learned {
    pub(crate) left_out: LeftOut,
    /// With the weights of today.
    pub(crate) today: Figures,
}

/// Leaves out each conversation in turn.
pub(crate) fn cross_validate(groups: &[Vec<Case>], by_meaning: bool) -> Learned {
    let start = fusion(by_meaning).list();
    let all: Vec<&Case> = groups.iter().flatten().collect();
    Learned { left_out: leave_one_out(groups, &start), today: measure(&all, &start) }
}
