//! A sentence as the rules see it: contractions taken apart, names with points kept whole.

use crate::sentence::{Sentence, Token};
use std::ops::Range;

/// A sentence, word by word.
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    words: Vec<Token>,
}

impl<'t> Line<'t> {
    pub(super) fn of(sentence: Sentence<'t>) -> Line<'t> {
        let mut words: Vec<Token> = Vec::with_capacity(sentence.tokens.len() + 4);
        for token in sentence.tokens {
            match words.last_mut() {
                Some(last) if is_glued(&sentence.text[last.end..token.start], last, &token) => {
                    last.word.push_str(&sentence.text[last.end..token.start]);
                    last.word.push_str(&token.word);
                    last.end = token.end;
                }
                _ => push_apart(token, &mut words),
            }
        }
        Line { text: sentence.text, words }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The word at a place, in lower case; nothing beyond the end.
    pub(super) fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.word.as_str())
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| word.word.as_str())
    }

    /// Whether a word is written as names are.
    pub(super) fn is_capital(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| {
            let mut written = self.text[word.start..word.end].chars();
            written.clone().next().is_some_and(char::is_uppercase)
                || written.nth(1).is_some_and(char::is_uppercase)
        })
    }

    pub(super) fn is_number(&self, at: usize) -> bool {
        self.word(at).starts_with(|c: char| c.is_ascii_digit())
    }

    /// Whether this word and the next are an hour and its minutes: "10:30".
    pub(super) fn is_clock(&self, at: usize) -> bool {
        let (Some(hour), Some(minutes)) = (self.words.get(at), self.words.get(at + 1)) else { return false };
        self.is_number(at) && &self.text[hour.end.min(minutes.start)..minutes.start] == ":"
    }

    /// Whether a sign of money stands before this number.
    pub(super) fn is_money(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| self.text[..word.start].ends_with(['$', '€', '£']))
    }

    /// Whether a percent sign follows this number.
    pub(super) fn has_percent(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| self.text[word.end..].trim_start().starts_with('%'))
    }

    /// Whether something ends with this word: the sentence, or a part of it that a mark closes.
    pub(super) fn ends_at(&self, at: usize) -> bool {
        let Some(next) = self.words.get(at + 1) else { return true };
        let marks = &self.text[self.words[at].end.min(next.start)..next.start];
        marks.contains([',', ';', ':', '(', ')', '—', '–', '!', '.', '…']) || marks.contains(" - ")
    }

    /// These words as written, with the signs that belong to them: "C++", ".NET", "$40".
    pub(super) fn written(&self, range: Range<usize>) -> &'t str {
        let (Some(first), Some(last)) =
            (self.words.get(range.start), self.words.get(range.end.wrapping_sub(1)))
        else {
            return "";
        };
        let before = self.text[..first.start].trim_end_matches(['.', '$', '€', '£', '@', '#']);
        let opens = before.is_empty() || before.ends_with(char::is_whitespace);
        let start = if opens { before.len() } else { first.start };
        let after = self.text[last.end..].trim_start_matches(['+', '#', '%', '°', '€', '$', '£']);
        &self.text[start..self.text.len() - after.len()]
    }
}

/// "next" and "js" with only a point between them, or two halves of a number.
fn is_glued(between: &str, last: &Token, token: &Token) -> bool {
    let digits = || {
        last.word.ends_with(|c: char| c.is_ascii_digit())
            && token.word.starts_with(|c: char| c.is_ascii_digit())
    };
    between == "." || (between == "," && digits())
}

/// A word, or the two words that a contraction stands for.
fn push_apart(token: Token, words: &mut Vec<Token>) {
    let Some((first, second)) = apart(&token.word) else {
        words.push(token);
        return;
    };
    for word in [first, second] {
        words.push(Token { word: word.to_owned(), start: token.start, end: token.end });
    }
}

fn apart(word: &str) -> Option<(&str, &str)> {
    Some(match word {
        "i'm" => ("i", "am"),
        "i've" => ("i", "have"),
        "we're" => ("we", "are"),
        "we've" => ("we", "have"),
        "don't" | "dont" => ("do", "not"),
        "doesn't" | "doesnt" => ("does", "not"),
        "isn't" => ("is", "not"),
        "aren't" => ("are", "not"),
        "can't" | "cannot" => ("can", "not"),
        "hasn't" => ("has", "not"),
        "haven't" => ("have", "not"),
        _ => return None,
    })
}
