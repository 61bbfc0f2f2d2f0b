//! What took the place of what.

use super::clause::{Answer, Clause, Negation, slot_of};
use super::lexicon::is_date_word;
use super::life::slot_named;
use super::taste::compared;
use crate::knowledge::claim::{Reading, Says};
use crate::knowledge::slot::seeded;
use std::ops::Range;

/// "moved to B", "switched from A to B", "changed the database from A to B", "migrated to B from A".
pub(super) fn moved(clause: &Clause, found: &mut Vec<Reading>) {
    if clause.negation != Negation::None {
        return;
    }
    let named = named_object(clause);
    let at = named.as_ref().map_or(clause.rest, |range| range.end);
    let Some((from, to)) = ends(clause, at) else { return };
    let value = clause.written(to.clone());
    let replaces = from.map(|range| clause.written(range));
    let slot = named_slot(clause, named).or_else(|| slot_of(&[value])).or_else(|| slot_of(&[replaces?]));
    let slot = slot.or_else(|| is_removal(clause, &to, at).then_some("residence"));
    let dated =
        |slot: &str| !matches!(slot, "launch_target" | "deadline") || is_date_word(clause.word(to.start));
    if let Some(slot) = slot.filter(|slot| dated(slot) && may_have(clause, slot)) {
        found.push(clause.reading(&Answer { slot, value, says: Says::Holds, replaces }));
    }
}

/// What was changed, if it stands between the verb and "from" or "to": "jobs", "the database".
fn named_object(clause: &Clause) -> Option<Range<usize>> {
    let from =
        clause.rest + usize::from(matches!(clause.word(clause.rest), "the" | "our" | "my" | "its" | "their"));
    let end = (from..from + 3).find(|at| matches!(clause.word(*at), "from" | "to"))?;
    (end > from).then_some(from..end)
}

/// The question that the clause names; none if it names something that is no question.
fn named_slot(clause: &Clause, object: Option<Range<usize>>) -> Option<&'static str> {
    if let Some(attribute) = clause.subject.attribute.clone() {
        return slot_named(clause.line, attribute).map(|slot| slot.name);
    }
    match clause.word(object.clone()?.end - 1) {
        "jobs" | "companies" | "employers" => Some("employer"),
        _ => slot_named(clause.line, object?).map(|slot| slot.name),
    }
}

/// "from A to B", "to B from A", "to B".
fn ends(clause: &Clause, at: usize) -> Option<(Option<Range<usize>>, Range<usize>)> {
    let stops = |word: &str| {
        matches!(word, "to" | "from" | "in" | "on" | "with" | "after" | "at" | "by" | "two" | "three")
    };
    let one = |from: usize| clause.object(from, stops);
    match clause.word(at) {
        "from" => {
            let from = one(at + 1)?;
            let to = (clause.word(from.end) == "to").then(|| one(from.end + 1))??;
            Some((Some(from), to))
        }
        "to" => {
            let to = one(at + 1)?;
            let from = (clause.word(to.end) == "from").then(|| one(to.end + 1)).flatten();
            Some((from, to))
        }
        _ => None,
    }
}

/// Somebody who moved to a place, with no object in between.
fn is_removal(clause: &Clause, to: &Range<usize>, at: usize) -> bool {
    clause.subject.is_somebody()
        && clause.subject.attribute.is_none()
        && at == clause.rest
        && matches!(clause.word(clause.rest - 1), "moved" | "relocated")
        && clause.name(to.start) == Some(to.clone())
}

/// Whether a subject whose attribute changed has such a question.
fn may_have(clause: &Clause, slot: &str) -> bool {
    let whole = clause.subject.attribute.is_none() || seeded(slot).is_some();
    whole && (clause.subject.is_somebody() || clause.subject.marked)
}

/// "stopped using A", "dropped A in favour of B".
pub(super) fn stopped(clause: &Clause, found: &mut Vec<Reading>) {
    let using = clause.word(clause.rest) == "using";
    let from = clause.rest + usize::from(using);
    let Some(object) = clause.object(from, |word| word == "in") else { return };
    let value = clause.written(object.clone());
    let instead = (matches!(clause.word(object.end + 1), "favour" | "favor")
        && clause.word(object.end + 2) == "of")
        .then(|| clause.object(object.end + 3, |_| false))
        .flatten();
    let Some(slot) = slot_of(&[value]).or((using && object.len() <= 3).then_some("uses")) else { return };
    if clause.negation != Negation::None || clause.subject.attribute.is_some() {
        return;
    }
    let answer = match instead {
        Some(range) => {
            Answer { slot, value: clause.written(range), says: Says::Holds, replaces: Some(value) }
        }
        None => Answer { slot, value, says: Says::Denies, replaces: None },
    };
    found.push(clause.reading(&answer));
}

/// What stands after "instead of", if it does.
pub(super) fn instead_of<'t>(clause: &Clause<'_, 't>, at: usize) -> Option<&'t str> {
    let other = compared(clause, at).filter(|_| clause.word(at) == "instead")?;
    Some(clause.written(other))
}
