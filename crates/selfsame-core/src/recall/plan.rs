//! The first stage: what the question asks for.

use super::fillers::is_filler;
use super::indexed::said_in;
use super::phrase::{Phrases, quoted};
use crate::entity::{Candidate, named};
use crate::id::EntityId;
use crate::text;
use crate::time::civil::Date;
use crate::when::{self, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Words beyond these are dropped: a pasted page is no better a question than its first words.
pub const MAX_WORDS: usize = 64;

/// A question, read.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan {
    /// What is looked up in the index, each once, in order of first appearance.
    pub words: Vec<Word>,
    /// The days that it speaks of.
    pub days: Vec<Span>,
    /// Whom it names, of those who are known.
    pub people: BTreeSet<EntityId>,
    /// How many of them have the one name that is in it; 0 if there is none, or more than one.
    pub named_once: usize,
    /// It asks for a time.
    pub asks_when: bool,
    /// Which of its words belong together.
    pub phrases: Phrases,
}

/// A term of the index that is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// As it is indexed.
    pub term: String,
    /// What it is in the question.
    pub role: Role,
    /// Which thing that is asked for it belongs to: a day is looked up by several terms, of which one suffices.
    pub thing: usize,
    /// Written as a name is.
    pub proper: bool,
}

/// What a word is in a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// What is asked for.
    Content,
    /// A name of somebody who is known.
    Name,
    /// A day, month or year that a text speaks of.
    Day,
    /// One on which it was said.
    SaidOn,
}

impl Role {
    /// Whether it is looked for as a day and not as a word.
    pub const fn is_day(self) -> bool {
        matches!(self, Role::Day | Role::SaidOn)
    }
}

/// Who is known by which name, as far as a question can mean them.
pub type Known = BTreeMap<String, Vec<EntityId>>;

/// Reads a question that somebody asks on a day: whoever says *I* speaks of themselves.
pub fn plan(
    question: &str,
    today: Date,
    asker: Option<EntityId>,
    candidates: &[Candidate],
    known: &Known,
) -> Plan {
    let mentions = when::mentions(question, today);
    let names: BTreeSet<&str> = named(candidates, known).into_iter().collect();
    let named: BTreeSet<EntityId> = names.iter().flat_map(|name| known[*name].iter().copied()).collect();
    let own = asker.filter(|_| speaks_of_oneself(question));
    let mut plan = Plan {
        words: Vec::new(),
        days: mentions.iter().map(|mention| mention.span).collect(),
        named_once: if names.len() == 1 { named.len() } else { 0 },
        people: named.into_iter().chain(own).collect(),
        asks_when: asks_when(question),
        phrases: Phrases::default(),
    };
    let name_terms: BTreeSet<String> = names.iter().flat_map(|name| text::terms(name)).collect();
    let terms = text::terms(&blanked(question, mentions.into_iter().map(|mention| mention.words)));
    plan.add_words(&terms, &name_terms, &proper_terms(question), &quoted_fillers(question));
    plan.phrases = Phrases::of(question, &terms, |term| plan.place_of(term));
    plan.add_days(terms.len());
    plan
}

/// The words of a question as they are indexed, each once: for layers that are searched by words alone.
pub fn words_of(question: &str) -> Vec<String> {
    let mut plan = Plan::default();
    for (thing, term) in text::terms(question).into_iter().enumerate() {
        plan.add(Word { term, role: Role::Content, thing, proper: false });
    }
    plan.words.into_iter().map(|word| word.term).collect()
}

impl Plan {
    /// Whether it asks how things were or when they happened, and not how they are.
    pub fn looks_back(&self, today: Date) -> bool {
        self.asks_when || self.days.iter().any(|span| span.last < today)
    }

    /// Adds what is asked for, without fillers unless there is nothing else, in the question or in a quote.
    fn add_words(
        &mut self,
        terms: &[String],
        names: &BTreeSet<String>,
        proper: &BTreeSet<String>,
        quoted: &BTreeSet<String>,
    ) {
        let says_something =
            |term: &String| names.contains(term) || quoted.contains(term) || !is_filler(term);
        let keeps_fillers = self.days.is_empty() && !terms.iter().any(says_something);
        for (thing, term) in terms.iter().enumerate() {
            if keeps_fillers || says_something(term) {
                let role = if names.contains(term) { Role::Name } else { Role::Content };
                let proper = proper.contains(term);
                self.add(Word { term: term.clone(), role, thing, proper });
            }
        }
    }

