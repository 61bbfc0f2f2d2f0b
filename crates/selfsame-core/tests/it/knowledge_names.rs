//! The names of questions and of answers: keys, slots, one spelling.

use proptest::prelude::*;
use selfsame_core::entity::EntityKind;
use selfsame_core::id::{AgentId, EntityId, Id, ObservationId};
use selfsame_core::knowledge::claim::{About, Claim, Reader, Reading, Says};
use selfsame_core::knowledge::confidence::{Components, Inputs};
use selfsame_core::knowledge::key::{canonical, segment};
use selfsame_core::knowledge::observation::Standing;
use selfsame_core::knowledge::slot::{Nature, SEEDED, Slot, joined, name_words, overlap, registry, seeded};
use selfsame_core::knowledge::value::{slot_of_value, value_key};
use selfsame_core::knowledge::{Observation, ObservationKind, Status, Subject, correction, router};
use selfsame_core::memory::Stated;
use selfsame_core::time::Time;
use std::collections::{BTreeMap, BTreeSet};

// Segments -------------------------------------------------------------------------------------------------------------

#[test]
fn knowledge_segments_that_lost_a_sign_stay_apart() {
    let texts = [
        "C", "C++", "C#", "C+", ".C", "C.", "C/", "C *", "c_", "c-c", "+", "#", "", "!!", "!", "?", "🙂",
        "🙃",
    ];
    let segments: BTreeSet<String> = texts.iter().map(|text| segment(text)).collect();
    assert_eq!(segments.len(), texts.len(), "{segments:?}");
    assert_eq!(segment("C"), "c");
    assert!(segment("C++").starts_with("c~"), "{}", segment("C++"));
}

#[test]
fn knowledge_segments_fold_what_is_the_same() {
    for (one, other) in [
        ("Falcon Project", "falcon-project"),
        ("  Falcon   Project ", "falcon project"),
        ("ＦＡＬＣＯＮ", "falcon"),
        ("Äpfel", "A\u{308}pfel"),
        ("snake_case", "Snake_Case"),
        ("日本 語", "日本-語"),
    ] {
        assert_eq!(segment(one), segment(other), "{one} and {other}");
        assert!(!segment(one).contains('~'), "{}", segment(one));
    }
}

#[test]
fn knowledge_segments_are_short_and_still_differ() {
    let long = "word ".repeat(40);
    let longer = format!("{long} x");
    assert_ne!(segment(&long), segment(&longer));
    assert!(segment(&long).chars().count() <= 64 + 9);
    let just = "a".repeat(64);
    assert_eq!(segment(&just), just);
    assert!(segment(&"a".repeat(65)).contains('~'));
    // Characters are counted, not bytes.
    let wide = "ж".repeat(64);
    assert_eq!(segment(&wide), wide);
}

#[test]
fn knowledge_segments_of_nothing_are_something() {
    for text in ["", " ", "-", "---", "\t\n", "…", "¿?"] {
        let segment = segment(text);
        assert!(segment.starts_with('~') && segment.len() == 9, "{text:?}: {segment}");
    }
}

proptest! {
    #[test]
    fn knowledge_segments_hold_only_what_a_key_may(text in any::<String>()) {
        let once = segment(&text);
        prop_assert_eq!(&once, &segment(&text));
        prop_assert!(!once.is_empty() && once.chars().count() <= 73);
        prop_assert!(!once.contains([':', '#', ' ', '/']));
        prop_assert!(!once.contains("--") && !once.starts_with('-'));
        if !once.contains('~') {
            prop_assert_eq!(segment(&once), once);
        }
    }

    #[test]
    fn knowledge_values_are_compared_without_case_and_articles(text in "[a-zA-Z0-9 ,.+#%-]{1,40}") {
        let key = value_key(&text);
        prop_assert_eq!(&key, &value_key(&text.to_uppercase()));
        prop_assert!(key.is_empty() != text.contains(|c: char| c.is_alphanumeric() || "+#%".contains(c)), "{key:?}");
    }
}

// Keys -----------------------------------------------------------------------------------------------------------------

fn entity() -> EntityId {
    EntityId::of(Id::NIL)
}

