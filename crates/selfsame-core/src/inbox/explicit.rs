//! Asking to have something remembered: the one thing that is promoted without a review, so it must be said plainly.

use crate::sentence::Sentence;

/// The cue of an explicit request begins so, and no other.
pub(super) const CUE_PREFIX: &str = "explicit:";

/// What may stand before a request without changing it.
const FILLERS: &[&str] = &[
    "by the way",
    "good morning",
    "good evening",
    "one more thing",
    "just so you know",
    "hey",
    "hi",
    "hello",
    "ok",
    "okay",
    "also",
    "and",
    "so",
    "oh",
    "btw",
    "thanks",
    "just",
    "fyi",
    "please",
    "pls",
    "plz",
    "right",
    "well",
    "but",
    "then",
    "again",
    "kindly",
    "yes",
    "yeah",
    "always",
];

/// Who is asked, and how politely.
const ASKING: &[&str] = &[
    "can you",
    "could you",
    "would you",
    "will you",
    "i want you to",
    "i need you to",
    "i'd like you to",
    "i would like you to",
    "you should",
    "you must",
    "you need to",
    "make sure to",
    "make sure you",
    "be sure to",
    "try to",
    "remember to note",
];

/// The requests, and the names of their rules.
const REQUESTS: &[(&str, &str)] = &[
    ("just so you remember", "explicit:remember"),
    ("so you remember", "explicit:remember"),
    ("remember", "explicit:remember"),
    ("don't|dont|never forget", "explicit:don't forget"),
    ("do not forget", "explicit:don't forget"),
    ("make|take a note", "explicit:note"),
    ("note down", "explicit:note"),
    ("take note", "explicit:note"),
    ("note", "explicit:note"),
    ("keep|bear in mind", "explicit:keep in mind"),
    ("for future reference", "explicit:for future reference"),
    ("for the record", "explicit:for the record"),
];

/// Before a colon these make what follows somebody else's words.
const CITES: &[&str] = &[
    "says",
    "said",
    "wrote",
    "writes",
    "words",
    "was",
    "were",
    "title",
    "called",
    "translate",
    "line",
    "lyrics",
    "quote",
    "write",
    "text",
    "reads",
    "read",
    "told",
    "slogan",
    "motto",
    "draft",
    "summarise",
    "summarize",
    "message",
    "mail",
    "rewrite",
    "if",
];

/// After "remember that" these are something to look back on together.
const LOOKING_BACK: &[&str] = &[
    "time", "day", "night", "summer", "winter", "spring", "autumn", "movie", "film", "song", "one", "guy",
    "girl", "trip", "party", "place", "feeling", "moment", "year", "weekend", "evening", "morning",
    "meeting", "show", "episode", "game", "story",
];

/// What is asked to be remembered, and by which rule.
pub(super) struct Request<'t> {
    pub(super) payload: &'t str,
    pub(super) cue: &'static str,
}

/// The request in a sentence, if there is one.
pub(super) fn request<'t>(sentence: &Sentence<'t>) -> Option<Request<'t>> {
    beginnings(sentence).into_iter().find_map(|at| request_at(sentence, at))
}

/// Where a request may begin: the start, and after a colon, unless what stands before it announces a quotation.
fn beginnings(sentence: &Sentence) -> Vec<usize> {
    let mut found = vec![0];
    for at in 0..sentence.len() {
        let cites = (0..=at).any(|word| CITES.contains(&sentence.word(word)));
        if sentence.marks_after(at).contains([':', ';', '—']) && !cites {
            found.push(at + 1);
        }
    }
    found
}

fn request_at<'t>(sentence: &Sentence<'t>, start: usize) -> Option<Request<'t>> {
    let (at, polite) = skip_courtesies(sentence, start);
    let (words, cue) = REQUESTS.iter().find(|(words, _)| sentence.has_at(at, words))?;
    let last = at + words.split(' ').count() - 1;
    if sentence.asks() && !polite {
        return None;
    }
    let payload_at = payload(sentence, last, words)?;
    let payload = sentence.text_from(payload_at).trim_end_matches(['?', ' ']);
    let says_something = sentence.len() - payload_at >= 2;
    let quoted = sentence.text[..sentence.tokens[at].start].contains(['"', '“', '\'']);
    (says_something && !quoted).then_some(Request { payload, cue })
}

fn skip_courtesies(sentence: &Sentence, start: usize) -> (usize, bool) {
    let mut at = start;
    let mut polite = false;
    loop {
        if let Some(words) = FILLERS.iter().find(|words| sentence.has_at(at, words)) {
            // "Just so you remember" is a request of its own.
            if sentence.has_at(at, "just so you remember") {
                return (at, polite);
            }
            at += words.split(' ').count();
        } else if let Some(words) = ASKING.iter().find(|words| sentence.has_at(at, words)) {
            at += words.split(' ').count();
            polite = true;
        } else {
            return (at, polite);
        }
    }
}

/// Where what is to be remembered begins; none if the words are used in another sense.
fn payload(sentence: &Sentence, last: usize, words: &str) -> Option<usize> {
    let marked = |at: usize| sentence.marks_after(at).contains([':', ',', '—', '-']);
    if marked(last) {
        return Some(last + 1);
    }
    let next = last + 1;
    match sentence.word(next) {
        // "Remember this: ..."
        "this" | "it" => marked(next).then_some(next + 1),
        "that" => (!LOOKING_BACK.contains(&sentence.word(next + 1)) && !is_pointing(sentence, next + 1))
            .then_some(next + 1),
        "down" if sentence.has_at(next, "down that") => Some(next + 2),
        "also" | "please" if sentence.has_at(next, "also|please that") => Some(next + 2),
        "to" | "about" if !words.starts_with("note") => Some(next + 1),
        "of" if words.ends_with("note") => Some(next + 1),
        "i" | "i'm" | "i've" | "i'd" | "i'll" | "my" | "we" | "we're" | "our" | "the" | "he" | "she"
        | "they" | "his" | "her"
            if !sentence.has_at(next, "the time|day|night|good|old") && words != "note" =>
        {
            Some(next)
        }
        _ => None,
    }
}

/// "Remember that?" and "remember that, please" point at something that is not in the sentence.
fn is_pointing(sentence: &Sentence, at: usize) -> bool {
    matches!(sentence.word(at), "" | "please" | "for" | "one" | "too" | "ok" | "okay")
}
