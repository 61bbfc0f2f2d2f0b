//! The stage that may say no: how likely there is an answer at all among what was found.
//!
//! Two things are asked. Is there *support*: does the best text, with the few around it, cover enough of what the question
//! asks for? How much is enough depends on whether somebody is named who is known, and on how much there is to search:
//! in a large store any word is found somewhere. And is it *theirs*: if one person is named who speaks here, does what
//! fits best come from them, or did somebody else say it?

use super::ask::Layer;
use super::features::Features;
use super::fuse::{Fit, sum};
use super::plan::Plan;
use super::weights::{FUSION, MEANT, SUPPORT, Support, THEIRS};
use std::collections::BTreeSet;

/// How likely there is an answer, and what that means.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// From 0 to 1; below one half it is better to give nothing.
    pub confidence: f64,
    /// Too unlikely: better nothing than something unrelated.
    pub abstains: bool,
    /// Why, in words.
    pub why: Option<String>,
}

/// What the whole index says to a question, beside its candidates. As with those, what the asker may not see is left out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Evidence<'a> {
    /// In how many texts each word of the plan is.
    pub frequencies: &'a [u64],
    /// How many texts there are.
    pub docs: u64,
    /// Whether meaning was compared too.
    pub by_meaning: bool,
}

/// What an answer can rest on: the best candidate by each of these decides whether there is one.
pub const STRENGTHS: [fn(&Fit) -> f64; 3] =
    [|fit| fit.features.coverage, |fit| fit.around, |fit| fit.surprise];

/// Judges the candidates of a question. An answer must rest on `carriers`, which are some of them: all, or the strongest of
/// those that the answer may be made of.
pub fn judge(plan: &Plan, evidence: &Evidence<'_>, fits: &[Fit], carriers: &[Fit]) -> Verdict {
    if plan.words.is_empty() && plan.people.is_empty() && !evidence.by_meaning {
        return Verdict::none("the question has no words to look for".into());
    }
    if fits.is_empty() {
        return Verdict::none("nothing that is stored has any of these words".into());
    }
    let [coverage, around, surprise] =
        STRENGTHS.map(|strength| carriers.iter().map(strength).fold(0.0, f64::max));
    let support = (coverage + around) / 2.0 - needed(plan, evidence, fits);
    let supported = logistic(SUPPORT.steepness * support).max(is_meant(evidence, surprise));
    let theirs = is_theirs(plan, fits);
    if supported <= theirs {
        Verdict::of(supported, || unsupported(plan, evidence))
    } else {
        Verdict::of(theirs, || "what fits was said by or about somebody else".into())
    }
}

impl Verdict {
    fn none(why: String) -> Verdict {
        Verdict { confidence: 0.0, abstains: true, why: Some(why) }
    }

    fn of(confidence: f64, why: impl FnOnce() -> String) -> Verdict {
        let abstains = confidence < 0.5;
        Verdict { confidence, abstains, why: abstains.then(why) }
    }
}

/// How likely it is that the one that is nearest in meaning is about the question, whatever its words. Among many texts one is
/// near by chance.
fn is_meant(evidence: &Evidence<'_>, nearest: f64) -> f64 {
    let by_chance = libm::sqrt(2.0 * libm::log(evidence.docs.max(2) as f64));
    match nearest > 0.0 {
        true => logistic(MEANT.steepness * (nearest - by_chance - MEANT.margin)),
        false => 0.0,
    }
}

/// Which share of the question must be covered.
fn needed(plan: &Plan, evidence: &Evidence<'_>, fits: &[Fit]) -> f64 {
    let Support { person, known_name, otherwise, stranger, .. } = SUPPORT;
    let has_name = |occurs: bool| {
        let mut words = plan.words.iter().zip(evidence.frequencies);
        words.any(|(word, texts)| word.proper && (*texts > 0) == occurs)
    };
    let needed = if fits.iter().any(|fit| fit.features.person > 0.0) {
        person
    } else if has_name(false) {
        stranger
    } else if has_name(true) {
        known_name
    } else {
        otherwise
    };
    let docs = evidence.docs as f64;
    needed * docs / (docs + SUPPORT.few_texts)
}

/// How likely it is that what was found is about the one who is named; certain where that cannot be told.
///
/// The fit without who said it spreads over the texts that people said. If little of it is on the texts of the one who is
/// named, the question has the wrong name in it. Meaning is left out: it is nearly the same whoever is named.
fn is_theirs(plan: &Plan, fits: &[Fit]) -> f64 {
    let said: Vec<&Fit> = fits.iter().filter(|fit| fit.layer == Layer::Message && fit.spoken).collect();
    let is_named = |fit: &Fit| fit.features.person > 0.0;
    let one_is_named = plan.named_once > 0 && plan.people.len() == plan.named_once;
    if !one_is_named || !said.iter().any(|fit| is_named(fit)) || said.iter().all(|fit| is_named(fit)) {
        return 1.0;
    }
    let fit = |fit: &Fit| sum(&Features { person: 0.0, own_words: 0.0, ..fit.features }, &FUSION);
    let most = said.iter().map(|one| fit(one)).fold(0.0, f64::max);
    let mass = |one: &&Fit| libm::exp(fit(one) - most);
    let all: f64 = said.iter().map(mass).sum();
    let theirs: f64 = said.iter().filter(|one| is_named(one)).map(mass).sum();
    logistic(THEIRS.steepness * (theirs / all - THEIRS.needed))
}

/// What is missing, in words.
fn unsupported(plan: &Plan, evidence: &Evidence<'_>) -> String {
    let unknown: BTreeSet<&str> = plan
        .words
        .iter()
        .zip(evidence.frequencies)
        .filter(|(word, texts)| **texts == 0 && !word.role.is_day())
        .map(|(word, _)| word.term.as_str())
        .collect();
    match unknown.is_empty() {
        true => "no text has enough of these words together".into(),
        false => {
            let words: Vec<&str> = unknown.into_iter().take(5).collect();
            format!("what is stored says too little about this (nothing about {})", words.join(", "))
        }
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}
