//! The header of a signal's file: comment lines that say what it is, above the SQL that finds it.
//!
//! ```sql
//! -- signal: deadline
//! -- tier: immediate
//! -- weight: 10
//! -- meaning: a deadline is near or past
//! ```

use super::signal::{Signal, Tier};
use crate::nearest::nearest;
use std::collections::BTreeMap;

/// What a header may say.
const KEYS: [&str; 5] = ["signal", "tier", "weight", "counts", "meaning"];
/// Weights are between one and this: the most pressing of our own weigh as much.
const MAX_WEIGHT: u32 = 10;
/// Characters of a name, at most.
const MAX_NAME: usize = 64;

/// A header that cannot be read; it names the line and what to write.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadHeader(String);

/// Reads the header; the rest is the SQL.
pub fn parse(text: &str) -> Result<(Signal, &str), BadHeader> {
    let mut said: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    let mut rest = text;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let line = line.trim();
        let Some(comment) = line.strip_prefix("--") else { break };
        rest = after_line(rest);
        let (key, value) = comment
            .split_once(':')
            .map(|(key, value)| (key.trim(), value.trim()))
            .ok_or_else(|| BadHeader(format!("line {number}: write `-- {}: ...`", KEYS[0])))?;
        let known = KEYS.iter().find(|known| **known == key).ok_or_else(|| unknown_key(number, key))?;
        if said.insert(known, (number, value)).is_some() {
            return Err(BadHeader(format!("line {number}: `{key}` is said twice: keep one")));
        }
    }
    Ok((signal(&said)?, rest))
}

/// What follows the first line.
fn after_line(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, rest)| rest)
}

fn unknown_key(number: usize, key: &str) -> BadHeader {
    let near = nearest(key, KEYS.into_iter()).map(|near| format!(": did you mean `{near}`?"));
    let all = || format!(": known are {}", KEYS.join(", "));
    BadHeader(format!("line {number}: `{key}` is not known{}", near.unwrap_or_else(all)))
}

fn signal(said: &BTreeMap<&str, (usize, &str)>) -> Result<Signal, BadHeader> {
    let (line, name) = required(said, "signal")?;
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(is_name) {
        let form = "lower-case letters, digits and underscores";
        return Err(BadHeader(format!("line {line}: a signal's name is 1 to {MAX_NAME} {form}")));
    }
    let (line, tier) = required(said, "tier")?;
    let tier = Tier::parse(tier).map_err(|unknown| BadHeader(format!("line {line}: {unknown}")))?;
    let (line, weight) = required(said, "weight")?;
    let weight = weight.parse().ok().filter(|weight| (1..=MAX_WEIGHT).contains(weight));
    let weight = weight
        .ok_or_else(|| BadHeader(format!("line {line}: weight is a whole number from 1 to {MAX_WEIGHT}")))?;
    let aggregate = match said.get("counts") {
        None => false,
        Some((_, "aggregate")) => true,
        Some((line, _)) => {
            return Err(BadHeader(format!("line {line}: counts is `aggregate` or left out")));
        }
    };
    let (line, meaning) = required(said, "meaning")?;
    if meaning.is_empty() {
        return Err(BadHeader(format!("line {line}: say in a line what it means")));
    }
    Ok(Signal { name: name.to_owned(), tier, weight, meaning: meaning.to_owned(), aggregate })
}

fn required<'t>(said: &BTreeMap<&str, (usize, &'t str)>, key: &str) -> Result<(usize, &'t str), BadHeader> {
    let missing = || BadHeader(format!("the header says no `{key}`: add a line `-- {key}: ...` at the top"));
    said.get(key).copied().ok_or_else(missing)
}
