//! The sentences that the design gives as examples, each read by the rules alone.

use selfsame_core::entity::EntityKind;
use selfsame_core::knowledge::ObservationKind;
use selfsame_core::knowledge::claim::{About, Reading, Says};
use selfsame_core::knowledge::rules::read;
use selfsame_core::knowledge::value::value_key;

fn named(name: &str, likely: EntityKind) -> About {
    About::Named { name: name.to_owned(), likely }
}

#[track_caller]
fn only(text: &str) -> Reading {
    let mut found = read(text);
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.remove(0)
}

#[track_caller]
fn reads(text: &str, about: &About, kind: ObservationKind, slot: &str, value: &str) {
    let reading = only(text);
    check(&reading, about, kind, slot, value);
    assert_eq!(reading.sentence, text);
}

#[track_caller]
fn check(reading: &Reading, about: &About, kind: ObservationKind, slot: &str, value: &str) {
    assert_eq!(
        (&reading.about, reading.kind, reading.slot.as_str(), reading.value.as_str(), reading.says),
        (about, kind, slot, value, Says::Holds),
        "{reading:?}"
    );
}

use ObservationKind::{
    OperatorPreference, ProjectState, RelationshipFact, SelfModel, ToolingState, WorldFact,
};

#[test]
fn knowledge_seed_a_preference_over_another() {
    let text = "User prefers PostgreSQL over MongoDB for ACID compliance";
    reads(text, &About::Operator, OperatorPreference, "database", "PostgreSQL");
    assert_eq!(only(text).replaces, None);
}

#[test]
fn knowledge_seed_a_preference_without_a_question() {
    for (text, value) in [
        ("User prefers free/open-source when quality is comparable", "free/open-source"),
        ("User prefers free software when quality is comparable", "free software"),
    ] {
        reads(text, &About::Operator, OperatorPreference, "preference", value);
        assert!(only(text).many);
    }
}

#[test]
fn knowledge_seed_how_to_answer() {
    let text = "User responds best to concise technical summaries, not verbose explanations";
    reads(text, &About::Operator, OperatorPreference, "response_style", "concise technical summaries");
    assert!(!only(text).many);
}

#[test]
fn knowledge_seed_a_project_says_two_things() {
    let found = read("Project callscrub.io is in active development, targeting Q2 launch");
    let project = named("callscrub.io", EntityKind::Project);
    assert_eq!(found.len(), 2, "{found:?}");
    check(&found[0], &project, ProjectState, "phase", "active development");
    check(&found[1], &project, ProjectState, "launch_target", "Q2");
}

#[test]
fn knowledge_seed_a_project_on_a_framework() {
    let found = read("holace is in active development on Next.js 14");
    let project = named("holace", EntityKind::Project);
    assert_eq!(found.len(), 2, "{found:?}");
    check(&found[0], &project, ProjectState, "phase", "active development");
    check(&found[1], &project, ProjectState, "framework", "Next.js 14");
}

#[test]
fn knowledge_seed_what_a_channel_processes() {
    let channel = named("Telegram channel", EntityKind::Tool);
    let text = "The Telegram channel processes approximately 40 messages per day";
    reads(text, &channel, ToolingState, "throughput", "40 messages per day");
}

#[test]
fn knowledge_seed_mode_and_port() {
    for text in
        ["Telegram bot uses webhook mode on port 443", "The Telegram bot uses webhook mode on port 443"]
    {
        let found = read(text);
        let bot = named("Telegram bot", EntityKind::Tool);
        assert_eq!(found.len(), 2, "{found:?}");
        check(&found[0], &bot, ToolingState, "mode", "webhook");
        check(&found[1], &bot, ToolingState, "port", "443");
    }
}

#[test]
fn knowledge_seed_who_is_whose_partner() {
    let jason = named("Jason", EntityKind::Person);
    reads("Richard is Jason's business partner", &jason, RelationshipFact, "business_partner", "Richard");
    reads("Richard is Jason’s business partner", &jason, RelationshipFact, "business_partner", "Richard");
}

#[test]
fn knowledge_seed_the_agent_of_itself() {
    reads("Memory recall skews toward knowledge type", &About::Agent, SelfModel, "recall_bias", "knowledge");
    reads(
        "My recall skews toward knowledge memories",
        &About::Speaker,
        SelfModel,
        "recall_bias",
        "knowledge",
    );
}

#[test]
fn knowledge_seed_a_release() {
    let text = "Claude Opus 4 was released May 2025";
    reads(text, &About::World, WorldFact, "claude_opus_4_release", "May 2025");
}

#[test]
fn knowledge_seed_one_question_in_four_sentences() {
    let maya = named("Maya", EntityKind::Person);
    for (text, value) in [
        ("Maya prefers PostgreSQL", "PostgreSQL"),
        ("Maya switched from PostgreSQL to SQLite", "SQLite"),
        ("Maya prefers SQLite", "SQLite"),
        ("Maya uses PostgreSQL for everything", "PostgreSQL"),
    ] {
        reads(text, &maya, OperatorPreference, "database", value);
    }
    let switched = only("Maya switched from PostgreSQL to SQLite");
    assert_eq!(switched.replaces.as_deref().map(value_key).as_deref(), Some("postgresql"));
}
