//! A belief in a sentence.

/// A sentence that somebody said of himself, as another would say it.
pub fn third_person(sentence: &str, _speaker: &str) -> String {
    sentence.to_owned()
}
