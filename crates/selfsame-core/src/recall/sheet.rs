//! What the index proposed for one layer, laid out so that neighbours stand beside each other.
//!
//! Entries are sorted by thread, place and word: a text's words, its neighbours and its whole thread are then runs of
//! one list, and every score is one walk along it. Sums are made in that order on both engines.

use super::ask::Layer;
use super::bm25::{Corpus, Posting, Weights, rarity, saturation};
use super::thread::Spot;
use std::collections::BTreeSet;
use std::ops::Range;

/// A word of the plan that was looked up in a layer.
#[derive(Clone, PartialEq, Debug)]
pub struct Looked {
    /// Which word of the plan.
    pub word: usize,
    /// Where it is.
    pub postings: Vec<Posting>,
}

/// One word in one text, and what it adds there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Entry {
    /// The text.
    pub spot: Spot,
    /// Which word of the plan.
    pub word: usize,
    /// How often it is there.
    pub tf: u16,
    /// What the word adds to the text's score.
    pub score: f64,
}

/// A text that has at least one of the words.
#[derive(Clone, PartialEq, Debug)]
pub struct Text {
    /// Where it stands.
    pub spot: Spot,
    /// Its words.
    pub entries: Range<usize>,
    /// What they add up to.
    pub score: f64,
}

/// A layer's proposals.
#[derive(Clone, PartialEq, Debug)]
pub struct Sheet {
    /// Whose.
    pub layer: Layer,
    /// What all its texts have in common.
    pub corpus: Corpus,
    entries: Vec<Entry>,
    texts: Vec<Text>,
}

impl Sheet {
    /// Lays out what was looked up. `rarities` are those of the plan's words.
    pub fn lay_out(
        layer: Layer,
        corpus: Corpus,
        looked: &[Looked],
        rarities: &[f64],
        weights: Weights,
    ) -> Sheet {
        let mean = corpus.mean_len();
        let entry = |word: usize, posting: &Posting| Entry {
            spot: posting.spot,
            word,
            tf: posting.tf,
            score: rarities[word] * saturation(f64::from(posting.tf), f64::from(posting.len) / mean, weights),
        };
        let mut entries: Vec<Entry> = looked
            .iter()
            .flat_map(|looked| looked.postings.iter().map(move |posting| entry(looked.word, posting)))
            .collect();
        // Each word's postings are nearly in order already, which a merging sort makes use of.
        entries.sort_by_key(|entry| (entry.spot, entry.word));
        let texts = texts(&entries);
        Sheet { layer, corpus, entries, texts }
    }

    /// The same without some texts.
    pub fn without(&self, spots: &BTreeSet<Spot>) -> Sheet {
        let others = self.entries.iter().filter(|entry| !spots.contains(&entry.spot));
        let entries: Vec<Entry> = others.copied().collect();
        Sheet { layer: self.layer, corpus: self.corpus, texts: texts(&entries), entries }
    }

    /// The texts, in the order of their places.
    pub fn texts(&self) -> &[Text] {
        &self.texts
    }

    /// The words of a text.
    pub fn words(&self, text: &Text) -> &[Entry] {
        &self.entries[text.entries.clone()]
    }

    /// The text at a place, if it has any of the words.
    pub fn at(&self, spot: Spot) -> Option<&Text> {
        self.texts.binary_search_by_key(&spot, |text| text.spot).ok().map(|at| &self.texts[at])
    }

    /// The words of the texts at most so many places away in the same thread, its own included.
    pub fn around(&self, spot: Spot, reach: u32) -> &[Entry] {
        let first = Spot { place: spot.place.saturating_sub(reach), ..spot };
        let last = Spot { place: spot.place.saturating_add(reach), ..spot };
        let begin = self.entries.partition_point(|entry| entry.spot < first);
        let end = begin + self.entries[begin..].partition_point(|entry| entry.spot <= last);
        &self.entries[begin..end]
    }

    /// The words of each thread, threads in order.
    pub fn threads(&self) -> impl Iterator<Item = &[Entry]> {
        self.entries.chunk_by(|a, b| a.spot.thread == b.spot.thread)
    }
}

fn texts(entries: &[Entry]) -> Vec<Text> {
    let mut texts = Vec::new();
    let mut begin = 0;
    for run in entries.chunk_by(|a, b| a.spot == b.spot) {
        let end = begin + run.len();
        let score = run.iter().map(|entry| entry.score).sum();
        texts.push(Text { spot: run[0].spot, entries: begin..end, score });
        begin = end;
    }
    texts
}

/// How rare each word is over all layers together, so that a score means the same in each.
pub fn rarities(frequencies: &[u64], docs: u64) -> Vec<f64> {
    frequencies.iter().map(|df| rarity(*df, docs)).collect()
}
