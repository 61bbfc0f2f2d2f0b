//! Second thoughts about what is about to be said: other words for it, or that it had better not be said at all.
//!
//! Other words are taken only where they say the same: every line of it, with the same names, numbers, times, ids and denials
//! and hardly a word more. Only a suggestion may be held back. Nothing here makes anything more pressing.

use super::reply::blocks;
use crate::memory::sameness::{content_terms, is_same_in_other_words};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Letters of a line, at most.
const MAX_LETTERS: usize = 400;
/// Content words that other words may have more in a line.
const MORE_WORDS: usize = 4;
/// Letters that are kept of why something is held back.
const WHY_LETTERS: usize = 200;
/// What a template puts before what it is about: other words need not begin so.
const LEADS: [&str; 2] = ["Reminder: ", "Deadline: "];

/// What is about to be said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Asked {
    /// By the template.
    pub what: String,
    /// Whether it may be held back.
    pub may_be_held_back: bool,
}

/// What a thinker makes of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Afterthought {
    /// The same in other words.
    Rephrase(String),
    /// It is better not said, and why.
    Veto(String),
}

/// What a reply says about what was asked, by id; of several about one thing the last that can be taken.
pub fn read_afterthoughts(reply: &str, asked: &BTreeMap<String, Asked>) -> BTreeMap<String, Afterthought> {
    let items = blocks(reply, "NUDGES").into_iter().flat_map(|read| match read.value {
        Value::Array(items) => items,
        one => vec![one],
    });
    let pair = |item: Value| {
        let id = item.get("id")?.as_str()?.trim();
        afterthought(asked.get(id)?, &item).map(|thought| (id.to_owned(), thought))
    };
    items.filter_map(pair).collect()
}

fn afterthought(asked: &Asked, item: &Value) -> Option<Afterthought> {
    if let Some(why) = item.get("veto").filter(|why| !why.is_null() && **why != Value::Bool(false)) {
        let why = why.as_str().unwrap_or_default();
        return asked.may_be_held_back.then(|| Afterthought::Veto(one_line(why)));
    }
    let text = item.get("text")?.as_str()?.trim();
    let is_new = text != asked.what;
    (is_new && says_the_same(&asked.what, text)).then(|| Afterthought::Rephrase(text.to_owned()))
}

/// A thinker's reason as one plain line.
fn one_line(why: &str) -> String {
    let plain: String = why.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.join(" ").chars().take(WHY_LETTERS).collect()
}

/// Whether other words for a whole nudge say the same, line by line.
pub fn says_the_same(what: &str, text: &str) -> bool {
    let (old, new): (Vec<&str>, Vec<&str>) = (what.lines().collect(), text.lines().collect());
    old.len() == new.len() && old.iter().zip(&new).all(|(old, new)| is_same_line(old, new))
}

fn is_same_line(old: &str, new: &str) -> bool {
    if new.chars().any(char::is_control) || new.chars().count() > MAX_LETTERS || has_new_address(old, new) {
        return false;
    }
    let (old, new) = (bare(old), bare(new));
    marks(&old) == marks(&new) && keeps_the_words(&old, &new) && is_same_in_other_words(&old, &new)
}

