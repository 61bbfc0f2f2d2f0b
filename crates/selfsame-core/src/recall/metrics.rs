//! How well a ranked list answers a question, as figures.
//!
//! Pure arithmetic over what was ranked and what should have been found; who asks, and on which data, is elsewhere.
//! A ranked list is taken as it is: a place that holds the same thing twice, or nothing of use, is a place lost.

use std::collections::BTreeSet;

/// R@k: which share of the evidence is among the first `k`.
pub fn recall_at<T: Ord>(ranked: &[T], evidence: &BTreeSet<T>, k: usize) -> f64 {
    match evidence.is_empty() {
        true => 0.0,
        false => places(ranked, evidence, k).len() as f64 / evidence.len() as f64,
    }
}

/// hit@k: whether any of the evidence is among the first `k`.
pub fn hit_at<T: Ord>(ranked: &[T], evidence: &BTreeSet<T>, k: usize) -> bool {
    !places(ranked, evidence, k).is_empty()
}

/// NDCG@k with evidence worth one and everything else nothing: what was found, the earlier the better, as a share of
/// what the best order would have given.
pub fn ndcg_at<T: Ord>(ranked: &[T], evidence: &BTreeSet<T>, k: usize) -> f64 {
    let gain = |places: Vec<usize>| places.into_iter().map(discount).fold(0.0, |sum, gain| sum + gain);
    let best = gain((0..evidence.len().min(k)).collect());
    if best == 0.0 { 0.0 } else { gain(places(ranked, evidence, k)) / best }
}

/// One over the rank of the first evidence; nothing if there is none in the list.
pub fn reciprocal_rank<T: Ord>(ranked: &[T], evidence: &BTreeSet<T>) -> f64 {
    places(ranked, evidence, ranked.len()).first().map_or(0.0, |place| 1.0 / (place + 1) as f64)
}

/// Where the evidence stands among the first `k`, each piece where it stands first.
fn places<T: Ord>(ranked: &[T], evidence: &BTreeSet<T>, k: usize) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    let listed = ranked.iter().take(k).enumerate();
    let first = listed.filter(|&(_, item)| evidence.contains(item) && seen.insert(item));
    first.map(|(place, _)| place).collect()
}

fn discount(place: usize) -> f64 {
    1.0 / libm::log2(place as f64 + 2.0)
}

/// The mean; nothing of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The value that this share of the values stays within (the nearest rank); nothing of nothing.
pub fn percentile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.max(1) - 1).or(sorted.last()).copied()
}

/// The area under the curve: how likely a value of the first group is above one of the second, ties counting half.
/// One half is chance; nothing if a group is empty.
pub fn auc(above: &[f64], below: &[f64]) -> Option<f64> {
    if above.is_empty() || below.is_empty() {
        return None;
    }
    let mut sorted = below.to_vec();
    sorted.sort_by(f64::total_cmp);
    let won: f64 = above.iter().map(|value| wins(*value, &sorted)).sum();
    Some(won / (above.len() * below.len()) as f64)
}

/// How many of the sorted values lie below, those that are equal counting half.
fn wins(value: f64, sorted: &[f64]) -> f64 {
    let less = sorted.partition_point(|other| *other < value);
    let not_more = sorted.partition_point(|other| *other <= value);
    (less + not_more) as f64 / 2.0
}

/// A question that has an answer: how sure recall was, and what it is worth if it is not abstained from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Answerable {
    /// From 0 to 1.
    pub confidence: f64,
    /// Its R@k.
    pub recall: f64,
}

/// What abstaining below a confidence does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Floor {
    /// Below this confidence there is no answer.
    pub confidence: f64,
    /// Which share of the answerable questions is then not answered.
    pub answerable: f64,
    /// Which share of the others is not answered either, as it should be.
    pub unanswerable: f64,
}

/// The highest floor that costs no more than `loss` of the mean recall.
///
/// Nothing if a group is empty. Floors between two confidences are all alike, so only those that are there are tried.
pub fn floor_at_loss(answerable: &[Answerable], unanswerable: &[f64], loss: f64) -> Option<Floor> {
    if answerable.is_empty() || unanswerable.is_empty() {
        return None;
    }
    let mut floors: Vec<f64> = answerable.iter().map(|one| one.confidence).chain([f64::INFINITY]).collect();
    floors.extend(unanswerable);
    floors.sort_by(f64::total_cmp);
    let bearable = |floor: &f64| lost_below(answerable, *floor) <= loss + TOLERANCE;
    let floor = floors.into_iter().rfind(bearable)?;
    let refused = answerable.iter().filter(|one| one.confidence < floor).count();
    Some(Floor {
        confidence: floor,
        answerable: refused as f64 / answerable.len() as f64,
        unanswerable: share_below(unanswerable, floor),
    })
}

/// Sums of many shares are not exact: a loss of 0.02 must count as 0.02.
const TOLERANCE: f64 = 1e-9;

fn lost_below(answerable: &[Answerable], floor: f64) -> f64 {
    let lost: f64 = answerable.iter().filter(|one| one.confidence < floor).map(|one| one.recall).sum();
    lost / answerable.len() as f64
}

/// Which share of the values lies below a floor; none of none.
pub fn share_below(values: &[f64], floor: f64) -> f64 {
    let below = values.iter().filter(|value| **value < floor).count();
    if values.is_empty() { 0.0 } else { below as f64 / values.len() as f64 }
}
