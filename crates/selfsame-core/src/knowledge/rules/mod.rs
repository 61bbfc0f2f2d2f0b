//! The rules for common English forms: what a sentence says of somebody or something, if it says it plainly.
//!
//! A sentence is taken clause by clause: its subject (`subject`), its verb (`verb`, `clause`), and by the verb one
//! rule for what follows. What is asked, supposed, quoted or demanded is not said. Precision comes before recall: what the
//! rules miss can be said again, what they invent is believed.

mod being;
mod change;
mod clause;
mod deed;
mod lexicon;
mod life;
mod line;
mod measured;
mod own;
mod part;
mod project;
mod quantity;
mod subject;
mod taste;
mod thing;
mod tooling;
mod verb;
mod world;

use super::claim::{About, Reading};
use crate::entity::EntityKind;
use crate::sentence::{Sentence, sentences};
use crate::unreal::is_unreal;
use clause::Clause;
use lexicon::{is_hedge, is_opener};
use line::Line;
use subject::Subject;
use verb::{Tense, Verb};

/// Bytes that a sentence may have and still be one thing that somebody said.
const LONGEST: usize = 600;
/// Bytes that a sentence may have and be read part by part.
const LONGEST_IN_PARTS: usize = 2_000;

/// What a text says, sentence by sentence.
pub fn read(text: &str) -> Vec<Reading> {
    let sentences = sentences(text).into_iter().filter(|sentence| sentence.len() <= LONGEST_IN_PARTS);
    sentences.flat_map(read_sentence).collect()
}

fn read_sentence(text: &str) -> Vec<Reading> {
    let sentence = Sentence::of(text);
    let asks = sentence.asks();
    let line = Line::of(sentence);
    let plain = !asks && text.len() <= LONGEST && !is_hedged(&line);
    let mut found = if plain { read_line(&line) } else { Vec::new() };
    if found.is_empty() {
        read_parts(&line, asks, &mut found);
    }
    // The dearest look comes last: most sentences yield nothing anyway.
    if found.is_empty() || is_unreal(&Sentence::of(text)) { Vec::new() } else { found }
}

/// What the speaker says of what they did and of their numbers, in whatever part of the sentence.
fn read_parts(line: &Line, asks: bool, found: &mut Vec<Reading>) {
    if line.words().any(|word| matches!(word, "i" | "we" | "my" | "our")) {
        let parts = part::parts(line, asks);
        measured::read(line, &parts, found);
        deed::read(line, &parts, found);
    }
}

/// Whether the sentence only considers something, or tells of other times.
fn is_hedged(line: &Line) -> bool {
    let told =
        matches!(line.word(0), "when" | "as" | "while" | "before" | "after" | "once") && line.word(1) != "of";
    let past = || (0..line.len()).any(|at| line.word(at) == "used" && line.word(at + 1) == "to");
    told || line.words().any(is_hedge) || past()
}

fn read_line(line: &Line) -> Vec<Reading> {
    let mut found = Vec::new();
    let mut last: Option<Subject> = None;
    let mut at = past_openers(line, 0);
    while at < line.len() {
        let carried = || stands_for(line, at, last.as_ref()).or_else(|| carried_on(line, at, last.as_ref()));
        if let Some(subject) = Subject::at(line, at).or_else(carried) {
            let before = found.len();
            let clause = Clause::of(line, &subject);
            if let Some((clause, verb)) = &clause {
                apply(clause, *verb, &mut found);
            }
            if found.len() == before {
                own::habits(line, &subject, &mut found);
            }
            last = clause.is_some().then(|| settled(&subject, found.last()));
        }
        at = next_clause(line, at);
    }
    found
}

/// The subject as the clause that was read about it took it: what is in beta is a project, whatever else is said of it.
fn settled(subject: &Subject, read: Option<&Reading>) -> Subject {
    match (&subject.about, read.map(|reading| &reading.about)) {
        (
            About::Named { name, .. },
            Some(read @ About::Named { name: same, likely: EntityKind::Project }),
        ) if name == same => Subject { about: read.clone(), marked: true, ..subject.clone() },
        _ => subject.clone(),
    }
}

/// Past the words that open a clause and say nothing.
fn past_openers(line: &Line, mut at: usize) -> usize {
    while at < line.len() {
        at += match (line.word(at), line.word(at + 1), line.word(at + 2)) {
            ("by", "the", "way") | ("at", "the", "moment") | ("as", "of", _) => 3,
            ("these", "days", _) | ("right", "now", _) => 2,
            (word, ..) if is_opener(word) => 1,
            _ => break,
        };
    }
    at
}

/// "... and works at Initech", "..., targeting Q2": the subject of the clause before, and a verb that can be its.
fn carried_on(line: &Line, at: usize, last: Option<&Subject>) -> Option<Subject> {
    let subject = last.filter(|subject| subject.attribute.is_none())?;
    let (_, tense) = Verb::of(line.word(at))?;
    // "..., like a coin": after a mark that is no verb of theirs.
    let joined = at > 0 && matches!(line.word(at - 1), "and" | "but");
    let fits = tense != Tense::Base || subject.first_person && joined;
    fits.then(|| Subject { next: at, ..subject.clone() })
}

/// "..., he switched to SQLite", "... and it runs on Debian": the subject of the clause before, by the word for it.
fn stands_for(line: &Line, at: usize, last: Option<&Subject>) -> Option<Subject> {
    let subject = last.filter(|subject| subject.attribute.is_none())?;
    let fits = match line.word(at) {
        "he" | "she" => subject.likely() == Some(EntityKind::Person),
        "it" => subject.is_thing(),
        _ => false,
    };
    fits.then(|| Subject { next: at + 1, ..subject.clone() })
}

/// Where the next clause begins: after a mark, or after a word that joins.
fn next_clause(line: &Line, from: usize) -> usize {
    let mut at = from;
    while at < line.len() {
        let joins = matches!(line.word(at), "and" | "but" | "so" | "because") && at > from;
        let marked = line.ends_at(at);
        at += 1;
        if joins || marked {
            break;
        }
    }
    past_openers(line, at)
}

/// One rule for each verb.
fn apply(clause: &Clause, verb: Verb, found: &mut Vec<Reading>) {
    match verb {
        Verb::Prefer => taste::prefers(clause, found),
        Verb::Like | Verb::Dislike | Verb::Consume | Verb::Bear => taste::likes(clause, verb, found),
        Verb::Respond => taste::responds(clause, found),
        Verb::Live => life::lives(clause, found),
        Verb::Work => life::works(clause, found),
        Verb::Join => life::joined(clause, found),
        Verb::Speak => life::speaks(clause, found),
        Verb::Play => life::plays(clause, found),
        Verb::Move | Verb::Switch => change::moved(clause, found),
        Verb::Stop => change::stopped(clause, found),
        Verb::Use => tooling::uses(clause, found),
        Verb::Run => tooling::runs(clause, found),
        Verb::Listen => tooling::listens(clause, found),
        Verb::Process => tooling::processes(clause, found),
        Verb::Target => project::targets(clause, found),
        Verb::Launch => project::launches(clause, found),
        Verb::Grow => project::grown(clause, found),
        Verb::Have => project::counts(clause, clause.rest, found),
        Verb::Cost => project::costs(clause, found),
        Verb::Come => world::came(clause, found),
        Verb::Skew => own::skews(clause, found),
        Verb::Tend => own::tends(clause, found),
        Verb::Be => being::is(clause, found),
        Verb::Was => being::was(clause, found),
    }
}
