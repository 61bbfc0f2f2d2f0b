//! Conversations that chat services export. Only what the person said is looked through: what an assistant said is its own.

use super::{File, Found};
use serde_json::Value;

/// Messages in one conversation, at most: a tree that leads back into itself ends.
const LONGEST_CONVERSATION: usize = 100_000;

/// ChatGPT: each conversation is a tree of messages, of which one branch is the one that was shown last.
pub(super) fn chatgpt(file: &File, found: &mut Found) {
    for conversation in conversations(file, found) {
        let Some(mapping) = conversation["mapping"].as_object() else {
            found.cannot_read(&file.name, "a conversation has no messages");
            continue;
        };
        found.count("conversations", 1);
        let title = named(&conversation, "title");
        for message in branch(mapping, conversation["current_node"].as_str()) {
            found.count("messages", 1);
            if message["author"]["role"] != "user" {
                continue;
            }
            let parts = message["content"]["parts"].as_array().into_iter().flatten();
            let text: Vec<&str> = parts.filter_map(Value::as_str).collect();
            found.add_said(&text.join("\n"), &title);
        }
    }
}

/// The messages from the first to the one that was shown last.
fn branch<'v>(mapping: &'v serde_json::Map<String, Value>, shown: Option<&'v str>) -> Vec<&'v Value> {
    let mut at = shown.filter(|id| mapping.contains_key(*id)).or_else(|| newest_leaf(mapping));
    let mut messages = Vec::new();
    while let Some(node) = at.and_then(|id| mapping.get(id)).filter(|_| messages.len() < LONGEST_CONVERSATION)
    {
        messages.push(&node["message"]);
        at = node["parent"].as_str();
    }
    messages.retain(|message| message.is_object());
    messages.reverse();
    messages
}

fn newest_leaf(mapping: &serde_json::Map<String, Value>) -> Option<&str> {
    let is_leaf = |node: &Value| node["children"].as_array().is_none_or(Vec::is_empty);
    let time = |node: &Value| node["message"]["create_time"].as_f64().unwrap_or(0.0);
    let leaves = mapping.iter().filter(|(_, node)| is_leaf(node));
    leaves.max_by(|one, other| time(one.1).total_cmp(&time(other.1))).map(|(id, _)| id.as_str())
}

/// Claude: conversations are lists; its own memories of somebody are texts beside them.
pub(super) fn claude(file: &File, found: &mut Found) {
    for one in conversations(file, found) {
        if let Some(messages) = one["chat_messages"].as_array() {
            found.count("conversations", 1);
            let title = named(&one, "name");
            for message in messages {
                found.count("messages", 1);
                if message["sender"] == "human" {
                    found.add_said(&claude_text(message), &title);
                }
            }
        } else if one.get("conversations_memory").is_some() || one.get("project_memories").is_some() {
            let projects = one["project_memories"].as_object().into_iter().flat_map(|map| map.values());
            for text in
                std::iter::once(&one["conversations_memory"]).chain(projects).filter_map(Value::as_str)
            {
                let memory = File { name: file.name.clone(), text: text.to_owned() };
                super::markdown::memory_file(&memory, found);
            }
        } else {
            found.count("other entries", 1);
        }
    }
}

/// What a message says: its pieces of text, or where there are none the text beside them.
fn claude_text(message: &Value) -> String {
    let pieces = message["content"].as_array().into_iter().flatten();
    let texts: Vec<&str> =
        pieces.filter(|piece| piece["type"] == "text").filter_map(|piece| piece["text"].as_str()).collect();
    match texts.is_empty() {
        true => message["text"].as_str().unwrap_or_default().to_owned(),
        false => texts.join("\n"),
    }
}

fn conversations(file: &File, found: &mut Found) -> Vec<Value> {
    match serde_json::from_str(&file.text) {
        Ok(Value::Array(list)) => list,
        Ok(one @ Value::Object(_)) => vec![one],
        _ => {
            found.cannot_read(&file.name, "it is no JSON that can be read");
            Vec::new()
        }
    }
}

fn named(conversation: &Value, field: &str) -> String {
    match conversation[field].as_str().map(str::trim) {
        Some(title) if !title.is_empty() => format!("conversation {title:?}"),
        _ => "a conversation without a title".to_owned(),
    }
}
