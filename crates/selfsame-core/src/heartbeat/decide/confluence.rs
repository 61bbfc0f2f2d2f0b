//! Whether it is enough.

use super::case::{Case, Remark, is_calm};
use crate::heartbeat::decision::{StepName, Verdict};
use crate::heartbeat::signal::Sighting;
use std::collections::BTreeMap;

/// The weights of all kinds of signals that are there, each once, against the level's threshold. What is immediate passes
/// without the sum, but counts in it: beside a reminder it takes less to say more. What does not reach the sum then waits,
/// and the reminder goes alone.
pub(super) fn confluence(case: &mut Case<'_>) -> Option<Verdict> {
    let step = StepName::Confluence;
    let saw = case.seen();
    let (enough, threshold) = (is_enough(case), case.rules.level().threshold);
    case.score = score(case.forced.iter().chain(&case.open));
    let nothing = case.open.is_empty();
    let dropped = if enough { Vec::new() } else { case.sift(|sighting| !is_calm(sighting)) };
    let sum = format!("the signals weigh {} of {threshold} at {}", case.score, case.rules.autonomy.as_str());
    let missing = threshold.saturating_sub(case.score);
    let unless = match (nothing, dropped.is_empty()) {
        (true, _) => Some("a signal is found".to_owned()),
        (false, true) => None,
        (false, false) => Some(format!("signals of other kinds add {missing}, or something falls due")),
    };
    let note = match (nothing, enough, case.open.is_empty()) {
        (true, _, _) => "nothing was found".to_owned(),
        (false, true, _) | (false, false, true) => sum,
        (false, false, false) => format!("{sum}; what is immediate passes without"),
    };
    case.note(Remark { step, saw, note: note.clone(), unless }, &dropped);
    case.end_if_empty(step, note)
}

/// Whether what is forced and what is open reach the threshold together.
pub(super) fn is_enough(case: &Case<'_>) -> bool {
    score(case.forced.iter().chain(&case.open)) >= case.rules.level().threshold
}

/// The sum of weights, each kind of signal once, however often it was found.
fn score<'a>(sightings: impl Iterator<Item = &'a Sighting>) -> u32 {
    let weights: BTreeMap<&str, u32> =
        sightings.map(|sighting| (sighting.signal.name.as_str(), sighting.signal.weight)).collect();
    weights.values().fold(0, |sum, weight| sum.saturating_add(*weight))
}
