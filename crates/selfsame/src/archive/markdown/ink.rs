//! Somebody's words between words of ours: whatever they say, they stay where they were put. No heading, list, table, link,
//! picture or markup of a page is ever made by what was stored, and nothing in it turns the reading order or a terminal.

use std::fmt::Write as _;

/// On one line, for the middle of a line.
pub(super) fn inline(text: &str) -> String {
    escaped(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// On one line, where a line begins.
pub(super) fn starting(text: &str) -> String {
    begun(&inline(text))
}

/// As it was written, line by line, as a quotation.
pub(super) fn quoted(text: &str, indent: &str) -> String {
    let (mut quote, text) = (String::new(), text.replace("\r\n", "\n").replace('\r', "\n"));
    for line in text.trim_end().lines() {
        let words = begun(&escaped(line.trim_end()));
        writeln!(quote, "{indent}>{}{words}", if words.is_empty() { "" } else { " " }).unwrap_or_default();
    }
    quote
}

/// Whether it is said in one line.
pub(super) fn is_one_line(text: &str) -> bool {
    !text.trim().contains(['\n', '\r'])
}

/// A name for a file: nothing that leads elsewhere, whoever chose it.
pub(super) fn file_name(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    text.chars().take(64).map(plain).collect()
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | '`' | '<' | '[' | ']' => safe.extend(['\\', letter]),
            '\t' => safe.push_str("    "),
            _ if turns_or_moves(letter) => safe.push('\u{fffd}'),
            _ => safe.push(letter),
        }
    }
    safe
}

/// Whether it would turn the reading order, or move a terminal's cursor.
fn turns_or_moves(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What would be a sign of Markdown at the beginning of a line is a letter there.
fn begun(text: &str) -> String {
    let words = text.trim_start();
    let indent = &text[..text.len() - words.len()];
    let digits = words.chars().take_while(char::is_ascii_digit).count();
    match words.chars().next() {
        Some('#' | '-' | '+' | '*' | '_' | '=' | '>' | '|' | ':' | '~') => format!("{indent}\\{words}"),
        Some(_) if digits > 0 && words[digits..].starts_with(['.', ')']) => {
            format!("{indent}{}\\{}", &words[..digits], &words[digits..])
        }
        _ => text.to_owned(),
    }
}
