//! The closer look: which words of the question stand together in a text as they do in the question.
//!
//! The index does not know where in a text a word is, so this is asked of the words of the few best candidates alone. Two
//! words that follow each other in the question, with few fillers between, are a pair; a text has the pair if they follow
//! each other there too. Who is asked with a phrase answers without it: what a question has of them counts for what was said
//! next. What is in quotation marks is wanted word for word.

use super::ask::Layer;
use super::fillers::is_filler;
use super::fuse::Fit;
use super::plan::Plan;
use super::sheet::Entry;
use super::thread::Spot;
use super::weights::FILLERS_BETWEEN;
use crate::text;
use std::collections::{BTreeMap, BTreeSet};

/// What of a question belongs together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Phrases {
    /// Words that follow each other, as places in the plan's words; each pair once.
    pairs: Vec<[usize; 2]>,
    /// What stands in quotation marks.
    quotes: Vec<Quote>,
}

/// Words in quotation marks; at least one.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Quote {
    /// As they stand: no endings are taken off.
    words: Vec<String>,
    /// Those of the plan's words that are among them.
    places: BTreeSet<usize>,
}

/// How much of a question's phrases a text has, each from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Together {
    /// The share of the pairs, by how rare their words are.
    pub phrase: f64,
    /// The share of the quotes.
    pub quoted: f64,
}

impl Phrases {
    /// Reads them from a question and its terms. `place` says which word of the plan a term is, if it is one.
    pub fn of(question: &str, terms: &[String], place: impl Fn(&str) -> Option<usize>) -> Phrases {
        let mut pairs = Vec::new();
        each_pair(terms, &place, |pair| {
            if pair[0] != pair[1] && !pairs.contains(&pair) {
                pairs.push(pair);
            }
        });
        let quote = |inside: &&str| Quote {
            words: words_of(inside),
            places: text::terms(inside).iter().filter_map(|term| place(term)).collect(),
        };
        Phrases { pairs, quotes: quoted(question).iter().map(quote).collect() }
    }

    /// Whether anything is in quotation marks.
    pub fn has_quotes(&self) -> bool {
        !self.quotes.is_empty()
    }

    fn share_of_pairs(&self, plan: &Plan, rarities: &[f64], content: &str) -> f64 {
        if self.pairs.is_empty() {
            return 0.0;
        }
        let mut met = BTreeSet::new();
        let place = |term: &str| plan.place_of(term);
        each_pair(&text::terms(content), place, |pair| {
            met.insert(pair);
        });
        let weight = |pair: &[usize; 2]| rarities[pair[0]] + rarities[pair[1]];
        let all: f64 = self.pairs.iter().map(weight).sum();
        let there: f64 = self.pairs.iter().filter(|pair| met.contains(*pair)).map(weight).sum();
        if all > 0.0 { there / all } else { 0.0 }
    }

    fn share_of_quotes(&self, content: &str) -> f64 {
        if self.quotes.is_empty() {
            return 0.0;
        }
        let words = words_of(content);
        let is_there = |quote: &&Quote| words.windows(quote.words.len()).any(|run| run == quote.words);
        self.quotes.iter().filter(is_there).count() as f64 / self.quotes.len() as f64
    }
}

/// Whether a text with these of the plan's words may have a phrase of the question: if not, it need not be read.
///
/// Of a quote one word suffices: the others may be too common to have been looked up.
pub fn may_be_in(plan: &Plan, own: &[Entry]) -> bool {
    let Phrases { pairs, quotes } = &plan.phrases;
    let has = |place: &usize| own.iter().any(|entry| entry.word == *place);
    pairs.iter().any(|pair| pair.iter().all(has))
        || quotes.iter().any(|quote| quote.places.is_empty() || quote.places.iter().any(has))
}

/// How much of the question's phrases a text has. `rarities` are those of the plan's words.
pub fn together(plan: &Plan, rarities: &[f64], content: &str) -> Together {
    Together {
        phrase: plan.phrases.share_of_pairs(plan, rarities, content),
        quoted: plan.phrases.share_of_quotes(content),
    }
}

/// Hands the phrase of what was asked in a conversation on to what was said next.
pub fn hand_on(fits: &mut [Fit]) {
    let mut asked: BTreeMap<Spot, f64> = BTreeMap::new();
    for fit in fits.iter_mut().filter(|fit| fit.layer == Layer::Message) {
        if fit.features.statement == 0.0 && fit.features.phrase > 0.0 {
            asked.insert(fit.spot, std::mem::take(&mut fit.features.phrase));
        }
    }
    for fit in fits.iter_mut().filter(|fit| fit.layer == Layer::Message) {
        let before = fit.spot.place.checked_sub(1).map(|place| Spot { place, ..fit.spot });
        let handed_on = before.and_then(|before| asked.get(&before)).copied().unwrap_or(0.0);
        fit.features.phrase = fit.features.phrase.max(handed_on);
    }
}

/// Every two words of the plan that follow each other in a text, with few fillers and nothing else between.
fn each_pair(terms: &[String], place: impl Fn(&str) -> Option<usize>, mut met: impl FnMut([usize; 2])) {
    let mut before: Option<(usize, usize)> = None;
    for term in terms {
        before = match (place(term), before) {
            (Some(now), Some((last, _))) => {
                met([last, now]);
                Some((now, 0))
            }
            (Some(now), None) => Some((now, 0)),
            (None, Some((last, fillers))) if fillers < FILLERS_BETWEEN && is_filler(term) => {
                Some((last, fillers + 1))
            }
            (None, _) => None,
        };
    }
}

/// What stands in quotation marks in a question. A mark without its counterpart quotes nothing.
pub fn quoted(question: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = question;
    while let Some((marks, inside)) = opened(rest) {
        rest = inside;
        if let Some((quote, after)) = inside.split_once(marks) {
            found.push(quote);
            rest = after;
        }
    }
    found.retain(|quote| !words_of(quote).is_empty());
    found
}

/// The marks that would close the first that is opened, and what follows that.
fn opened(text: &str) -> Option<(&'static [char], &str)> {
    text.char_indices().find_map(|(at, opening)| {
        let marks: &[char] = match opening {
            '"' | '\u{201c}' => &['"', '\u{201d}'],
            '\u{201e}' => &['\u{201c}', '\u{201d}'],
            '«' => &['»'],
            '»' => &['«'],
            '「' => &['」'],
            '『' => &['』'],
            _ => return None,
        };
        Some((marks, &text[at + opening.len_utf8()..]))
    })
}

/// The words of a text as they stand. Where a question ends says nothing of what is quoted in it.
fn words_of(text: &str) -> Vec<String> {
    text::words(text).into_iter().filter(|word| word != "?").collect()
}
