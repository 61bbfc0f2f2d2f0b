//! Markdown: a file of things to remember, and folders of notes.

use super::{File, Found, under};
use crate::inbox::CandidateKind;

/// One file of things to remember: every point of a list and every paragraph is one.
pub(super) fn memory_file(file: &File, found: &mut Found) {
    found.count("files", 1);
    for block in blocks(body(&file.text)) {
        let place = format!("{}, line {}", file.name, block.line);
        found.add(block.kind(), &under(block.heading.as_deref(), &block.text), &place);
    }
}

/// A note: the same, and its title says what it is about.
pub(super) fn note(file: &File, found: &mut Found) {
    found.count("notes", 1);
    let title = file.name.rsplit('/').next().unwrap_or(&file.name);
    let title = title.rsplit_once('.').map_or(title, |(stem, _)| stem);
    for block in blocks(body(&file.text)) {
        let place = format!("{}, line {}", file.name, block.line);
        let text = under(block.heading.as_deref(), &block.text);
        found.add(block.kind(), &format!("{title}: {text}"), &place);
    }
}

/// A paragraph or a point of a list.
struct Block {
    text: String,
    heading: Option<String>,
    line: usize,
    task: Option<bool>,
}

impl Block {
    /// What is still to be done is a promise; what a sentence is otherwise, its words say.
    fn kind(&self) -> Option<CandidateKind> {
        self.task.map(|_| CandidateKind::Commitment)
    }
}

/// The text after the front matter, with the number of its first line.
fn body(text: &str) -> (usize, &str) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return (1, text);
    };
    let mut passed = 0;
    for (number, line) in rest.split_inclusive('\n').enumerate() {
        passed += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return (number + 3, &rest[passed..]);
        }
    }
    // It is not closed: then it was none.
    (1, text)
}

fn blocks((first_line, text): (usize, &str)) -> Vec<Block> {
    let (mut blocks, mut heading): (Vec<Block>, Option<String>) = (Vec::new(), None);
    let (mut in_code, mut open) = (false, false);
    for (number, raw) in text.lines().enumerate() {
        let line = raw.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            open = false;
            continue;
        }
        // Code, comments, rules, tables' rulings and empty lines say nothing to remember.
        let says_nothing = line.is_empty()
            || line.starts_with("<!--")
            || line.starts_with("%%")
            || line.chars().all(|letter| matches!(letter, '-' | '*' | '_' | '=' | '|' | ':' | ' '));
        if in_code || says_nothing {
            open = false;
        } else if let Some(title) = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#'))
            && title.starts_with(' ')
        {
            heading = Some(plain(title.trim_end_matches('#')));
            open = false;
        } else if let Some(title) = bold_line(line) {
            heading = Some(plain(title));
            open = false;
        } else if let Some(point) = point(line) {
            let (task, point) = task(point);
            open = task != Some(true) && !plain(point).is_empty();
            if open {
                blocks.push(Block {
                    text: plain(point),
                    heading: heading.clone(),
                    line: first_line + number,
                    task,
                });
            }
        } else if let Some(last) = blocks.last_mut().filter(|_| open) {
            last.text.push(' ');
            last.text.push_str(&plain(line));
        } else {
            let text = plain(line.trim_start_matches('>'));
            open = !text.is_empty();
            if open {
                blocks.push(Block { text, heading: heading.clone(), line: first_line + number, task: None });
            }
        }
    }
    blocks
}

/// A line that is bold from its beginning to its end is a heading by another name.
fn bold_line(line: &str) -> Option<&str> {
    line.strip_prefix("**")?.strip_suffix("**").filter(|title| !title.is_empty() && !title.contains("**"))
}

/// What stands after the sign of a point of a list.
fn point(line: &str) -> Option<&str> {
    let bullet = ["- ", "* ", "+ "].iter().find_map(|sign| line.strip_prefix(sign));
    bullet.or_else(|| {
        let (number, rest) = line.split_once(['.', ')'])?;
        let is_number =
            !number.is_empty() && number.len() < 4 && number.bytes().all(|byte| byte.is_ascii_digit());
        rest.strip_prefix(' ').filter(|_| is_number)
    })
}

/// Whether it is a task, and whether it is done; and the words after that.
fn task(point: &str) -> (Option<bool>, &str) {
    match point.trim_start().split_at_checked(4) {
        Some(("[ ] ", rest)) => (Some(false), rest),
        Some(("[x] " | "[X] ", rest)) => (Some(true), rest),
        _ => (None, point),
    }
}

/// Without the signs of emphasis, and links by their words.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        if let Some((words, after)) = link(rest) {
            out.push_str(words);
            rest = after;
        } else if rest.starts_with("**") || rest.starts_with("__") {
            rest = &rest[2..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out.trim().to_owned()
}

/// A link at the beginning of a text: its words, and what comes after it.
fn link(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('!').filter(|rest| rest.starts_with('[')).unwrap_or(text);
    if let Some(rest) = text.strip_prefix("[[") {
        let (inside, after) = rest.split_once("]]")?;
        return Some((inside.rsplit('|').next().unwrap_or(inside), after));
    }
    let (words, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (_, after) = rest.split_once(')')?;
    Some((words, after))
}
