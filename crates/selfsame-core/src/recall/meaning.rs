//! What meaning says for a candidate, where a model has made vectors of the texts.
//!
//! A cosine means something else with every model: with one, two unrelated sentences have 0.05, with another 0.7. So each
//! model is first asked about sentences that have nothing to do with each other ([`QUESTIONS`], [`TEXTS`]), and a cosine
//! counts by how far it is above what those have ([`Baseline`]).

use super::thread::Spot;
use super::weights::MEANING_AROUND;
use crate::vector::{Code, Unit};
use std::collections::BTreeMap;

/// Questions that none of [`TEXTS`] answers.
pub const QUESTIONS: [&str; 12] = [
    "Which river flows through the old town?",
    "How do I reset the alarm clock?",
    "Who painted the kitchen last spring?",
    "What did the doctor say about the knee?",
    "When does the library open on Sundays?",
    "How many eggs are in the recipe?",
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

    /// By how many spreads a cosine is above the usual.
    pub fn surprise(&self, cosine: f64) -> f64 {
        (cosine - self.usual) / self.spread.max(1e-6)
    }
}

/// What is meant by a question, and by the texts that may answer it.
pub struct Meant<'a> {
    /// The question.
    pub asked: &'a Code,
    /// What the model says of the unrelated.
    pub baseline: Baseline,
    /// The texts, as far as they have a vector.
    pub texts: BTreeMap<Spot, Code>,
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

impl Meant<'_> {
    /// What meaning says for the text at a spot. In a sitting, those beside it are a part of what it says.
    pub fn sense(&self, spot: Spot, in_sitting: bool) -> Sense {
        let Some(code) = self.texts.get(&spot) else {
            return Sense::default();
        };
        let cosine = self.asked.cosine(code);
        let own = self.baseline.worth(cosine);
        let around = match in_sitting {
            true => self.baseline.worth(self.cosine_around(spot)),
            false => own,
        };
        Sense { own, around, surprise: self.baseline.surprise(cosine) }
    }

    /// The cosine with the sum of the vectors around, each counting for less the further it is.
    fn cosine_around(&self, spot: Spot) -> f64 {
        let reach = MEANING_AROUND.len() as u32;
        let first = Spot { place: spot.place.saturating_sub(reach), ..spot };
        let last = Spot { place: spot.place.saturating_add(reach), ..spot };
        let weight = |other: &Spot| {
            let away = other.place.abs_diff(spot.place) as usize;
            away.checked_sub(1).map_or(1.0, |step| MEANING_AROUND[step])
        };
        let passage: Vec<(f64, &Code)> =
            self.texts.range(first..=last).map(|(other, code)| (weight(other), code)).collect();
        let toward: f64 = passage.iter().map(|(weight, code)| weight * self.asked.cosine(code)).sum();
        let mut square = 0.0;
        for (at, (weight, code)) in passage.iter().enumerate() {
            square += weight * weight;
            for (other_weight, other) in &passage[..at] {
                square += 2.0 * weight * other_weight * code.cosine(other);
            }
        }
        if square > 0.0 { toward / libm::sqrt(square) } else { 0.0 }
    }
}
