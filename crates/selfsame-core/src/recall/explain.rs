//! The last stage: why something is an answer, in numbers that add up.

use super::features::{Features, NAMES};
use super::fuse::parts;
use super::plan::Plan;
use super::sheet::Entry;

/// What one feature added to a fit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Part {
    /// The feature.
    pub name: &'static str,
    /// How strong it was, from 0 to 1.
    pub strength: f64,
    /// What it added.
    pub added: f64,
}

/// A word of the question in an answer.
#[derive(Clone, PartialEq, Debug)]
pub struct WordFound {
    /// As it is indexed.
    pub word: String,
    /// How often it is there.
    pub times: u32,
    /// In how many texts it is.
    pub in_texts: u64,
}

/// What a fit is the sum of, the largest part first.
pub fn explain_fit(features: &Features, weights: &Features) -> Vec<Part> {
    let added = parts(features, weights);
    let strengths = features.list();
    let mut explained: Vec<Part> = NAMES
        .iter()
        .zip(strengths)
        .zip(added)
        .map(|((name, strength), added)| Part { name, strength, added })
        .filter(|part| part.added > 0.0)
        .collect();
    explained.sort_by(|a, b| b.added.total_cmp(&a.added));
    explained
}

/// The words of the question that a text has.
pub fn words_found(plan: &Plan, frequencies: &[u64], own: &[Entry]) -> Vec<WordFound> {
    let found = own.iter().map(|entry| WordFound {
        word: plan.words[entry.word].term.clone(),
        times: entry.tf.into(),
        in_texts: frequencies[entry.word],
    });
    found.collect()
}
