//! BEAM: somebody works with an assistant over months. A folder is a chat with its probing questions.

use super::{Dataset, Sample, Undated, Voice, bad, dates, read_json};
use selfsame::time::Time;
use selfsame_daemon::Failure;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const CHAT: &str = "chat.json";
const QUESTIONS: &str = "probing_questions.json";
/// The kind of question that has no answer.
const UNANSWERABLE: &str = "abstention";

#[derive(Deserialize)]
struct RawBatch {
    turns: Vec<Vec<RawMessage>>,
}

#[derive(Deserialize)]
struct RawMessage {
    id: u64,
    role: String,
    time_anchor: Option<String>,
    content: String,
}

#[derive(Deserialize)]
struct RawQuestion {
    question: String,
    /// What the right answer is, where there is one.
    #[serde(default)]
    answer: Value,
    #[serde(default)]
    source_chat_ids: Value,
}

/// A chat with what its makers say about which messages are at odds.
pub(super) struct LabelledChat {
    pub(super) sample: Sample,
    pub(super) labels: Vec<Label>,
}

/// Two statements of a chat that cannot both be so, by their places in its turns.
#[derive(PartialEq, Debug)]
pub(super) struct Label {
    pub(super) sort: Sort,
    pub(super) earlier: BTreeSet<usize>,
    pub(super) later: BTreeSet<usize>,
    /// What is so in the end, of an update.
    pub(super) answer: String,
}

/// How two statements are at odds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    /// One denies the other.
    Contradiction,
    /// The later one tells how it is by then.
    Update,
}

impl Sort {
    /// The kind of question that has such labels, and what the data calls the two statements.
    const fn names(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Sort::Contradiction => ("contradiction_resolution", "first_statement", "second_statement"),
            Sort::Update => ("knowledge_update", "original_info", "updated_info"),
        }
    }
}

/// The samples that are in a folder, or the folder itself if it is one.
pub(super) fn samples(path: &Path, entries: &[PathBuf]) -> Vec<PathBuf> {
    match is_sample(path) {
        true => vec![path.to_owned()],
        false => entries.iter().filter(|entry| is_sample(entry)).cloned().collect(),
    }
}

fn is_sample(folder: &Path) -> bool {
    folder.join(CHAT).is_file() && folder.join(QUESTIONS).is_file()
}

/// Reads each folder as a sample.
pub(super) fn load(folders: &[PathBuf]) -> Result<Dataset, Failure> {
    let samples = folders.iter().map(|folder| sample(folder)).collect::<Result<_, _>>()?;
    Ok(Dataset { format: "BEAM", samples, captions: None })
}

fn sample(folder: &Path) -> Result<Sample, Failure> {
    let mut sample = Sample::new(name(folder), chat(&folder.join(CHAT))?);
    let places = sample.places();
    let kinds: BTreeMap<String, Vec<RawQuestion>> = read_json(&folder.join(QUESTIONS))?;
    for (kind, questions) in kinds {
        for RawQuestion { question, source_chat_ids, .. } in questions {
            match kind == UNANSWERABLE {
                true => sample.ask_in_vain(question, kind.clone()),
                false => sample.ask(question, kind.clone(), &chat_ids(&source_chat_ids), &places),
            }
        }
    }
    Ok(sample)
}

/// Reads each folder as a chat with its labels.
pub(super) fn labelled(folders: &[PathBuf]) -> Result<Vec<LabelledChat>, Failure> {
    folders.iter().map(|folder| labelled_chat(folder)).collect()
}

fn labelled_chat(folder: &Path) -> Result<LabelledChat, Failure> {
    let mut sample = Sample::new(name(folder), chat(&folder.join(CHAT))?);
    let places = sample.places();
    let mut kinds: BTreeMap<String, Vec<RawQuestion>> = read_json(&folder.join(QUESTIONS))?;
    let mut labels = Vec::new();
    for sort in [Sort::Contradiction, Sort::Update] {
        for question in kinds.remove(sort.names().0).unwrap_or_default() {
            let (label, missing) = label(sort, &question, &places);
            sample.trouble.skipped_ids += missing;
            match label.earlier.is_empty() || label.later.is_empty() {
                true => sample.trouble.left_out += 1,
                false => labels.push(label),
            }
        }
    }
    Ok(LabelledChat { sample, labels })
}

