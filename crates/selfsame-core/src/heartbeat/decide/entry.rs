//! Before anything is weighed: may anything be said, have they met, is something critical.

use super::case::{Case, Remark};
use super::filters::conversation_until;
use crate::heartbeat::decision::{StepName, Verdict};
use crate::heartbeat::rules::Period;
use crate::heartbeat::signal::{Finding, names, rung_before};
use crate::heartbeat::span::is_within;
use crate::heartbeat::state::Held;
use crate::heartbeat::wording::{counted, names, span};

/// Muted, snoozed and paused hold back everything, critical deadlines too: it is what was asked for.
pub(super) fn held(case: &mut Case<'_>) -> Option<Verdict> {
    let step = StepName::Held;
    let saw = case.seen();
    let (reason, unless) = match case.state.held {
        Some(Held::Muted) => ("muted", "the principal wants to hear again (unmute)".to_owned()),
        Some(Held::Paused) => ("paused", "the pause of the whole house ends (resume)".to_owned()),
        Some(Held::Snoozed(until)) if until > case.now => {
            ("snoozed", format!("the snooze ends, at {}", case.clock(until)))
        }
        Some(Held::Snoozed(_)) | None => {
            case.note(Remark { step, saw, note: "nothing holds it".to_owned(), unless: None }, &[]);
            return None;
        }
    };
    let dropped = case.sift(|_| false);
    case.note(Remark { step, saw, note: reason.to_owned(), unless: Some(unless) }, &dropped);
    Some(Verdict::Suppress { step, reason: reason.to_owned() })
}

/// They have hardly met: the agent introduces itself, seldom. Where it may not, the other steps go on: somebody new may
/// have set a reminder.
pub(super) fn first_contact(case: &mut Case<'_>) -> Option<Verdict> {
    let step = StepName::FirstContact;
    let (memories, asked) = (case.state.memories, case.rules.first_contact.memories);
    let saw = case.seen();
    if memories >= asked {
        case.note(
            Remark { step, saw, note: format!("they have met: {asked} memories or more"), unless: None },
            &[],
        );
        return None;
    }
    let hardly = format!("they have hardly met: {memories} of {asked} memories");
    match no_introduction(case) {
        Some((why, unless)) => {
            let note = format!("{hardly}, but {why}");
            case.note(Remark { step, saw, note, unless: Some(unless) }, &[]);
            None
        }
        None => {
            case.note(Remark { step, saw, note: hardly.clone(), unless: None }, &[]);
            Some(Verdict::Act { step, reason: hardly })
        }
    }
}

/// Why the agent does not introduce itself now, and what would change that.
fn no_introduction(case: &Case<'_>) -> Option<(String, String)> {
    let limits = &case.rules.first_contact;
    let latest = case.state.introduced.iter().copied().max();
    let since_written = case
        .state
        .introduced
        .iter()
        .filter(|at| case.state.wrote_at.is_none_or(|wrote| **at > wrote))
        .count();
    let told = |why: &str, unless: String| Some((why.to_owned(), unless));
    if case.period == Period::Quiet {
        let morning = case.rules.next_period_at(case.now);
        return told("it is quiet hours", format!("quiet hours end, at {}", case.clock(morning)));
    }
    if let Some(until) = conversation_until(case) {
        return told("a conversation is on", format!("it is over, at {}", case.clock(until)));
    }
    // An introduction can wait for a tick. Outside quiet hours nothing holds back what is due, so something is told.
    if case.open.iter().any(|sighting| sighting.signal.is_told_once()) {
        return told("what is due goes first", "the next tick comes".to_owned());
    }
    if since_written >= limits.most as usize {
        let why =
            format!("it introduced itself {} without a word back", counted(since_written, "time", "times"));
        return Some((why, "the principal writes".to_owned()));
    }
    let last = latest.filter(|last| is_within(case.now, *last, limits.every))?;
    let again = case.clock(last.saturating_add(limits.every));
    Some((
        format!("it introduced itself within {}", span(limits.every)),
        format!("that is longer ago, at {again}"),
    ))
}

/// A deadline within the hour, or now, is told past all that follows. Each rung is told once, by the ladder's books.
pub(super) fn critical_deadline(case: &mut Case<'_>) -> Option<Verdict> {
    let step = StepName::CriticalDeadline;
    let saw = case.seen();
    let within = case.rules.critical;
    let critical = |finding: &Finding| rung_before(&finding.status).is_some_and(|before| before <= within);
    for sighting in std::mem::take(&mut case.open) {
        if sighting.signal.name != names::DEADLINE {
            case.open.push(sighting);
            continue;
        }
        case.forced.extend(sighting.part(critical));
        case.open.extend(sighting.part(|finding| !critical(finding)));
    }
    let count = case.forced.iter().map(|sighting| sighting.count).sum();
    let note = match count {
        0 => format!("no deadline within {}", span(within)),
        _ => format!("{} within {}: told now", counted(count, "deadline", "deadlines"), span(within)),
    };
    case.note(Remark { step, saw, note, unless: None }, &[]);
    if count == 0 { None } else { case.end_if_empty(step, names(&case.forced)) }
}
