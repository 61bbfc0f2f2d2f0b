//! What must survive every folding word by word: promises, names, dates, numbers.
//!
//! A summary of a summary of a summary forgets, whoever writes it. So what must not be forgotten is no part of the prose:
//! sentences are chosen by rules, kept as they were said, and every next summary has all that the one before had. The list
//! only grows, up to a bound. When it is full, a promise or a name takes the place of a plain number, the youngest first; what
//! has no place stays in the archive and in the prose alone, and is counted.

use crate::fence;
use crate::sentence::{Sentence, sentences};
use crate::text::words;
use crate::time::civil::Date;
use crate::when::mentions;
use std::collections::BTreeSet;

/// Bytes of a sentence that may be carried on for ever.
const LONGEST: usize = 400;
/// Words of a sentence that says anything.
const SHORTEST: usize = 3;

/// Something that was said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Said<'t> {
    /// On which day.
    pub on: Date,
    /// By whom.
    pub who: &'t str,
    /// The words.
    pub text: &'t str,
}

/// What is carried on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Carried {
    /// Each with its day and who said it, the oldest first.
    pub facts: Vec<String>,
    /// How many more there were than the list takes.
    pub left_out: usize,
}

/// Why a sentence is carried on; the first reason that holds is the one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reason {
    Promise,
    Name,
    Date,
    Number,
}

/// What a fact weighs where there is no room for all: the least goes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Weight {
    /// Carried before, for more than a number: it stays.
    Kept,
    NewPromise,
    NewName,
    /// Carried before, and a plain number.
    KeptNumber,
    New,
    NewNumber,
}

impl Weight {
    fn of_new(reason: Option<Reason>) -> Weight {
        match reason {
            Some(Reason::Promise) => Weight::NewPromise,
            Some(Reason::Name) => Weight::NewName,
            Some(Reason::Date) | None => Weight::New,
            Some(Reason::Number) => Weight::NewNumber,
        }
    }

    /// Of what is on the list already. Only what we chose ourselves can be no more than a number to us.
    fn of_kept(fact: &str) -> Weight {
        let nothing = Known::of(&[]);
        let ours = fact.split_once(' ').and_then(|(day, rest)| Some((day.parse::<Date>().ok()?, rest)));
        let said = ours.and_then(|(day, rest)| Some((day, rest.split_once(": ")?.1)));
        match said.and_then(|(day, said)| nothing.reason(&Sentence::of(said), day)) {
            Some(Reason::Number) => Weight::KeptNumber,
            _ => Weight::Kept,
        }
    }
}

/// All that was carried so far, and what is new in what was said. At most `most` in all, but never fewer than before.
pub fn carry_on<'t>(before: &[String], said: impl IntoIterator<Item = Said<'t>>, most: usize) -> Carried {
    let mut known = Known::of(before);
    let mut found: Vec<(Weight, String)> = Vec::new();
    for one in said {
        let text = fence::strip(one.text);
        for sentence in sentences(&text).into_iter().map(Sentence::of) {
            if let Some(reason) = known.reason(&sentence, one.on) {
                known.add(sentence.text);
                let who = one.who.replace(':', " ");
                found.push((
                    Weight::of_new(Some(reason)),
                    format!("{} {}: {}", one.on, who.trim(), sentence.text),
                ));
            }
        }
    }
    weightiest(before.to_vec(), found, most)
}

/// Adds what whoever wrote a summary wants to have carried on, as far as it is not and there is room.
pub fn also(carried: Carried, wanted: &[String], most: usize) -> Carried {
    let mut known = Known::of(&carried.facts);
    let mut found: Vec<(Weight, String)> = Vec::new();
    for fact in wanted.iter().map(|fact| fact.trim()).filter(|fact| !fact.is_empty()) {
        if fact.len() > LONGEST || known.has(fact) {
            continue;
        }
        let reason = known.weighs(&Sentence::of(fact));
        known.add(fact);
        found.push((Weight::of_new(reason), fact.to_owned()));
    }
    let all = weightiest(carried.facts, found, most);
    Carried { left_out: carried.left_out + all.left_out, ..all }
}

