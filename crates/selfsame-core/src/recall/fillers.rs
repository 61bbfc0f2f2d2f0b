//! Words that make a sentence of a question and say nothing of what is asked for.
//!
//! They stay in the index (a text may be about The Who), and a question that is made of nothing else is looked for as it
//! stands. Chosen by hand from English grammar: articles, pronouns, auxiliaries, prepositions, question words.

use crate::text::terms;
use std::collections::BTreeSet;
use std::sync::LazyLock;

const FILLERS: &str = "a an the and or but if of to in on at by for from with about as into than then so that this these \
    those it its it's is are was were be been being am do does did doing done has have had having will would can could \
    should may might must shall not no nor i me my mine we us our ours you your yours he him his she her hers they them \
    their theirs what which who whom whose when where why how there here any some all both each such own same too very \
    just also i'm i've you're you've he's she's we're we've they're they've that's what's who's where's how's \
    isn't aren't wasn't weren't don't doesn't didn't won't wouldn't can't couldn't shouldn't let's please tell";

/// Without their apostrophes, as the index has them, these are other words: an ID, and to be ill.
const ONLY_AS_WRITTEN: [&str; 2] = ["i'd", "i'll"];

static KNOWN: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let words = FILLERS.split_whitespace().chain(ONLY_AS_WRITTEN).map(str::to_owned);
    terms(FILLERS).into_iter().chain(words).collect()
});

/// Whether a word, or a term of the index, is one of them.
pub fn is_filler(word: &str) -> bool {
    KNOWN.contains(word)
}
