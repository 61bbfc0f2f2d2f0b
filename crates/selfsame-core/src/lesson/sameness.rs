//! When two lessons are one: the same tools, and nearly the same words.
//!
//! The measure is the share of words in common among all words of both (Jaccard, on the terms of the index). It is symmetric,
//! and a short lesson is not the same as every longer one that contains it, as it would be if only the shorter counted.
//! Since *always ask* and *never ask* have most words in common, denials and numbers must be equal besides.

use crate::id::LessonId;
use crate::memory::sameness::is_alike_in_denials_and_numbers;
use crate::text::terms;
use std::collections::BTreeSet;

/// A lesson, ready to be compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gist {
    text: String,
    tools: BTreeSet<String>,
    terms: BTreeSet<String>,
}

impl Gist {
    /// Of what a lesson says, and the tools it is about.
    pub fn of(text: &str, tools: &[String]) -> Gist {
        Gist {
            text: text.to_owned(),
            tools: tools.iter().map(|tool| tool.to_lowercase()).collect(),
            terms: terms(text).into_iter().collect(),
        }
    }

    /// The share of words in common, 0 to 1. Texts without a word are as alike as they are equal.
    pub fn overlap(&self, other: &Gist) -> f64 {
        let all = self.terms.union(&other.terms).count();
        if all == 0 {
            return f64::from(u8::from(self.text == other.text));
        }
        self.terms.intersection(&other.terms).count() as f64 / all as f64
    }

    /// Whether both say the same of the same tools.
    pub fn is_same(&self, other: &Gist, least: f64) -> bool {
        self.tools == other.tools
            && self.overlap(other) >= least
            && is_alike_in_denials_and_numbers(&self.text, &other.text)
    }
}

/// How sure the same again makes a lesson.
pub fn reinforced(confidence: f64, by: f64) -> f64 {
    (confidence + by).min(1.0)
}

/// Which lessons go on in which: each in the oldest that says the same, if that does not go on in another itself.
pub fn merges(lessons: &[(LessonId, Gist)], least: f64) -> Vec<(LessonId, LessonId)> {
    let mut by_age: Vec<&(LessonId, Gist)> = lessons.iter().collect();
    by_age.sort_by_key(|(id, _)| *id);
    let (mut standing, mut merges): (Vec<&(LessonId, Gist)>, _) = (Vec::new(), Vec::new());
    for lesson in by_age {
        match standing.iter().find(|older| older.1.is_same(&lesson.1, least)) {
            Some(older) => merges.push((lesson.0, older.0)),
            None => standing.push(lesson),
        }
    }
    merges
}
