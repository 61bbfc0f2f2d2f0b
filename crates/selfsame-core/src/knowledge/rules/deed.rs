//! What somebody has done, and what they have never done: the two are at odds.

use super::clause::{Answer, reading};
use super::lexicon::{is_adverb, is_pointer};
use super::line::Line;
use super::measured::speaker;
use super::part::Part;
use super::thing::{Owner, Thing, is_article};
use crate::knowledge::claim::{Reading, Says};
use crate::knowledge::slot::{self, Family};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What is believed of somebody who did something, and of somebody who never did.
const DONE: &str = "done";
const NEVER: &str = "never";

/// What a long sentence says of deeds.
pub(super) fn read(line: &Line, parts: &[Part], found: &mut Vec<Reading>) {
    for part in parts {
        for at in part.words.clone() {
            if matches!(line.word(at), "i" | "we") && part.is_plain_until(at) {
                found.extend(deed(line, part, at));
            }
        }
    }
}

fn deed(line: &Line, part: &Part, subject: usize) -> Option<Reading> {
    let mut at = subject + 1;
    let (mut perfect, mut never) = (false, false);
    loop {
        match part.word(at) {
            "have" => perfect = true,
            "never" => never = true,
            word if is_adverb(word) || word == "successfully" => {}
            _ => break,
        }
        at += 1;
    }
    let verb = part.word(at);
    let act = act(verb).filter(|_| perfect || !is_ambiguous(verb))?;
    let set_up = verb == "set" && part.word(at + 1) == "up";
    let first = at + 1 + usize::from(set_up);
    let thing = Thing::from(line, first, part.words.end).filter(|_| is_object(part, first))?;
    if !is_telling(line, &thing) || (verb == "set") != set_up {
        return None;
    }
    let (family, value) = if never { (Family::Never, NEVER) } else { (Family::Done, DONE) };
    let sentence = line.written(subject..part.words.end);
    Some(reading_of(line, family, &format!("{act}_{}", thing.name()), value, sentence))
}

/// Who has a score in something has done it: "my accuracy in probability problems".
pub(super) fn behind_result(line: &Line, thing: &Thing, sentence: &str) -> Option<Reading> {
    let result = matches!(thing.head.as_str(), "accuracy" | "score" | "grade");
    let of: Vec<&str> = thing.words.iter().filter(|word| **word != thing.head).map(String::as_str).collect();
    let told = result && thing.owner == Owner::Speaker && of.len() > 1;
    told.then(|| reading_of(line, Family::Done, &format!("do_{}", of.join("_")), DONE, sentence))
}

fn reading_of(line: &Line, family: Family, deed: &str, value: &str, sentence: &str) -> Reading {
    let slot = slot::in_family(family, deed);
    let answer = Answer { slot: &slot, value, says: Says::Holds, replaces: None };
    Reading { sentence: sentence.to_owned(), ..reading(line, &speaker(), &answer) }
}

/// Whether an object begins here, and not a pronoun or a clause.
fn is_object(part: &Part, at: usize) -> bool {
    let noun_follows = is_article(part.word(at)) && !matches!(part.word(at + 1), "" | "is" | "to" | "of");
    noun_follows
        || !is_pointer(part.word(at)) && !matches!(part.word(at), "to" | "with" | "in" | "on" | "at" | "for")
}

/// Whether the words tell what was done: a name, or two words. The first half of "permutation or combination problems"
/// does not.
fn is_telling(line: &Line, thing: &Thing) -> bool {
    let named = thing.words.len() > 1 || (thing.start..thing.end).any(|at| line.is_capital(at));
    let halved = matches!(line.word(thing.end), "and" | "or") && !line.ends_at(thing.end - 1);
    named && (!halved || thing.is_plural() || line.is_capital(thing.end - 1))
}

/// The past of these means something else as well, or is as the present.
fn is_ambiguous(word: &str) -> bool {
    matches!(word, "used" | "read" | "set" | "run" | "had")
}

/// Verbs that are told of one deed: who built something has made it.
const ACTS: &[(&str, &str)] = &[
    ("make", "written wrote implemented built created developed designed coded set drafted composed"),
    ("use", "used integrated installed configured applied adopted"),
    ("ship", "deployed launched released published shipped"),
    ("do", "completed finished solved practiced practised attempted done studied taken took exercised"),
    ("mend", "fixed debugged resolved repaired"),
    ("test", "tested verified reviewed audited"),
    ("meet", "met interviewed"),
    ("visit", "visited attended joined"),
    ("get", "obtained bought acquired received purchased"),
    ("give", "submitted sent delivered presented"),
    ("hire", "hired employed"),
    ("read", "read"),
    ("sign", "signed negotiated"),
    ("sell", "sold"),
    ("lead", "led managed organized organised"),
];

static BY_VERB: LazyLock<BTreeMap<&'static str, &'static str>> = LazyLock::new(|| {
    ACTS.iter().flat_map(|(act, verbs)| verbs.split(' ').map(|verb| (verb, *act))).collect()
});

/// What somebody did, by the verb that they tell it with.
fn act(verb: &str) -> Option<&'static str> {
    BY_VERB.get(verb).copied()
}
