//! What is measured, counted or done: the words of a thing, so that two wordings of it give one name.

use super::lexicon::{is_adverb, is_hedge};
use super::line::Line;
use crate::knowledge::vocabulary::Vocabulary;
use std::ops::Range;

/// Words that are looked at on the way back from a verb.
const FARTHEST: usize = 12;
/// Words in the name of a thing, at most.
const LONGEST: usize = 6;

/// Whose a thing is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// "my budget".
    Speaker,
    /// "the budget", "a budget", "budget".
    Nobody,
}

/// A thing that something is said of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Thing {
    /// Its words, without those that only grade.
    pub(super) words: Vec<String>,
    /// The word that says what it is: "coverage" in "test coverage for my module".
    pub(super) head: String,
    pub(super) owner: Owner,
    /// Whether it is one of several that might be: "a deadline".
    pub(super) is_any: bool,
    /// Where its words begin and end.
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Thing {
    /// The thing whose words end before `end`, none of them before `floor`.
    pub(super) fn before(line: &Line, floor: usize, end: usize) -> Option<Thing> {
        let end = (floor..end).rev().find(|at| !is_adverb(line.word(*at))).map_or(floor, |at| at + 1);
        let mut start = end;
        let mut seen_article = false;
        while start > floor.max(end.saturating_sub(FARTHEST)) {
            let word = line.word(start - 1);
            // What stands before an article belongs to it only through a preposition.
            let linked = !seen_article || is_link(word);
            if ends_going_back(line, start - 1) || !linked {
                break;
            }
            seen_article = is_article(word);
            start -= 1;
        }
        while start < end && is_link(line.word(start)) {
            start += 1;
        }
        Thing::of(line, start..end)
    }

    /// The thing that begins here: up to a word that no longer belongs to it, a place or a time among them.
    pub(super) fn from(line: &Line, start: usize, stop: usize) -> Option<Thing> {
        let place = (start..stop).find(|at| match line.word(*at) {
            "in" | "on" | "at" | "into" | "per" => true,
            // "with Flask" belongs to it, "with an accuracy of 90%" is how it went.
            "with" => line.is_number(at + 1) || matches!(line.word(at + 1), "a" | "an"),
            _ => false,
        });
        Thing::with_place(line, start, place.unwrap_or(stop))
    }

    /// The thing that begins here, and what it is in or on: "test coverage on my module".
    pub(super) fn with_place(line: &Line, start: usize, stop: usize) -> Option<Thing> {
        let stops = |at: usize| ends_going_on(line, at, start) || (at > start && line.ends_at(at - 1));
        let end = (start..stop).find(|at| stops(*at)).unwrap_or(stop);
        Thing::of(line, start..end)
    }

    /// The thing that these words name.
    fn of(line: &Line, words: Range<usize>) -> Option<Thing> {
        let start = without_measure(line, words.clone());
        let named: Vec<usize> = (start..words.end).filter(|at| names(line, *at)).collect();
        let first = (start..words.end).find(|at| *at > start && is_link(line.word(*at))).unwrap_or(words.end);
        let head = named.iter().copied().rfind(|at| *at < first && !is_participle(line.word(*at)))?;
        let theirs = words.clone().any(|at| belongs_to_others(line.word(at)));
        if theirs || named.len() > LONGEST {
            return None;
        }
        let mine = words.clone().any(|at| matches!(line.word(at), "my" | "our"));
        Some(Thing {
            words: named.iter().map(|at| line.word(*at).to_owned()).collect(),
            head: line.word(head).to_owned(),
            owner: if mine { Owner::Speaker } else { Owner::Nobody },
            is_any: matches!(line.word(words.start), "a" | "an"),
            start: words.start,
            end: words.end,
        })
    }

    /// Its words as part of a slot.
    pub(super) fn name(&self) -> String {
        self.words.join("_")
    }

    /// Whether there are several of it: what has a number then is how many.
    pub(super) fn is_plural(&self) -> bool {
        self.head.ends_with('s') && !self.head.ends_with("ss") && !self.head.ends_with("us")
    }
}

/// "the number of", "the growth of": what is measured comes after it.
fn without_measure(line: &Line, words: Range<usize>) -> usize {
    let measure = |at: &usize| {
        matches!(line.word(*at), "number" | "amount" | "growth" | "count" | "total" | "increase")
            && line.word(at + 1) == "of"
    };
    words.clone().find(measure).map_or(words.start, |at| at + 2)
}

fn names(line: &Line, at: usize) -> bool {
    let word = line.word(at);
    !is_article(word)
        && !is_link(word)
        && !is_grade(word)
        && !is_adverb(word)
        && !line.is_number(at)
        && word != "to"
        && word.starts_with(|c: char| c.is_alphabetic())
        && !is_version(word)
}

/// "v2.5".
fn is_version(word: &str) -> bool {
    word.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

pub(super) fn is_article(word: &str) -> bool {
    matches!(
        word,
        "the" | "my" | "our" | "a" | "an" | "its" | "any" | "some" | "this" | "all" | "these" | "both"
    )
}

fn belongs_to_others(word: &str) -> bool {
    matches!(word, "his" | "her" | "their" | "your" | "whose") || word.ends_with("'s")
}

fn is_link(word: &str) -> bool {
    matches!(
        word,
        "of" | "for" | "in" | "on" | "into" | "at" | "with" | "per" | "within" | "related" | "involving"
    )
}

fn is_participle(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed")
}

static GRADES: Vocabulary = Vocabulary::of(
    "current new recent updated latest overall average total own main initial original previous old actual \
     following further additional estimated basic simple whole entire improved certain specific \
     consistent few several more other related multiple different various",
);

fn is_grade(word: &str) -> bool {
    GRADES.contains(word)
}

static BREAKS: Vocabulary = Vocabulary::of(
    "i we you he she they it that which who this what how why when where is are was were be been being am has \
     have had do does did not never to and or but so because since if as than by from about after before such like can \
     understand see know keep make get improve reduce increase track calculate reflect update",
);

fn ends_going_back(line: &Line, at: usize) -> bool {
    let word = line.word(at);
    let gerund = word.len() > 4 && word.ends_with("ing") && (is_article(line.word(at + 1)));
    BREAKS.contains(word) || is_hedge(word) || gerund || line.is_number(at) || line.has_percent(at)
}

fn ends_going_on(line: &Line, at: usize, start: usize) -> bool {
    let word = line.word(at);
    let related = word == "to" && line.word(at.wrapping_sub(1)) == "related";
    (BREAKS.contains(word) && !related && !(at == start && word == "this")) || ENDS.contains(word)
}

static ENDS: Vocabulary = Vocabulary::of(
    "using while through via until yet within without over down up during against above below under yesterday today tomorrow tonight last earlier ago next",
);
