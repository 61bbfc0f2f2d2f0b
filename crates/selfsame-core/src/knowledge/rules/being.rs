//! What something is: all that follows "is".

use super::clause::{Clause, Negation, reading, slot_of};
use super::lexicon::{is_condition, is_date_word};
use super::life::{is_a, relation, slot_named};
use super::{change, project, tooling, world};
use crate::entity::EntityKind;
use crate::knowledge::claim::Reading;
use crate::knowledge::slot::{Nature, Seeded};
use std::ops::Range;

/// "X is ...", or "X's something is ...".
pub(super) fn is(clause: &Clause, found: &mut Vec<Reading>) {
    let (clause, at) = &after_negation(clause);
    match &clause.subject.attribute {
        Some(attribute) => attribute_is(clause, attribute.clone(), *at, found),
        None => subject_is(clause, *at, found),
    }
}

/// The clause with the negation that stands after "is", and the word after it.
fn after_negation<'c, 't>(clause: &Clause<'c, 't>) -> (Clause<'c, 't>, usize) {
    let at = clause.past_adverbs(clause.rest);
    let (negation, at) = match (clause.word(at), clause.word(at + 1)) {
        ("no", "longer") => (Negation::NoLonger, at + 2),
        ("not", _) => (Negation::Not, at + 1),
        _ => (clause.negation, at),
    };
    let at = clause.past_adverbs(at);
    (Clause { line: clause.line, subject: clause.subject, negation, rest: at }, at)
}

fn subject_is(clause: &Clause, at: usize, found: &mut Vec<Reading>) {
    let before = found.len();
    project::phase_is(clause, at, found);
    match (clause.word(at), clause.word(at + 1)) {
        ("targeting", _) => project::targets(&on(clause, at + 1), found),
        ("launching", _) => project::launches(&on(clause, at + 1), found),
        ("due", "to") => {}
        ("due", _) => project::due(clause, at + 1, found),
        ("based", "in") | ("living", "in") => place(clause, "residence", at + 2, found),
        ("from", _) => place(clause, "hometown", at + 1, found),
        ("called" | "named", _) => name(clause, "name", at + 1, found),
        ("built" | "written" | "hosted" | "deployed" | "based", _) => tooling::made(clause, at, found),
        ("using", _) => tooling::uses(&on(clause, at + 1), found),
        ("running", "on") => tooling::runs(&on(clause, at + 1), found),
        ("allergic", "to") => listed(clause, "allergy", at + 2, found),
        ("married" | "engaged", "to") => name(clause, "partner", at + 2, found),
        ("the", "user's" | "operator's") => relation(clause, at, found),
        ("a" | "an" | "the", _) => is_a(clause, at, found),
        ("released", _) => world::released(clause, at + 1, found),
        _ => plainly(clause, at, found),
    }
    if found.len() == before {
        relation(clause, at, found);
    }
}

fn on<'c, 't>(clause: &Clause<'c, 't>, rest: usize) -> Clause<'c, 't> {
    Clause { line: clause.line, subject: clause.subject, negation: clause.negation, rest }
}

/// "is vegetarian"; of a tool "is down".
fn plainly(clause: &Clause, at: usize, found: &mut Vec<Reading>) {
    if !clause.line.ends_at(at) && !matches!(clause.word(at + 1), "now" | "again" | "and" | "since") {
        return;
    }
    let value = clause.written(at..at + 1);
    if clause.subject.is_somebody() && slot_of(&[value]) == Some("diet") {
        found.push(clause.plain("diet", value));
    }
    if clause.subject.likely() == Some(EntityKind::Tool)
        && clause.subject.marked
        && is_condition(clause.word(at))
    {
        found.push(clause.plain("status", value));
    }
}

fn place(clause: &Clause, slot: &str, at: usize, found: &mut Vec<Reading>) {
    if clause.subject.is_somebody() {
        name(clause, slot, at, found);
    }
}

fn name(clause: &Clause, slot: &str, at: usize, found: &mut Vec<Reading>) {
    if let Some(range) = clause.name(at) {
        found.push(clause.plain(slot, clause.written(range)));
    }
}

fn listed(clause: &Clause, slot: &str, mut at: usize, found: &mut Vec<Reading>) {
    while let Some(object) = clause.object(at, |_| false).filter(|object| object.len() <= 3) {
        at = object.end + 1;
        let more = clause.word(object.end) == "and" && !clause.line.ends_at(object.end - 1);
        found.push(clause.plain(slot, clause.written(object)));
        if !more {
            return;
        }
    }
}

