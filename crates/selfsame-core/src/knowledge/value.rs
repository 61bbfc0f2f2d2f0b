//! The value of a claim: what is believed, as it is shown and as it is compared.

use crate::text::words;

/// Words that begin a value and are no part of it.
const ARTICLES: [&str; 7] = ["a", "an", "the", "my", "our", "his", "her"];

/// What a value is compared by: folded, without articles, in one spelling. Never empty for a text that has a word.
pub fn value_key(shown: &str) -> String {
    let mut words = words(shown);
    let articles = words.iter().take_while(|word| ARTICLES.contains(&word.as_str())).count();
    if articles < words.len() {
        words.drain(..articles);
    }
    words.join(" ")
}
