//! Receipts: what a tick was given and what came of it can be kept, read and judged again.

use crate::heartbeat_kit::*;
use proptest::prelude::*;
use selfsame_core::heartbeat::receipt::{
    Inputs, inputs, outcome, read_inputs, read_outcome, replay, rules_hash, sameness,
};
use selfsame_core::heartbeat::state::Held;
use selfsame_core::heartbeat::{Autonomy, Finding, Rules, Sighting, State, decide};
use selfsame_core::json::canonical;
use serde_json::{Map, Value};

/// As PostgreSQL gives it back: other spaces, keys in another order.
fn respelt(text: &str) -> String {
    fn backwards(value: Value) -> Value {
        match value {
            Value::Object(map) => {
                let entries: Vec<_> = map.into_iter().map(|(key, value)| (key, backwards(value))).collect();
                Value::Object(entries.into_iter().rev().collect::<Map<_, _>>())
            }
            Value::Array(items) => items.into_iter().map(backwards).collect(),
            other => other,
        }
    }
    serde_json::to_string_pretty(&backwards(serde_json::from_str(text).expect("JSON"))).expect("JSON")
}

fn without_labels(seen: &[Sighting]) -> Vec<Sighting> {
    let mut seen = seen.to_vec();
    for finding in seen.iter_mut().flat_map(|one| &mut one.listed) {
        finding.label.clear();
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_receipt_replays_to_the_byte((rules, state, seen, now) in cases()) {
        let decision = decide(&rules, &state, &seen, now);
        let (kept, came) = (inputs(&rules, &state, &seen, now), outcome(&decision));
        for text in [&kept, &respelt(&kept)] {
            let again = replay(text).expect("it replays");
            prop_assert_eq!(&outcome(&again), &came);
            prop_assert_eq!(&again.verdict, &decision.verdict);
            prop_assert_eq!(&again.trace, &decision.trace);
        }
        for text in [&came, &respelt(&came)] {
            prop_assert_eq!(&outcome(&read_outcome(text).expect("it is read")), &came);
        }
    }

    #[test]
    fn what_is_kept_is_what_was_given_but_for_the_words((rules, state, seen, now) in cases()) {
        let Inputs { rules: rules_kept, state: state_kept, sightings, now: now_kept } =
            read_inputs(&inputs(&rules, &state, &seen, now)).expect("it is read");
        prop_assert_eq!(&rules_kept, &rules);
        prop_assert_eq!(now_kept, now);
        prop_assert_eq!(&sightings, &without_labels(&seen));
        let subjects: Vec<_> =
            seen.iter().flat_map(|one| one.listed.iter().map(|finding| one.signal.subject(finding))).collect();
        let mut state = state;
        state.surfaced.retain(|subject, _| subjects.contains(subject));
        prop_assert_eq!(state_kept, state);
    }

    #[test]
    fn no_word_of_what_was_found_is_kept((rules, state, seen, now) in cases()) {
        let decision = decide(&rules, &state, &seen, now);
        for text in [inputs(&rules, &state, &seen, now), outcome(&decision), format!("{:?}{:?}", decision.verdict, decision.trace)] {
            prop_assert!(!text.contains("SECRET"));
        }
    }

    #[test]
    fn what_is_kept_is_canonical((rules, state, seen, now) in cases()) {
        for text in [inputs(&rules, &state, &seen, now), outcome(&decide(&rules, &state, &seen, now))] {
            let value: Value = serde_json::from_str(&text).expect("JSON");
            prop_assert_eq!(canonical(&value), text);
        }
    }

    /// Ticks that differ in their sameness saw or said something else, and the other way round.
    #[test]
    fn sameness_does_not_depend_on_the_moment((rules, state, seen, now) in cases(), later in 0..HOUR) {
        let of = |at| { let decision = decide(&rules, &state, &seen, at); (sameness(&rules_hash(&rules), &seen, &decision), decision) };
        let (first, second) = (of(now), of(now.saturating_add(secs(later))));
        let said = |one: &selfsame_core::heartbeat::Decision| one.verdict.clone();
        prop_assert_eq!(first.0 == second.0, said(&first.1) == said(&second.1));
    }
}

#[test]
fn equal_silence_at_other_moments_is_the_same() {
    let same = |state: &State, seen: &[Sighting], clock: &str, rules: &Rules| {
        sameness(&rules_hash(rules), seen, &decide(rules, state, seen, monday(clock)))
    };
    let (rules, calm) = (rules(), sightings(&["conflict", "continuity", "pending_work"]));
    let weak = sightings(&["pending_work"]);
    // Waiting for a cooldown, a snooze, a conversation, more signals: each is one thing, however long it lasts.
    let waiting = told(monday("12:00"), 0);
    let snoozed = State { held: Some(Held::Snoozed(monday("18:00"))), ..met() };
    let talking = State { host_active_until: Some(monday("18:00")), ..met() };
    for (state, seen) in [(&waiting, &calm), (&snoozed, &calm), (&talking, &weak), (&met(), &weak)] {
        assert_eq!(same(state, seen, "12:05", &rules), same(state, seen, "12:20", &rules));
    }
    let first = same(&met(), &weak, "12:00", &rules);
    assert_ne!(first, same(&met(), &sightings(&["goal_progress"]), "12:00", &rules), "another signal");
    let other = vec![sighting_of("pending_work", vec![finding(1, "stalled")])];
    assert_ne!(first, same(&met(), &other, "12:00", &rules), "another finding");
    assert_ne!(first, same(&met(), &weak, "12:00", &rules_at(Autonomy::Act)), "other rules");
    assert_ne!(first, same(&snoozed, &weak, "12:00", &rules), "another step");
    assert_ne!(
        first,
        same(&met(), &weak, "18:00", &{
            let mut stricter = rules.clone();
            stricter.velocity = 6;
            stricter
        })
    );
}

/// A receipt that was kept by this version must be read by all later ones.
#[test]
fn when_something_is_due_is_kept() {
    let now = monday("12:00");
    let due = Finding { due_at: Some(now.saturating_add(secs(90))), ..finding(1, "due") };
    let seen = [sighting_of("scheduled", vec![due])];
    let kept = read_inputs(&inputs(&rules(), &met(), &seen, now)).expect("it is read");
    assert_eq!(kept.sightings, without_labels(&seen));
}

#[test]
fn the_spelling_of_a_receipt_is_settled() {
    let now = monday("12:00");
    let mut state = told(now, HOUR);
    state.held = Some(Held::Snoozed(now));
    state.introduced = vec![now.saturating_sub(secs(90 * HOUR))];
    state.surfaced.insert(id(50), now);
    let text = inputs(&rules(), &state, &[deadline("1h")], now);
    let expected = concat!(
        r#"{"now":"2026-11-16T12:00:00Z","rules":{"autonomy":"suggest","conversation":"15m","critical":"1h","#,
        r#""first_contact":{"every":"1d","memories":5,"most":3},"#,
        r#""levels":{"act":{"elevated":"5m","low":"30m","normal":"10m","threshold":8},"#,
        r#""observe":{"elevated":"2h","low":"8h","normal":"4h","threshold":20},"#,
        r#""suggest":{"elevated":"30m","low":"4h","normal":"2h","threshold":12}},"max_silence":"1d","#,
        r#""pace":{"base":"5m","longest":"6h","shortest":"1m"},"#,
        r#""periods":{"evening":{"factor":1.5,"from":1020,"least":"normal"},"#,
        r#""late_night":{"factor":3.0,"from":1260,"least":"elevated"},"#,
        r#""morning":{"factor":0.5,"from":420,"least":"low"},"quiet":{"factor":10.0,"from":1380,"least":"immediate"},"#,
        r#""working":{"factor":1.0,"from":600,"least":"low"}},"#,
        r#""responses":{"answer_within":"30m","ignored_below":0.1,"ignored_factor":10.0,"last":20,"least":5,"#,
        r#""selective_below":0.3,"selective_factor":3.0,"within":"30d"},"velocity":5,"zone":"UTC"},"#,
        r#""sightings":[{"aggregate":false,"count":1,"#,
        r#""digest":"441230fd653a733f490b3b07d049dc667de3eb3ae8ad6e21a6724d2fe8dc27da","#,
        r#""listed":[{"id":"32323232323232323232323232323232","kind":"memory","status":"1h"}],"#,
        r#""meaning":"what deadline means","signal":"deadline","tier":"immediate","weight":10}],"#,
        r#""state":{"acted":{"at":"2026-11-16T11:00:00Z","#,
        r#""fingerprint":"0707070707070707070707070707070707070707070707070707070707070707"},"#,
        r#""acted_at":"2026-11-16T11:00:00Z","answered":0,"delivered":0,"#,
        r#""held":{"how":"snoozed","until":"2026-11-16T12:00:00Z"},"introduced":["2026-11-12T18:00:00Z"],"memories":5,"#,
        r#""new_memories":0,"surfaced":{"32323232323232323232323232323232":"2026-11-16T12:00:00Z"}}}"#,
    );
    assert_eq!(text, expected);
}

#[test]
fn a_broken_receipt_says_where_it_is_broken() {
    let whole = inputs(&rules(), &met(), &[deadline("1h")], monday("12:00"));
    for (from, to, said) in [
        (r#""velocity":5"#, r#""velocity":-5"#, "rules.velocity is no whole number of its size"),
        (r#""zone":"UTC""#, r#""zone":"Mars/Base""#, "rules.zone is no zone that is known here"),
        (r#""zone":"UTC""#, r#""zones":"UTC""#, "rules.zone is missing"),
        (
            r#""max_silence":"1d""#,
            r#""max_silence":"long""#,
            "rules.max_silence is wrong: `long` is not a duration",
        ),
        (
            r#""tier":"immediate""#,
            r#""tier":"imediate""#,
            "sightings.0.tier is wrong: \"imediate\" is no tier",
        ),
        (r#""id":"3232"#, r#""id":"zz32"#, "sightings.0.listed.0.id is not 32 hexadecimal digits"),
        (r#""id":"3232"#, r#""id":"32"#, "sightings.0.listed.0.id is not 32 hexadecimal digits"),
        (r#""sightings":["#, r#""sightings":[7,"#, "sightings.0.signal is missing"),
        (r#""now":"2026"#, r#""now":"26"#, "now is wrong"),
        ("{", "", "it is no JSON"),
    ] {
        let broken = whole.replacen(from, to, 1);
        assert_ne!(broken, whole, "{from}");
        let error = replay(&broken).expect_err(said).to_string();
        assert!(error.contains(said), "{error}");
    }
}
