//! A summary that nobody wrote: the sentences that stand for the others, as they were said.
//!
//! A word counts for as much as many texts have it, and once it was told it counts for little: so the sentences that are
//! chosen speak of what comes up often, and not all of the same. Equal texts give an equal summary.

use super::focus::Focus;
use crate::fence;
use crate::recall::fillers::is_filler;
use crate::sentence::sentences;
use crate::text::{terms, words};
use crate::tokens::{count, cut};
use std::collections::{BTreeMap, BTreeSet};

/// Themes that are named, at most.
const THEMES: usize = 8;
/// Letters of a word that can be a theme.
const SHORTEST_THEME: usize = 3;
/// What a word still counts for, each time that it was told.
const TOLD: f64 = 0.25;
/// What each word of the theme that was asked for adds.
const ASKED_FOR: f64 = 2.0;
/// With less room than this nothing more is looked for.
const SHORTEST: usize = 8;
/// Tokens of a sentence that is still one thing, and not a document: a longer one is shortened.
const LONGEST: usize = 80;

/// A text to choose from.
#[derive(Clone, PartialEq, Debug)]
pub struct Piece {
    /// When and by whom, in a few words of ours; none for what says so itself.
    pub about: Option<String>,
    /// The words.
    pub text: String,
    /// How much it matters, from 0 to 1.
    pub weight: f64,
}

/// What was chosen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Extracted {
    /// What comes up most, in words that were said.
    pub themes: Vec<String>,
    /// The sentences in the order of their texts, a line for each.
    pub lines: Vec<String>,
}

/// Chooses sentences of so many tokens in all, at most.
pub fn extract(pieces: &[Piece], focus: Option<&Focus>, most_tokens: usize) -> Extracted {
    let spread = Spread::of(pieces);
    let mut left = candidates(pieces, focus, &spread);
    let mut told: BTreeMap<String, f64> = BTreeMap::new();
    let (mut chosen, mut room) = (Vec::new(), most_tokens);
    while room >= SHORTEST
        && let Some(best) = best_of(&left, &told, &spread)
    {
        let candidate = left.swap_remove(best);
        if candidate.tokens <= room {
            room -= candidate.tokens;
            for term in &candidate.terms {
                *told.entry(term.clone()).or_insert(1.0) *= TOLD;
            }
            chosen.push(candidate);
        }
    }
    chosen.sort_by_key(|candidate| candidate.place);
    Extracted { themes: spread.themes(), lines: chosen.into_iter().map(|candidate| candidate.line).collect() }
}

/// A sentence that may be chosen.
struct Candidate {
    place: usize,
    line: String,
    terms: BTreeSet<String>,
    tokens: usize,
    weight: f64,
}

fn candidates(pieces: &[Piece], focus: Option<&Focus>, spread: &Spread) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut known = BTreeSet::new();
    for piece in pieces {
        let text = fence::strip(&piece.text);
        for sentence in sentences(&text).into_iter().map(str::trim) {
            let said: BTreeSet<String> = telling(sentence).collect();
            if said.is_empty() || !known.insert(words(sentence)) {
                continue;
            }
            let short = cut(sentence, LONGEST);
            let shortened =
                if short.len() < sentence.len() { format!("{short} …") } else { sentence.to_owned() };
            let line = match &piece.about {
                Some(about) => format!("- {about}: {shortened}"),
                None if sentence.starts_with("- ") => shortened,
                None => format!("- {shortened}"),
            };
            let tokens = count(&line) + 1;
            let asked = focus.map_or(0, |focus| focus.weight(&said));
            let weight = piece.weight.max(0.05) * (1.0 + ASKED_FOR * asked as f64);
            let terms = said.into_iter().filter(|term| spread.texts.contains_key(term)).collect();
            found.push(Candidate { place: found.len(), line, terms, tokens, weight });
        }
    }
    found
}

/// The one that tells most of what was not told, by its length; of equals the first.
fn best_of(left: &[Candidate], told: &BTreeMap<String, f64>, spread: &Spread) -> Option<usize> {
    let worth = |candidate: &Candidate| {
        let terms = candidate.terms.iter();
        let sum: f64 = terms.map(|term| spread.worth(term) * told.get(term).copied().unwrap_or(1.0)).sum();
        candidate.weight * sum / libm::sqrt(candidate.tokens as f64)
    };
    let mut best: Option<(f64, usize)> = None;
    for (at, candidate) in left.iter().enumerate() {
        let worth = worth(candidate);
        let is_better = best.is_none_or(|(most, place)| {
            worth > most || (worth == most && candidate.place < left[place].place)
        });
        if is_better {
            best = Some((worth, at));
        }
    }
    best.map(|(_, at)| at)
}

/// In how many texts each word is.
struct Spread {
    texts: BTreeMap<String, u32>,
    /// How a word was written, and how often so.
    written: BTreeMap<String, BTreeMap<String, u32>>,
}

impl Spread {
    fn of(pieces: &[Piece]) -> Spread {
        let mut spread = Spread { texts: BTreeMap::new(), written: BTreeMap::new() };
        for piece in pieces {
            let mut seen = BTreeSet::new();
            for word in words(&piece.text) {
                for term in telling(&word) {
                    if word.chars().count() >= SHORTEST_THEME && word.chars().all(char::is_alphabetic) {
                        *spread.written.entry(term.clone()).or_default().entry(word.clone()).or_default() +=
                            1;
                    }
                    if seen.insert(term.clone()) {
                        *spread.texts.entry(term).or_default() += 1;
                    }
                }
            }
        }
        spread
    }

    /// What is in one text alone stands for nothing but itself.
    fn worth(&self, term: &str) -> f64 {
        libm::log(1.0 + f64::from(self.texts.get(term).copied().unwrap_or(0)))
    }

    fn themes(&self) -> Vec<String> {
        let mut often: Vec<(&String, u32)> = self
            .texts
            .iter()
            .filter(|(term, texts)| **texts > 1 && self.written.contains_key(*term))
            .map(|(term, texts)| (term, *texts))
            .collect();
        often.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let written = |term: &String| {
            let ways = &self.written[term];
            ways.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0))).map(|(word, _)| word.clone())
        };
        often.into_iter().take(THEMES).filter_map(|(term, _)| written(term)).collect()
    }
}

fn telling(text: &str) -> impl Iterator<Item = String> {
    terms(text).into_iter().filter(|term| !is_filler(term))
}
