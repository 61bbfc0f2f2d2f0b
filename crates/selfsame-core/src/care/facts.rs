//! What must survive every folding word by word: promises, names, dates, numbers.
//!
//! A summary of a summary of a summary forgets, whoever writes it. So what must not be forgotten is no part of the prose:
//! sentences are chosen by rules, kept as they were said, and every next summary has all that the one before had. The list
//! only grows, up to a bound; what comes when it is full stays in the archive and in the prose alone.

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

/// Why a sentence is carried on; the first reason weighs most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Reason {
    Promise,
    Name,
    Date,
    Number,
}

/// All that was carried so far, and what is new in what was said. At most `most` in all, but never fewer than before.
pub fn carry_on<'t>(before: &[String], said: impl IntoIterator<Item = Said<'t>>, most: usize) -> Carried {
    let mut known = Known::of(before);
    let mut found: Vec<(Reason, String)> = Vec::new();
    for one in said {
        let text = fence::strip(one.text);
        for sentence in sentences(&text).into_iter().map(Sentence::of) {
            if let Some(reason) = known.reason(&sentence, one.on) {
                known.add(sentence.text);
                let who = one.who.replace(':', " ");
                found.push((reason, format!("{} {}: {}", one.on, who.trim(), sentence.text)));
            }
        }
    }
    let room = most.saturating_sub(before.len());
    let chosen = weightiest(&found, room);
    let left_out = found.len() - chosen.len();
    let new = found.into_iter().enumerate().filter(|(place, _)| chosen.contains(place));
    let facts = before.iter().cloned().chain(new.map(|(_, (_, fact))| fact)).collect();
    Carried { facts, left_out }
}

/// Adds what whoever wrote a summary wants to have carried on, as far as it is not and there is room.
pub fn also(mut carried: Carried, wanted: &[String], most: usize) -> Carried {
    let mut known = Known::of(&carried.facts);
    for fact in wanted.iter().map(|fact| fact.trim()).filter(|fact| !fact.is_empty()) {
        if fact.len() > LONGEST || known.has(fact) {
            continue;
        }
        known.add(fact);
        match carried.facts.len() < most {
            true => carried.facts.push(fact.to_owned()),
            false => carried.left_out += 1,
        }
    }
    carried
}

/// The places of the weightiest, of equals the first.
fn weightiest(found: &[(Reason, String)], room: usize) -> BTreeSet<usize> {
    let mut places: Vec<usize> = (0..found.len()).collect();
    places.sort_by_key(|place| (found[*place].0, *place));
    places.into_iter().take(room).collect()
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
        let reasons = [
            (promises(sentence), Reason::Promise),
            (self.names_anew(sentence), Reason::Name),
            (!mentions(sentence.text, on).is_empty(), Reason::Date),
            (sentence.text.contains(|c: char| c.is_ascii_digit()), Reason::Number),
        ];
        reasons.into_iter().find(|(is_so, _)| *is_so).map(|(_, reason)| reason)
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
