//! Whom and what an agent knows: kinds, names, and which names a text mentions.
//!
//! A name is looked up by its [`name_key`], in which case, accents and width make no difference. Whether a text mentions
//! somebody is decided by the same keys, and only where it is written as a name: "will" is no mention of Will.
//! Which entity has which name is the store's to know.

use crate::id::EntityId;
use crate::text::{fold, is_unspaced};
use crate::word::words;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Bytes in a name or alias, at most.
pub const MAX_NAME_BYTES: usize = 256;
/// Names of one entity that can be given at once.
pub const MAX_ALIASES: usize = 32;
/// Bytes in a profile, at most.
pub const MAX_PROFILE_BYTES: usize = 16 * 1024;
/// Rows that a profile can name as its sources.
pub const MAX_PROFILE_SOURCES: usize = 256;

/// Words in a name that is looked for in a text, at most.
const MAX_NAME_WORDS: usize = 4;
/// Possible names that are looked up for one text, at most: the first ones.
const MAX_CANDIDATES: usize = 2000;

words! {
    /// What an entity is.
    EntityKind, "kind of entity":
    /// A human being.
    Person = "person",
    /// A company, team or club.
    Organization = "organization",
    /// Something that people work on.
    Project = "project",
    /// Something that people work with.
    Tool = "tool",
    /// Where things are.
    Place = "place",
    /// Another agent.
    Agent = "agent",
}

/// What a name is looked up by: case, accents and width folded, words joined by one blank, not stemmed. Never empty for
/// a name that may be stored.
pub fn name_key(name: &str) -> String {
    let folded = fold(name);
    let words: Vec<&str> =
        folded.split(is_break).map(without_edges).filter(|word| !word.is_empty()).collect();
    match words.is_empty() {
        false => words.join(" "),
        // A name of signs alone, such as "!!!": it is itself.
        true => name.trim().to_owned(),
    }
}

/// Something in a text that might be a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// What to look it up by.
    pub key: String,
    /// Which words of the text it is made of.
    words: Range<usize>,
}

/// What might be a name in a text: one to four words of which the first is written with a capital, or in a script that
/// has none. Scripts that do not part words by blanks are parted where the script changes. The first 2,000 are given.
pub fn candidate_names(text: &str) -> Vec<Candidate> {
    let words = words_of(text);
    let mut found = Vec::new();
    for first in (0..words.len()).filter(|first| words[*first].may_begin) {
        for end in first + 1..=words.len().min(first + MAX_NAME_WORDS) {
            add_candidates(&words, first..end, &mut found);
            if found.len() >= MAX_CANDIDATES {
                found.truncate(MAX_CANDIDATES);
                return found;
            }
        }
    }
    found
}

/// Who is mentioned, each once: the longest names first, so that "New York City" is not also York.
pub fn mentioned(candidates: &[Candidate], known: &BTreeMap<String, Vec<EntityId>>) -> Vec<EntityId> {
    let entities: BTreeSet<EntityId> =
        named(candidates, known).into_iter().flat_map(|key| known[key].iter().copied()).collect();
    entities.into_iter().collect()
}

/// By which of the known names, the longest first.
pub fn named<'c>(candidates: &'c [Candidate], known: &BTreeMap<String, Vec<EntityId>>) -> Vec<&'c str> {
    let mut hits: Vec<&Candidate> =
        candidates.iter().filter(|candidate| known.contains_key(&candidate.key)).collect();
    hits.sort_by_key(|hit| (std::cmp::Reverse(hit.words.len()), hit.words.start));
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut names = Vec::new();
    for hit in hits {
        // The same words with and without their 's are the same place: both may name somebody.
        if hit.words.clone().any(|word| taken.contains(&word)) {
            continue;
        }
        taken.extend(hit.words.clone());
        names.push(hit.key.as_str());
    }
    names
}

