//! One clause: a subject, its verb, and what the rules make of the rest.

use super::lexicon::{ends_object, is_adverb, is_pointer};
use super::line::Line;
use super::subject::Subject;
use super::verb::{Tense, Verb};
use crate::entity::EntityKind;
use crate::knowledge::claim::{About, Reading, Says};
use crate::knowledge::observation::ObservationKind;
use crate::knowledge::slot::{Nature, seeded};
use crate::knowledge::value::{slot_of_value, value_key};
use std::ops::Range;

/// Words in a value, at most.
const LONGEST: usize = 8;

/// Whether the verb is turned around.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Negation {
    /// It is so.
    None,
    /// It is not so.
    Not,
    /// It is so no longer.
    NoLonger,
}

/// A clause whose verb was found.
pub(super) struct Clause<'c, 't> {
    pub(super) line: &'c Line<'t>,
    pub(super) subject: &'c Subject,
    pub(super) negation: Negation,
    /// The word after the verb.
    pub(super) rest: usize,
}

/// What stands between a subject and its verb.
struct Before {
    verb: usize,
    negation: Negation,
    /// "do", "does".
    helped: bool,
    /// "can".
    able: bool,
}

impl Before {
    fn of(line: &Line, at: usize) -> Before {
        let mut before = Before { verb: at, negation: Negation::None, helped: false, able: false };
        loop {
            let at = before.verb;
            match (line.word(at), line.word(at + 1)) {
                ("no", "longer") => {
                    before.negation = Negation::NoLonger;
                    before.verb += 1;
                }
                ("not" | "never", _) => before.negation = Negation::Not,
                ("do" | "does", _) if !before.helped => before.helped = true,
                ("can", "not") => before.able = true,
                ("has" | "have", next) if participle(line, at + 1, next) => {}
                (word, _) if is_adverb(word) => {}
                _ => return before,
            }
            before.verb += 1;
        }
    }
}

/// An answer to a question, before it is known who gives it.
pub(super) struct Answer<'a> {
    pub(super) slot: &'a str,
    pub(super) value: &'a str,
    pub(super) says: Says,
    pub(super) replaces: Option<&'a str>,
}

impl<'c, 't> Clause<'c, 't> {
    /// Finds the verb of a subject, and the negations around it.
    pub(super) fn of(line: &'c Line<'t>, subject: &'c Subject) -> Option<(Clause<'c, 't>, Verb)> {
        let Before { verb: at, mut negation, helped, able } = Before::of(line, subject.next);
        let (verb, tense) = Verb::of(line.word(at))?;
        let agrees = match tense {
            Tense::Base => helped || able || subject.first_person || subject.is_plural(line),
            Tense::Third => !helped && !subject.first_person && !subject.is_plural(line),
            Tense::Past | Tense::Ing => true,
        };
        // What somebody cannot do is nothing they do or don't; "can't stand" is one word.
        if !agrees || able != (verb == Verb::Bear) {
            return None;
        }
        let mut rest = at + 1;
        // "uses not A but B". What follows "is" looks for its own.
        if line.word(rest) == "not" && !matches!(verb, Verb::Be | Verb::Was) {
            (negation, rest) = (Negation::Not, rest + 1);
        }
        Some((Clause { line, subject, negation, rest }, verb))
    }

    pub(super) fn word(&self, at: usize) -> &str {
        self.line.word(at)
    }

    /// What the words before the verb say of a value.
    pub(super) fn says(&self) -> Says {
        if self.negation == Negation::None { Says::Holds } else { Says::Denies }
    }

    /// Past words that only grade: "now", "still", "also".
    pub(super) fn past_adverbs(&self, mut at: usize) -> usize {
        while is_adverb(self.word(at)) {
            at += 1;
        }
        at
    }

    /// The words of an object: up to a mark, a word that ends it, or a word that `stops`. None if it only points.
    pub(super) fn object(&self, from: usize, stops: impl Fn(&str) -> bool) -> Option<Range<usize>> {
        let mut end = from;
        while end < self.line.len() && !ends_object(self.word(end)) && (end == from || !stops(self.word(end)))
        {
            end += 1;
            if self.line.ends_at(end - 1) {
                break;
            }
        }
        let whole = end > from && end - from <= LONGEST && !is_pointer(self.word(from));
        whole.then_some(from..end)
    }

