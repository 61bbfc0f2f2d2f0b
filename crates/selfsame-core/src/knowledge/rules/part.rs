//! A long sentence taken part by part. People put into one sentence what is so, what they want and what they ask; each part
//! is judged by itself whether it is said, so that a question at the end does not take back the number before it.

use super::lexicon::{is_hedge, is_opener};
use super::line::Line;
use crate::knowledge::vocabulary::Vocabulary;
use std::ops::Range;

/// Some words of a sentence between two joints.
pub(super) struct Part<'c, 't> {
    pub(super) line: &'c Line<'t>,
    pub(super) words: Range<usize>,
    /// Whether it is told, rather than asked or supposed.
    pub(super) told: bool,
}

impl Part<'_, '_> {
    pub(super) fn word(&self, at: usize) -> &str {
        if self.words.contains(&at) { self.line.word(at) } else { "" }
    }

    /// Whether nothing before this word makes it a wish, a guess or a plan.
    pub(super) fn is_plain_until(&self, at: usize) -> bool {
        self.told && !(self.words.start..at).any(|place| is_hedge(self.line.word(place)))
    }

    /// The first word that says something.
    pub(super) fn start(&self) -> usize {
        past_openers(self.line, &self.words)
    }
}

/// What the sentence is doing at a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    Telling,
    Asking,
    Supposing,
}

/// The parts of a sentence. A sentence that asks, without a part that can be seen to ask, asks as a whole.
pub(super) fn parts<'c, 't>(line: &'c Line<'t>, asks: bool) -> Vec<Part<'c, 't>> {
    let mut found = Vec::new();
    let mut doing = Doing::Telling;
    let mut asked = false;
    let mut from = 0;
    while from < line.len() {
        let end = joint(line, from);
        let words = from..end;
        doing = next(line, &words, doing);
        asked |= doing == Doing::Asking;
        found.push(Part { line, words, told: doing == Doing::Telling });
        from = end;
    }
    if asks && !asked {
        found.clear();
    }
    found
}

/// Where the part that begins here ends.
fn joint(line: &Line, from: usize) -> usize {
    let mut at = from;
    loop {
        if line.ends_at(at) && !is_within_date(line, at) || joins(line, at + 1) {
            return (at + 1).min(line.len());
        }
        at += 1;
    }
}

/// The marks of "April 5, 2024" and "10:30" part nothing.
fn is_within_date(line: &Line, at: usize) -> bool {
    line.is_number(at) && line.is_number(at + 1) && (line.word(at + 1).len() == 4 || line.is_clock(at))
}

static JOINTS: Vocabulary = Vocabulary::of(
    "and but so because since while although though whereas considering given especially which if unless \
     however",
);

fn joins(line: &Line, at: usize) -> bool {
    JOINTS.contains(line.word(at))
}

fn past_openers(line: &Line, words: &Range<usize>) -> usize {
    let mut at = words.start;
    while at < words.end && (is_opener(line.word(at)) || is_filler(line.word(at))) {
        at += 1;
    }
    at
}

fn is_filler(word: &str) -> bool {
    matches!(word, "hmm" | "then" | "plus" | "great" | "sure" | "first" | "though" | "again")
}

fn next(line: &Line, words: &Range<usize>, before: Doing) -> Doing {
    let first = line.word(words.start);
    let start = past_openers(line, words);
    if supposes(line.word(start)) || supposes(first) {
        return Doing::Supposing;
    }
    if asks(line, start) {
        return Doing::Asking;
    }
    match before {
        Doing::Telling => Doing::Telling,
        // "..., but my budget is 400 now": a turn.
        _ if matches!(first, "but" | "however") => Doing::Telling,
        // "can you help, considering that I've read 12 books": given as a reason, it is so.
        Doing::Asking if gives_reason(first) || begins_anew(line, words.start) => Doing::Telling,
        doing => doing,
    }
}

static SUPPOSING: Vocabulary = Vocabulary::of(
    "if unless suppose supposing imagine assume assuming pretend whether once until hypothetically when \
     whenever provided",
);

fn supposes(word: &str) -> bool {
    SUPPOSING.contains(word)
}

fn gives_reason(word: &str) -> bool {
    matches!(word, "considering" | "given" | "since" | "because" | "especially")
}

/// After a mark somebody speaks of themselves again: "can you help me, I've read 12 of 20".
fn begins_anew(line: &Line, at: usize) -> bool {
    matches!(line.word(at), "i" | "we" | "my" | "our") && at > 0 && line.ends_at(at - 1)
}

static ASKING: Vocabulary =
    Vocabulary::of("can could would will should shall do does did is are am was were have has had may might");

static WANTING: Vocabulary = Vocabulary::of(
    "what what's how why where who whom whose please help tell show explain give suggest provide let",
);

/// "can you", "is it", "how", "please": what follows is asked for.
fn asks(line: &Line, at: usize) -> bool {
    let turned = || {
        matches!(
            line.word(at + 1),
            "i" | "you" | "we" | "it" | "there" | "this" | "that" | "the" | "my" | "they"
        )
    };
    WANTING.contains(line.word(at)) || ASKING.contains(line.word(at)) && turned()
}
