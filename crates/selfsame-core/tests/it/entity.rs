//! Names as they are looked up, and who a text mentions.

use proptest::prelude::*;
use selfsame_core::entity::{candidate_names, mentioned, name_key};
use selfsame_core::id::{EntityId, Id};
use std::collections::BTreeMap;

#[test]
fn a_name_is_found_however_it_is_written() {
    for (one, other) in [
        ("Maya", "MAYA"),
        ("José", "jose"),
        ("Ｍａｙａ", "maya"),
        ("  New   York  City ", "new york city"),
        ("Dr. Who", "Dr Who"),
        ("\"Maya\"", "maya"),
        ("AC/DC", "ac dc"),
        ("O’Brien", "o'brien"),
    ] {
        assert_eq!(name_key(one), name_key(other), "{one:?} and {other:?}");
    }
    for (one, other) in [("Running", "Run"), ("C++", "C"), ("C#", "C++"), ("Maya", "May a"), ("!!!", "???")] {
        assert_ne!(name_key(one), name_key(other), "{one:?} and {other:?}");
    }
}

/// Who of a few known people is mentioned in the text.
fn named(text: &str, known: &[&str]) -> Vec<String> {
    let id = |place: usize| EntityId::of(Id::from_bytes([place as u8 + 1; 16]));
    let by_key: BTreeMap<String, Vec<EntityId>> =
        known.iter().enumerate().map(|(place, name)| (name_key(name), vec![id(place)])).collect();
    let found = mentioned(&candidate_names(text), &by_key);
    let place = |found: &EntityId| (0..known.len()).find(|place| id(*place) == *found).expect("a known id");
    found.iter().map(|found| known[place(found)].to_owned()).collect()
}

#[test]
fn a_mention_is_written_as_a_name() {
    assert_eq!(named("I will go", &["Will"]), [""; 0]);
    assert_eq!(named("Ask Will.", &["Will"]), ["Will"]);
    assert_eq!(named("Maya's bicycle, Maya’s tea", &["Maya"]), ["Maya"]);
    assert_eq!(named("James' hat", &["James"]), ["James"]);
    assert_eq!(named("We shop at Macy's", &["Macy's"]), ["Macy's"]);
    assert_eq!(named("(Maya), \"Ben\"; and/or Zoe!", &["Maya", "Ben", "Zoe"]), ["Maya", "Ben", "Zoe"]);
    assert_eq!(named("the iPhone of MAYA", &["iPhone", "Maya"]), ["iPhone", "Maya"]);
    assert_eq!(named("Mayan ruins", &["Maya"]), [""; 0]);
    assert_eq!(named("", &["Maya"]), [""; 0]);
}

#[test]
fn the_longest_name_is_meant() {
    let known = ["New York City", "York", "New York"];
    assert_eq!(named("She moved to New York City", &known), ["New York City"]);
    assert_eq!(named("She moved to New York", &known), ["New York"]);
    assert_eq!(named("New York City is not York", &known), ["New York City", "York"]);
}

#[test]
fn scripts_without_case_have_names_too() {
    assert_eq!(named("田中さんは来た", &["田中"]), ["田中"]);
    assert_eq!(named("マヤは元気", &["マヤ"]), ["マヤ"]);
    assert_eq!(named("פגשתי את דוד אתמול", &["דוד"]), ["דוד"]);
    assert_eq!(named("Mayaさん", &["Maya"]), ["Maya"]);
}

#[test]
fn a_long_text_has_a_bounded_number_of_names() {
    assert_eq!(candidate_names(&"Maya met Ben. ".repeat(5000)).len(), 2000);
}

proptest! {
    #[test]
    fn any_text_is_taken(text in ".{0,200}") {
        candidate_names(&text);
    }

    #[test]
    fn a_key_is_its_own_key(name in "\\PC{1,40}") {
        let key = name_key(&name);
        prop_assert_eq!(name_key(&key), key);
    }

    #[test]
    fn a_capitalised_name_is_found_in_a_sentence(name in "[A-Z][a-z]{1,8}( [A-Z][a-z]{1,8}){0,3}") {
        prop_assert_eq!(named(&format!("yesterday {name}, was here"), &[&name]), [name]);
    }
}
