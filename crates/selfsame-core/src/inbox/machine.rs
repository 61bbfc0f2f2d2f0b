//! What machines say: logs, traces, diffs, JSON, shells. None of it is anybody's word.

/// The text without the paragraphs that a machine wrote.
pub(super) fn without_output(text: &str) -> String {
    let mut kept = String::new();
    for paragraph in text.split("\n\n") {
        if !paragraph.lines().any(is_output) {
            kept.push_str(paragraph);
            kept.push_str("\n\n");
        }
    }
    kept
}

const BEGINNINGS: &[&str] = &[
    "{",
    "[{",
    "[\"",
    "}",
    "\"",
    "<?xml",
    "<!doctype",
    "<html",
    "traceback (",
    "file \"",
    "at ",
    "diff --git",
    "--- a/",
    "+++ b/",
    "@@ ",
    "index ",
    "$ ",
    "# apt",
    "~$",
    ">>> ",
    "--> ",
    "| ",
    "|\t",
    "^",
    "error[",
    "error:",
    "warning:",
    "note:",
    "thread '",
    "caused by:",
    "stack backtrace",
    "exception in",
    "compiling ",
    "running ",
    "test result:",
    "npm ",
    "http/1",
    "get /",
    "post /",
];

const LEVELS: &[&str] = &["trace", "debug", "info", "warn", "warning", "error", "fatal", "critical"];

fn is_output(line: &str) -> bool {
    let line = line.trim_start();
    let lower = line.to_lowercase();
    let framed = BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning)) && !is_prose(line, &lower);
    framed || is_log(line) || ends_like_code(line)
}

/// "At nine I go home" begins like a frame of a stack; a frame has a place in brackets or a number after a colon.
fn is_prose(line: &str, lower: &str) -> bool {
    match lower.split([' ', '\t']).next() {
        Some("at") => {
            !(line.contains('(') || line.contains(".rs:") || line.contains(".py:") || line.contains(".js:"))
        }
        Some("get" | "post") => !line.contains('/'),
        Some("running") => !lower.starts_with("running unittests") && !lower.contains(" tests"),
        Some("compiling" | "index" | "npm") => !line.contains(|c: char| c.is_ascii_digit()),
        // A quoted sentence is dealt with as a quote.
        Some(word) if word.starts_with('"') => !lower.contains("\":"),
        // "Note: ..." is how people ask to have something noted; a compiler's note is all in lower case.
        Some("note:") => line.starts_with("Note:"),
        _ => false,
    }
}

/// A time or a level at the beginning, in capitals or brackets as people do not write it.
fn is_log(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let bare = first.trim_matches(['[', ']', ':', '<', '>']);
    let level = LEVELS.contains(&bare.to_lowercase().as_str());
    let shouted = bare.chars().all(|c| !c.is_lowercase());
    (level && (shouted || first.starts_with('['))) || is_timestamp(bare)
}

/// 2026-03-01T10:00:00Z, 2026-03-01 or 10:00:00: digits and marks only, and more than one mark.
fn is_timestamp(word: &str) -> bool {
    let marks = word.chars().filter(|c| matches!(c, '-' | ':')).count();
    word.starts_with(|c: char| c.is_ascii_digit())
        && marks >= 2
        && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ':' | '.' | ',' | 'T' | 'Z' | '+'))
}

fn ends_like_code(line: &str) -> bool {
    let line = line.trim_end();
    line.ends_with([';', '{']) && line.contains(['(', '=', '{'])
}