/// A label, and how many of its ids name no message.
fn label(sort: Sort, question: &RawQuestion, places: &BTreeMap<String, usize>) -> (Label, usize) {
    let (_, earlier, later) = sort.names();
    let ids = [earlier, later].map(|side| chat_ids(&question.source_chat_ids[side]));
    let missing = ids.iter().flatten().filter(|id| !places.contains_key(*id)).count();
    let [earlier, later] = ids.map(|ids| ids.iter().filter_map(|id| places.get(id)).copied().collect());
    let answer = question.answer.as_str().map_or_else(|| question.answer.to_string(), str::to_owned);
    (Label { sort, earlier, later, answer }, missing)
}

fn name(folder: &Path) -> String {
    folder.file_name().map_or("beam".into(), |name| name.to_string_lossy().into_owned())
}

fn chat(path: &Path) -> Result<Vec<Undated>, Failure> {
    let batches: Vec<RawBatch> = read_json(path)?;
    let messages = batches.into_iter().flat_map(|batch| batch.turns).flatten();
    let turns: Result<Vec<_>, String> =
        messages.filter(|message| !message.content.trim().is_empty()).map(undated).collect();
    turns.map_err(|what| bad(path, what))
}

/// An anchor dates the message it stands at; the messages after it follow by the second.
fn undated(message: RawMessage) -> Result<Undated, String> {
    let RawMessage { id, role, time_anchor, content } = message;
    let conversation = "beam".to_owned();
    let voice = match role.as_str() {
        "user" => Voice::User(conversation),
        "assistant" => Voice::Assistant(conversation),
        other => return Err(format!("message {id} has role {other:?}: user or assistant is known")),
    };
    let at = time_anchor.as_deref().map(|anchor| anchored(id, anchor)).transpose()?;
    Ok(Undated { id: id.to_string(), voice, text: said(&content).to_owned(), at })
}

fn anchored(id: u64, anchor: &str) -> Result<Time, String> {
    dates::of_anchor(anchor).ok_or_else(|| {
        format!("message {id} has time_anchor {anchor:?}, which is no date: write it like \"March-15-2024\"")
    })
}

/// The words without the mark that the makers of the data left at their end (` ->-> 1,1`): nobody said it.
fn said(content: &str) -> &str {
    match content.rsplit_once("->->") {
        Some((words, mark)) if !words.trim().is_empty() && is_mark(mark) => words.trim_end(),
        _ => content,
    }
}

/// Two numbers, the second of which may be missing (`1,N/A`).
fn is_mark(text: &str) -> bool {
    text.chars().all(|character| character.is_ascii_digit() || " ,)N/A".contains(character))
}

/// Every number in whatever shape the ids are given: a list, lists by name, numbers as text.
fn chat_ids(value: &Value) -> Vec<String> {
    match value {
        Value::Number(number) => vec![number.to_string()],
        Value::String(text) => vec![text.trim().to_owned()],
        Value::Array(all) => all.iter().flat_map(chat_ids).collect(),
        Value::Object(all) => all.values().flat_map(chat_ids).collect(),
        Value::Null | Value::Bool(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_of_any_shape_are_read() {
        assert_eq!(chat_ids(&json!([4, 60, "116"])), ["4", "60", "116"]);
        assert_eq!(chat_ids(&json!({ "first_statement": [58], "second_statement": [24] })), ["58", "24"]);
        assert_eq!(chat_ids(&json!([[1, 2], [3]])), ["1", "2", "3"]);
        assert_eq!(chat_ids(&json!(7)), ["7"]);
        assert_eq!(chat_ids(&Value::Null), Vec::<String>::new());
    }

    #[test]
    fn only_the_mark_at_the_end_is_not_said() {
        assert_eq!(said("What now? ->-> 1,1"), "What now?");
        assert_eq!(said("map a ->-> b in the diagram"), "map a ->-> b in the diagram");
        assert_eq!(said("plain"), "plain");
        assert_eq!(said("->-> 1,1"), "->-> 1,1");
    }

    #[test]
    fn a_label_has_two_sides() {
        let places = [("58", 3), ("24", 1)].map(|(id, place)| (id.to_owned(), place)).into();
        let question = |sides: Value, answer: Value| RawQuestion {
            question: String::new(),
            answer,
            source_chat_ids: sides,
        };
        let sides = json!({ "first_statement": [58], "second_statement": [24, 99] });
        let (found, missing) = label(Sort::Contradiction, &question(sides, Value::Null), &places);
        assert_eq!((found.earlier, found.later, missing), ([3].into(), [1].into(), 1));
        let sides = json!({ "original_info": [24], "updated_info": [58] });
        let (found, missing) = label(Sort::Update, &question(sides, json!("250 ms")), &places);
        assert_eq!((found.earlier, found.later, missing), ([1].into(), [3].into(), 0));
        assert_eq!(found.answer, "250 ms");
    }
}
