//! What somebody says instead who corrects a belief: a sentence, or the bare answer to its question.

use super::key::Question;
use super::subject::SELF;
use super::{Observation, SubjectType, rules};

/// Words in a correction that is taken for the bare answer, at most: "SQLite", "the blue one".
const BARE_ANSWER: usize = 4;

/// Whether a correction is the bare answer and no sentence. Where values coexist, another value is another question.
pub fn is_bare(belief: &Observation, truth: &str) -> bool {
    let is_short = truth.split_whitespace().count() <= BARE_ANSWER;
    is_short && !belief.key.contains('#') && rules::read(truth).is_empty()
}

/// A bare answer as a sentence that says what was asked.
pub fn sentence(belief: &Observation, subject: &str, answer: &str) -> String {
    let slot = Question::parse(&belief.key).map(|question| question.slot.replace(['_', '-'], " "));
    let slot = slot.unwrap_or_default();
    match (belief.subject.sort, subject) {
        (SubjectType::Global, _) => format!("The {slot} is {answer}"),
        (_, SELF) => format!("My {slot} is {answer}"),
        _ => format!("{subject}'s {slot} is {answer}"),
    }
}
