//! What somebody likes, and how they want to be answered.

use super::clause::{Answer, Clause, Negation, slot_of};
use super::lexicon::is_pointer;
use super::verb::Verb;
use crate::knowledge::claim::{Reading, Says};
use crate::knowledge::slot::{DISLIKE, PREFERENCE};
use std::ops::Range;

/// "prefers X", "prefers X over Y", "prefers X to Y", "prefers X instead of Y".
pub(super) fn prefers(clause: &Clause, found: &mut Vec<Reading>) {
    if !clause.subject.is_somebody() || clause.subject.attribute.is_some() {
        return;
    }
    let Some(object) = clause.object(clause.rest, |word| word == "to") else { return };
    if let Some(style) = style(clause, &object) {
        return found.push(clause.reading(&clause.answer("response_style", &style)));
    }
    let value = clause.written(object.clone());
    let other = compared(clause, object.end).map(|range| clause.written(range));
    let slot = slot_of(&[value]).or_else(|| slot_of(&[other?])).unwrap_or(PREFERENCE);
    // Two answers to one question are none.
    let second = clause.object(object.end + 1, |_| false).filter(|_| clause.word(object.end) == "and");
    let both = second.is_some_and(|second| slot_of(&[clause.written(second)]) == Some(slot));
    if clause.word(object.end) != "or" && !both {
        found.push(clause.reading(&clause.answer(slot, &object)));
    }
}

/// What something is preferred to: after "over", "to", "rather than", "instead of".
fn compared(clause: &Clause, at: usize) -> Option<Range<usize>> {
    let from = match (clause.word(at), clause.word(at + 1)) {
        ("over" | "to", _) => at + 1,
        ("rather", "than") | ("instead", "of") => at + 2,
        _ => return None,
    };
    clause.object(from, |_| false)
}

/// "likes X", "hates X", "can't stand X", "never drinks X": what is liked is not disliked, and the other way about.
pub(super) fn likes(clause: &Clause, verb: Verb, found: &mut Vec<Reading>) {
    if !clause.subject.is_somebody() || clause.subject.attribute.is_some() {
        return;
    }
    let turned = clause.negation != Negation::None;
    let likes = match verb {
        Verb::Like => !turned,
        Verb::Dislike => turned,
        // Who eats something once need not like it; who never does has a reason.
        _ if turned => false,
        _ => return,
    };
    for object in objects(clause) {
        let value = clause.written(object.clone());
        let mut say = |slot, says| found.push(clause.reading(&Answer { slot, value, says, replaces: None }));
        let over = clause.negation == Negation::NoLonger || is_over(clause, object.end);
        let (now, before) = if likes { (PREFERENCE, DISLIKE) } else { (DISLIKE, PREFERENCE) };
        // Who no longer likes something need not dislike it.
        if !over {
            say(now, Says::Holds);
        }
        say(before, Says::Denies);
    }
}

/// "any more", "anymore".
fn is_over(clause: &Clause, at: usize) -> bool {
    clause.word(at) == "anymore" || (clause.word(at), clause.word(at + 1)) == ("any", "more")
}

/// The objects of a liking, each short enough to be a thing: "tea and coffee".
fn objects(clause: &Clause) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = clause.rest;
    while let Some(object) = clause.object(from, |_| false) {
        let (first, next) = (clause.word(object.start), clause.word(object.end));
        if next == "or" || is_passing(clause, &object) || (from > clause.rest && is_clause(clause, &object)) {
            break;
        }
        let listed = next == "and" && !clause.line.ends_at(object.end - 1) && !is_pointer(first);
        from = object.end + 1;
        found.push(object);
        if !listed {
            break;
        }
    }
    found
}

/// "I love the idea", "I hate to say it": of what is being talked about.
fn is_passing(clause: &Clause, object: &Range<usize>) -> bool {
    let said = matches!(
        clause.word(object.start + 1),
        "say" | "admit" | "ask" | "bother" | "break" | "see" | "hear"
    );
    match clause.word(object.start) {
        "the" => object.len() <= 2,
        "to" => said,
        _ => false,
    }
}

/// Whether the words after "and" go on with something else.
fn is_clause(clause: &Clause, object: &Range<usize>) -> bool {
    object.len() > 3
        || object.clone().any(|at| {
            matches!(clause.word(at), "i" | "he" | "she" | "we" | "my" | "it's")
                || Verb::of(clause.word(at)).is_some()
        })
}

/// How somebody wants to be answered, without the word for the answer: of "short answers", "short".
fn style(clause: &Clause, object: &Range<usize>) -> Option<Range<usize>> {
    let of_answers = matches!(
        clause.word(object.end - 1),
        "answers" | "replies" | "responses" | "explanations" | "answer" | "reply" | "response"
    );
    (of_answers && object.len() > 1).then(|| object.start..object.end - 1)
}

/// "responds best to X, not Y".
pub(super) fn responds(clause: &Clause, found: &mut Vec<Reading>) {
    let best = matches!(clause.word(clause.rest), "best" | "well" | "better")
        && clause.word(clause.rest + 1) == "to";
    if let Some(object) =
        clause.object(clause.rest + 2, |_| false).filter(|_| best && clause.subject.is_somebody())
    {
        let style = style(clause, &object).unwrap_or(object);
        found.push(clause.plain("response_style", clause.written(style)));
    }
}
