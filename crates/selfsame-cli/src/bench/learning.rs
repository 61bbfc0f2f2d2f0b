//! Learning the weights of the ranking from the data, and measuring them on conversations that they never saw.

use super::run::row_of;
use selfsame::Access;
use selfsame::id::Id;
use selfsame::recall::learn::{Candidate, Case, Figures, LeftOut, leave_one_out, measure};
use selfsame::recall::{Hit, Question, Recalled};
use selfsame_daemon::Failure;
use std::collections::BTreeSet;

/// Candidates of a question, at most.
const CANDIDATES: usize = 200;

/// What speaks for a candidate, and the weight it has today.
pub(crate) const FEATURES: [(&str, f64); 2] = [("score", 1.0), ("words", 0.0)];

/// Something that the engine proposes for a question: its row, and one value for each of [`FEATURES`].
pub(super) struct Proposal {
    row: Id,
    features: Vec<f64>,
}

/// The seam between the engine and the learning: what is proposed for a question, in the engine's order, with features
/// from 0 to 1.
///
/// The engine does not show the features of its ranking yet. Until it does, there are two that follow from what a hit
/// shows: its score as a share of the best, and which share of the words asked for it has. When it does, this function
/// and [`FEATURES`] are all that changes.
pub(super) fn candidates_of(asker: &Access, question: &str) -> Result<Vec<Proposal>, Failure> {
    let question = Question { limit: Some(CANDIDATES), anyway: true, ..Question::new(question) };
    let recalled = asker.recall(&question)?;
    let best = recalled.hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
    Ok(recalled.hits.iter().map(|hit| proposal(hit, best, &recalled)).collect())
}

fn proposal(hit: &Hit, best: f64, recalled: &Recalled) -> Proposal {
    let score = if best > 0.0 { hit.score / best } else { 0.0 };
    let words = hit.matches.len() as f64 / recalled.words.len().max(1) as f64;
    Proposal { row: row_of(hit), features: vec![score, words] }
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
pub(crate) fn cross_validate(groups: &[Vec<Case>]) -> Learned {
    let start = FEATURES.map(|(_, weight)| weight);
    let all: Vec<&Case> = groups.iter().flatten().collect();
    Learned { left_out: leave_one_out(groups, &start), today: measure(&all, &start) }
}
