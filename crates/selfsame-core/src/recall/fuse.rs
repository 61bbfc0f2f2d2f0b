//! The stage that fuses: one number out of a candidate's features, a weighted sum whose weights add up to one.

use super::ask::Layer;
use super::features::{COUNT, Features};
use super::thread::Spot;
use super::weigh::Candidate;
use crate::id::Id;

/// How well a candidate fits, from 0 to 1, and why.
#[derive(Clone, PartialEq, Debug)]
pub struct Fit {
    /// Where it is from.
    pub layer: Layer,
    /// The row.
    pub item: Id,
    /// Where it stands.
    pub spot: Spot,
    /// The sum.
    pub fit: f64,
    /// What it is the sum of.
    pub features: Features,
    /// Which share of the question is covered by it and the few texts around it.
    pub around: f64,
    /// Whether it is known who said it.
    pub spoken: bool,
    /// By how many spreads its meaning is above the unrelated; 0 without vectors.
    pub surprise: f64,
}

/// Fits the candidates, the best first; equals in the order of their layers and places.
pub fn fuse(candidates: Vec<Candidate>, weights: &Features) -> Vec<Fit> {
    let unfitted = |Candidate { layer, item, spot, features, around, spoken, surprise }| Fit {
        layer,
        item,
        spot,
        fit: 0.0,
        features,
        around,
        spoken,
        surprise,
    };
    let mut fits: Vec<Fit> = candidates.into_iter().map(unfitted).collect();
    refit(&mut fits, weights);
    fits.retain(|fit| fit.fit > 0.0);
    fits
}

/// Fits candidates again of which more is known now.
pub fn refit(fits: &mut [Fit], weights: &Features) {
    let total: f64 = weights.list().iter().sum();
    for fit in fits.iter_mut() {
        fit.fit = sum(&fit.features, weights) / total;
    }
    fits.sort_by(|a, b| b.fit.total_cmp(&a.fit).then((a.layer, a.spot).cmp(&(b.layer, b.spot))));
}

/// The weighted sum, in the units of the weights.
pub fn sum(features: &Features, weights: &Features) -> f64 {
    features.list().iter().zip(weights.list()).map(|(feature, weight)| feature * weight).sum()
}

/// What each feature adds to the fit.
pub fn parts(features: &Features, weights: &Features) -> [f64; COUNT] {
    let total: f64 = weights.list().iter().sum();
    let (features, weights) = (features.list(), weights.list());
    std::array::from_fn(|at| features[at] * weights[at] / total)
}
