//! Whether a time of thinking got anywhere, and whether it only said the same again.

use selfsame_core::contemplation::success::{ToolCheck, Verified, repeats, signature, verify};
use selfsame_core::contemplation::{Account, Captured, EpisodeKind, Parse, capture};
use std::collections::BTreeSet;

fn account() -> Account {
    let json = r#"{"type": "action", "observations": ["Maya waits for an answer"], "actions_taken": ["wrote to-do"],
        "tools_used": ["recall", "web_search"], "outcome": {"result": "done", "summary": "A to-do was made."},
        "success": true, "mood": {"state": "calm", "energy": "low"}, "valence": 1, "arousal": 0}"#;
    capture(&format!("[EPISODE_JSON]{json}[/EPISODE_JSON]"), "interval").account
}

fn verified(account: Account, parse: Parse, ran: &[&str]) -> Verified {
    let ran: BTreeSet<String> = ran.iter().map(|tool| (*tool).to_owned()).collect();
    let is_ours = |tool: &str| ["recall", "diary"].contains(&tool);
    verify(&Captured { account, parse, repairs: vec![] }, &ran, is_ours)
}

#[test]
fn it_got_somewhere_if_it_says_so_and_the_record_agrees() {
    let found = verified(account(), Parse::Repaired, &["recall"]);
    assert!(found.successful, "{found:?}");
    let tools = [("recall".to_owned(), ToolCheck::Ran), ("web_search".to_owned(), ToolCheck::Unverified)];
    assert_eq!(found.tools, tools);
}

#[test]
fn each_way_to_have_got_nowhere_is_named() {
    let without = |change: fn(&mut Account)| {
        let mut account = account();
        change(&mut account);
        account
    };
    let cases = [
        (account(), Parse::Tagged, &[][..], "it claims recall, which did not run"),
        (account(), Parse::Fallback, &["recall"][..], "it was not told as asked"),
        (without(|it| it.kind = EpisodeKind::Rest), Parse::Tagged, &["recall"][..], "it rested"),
        (without(|it| it.success = false), Parse::Tagged, &["recall"][..], "it says so itself"),
        (
            without(|it| it.outcome = Default::default()),
            Parse::Tagged,
            &["recall"][..],
            "it names no outcome",
        ),
    ];
    for (account, parse, ran, why) in cases {
        let found = verified(account, parse, ran);
        assert_eq!((found.successful, found.why_not.as_deref()), (false, Some(why)));
    }
}

#[test]
fn a_signature_is_of_what_is_said_and_not_of_how() {
    let one = account();
    let mut same = one.clone();
    same.observations = vec!["an ANSWER Maya waits, for".into()];
    same.valence = -2.0;
    same.trigger = "asked".into();
    assert_eq!(signature(&one), signature(&same));
    for change in [
        (|it| it.observations.push("something new".into())) as fn(&mut Account),
        |it| it.actions_taken.clear(),
        |it| it.outcome.summary = "Nothing.".into(),
        |it| it.kind = EpisodeKind::Reflection,
    ] {
        let mut other = one.clone();
        change(&mut other);
        assert_ne!(signature(&one), signature(&other));
    }
}

#[test]
fn three_equal_ones_at_the_end_are_a_repetition() {
    let of = |numbers: &[u8]| numbers.iter().map(|n| [*n; 32]).collect::<Vec<_>>();
    assert!(repeats(&of(&[1, 2, 2, 2]), 3));
    assert!(!repeats(&of(&[2, 2]), 3));
    assert!(!repeats(&of(&[2, 2, 2, 1]), 3));
    assert!(!repeats(&of(&[2, 1, 2]), 3));
}
