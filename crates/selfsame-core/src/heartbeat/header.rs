//! The header of a signal's file: comments that say what it is, before the SQL that finds it.

use super::signal::{Signal, Tier};

/// The longest meaning, in characters.
const MAX_MEANING: usize = 120;
/// The longest name, in characters.
const MAX_NAME: usize = 40;

/// A header that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}; {fix}")]
pub struct BadHeader {
    /// Which line of the file, from one.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
    /// What to write instead.
    pub fix: String,
}

impl BadHeader {
    fn at(line: usize, what: impl Into<String>, fix: impl Into<String>) -> BadHeader {
        BadHeader { line, what: what.into(), fix: fix.into() }
    }
}

/// Reads the header of a signal's file, and gives the SQL that follows it. Comments without a colon and empty lines may
/// stand between; the first other line begins the SQL.
pub fn parse(text: &str) -> Result<(Signal, &str), BadHeader> {
    let mut header = Header::default();
    let mut rest = text;
    let mut line = 0;
    while let Some((first, after)) = next_line(rest) {
        line += 1;
        let first = first.trim();
        match first.strip_prefix("--") {
            Some(comment) => header.take(line, comment)?,
            None if first.is_empty() => {}
            None => break,
        }
        rest = after;
    }
    if rest.trim().is_empty() {
        return Err(BadHeader::at(line.max(1), "there is no SQL after the header", "write one SELECT there"));
    }
    Ok((header.signal()?, rest))
}

fn next_line(text: &str) -> Option<(&str, &str)> {
    (!text.is_empty()).then(|| text.split_once('\n').unwrap_or((text, "")))
}

#[derive(Default)]
struct Header {
    name: Option<String>,
    tier: Option<Tier>,
    weight: Option<u32>,
    aggregate: Option<bool>,
    meaning: Option<String>,
}

impl Header {
    /// One comment. What is no field of ours is a remark of the author's, unless it looks like a field.
    fn take(&mut self, line: usize, comment: &str) -> Result<(), BadHeader> {
        let Some((key, value)) = comment.split_once(':') else {
            return Ok(());
        };
        let (key, value) = (key.trim(), value.trim());
        match key {
            "signal" => set(&mut self.name, line, key, name(line, value)?),
            "tier" => set(&mut self.tier, line, key, tier(line, value)?),
            "weight" => set(&mut self.weight, line, key, weight(line, value)?),
            "counts" => set(&mut self.aggregate, line, key, aggregate(line, value)?),
            "meaning" => set(&mut self.meaning, line, key, meaning(line, value)?),
            other if other.contains(' ') => Ok(()),
            other => {
                let what =
                    format!("there is no field `{}`", other.chars().take(MAX_NAME).collect::<String>());
                Err(BadHeader::at(line, what, "known are signal, tier, weight, counts and meaning"))
            }
        }
    }

    fn signal(self) -> Result<Signal, BadHeader> {
        Ok(Signal {
            name: needed(self.name, "signal", "deadline")?,
            tier: needed(self.tier, "tier", "normal")?,
            weight: needed(self.weight, "weight", "3")?,
            meaning: needed(self.meaning, "meaning", "a plan has been lying for a week")?,
            aggregate: self.aggregate.unwrap_or(false),
        })
    }
}

fn set<T>(field: &mut Option<T>, line: usize, key: &str, value: T) -> Result<(), BadHeader> {
    match field.replace(value) {
        None => Ok(()),
        Some(_) => Err(BadHeader::at(line, format!("`{key}` is there twice"), "leave one of them out")),
    }
}

fn needed<T>(field: Option<T>, key: &str, example: &str) -> Result<T, BadHeader> {
    let missing =
        || BadHeader::at(1, format!("`{key}` is missing"), format!("add a line `-- {key}: {example}`"));
    field.ok_or_else(missing)
}

fn name(line: usize, value: &str) -> Result<String, BadHeader> {
    let letters = value.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let begins = value.starts_with(|c: char| c.is_ascii_lowercase());
    if letters && begins && value.len() <= MAX_NAME {
        return Ok(value.to_owned());
    }
    let fix = format!("write at most {MAX_NAME} small letters, digits and `_`, a letter first: `plants_dry`");
    Err(BadHeader::at(line, "that is no name of a signal", fix))
}

fn tier(line: usize, value: &str) -> Result<Tier, BadHeader> {
    Tier::parse(value).map_err(|error| BadHeader::at(line, error.to_string(), "write one of those"))
}

/// A signal that weighs nothing could never be told but by chance.
fn weight(line: usize, value: &str) -> Result<u32, BadHeader> {
    let weight = value.parse().ok().filter(|weight| (1..=100).contains(weight));
    weight.ok_or_else(|| BadHeader::at(line, "that is no weight", "write a whole number from 1 to 100"))
}

fn aggregate(line: usize, value: &str) -> Result<bool, BadHeader> {
    match value {
        "aggregate" => Ok(true),
        _ => Err(BadHeader::at(
            line,
            "only `aggregate` may be counted otherwise",
            "write `-- counts: aggregate`, or leave the line out if each row is a thing of its own",
        )),
    }
}

fn meaning(line: usize, value: &str) -> Result<String, BadHeader> {
    let fits = !value.is_empty() && value.chars().count() <= MAX_MEANING && !value.contains(char::is_control);
    if fits {
        return Ok(value.to_owned());
    }
    let fix = format!("say in a line of at most {MAX_MEANING} characters what it is");
    Err(BadHeader::at(line, "that is no meaning", fix))
}
