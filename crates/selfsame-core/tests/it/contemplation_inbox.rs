//! What a thinker decided about the inbox, however it wrote it down.

use selfsame_core::contemplation::{InboxVerdict, InboxVerdicts};
use selfsame_core::inbox::Verdict;
use std::collections::BTreeSet;

fn tagged(json: &str) -> String {
    format!("Fine.\n[INBOX_JSON]\n{json}\n[/INBOX_JSON]\n")
}

fn plain(id: &str, verdict: Verdict) -> InboxVerdict {
    InboxVerdict { id: id.into(), verdict, into: None, reason: None }
}

fn promoted_and_rejected() -> Vec<InboxVerdict> {
    vec![plain("can_1", Verdict::Promote), plain("can_2", Verdict::Reject)]
}

#[test]
fn decisions_are_read_in_every_usual_form() {
    for json in [
        r#"[{"id": "can_1", "decision": "promote"}, {"id": "can_2", "decision": "reject"}]"#,
        r#"[{"id": "can_2", "verdict": "Rejected"}, {"candidate": " can_1 ", "action": "approve"},]"#,
        r#"{"decisions": [{"id": "can_1", "decision": "promote"}, {"id": "can_2", "decision": "discard"}]}"#,
        r#"{"can_1": "promote", "can_2": "reject"}"#,
        r#"{can_1: {decision: 'keep'}, can_2: {decision: 'drop'}}"#,
        "```json\n[{\"id\": \"can_1\", \"decision\": \"promote\"},\n{\"id\": \"can_2\", \"decision\": \"reject\"}]\n```",
    ] {
        let found = InboxVerdicts::read(&tagged(json));
        assert_eq!(found, InboxVerdicts { decisions: promoted_and_rejected(), dropped: vec![] }, "{json}");
    }
}

#[test]
fn a_merge_says_into_what_and_why() {
    let json = r#"[{"id": "can_1", "decision": "merge", "into": "mem_9", "reason": "It says so."}]"#;
    let found = InboxVerdicts::read(&tagged(json));
    let expected = InboxVerdict {
        id: "can_1".into(),
        verdict: Verdict::Merge,
        into: Some("mem_9".into()),
        reason: Some("It says so.".into()),
    };
    assert_eq!(found.decisions, [expected]);
}

#[test]
fn without_tags_only_what_cannot_be_anything_else_counts() {
    let list =
        r#"{"decisions": [{"id": "can_1", "decision": "promote"}, {"id": "can_2", "decision": "reject"}]}"#;
    assert_eq!(InboxVerdicts::read(&format!("<think>{{}}</think>{list}")).decisions, promoted_and_rejected());
    assert_eq!(InboxVerdicts::read(r#"I would say {"can_1": "promote"}."#), InboxVerdicts::default());
    assert_eq!(InboxVerdicts::read("promote can_1"), InboxVerdicts::default());
    assert_eq!(InboxVerdicts::read(""), InboxVerdicts::default());
}

#[test]
fn who_is_decided_about_twice_has_the_last_word_and_it_is_listed() {
    let reply = tagged(r#"[{"id": "can_1", "decision": "promote"}]"#) + &tagged(r#"{"can_1": "reject"}"#);
    let found = InboxVerdicts::read(&reply);
    assert_eq!(found.decisions, [plain("can_1", Verdict::Reject)]);
    assert_eq!(found.dropped, ["decided twice, the last counts: can_1"]);
}

#[test]
fn what_cannot_be_understood_is_dropped_and_told() {
    let json = r#"[{"id": "can_1", "decision": "ponder"}, {"decision": "promote"}, 7, {"id": "can_2"}]"#;
    let found = InboxVerdicts::read(&tagged(json));
    assert_eq!(found.decisions, []);
    let told = [
        "no known decision: can_1",
        "a decision without an id",
        "a decision without an id",
        "no known decision: can_2",
    ];
    assert_eq!(found.dropped, told);
    assert_eq!(InboxVerdicts::read(&tagged("later")).dropped, ["no list of decisions"]);
}

#[test]
fn only_what_was_asked_about_is_decided() {
    let allowed = BTreeSet::from(["can_1".to_owned(), "can_3".to_owned()]);
    let long = "x".repeat(500);
    let json = format!(r#"{{"can_1": "promote", "can_2": "reject", "{long}": "promote"}}"#);
    let found = InboxVerdicts::read(&tagged(&json)).among(&allowed);
    assert_eq!(found.decisions, [plain("can_1", Verdict::Promote)]);
    assert_eq!(
        found.dropped,
        ["not asked about: can_2".to_owned(), format!("not asked about: {}", "x".repeat(60))]
    );
}
