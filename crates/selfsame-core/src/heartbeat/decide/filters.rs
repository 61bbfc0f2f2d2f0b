//! What the hour and a conversation let through.

use super::case::{Case, Remark};
use crate::heartbeat::decision::{StepName, Verdict};
use crate::heartbeat::rules::{Period, Rules};
use crate::heartbeat::signal::{Sighting, Signal, Tier, names};
use crate::heartbeat::span::is_within;
use crate::heartbeat::wording::in_period;
use crate::time::Time;

/// The period's least tier. In quiet hours schedules pass and nothing else: critical deadlines were let through before,
/// other rungs wait for the morning.
pub(super) fn time_of_day(case: &mut Case<'_>) -> Option<Verdict> {
    let step = StepName::TimeOfDay;
    let (rules, period) = (case.rules, case.period);
    let saw = case.seen();
    let dropped = case.sift(|sighting| passes(rules, period, &sighting.signal));
    let when = in_period(period);
    let note = match (period, rules.of_period(period).least) {
        (Period::Quiet, _) => format!("{when} only schedules and critical deadlines pass"),
        (_, Tier::Low) => format!("{when} everything passes"),
        (_, least) => format!("{when} only {} pass", and_above(least)),
    };
    let unless = (!dropped.is_empty()).then(|| match passes_from(case, &dropped) {
        Some((at, period)) => format!("it is {} ({})", case.clock(at), period.as_str().replace('_', " ")),
        None => "something presses more".to_owned(),
    });
    case.note(Remark { step, saw, note: note.clone(), unless }, &dropped);
    if dropped.is_empty() { None } else { case.end_if_empty(step, note) }
}

fn passes(rules: &Rules, period: Period, signal: &Signal) -> bool {
    match period {
        Period::Quiet => signal.is_told_once() && signal.name == names::SCHEDULED,
        other => signal.tier >= rules.of_period(other).least,
    }
}

/// When the first of these would pass, and in which period.
fn passes_from(case: &Case<'_>, dropped: &[Sighting]) -> Option<(Time, Period)> {
    let next = |at: &Time| Some(case.rules.next_period_at(*at));
    let coming = std::iter::successors(next(&case.now), next).take(Period::ALL.len());
    coming
        .map(|at| (at, case.rules.period(at)))
        .find(|(_, period)| dropped.iter().any(|sighting| passes(case.rules, *period, &sighting.signal)))
}

/// Who is talking is interrupted only for what presses; somebody who says much just now is with it, and hears more.
pub(super) fn conversation(case: &mut Case<'_>) -> Option<Verdict> {
    let step = StepName::Conversation;
    let saw = case.seen();
    let Some(until) = conversation_until(case) else {
        case.note(Remark { step, saw, note: "no conversation is on".to_owned(), unless: None }, &[]);
        return None;
    };
    let many = case.state.new_memories >= case.rules.velocity;
    let least = if many { Tier::Normal } else { Tier::Elevated };
    let dropped = case.sift(|sighting| sighting.signal.tier >= least);
    let much = if many { " with much to remember" } else { "" };
    let note = format!("in a conversation{much} only {} pass", and_above(least));
    let unless = (!dropped.is_empty()).then(|| format!("the conversation is over, at {}", case.clock(until)));
    case.note(Remark { step, saw, note: note.clone(), unless }, &dropped);
    if dropped.is_empty() { None } else { case.end_if_empty(step, note) }
}

/// When the conversation that is on counts as over, if nothing more is said; nothing when none is.
pub(super) fn conversation_until(case: &Case<'_>) -> Option<Time> {
    let span = case.rules.conversation;
    let message = case.state.last_message_at.filter(|at| is_within(case.now, *at, span));
    let host = case.state.host_active_until.filter(|until| *until > case.now);
    message.map(|at| at.saturating_add(span)).max(host)
}

fn and_above(tier: Tier) -> String {
    match tier {
        Tier::Low => "all signals".to_owned(),
        Tier::Immediate => "immediate signals".to_owned(),
        other => format!("{} signals and above", other.as_str()),
    }
}
