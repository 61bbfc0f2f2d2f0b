//! How a belief is told, and what touches one.

use proptest::prelude::*;
use selfsame_core::knowledge::claim::Says;
use selfsame_core::knowledge::rules::read;
use selfsame_core::knowledge::slot::name_words;
use selfsame_core::knowledge::summary::third_person;
use selfsame_core::knowledge::topical::touches;
use selfsame_core::text::terms;
use std::collections::BTreeSet;

#[test]
fn knowledge_summary_is_told_of_the_speaker() {
    for (said, told) in [
        ("I prefer tea, and my dog hates it", "Maya prefers tea, and Maya's dog hates it"),
        ("I'm from Graz.", "Maya is from Graz."),
        ("I am a nurse and I have two cats.", "Maya is a nurse and Maya has two cats."),
        ("I don't like coriander.", "Maya doesn't like coriander."),
        ("I’ve moved to Oslo.", "Maya has moved to Oslo."),
        ("I really like tea and coffee.", "Maya really likes tea and coffee."),
        ("I live in Graz and work at Initech.", "Maya lives in Graz and works at Initech."),
        ("I switched from Vim to Helix.", "Maya switched from Vim to Helix."),
        ("I can't stand noise.", "Maya can't stand noise."),
        ("I never watch football.", "Maya never watches football."),
        ("I study physics, and Tom teaches me.", "Maya studies physics, and Tom teaches Maya."),
        ("I need quiet.", "Maya needs quiet."),
        ("I do yoga.", "Maya does yoga."),
        ("I play chess with my sister.", "Maya plays chess with Maya's sister."),
        ("I go home.", "Maya goes home."),
        ("The blue one is mine.", "The blue one is Maya's."),
    ] {
        assert_eq!(third_person(said, "Maya"), told);
    }
}

#[test]
fn knowledge_summary_leaves_what_is_not_of_the_speaker() {
    for said in [
        "Tom prefers tea.",
        "We use PostgreSQL, and our server is old.",
        "World War I.",
        "Some fruit, i.e. apples.",
        "Richard is Jason's business partner",
        "",
    ] {
        assert_eq!(third_person(said, "Maya"), said);
    }
}

#[test]
fn knowledge_summary_is_one_sentence_of_three_hundred_characters() {
    assert_eq!(third_person("I like tea. I hate coffee.", "Maya"), "Maya likes tea.");
    let long = third_person(&format!("I like {}", "very ".repeat(200)), "Maya");
    assert!(long.chars().count() <= 300 && long.ends_with("very…"), "{long}");
    let unbroken = third_person(&"ж".repeat(1000), "Maya");
    assert_eq!(unbroken.chars().count(), 300);
    let whole = "x".repeat(300);
    assert_eq!(third_person(&whole, "Maya"), whole);
}

fn analysed(text: &str) -> BTreeSet<String> {
    terms(text).into_iter().collect()
}

fn touched(sentence: &str, slot: &str, value: &str) -> Option<Says> {
    touches(&analysed(sentence), &name_words(slot), &analysed(value))
}

#[test]
fn knowledge_topical_touch() {
    let sentence = "For the launch we keep June as the target.";
    assert_eq!(touched(sentence, "launch_target", "June"), Some(Says::Holds));
    assert_eq!(touched(sentence, "launch_target", "1 June"), Some(Says::Touches));
    assert_eq!(touched("The launch target is not June.", "launch_target", "June"), Some(Says::Touches));
    assert_eq!(touched("The launch target isn't June.", "launch_target", "June"), Some(Says::Touches));
    assert_eq!(touched("The launch was loud, in June.", "launch_target", "June"), None, "half of the words");
    assert_eq!(
        touched("coffee order size large", "coffee_order_size_today_please", "large"),
        Some(Says::Holds)
    );
    assert_eq!(touched("Databases are hard.", "database", ""), Some(Says::Touches));
    assert_eq!(touched("anything", "", "anything"), None);
}

proptest! {
    #[test]
    fn knowledge_topical_never_contradicts(sentence in "[a-z ]{0,60}", slot in "[a-z_]{0,20}", value in "[a-z ]{0,20}") {
        prop_assert_ne!(touched(&sentence, &slot, &value), Some(Says::Denies));
    }

    #[test]
    fn knowledge_rules_take_any_text(text in any::<String>()) {
        prop_assert_eq!(read(&text), read(&text));
        third_person(&text, "Maya");
    }

    #[test]
    fn knowledge_rules_take_any_words(
        words in proptest::collection::vec(proptest::sample::select(WORDS), 1..14),
    ) {
        let text = words.join(" ");
        for reading in read(&text) {
            prop_assert!(!reading.value.trim().is_empty() && !reading.slot.is_empty(), "{text:?}: {reading:?}");
            // That something was done is a word of ours; every other answer is one of theirs.
            let is_deed = reading.slot.starts_with("done_") && reading.value == "done";
            prop_assert!(is_deed || text.contains(&reading.value), "{text:?}: {reading:?}");
        }
        prop_assert!(third_person(&text, "Maya").chars().count() <= 300);
    }
}

/// Words that the rules look for, so that chance meets them.
const WORDS: &[&str] = &[
    "I",
    "my",
    "Maya",
    "Maya's",
    "the",
    "The",
    "user",
    "user's",
    "agent's",
    "project",
    "Falcon",
    "bot",
    "server",
    "a",
    "is",
    "was",
    "not",
    "no longer",
    "never",
    "don't",
    "can't",
    "prefers",
    "prefer",
    "likes",
    "hates",
    "uses",
    "use",
    "runs",
    "lives",
    "in",
    "on",
    "at",
    "to",
    "from",
    "of",
    "for",
    "over",
    "instead",
    "rather than",
    "and",
    "but",
    ",",
    "moved",
    "switched",
    "stopped",
    "using",
    "released",
    "came out",
    "called",
    "favourite",
    "editor",
    "launch",
    "deadline",
    "due",
    "targeting",
    "Q2",
    "June",
    "2025",
    "port",
    "443",
    "mode",
    "webhook",
    "implemented",
    "increased",
    "improved",
    "reached",
    "completed",
    "has",
    "have",
    "which",
    "score",
    "$90",
    "90%",
    "12",
    "modules",
    "April",
    "5",
    "PostgreSQL",
    "C++",
    "tea",
    "processes",
    "about",
    "40",
    "per day",
    "has",
    "grown",
    "commits",
    "recall",
    "skews",
    "toward",
    "boss",
    "sister",
    "built",
    "works",
    "as",
    "nurse",
    "joined",
    "tend",
    "speaks",
    "plays",
    "chess",
    "costs",
    "has been",
    "this",
    "it",
];