/// A text that was typed without capitals, with one at the beginning of every word that may be a name.
pub fn capitalised(text: &str, may_be_name: impl Fn(&str) -> bool) -> String {
    let mut capital = String::with_capacity(text.len());
    for word in text.split_inclusive(is_break) {
        let mut letters = word.chars();
        match letters.next() {
            Some(first) if may_be_name(&fold(without_edges(word.trim_end_matches(is_break)))) => {
                capital.extend(first.to_uppercase());
                capital.push_str(letters.as_str());
            }
            _ => capital.push_str(word),
        }
    }
    capital
}

/// A word of a text, folded.
struct Word {
    key: String,
    /// Written as names begin.
    may_begin: bool,
    /// Follows the word before it without a blank.
    glued: bool,
}

fn words_of(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    for part in text.split(is_break) {
        for (place, piece) in by_script(part).into_iter().enumerate() {
            let key = without_edges(&fold(piece)).to_owned();
            if !key.is_empty() {
                words.push(Word { key, may_begin: may_begin_name(piece), glued: place > 0 });
            }
        }
    }
    words
}

/// The names that these words can be: as they stand, and without a possessive.
fn add_candidates(words: &[Word], range: Range<usize>, found: &mut Vec<Candidate>) {
    let mut key = String::new();
    for word in &words[range.clone()] {
        if !key.is_empty() && !word.glued {
            key.push(' ');
        }
        key += &word.key;
    }
    if let Some(owner) = key.strip_suffix("'s").filter(|owner| !owner.is_empty()) {
        found.push(Candidate { key: owner.to_owned(), words: range.clone() });
    }
    found.push(Candidate { key, words: range });
}

/// Has a capital, or no letter that could be one: "Maya", "iPhone", "日本", "דוד", "3M"; not "will", not "2026".
fn may_begin_name(word: &str) -> bool {
    let cased = |c: char| c.is_lowercase() || c.is_uppercase();
    word.chars().any(char::is_uppercase)
        || (word.chars().any(char::is_alphabetic) && !word.chars().any(cased))
}

/// What parts words from each other. Folding makes wide forms plain, but the text itself is split before it.
fn is_break(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            ',' | ';'
                | ':'
                | '!'
                | '?'
                | '/'
                | '\\'
                | '('
                | ')'
                | '['
                | ']'
                | '{'
                | '}'
                | '<'
                | '>'
                | '|'
                | '"'
                | '“'
                | '”'
                | '„'
                | '«'
                | '»'
                | '…'
                | '—'
                | '–'
                | '·'
                | '\u{200b}'
                | '、'
                | '。'
                | '「'
                | '」'
                | '『'
                | '』'
                | '，'
                | '！'
                | '？'
                | '：'
                | '；'
                | '（'
                | '）'
                | '・'
                | '／'
        )
}

/// Without the signs that stand around a word and are no part of it. `C++` and `C#` keep theirs.
fn without_edges(word: &str) -> &str {
    let word = word.trim_start_matches(['.', '\'', '-', '_', '*', '~', '#', '@', '¿', '¡']);
    word.trim_end_matches(['.', '\'', '-', '_', '*', '~'])
}

/// The word in parts of one script each, where it has letters of scripts without blanks.
fn by_script(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut begin = 0;
    let mut before = None;
    for (place, c) in word.char_indices() {
        let script = script_of(c);
        if before.is_some_and(|before| before != script) {
            parts.push(&word[begin..place]);
            begin = place;
        }
        before = Some(script);
    }
    parts.push(&word[begin..]);
    parts
}

/// Which of the scripts without blanks; all others are one, as their words are parted by blanks.
fn script_of(c: char) -> u8 {
    match c {
        'ー' | '\u{30a1}'..='\u{30fa}' | '\u{ff66}'..='\u{ff9f}' => 1,
        '\u{3041}'..='\u{309f}' => 2,
        _ if is_unspaced(c) => 3,
        _ => 0,
    }
}
