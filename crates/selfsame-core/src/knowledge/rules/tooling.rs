//! What something is made of, runs on and works with.

use super::clause::{Answer, Clause, Negation, reading, slot_of};
use super::lexicon::is_about;
use crate::entity::EntityKind;
use crate::knowledge::claim::{Reading, Says};
use std::ops::Range;

/// "uses X", "uses webhook mode on port 443", "uses X instead of Y", "uses not A but B".
pub(super) fn uses(clause: &Clause, found: &mut Vec<Reading>) {
    if clause.subject.attribute.is_some() || !(clause.subject.is_somebody() || clause.subject.marked) {
        return;
    }
    let from = clause.rest + usize::from(matches!(clause.word(clause.rest), "the" | "a" | "an"));
    if port_number(clause, from).is_some() {
        return port(clause, from, found);
    }
    if let Some(mode) = mode(clause, from) {
        found.push(clause.plain("mode", clause.written(mode.clone())));
        return port(clause, mode.end + 1, found);
    }
    let Some(object) = clause.object(from, is_preposition) else { return };
    let named = object.len() <= 3 && clause.line.is_capital(object.start);
    stack(clause, &object, named.then_some("uses"), found);
    port(clause, object.end, found);
}

/// What something consists of: one thing or two, by the question that each answers, or else by `otherwise`.
fn stack(clause: &Clause, first: &Range<usize>, otherwise: Option<&str>, found: &mut Vec<Reading>) {
    let second = and_object(clause, first);
    let slot = |range: &Range<usize>| slot_of(&[clause.written(range.clone())]);
    // Two answers to one question are none.
    if clause.word(first.end) == "or" || second.as_ref().is_some_and(|second| slot(second) == slot(first)) {
        return;
    }
    for object in [Some(first.clone()), second].into_iter().flatten() {
        if let Some(slot) = slot(&object).or(otherwise) {
            found.push(clause.reading(&clause.answer(slot, &object)));
        }
    }
}

/// The second of two: "Go and Rust".
fn and_object(clause: &Clause, first: &Range<usize>) -> Option<Range<usize>> {
    if clause.word(first.end) != "and" || clause.line.ends_at(first.end - 1) {
        return None;
    }
    let second = clause.object(first.end + 1, is_preposition)?;
    slot_of(&[clause.written(second.clone())]).is_some().then_some(second)
}

fn is_preposition(word: &str) -> bool {
    matches!(word, "on" | "in" | "with" | "at" | "to" | "from" | "via" | "under" | "behind" | "by")
}

/// "on port 443", wherever it follows.
fn port(clause: &Clause, at: usize, found: &mut Vec<Reading>) {
    let at = at + usize::from(matches!(clause.word(at), "on" | "at"));
    if let Some(number) = port_number(clause, at).filter(|_| clause.subject.is_thing()) {
        found.push(clause.plain("port", clause.written(number)));
    }
}

fn port_number(clause: &Clause, at: usize) -> Option<Range<usize>> {
    (clause.word(at) == "port" && clause.line.is_number(at + 1)).then_some(at + 1..at + 2)
}

/// The words before "mode".
fn mode(clause: &Clause, from: usize) -> Option<Range<usize>> {
    let object = clause.object(from, is_preposition)?;
    let named = clause.word(object.end - 1) == "mode" && object.len() > 1;
    (named && clause.subject.is_thing()).then_some(object.start..object.end - 1)
}

/// "runs on X", "runs version 3", "runs in polling mode", "runs X".
pub(super) fn runs(clause: &Clause, found: &mut Vec<Reading>) {
    if clause.subject.attribute.is_some() {
        return;
    }
    let at = clause.rest;
    if clause.word(at) == "version" && clause.line.is_number(at + 1) && clause.subject.is_thing() {
        return found.push(clause.plain("version", clause.written(at + 1..at + 2)));
    }
    let on = matches!(clause.word(at), "on" | "in" | "under");
    let from = at + usize::from(on);
    if port_number(clause, from).is_some() {
        return port(clause, at, found);
    }
    match mode(clause, from) {
        Some(mode) => {
            found.push(clause.plain("mode", clause.written(mode.clone())));
            port(clause, mode.end + 1, found);
        }
        None => on_platform(clause, from, on, found),
    }
}

fn on_platform(clause: &Clause, from: usize, on: bool, found: &mut Vec<Reading>) {
    let Some(object) = clause.object(from, is_preposition) else { return };
    let slot = slot_of(&[clause.written(object.clone())]);
    // Nobody runs on coffee.
    if on && clause.subject.is_somebody() && slot != Some("operating_system") {
        return;
    }
    let platform = on && clause.subject.is_thing() && clause.line.is_capital(object.start);
    stack(clause, &object, platform.then_some("platform"), found);
    port(clause, object.end, found);
}

/// "listens on port 2525".
pub(super) fn listens(clause: &Clause, found: &mut Vec<Reading>) {
    port(clause, clause.rest, found);
}

/// "is built on X", "is written in X", "is hosted on X".
pub(super) fn made(clause: &Clause, at: usize, found: &mut Vec<Reading>) {
    let linked = matches!(clause.word(at + 1), "on" | "in" | "with" | "using" | "at");
    let Some(object) = clause.object(at + 2, is_preposition).filter(|_| linked) else { return };
    let slot = slot_of(&[clause.written(object.clone())]);
    if let Some(slot) = slot.filter(|_| clause.subject.attribute.is_none()) {
        // People are not built on anything.
        let plain = !clause.subject.marked && clause.subject.likely() == Some(EntityKind::Person);
        let subject = if plain { &clause.subject.as_project() } else { clause.subject };
        found.push(reading(clause.line, subject, &clause.answer(slot, &object)));
    }
    // "... and hosted on Y".
    if clause.word(object.end) == "and"
        && matches!(clause.word(object.end + 1), "built" | "written" | "hosted" | "deployed")
    {
        made(clause, object.end + 1, found);
    }
}

/// "processes about 40 messages per day".
pub(super) fn processes(clause: &Clause, found: &mut Vec<Reading>) {
    let at = clause.rest + usize::from(is_about(clause.word(clause.rest)));
    let thing = clause.subject.is_thing() && clause.subject.attribute.is_none();
    if !thing || clause.negation != Negation::None || !clause.line.is_number(at) {
        return;
    }
    let Some(object) = clause.object(at, |word| matches!(word, "on" | "from" | "in")) else { return };
    let end = if clause.word(object.end) == "every" { object.end + 2 } else { object.end };
    let value = clause.written(object.start..end);
    let each = |at: usize| matches!(clause.word(at), "per" | "a" | "an" | "each" | "every" | "daily");
    if (object.start..end).any(each) || value.contains('/') {
        found.push(clause.reading(&Answer { slot: "throughput", value, says: Says::Holds, replaces: None }));
    }
}
