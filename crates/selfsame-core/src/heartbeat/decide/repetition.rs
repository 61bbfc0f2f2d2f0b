//! Whether it is new, and not too soon. What is immediate is held by neither step.

use super::case::{Case, Remark, is_calm};
use super::confluence::is_enough;
use crate::heartbeat::decision::{StepName, Verdict};
use crate::heartbeat::response;
use crate::heartbeat::rules::Period;
use crate::heartbeat::signal::{Finding, Sighting, Tier, fingerprint};
use crate::heartbeat::span::{is_within, times};
use crate::heartbeat::wording::span;
use crate::id::Id;
use crate::time::Time;
use std::collections::BTreeMap;
use std::time::Duration;

/// After an act the calm part waits for the cooldown. It counts from the last act that told anything calm, so reminders
/// every hour silence nothing.
pub(super) fn novelty(case: &mut Case<'_>) -> Option<Verdict> {
    let step = StepName::Novelty;
    let saw = case.seen();
    let calm: Vec<&Sighting> = case.open.iter().filter(|sighting| is_calm(sighting)).collect();
    // The shortest of the tiers that are there is that of the highest, unless somebody set it otherwise; then, too, more
    // signals must not make the silence longer.
    let Some(cooldown) = calm.iter().map(|sighting| cooldown(case, case.period, sighting.signal.tier)).min()
    else {
        case.fingerprint = Some(fingerprint(case.forced.iter().chain(&case.open)));
        let note = "what is immediate knows no cooldown".to_owned();
        case.note(Remark { step, saw, note, unless: None }, &[]);
        return None;
    };
    let print = fingerprint(calm);
    case.fingerprint = Some(print);
    case.cooldown = Some(cooldown);
    let last = case.state.acted.filter(|acted| is_within(case.now, acted.at, cooldown));
    let Some(last) = last else {
        let note = format!("nothing was said within the cooldown of {}", span(cooldown));
        case.note(Remark { step, saw, note, unless: None }, &[]);
        return None;
    };
    let said = if last.fingerprint == print { "the same was said" } else { "something was said" };
    let note = format!("{said} within the cooldown of {}", span(cooldown));
    let until = last.at.saturating_add(cooldown);
    case.held_until = Some(until);
    let dropped = case.sift(|sighting| !is_calm(sighting));
    let unless = Some(format!("the cooldown is over, at {}", case.clock(until)));
    case.note(Remark { step, saw, note: note.clone(), unless }, &dropped);
    case.end_if_empty(step, note)
}

/// Of what was spoken of within the cooldown of its own tier nothing more is said; what remains must be enough by itself.
///
/// A topic waits as a whole, as long as its most pressing finding must: where one of them is told the others are no
/// repetition, and no finding waits because its topic is told without it again and again.
pub(super) fn topic(case: &mut Case<'_>) -> Option<Verdict> {
    let step = StepName::Topic;
    let saw = case.seen();
    let told = told_lately(case);
    let is_told = |sighting: &Sighting, finding: &Finding| {
        !sighting.signal.is_told_once() && told.contains_key(&sighting.signal.subject(finding))
    };
    let mut dropped = Vec::new();
    for sighting in std::mem::take(&mut case.open) {
        dropped.extend(sighting.part(|finding| is_told(&sighting, finding)));
        case.open.extend(sighting.part(|finding| !is_told(&sighting, finding)));
    }
    if dropped.is_empty() {
        case.note(
            Remark { step, saw, note: "none of it was spoken of lately".to_owned(), unless: None },
            &[],
        );
        return None;
    }
    let mut note = "some of it was spoken of lately".to_owned();
    if !is_enough(case) {
        dropped.extend(case.sift(|sighting| !is_calm(sighting)));
        note.push_str(", and the rest is not enough");
    }
    let until = told.values().copied().min();
    case.held_until = case.held_until.into_iter().chain(until).min();
    let unless = until.map(|until| format!("that is longer ago, at {}", case.clock(until)));
    case.note(Remark { step, saw, note: note.clone(), unless }, &dropped);
    case.end_if_empty(step, note)
}

/// The subjects of what is open that were told within their cooldown, and when that ends.
fn told_lately(case: &Case<'_>) -> BTreeMap<Id, Time> {
    let mut cooldowns: BTreeMap<Id, Duration> = BTreeMap::new();
    for sighting in case.open.iter().filter(|sighting| !sighting.signal.is_told_once()) {
        let own = cooldown(case, case.period, sighting.signal.tier).min(longest_for_topics(case));
        for finding in &sighting.listed {
            let shortest = cooldowns.entry(sighting.signal.subject(finding)).or_insert(own);
            *shortest = own.min(*shortest);
        }
    }
    let ends = |(subject, cooldown): (Id, Duration)| {
        let at = case.state.surfaced.get(&subject).filter(|at| is_within(case.now, **at, cooldown))?;
        Some((subject, at.saturating_add(cooldown)))
    };
    cooldowns.into_iter().filter_map(ends).collect()
}

/// How long nothing is said after an act: by tier, hour and how much is answered, and never longer than the longest
/// silence, for backing off must not become muteness. An immediate signal without books of its own waits, for one topic,
/// as an elevated one.
fn cooldown(case: &Case<'_>, period: Period, tier: Tier) -> Duration {
    let level = case.rules.level();
    let base = match tier {
        Tier::Low => level.low,
        Tier::Normal => level.normal,
        Tier::Elevated | Tier::Immediate => level.elevated,
    };
    let answers = response::factor(&case.rules.responses, case.state.delivered, case.state.answered);
    times(base, case.rules.of_period(period).factor * answers).min(case.rules.max_silence)
}

/// No topic waits longer, whatever its tier. Its own wait can be followed by the cooldown of an act that went without it,
/// and that by the wait of another topic that it takes to be enough. All of them together must not be longer than the
/// longest silence, so a topic gets a third of what the longest cooldown of the day leaves.
fn longest_for_topics(case: &Case<'_>) -> Duration {
    let rules = case.rules;
    let calm = [Tier::Low, Tier::Normal, Tier::Elevated];
    let by_day = Period::ALL.iter().filter(|period| **period != Period::Quiet);
    let passing = by_day.flat_map(|period| {
        calm.iter().filter(|tier| **tier >= rules.of_period(*period).least).map(|tier| (*period, *tier))
    });
    let longest = passing.map(|(period, tier)| cooldown(case, period, tier)).max().unwrap_or_default();
    rules.max_silence.saturating_sub(longest) / 3
}
