//! Forgetting: what can be forgotten, what repeats what, and the name of exactly what would go.
//!
//! Pure. Which rows there are is asked elsewhere; here is decided what of them says what is forgotten.

use crate::id::{
    BatchId, CalendarId, CandidateId, ConversationId, DiaryId, EntityId, EpisodeId, Id, LessonId, MemoryId,
    MessageId, NudgeId, ObservationId, ReflectionId, RunId, SoulId, SummaryId, TodoId, WorkId,
};
use crate::memory::sameness::content_terms;
use crate::seal::{hex, sha256};
use crate::text::terms;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Fewer words are nobody's: they stand in many texts that have nothing to do with what is forgotten.
pub const LEAST_TERMS: usize = 3;
/// A term of so many letters or more begins like the word that it is made of, whatever its ending was.
const SURE_STEM: usize = 6;
/// With more phrases than this, looking for their hints costs as much as looking closely.
const MAX_HINTS: usize = 64;

macro_rules! kinds {
    ($($kind:ident, $word:literal, $shown:expr;)*) => {
        /// A kind of thing that forgetting takes away, or whose words it takes away.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum ItemKind {
            $(#[doc = concat!("`", $word, "`")] $kind,)*
        }

        impl ItemKind {
            /// Every kind, in an order in which they can go.
            pub const ALL: &'static [ItemKind] = &[$(ItemKind::$kind),*];

            /// The word for it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(ItemKind::$kind => $word,)*
                }
            }

            /// An id of this kind, as people see it.
            pub fn shown(self, id: Id) -> String {
                match self {
                    $(ItemKind::$kind => $shown(id),)*
                }
            }
        }
    };
}

fn shown<T: std::fmt::Display>(of: fn(Id) -> T) -> impl Fn(Id) -> String {
    move |id| of(id).to_string()
}

kinds! {
    Nudge, "nudge", shown(NudgeId::of);
    Work, "work", shown(WorkId::of);
    Batch, "batch", shown(BatchId::of);
    Summary, "summary", shown(SummaryId::of);
    Lesson, "lesson", shown(LessonId::of);
    Reflection, "reflection", shown(ReflectionId::of);
    Episode, "episode", shown(EpisodeId::of);
    Memory, "memory", shown(MemoryId::of);
    Candidate, "candidate", shown(CandidateId::of);
    Message, "message", shown(MessageId::of);
    Conversation, "conversation", shown(ConversationId::of);
    Diary, "diary", shown(DiaryId::of);
    Todo, "todo", shown(TodoId::of);
    Calendar, "calendar", shown(CalendarId::of);
    Soul, "soul", shown(SoulId::of);
    Observation, "observation", shown(ObservationId::of);
    Profile, "profile", shown(EntityId::of);
    Relationship, "relationship", shown(EntityId::of);
    Title, "title", shown(ConversationId::of);
    Run, "run", shown(RunId::of);
    Entity, "entity", shown(EntityId::of);
}

impl ItemKind {
    /// The kind of that word.
    pub fn parse(word: &str) -> Option<ItemKind> {
        ItemKind::ALL.iter().copied().find(|kind| kind.as_str() == word)
    }
}

/// One thing that is forgotten.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Which.
    pub id: Id,
}

impl Item {
    /// The thing of that id, as people see ids; none if it is no id of something that can be forgotten by it.
    pub fn parse(text: &str) -> Option<Item> {
        let of = |kind, id| Some(Item { kind, id });
        let (prefix, _) = text.split_once('_')?;
        match prefix {
            "mem" => of(ItemKind::Memory, text.parse::<MemoryId>().ok()?.id()),
            "msg" => of(ItemKind::Message, text.parse::<MessageId>().ok()?.id()),
            "cnv" => of(ItemKind::Conversation, text.parse::<ConversationId>().ok()?.id()),
            "can" => of(ItemKind::Candidate, text.parse::<CandidateId>().ok()?.id()),
            "dia" => of(ItemKind::Diary, text.parse::<DiaryId>().ok()?.id()),
            "tdo" => of(ItemKind::Todo, text.parse::<TodoId>().ok()?.id()),
            "cal" => of(ItemKind::Calendar, text.parse::<CalendarId>().ok()?.id()),
            "sou" => of(ItemKind::Soul, text.parse::<SoulId>().ok()?.id()),
            "epi" => of(ItemKind::Episode, text.parse::<EpisodeId>().ok()?.id()),
            "les" => of(ItemKind::Lesson, text.parse::<LessonId>().ok()?.id()),
            "ref" => of(ItemKind::Reflection, text.parse::<ReflectionId>().ok()?.id()),
            "sum" => of(ItemKind::Summary, text.parse::<SummaryId>().ok()?.id()),
            "nud" => of(ItemKind::Nudge, text.parse::<NudgeId>().ok()?.id()),
            "ent" => of(ItemKind::Entity, text.parse::<EntityId>().ok()?.id()),
            _ => None,
        }
    }
}

