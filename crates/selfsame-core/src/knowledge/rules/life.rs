//! Where somebody lives and works, whom they know, what they do.

use super::clause::{Answer, Clause, reading};
use super::lexicon::{is_date_word, is_institution, is_trade};
use super::line::Line;
use super::subject::Subject;
use crate::knowledge::claim::{About, Reading};
use crate::knowledge::slot::{Nature, Seeded, seeded};
use crate::knowledge::vocabulary::Vocabulary;
use std::ops::Range;

fn is_person(clause: &Clause) -> bool {
    clause.subject.is_somebody() && clause.subject.attribute.is_none()
}

/// "lives in X".
pub(super) fn lives(clause: &Clause, found: &mut Vec<Reading>) {
    if is_person(clause)
        && clause.word(clause.rest) == "in"
        && let Some(place) = clause.name(clause.rest + 1)
    {
        found.push(clause.plain("residence", clause.written(place)));
    }
}

/// "works at X", "works for X", "works as a Y".
pub(super) fn works(clause: &Clause, found: &mut Vec<Reading>) {
    if !is_person(clause) {
        return;
    }
    match clause.word(clause.rest) {
        "at" | "for" => found.extend(employer(clause, clause.rest + 1)),
        "as" => found.extend(trade(clause, clause.rest + 1)),
        _ => {}
    }
}

/// A house by its name, or by what it is.
fn employer(clause: &Clause, at: usize) -> Option<Reading> {
    let house = clause.name(at).or_else(|| {
        let object = clause.object(at, |word| matches!(word, "in" | "on" | "at" | "near"))?;
        let article = matches!(clause.word(at), "the" | "a" | "an");
        (article && is_institution(clause.word(object.end - 1))).then_some(object)
    })?;
    Some(clause.plain("employer", without_article(clause, house)))
}

fn without_article<'t>(clause: &Clause<'_, 't>, range: Range<usize>) -> &'t str {
    let article = usize::from(matches!(clause.word(range.start), "the" | "a" | "an") && range.len() > 1);
    clause.written(range.start + article..range.end)
}

/// "a data engineer", and "at Initech" if it follows.
fn trade(clause: &Clause, at: usize) -> Vec<Reading> {
    let object = clause.object(at, |word| matches!(word, "at" | "in" | "with" | "from" | "on"));
    let article = matches!(clause.word(at), "a" | "an" | "the");
    let Some(object) = object.filter(|object| article && is_trade(clause.word(object.end - 1))) else {
        return Vec::new();
    };
    let house = (clause.word(object.end) == "at").then(|| employer(clause, object.end + 1)).flatten();
    let role = clause.plain("role", without_article(clause, object));
    [Some(role), house].into_iter().flatten().collect()
}

/// "is a data engineer at Initech".
pub(super) fn is_a(clause: &Clause, at: usize, found: &mut Vec<Reading>) {
    if is_person(clause) {
        found.extend(trade(clause, at));
    }
}

/// "joined X", where nothing tells that it was for an evening.
pub(super) fn joined(clause: &Clause, found: &mut Vec<Reading>) {
    let Some(house) = clause.name(clause.rest).filter(|_| is_person(clause)) else { return };
    let after = clause.word(house.end);
    let stays = clause.line.ends_at(house.end - 1)
        || matches!(after, "as" | "last" | "this" | "and" | "today")
        || (matches!(after, "in" | "on") && is_date_word(clause.word(house.end + 1)));
    if stays {
        found.push(clause.plain("employer", clause.written(house)));
    }
}

/// "speaks Portuguese and Galician".
pub(super) fn speaks(clause: &Clause, found: &mut Vec<Reading>) {
    let mut at = clause.rest;
    while let Some(language) = clause.name(at).filter(|_| is_person(clause)) {
        at = language.end + usize::from(clause.word(language.end) == "and");
        found.push(clause.plain("spoken_language", clause.written(language)));
    }
}

