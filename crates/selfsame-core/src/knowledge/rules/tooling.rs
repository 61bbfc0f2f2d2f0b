//! What something is made of, runs on and works with.

use super::change::instead_of;
use super::clause::{Answer, Clause, Negation, slot_of};
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
    let Some(object) = clause.object(from, is_preposition) else { return };
    if clause.word(object.end - 1) == "mode" && object.len() > 1 {
        found.push(clause.plain("mode", clause.written(object.start..object.end - 1)));
        return port(clause, object.end, found);
    }
    if port_number(clause, object.start).is_some() {
        return port(clause, object.start, found);
    }
    let second = and_object(clause, &object);
    let value = clause.written(object.clone());
    let slot = slot_of(&[value]);
    let other = second.map(|range| clause.written(range));
    // Two answers to one question are none.
    if clause.word(object.end) == "or"
        || (other.is_some() && slot.is_some() && slot == slot_of(&[other.unwrap_or_default()]))
    {
        return;
    }
    for value in [Some(value), other].into_iter().flatten() {
        let slot = slot_of(&[value]).or_else(|| is_thing(clause, &object).then_some("uses"));
        let replaces = instead_of(clause, object.end);
        found.extend(slot.map(|slot| clause.reading(&Answer { slot, value, says: clause.says(), replaces })));
    }
    port(clause, object.end, found);
}

fn is_preposition(word: &str) -> bool {
    matches!(word, "on" | "in" | "with" | "at" | "to" | "from" | "via" | "under" | "behind" | "by")
}

/// Something with a name, not whatever somebody happens to use.
fn is_thing(clause: &Clause, object: &Range<usize>) -> bool {
    object.len() <= 3 && clause.line.is_capital(object.start)
}

/// The second of two: "Go and Rust".
fn and_object(clause: &Clause, first: &Range<usize>) -> Option<Range<usize>> {
    if clause.word(first.end) != "and" || clause.line.ends_at(first.end - 1) {
        return None;
    }
    let second = clause.object(first.end + 1, is_preposition)?;
    let named = slot_of(&[clause.written(second.clone())]).is_some();
    named.then_some(second)
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

/// "runs on X", "runs version 3", "runs X".
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
    let Some(mode) = mode(clause, from) else { return on_platform(clause, from, on, found) };
    found.push(clause.plain("mode", clause.written(mode.clone())));
    port(clause, mode.end + 1, found);
}

fn mode(clause: &Clause, from: usize) -> Option<Range<usize>> {
    let object = clause.object(from, is_preposition)?;
    (clause.word(object.end - 1) == "mode" && object.len() > 1 && clause.subject.is_thing())
        .then_some(object.start..object.end - 1)
}

fn on_platform(clause: &Clause, from: usize, on: bool, found: &mut Vec<Reading>) {
    let Some(object) = clause.object(from, is_preposition) else { return };
    let value = clause.written(object.clone());
    let platform = on && clause.subject.is_thing() && clause.line.is_capital(object.start);
    if let Some(slot) = slot_of(&[value]).or(platform.then_some("platform")) {
        let replaces = instead_of(clause, object.end);
        found.push(clause.reading(&Answer { slot, value, says: clause.says(), replaces }));
    }
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
    let value = clause.written(object.clone());
    if let Some(slot) = slot_of(&[value]).filter(|_| clause.subject.attribute.is_none()) {
        let says = clause.says();
        let subject = clause.subject.as_project();
        let plain = !clause.subject.marked && clause.subject.likely() == Some(EntityKind::Person);
        let answer = Answer { slot, value, says, replaces: instead_of(clause, object.end) };
        let subject = if plain { &subject } else { clause.subject };
        found.push(super::clause::reading(clause.line, subject, &answer));
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
    let rate = (object.start..end)
        .any(|place| matches!(clause.word(place), "per" | "a" | "an" | "each" | "every" | "daily"));
    if rate || clause.written(object.start..end).contains('/') {
        let value = clause.written(object.start..end);
        found.push(clause.reading(&Answer { slot: "throughput", value, says: Says::Holds, replaces: None }));
    }
}
