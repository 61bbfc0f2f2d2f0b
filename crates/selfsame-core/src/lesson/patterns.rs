//! What a thinker sees in many episodes at once, read from its reply and checked: it may only speak of episodes that it
//! was shown.

use crate::contemplation::reply::blocks;
use crate::id::EpisodeId;
use crate::lesson::extract::fitting;
use crate::lesson::{LessonDraft, LessonKind};
use crate::memory::{MAX_TAG_BYTES, MAX_TAGS};
use crate::text::check_text;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Patterns of one reply that are taken, at most: the first.
const MOST: usize = 20;

/// What was read from a reply.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Patterns {
    /// What holds.
    pub drafts: Vec<LessonDraft>,
    /// How many did not: of no known type, without words, or about episodes that nobody showed.
    pub dropped: usize,
}

/// A reply in which there is no list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "the answer has no list of lessons between [LESSONS_JSON] and [/LESSONS_JSON]; an empty list [] is one"
)]
pub struct Unreadable;

/// Reads the last list in a reply that can be read. `allowed` are the ids of the episodes that the prompt showed.
pub fn read_patterns(reply: &str, allowed: &BTreeSet<String>) -> Result<Patterns, Unreadable> {
    let list = blocks(reply, "LESSONS")
        .into_iter()
        .rev()
        .find_map(|block| list_in(block.value))
        .ok_or(Unreadable)?;
    let mut patterns = Patterns::default();
    for one in &list {
        let draft = one.as_object().and_then(|one| draft(one, allowed));
        match draft.filter(|_| patterns.drafts.len() < MOST) {
            Some(draft) => patterns.drafts.push(draft),
            None => patterns.dropped += 1,
        }
    }
    Ok(patterns)
}

/// A list, bare or as the one thing in an object.
fn list_in(block: Value) -> Option<Vec<Value>> {
    match block {
        Value::Array(list) => Some(list),
        Value::Object(mut object) => match object.remove("lessons")? {
            Value::Array(list) => Some(list),
            _ => None,
        },
        _ => None,
    }
}

fn draft(one: &Map<String, Value>, allowed: &BTreeSet<String>) -> Option<LessonDraft> {
    let text = |name: &str| one.get(name).and_then(Value::as_str).and_then(fitting);
    let sources = sources(one.get("episodes")?, allowed)?;
    Some(LessonDraft {
        kind: LessonKind::parse(one.get("type")?.as_str()?).ok()?,
        lesson: text("lesson")?,
        context: text("context"),
        action: text("action"),
        outcome: text("outcome"),
        correction: text("correction"),
        tags: labels(one.get("tags")),
        tools: labels(one.get("tools")),
        sources,
    })
}

/// The episodes that are named, if at least one was shown. One that was not makes the whole pattern doubtful: who invents
/// a source has not looked.
fn sources(named: &Value, allowed: &BTreeSet<String>) -> Option<Vec<EpisodeId>> {
    let mut ids = BTreeSet::new();
    for id in named.as_array()? {
        let id = id.as_str()?;
        if !allowed.contains(id) {
            return None;
        }
        ids.insert(id.parse().ok()?);
    }
    (!ids.is_empty()).then(|| ids.into_iter().collect())
}

/// The labels that fit, sorted, each once.
fn labels(list: Option<&Value>) -> Vec<String> {
    let given = list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let fit = given.map(str::trim).filter(|label| check_text(label, MAX_TAG_BYTES).is_ok());
    fit.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().take(MAX_TAGS).collect()
}
