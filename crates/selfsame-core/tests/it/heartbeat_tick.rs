//! When the heart beats next, how answers are rated, and the score.

use crate::heartbeat_kit::*;
use proptest::prelude::*;
use selfsame_core::heartbeat::rules::Pace;
use selfsame_core::heartbeat::state::{Acted, Held};
use selfsame_core::heartbeat::{
    Account, Moment, NextTick, Rules, Sighting, State, decide, next_tick, response,
};
use selfsame_core::time::Time;
use std::time::Duration;

fn next(rules: &Rules, state: &State, seen: &[Sighting], known: &[Moment], now: Time) -> NextTick {
    next_tick(rules, state, seen, &decide(rules, state, seen, now), known, now)
}

fn pause(rules: &Rules, state: &State, seen: &[Sighting], now: Time) -> u64 {
    next(rules, state, seen, &[], now).at.since(now).as_secs()
}

/// One weak signal: nothing is said, and it is neither none nor many.
fn quiet_signal() -> Vec<Sighting> {
    sightings(&["pending_work"])
}

#[test]
fn each_period_has_its_pace() {
    for (clock, seconds) in
        [("02:00", 50 * MINUTE), ("08:00", 150), ("12:00", 300), ("18:00", 450), ("21:30", 15 * MINUTE)]
    {
        assert_eq!(pause(&rules(), &met(), &quiet_signal(), monday(clock)), seconds, "{clock}");
    }
}

#[test]
fn after_an_act_the_heart_slows_down() {
    let now = monday("12:00");
    for (ago, seconds) in [(0, 600), (299, 600), (300, 450), (899, 450), (900, 300)] {
        let state = State { acted_at: Some(now.saturating_sub(secs(ago))), ..met() };
        assert_eq!(pause(&rules(), &state, &quiet_signal(), now), seconds, "{ago} s ago");
    }
    // An act of this tick is the latest, and nothing is new after it.
    let state = State { acted_at: Some(now.saturating_sub(secs(3600))), new_memories: 9, ..met() };
    assert_eq!(pause(&rules(), &state, &sightings(&["scheduled"]), now), 600);
}

#[test]
fn signals_and_new_memories_quicken_it() {
    let now = monday("12:00");
    let low = ["decaying", "sentiment", "relationship", "pattern"];
    for (count, seconds) in [(0, 900), (1, 300), (3, 300), (4, 240)] {
        assert_eq!(pause(&rules(), &met(), &sightings(&low[..count]), now), seconds, "{count} signals");
    }
    // By kind, as weights: a hundred plans are one.
    let plans = sighting_of("pending_work", (0..100).map(|n| finding(n, "open")).collect());
    assert_eq!(pause(&rules(), &met(), &[plans], now), 300);
    for (new_memories, seconds) in [(4, 300), (5, 210)] {
        let state = State { new_memories, ..met() };
        assert_eq!(pause(&rules(), &state, &quiet_signal(), now), seconds);
    }
}

#[test]
fn factors_stack_and_are_told() {
    let now = monday("08:00");
    let state = State { acted_at: Some(now.saturating_sub(secs(600))), new_memories: 5, ..met() };
    let tick =
        next(&rules(), &state, &sightings(&["decaying", "sentiment", "relationship", "pattern"]), &[], now);
    assert_eq!(tick.at.since(now), secs(126));
    assert_eq!(
        tick.why,
        "the usual pace: 5m, x 0.5 in the morning, x 1.5 after an act lately, x 0.8 with many signals, \
         x 0.7 with many new memories; a pause of 2m6s"
    );
}

#[test]
fn the_pace_stays_within_its_bounds() {
    let now = monday("12:00");
    let paced = |base: u64| Rules { pace: Pace { base: secs(base), ..rules().pace }, ..rules() };
    assert_eq!(pause(&paced(1), &met(), &quiet_signal(), now), 60);
    let night = monday("23:30");
    let day = next(&paced(12 * HOUR), &met(), &[], &[], night);
    assert_eq!(
        (day.at, day.why.as_str()),
        (monday("23:30").saturating_add(secs(6 * HOUR)), {
            "the usual pace: 12h, x 10 in quiet hours, x 3 without signals; a pause of 6h"
        })
    );
}

#[test]
fn it_is_never_later_than_what_is_known_to_come() {
    let now = monday("12:00");
    let known =
        |seconds: i64, what| Moment { at: Time::from_micros(now.micros() + seconds * 1_000_000), what };
    let told = |known: &[Moment]| {
        let tick = next(&rules(), &met(), &quiet_signal(), known, now);
        (tick.at.since(now).as_secs(), tick.why)
    };
    let due = "a schedule is due";
    assert_eq!(told(&[known(200, due)]), (200, due.to_owned()));
    assert_eq!(told(&[known(200, due), known(100, "a rung")]), (100, "a rung".to_owned()));
    assert_eq!(told(&[known(301, due)]).0, 300, "the pace comes first");
    assert_eq!(told(&[known(30, due)]).0, 30, "sooner than the shortest pause");
    // What is past was seen by this tick, and may be waiting for the morning: no busy loop.
    assert_eq!(told(&[known(0, due), known(-60, due)]).0, 300);
    let soon = Moment { at: Time::from_micros(now.micros() + 1), what: due };
    assert_eq!(told(&[soon]).0, 1, "a second at least");
}

