//! When two facts are one, and when they cannot both be true.
//!
//! *The same*: equal words in equal order. Letter case, accents, spacing and the punctuation that only sets words apart
//! do not count; signs that carry meaning (`-5`, `€`, `?`) do. Words are not stemmed here, unlike in the index:
//! *universe* and *university* share a stem, and a fact that was merged away is lost.
//!
//! *The same in other words*: nearly the same meaning, as a model sees it, and nothing in it that a model overlooks is
//! different: numbers, times, names, denials, order.
//!
//! *At odds*: the same words but for a negation, a quantity, or the order around a comparing word. English only, and
//! careful: what is missed here a later reader may find, what is claimed here disturbs somebody.

use super::MemoryKind;
use crate::seal::sha256;
use crate::text::{self, stem, words};
use crate::when;

/// Words that deny.
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "nor", "neither", "without", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt",
    "werent", "cant", "cannot", "couldnt", "wont", "wouldnt", "shouldnt", "hasnt", "havent", "hadnt", "aint",
    "mustnt",
];

/// Words that come and go with a negation and say nothing by themselves: *does not like*, *no longer likes*, *any*.
const FILLERS: &[&str] =
    &["do", "does", "did", "done", "longer", "anymore", "any", "more", "at", "all", "ever", "really"];

/// Words between which order is meaning.
const COMPARING: &[&str] = &["over", "than", "before", "after", "above", "below", "instead"];

/// A number after one of these is a quantity or a time, not a name: *at 3*, *is 443*, but not *room 5*.
const BEFORE_QUANTITY: &[&str] = &[
    "at", "is", "are", "was", "were", "has", "have", "costs", "cost", "about", "around", "by", "until", "to",
    "from",
];

/// A number before one of these is a quantity or a time: *3 pm*, *20 percent*.
const AFTER_QUANTITY: &[&str] = &[
    "am", "pm", "o'clock", "oclock", "percent", "%", "$", "€", "£", "years", "year", "months", "month",
    "weeks", "week", "days", "day", "hours", "hour", "minutes", "minute", "seconds", "dollars", "euros",
    "euro", "km", "kg", "people",
];

/// Both hashes of a text, made once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prints {
    /// [`words_hash`].
    pub words: [u8; 32],
    /// [`gist_hash`].
    pub gist: [u8; 32],
}

impl Prints {
    /// Of a text.
    pub fn of(content: &str) -> Prints {
        Prints { words: words_hash(content), gist: gist_hash(content) }
    }
}

/// What makes two memories the same: equal keys, equal facts.
pub fn words_hash(content: &str) -> [u8; 32] {
    let mut parts: Vec<String> = words(content);
    if parts.is_empty() {
        // Nothing but signs: they are the words.
        parts.push(content.to_owned());
    }
    hash_of(&parts)
}

/// What makes two memories comparable: equal keys say the same but for negations, numbers and order.
pub fn gist_hash(content: &str) -> [u8; 32] {
    hash_of(&Reading::of(content).gist())
}

fn hash_of(parts: &[String]) -> [u8; 32] {
    let joined = parts.join("\u{1f}");
    sha256(&[joined.as_bytes()])
}

/// How two facts are at odds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Odds {
    /// One denies what the other says.
    Negation,
    /// They name different quantities or times.
    Number,
    /// They put the same things in another order.
    Order,
}

impl Odds {
    /// As stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Odds::Negation => "negation",
            Odds::Number => "number",
            Odds::Order => "order",
        }
    }
}

/// Whether memories of this type can be at odds at all. One may run five kilometres today and six tomorrow.
pub const fn can_be_at_odds(kind: MemoryKind) -> bool {
    matches!(
        kind,
        MemoryKind::Identity
            | MemoryKind::Preference
            | MemoryKind::Relationship
            | MemoryKind::Knowledge
            | MemoryKind::Skill
            | MemoryKind::Plan
    )
}

/// How two facts of equal gist are at odds, if they are.
pub fn odds(one: &str, other: &str) -> Option<Odds> {
    let (one, other) = (Reading::of(one), Reading::of(other));
    if one.gist() != other.gist() {
        return None;
    }
    if one.denials % 2 != other.denials % 2 {
        // Two differences at once are two facts more likely than one contradiction.
        return (one.numbers() == other.numbers()).then_some(Odds::Negation);
    }
    if one.denials != other.denials {
        return None;
    }
    if one.numbers() != other.numbers() {
        return one.differs_in_one_quantity(&other).then_some(Odds::Number);
    }
    let compares = one.kept.iter().any(|word| COMPARING.contains(&word.as_str()));
    (compares && one.kept != other.kept).then_some(Odds::Order)
}

/// Whether two facts that mean nearly the same are one in other words: the same numbers, times, names and denials, each in
/// the same order, and what words they share in the same order too. Who prefers tea over coffee does not prefer coffee over
/// tea, however near the two are.
pub fn is_same_in_other_words(one: &str, other: &str) -> bool {
    let (first, second) = (Reading::of(one), Reading::of(other));
    first.denials == second.denials
        && first.numbers() == second.numbers()
        && first.times() == second.times()
        && names(one) == names(other)
        && first.shared_with(&second) == second.shared_with(&first)
}

/// Whether two texts deny equally often and name the same numbers: the few words that turn a sentence around, and that a
/// comparison of all its words hardly sees.
pub fn is_alike_in_denials_and_numbers(one: &str, other: &str) -> bool {
    let (one, other) = (Reading::of(one), Reading::of(other));
    one.denials == other.denials && one.numbers() == other.numbers()
}

