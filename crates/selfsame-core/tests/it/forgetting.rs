//! What repeats what, word for word; and what only the forgotten said.

use selfsame_core::forgetting::{Item, ItemKind, Phrases, Wanted, says_what_only_they_said, spoken, token};
use selfsame_core::id::{Id, MemoryId, MessageId};
use selfsame_core::text::terms;

#[test]
fn a_text_repeats_another_if_it_has_its_words_in_a_row() {
    let phrases = Phrases::of(["The zebra sleeps on the red sofa"]);
    for text in [
        "the zebra sleeps on the red sofa",
        "I know now: the Zebra sleeps, on the red sofa!",
        "THE ZEBRAS SLEEP ON THE RED SOFAS",
        "Well.\nThe zebra sleeps on\nthe red sofa",
    ] {
        assert!(phrases.are_in(text), "{text}");
    }
    for text in ["the zebra sleeps on the sofa", "the red sofa", "", "on the red sofa the zebra sleeps"] {
        assert!(!phrases.are_in(text), "{text}");
    }
}

#[test]
fn few_words_are_nobodys() {
    assert!(Phrases::of(["tea", "green tea", ""]).is_empty());
    assert!(!Phrases::of(["tea", "green tea is good"]).is_empty());
}

/// The quick look at the letters must never say no where the close look says yes.
#[test]
fn the_quick_look_misses_nothing() {
    let texts = [
        "Dying bells ring early on Tuesday",
        "Her state-of-the-art kitchen smells of cinnamon",
        "L'école est fermée jusqu'à demain",
        "The café's menu lists 1,000 dishes",
        "He happily carried the heaviest bundles",
        "node.js and kebab-case are neighbours",
        "東京都に住んでいます",
        "don't forget grandmother's birthday",
    ];
    for text in texts {
        let phrases = Phrases::of([text]);
        for copy in [text.to_owned(), format!("She said: {text}, and went."), text.to_uppercase()] {
            if terms(&copy).windows(terms(text).len()).any(|run| run == terms(text)) {
                assert!(phrases.are_in(&copy), "{copy}");
            }
        }
    }
    let many: Vec<String> =
        (0..200).map(|number| format!("phrase number {number} of the elephants")).collect();
    let phrases = Phrases::of(many.iter().map(String::as_str));
    assert!(phrases.are_in("here is phrase number 199 of the elephants"));
    assert!(!phrases.are_in("here is phrase number 200 of the elephants"));
}

#[test]
fn a_query_wants_all_its_words() {
    let wanted = Wanted::of("the red sofa").unwrap();
    assert!(wanted.are_in("a sofa, which is red"));
    assert!(!wanted.are_in("a red chair"));
    assert_eq!(Wanted::of("the of and"), None);
}

#[test]
fn what_is_kept_as_an_object_says_its_words() {
    assert_eq!(spoken("plain {words}"), "plain {words}");
    assert_eq!(spoken(r#"["a\nb", {"c": "d", "n": 4711}]"#), "a\nb\nc\nd\nn\n4711");
    assert_eq!(spoken("[no list"), "[no list");
}

#[test]
fn a_lesson_that_tells_what_only_they_told_is_theirs() {
    let (gone, left) = (["The code of the door is 4711"], ["The door creaks when it rains"]);
    assert!(says_what_only_they_said("Try 4711 first", &gone, &left));
    assert!(!says_what_only_they_said("Oil the door", &gone, &left), "the other one knows of the door, too");
    assert!(!says_what_only_they_said("Be patient", &gone, &left));
}

#[test]
fn a_token_names_exactly_these() {
    let item = |kind, byte: u8| Item { kind, id: Id::from_bytes([byte; 16]) };
    let (one, other) = (item(ItemKind::Memory, 1), item(ItemKind::Memory, 2));
    assert_eq!(token([one, other].into_iter()), token([other, one, one].into_iter()));
    assert_ne!(token([one].into_iter()), token([one, other].into_iter()));
    assert_ne!(token([one].into_iter()), token([item(ItemKind::Message, 1)].into_iter()));
}

#[test]
fn an_id_says_what_it_is_of() {
    let id = Id::from_bytes([7; 16]);
    assert_eq!(Item::parse(&MemoryId::of(id).to_string()), Some(Item { kind: ItemKind::Memory, id }));
    assert_eq!(Item::parse(&MessageId::of(id).to_string()), Some(Item { kind: ItemKind::Message, id }));
    for text in ["", "4711", "mem_", "agt_00000000000000000000000000", "obs_00000000000000000000000000"] {
        assert_eq!(Item::parse(text), None, "{text}");
    }
    for kind in ItemKind::ALL {
        assert_eq!(ItemKind::parse(kind.as_str()), Some(*kind));
    }
}