#[test]
fn its_own_moments_are_cooldowns_snoozes_and_periods() {
    let now = monday("12:00");
    let calm = sightings(&["conflict", "continuity", "pending_work"]);
    let waiting = State { acted: Some(Acted { at: monday("11:33"), fingerprint: [0; 32] }), ..met() };
    let tick = next(&rules(), &waiting, &calm, &[], now);
    assert_eq!((tick.at, tick.why.as_str()), (monday("12:03"), "a cooldown ends that holds something back"));
    let snoozed = State { held: Some(Held::Snoozed(monday("12:02"))), ..met() };
    let tick = next(&rules(), &snoozed, &quiet_signal(), &[], now);
    assert_eq!((tick.at, tick.why.as_str()), (monday("12:02"), "the snooze ends"));
    let tick = next(&rules(), &met(), &quiet_signal(), &[], monday("16:58"));
    assert_eq!((tick.at, tick.why.as_str()), (monday("17:00"), "another part of the day begins"));
    let tick = next(&rules(), &met(), &[], &[], monday("05:00"));
    assert_eq!(tick.at, monday("07:00"), "the morning is not slept through");
}

fn moments_around(now: Time) -> impl Strategy<Value = Vec<Moment>> {
    let one = (-86_400_000_000..86_400_000_000_i64)
        .prop_map(move |away| Moment { at: Time::from_micros(now.micros() + away), what: "it is due" });
    prop::collection::vec(one, 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_next_tick_keeps_its_bounds(
        ((rules, state, seen, now), known) in cases().prop_flat_map(|case| {
            let now = case.3;
            (Just(case), moments_around(now))
        }),
        pace in (1..86_400_u64, 1..600_u64, 600..86_400_u64),
    ) {
        let pace = Pace { base: secs(pace.0), shortest: secs(pace.1), longest: secs(pace.2) };
        let rules = Rules { pace, ..rules };
        let decision = decide(&rules, &state, &seen, now);
        let tick = next_tick(&rules, &state, &seen, &decision, &known, now);
        let pause = tick.at.since(now);
        prop_assert!(pause >= secs(1) && pause <= pace.longest);
        let mut coming: Vec<Time> = known.iter().map(|moment| moment.at).filter(|at| *at > now).collect();
        coming.push(rules.next_period_at(now));
        coming.extend(decision.held_until);
        if let Some(Held::Snoozed(until)) = state.held {
            coming.extend(Some(until).filter(|until| *until > now));
        }
        let first = *coming.iter().min().expect("the day goes on");
        prop_assert!(tick.at <= first.max(now.saturating_add(secs(1))));
        // Sooner than the shortest pause only for a moment that is known.
        prop_assert!(pause >= pace.shortest || tick.at == first.max(now.saturating_add(secs(1))));
        prop_assert!(!tick.why.is_empty());
    }
}

// Answers -------------------------------------------------------------------------------------------------------------

#[test]
fn the_rate_of_answers_sets_the_factor() {
    let standard = rules().responses;
    for (delivered, answered, factor) in [
        (0, 0, 1.0),
        (4, 0, 1.0),
        (5, 0, 10.0),
        (10, 0, 10.0),
        (10, 1, 3.0),
        (20, 1, 10.0),
        (20, 2, 3.0),
        (20, 5, 3.0),
        (10, 3, 1.0),
        (20, 6, 1.0),
    ] {
        assert_eq!(response::factor(&standard, delivered, answered), factor, "{answered} of {delivered}");
    }
    let any = selfsame_core::heartbeat::rules::Responses { least: 0, ..standard };
    assert_eq!(response::factor(&any, 0, 0), 1.0, "nothing is no rate");
}

proptest! {
    #[test]
    fn who_answers_more_never_waits_longer(delivered in 0..40_u32, answered in 0..40_u32) {
        let factor = |answered: u32| response::factor(&rules().responses, delivered, answered.min(delivered));
        prop_assert!(factor(answered + 1) <= factor(answered));
    }
}

// The score -----------------------------------------------------------------------------------------------------------

#[test]
fn the_score_counts_what_came_of_it() {
    let account =
        |kept, broken, missed, delivered, answered| Account { kept, broken, missed, delivered, answered };
    for (account, score, shown) in [
        (account(0, 0, 0, 0, 0), None, "n/a"),
        (account(1, 0, 0, 0, 0), Some(100.0), "100 (kept 1, broken 0, missed 0, answered 0 of 0)"),
        (account(0, 1, 0, 0, 0), Some(0.0), "0 (kept 0, broken 1, missed 0, answered 0 of 0)"),
        (account(0, 0, 1, 0, 0), Some(0.0), "0 (kept 0, broken 0, missed 1, answered 0 of 0)"),
        (account(2, 1, 0, 1, 1), Some(75.0), "75 (kept 2, broken 1, missed 0, answered 1 of 1)"),
        (account(3, 1, 2, 4, 2), Some(50.0), "50 (kept 3, broken 1, missed 2, answered 2 of 4)"),
    ] {
        assert_eq!(account.score(), score);
        assert_eq!(account.to_string(), shown);
    }
    let odd = account(0, 0, 0, 1, 5);
    assert_eq!(odd.score(), Some(100.0), "no more answers than questions");
}

#[test]
fn spans_are_whole_microseconds_everywhere() {
    let mut odd = rules();
    odd.levels[1].elevated = Duration::from_micros(3);
    odd.periods[2].factor = 0.5;
    let mut strong = sighting("conflict");
    strong.signal.weight = 20;
    let decision = decide(&odd, &met(), &[strong], monday("12:00"));
    assert_eq!(decision.cooldown, Some(Duration::from_micros(2)), "1.5 is rounded");
}
