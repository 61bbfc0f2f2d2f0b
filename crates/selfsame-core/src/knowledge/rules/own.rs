//! What somebody is inclined to; of an agent, how it behaves.

use super::clause::{Answer, Clause, Negation};
use super::line::Line;
use super::subject::Subject;
use crate::knowledge::claim::{About, Reading, Says};

/// "recall skews toward knowledge memories".
pub(super) fn skews(clause: &Clause, found: &mut Vec<Reading>) {
    let Some(attribute) = clause.subject.attribute.clone() else { return };
    if !matches!(clause.word(clause.rest), "toward" | "towards") || clause.negation != Negation::None {
        return;
    }
    let Some(object) = clause.object(clause.rest + 1, |_| false) else { return };
    // What is remembered are memories, so the word adds nothing.
    let idle = matches!(clause.word(object.end - 1), "type" | "types" | "memories" | "memory" | "ones");
    let end = object.end - usize::from(idle && object.len() > 1);
    let slot = format!("{}_bias", clause.word(attribute.end - 1));
    let value = clause.written(object.start..end);
    found.push(clause.reading(&Answer { slot: &slot, value, says: Says::Holds, replaces: None }));
}

/// "I tend to over-explain".
pub(super) fn tends(clause: &Clause, found: &mut Vec<Reading>) {
    let person = clause.subject.attribute.is_none() && !clause.subject.is_thing();
    if !person || clause.word(clause.rest) != "to" {
        return;
    }
    if let Some(range) = clause.to_the_end(clause.rest + 1) {
        found.push(clause.plain("tendency", clause.written(range)));
    }
}

/// "I often forget names": whatever the verb.
pub(super) fn habits(line: &Line, subject: &Subject, found: &mut Vec<Reading>) {
    let often = matches!(line.word(subject.next), "often" | "frequently" | "regularly");
    let somebody = subject.is_somebody() || subject.about == About::Agent;
    if !often || !somebody || subject.attribute.is_some() {
        return;
    }
    let clause = Clause { line, subject, negation: Negation::None, rest: subject.next + 1 };
    if let Some(range) = clause.to_the_end(clause.rest) {
        found.push(clause.plain("tendency", clause.written(range)));
    }
}