impl std::fmt::Display for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.kind.shown(self.id))
    }
}

/// The name of exactly these things: who looked at them first can have them forgotten, and nothing that came later.
pub fn token(items: impl Iterator<Item = Item>) -> String {
    let all: BTreeSet<Item> = items.collect();
    let lines: Vec<u8> =
        all.iter().flat_map(|item| format!("{} {item}\n", item.kind.as_str()).into_bytes()).collect();
    hex(&sha256(&[&lines])[..16])
}

/// What a stored text says: of a list or an object, the words in it.
pub fn spoken(text: &str) -> Cow<'_, str> {
    if !text.starts_with(['{', '[']) {
        return Cow::Borrowed(text);
    }
    match serde_json::from_str(text) {
        Ok(value) => {
            let mut words = Vec::new();
            gather(&value, &mut words);
            Cow::Owned(words.join("\n"))
        }
        Err(_) => Cow::Borrowed(text),
    }
}

fn gather(value: &serde_json::Value, words: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => words.push(text.clone()),
        serde_json::Value::Array(list) => list.iter().for_each(|one| gather(one, words)),
        serde_json::Value::Object(fields) => {
            for (name, one) in fields {
                words.push(name.clone());
                gather(one, words);
            }
        }
        other => words.push(other.to_string()),
    }
}

/// Texts that are looked for in others, word for word.
#[derive(Debug, Default)]
pub struct Phrases {
    by_beginning: BTreeMap<[String; LEAST_TERMS], Vec<Vec<String>>>,
    /// The beginning of a long word of each phrase; none if one has no such word.
    hints: Option<Vec<String>>,
}

impl Phrases {
    /// The phrases of these texts; those with too few words are none.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Phrases {
        let mut phrases = Phrases { by_beginning: BTreeMap::new(), hints: Some(Vec::new()) };
        for text in texts {
            let words = terms(&spoken(text));
            let Some(beginning) = words.first_chunk::<LEAST_TERMS>() else { continue };
            let hint = words.iter().max_by_key(|term| term.len()).and_then(|term| hint(term));
            phrases.hints = match (phrases.hints, hint) {
                (Some(mut hints), Some(hint)) if hints.len() < MAX_HINTS => {
                    hints.push(hint);
                    Some(hints)
                }
                _ => None,
            };
            phrases.by_beginning.entry(beginning.clone()).or_default().push(words);
        }
        phrases
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.by_beginning.is_empty()
    }

    /// Whether a text has one of them, one word after the other.
    pub fn are_in(&self, text: &str) -> bool {
        if self.is_empty() || self.cannot_be_in(text) {
            return false;
        }
        let said = terms(text);
        (0..said.len()).any(|at| {
            let Some(beginning) = said[at..].first_chunk::<LEAST_TERMS>() else { return false };
            self.by_beginning
                .get(beginning)
                .is_some_and(|phrases| phrases.iter().any(|phrase| said[at..].starts_with(phrase)))
        })
    }

    /// Whether the letters alone say no: that is quicker than analysing every text there is.
    fn cannot_be_in(&self, text: &str) -> bool {
        let Some(hints) = &self.hints else { return false };
        if !text.is_ascii() {
            return false;
        }
        let letters: String =
            text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        !hints.iter().any(|hint| letters.contains(hint))
    }
}

/// The letters that every word has which becomes this term.
fn hint(term: &str) -> Option<String> {
    let is_plain = term.len() >= SURE_STEM && term.bytes().all(|byte| byte.is_ascii_lowercase());
    is_plain.then(|| term[..SURE_STEM - 1].to_owned())
}

/// Words that a text must have, all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted(BTreeSet<String>);

impl Wanted {
    /// The words of a query, without those that say nothing; none if no other is left.
    pub fn of(query: &str) -> Option<Wanted> {
        let words: BTreeSet<String> = content_terms(query).counts.into_keys().collect();
        (!words.is_empty()).then_some(Wanted(words))
    }

    /// Whether a text has all of them, in whatever order.
    pub fn are_in(&self, text: &str) -> bool {
        let said: BTreeSet<String> = terms(text).into_iter().collect();
        self.0.is_subset(&said)
    }
}

/// Whether a text says something that is known from what is forgotten alone: a word of theirs that nothing has which is left.
pub fn says_what_only_they_said(text: &str, forgotten: &[&str], left: &[&str]) -> bool {
    let words = |texts: &[&str]| -> BTreeSet<String> {
        texts.iter().flat_map(|text| content_terms(&spoken(text)).counts.into_keys()).collect()
    };
    let (theirs, known) = (words(forgotten), words(left));
    content_terms(&spoken(text)).counts.keys().any(|term| theirs.contains(term) && !known.contains(term))
}