    /// Adds the days, one thing each: what a text speaks of, and when it was said.
    fn add_days(&mut self, first_thing: usize) {
        for (number, span) in self.days.clone().iter().enumerate() {
            let day = |term, role| Word { term, role, thing: first_thing + number, proper: false };
            when::lookup_terms(span).into_iter().for_each(|term| self.add(day(term, Role::Day)));
            said_in(span).into_iter().for_each(|term| self.add(day(term, Role::SaidOn)));
        }
    }

    fn add(&mut self, word: Word) {
        if self.words.len() < MAX_WORDS && self.words.iter().all(|known| known.term != word.term) {
            self.words.push(word);
        }
    }

    /// Which of the words a term is, if it is one.
    pub fn place_of(&self, term: &str) -> Option<usize> {
        self.words.iter().position(|word| word.term == term)
    }

    /// The words by the thing they stand for, in the order of [`Plan::words`].
    pub fn things(&self) -> impl Iterator<Item = &[Word]> {
        self.words.chunk_by(|a, b| a.thing == b.thing)
    }
}

/// The terms of what is written as names are, but for the first word, which always is.
fn proper_terms(question: &str) -> BTreeSet<String> {
    let written = question.split_whitespace().skip(1).filter(|word| word.starts_with(char::is_uppercase));
    written.flat_map(text::terms).filter(|term| !is_filler(term)).collect()
}

/// The terms of what is quoted and made of fillers alone: *The Who* is then what is asked for.
fn quoted_fillers(question: &str) -> BTreeSet<String> {
    let quotes = quoted(question).into_iter().map(text::terms);
    quotes.filter(|terms| terms.iter().all(|term| is_filler(term))).flatten().collect()
}

/// The question with blanks where days are written: they are looked for as days, not as words.
fn blanked(question: &str, ranges: impl Iterator<Item = std::ops::Range<usize>>) -> String {
    let mut text = question.to_owned();
    for range in ranges {
        text.replace_range(range.clone(), &" ".repeat(range.len()));
    }
    text
}

/// Whether *I* is the one who asks: "what did I say?", but not "how do I boil an egg?" or "tell me about eggs", which
/// anybody may ask. Of the short forms only those count that are no other word without their apostrophe.
pub fn speaks_of_oneself(question: &str) -> bool {
    let words = text::words(question);
    let is = |at: Option<usize>, known: &[&str]| {
        at.and_then(|at| words.get(at)).is_some_and(|word| known.contains(&word.as_str()))
    };
    words.iter().enumerate().any(|(at, word)| {
        let (before, second_before) = (at.checked_sub(1), at.checked_sub(2));
        match word.as_str() {
            "my" | "mine" | "myself" | "our" | "ours" | "im" | "ive" | "weve" => true,
            "me" | "us" => {
                let is_request = at == 1 || is(second_before, &["please", "you"]);
                !(is_request && is(before, &["tell", "show", "give", "remind"]))
            }
            "i" | "we" => {
                let asks_how = is(before, &["do"]) && is(second_before, &["how"]);
                !asks_how && !is(before, &["can", "could", "should", "may", "might"])
            }
            _ => false,
        }
    })
}

/// Whether a time is what it asks for.
fn asks_when(question: &str) -> bool {
    let words = text::words(question);
    let pair = |first: &str, seconds: &[&str]| {
        words.windows(2).any(|pair| pair[0] == first && seconds.contains(&pair[1].as_str()))
    };
    words.iter().any(|word| word == "when")
        || pair("how", &["long"])
        || pair("what", &["date", "day", "month", "time", "year"])
        || pair("which", &["date", "day", "month", "year"])
}

/// Which words to look up, rarest first, until `budget` postings are read; the others are too common to say anything.
///
/// The rarest word is always taken: a question of one common word must still find something.
pub fn spend<'a>(frequencies: &[(&'a str, u64)], budget: u64) -> Vec<&'a str> {
    let mut by_rarity: Vec<_> = frequencies.iter().filter(|(_, df)| *df > 0).collect();
    by_rarity.sort_by_key(|(term, df)| (*df, *term));
    let mut left = budget;
    let mut taken = Vec::new();
    for (term, df) in by_rarity {
        if taken.is_empty() || *df <= left {
            left = left.saturating_sub(*df);
            taken.push(*term);
        }
    }
    taken
}
