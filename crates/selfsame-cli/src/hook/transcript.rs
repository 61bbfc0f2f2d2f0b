//! The agent's last words, from the file in which a host keeps what was said: JSON Lines, one entry a line, of which the end is
//! read. Hosts differ in where an entry has its role and its words, so both are looked for in all the usual places.

use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// So much of the end is read: a turn with its tool calls. A transcript may have hundreds of megabytes.
const TAIL: u64 = 512 * 1024;

/// What the agent said last, after the user's last words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LastWords {
    pub(crate) text: String,
    /// Tells the turn from all others of the session: the host's name for the user's words, or the words themselves.
    pub(crate) turn: String,
}

/// None if there are none, or nothing can be made of the file.
pub(crate) fn last_words(path: &Path) -> Option<LastWords> {
    last_of(&tail(path).ok()?)
}

/// The whole lines at the end of a file. What is no file (a pipe that nobody writes to) is not waited for.
fn tail(path: &Path) -> io::Result<String> {
    let without_waiting = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let mut file: File = OpenOptions::new().read(true).custom_flags(without_waiting).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("no file"));
    }
    let begin = metadata.len().saturating_sub(TAIL);
    file.seek(SeekFrom::Start(begin))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // The first line is most likely half of one.
    Ok(if begin == 0 {
        text
    } else {
        text.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default()
    })
}

fn last_of(text: &str) -> Option<LastWords> {
    let mut found = None;
    let mut turn = String::new();
    for entry in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let Some((role, words)) = said(&entry) else { continue };
        match role {
            "user" => {
                found = None;
                turn = name_of(&entry).unwrap_or(words);
            }
            _ => found = Some(words),
        }
    }
    found.map(|text| LastWords { text, turn })
}

/// Who said what, if the entry is something that the user or the agent said. Parts of another conversation (of a helper of the
/// agent) and what the host itself put in are not.
fn said(entry: &Value) -> Option<(&'static str, String)> {
    let is = |name: &str| entry.get(name).and_then(Value::as_bool).unwrap_or(false);
    if is("isSidechain") || is("isMeta") {
        return None;
    }
    let places = [Some(entry), entry.get("message"), entry.get("payload")];
    let within = |name: &str| places.iter().flatten().find_map(|place| place.get(name));
    let role = within("role").or_else(|| entry.get("type")).and_then(Value::as_str)?;
    let role = match role {
        "user" => "user",
        "assistant" => "assistant",
        _ => return None,
    };
    let words = words_of(within("content")?);
    (!words.trim().is_empty()).then(|| (role, words.trim().to_owned()))
}

/// A text, or the texts among the parts: what a tool was asked or answered is not said by anybody.
fn words_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let text = |part: &Value| {
                let kind = part.get("type").and_then(Value::as_str).unwrap_or("text");
                let is_text = matches!(kind, "text" | "input_text" | "output_text");
                part.get("text").and_then(Value::as_str).filter(|_| is_text).map(str::to_owned)
            };
            parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn name_of(entry: &Value) -> Option<String> {
    let name = ["uuid", "id"].iter().find_map(|name| entry.get(*name)?.as_str());
    name.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(lines: &[&str]) -> Option<(String, String)> {
        last_of(&lines.join("\n")).map(|last| (last.text, last.turn))
    }

    #[test]
    fn of_each_host() {
        let claude = [
            r#"{"type":"user","uuid":"u1","message":{"role":"user","content":"hello"}}"#,
            r#"{"type":"assistant","uuid":"a1","message":{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","name":"ls"}]}}"#,
            r#"{"type":"user","uuid":"u2","message":{"role":"user","content":[{"type":"tool_result","content":"a.txt"}]}}"#,
            r#"{"type":"assistant","isSidechain":true,"message":{"role":"assistant","content":"a helper's"}}"#,
            r#"{"type":"assistant","uuid":"a2","message":{"role":"assistant","content":[{"type":"text","text":"There is a.txt."}]}}"#,
            r#"{"type":"system","content":"compacted"}"#,
        ];
        assert_eq!(last(&claude), Some(("There is a.txt.".into(), "u1".into())));
        let codex = [
            r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}}"#,
            r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi."}]}}"#,
            r#"{"timestamp":"t","type":"event_msg","payload":{"type":"token_count"}}"#,
        ];
        assert_eq!(last(&codex), Some(("Hi.".into(), "hello".into())));
        let cursor = [
            r#"{"role":"user","message":{"content":[{"type":"text","text":"hello"}]}}"#,
            r#"{"role":"assistant","message":{"content":[{"type":"text","text":"Hi there."}]}}"#,
        ];
        assert_eq!(last(&cursor), Some(("Hi there.".into(), "hello".into())));
    }

    #[test]
    fn nothing_is_made_of_nothing() {
        assert_eq!(last(&[]), None);
        assert_eq!(last(&["", "no json", "{}", "[]", "null", r#"{"type":"assistant"}"#]), None);
        let asked = r#"{"type":"user","message":{"content":"hello"}}"#;
        assert_eq!(
            last(&[r#"{"type":"assistant","message":{"content":"old"}}"#, asked]),
            None,
            "not yet answered"
        );
    }
}