/// "X's something is ...".
fn attribute_is(clause: &Clause, attribute: Range<usize>, at: usize, found: &mut Vec<Reading>) {
    let words = clause.line;
    if matches!(words.word(attribute.start), "favourite" | "favorite") && attribute.len() > 1 {
        return favourite(clause, attribute.start + 1..attribute.end, at, found);
    }
    let Some(slot) = slot_named(words, attribute) else { return };
    match (slot.name, clause.word(at), clause.word(at + 1)) {
        ("launch_target" | "deadline", "set" | "planned" | "scheduled" | "expected", "for" | "in" | "on") => {
            project::dated(clause, slot.name, at + 2, found);
        }
        ("launch_target" | "deadline", "on" | "in" | "at", _) => {
            project::dated(clause, slot.name, at + 1, found);
        }
        ("launch_target" | "deadline", "moved" | "postponed" | "pushed" | "delayed", _) => {
            change::moved(&on(clause, at + 1), found);
        }
        (_, "called" | "named", _) if slot.name == "pet" || slot.nature == Nature::Relation => {
            name(clause, slot.name, at + 1, found);
        }
        _ => valued(clause, slot, at, found),
    }
}

/// "favourite X is Y": the question is X, unless X is asked of people for other reasons too.
fn favourite(clause: &Clause, of: Range<usize>, at: usize, found: &mut Vec<Reading>) {
    let Some(object) = clause.object(at, |word| matches!(word, "by" | "from" | "in")) else { return };
    // Of two favourites neither is the one.
    if matches!(clause.word(object.end), "and" | "or") {
        return;
    }
    let value = clause.written(object);
    let own =
        || format!("favourite_{}", clause.line.written(of.clone()).to_lowercase().replace([' ', '-'], "_"));
    let slot = slot_named(clause.line, of.clone()).filter(|slot| slot.nature == Nature::Taste && !slot.many);
    found.push(clause.plain(&slot.map_or_else(own, |slot| slot.name.to_owned()), value));
}

/// A value that answers a known question, if it looks like an answer to it: "my job is stressful" does not.
fn valued(clause: &Clause, slot: &Seeded, at: usize, found: &mut Vec<Reading>) {
    let at = at + usize::from(matches!(clause.word(at), "on" | "at") && is_measured(slot.name));
    let Some(object) = clause.object(at, |word| matches!(word, "in" | "with")) else { return };
    let value = clause.written(object.clone());
    let concrete = match slot.nature {
        Nature::Relation => clause.line.is_capital(at) && clause.name(at) == Some(object.clone()),
        Nature::Taste => slot_of(&[value]) == Some(slot.name) || clause.line.is_capital(at),
        Nature::Fact if is_measured(slot.name) => clause.line.is_number(at) || is_date_word(clause.word(at)),
        Nature::Fact => clause.line.is_capital(at) || clause.line.is_number(at),
    };
    if !concrete {
        return;
    }
    let answer = clause.answer(slot.name, &object);
    found.push(match is_of_projects(slot.name) && !clause.subject.marked {
        true => reading(clause.line, &clause.subject.as_project(), &answer),
        false => clause.reading(&answer),
    });
}

/// Questions that are asked of projects rather than of people.
pub(super) fn is_of_projects(slot: &str) -> bool {
    matches!(slot, "launch_target" | "deadline" | "budget" | "phase" | "commits")
}

fn is_measured(slot: &str) -> bool {
    matches!(
        slot,
        "response_time"
            | "throughput"
            | "port"
            | "budget"
            | "price"
            | "error_rate"
            | "uptime"
            | "commits"
            | "deadline"
            | "launch_target"
            | "birthday"
            | "age"
    )
}

/// "was released in May 2025", "was moved from A to B".
pub(super) fn was(clause: &Clause, found: &mut Vec<Reading>) {
    let (clause, at) = &after_negation(clause);
    match clause.word(*at) {
        "released" => world::released(clause, at + 1, found),
        "moved" | "migrated" | "switched" | "changed" | "pushed" | "postponed" => {
            change::moved(&on(clause, at + 1), found);
        }
        "built" | "written" => tooling::made(clause, *at, found),
        _ => {}
    }
}
