//! When two facts are one, and when they cannot both be true.

use proptest::prelude::*;
use selfsame_core::memory::sameness::{
    Odds, content_terms, gist_hash, is_same_in_other_words, odds, words_hash,
};

fn same(one: &str, other: &str) -> bool {
    words_hash(one) == words_hash(other)
}

#[test]
fn the_same_words_in_the_same_order_are_one_fact() {
    for (one, other) in [
        ("Maya likes tea", "maya likes TEA."),
        ("Maya likes tea", "  Maya  likes\ttea !"),
        ("Café au lait", "Cafe\u{301} au lait"),
        ("the build takes 1,000 steps", "The build takes 1000 steps"),
        ("\"Maya\" likes (green) tea", "Maya likes green tea"),
        ("東京に住んでいる", "東京に住んでいる。"),
    ] {
        assert!(same(one, other), "{one} / {other}");
    }
}

#[test]
fn what_differs_in_meaning_stays_apart() {
    for (one, other) in [
        ("Maya prefers A over B", "Maya prefers B over A"),
        ("the call is at 3 pm", "the call is at 4 pm"),
        ("Maya likes tea", "Maya does not like tea"),
        ("Maya likes tea", "Maya likes tea?"),
        ("it is -5 outside", "it is 5 outside"),
        ("it costs $5", "it costs €5"),
        ("it costs 5%", "it costs 5"),
        ("he studies the universe", "he studies the university"),
        ("Maya likes C", "Maya likes C++"),
        ("Maya likes C#", "Maya likes C"),
        ("Maya liked tea", "Maya likes tea"),
        ("a 👍 from Maya", "a 👎 from Maya"),
        ("1.5 litres", "15 litres"),
        ("!!!", "???"),
    ] {
        assert!(!same(one, other), "{one} / {other}");
    }
}

#[test]
fn what_cannot_both_be_true_is_at_odds() {
    for (one, other, how) in [
        ("Maya likes tea", "Maya does not like tea", Odds::Negation),
        ("Maya likes tea", "Maya doesn't like tea", Odds::Negation),
        ("Maya likes tea", "Maya no longer likes tea", Odds::Negation),
        ("The door is locked", "The door is not locked", Odds::Negation),
        ("Maya eats meat", "Maya never eats meat", Odds::Negation),
        ("The call is at 3 pm", "The call is at 4 pm", Odds::Number),
        ("The port is 443", "The port is 8443", Odds::Number),
        ("The rent costs 900 euros", "The rent costs 950 euros", Odds::Number),
        ("Maya prefers tea over coffee", "Maya prefers coffee over tea", Odds::Order),
    ] {
        assert_eq!(gist_hash(one), gist_hash(other), "{one} / {other}");
        assert_eq!(odds(one, other), Some(how), "{one} / {other}");
        assert_eq!(odds(other, one), Some(how), "{other} / {one}");
    }
}

#[test]
fn what_can_both_be_true_is_not() {
    for (one, other) in [
        ("Room 5 has 3 chairs", "Room 6 has 3 chairs"),
        ("Invoice 17 was paid", "Invoice 18 was paid"),
        ("Maya likes tea", "Maya likes coffee"),
        ("Maya likes tea", "Tea likes Maya"),
        ("Maya likes tea", "Noah does not like tea"),
        ("The call is at 3 pm", "The call is not at 4 pm"),
        ("Maya likes tea", "Maya likes tea."),
        ("On day 3 the call is at 5", "On day 4 the call is at 6"),
    ] {
        assert_eq!(odds(one, other), None, "{one} / {other}");
    }
}

#[test]
fn function_words_tell_nothing_of_what_a_text_is_about() {
    let words: Vec<String> =
        content_terms("What is the name of the dog that we have?").counts.into_keys().collect();
    assert_eq!(words, ["dog", "name"]);
}

proptest! {
    #[test]
    fn nothing_is_at_odds_with_itself(text in ".{0,60}") {
        prop_assert_eq!(odds(&text, &text), None);
    }

    #[test]
    fn being_at_odds_goes_both_ways(one in "(Maya|the call|not|is|likes|at|3|4|over|tea| ){0,8}",
                                    other in "(Maya|the call|not|is|likes|at|3|4|over|tea| ){0,8}") {
        prop_assert_eq!(odds(&one, &other), odds(&other, &one));
        if odds(&one, &other).is_some() {
            prop_assert_eq!(gist_hash(&one), gist_hash(&other));
            prop_assert!(words_hash(&one) != words_hash(&other));
        }
    }
}

#[test]
fn a_fact_in_other_words_is_the_same_fact() {
    for (one, other) in [
        ("Maya moved to Berlin in spring", "Maya moved to Berlin in the spring,"),
        ("Maya bought a car", "Maya purchased an automobile"),
        ("The car is red", "the car is red!"),
        ("He never smokes", "He never smokes cigarettes"),
        ("I prefer tea over coffee", "I like tea over coffee"),
        ("The meeting is on Monday", "We meet on Monday"),
        ("The flat has 3 rooms", "there are 3 rooms"),
    ] {
        assert!(is_same_in_other_words(one, other), "{one} / {other}");
        assert!(is_same_in_other_words(other, one), "{other} / {one}");
    }
}

#[test]
fn where_it_cannot_be_told_they_are_two() {
    for (one, other) in [
        ("The shop has 3 doors", "There are 3 doors in the shop"),
        ("Maya bought a car", "maya bought a car"),
        ("The flat has three rooms", "The flat has 3 rooms"),
    ] {
        assert!(!is_same_in_other_words(one, other), "{one} / {other}");
    }
}

#[test]
fn what_says_something_else_is_not() {
    for (one, other) in [
        ("Maya prefers tea over coffee", "Maya prefers coffee over tea"),
        ("The dog bit the man", "The man bit the dog"),
        ("Rent is 900 euros", "Rent is 950 euros"),
        ("The code is 12 34", "The code is 34 12"),
        ("The train leaves at 7", "The train leaves"),
        ("born on 2020-01-02", "born on 2020-02-01"),
        ("The party is on Monday", "The party is on Friday"),
        ("we meet in June", "we meet in July"),
        ("the match is tomorrow", "the match is today"),
        ("it opens before noon", "it opens after noon"),
        ("it opens at noon", "it opens at midnight"),
        ("the match is on sat", "the match is on sun"),
        ("we meet next week", "we meet next month"),
        ("we meet tonight", "we meet tomorrow"),
        ("the party is at christmas", "the party is at halloween"),
        ("I eat fish", "I never eat fish"),
        ("I do not eat fish", "I do eat fish"),
        ("Nobody likes me", "I am liked"),
        ("Maya called Zoe", "Zoe called Maya"),
        ("Maya likes opera", "Noah likes opera"),
        ("Maya likes opera", "She likes opera"),
        ("He hates that she called her", "She hates that he called her"),
    ] {
        assert!(!is_same_in_other_words(one, other), "{one} / {other}");
        assert!(!is_same_in_other_words(other, one), "{other} / {one}");
    }
}
