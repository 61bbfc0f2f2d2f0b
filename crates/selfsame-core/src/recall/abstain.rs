//! The stage that may say no.

use super::fuse::Fit;
use super::plan::Plan;

/// How likely there is an answer, and what that means.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// From 0 to 1.
    pub confidence: f64,
    /// Too unlikely: better nothing than something unrelated.
    pub abstains: bool,
    /// Why, in words.
    pub why: Option<String>,
}

/// What the whole index says to a question, beside its best candidates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Evidence<'a> {
    /// How rare each word of the plan is.
    pub rarities: &'a [f64],
    /// In how many texts it is.
    pub frequencies: &'a [u64],
}

/// Judges.
pub fn judge(plan: &Plan, evidence: &Evidence<'_>, fits: &[Fit]) -> Verdict {
    let _ = evidence;
    let why = match (plan.words.is_empty(), fits.is_empty()) {
        (true, _) => Some("the question has no words to look for".to_owned()),
        (false, true) => Some("nothing has any of these words".to_owned()),
        _ => None,
    };
    Verdict { confidence: if why.is_some() { 0.0 } else { 1.0 }, abstains: why.is_some(), why }
}
