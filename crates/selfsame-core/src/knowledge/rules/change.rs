//! What took the place of what.

use super::being::is_of_projects;
use super::clause::{Answer, Clause, Negation, reading, slot_of};
use super::lexicon::{is_date_word, is_known_house};
use super::life::slot_named;
use crate::knowledge::claim::{Reading, Says};
use std::ops::Range;

/// "moved to B", "switched from A to B", "changed the database from A to B", "migrated to B from A".
pub(super) fn moved(clause: &Clause, found: &mut Vec<Reading>) {
    let named = named_object(clause);
    let at = named.as_ref().map_or(clause.rest, |range| range.end);
    let Some((from, to)) = ends(clause, at).filter(|_| clause.negation == Negation::None) else { return };
    let value = clause.written(to.clone());
    // Who moves from one company to another has another job, and the same home.
    let changes_house =
        [from.as_ref(), Some(&to)].into_iter().flatten().any(|end| is_known_house(clause.word(end.end - 1)));
    let replaces = from.map(|range| clause.written(range));
    let slot = named_slot(clause, named)
        .or_else(|| slot_of(&[value]))
        .or_else(|| slot_of(&[replaces?]))
        .or_else(|| {
            let goes_to = if changes_house { "employer" } else { "residence" };
            is_removal(clause, &to, at).then_some(goes_to)
        });
    // A dinner that moved to Friday has no new home, and a deadline does not move to Berlin.
    let date = is_date_word(clause.word(to.start));
    let Some(slot) = slot.filter(|slot| date == matches!(*slot, "launch_target" | "deadline")) else {
        return;
    };
    let answer = Answer { slot, value, says: Says::Holds, replaces };
    if is_of_projects(slot) {
        found.push(reading(clause.line, &clause.subject.as_project(), &answer));
    } else if clause.subject.is_somebody() || clause.subject.marked {
        found.push(clause.reading(&answer));
    }
}

/// What was changed, if it stands between the verb and "from" or "to": "jobs", "the database".
fn named_object(clause: &Clause) -> Option<Range<usize>> {
    let owned = matches!(clause.word(clause.rest), "the" | "our" | "my" | "its" | "their");
    let from = clause.rest + usize::from(owned);
    let end = (from..from + 3).find(|at| matches!(clause.word(*at), "from" | "to"))?;
    (end > from).then_some(from..end)
}

/// The question that the clause names; none if it names something that is no question.
fn named_slot(clause: &Clause, object: Option<Range<usize>>) -> Option<&'static str> {
    if let Some(attribute) = clause.subject.attribute.clone() {
        return slot_named(clause.line, attribute).map(|slot| slot.name);
    }
    let object = object?;
    match clause.word(object.end - 1) {
        "jobs" | "companies" | "employers" => Some("employer"),
        _ => slot_named(clause.line, object).map(|slot| slot.name),
    }
}

/// "from A to B", "to B from A", "to B".
fn ends(clause: &Clause, at: usize) -> Option<(Option<Range<usize>>, Range<usize>)> {
    let one = |from: usize| clause.object(from, is_after_end);
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

/// Words that stand after where something went.
fn is_after_end(word: &str) -> bool {
    matches!(word, "to" | "from" | "in" | "on" | "with" | "after" | "at" | "by" | "two" | "three")
}

/// Somebody who moved to a place, with no object in between.
fn is_removal(clause: &Clause, to: &Range<usize>, at: usize) -> bool {
    clause.subject.is_somebody()
        && clause.subject.attribute.is_none()
        && at == clause.rest
        && matches!(clause.word(clause.rest - 1), "moved" | "relocated")
        && clause.name(to.start) == Some(to.clone())
}

/// "stopped using A", "dropped A in favour of B".
pub(super) fn stopped(clause: &Clause, found: &mut Vec<Reading>) {
    let using = clause.word(clause.rest) == "using";
    let plain = clause.negation == Negation::None && clause.subject.attribute.is_none();
    let object = clause.object(clause.rest + usize::from(using), |word| word == "in");
    let Some(object) = object.filter(|_| plain) else { return };
    let value = clause.written(object.clone());
    let Some(slot) = slot_of(&[value]).or((using && object.len() <= 3).then_some("uses")) else { return };
    found.push(clause.reading(&match favoured(clause, object.end) {
        Some(value) => Answer { slot, value, says: Says::Holds, replaces: Some(clause.written(object)) },
        None => Answer { slot, value, says: Says::Denies, replaces: None },
    }));
}

/// "in favour of B".
fn favoured<'t>(clause: &Clause<'_, 't>, at: usize) -> Option<&'t str> {
    let favour = clause.word(at) == "in"
        && matches!(clause.word(at + 1), "favour" | "favor")
        && clause.word(at + 2) == "of";
    favour.then(|| clause.object(at + 3, |_| false))?.map(|range| clause.written(range))
}
