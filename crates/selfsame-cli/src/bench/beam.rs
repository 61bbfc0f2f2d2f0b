//! BEAM: somebody works with an assistant over months. A folder is a chat with its probing questions.

use super::{Dataset, Sample, Undated, Voice, bad, dates, read_json};
use selfsame::time::Time;
use selfsame_daemon::Failure;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
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
    #[serde(default)]
    source_chat_ids: Value,
}

pub(super) fn is_sample(folder: &Path) -> bool {
    folder.join(CHAT).is_file() && folder.join(QUESTIONS).is_file()
}

/// Reads each folder as a sample.
pub(super) fn load(folders: &[PathBuf]) -> Result<Dataset, Failure> {
    let samples = folders.iter().map(|folder| sample(folder)).collect::<Result<_, _>>()?;
    Ok(Dataset { format: "BEAM", samples, captions: None })
}

fn sample(folder: &Path) -> Result<Sample, Failure> {
    let name = folder.file_name().map_or("beam".into(), |name| name.to_string_lossy().into_owned());
    let mut sample = Sample::new(name, chat(&folder.join(CHAT))?);
    let places = sample.places();
    let kinds: BTreeMap<String, Vec<RawQuestion>> = read_json(&folder.join(QUESTIONS))?;
    for (kind, questions) in kinds {
        for RawQuestion { question, source_chat_ids } in questions {
            match kind == UNANSWERABLE {
                true => sample.ask_in_vain(question, kind.clone()),
                false => sample.ask(question, kind.clone(), &chat_ids(&source_chat_ids), &places),
            }
        }
    }
    Ok(sample)
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
}
