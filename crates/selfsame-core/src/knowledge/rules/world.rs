//! What is so in the world, whoever says it.

use super::clause::{Answer, Clause, Negation, reading, slot_of};
use super::lexicon::is_date_word;
use super::subject::Subject;
use crate::knowledge::claim::{About, Reading, Says};

/// "was released in May 2025", "came out in May 2025".
pub(super) fn released(clause: &Clause, at: usize, found: &mut Vec<Reading>) {
    let from = at + usize::from(matches!(clause.word(at), "in" | "on"));
    let mut end = from;
    while is_date_word(clause.word(end)) {
        end += 1;
    }
    let About::Named { name, .. } = &clause.subject.about else { return };
    if end == from || !is_product(name) || clause.subject.attribute.is_some() {
        return;
    }
    let slot = format!("{}_release", topic(name));
    let world = Subject {
        about: About::World,
        first_person: false,
        marked: true,
        attribute: None,
        next: clause.rest,
    };
    let value = clause.written(from..end);
    if clause.negation == Negation::None {
        found.push(reading(
            clause.line,
            &world,
            &Answer { slot: &slot, value, says: Says::Holds, replaces: None },
        ));
    }
}

/// Something that is released, rather than somebody: it has a number, or is known.
fn is_product(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_digit()) || slot_of(&[name]).is_some()
}

/// "came out in ...".
pub(super) fn came(clause: &Clause, found: &mut Vec<Reading>) {
    if clause.word(clause.rest) == "out" {
        released(clause, clause.rest + 1, found);
    }
}

/// A name as part of a slot.
fn topic(name: &str) -> String {
    let words: Vec<String> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("_")
}
