//! Sentences that say nothing of their own: suppositions, somebody else's words, tasks, jokes.

use crate::sentence::Sentence;

/// Whether the sentence says nothing of its own: a supposition, somebody else's words, a task, a joke.
pub(crate) fn is_unreal(sentence: &Sentence) -> bool {
    supposes(sentence) || reports(sentence) || sentence.quotes() || sets_task(sentence) || jokes(sentence)
}

fn supposes(sentence: &Sentence) -> bool {
    let openers = "if|suppose|supposing|imagine|pretend|assume|assuming|hypothetically|unless|say";
    let at = usize::from(sentence.has_at(0, "and|but|so|or|what|even|only|well|then|now|ok|okay"));
    sentence.has_at(at, openers)
        || sentence.has_at(at, "let's|lets say|pretend|assume|imagine")
        || sentence.has_at(at, "let us say")
}

fn reports(sentence: &Sentence) -> bool {
    let speech = "said|says|say|told|tells|asked|asks|wrote|writes|claims|claimed|thinks|according|whether|keeps|insists|reckons";
    (0..sentence.len()).any(|at| {
        let own = at > 0 && matches!(sentence.word(at - 1), "i" | "we" | "i've" | "already");
        let wondering = sentence.has_at(at, "whether") && sentence.has("wonder|know|out|check|into|sure");
        sentence.has_at(at, speech) && !own && !wondering
    })
}

/// Whether the sentence asks for a text: what stands in it is meant for the text.
pub(crate) fn sets_task(sentence: &Sentence) -> bool {
    let verbs = "write|draft|translate|summarise|summarize|explain|compose|generate|rewrite|proofread|correct|reply|show|run|print|\
                 list|define|paraphrase|remind|tell|make|create|fix|add|implement|refactor";
    let mut at = 0;
    while sentence.has_at(at, "please|pls|can|could|would|you|ok|okay|now|then|and|hey|just") {
        at += 1;
    }
    sentence.has_at(at, verbs)
}

fn jokes(sentence: &Sentence) -> bool {
    sentence.has("haha|hahaha|lol|lmao|jk|kidding|joking|rofl")
}
