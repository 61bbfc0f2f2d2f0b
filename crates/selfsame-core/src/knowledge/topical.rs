//! What a sentence says of a belief whose words it has, when no rule could read it. It may support; it never contradicts.

use super::claim::Says;
use std::collections::BTreeSet;

/// How much of a question's name must stand in a sentence.
const NAMED: f64 = 0.6;

/// Analysed words that turn a sentence around.
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "without", "dont", "doesnt", "isnt", "arent", "wasnt", "cant", "wont", "longer",
    "stop", "instead",
];

/// What a sentence says of a belief: `sentence` are its analysed words, `slot` and `value` those of the question and of
/// the value that is believed.
pub fn touches(
    sentence: &BTreeSet<String>,
    slot: &BTreeSet<String>,
    value: &BTreeSet<String>,
) -> Option<Says> {
    let named = slot.intersection(sentence).count() as f64;
    if slot.is_empty() || named < NAMED * slot.len() as f64 {
        return None;
    }
    let negated = NEGATIONS.iter().any(|word| sentence.contains(*word));
    match !negated && !value.is_empty() && value.is_subset(sentence) {
        true => Some(Says::Holds),
        false => Some(Says::Touches),
    }
}
