//! From a message to candidates: first everything goes that its writer did not say, then each sentence is looked at.

use super::explicit::{Request, request};
use super::rules::{Seen, classify};
use super::{CandidateKind, machine};
use crate::fence;
use crate::memory::MemoryKind;
use crate::sentence::{Sentence, sentences};
use crate::unreal::{is_unreal, sets_task};

/// Candidates of one message, at most: a longer list is a document, not a conversation.
const MOST: usize = 20;
/// Bytes that a sentence may have and still be one thing that somebody said.
const LONGEST: usize = 1_000;
/// Bytes of a message that are looked at.
const LOOKED_AT: usize = 64 * 1024;

/// Something that may be worth remembering.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// What it seems to be.
    pub kind: CandidateKind,
    /// The words, as they were said.
    pub content: String,
    /// How sure the rule is, 0 to 1.
    pub confidence: f64,
    /// The rule.
    pub cue: &'static str,
    /// The type of memory it would be.
    pub memory_kind: MemoryKind,
    /// How much that would matter.
    pub importance: f64,
    /// Whether the writer asked for it to be remembered.
    pub explicit: bool,
}

/// The candidates in a principal's words. Not for the agent's own words, nor for what a tool returned.
pub fn capture(text: &str) -> Vec<Found> {
    let text = without_inline_code(&machine::without_output(&fence::strip(beginning(text))));
    let mut found: Vec<Found> = Vec::new();
    for paragraph in text.split("\n\n") {
        let all: Vec<Sentence> = sentences(paragraph).into_iter().map(Sentence::of).collect();
        for (at, sentence) in all.iter().enumerate() {
            let one = look(sentence, all.get(at + 1));
            // What completes the sentence before it was taken with that one.
            let said = |one: &Found| found.iter().any(|other| other.content.ends_with(&one.content));
            found.extend(one.filter(|one| !said(one)));
            // "Translate this:" is followed by what is to be translated.
            if sets_task(sentence) && sentence.text.ends_with(':') {
                break;
            }
        }
    }
    found.truncate(MOST);
    found
}

fn beginning(text: &str) -> &str {
    let end = (0..=LOOKED_AT.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

fn look(sentence: &Sentence, next: Option<&Sentence>) -> Option<Found> {
    if sentence.text.len() > LONGEST || sentence.text.contains("://") {
        return None;
    }
    if let Some(request) = request(sentence) {
        return Some(asked_for(&request));
    }
    if is_unreal(sentence) {
        return None;
    }
    let seen = classify(sentence)?;
    Some(found(seen.kind, completed(sentence, next, seen), seen.cue, seen.confidence, false))
}

/// What somebody asked to have remembered is what the rules say it is, and a fact if they say nothing.
fn asked_for(request: &Request<'_>) -> Found {
    let kind = classify(&Sentence::of(request.payload)).map_or(CandidateKind::Fact, |seen| seen.kind);
    found(kind, request.payload.trim().to_owned(), request.cue, 1.0, true)
}

/// "That's not right." says nothing alone: what is right comes next.
fn completed(sentence: &Sentence, next: Option<&Sentence>, seen: Seen) -> String {
    let short = seen.kind == CandidateKind::Correction && sentence.len() <= 4;
    match next.filter(|next| short && !next.asks()) {
        Some(next) => format!("{} {}", sentence.text, next.text),
        None => sentence.text.to_owned(),
    }
}

fn found(kind: CandidateKind, content: String, cue: &'static str, confidence: f64, explicit: bool) -> Found {
    Found {
        kind,
        content,
        confidence,
        cue,
        memory_kind: kind.memory_kind(),
        importance: kind.importance(),
        explicit,
    }
}

/// The text without what stands between backticks.
fn without_inline_code(text: &str) -> String {
    let odd = text.matches('`').count() % 2 == 1;
    let parts = text.split('`').enumerate().filter(|(at, _)| odd || at % 2 == 0).map(|(_, part)| part);
    parts.collect::<Vec<_>>().join(" ")
}
