//! A long text, found by the part of it that answers: words that stand far apart in it say nothing together.
//!
//! The index knows which words a text has and not where. A summary has nearly every word of what it was made from, so it is
//! read and laid out as if it were a sitting, each sentence in its place. There are few of them.

use super::ask::Layer;
use super::bm25::{Corpus, Posting, Weights};
use super::indexed::{Indexed, told_of};
use super::marks::Marks;
use super::plan::Plan;
use super::sheet::{Looked, Sheet};
use super::thread::Spot;
use super::weigh::Described;
use crate::id::{EntityId, Id};
use crate::sentence::sentences;
use crate::text::count_terms;
use crate::time::civil::Date;
use std::collections::BTreeMap;

/// A long text that may be an answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Long {
    /// The row.
    pub item: Id,
    /// Where it stands.
    pub spot: Spot,
    /// Its words.
    pub text: String,
    /// The first day that it tells of.
    pub from: Date,
    /// And the last.
    pub until: Date,
    /// With whom it was.
    pub people: Vec<EntityId>,
}

/// Long texts, each a thread of its sentences.
pub struct Parts {
    pub(super) sheet: Sheet,
    pub(super) described: BTreeMap<Spot, Described>,
    /// How many texts there are.
    pub(super) texts: u64,
}

/// Lays out what long texts have of a question, sentence by sentence.
pub fn lay_out(plan: &Plan, rarities: &[f64], weights: Weights, texts: &[Long]) -> Parts {
    let mut looked: Vec<Looked> =
        (0..plan.words.len()).map(|word| Looked { word, postings: Vec::new() }).collect();
    let mut described = BTreeMap::new();
    let mut corpus = Corpus::default();
    for text in texts {
        for (place, sentence) in (0..).zip(sentences_of(&text.text)) {
            let spot = Spot { place, ..text.spot };
            let Indexed { words, marks } = analysed(plan, sentence, text);
            for (word, looked) in plan.words.iter().zip(&mut looked) {
                if let Some(times) = words.counts.get(&word.term) {
                    looked.postings.push(Posting::new(spot, *times, words.len));
                }
            }
            corpus = Corpus { docs: corpus.docs + 1, words: corpus.words + u64::from(words.len) };
            described.insert(spot, text.described(words.len, marks));
        }
    }
    let sheet = Sheet::lay_out(Layer::Summary, corpus, &looked, rarities, weights);
    Parts { sheet, described, texts: texts.len() as u64 }
}

/// What has no sentences is a part nevertheless: it may be meant whatever its words.
fn sentences_of(text: &str) -> Vec<&str> {
    let found = sentences(text);
    if found.is_empty() { vec![text] } else { found }
}

/// Days are looked for only where some are asked for.
fn analysed(plan: &Plan, sentence: &str, text: &Long) -> Indexed {
    match plan.days.is_empty() && !plan.asks_when {
        true => Indexed { words: count_terms(sentence), marks: Marks::of(sentence, false) },
        false => told_of(sentence, text.from, text.until),
    }
}

impl Long {
    fn described(&self, len: u32, marks: Marks) -> Described {
        Described {
            item: self.item,
            len: u16::try_from(len).unwrap_or(u16::MAX),
            said_on: self.until,
            people: self.people.clone(),
            marks,
        }
    }
}
