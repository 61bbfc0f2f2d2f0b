//! Slots: the questions that claims answer. Common ones are known from the start; an agent's own list grows from there.

use crate::text::terms;
use std::collections::BTreeSet;

/// The slot of a preference that names no question: values coexist in it.
pub const PREFERENCE: &str = "preference";

/// How much of two names must be the same words for the later to join the earlier.
const JOINS: f64 = 0.6;

/// A slot that is known from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seeded {
    /// Its name.
    pub name: &'static str,
    /// Other names of the same question.
    pub synonyms: &'static [&'static str],
    /// Whether values coexist in it.
    pub many: bool,
}

const fn one(name: &'static str, synonyms: &'static [&'static str]) -> Seeded {
    Seeded { name, synonyms, many: false }
}

const fn many(name: &'static str, synonyms: &'static [&'static str]) -> Seeded {
    Seeded { name, synonyms, many: true }
}

/// The slots that are known from the start.
pub static SEEDED: &[Seeded] = &[
    one("employer", &["job", "workplace", "company"]),
    one("database", &["db"]),
    one("residence", &["home", "city", "address"]),
    many(PREFERENCE, &["preferences", "likes"]),
];

/// The slot of that name or synonym.
pub fn seeded(name: &str) -> Option<&'static Seeded> {
    SEEDED.iter().find(|slot| slot.name == name || slot.synonyms.contains(&name))
}

/// A slot of an agent's own list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Its place in the list.
    pub ordinal: i64,
    /// Its name.
    pub name: String,
    /// The slot that it turned out to be.
    pub joins: Option<String>,
    /// Whether values coexist in it.
    pub many: bool,
}

/// The slot that a new name joins: the one with the most words in common, of equally near ones the first. None: it is new.
pub fn joined<'s>(name: &str, known: &'s [Slot]) -> Option<&'s Slot> {
    let asked = name_words(name);
    let mut best: Option<(f64, &Slot)> = None;
    for slot in known.iter().filter(|slot| slot.joins.is_none()) {
        let overlap = overlap(&asked, &name_words(&slot.name));
        if overlap >= JOINS && best.is_none_or(|(most, _)| overlap > most) {
            best = Some((overlap, slot));
        }
    }
    best.map(|(_, slot)| slot)
}

/// The analysed words of a slot's name.
pub fn name_words(name: &str) -> BTreeSet<String> {
    name.split(['_', '-', ' ']).flat_map(terms).collect()
}

/// How much two sets of words have in common, 0 to 1.
pub fn overlap(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let all = one.union(other).count();
    if all == 0 { 0.0 } else { one.intersection(other).count() as f64 / all as f64 }
}