/// The weightiest of both, of equals the first, in the order they came in.
fn weightiest(before: Vec<String>, found: Vec<(Weight, String)>, most: usize) -> Carried {
    let room = most.max(before.len());
    if before.len() + found.len() <= room {
        let facts = before.into_iter().chain(found.into_iter().map(|(_, fact)| fact)).collect();
        return Carried { facts, left_out: 0 };
    }
    let kept = before.into_iter().map(|fact| (Weight::of_kept(&fact), fact));
    let all: Vec<(Weight, String)> = kept.chain(found).collect();
    let mut places: Vec<usize> = (0..all.len()).collect();
    places.sort_by_key(|place| (all[*place].0, *place));
    let chosen: BTreeSet<usize> = places.into_iter().take(room).collect();
    let left_out = all.len() - chosen.len();
    let facts = all.into_iter().enumerate().filter(|(place, _)| chosen.contains(place));
    Carried { facts: facts.map(|(_, (_, fact))| fact).collect(), left_out }
}

/// What is on the list already.
struct Known {
    sentences: BTreeSet<Vec<String>>,
    names: BTreeSet<String>,
}

impl Known {
    fn of(facts: &[String]) -> Known {
        let mut known = Known { sentences: BTreeSet::new(), names: BTreeSet::new() };
        for fact in facts {
            // Ours begin with a day and a name; what others added does not.
            let said = fact.split_once(": ").map_or(fact.as_str(), |(_, said)| said);
            known.add(said);
            known.sentences.insert(words(fact));
        }
        known
    }

    fn add(&mut self, sentence: &str) {
        self.sentences.insert(words(sentence));
        self.names.extend(words(sentence));
    }

    fn has(&self, sentence: &str) -> bool {
        self.sentences.contains(&words(sentence))
    }

    fn reason(&self, sentence: &Sentence<'_>, on: Date) -> Option<Reason> {
        let fits = sentence.text.len() <= LONGEST && sentence.len() >= SHORTEST;
        if !fits || sentence.asks() || self.has(sentence.text) {
            return None;
        }
        let others = [
            (!mentions(sentence.text, on).is_empty(), Reason::Date),
            (sentence.text.contains(|c: char| c.is_ascii_digit()), Reason::Number),
        ];
        let other = || others.into_iter().find(|(is_so, _)| *is_so).map(|(_, reason)| reason);
        self.weighs(sentence).or_else(other)
    }

    /// Whether it is a promise or a name: what takes the place of a number.
    fn weighs(&self, sentence: &Sentence<'_>) -> Option<Reason> {
        match promises(sentence) {
            true => Some(Reason::Promise),
            false => self.names_anew(sentence).then_some(Reason::Name),
        }
    }

    /// Whether it says what somebody or something is called, or has a name that no sentence on the list has.
    fn names_anew(&self, sentence: &Sentence<'_>) -> bool {
        let introduces =
            ["name is", "named", "called", "surname", "nickname"].iter().any(|cue| sentence.has(cue));
        introduces || (1..sentence.len()).any(|at| self.is_new_name(sentence, at))
    }

    fn is_new_name(&self, sentence: &Sentence<'_>, at: usize) -> bool {
        let word = sentence.word(at);
        let is_name = sentence.is_capital(at) && word.chars().count() > 1 && !word.starts_with("i'");
        is_name && words(word).iter().any(|word| !self.names.contains(word))
    }
}

fn promises(sentence: &Sentence<'_>) -> bool {
    let cues =
        ["promise|promised|swear", "i'll", "i will", "we'll", "we will", "my word", "i owe", "you owe"];
    cues.iter().any(|cue| sentence.has(cue))
}
