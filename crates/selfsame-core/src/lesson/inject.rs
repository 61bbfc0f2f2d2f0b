//! Which lessons go into the next context: the sure, fitting, recent and frequent ones, and few of them.

use crate::id::LessonId;
use crate::lesson::{Lesson, confidence_at};
use crate::memory::sameness::content_terms;
use crate::time::Time;
use std::collections::BTreeSet;
use std::time::Duration;

/// Seen so often counts in full.
const OFTEN: f64 = 10.0;

/// What counts for how much.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weights {
    /// How sure it is.
    pub confidence: f64,
    /// The words in common with what it is wanted for.
    pub overlap: f64,
    /// Having been seen lately.
    pub recency: f64,
    /// Having been seen often.
    pub occurrences: f64,
}

/// How lessons are chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    /// What counts for how much.
    pub weights: Weights,
    /// How sure a lesson must be.
    pub least_confidence: f64,
    /// How many, at most.
    pub most: usize,
    /// Confidence and recency are half after so long.
    pub half_life: Duration,
    /// Confidence never falls below this.
    pub floor: f64,
}

/// A lesson that was chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Chosen {
    /// Which.
    pub id: LessonId,
    /// How sure it is now.
    pub confidence: f64,
    /// How well it fits.
    pub score: f64,
}

/// The lessons to show for these words, the best first; of equally good ones the older, by their ids.
pub fn chosen<'l>(
    lessons: impl IntoIterator<Item = &'l Lesson>,
    words: &str,
    choice: &Choice,
    now: Time,
) -> Vec<Chosen> {
    let wanted: BTreeSet<String> = content_terms(words).counts.into_keys().collect();
    let mut chosen: Vec<Chosen> = lessons
        .into_iter()
        .filter(|lesson| lesson.merged_into.is_none())
        .map(|lesson| weighed(lesson, &wanted, choice, now))
        .filter(|one| one.confidence >= choice.least_confidence)
        .collect();
    chosen.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
    chosen.truncate(choice.most);
    chosen
}

fn weighed(lesson: &Lesson, wanted: &BTreeSet<String>, choice: &Choice, now: Time) -> Chosen {
    let Choice { weights, half_life, floor, .. } = choice;
    let confidence = confidence_at(lesson.confidence, lesson.judged_at, now, *half_life, *floor);
    let recency = confidence_at(1.0, lesson.last_seen_at, now, *half_life, 0.0);
    let score = weights.confidence * confidence
        + weights.overlap * overlap(lesson, wanted)
        + weights.recency * recency
        + weights.occurrences * (lesson.occurrences as f64 / OFTEN).min(1.0);
    Chosen { id: lesson.id, confidence, score }
}

/// The share of words in common, of whichever has fewer: a question is a few words, a night's context is hundreds, and a
/// lesson that lies wholly in either fits.
fn overlap(lesson: &Lesson, wanted: &BTreeSet<String>) -> f64 {
    let texts = [Some(&lesson.lesson), lesson.context.as_ref(), lesson.correction.as_ref()];
    let labels = lesson.tags.iter().chain(&lesson.tools);
    let all: Vec<&str> = texts.into_iter().flatten().chain(labels).map(String::as_str).collect();
    let own: BTreeSet<String> = content_terms(&all.join(" ")).counts.into_keys().collect();
    let fewer = own.len().min(wanted.len());
    if fewer == 0 { 0.0 } else { own.intersection(wanted).count() as f64 / fewer as f64 }
}