#[test]
fn knowledge_keys_are_as_designed() {
    let person = Subject::known(entity(), EntityKind::Person, "Maya");
    let keys = [
        (
            canonical(&person, ObservationKind::OperatorPreference, "database", None),
            format!("entity:{}:operator_preference:database", entity()),
        ),
        (
            canonical(&person, ObservationKind::RelationshipFact, "employer", None),
            format!("entity:{}:relationship_fact:employer", entity()),
        ),
        (
            canonical(&Subject::project("callscrub.io"), ObservationKind::ProjectState, "phase", None),
            format!("project:{}:project_state:phase", segment("callscrub.io")),
        ),
        (
            canonical(&Subject::tool("Telegram bot"), ObservationKind::ToolingState, "mode", None),
            "tool:telegram-bot:tooling_state:mode".to_owned(),
        ),
        (
            canonical(&Subject::own(), ObservationKind::SelfModel, "recall_bias", None),
            "agent:self:self_model:recall_bias".to_owned(),
        ),
        (
            canonical(&Subject::world(), ObservationKind::WorldFact, "claude_opus_4_release", None),
            "global:world_fact:claude_opus_4_release".to_owned(),
        ),
    ];
    for (key, wanted) in keys {
        assert_eq!(key, wanted);
    }
}

#[test]
fn knowledge_keys_of_coexisting_values_differ() {
    let claim = |value: &str, many| Claim {
        subject: Subject::own(),
        kind: ObservationKind::SelfModel,
        slot: "tendency".to_owned(),
        many,
        value: value.to_owned(),
        says: Says::Holds,
        replaces: None,
        sentence: String::new(),
        reader: Reader::Rules,
    };
    assert_eq!(claim("c", true).key(), "agent:self:self_model:tendency#c");
    assert_ne!(claim("c", true).key(), claim("c + +", true).key());
    assert_eq!(claim("c", false).key(), claim("c + +", false).key());
    // Neither a slot nor a value can reach into another key.
    assert!(!claim("x:y#z", true).key()["agent:self:self_model:tendency#".len()..].contains([':', '#']));
}

// Slots ----------------------------------------------------------------------------------------------------------------

#[test]
fn knowledge_slots_have_each_name_once() {
    let mut homes: BTreeMap<&str, &str> = BTreeMap::new();
    for slot in SEEDED {
        for name in slot.synonyms.iter().chain([&slot.name]) {
            assert_eq!(homes.insert(name, slot.name), None, "{name} stands twice");
            assert_eq!(seeded(name).map(|found| found.name), Some(slot.name));
            assert_eq!(name.to_lowercase(), *name);
            assert!(!name.contains(' '), "{name}");
        }
    }
    assert!(SEEDED.len() >= 80);
}

#[test]
fn knowledge_slots_that_coexist() {
    for (name, many) in [
        ("employer", false),
        ("residence", false),
        ("database", false),
        ("phase", false),
        ("port", false),
        ("partner", false),
        ("hobby", true),
        ("pet", true),
        ("allergy", true),
        ("preference", true),
        ("dislike", true),
        ("sister", true),
    ] {
        assert_eq!(seeded(name).map(|slot| slot.many), Some(many), "{name}");
    }
    assert_eq!(seeded("job").map(|slot| slot.name), Some("employer"));
    assert_eq!(seeded("workplace").map(|slot| slot.name), Some("employer"));
    assert_eq!(seeded("quux"), None);
}

fn slot(ordinal: i64, name: &str, joins: Option<&str>) -> Slot {
    Slot { ordinal, name: name.to_owned(), joins: joins.map(str::to_owned), many: false }
}

#[test]
fn knowledge_slots_join_the_nearest() {
    let known =
        [slot(1, "coffee_order", None), slot(2, "coffee_order_size", None), slot(3, "shoe_size", None)];
    let name = |asked: &str| joined(asked, &known).map(|slot| slot.name.as_str());
    assert_eq!(name("coffee-orders"), Some("coffee_order"));
    assert_eq!(name("size of coffee order"), Some("coffee_order_size"));
    assert_eq!(name("coffee"), None);
    assert_eq!(name("shoe"), None);
    assert_eq!(name(""), None);
}

#[test]
fn knowledge_slots_join_from_three_fifths_on() {
    // Three words of five are the same: exactly 0.6.
    let known = [slot(1, "red green blue grey", None)];
    assert_eq!(overlap(&name_words("red green blue pink"), &name_words("red green blue grey")), 0.6);
    assert!(joined("red green blue pink", &known).is_some());
    assert!(joined("red green pink", &known).is_none());
}

#[test]
fn knowledge_slots_join_the_first_of_equally_near_ones() {
    let (first, second) = (slot(4, "tea_cup_size", None), slot(9, "tea_pot_size", None));
    for known in [[first.clone(), second.clone()], [second, first]] {
        assert_eq!(joined("tea_size", &known).map(|slot| slot.ordinal), Some(4));
    }
}

#[test]
fn knowledge_slots_that_joined_another_are_joined_no_more() {
    let known = [slot(1, "coffee_order", Some("usual_drink")), slot(2, "usual_drink", None)];
    assert_eq!(joined("coffee_order", &known), None);
    assert_eq!(joined("drink_usual", &known).map(|slot| slot.ordinal), Some(2));
}