/// A line without its dash, its lead and the capital that it only has because it begins there.
fn bare(line: &str) -> String {
    let line = line.trim();
    let line = line.strip_prefix("- ").unwrap_or(line);
    let line = LEADS.iter().find_map(|lead| line.strip_prefix(lead)).unwrap_or(line);
    let mut letters = line.chars();
    match letters.next() {
        Some(first) if !letters.clone().next().is_some_and(char::is_uppercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => line.to_owned(),
    }
}

/// What must be kept letter by letter: whatever has a digit or an underscore in it.
fn marks(line: &str) -> Vec<&str> {
    let is_mark = |word: &&str| word.contains(|c: char| c.is_numeric() || c == '_');
    let words = line.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.filter(is_mark).collect()
}

/// Everything that it is about is still there, and hardly anything else.
fn keeps_the_words(old: &str, new: &str) -> bool {
    let terms = |line: &str| content_terms(line).counts.into_keys().collect::<BTreeSet<String>>();
    let (old, new) = (terms(old), terms(new));
    old.is_subset(&new) && new.len() <= old.len() + MORE_WORDS
}

/// Nobody is sent anywhere that the line did not speak of.
fn has_new_address(old: &str, new: &str) -> bool {
    let addresses = |line: &str| -> Vec<String> {
        let is_address = |word: &&str| word.contains("://") || word.contains('@') || word.starts_with("www.");
        line.split_whitespace().filter(is_address).map(str::to_owned).collect()
    };
    let known = addresses(old);
    addresses(new).iter().any(|address| !known.contains(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RENT: &str = "Reminder: pay the rent to Zoe (due today at 09:00)";

    fn taken(what: &str, item: &str) -> Option<Afterthought> {
        let held = Asked { what: what.to_owned(), may_be_held_back: !what.starts_with("Reminder") };
        let asked = BTreeMap::from([("nud_1".to_owned(), held)]);
        read_afterthoughts(&format!("[NUDGES_JSON][{item}][/NUDGES_JSON]"), &asked).remove("nud_1")
    }

    fn rephrased(what: &str, text: &str) -> bool {
        let item = serde_json::json!({"id": "nud_1", "text": text}).to_string();
        matches!(taken(what, &item), Some(Afterthought::Rephrase(words)) if words == text)
    }

    #[test]
    fn other_words_are_taken_if_they_say_the_same() {
        assert!(rephrased(RENT, "Please remember to pay the rent to Zoe, it is due today at 09:00."));
        assert!(!rephrased(RENT, RENT), "nothing new");
        assert!(!rephrased(RENT, "Please remember to pay the rent to Zoe, it is due today at 10:00."));
        assert!(!rephrased(RENT, "Please remember to pay the rent to Max, it is due today at 09:00."));
        assert!(!rephrased(RENT, "Please do not pay the rent to Zoe, it is due today at 09:00."));
        assert!(!rephrased(RENT, "Zoe is due today at 09:00."), "what it is about is gone");
        assert!(!rephrased(RENT, "Pay the rent to Zoe, due tomorrow at 09:00."));
        let longer =
            "Pay the rent to Zoe, due today at 09:00, with flowers, cake, candles, music and a poem.";
        assert!(!rephrased(RENT, longer), "it says more");
        assert!(!rephrased(RENT, "Pay the rent to Zoe (due today at 09:00) at http://evil.example"));
        assert!(!rephrased(RENT, "Pay the rent to Zoe\n(due today at 09:00)"), "another line");
    }

    #[test]
    fn a_list_keeps_its_lines() {
        let list = "2 things:\n- the launch plan (a plan stands still)\n- ask about mem_7 (a question waits)";
        let better =
            "2 things:\n- the launch plan stands still (a plan)\n- maybe ask about mem_7 (a question waits)";
        assert!(!rephrased(list, better), "in another order");
        let better = "2 things:\n- perhaps the launch plan (a plan stands still)\n- maybe ask about mem_7 (a question waits)";
        assert!(rephrased(list, better));
        assert!(
            !rephrased(list, "2 things:\n- perhaps the launch plan (a plan stands still)"),
            "one is lost"
        );
        assert!(!rephrased(list, &better.replace("mem_7", "mem_8")));
    }

    #[test]
    fn only_a_suggestion_is_held_back() {
        let veto = r#"{"id": "nud_1", "veto": "she is\n asleep"}"#;
        assert_eq!(taken(RENT, veto), None);
        let held = taken("the plan (stands still)", veto);
        assert_eq!(held, Some(Afterthought::Veto("she is asleep".into())));
        assert_eq!(taken("the plan (stands still)", r#"{"id": "nud_1", "veto": false}"#), None);
        assert_eq!(taken("the plan (stands still)", r#"{"id": "nud_2", "veto": "why"}"#), None);
    }
}