/// "plays the cello", "plays chess".
pub(super) fn plays(clause: &Clause, found: &mut Vec<Reading>) {
    let game = clause.object(clause.rest, |word| matches!(word, "with" | "in" | "on" | "at" | "against"));
    let known = |range: &Range<usize>| is_pastime(clause.word(range.end - 1));
    if let Some(game) = game.filter(|game| is_person(clause) && known(game)) {
        found.push(clause.plain("hobby", without_article(clause, game)));
    }
}

static PASTIMES: Vocabulary = Vocabulary::of(
    "cello piano guitar violin drums flute bass trumpet saxophone clarinet harp organ viola ukulele banjo \
     chess football soccer tennis basketball volleyball badminton hockey golf rugby cricket handball squash \
     bridge poker darts go",
);

fn is_pastime(word: &str) -> bool {
    PASTIMES.contains(word)
}

/// "is Jason's business partner", "is my boss": it answers who somebody is to Jason.
pub(super) fn relation(clause: &Clause, at: usize, found: &mut Vec<Reading>) {
    let About::Named { name, .. } = &clause.subject.about else { return };
    if clause.subject.attribute.is_some() || !clause.subject.is_somebody() {
        return;
    }
    let Some((owner, from)) = owner(clause.line, at) else { return };
    let Some(end) =
        (from..clause.line.len().min(from + 3)).find(|end| ends_relation(clause, *end)).map(|end| end + 1)
    else {
        return;
    };
    if let Some(slot) = relation_slot(clause.line, from..end) {
        let answer = Answer { slot: slot.name, value: name, says: clause.says(), replaces: None };
        found.push(reading(clause.line, &owner, &answer));
    }
}

fn ends_relation(clause: &Clause, at: usize) -> bool {
    clause.line.ends_at(at)
        || matches!(
            clause.word(at + 1),
            "at" | "since" | "from" | "and" | "now" | "again" | "in" | "but" | "for"
        )
}

/// Whose relation it is: "Jason's", "my", "the user's".
fn owner(line: &Line, at: usize) -> Option<(Subject, usize)> {
    let speaker = |about, from| {
        (Subject { about, first_person: false, marked: true, attribute: None, next: from }, from)
    };
    let article = usize::from(line.word(at) == "the");
    match line.word(at + article) {
        "my" | "our" => Some(speaker(About::Speaker, at + 1)),
        "user's" | "operator's" => Some(speaker(About::Operator, at + article + 1)),
        _ => {
            let end = (at..at + 3).find(|place| line.word(*place).ends_with("'s"))? + 1;
            let whole = (at..end).all(|place| line.is_capital(place));
            let name = line.written(at..end);
            let name = name.strip_suffix("'s").or_else(|| name.strip_suffix("’s"))?.to_owned();
            whole.then(|| speaker(About::Named { name, likely: crate::entity::EntityKind::Person }, end))
        }
    }
}

/// The slot of the words of a relation.
fn relation_slot(line: &Line, range: Range<usize>) -> Option<&'static Seeded> {
    slot_named(line, range).filter(|slot| slot.nature == Nature::Relation)
}

/// The known slot of these words: all of them, or without those that only grade. "Sister's name" asks who the sister is.
pub(super) fn slot_named(line: &Line, range: Range<usize>) -> Option<&'static Seeded> {
    let mut words: Vec<&str> = range.map(|at| line.word(at)).filter(|word| !grades(word)).collect();
    if let [.., owner, "name"] = words.as_slice()
        && let Some(owner) = owner.strip_suffix("'s")
    {
        words.pop();
        words.pop();
        words.push(owner);
    }
    seeded(&words.join("_"))
}

static GRADES: Vocabulary = Vocabulary::of(
    "current new main own preferred usual primary default favourite favorite older younger little big eldest \
     youngest production planned official",
);

/// Words that say which of several.
fn grades(word: &str) -> bool {
    GRADES.contains(word)
}
