//! A belief in a sentence: what somebody said, told of them.

use super::vocabulary::Vocabulary;
use crate::sentence::sentences;

/// Characters in a summary, at most.
const LONGEST: usize = 300;

/// The first sentence of what a speaker said, in the third person. Only words of the first person singular change, and
/// the verbs that go with them: who "we" are is not known.
pub fn third_person(sentence: &str, speaker: &str) -> String {
    let first = sentences(sentence).first().map_or("", |first| first.trim());
    let mut told = Telling { text: String::with_capacity(first.len() + 16), verb: Verb::Theirs };
    let mut rest = first;
    while !rest.is_empty() {
        let (word, after) = next_word(rest);
        told.add(word, after, speaker);
        rest = after;
    }
    shortened(told.text)
}

/// Splits off a word, or else what stands between two.
fn next_word(text: &str) -> (&str, &str) {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    let is_word = text.starts_with(inner);
    let end = text.find(|c: char| inner(c) != is_word).unwrap_or(text.len());
    text.split_at(end)
}

/// Whose the next verb is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    /// The speaker's: it stands after "I".
    Speakers,
    /// It may be, after "and": only plain verbs are taken for one.
    Perhaps,
    /// The speaker's verb was seen, and another may follow.
    Seen,
    /// Somebody else's.
    Theirs,
}

struct Telling {
    text: String,
    verb: Verb,
}

impl Telling {
    fn add(&mut self, word: &str, after: &str, speaker: &str) {
        let plain = word.to_lowercase().replace('’', "'");
        // "World War I." and "i.e." are no pronouns: those have a blank after them.
        let pronoun = after.starts_with(char::is_whitespace);
        match plain.as_str() {
            "i" if pronoun => self.begin(speaker, "", Verb::Speakers),
            "i'm" => self.begin(speaker, " is", Verb::Seen),
            "i've" => self.begin(speaker, " has", Verb::Seen),
            "i'll" => self.begin(speaker, " will", Verb::Theirs),
            "i'd" => self.begin(speaker, " would", Verb::Theirs),
            "me" | "myself" => self.text.push_str(speaker),
            "my" | "mine" => {
                self.text.push_str(speaker);
                self.text.push_str("'s");
                self.verb = Verb::Theirs;
            }
            _ if word.starts_with(char::is_alphanumeric) => self.other(word, &plain, after),
            _ => self.text.push_str(word),
        }
    }

    fn begin(&mut self, speaker: &str, verb: &str, next: Verb) {
        self.text.push_str(speaker);
        self.text.push_str(verb);
        self.verb = next;
    }

    fn other(&mut self, word: &str, plain: &str, after: &str) {
        let conjugated = match self.verb {
            Verb::Speakers if is_adverb(plain) => None,
            Verb::Speakers => {
                self.verb = if is_settled(plain) { Verb::Theirs } else { Verb::Seen };
                Some(third(plain))
            }
            Verb::Perhaps => {
                let goes_on = is_plainly_verb(plain, after);
                self.verb = if goes_on { Verb::Seen } else { Verb::Theirs };
                goes_on.then(|| third(plain))
            }
            Verb::Seen if matches!(plain, "and" | "but") => {
                self.verb = Verb::Perhaps;
                None
            }
            Verb::Seen | Verb::Theirs => None,
        };
        self.text.push_str(conjugated.as_deref().unwrap_or(word));
    }
}

/// Words between "I" and its verb.
fn is_adverb(word: &str) -> bool {
    matches!(
        word,
        "never"
            | "always"
            | "often"
            | "also"
            | "still"
            | "just"
            | "not"
            | "no"
            | "longer"
            | "now"
            | "both"
            | "sometimes"
    ) || (word.ends_with("ly") && !matches!(word, "rely" | "reply" | "apply" | "supply" | "fly"))
}

/// Whether a word after "and" goes on with what the speaker does, and is no second object: "tea and coffee".
fn is_plainly_verb(word: &str, after: &str) -> bool {
    let (_, rest) = next_word(after);
    let (next, _) = next_word(rest);
    match word {
        "prefer" | "have" | "am" | "don't" | "hate" | "live" | "speak" | "want" | "need" => true,
        "work" | "use" | "run" | "play" | "drink" | "eat" | "like" | "love" => {
            matches!(next, "at" | "for" | "as" | "in" | "on" | "a" | "an" | "the" | "my" | "to" | "with")
        }
        _ => false,
    }
}

static SETTLED: Vocabulary = Vocabulary::of(
    "can can't cannot could couldn't will won't would wouldn't should shouldn't must mustn't may might was \
     wasn't had hadn't did didn't went saw got took made said told found knew thought bought came left felt \
     began wrote ran met lost gave kept quit spent built grew chose spoke drove ate drank slept taught heard \
     held brought won paid sent sold stood understood became forgot broke fell set put let ought",
);

/// Forms that are the same for everybody.
fn is_settled(word: &str) -> bool {
    (word.ends_with("ed") && !word.ends_with("eed")) || SETTLED.contains(word)
}

/// A verb as it stands after a name.
fn third(word: &str) -> String {
    let before_last = word.chars().rev().nth(1);
    match word {
        "am" => "is".to_owned(),
        "have" => "has".to_owned(),
        "haven't" => "hasn't".to_owned(),
        "do" => "does".to_owned(),
        "don't" | "dont" => "doesn't".to_owned(),
        _ if is_settled(word) => word.to_owned(),
        _ if word.ends_with('y') && before_last.is_some_and(|c| !"aeiou".contains(c)) => {
            format!("{}ies", &word[..word.len() - 1])
        }
        _ if ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| word.ends_with(end)) => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

/// At most so many characters, cut between words.
fn shortened(text: String) -> String {
    let Some((end, _)) = text.char_indices().nth(LONGEST) else { return text };
    let (end, _) = text[..end].char_indices().next_back().unwrap_or((0, ' '));
    let kept = text[..end].rsplit_once(char::is_whitespace).map_or(&text[..end], |(kept, _)| kept);
    format!("{kept}…")
}
