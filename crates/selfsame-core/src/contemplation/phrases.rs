//! Other words for what is believed, as a thinker wrote them: only where they say the same.

use super::reply::blocks;
use crate::memory::sameness::is_same_in_other_words;
use serde_json::Value;
use std::collections::BTreeMap;

/// Letters in a phrase, at most.
pub const MAX_LETTERS: usize = 300;

/// What a reply says in other words, by the ids that were asked about. Taken is what has the same names, numbers, times and
/// denials as the belief itself, in one line; of several for one belief the last.
pub fn read_phrases(reply: &str, asked: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let items = blocks(reply, "PHRASES").into_iter().flat_map(|read| match read.value {
        Value::Array(items) => items,
        one => vec![one],
    });
    let pair = |item: Value| {
        let (id, text) = (item.get("id")?.as_str()?.trim(), item.get("text")?.as_str()?.trim());
        let belief = asked.get(id)?;
        is_faithful(belief, text).then(|| (id.to_owned(), text.to_owned()))
    };
    items.filter_map(pair).collect()
}

fn is_faithful(belief: &str, text: &str) -> bool {
    let is_one_line = !text.is_empty() && !text.chars().any(char::is_control);
    is_one_line && text.chars().count() <= MAX_LETTERS && is_same_in_other_words(belief, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> Option<String> {
        let asked = BTreeMap::from([("obs_1".to_owned(), "Maya does not drink coffee after 4".to_owned())]);
        let reply =
            format!("Here.\n[PHRASES_JSON][{{\"id\": \"obs_1\", \"text\": \"{text}\"}}][/PHRASES_JSON]");
        read_phrases(&reply, &asked).remove("obs_1")
    }

    #[test]
    fn other_words_are_taken_if_they_say_the_same() {
        assert!(taken("Past 4 there is no coffee for Maya").is_none(), "not in another order");
        let kept = "Maya will not have any coffee after 4";
        assert_eq!(taken(kept).as_deref(), Some(kept));
        assert!(taken("Maya drinks coffee after 4").is_none(), "a denial is lost");
        assert!(taken("Maya does not drink coffee after 5").is_none(), "another number");
        assert!(taken("Zoe does not drink coffee after 4").is_none(), "somebody else");
        assert!(taken("").is_none() && taken(&"Maya ".repeat(100)).is_none());
    }

    #[test]
    fn only_what_was_asked_about_is_answered() {
        let asked = BTreeMap::from([("obs_1".to_owned(), "Maya likes tea".to_owned())]);
        let reply = "[PHRASES_JSON][{\"id\":\"obs_2\",\"text\":\"Maya likes tea\"}][/PHRASES_JSON]";
        assert!(read_phrases(reply, &asked).is_empty());
        assert!(read_phrases("no block at all", &asked).is_empty());
    }
}
