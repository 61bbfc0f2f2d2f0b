//! A list of words that is looked into often.

use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Words, written with blanks between them.
pub(super) struct Vocabulary {
    written: &'static str,
    words: OnceLock<BTreeSet<&'static str>>,
}

impl Vocabulary {
    pub(super) const fn of(written: &'static str) -> Vocabulary {
        Vocabulary { written, words: OnceLock::new() }
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        self.words.get_or_init(|| self.written.split_whitespace().collect()).contains(word)
    }
}
