//! Scores what the index proposes.

use super::Spot;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// One word in one text. The index has very many of them, so they are small; a count that does not fit is the highest
/// that does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Posting {
    /// Where the text stands.
    pub spot: Spot,
    /// How often the word is in it.
    pub tf: u16,
    /// How many words it has.
    pub len: u16,
}

impl Posting {
    /// From counts as they are.
    pub fn new(spot: Spot, tf: u32, len: u32) -> Posting {
        let fitting = |count: u32| u16::try_from(count).unwrap_or(u16::MAX);
        Posting { spot, tf: fitting(tf), len: fitting(len) }
    }
}

/// What all texts have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Corpus {
    /// How many texts.
    pub docs: u64,
    /// How many words in all of them.
    pub words: u64,
}

impl Corpus {
    /// How many words a text has on average.
    pub fn mean_len(&self) -> f64 {
        if self.docs == 0 || self.words == 0 { 1.0 } else { self.words as f64 / self.docs as f64 }
    }
}

/// BM25's two numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Weights {
    /// How soon a repeated word stops counting.
    pub k1: f64,
    /// How much a long text is held against it.
    pub b: f64,
}

/// A word with all that was read about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TermPostings {
    /// The word.
    pub term: String,
    /// In how many texts it is.
    pub df: u64,
    /// Where it was found.
    pub postings: Vec<Posting>,
}

/// What one word adds to a hit's score.
#[derive(Clone, PartialEq, Debug)]
pub struct TermMatch {
    /// The word.
    pub term: String,
    /// How often it is in the text.
    pub tf: u32,
    /// In how many texts it is.
    pub df: u64,
    /// What it adds.
    pub score: f64,
}

/// A scored text, with what each word added.
#[derive(Clone, PartialEq, Debug)]
pub struct Scored {
    /// Where the text stands.
    pub spot: Spot,
    /// The sum.
    pub score: f64,
    /// Its parts.
    pub matches: Vec<TermMatch>,
}

/// Scores every text that any word was found in: best first, ties by spot: the earlier text.
pub fn score(found: &[TermPostings], corpus: Corpus, weights: Weights) -> Vec<Scored> {
    let mean_len = corpus.mean_len();
    let mut items: BTreeMap<Spot, Scored> = BTreeMap::new();
    for word in found {
        let idf = rarity(word.df, corpus.docs);
        for posting in &word.postings {
            let length = f64::from(posting.len) / mean_len;
            let score = idf * saturation(posting.tf.into(), length, weights);
            let hit = items.entry(posting.spot).or_insert_with(|| Scored {
                spot: posting.spot,
                score: 0.0,
                matches: Vec::new(),
            });
            hit.score += score;
            hit.matches.push(TermMatch {
                term: word.term.clone(),
                tf: posting.tf.into(),
                df: word.df,
                score,
            });
        }
    }
    let mut ranked: Vec<Scored> = items.into_values().collect();
    ranked.sort_by(better);
    ranked
}

/// The better hit first; equal scores in the order of their spots.
fn better(a: &Scored, b: &Scored) -> Ordering {
    b.score.total_cmp(&a.score).then(a.spot.cmp(&b.spot))
}

/// Rare words weigh more; never below zero, so that a word in every text does no harm.
pub fn rarity(df: u64, docs: u64) -> f64 {
    let (df, docs) = (df as f64, docs.max(df) as f64);
    libm::log(1.0 + (docs - df + 0.5) / (df + 0.5))
}

/// What a word that is there so often counts for, of its rarity, in a text that is so much longer than others.
pub fn saturation(tf: f64, length: f64, weights: Weights) -> f64 {
    let length = 1.0 - weights.b + weights.b * length;
    tf * (weights.k1 + 1.0) / (tf + weights.k1 * length)
}