// Values ---------------------------------------------------------------------------------------------------------------

#[test]
fn knowledge_values_have_one_spelling() {
    for (one, other) in [
        ("Postgres", "PostgreSQL"),
        ("postgres 16", "PostgreSQL 16"),
        ("JS", "JavaScript"),
        ("k8s", "Kubernetes"),
        ("Next.js 14", "NextJS 14"),
        ("VS Code", "vscode"),
        ("golang", "Go"),
        ("250ms", "250 ms"),
        ("1,000", "1000"),
        ("40 messages a day", "40 messages per day"),
        ("the city library", "city library"),
        ("4pm", "4 PM"),
        ("C++", "cpp"),
    ] {
        assert_eq!(value_key(one), value_key(other), "{one} and {other}");
        assert_eq!(value_key(&value_key(one)), value_key(one), "{one}");
    }
}

#[test]
fn knowledge_values_that_differ_stay_apart() {
    let values = [
        "C",
        "C++",
        "C#",
        "PostgreSQL",
        "PostgreSQL 16",
        "250 ms",
        "250 s",
        "May 2025",
        "12 May",
        "3.5",
        "35",
    ];
    let keys: BTreeSet<String> = values.iter().map(|value| value_key(value)).collect();
    assert_eq!(keys.len(), values.len(), "{keys:?}");
    assert_eq!(value_key("12 May 2025"), "12 may 2025");
    assert_eq!(value_key("the"), "the");
}

#[test]
fn knowledge_values_name_their_question() {
    for (value, slot) in [
        ("PostgreSQL", Some("database")),
        ("postgres 16", Some("database")),
        ("Vim", Some("editor")),
        ("C++", Some("language")),
        ("Debian 12", Some("operating_system")),
        ("Next.js 14", Some("framework")),
        ("dark theme", Some("theme")),
        ("tea", Some("drink")),
        ("tabs", None),
        ("12", None),
        ("", None),
    ] {
        assert_eq!(slot_of_value(&value_key(value)), slot, "{value}");
    }
}

#[test]
fn knowledge_values_name_only_known_questions() {
    for value in [
        "sqlite",
        "emacs",
        "rust",
        "linux",
        "react",
        "zsh",
        "kitty",
        "firefox",
        "aws",
        "docker",
        "nomad",
        "jenkins",
        "npm",
        "git",
        "kafka",
        "nginx",
        "jira",
        "notion",
        "dark mode",
        "teal",
        "tea",
        "metric",
        "slack",
        "dvorak",
        "vegan",
    ] {
        let slot = slot_of_value(value).expect(value);
        assert_eq!(seeded(slot).map(|found| (found.name, found.many)), Some((slot, false)), "{value}");
        assert_eq!(value_key(value), value, "the lexicon has keys");
    }
}

#[test]
fn knowledge_slots_are_listed_by_all_their_names() {
    let own = |ordinal: i64, name: &str, joins: Option<&str>, many: bool| Slot {
        ordinal,
        name: name.to_owned(),
        joins: joins.map(str::to_owned),
        many,
    };
    let list = [
        own(0, "shoe-size", None, false),
        own(1, "size-of-shoe", Some("shoe-size"), false),
        own(2, "failure-mode", None, true),
    ];
    let all = registry(&list);
    let (seeded, listed) = all.split_at(SEEDED.len());
    assert!(seeded.iter().zip(SEEDED).all(|(one, known)| one.name == known.name && !one.is_own));
    let database = all.iter().find(|slot| slot.name == "database").unwrap();
    assert_eq!((database.many, database.nature.as_str()), (false, "taste"));
    assert_eq!(database.synonyms, ["db", "datastore"]);
    let told: Vec<_> =
        listed.iter().map(|slot| (slot.name.as_str(), slot.many, slot.nature, slot.is_own)).collect();
    assert_eq!(told, [("shoe-size", false, Nature::Fact, true), ("failure-mode", true, Nature::Fact, true)]);
    assert_eq!(listed[0].synonyms, ["size-of-shoe"]);
}

// What is stated and what is corrected --------------------------------------------------------------------------------

fn stated(subject: &str, slot: &str) -> Stated {
    let (subject, slot, value) = (subject.to_owned(), slot.to_owned(), "SQLite".to_owned());
    Stated { subject, kind: None, slot, value, denied: false, replaces: None }
}