/// The words with a capital that are no function words, in order.
fn names(content: &str) -> Vec<String> {
    let capital = |word: &&str| word.chars().next().is_some_and(char::is_uppercase);
    let capitals = content.split(|c: char| !c.is_alphanumeric()).filter(capital);
    let named = capitals.flat_map(words).filter(|word| !FUNCTION_WORDS.contains(&word.as_str()));
    named.collect()
}

/// Words that come and go without changing what is said. Not *he* and *her*: who did it to whom is what is said.
const LITTLE: &[&str] = &[
    "a", "an", "the", "of", "to", "in", "on", "at", "for", "and", "that", "is", "are", "was", "were", "be",
    "been", "am",
];

/// Words that tell a time of day, beside those that [`when`] knows.
const OF_THE_CLOCK: &[&str] = &["noon", "midnight", "am", "pm"];

/// A sentence, taken apart for comparing.
struct Reading {
    /// Its words without denials and fillers, in order.
    kept: Vec<String>,
    /// How often it denies.
    denials: usize,
}

impl Reading {
    fn of(content: &str) -> Reading {
        let (denials, rest): (Vec<String>, Vec<String>) =
            words(content).into_iter().partition(|word| NEGATIONS.contains(&word.as_str()));
        // *At* is a filler only in *at all*; before a number it tells of a time.
        let kept = rest
            .iter()
            .enumerate()
            .filter(|(place, word)| {
                let before_number = rest.get(place + 1).is_some_and(|next| is_number(next));
                !FILLERS.contains(&word.as_str()) || before_number
            })
            .map(|(_, word)| word.clone())
            .collect();
        Reading { kept, denials: denials.len() }
    }

    /// The words that matter, as a bag: stemmed, numbers as one sign.
    fn gist(&self) -> Vec<String> {
        let mut bag: Vec<String> =
            self.kept.iter().map(|word| if is_number(word) { "#".into() } else { stem(word) }).collect();
        bag.sort();
        bag
    }

    fn numbers(&self) -> Vec<&String> {
        self.kept.iter().filter(|word| is_number(word)).collect()
    }

    fn times(&self) -> Vec<&String> {
        let tells_time = |word: &&String| OF_THE_CLOCK.contains(&word.as_str()) || when::tells_time(word);
        self.kept.iter().filter(tells_time).collect()
    }

    /// Its words, stemmed and in order, as far as the other has them too; but for those that say nothing.
    fn shared_with(&self, other: &Reading) -> Vec<String> {
        let theirs = other.telling();
        self.telling().into_iter().filter(|word| theirs.contains(word)).collect()
    }

    fn telling(&self) -> Vec<String> {
        self.kept.iter().filter(|word| !LITTLE.contains(&word.as_str())).map(|word| stem(word)).collect()
    }

    fn differs_in_one_quantity(&self, other: &Reading) -> bool {
        if self.kept.len() != other.kept.len() {
            return false;
        }
        let differing: Vec<usize> =
            (0..self.kept.len()).filter(|place| self.kept[*place] != other.kept[*place]).collect();
        matches!(differing[..], [place] if self.is_quantity(place) && other.is_quantity(place))
    }

    fn is_quantity(&self, place: usize) -> bool {
        let near = |place: Option<usize>| place.and_then(|place| self.kept.get(place)).map(String::as_str);
        let before = near(place.checked_sub(1)).is_some_and(|word| BEFORE_QUANTITY.contains(&word));
        let after = near(Some(place + 1)).is_some_and(|word| AFTER_QUANTITY.contains(&word));
        is_number(&self.kept[place]) && (before || after)
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Words that carry no content of their own, in either language of links: what is left tells what a text is about.
const FUNCTION_WORDS: &[&str] = &[
    "a",
    "an",
    "the",
    "and",
    "or",
    "but",
    "if",
    "of",
    "to",
    "in",
    "on",
    "at",
    "by",
    "for",
    "with",
    "from",
    "as",
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "being",
    "am",
    "i",
    "me",
    "my",
    "you",
    "your",
    "he",
    "him",
    "his",
    "she",
    "her",
    "it",
    "its",
    "we",
    "us",
    "our",
    "they",
    "them",
    "their",
    "this",
    "that",
    "these",
    "those",
    "what",
    "which",
    "who",
    "whom",
    "whose",
    "when",
    "where",
    "why",
    "how",
    "do",
    "does",
    "did",
    "have",
    "has",
    "had",
    "will",
    "would",
    "can",
    "could",
    "should",
    "shall",
    "may",
    "might",
    "must",
    "not",
    "no",
    "so",
    "than",
    "then",
    "there",
    "here",
    "about",
    "into",
    "out",
    "up",
    "down",
    "over",
    "again",
    "any",
    "some",
    "all",
    "more",
    "most",
    "also",
    "just",
    "very",
    "need",
    "want",
    "get",
    "got",
    "going",
    "go",
    "today",
    "tomorrow",
    "yesterday",
];

/// What a text is about: its content words, as they are indexed, each once.
pub fn content_terms(content: &str) -> text::TermCounts {
    let mut found = text::TermCounts::default();
    for term in words(content)
        .iter()
        .filter(|word| !FUNCTION_WORDS.contains(&word.as_str()))
        .flat_map(|word| text::terms(word))
    {
        found.counts.entry(term).or_insert(1);
    }
    found.len = u32::try_from(found.counts.len()).unwrap_or(u32::MAX);
    found
}
