//! What meaning says for a candidate, where a model has made vectors of the texts.
//!
//! A cosine means something else with every model: with one, two unrelated sentences have 0.05, with another 0.7. So each
//! model is first asked about sentences that have nothing to do with each other ([`QUESTIONS`], [`TEXTS`]), and a cosine
//! counts by how far it is above what those have ([`Baseline`]).

use super::thread::Spot;
use super::weights::{MEANING_AROUND, SAME_MEANING};
use crate::vector::{Code, Unit};
use std::collections::BTreeMap;

/// Questions that none of [`TEXTS`] answers.
pub const QUESTIONS: [&str; 12] = [
    "Which river flows through the old town?",
    "How do I reset the alarm clock?",
    "Who painted the kitchen last spring?",
    "What did the doctor say about the knee?",
    "When does the library open on Sundays?",
    "How many onions are in the recipe?",
    "Why was the flight to Lisbon delayed?",
    "What is the name of her youngest cousin?",
    "Where did they bury the treasure in the story?",
    "Which key opens the garden shed?",
    "How much did the new tyres cost?",
    "What language is spoken in Brazil?",
];

/// Texts that answer none of [`QUESTIONS`].
pub const TEXTS: [&str; 12] = [
    "The server ran out of memory during the nightly build.",
    "She prefers window seats on long train rides.",
    "Penguins take turns keeping the egg warm.",
    "Our team lost the final by two points.",
    "The contract must be signed before the end of March.",
    "He learned to play the cello at the age of forty.",
    "Basalt forms when lava cools quickly.",
    "I bought a second-hand bicycle from a neighbour.",
    "The choir rehearses every Tuesday evening.",
    "Interest rates were raised by a quarter of a percent.",
    "My brother is allergic to cats.",
    "The museum shows photographs of the first moon landing.",
];

/// What a model says of texts that have nothing to do with each other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Baseline {
    /// The usual cosine.
    pub usual: f64,
    /// How far cosines lie from it, usually.
    pub spread: f64,
}

impl Baseline {
    /// From what a model made of [`QUESTIONS`] and [`TEXTS`].
    pub fn of(questions: &[Unit], texts: &[Unit]) -> Baseline {
        let cosines: Vec<f64> =
            questions.iter().flat_map(|asked| texts.iter().map(|text| asked.cosine(text))).collect();
        let count = cosines.len().max(1) as f64;
        let usual = cosines.iter().sum::<f64>() / count;
        let squares: f64 = cosines.iter().map(|cosine| (cosine - usual) * (cosine - usual)).sum();
        Baseline { usual, spread: libm::sqrt(squares / count) }
    }

    /// How much a cosine is worth: 0 for what is unrelated, 1 for the same.
    pub fn worth(&self, cosine: f64) -> f64 {
        ((cosine - self.usual) / (1.0 - self.usual).max(f64::EPSILON)).clamp(0.0, 1.0)
    }

    /// Whether two facts that have this cosine may be one in other words.
    pub fn says_the_same(&self, cosine: f64) -> bool {
        self.worth(cosine) >= SAME_MEANING
    }

    /// By how many spreads a cosine is above the usual.
    pub fn surprise(&self, cosine: f64) -> f64 {
        (cosine - self.usual) / self.spread.max(1e-6)
    }
}

/// What meaning says for a text.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Sense {
    /// How much it means what is asked.
    pub own: f64,
    /// How much the passage around it does.
    pub around: f64,
    /// By how many spreads it is above the unrelated.
    pub surprise: f64,
}

/// Texts further apart than this are in no passage together.
const WIDEST: usize = 2 * MEANING_AROUND.len();

/// What the texts that may answer a question mean, beside what it means. One layer's.
pub struct Meant {
    baseline: Baseline,
    /// In the order of their spots.
    texts: Vec<Meaning>,
}

struct Meaning {
    spot: Spot,
    /// The cosine with the question.
    toward: f64,
    /// The cosines with the texts that stand one, two, three places after it, as far as there are any.
    onward: [f64; WIDEST],
}

impl Meant {
    /// Compares the texts with the question, and in a sitting those that stand near each other among themselves.
    pub fn new(asked: &Code, baseline: Baseline, texts: &BTreeMap<Spot, Code>, in_sitting: bool) -> Meant {
        let onward = |spot: &Spot, code: &Code| {
            let mut cosines = [0.0; WIDEST];
            let last = Spot { place: spot.place.saturating_add(WIDEST as u32), ..*spot };
            let first = Spot { place: spot.place.saturating_add(1), ..*spot };
            for (other, meant) in texts.range(first..=last) {
                cosines[(other.place - first.place) as usize] = code.cosine(meant);
            }
            cosines
        };
        let meaning = |(spot, code): (&Spot, &Code)| Meaning {
            spot: *spot,
            toward: asked.cosine(code),
            onward: if in_sitting { onward(spot, code) } else { [0.0; WIDEST] },
        };
        Meant { baseline, texts: texts.iter().map(meaning).collect() }
    }

    /// What meaning says for the text at a spot. In a sitting, those beside it are a part of what it says.
    pub fn sense(&self, spot: Spot, in_sitting: bool) -> Sense {
        let Ok(at) = self.texts.binary_search_by_key(&spot, |text| text.spot) else {
            return Sense::default();
        };
        let cosine = self.texts[at].toward;
        let own = self.baseline.worth(cosine);
        let around = if in_sitting { self.baseline.worth(self.toward_passage(at)) } else { own };
        Sense { own, around, surprise: self.baseline.surprise(cosine) }
    }

    /// The cosine with the sum of the vectors around, each counting for less the further it is.
    fn toward_passage(&self, at: usize) -> f64 {
        let spot = self.texts[at].spot;
        let reach = MEANING_AROUND.len();
        let is_near = |text: &&Meaning| {
            text.spot.thread == spot.thread && text.spot.place.abs_diff(spot.place) as usize <= reach
        };
        let near = at.saturating_sub(reach)..(at + reach + 1).min(self.texts.len());
        let passage: Vec<&Meaning> = self.texts[near].iter().filter(is_near).collect();
        let weight = |text: &Meaning| {
            let away = text.spot.place.abs_diff(spot.place) as usize;
            away.checked_sub(1).map_or(1.0, |step| MEANING_AROUND[step])
        };
        let (mut toward, mut square) = (0.0, 0.0);
        for (place, text) in passage.iter().enumerate() {
            toward += weight(text) * text.toward;
            square += weight(text) * weight(text);
            for before in &passage[..place] {
                let apart = (text.spot.place - before.spot.place) as usize;
                square += 2.0 * weight(text) * weight(before) * before.onward[apart - 1];
            }
        }
        if square > 0.0 { toward / libm::sqrt(square) } else { 0.0 }
    }
}