    /// The words of a name from here on: capitals, numbers, and small words between capitals.
    pub(super) fn name(&self, from: usize) -> Option<Range<usize>> {
        let from = from + usize::from(self.word(from) == "the");
        let part = |at: usize| self.line.is_capital(at) || (at > from && self.line.is_number(at));
        let mut end = from;
        while part(end)
            || (end > from
                && matches!(self.word(end), "of" | "de" | "am" | "del" | "la" | "der" | "&")
                && part(end + 1))
        {
            end += 1;
            if self.line.ends_at(end - 1) {
                break;
            }
        }
        (end > from && !is_pointer(self.word(from))).then_some(from..end)
    }

    /// All words up to the end of the clause, for what is told at length.
    pub(super) fn to_the_end(&self, from: usize) -> Option<Range<usize>> {
        let ends = |at: usize| {
            self.line.ends_at(at) || matches!(self.word(at + 1), "because" | "when" | "but" | "and" | "so")
        };
        let end = (from..self.line.len()).find(|at| ends(*at))? + 1;
        (end - from <= LONGEST && !is_pointer(self.word(from))).then_some(from..end)
    }

    /// What is said of an object: "A", "A instead of B", "not A but B".
    pub(super) fn answer<'a>(&self, slot: &'a str, object: &Range<usize>) -> Answer<'a>
    where
        't: 'a,
    {
        let value = self.written(object.clone());
        let after = |words: usize| Some(self.written(self.object(object.end + words, |_| false)?));
        let (truth, other) = match (self.word(object.end), self.word(object.end + 1)) {
            ("but", _) if self.negation == Negation::Not => (after(1), None),
            ("instead", "of") => (None, after(2)),
            _ => (None, None),
        };
        match truth {
            Some(truth) => Answer { slot, value: truth, says: Says::Holds, replaces: Some(value) },
            None => Answer { slot, value, says: self.says(), replaces: other },
        }
    }

    pub(super) fn written(&self, range: Range<usize>) -> &'t str {
        self.line.written(range)
    }

    /// A reading of this clause about its own subject.
    pub(super) fn reading(&self, answer: &Answer<'_>) -> Reading {
        reading(self.line, self.subject, answer)
    }

    /// The same, of a value that the clause's own negation decides about.
    pub(super) fn plain(&self, slot: &str, value: &str) -> Reading {
        self.reading(&Answer { slot, value, says: self.says(), replaces: None })
    }
}

/// What follows "has" or "have" when they only help.
fn participle(line: &Line, at: usize, next: &str) -> bool {
    let verb = if is_adverb(next) { line.word(at + 1) } else { next };
    matches!(verb, "been" | "not") || Verb::of(verb).is_some_and(|(_, tense)| tense == Tense::Past)
}

/// The question that one of these values names by itself.
pub(super) fn slot_of(values: &[&str]) -> Option<&'static str> {
    values.iter().find_map(|value| slot_of_value(&value_key(value)))
}

/// A reading about a subject, with the kind that its question has for it.
pub(super) fn reading(line: &Line, subject: &Subject, answer: &Answer<'_>) -> Reading {
    let known = seeded(answer.slot);
    Reading {
        about: subject.about.clone(),
        kind: kind(subject, known.map_or(Nature::Fact, |slot| slot.nature), answer.slot),
        slot: known.map_or(answer.slot, |slot| slot.name).to_owned(),
        many: known.is_some_and(|slot| slot.many),
        value: answer.value.to_owned(),
        says: answer.says,
        replaces: answer.replaces.map(str::to_owned),
        sentence: line.text.to_owned(),
    }
}

fn kind(subject: &Subject, nature: Nature, slot: &str) -> ObservationKind {
    match (&subject.about, subject.likely()) {
        (About::World, _) => ObservationKind::WorldFact,
        (About::Agent, _) => ObservationKind::SelfModel,
        (_, Some(EntityKind::Project)) => ObservationKind::ProjectState,
        (_, Some(EntityKind::Tool)) => ObservationKind::ToolingState,
        _ if slot.ends_with("_bias") => ObservationKind::SelfModel,
        _ if nature == Nature::Taste || slot.starts_with("favourite_") => ObservationKind::OperatorPreference,
        _ => ObservationKind::RelationshipFact,
    }
}
