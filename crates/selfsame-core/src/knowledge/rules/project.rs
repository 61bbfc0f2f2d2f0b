//! How things stand with a project: its phase, its dates, its numbers.

use super::clause::{Answer, Clause, Negation, reading, slot_of};
use super::lexicon::{is_about, is_date_word, phase};
use crate::entity::EntityKind;
use crate::knowledge::claim::{Reading, Says};
use std::ops::Range;

/// Whether it is a project, or may be one.
fn is_project(clause: &Clause) -> bool {
    let known =
        matches!(clause.subject.likely(), Some(EntityKind::Project | EntityKind::Person | EntityKind::Tool));
    known && clause.subject.attribute.is_none()
}

/// "is in active development on Next.js 14", "is paused".
pub(super) fn phase_is(clause: &Clause, at: usize, found: &mut Vec<Reading>) {
    let from = at + usize::from(clause.word(at) == "in");
    let words = [clause.word(from), clause.word(from + 1), clause.word(from + 2)];
    let Some((count, telling)) = phase(words).filter(|_| is_project(clause)) else { return };
    let sure = telling || (clause.subject.marked && clause.subject.likely() == Some(EntityKind::Project));
    let end = from + count;
    let closed = clause.line.ends_at(end - 1)
        || matches!(
            clause.word(end),
            "on" | "with"
                | "and"
                | "now"
                | "since"
                | "until"
                | "again"
                | "anymore"
                | "any"
                | "for"
                | "but"
                | "using"
        );
    if !sure || !closed {
        return;
    }
    let project = match clause.subject.marked {
        true => clause.subject.clone(),
        false => clause.subject.as_project(),
    };
    let mut say = |slot: &str, value: &str, says| {
        found.push(reading(clause.line, &project, &Answer { slot, value, says, replaces: None }));
    };
    say("phase", clause.written(from..end), clause.says());
    if matches!(clause.word(end), "on" | "with" | "using")
        && let Some(object) = clause.object(end + 1, |word| matches!(word, "on" | "with" | "at" | "in"))
    {
        let value = clause.written(object);
        if let Some(slot) = slot_of(&[value]) {
            say(slot, value, Says::Holds);
        }
    }
}

/// A reading of a project, whatever its name looks like.
fn of_project(clause: &Clause, slot: &str, value: Range<usize>) -> Reading {
    let answer = Answer { slot, value: clause.written(value), says: clause.says(), replaces: None };
    match clause.subject.likely() {
        Some(EntityKind::Tool) if clause.subject.marked => reading(clause.line, clause.subject, &answer),
        _ => reading(clause.line, &clause.subject.as_project(), &answer),
    }
}

/// The words of a date from here on.
fn date(clause: &Clause, at: usize) -> Option<Range<usize>> {
    let from = at + usize::from(matches!(clause.word(at), "a" | "an" | "the"));
    let mut end = from;
    while is_date_word(clause.word(end)) {
        end += 1;
        if clause.line.ends_at(end - 1) && !clause.line.is_number(end) {
            break;
        }
    }
    (end > from).then_some(from..end)
}

/// "targeting a Q2 launch", "targeting June 2027 for launch", "targets launch in Q2".
pub(super) fn targets(clause: &Clause, found: &mut Vec<Reading>) {
    if !is_project(clause) {
        return;
    }
    let is_goal = |at: usize| matches!(clause.word(at), "launch" | "release" | "rollout" | "go-live");
    if let Some(when) = date(clause, clause.rest)
        && (is_goal(when.end)
            || clause.line.ends_at(when.end - 1)
            || clause.word(when.end) == "for" && is_goal(past_article(clause, when.end + 1)))
    {
        return found.push(of_project(clause, "launch_target", when));
    }
    let at = past_article(clause, clause.rest);
    if is_goal(at)
        && matches!(clause.word(at + 1), "in" | "on" | "by" | "for")
        && let Some(when) = date(clause, at + 2)
    {
        found.push(of_project(clause, "launch_target", when));
    }
}

fn past_article(clause: &Clause, at: usize) -> usize {
    at + usize::from(matches!(clause.word(at), "a" | "the"))
}

/// "launches in Q3".
pub(super) fn launches(clause: &Clause, found: &mut Vec<Reading>) {
    let at = clause.rest + usize::from(matches!(clause.word(clause.rest), "in" | "on" | "by"));
    if let Some(when) = date(clause, at).filter(|_| is_project(clause)) {
        found.push(of_project(clause, "launch_target", when));
    }
}

/// "is due on 1 September".
pub(super) fn due(clause: &Clause, at: usize, found: &mut Vec<Reading>) {
    let at = at + usize::from(matches!(clause.word(at), "in" | "on" | "by"));
    // A baby is due in June, too.
    let sure = clause.subject.marked && clause.subject.likely() == Some(EntityKind::Project);
    if let Some(when) = date(clause, at).filter(|_| sure) {
        found.push(of_project(clause, "deadline", when));
    }
}

/// A date for a question of dates.
pub(super) fn dated(clause: &Clause, slot: &str, at: usize, found: &mut Vec<Reading>) {
    if let Some(when) = date(clause, at) {
        let answer = Answer { slot, value: clause.written(when), says: clause.says(), replaces: None };
        let subject = clause.subject.as_project();
        found.push(reading(clause.line, &subject, &answer));
    }
}

/// "has grown to 165 commits", "has 165 commits".
pub(super) fn counts(clause: &Clause, at: usize, found: &mut Vec<Reading>) {
    let at = at + usize::from(is_about(clause.word(at)));
    let thing = clause.subject.is_thing() && clause.subject.attribute.is_none();
    let plural = clause.word(at + 1).ends_with('s') && clause.word(at + 1).len() > 3;
    let whole =
        clause.line.ends_at(at + 1) || matches!(clause.word(at + 2), "now" | "and" | "so" | "today" | "by");
    if thing && clause.line.is_number(at) && plural && whole && clause.negation == Negation::None {
        found.push(clause.plain(clause.word(at + 1), clause.written(at..at + 1)));
    }
}

/// "has grown to ...".
pub(super) fn grown(clause: &Clause, found: &mut Vec<Reading>) {
    if clause.word(clause.rest) == "to" {
        counts(clause, clause.rest + 1, found);
    }
}

/// "costs 40 euros".
pub(super) fn costs(clause: &Clause, found: &mut Vec<Reading>) {
    let at = clause.rest + usize::from(is_about(clause.word(clause.rest)));
    if clause.line.is_number(at)
        && clause.subject.is_thing()
        && let Some(price) = clause.object(at, |word| matches!(word, "in" | "on" | "with"))
    {
        found.push(clause.plain("price", clause.written(price)));
    }
}
