//! What other systems keep of somebody, read into candidates for the inbox. One file a format; nothing here reads a disk.
//!
//! An item is something that may be worth remembering, in the words in which it was found. Nobody vouches for it: how
//! sure a rule is of it never lets it pass by itself.

mod chats;
mod graph;
mod markdown;

use crate::inbox::{CandidateKind, capture};
use crate::seal::sha256;
use crate::sentence::sentences;
use crate::word::words;
use serde_json::Value;
use std::collections::BTreeMap;

words! {
    /// What a file was written by.
    Format, "import format":
    /// One Markdown file of things to remember: MEMORY.md and the like.
    MemoryFile = "memory-md",
    /// A folder of Markdown notes, with front matter and links between them.
    Notes = "notes",
    /// The conversations that ChatGPT exports.
    ChatGpt = "chatgpt",
    /// The conversations and memories that Claude exports.
    Claude = "claude",
    /// The JSON Lines of the reference memory server of MCP.
    ServerMemory = "server-memory",
    /// A dump of mem0.
    Mem0 = "mem0",
}

/// Characters of one item, at most: what is longer is taken apart at its sentences.
const LONGEST_ITEM: usize = 2_000;
/// Fewer words say nothing without the heading they stand under.
const WORDS_ALONE: usize = 4;

/// A file that was found, by its path within what was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Its path.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Something that may be worth remembering.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// What it seems to be.
    pub kind: CandidateKind,
    /// The words.
    pub content: String,
    /// Where it stood, for people.
    pub place: String,
}

impl Item {
    /// Under which it is known again: its words, case and spacing aside.
    pub fn key(&self) -> [u8; 32] {
        let words: Vec<String> = self.content.split_whitespace().map(str::to_lowercase).collect();
        sha256(&[b"import item", words.join(" ").as_bytes()])
    }
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// What it was taken for.
    pub format: Format,
    /// What may be worth remembering, each once, in the order in which it stood.
    pub items: Vec<Item>,
    /// What was looked at, in words of ours: `conversations`, `notes`.
    pub seen: BTreeMap<&'static str, u64>,
    /// What could not be read, and why.
    pub unread: Vec<String>,
}

/// Files that are none of the known formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unknown {
    /// Nothing was there.
    #[error("there is no file to read: Markdown (.md), JSON (.json) and JSON Lines (.jsonl) are looked for")]
    Nothing,
    /// Something was there.
    #[error(
        "what this is was not recognised: name it with --format (memory-md, notes, chatgpt, claude, server-memory, mem0)"
    )]
    Unrecognised,
}

/// What wrote these files.
pub fn detect(files: &[File]) -> Result<Format, Unknown> {
    if files.is_empty() {
        return Err(Unknown::Nothing);
    }
    if let Some(format) = files.iter().find_map(detect_json) {
        return Ok(format);
    }
    let notes = files.iter().filter(|file| is_markdown(&file.name)).count();
    match notes {
        0 => Err(Unknown::Unrecognised),
        1 if files.len() == 1 => Ok(Format::MemoryFile),
        _ => Ok(Format::Notes),
    }
}

fn detect_json(file: &File) -> Option<Format> {
    let text = file.text.trim_start();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    if let Some(first) = text.lines().next().and_then(|line| serde_json::from_str::<Value>(line).ok())
        && matches!(first["type"].as_str(), Some("entity" | "relation"))
    {
        return Some(Format::ServerMemory);
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let first = match &value {
        Value::Array(list) => list.first()?,
        other => other,
    };
    if first.get("mapping").is_some() {
        Some(Format::ChatGpt)
    } else if first.get("chat_messages").is_some() || first.get("conversations_memory").is_some() {
        Some(Format::Claude)
    } else if first.get("memory").is_some()
        || value.get("results").is_some()
        || value.get("memories").is_some()
    {
        Some(Format::Mem0)
    } else {
        None
    }
}

/// Reads files as what they were written by.
pub fn read(format: Format, files: &[File]) -> Found {
    let mut found = Found { format, items: Vec::new(), seen: BTreeMap::new(), unread: Vec::new() };
    for file in files {
        match format {
            Format::MemoryFile if is_text(&file.name) => markdown::memory_file(file, &mut found),
            Format::Notes if is_markdown(&file.name) => markdown::note(file, &mut found),
            Format::ChatGpt if is_json(file) => chats::chatgpt(file, &mut found),
            Format::Claude if is_json(file) => chats::claude(file, &mut found),
            Format::ServerMemory if is_json(file) => graph::server_memory(file, &mut found),
            Format::Mem0 if is_json(file) => graph::mem0(file, &mut found),
            _ => found.count("other files", 1),
        }
    }
    let mut known = std::collections::BTreeSet::new();
    found.items.retain(|item| known.insert(item.key()));
    found
}

fn is_markdown(name: &str) -> bool {
    let name = name.to_lowercase();
    name.ends_with(".md") || name.ends_with(".markdown")
}

fn is_text(name: &str) -> bool {
    is_markdown(name) || name.to_lowercase().ends_with(".txt")
}

fn is_json(file: &File) -> bool {
    file.text.trim_start().starts_with(['{', '['])
}

impl Found {
    fn count(&mut self, what: &'static str, more: u64) {
        *self.seen.entry(what).or_default() += more;
    }

    fn cannot_read(&mut self, place: &str, why: &str) {
        self.unread.push(format!("{place}: {why}"));
    }

    /// Adds words that stand for themselves.
    fn add(&mut self, kind: Option<CandidateKind>, content: &str, place: &str) {
        for piece in pieces(&storable(content)) {
            let kind = kind.unwrap_or_else(|| kind_of(&piece));
            self.items.push(Item { kind, content: piece, place: place.to_owned() });
        }
    }

    /// Adds what somebody said in the course of a conversation, as far as it may be worth remembering.
    fn add_said(&mut self, text: &str, place: &str) {
        for one in capture(&storable(text)) {
            self.items.push(Item { kind: one.kind, content: one.content, place: place.to_owned() });
        }
    }
}

/// What a sentence seems to be, if it is one thing.
fn kind_of(text: &str) -> CandidateKind {
    match capture(text).as_slice() {
        [one] => one.kind,
        _ => CandidateKind::Fact,
    }
}

/// Without what no store can hold, and without spaces around it.
fn storable(text: &str) -> String {
    crate::fence::strip(text).replace('\0', "").trim().to_owned()
}

/// A text in pieces of which none is too long, broken between sentences where that is possible.
fn pieces(text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    if text.chars().count() <= LONGEST_ITEM {
        return vec![text.to_owned()];
    }
    let mut pieces: Vec<String> = Vec::new();
    for sentence in sentences(text) {
        let sentence = sentence.trim();
        let letters: Vec<char> = sentence.chars().collect();
        for part in letters.chunks(LONGEST_ITEM) {
            let part: String = part.iter().collect();
            match pieces.last_mut() {
                Some(last) if last.chars().count() + part.chars().count() < LONGEST_ITEM => {
                    last.push(' ');
                    last.push_str(&part);
                }
                _ => pieces.push(part),
            }
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Words under a heading, which says what they are about where they are few.
fn under(heading: Option<&str>, text: &str) -> String {
    match heading {
        Some(heading) if text.split_whitespace().count() < WORDS_ALONE => format!("{heading}: {text}"),
        _ => text.to_owned(),
    }
}