#[test]
fn knowledge_stated_in_so_many_words_is_about_whom_it_names() {
    let about = |subject: &str| Reading::stated(&stated(subject, "database"), "").about;
    let id = EntityId::of(Id::NIL);
    assert_eq!(about("self"), About::Agent);
    assert_eq!(about("world"), About::World);
    assert_eq!(about(&id.to_string()), About::Known(id));
    for (kind, likely) in [
        (None, EntityKind::Person),
        (Some(ObservationKind::RelationshipFact), EntityKind::Person),
        (Some(ObservationKind::ProjectState), EntityKind::Project),
        (Some(ObservationKind::ToolingState), EntityKind::Tool),
    ] {
        let named = Reading::stated(&Stated { kind, ..stated("Heron", "phase") }, "").about;
        assert_eq!(named, About::Named { name: "Heron".into(), likely });
    }
}

#[test]
fn knowledge_stated_in_so_many_words_is_of_the_kind_that_its_question_asks_for() {
    let kind = |slot: &str| Reading::stated(&stated("Maya", slot), "").kind;
    for taste in ["database", "db", "DB", "editor", "preference", "Response_Style"] {
        assert_eq!(kind(taste), ObservationKind::OperatorPreference, "{taste}");
    }
    for fact in ["employer", "job", "partner", "shoe size", ""] {
        assert_eq!(kind(fact), ObservationKind::RelationshipFact, "{fact}");
    }
    let told = Stated { kind: Some(ObservationKind::WorldFact), ..stated("Maya", "database") };
    assert_eq!(Reading::stated(&told, "").kind, ObservationKind::WorldFact, "who says which is heard");
}

#[test]
fn knowledge_stated_in_so_many_words_keeps_its_parts() {
    let told = Stated { denied: true, replaces: Some("MySQL".into()), ..stated("Maya", "db") };
    let read = Reading::stated(&told, "Maya left MySQL");
    assert_eq!((read.slot.as_str(), read.value.as_str(), read.says), ("db", "SQLite", Says::Denies));
    assert_eq!((read.replaces.as_deref(), read.sentence.as_str()), (Some("MySQL"), "Maya left MySQL"));
    assert_eq!(Reading::stated(&stated("Maya", "db"), "").says, Says::Holds);
}

fn belief(subject: Subject, key: &str) -> Observation {
    let at = Time::from_micros(0);
    Observation {
        id: ObservationId::of(Id::NIL),
        agent: AgentId::of(Id::NIL),
        kind: ObservationKind::OperatorPreference,
        subject,
        key: key.to_owned(),
        value: "sqlite".into(),
        summary: "Maya uses SQLite".into(),
        detail: None,
        tags: Vec::new(),
        supersedes: None,
        created_at: at,
        phrasing: None,
        standing: Standing {
            status: Status::Active,
            components: Components::of(Inputs::default()),
            freshness: 1.0,
            due_at: None,
            first_supported_at: None,
            last_supported_at: None,
            last_contradicted_at: None,
            updated_at: at,
        },
    }
}

#[test]
fn knowledge_corrections_that_are_bare_answers() {
    let maya = Subject::entity(EntityId::of(Id::NIL));
    let one = belief(maya.clone(), &format!("entity:{}:operator_preference:database", maya.id));
    for bare in ["SQLite", "the blue one", "one two three four"] {
        assert!(correction::is_bare(&one, bare), "{bare}");
    }
    for sentence in ["one two three four five", "Maya prefers SQLite", "I use SQLite"] {
        assert!(!correction::is_bare(&one, sentence), "{sentence}");
    }
    let many = belief(maya.clone(), &format!("entity:{}:relationship_fact:hobby#chess", maya.id));
    assert!(!correction::is_bare(&many, "go"), "another hobby makes nothing of this one");
}

#[test]
fn knowledge_corrections_as_sentences() {
    let maya = Subject::entity(EntityId::of(Id::NIL));
    let said =
        |subject: Subject, key: &str, name: &str| correction::sentence(&belief(subject, key), name, "tea");
    let key = format!("entity:{}:operator_preference:favourite_drink", maya.id);
    assert_eq!(said(maya, &key, "Maya"), "Maya's favourite drink is tea");
    assert_eq!(said(Subject::own(), "agent:self:self_model:recall_bias", "self"), "My recall bias is tea");
    assert_eq!(
        said(Subject::world(), "global:world_fact:drink-of_england", "world"),
        "The drink of england is tea"
    );
}

#[test]
fn knowledge_is_told_of_the_surest_first() {
    let id = |byte: u8| ObservationId::of(Id::from_bytes([byte; 16]));
    let mut all = [
        (Status::Superseded, 0.9, id(1)),
        (Status::Active, 0.5, id(3)),
        (Status::Stale, 0.7, id(5)),
        (Status::Active, 0.5, id(2)),
        (Status::Invalidated, 0.95, id(4)),
    ];
    all.sort_by(|one, other| router::surest_first(*one, *other));
    assert_eq!(all.map(|(_, _, id)| id), [id(5), id(2), id(3), id(4), id(1)]);
}
