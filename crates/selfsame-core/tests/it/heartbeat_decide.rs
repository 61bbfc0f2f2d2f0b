//! The decision, cell by cell of its tables, and the mistakes that others made.

use crate::heartbeat_kit::*;
use selfsame_core::heartbeat::signal::fingerprint;
use selfsame_core::heartbeat::state::{Acted, Held};
use selfsame_core::heartbeat::{
    Autonomy, Decision, Finding, Period, RefKind, Rules, Sighting, State, StepName, Tier, Verdict, decide,
};
use selfsame_core::time::{Time, Zone};
use std::collections::BTreeSet;

fn act(rules: &Rules, state: &State, seen: &[Sighting], now: Time) -> Decision {
    let decision = decide(rules, state, seen, now);
    assert!(decision.verdict.is_act(), "{:?}", decision.verdict);
    decision
}

fn silent(rules: &Rules, state: &State, seen: &[Sighting], now: Time, step: StepName) -> Decision {
    let decision = decide(rules, state, seen, now);
    assert!(
        matches!(&decision.verdict, Verdict::Suppress { step: at, .. } if *at == step),
        "{:?}",
        decision.verdict
    );
    assert!(decision.surfaced.is_empty() && decision.tier.is_none());
    assert!(trace(&decision, step).unless.is_some(), "it says what would change it");
    decision
}

const NOON: &str = "12:00";

// Held ----------------------------------------------------------------------------------------------------------------

#[test]
fn muted_snoozed_and_paused_hold_back_even_a_critical_deadline() {
    let now = monday(NOON);
    for held in [Held::Muted, Held::Paused, Held::Snoozed(now.saturating_add(secs(1)))] {
        let state = State { held: Some(held), ..State::default() };
        let decision =
            silent(&rules(), &state, &[deadline("due"), sighting("scheduled")], now, StepName::Held);
        assert_eq!(decision.trace.len(), 1, "nothing else is asked");
    }
    let over = State { held: Some(Held::Snoozed(now)), ..met() };
    act(&rules(), &over, &[deadline("due")], now);
}

// First contact -------------------------------------------------------------------------------------------------------

#[test]
fn the_agent_introduces_itself_to_who_is_new() {
    let now = monday(NOON);
    for memories in 0..5 {
        let decision = act(&rules(), &State { memories, ..State::default() }, &[], now);
        assert_eq!(decision.verdict.step(), StepName::FirstContact);
        assert!(decision.surfaced.is_empty() && decision.topics().is_empty() && !decision.starts_cooldown());
    }
    silent(&rules(), &met(), &[], now, StepName::Confluence);
}

/// K16: it is the principal's memories that count; the state has no other number.
#[test]
fn k16_first_contact_asks_how_much_is_known_of_this_principal() {
    let now = monday(NOON);
    assert_eq!(
        act(&rules(), &State { memories: 4, ..met() }, &[], now).verdict.step(),
        StepName::FirstContact
    );
    silent(&rules(), &State { memories: 5, ..met() }, &[], now, StepName::Confluence);
}

#[test]
fn it_does_so_once_a_day_and_three_times_until_a_word_comes_back() {
    let now = monday(NOON);
    let ago = |hours: u64| now.saturating_sub(secs(hours * HOUR));
    let introduced = |hours: &[u64]| State {
        introduced: hours.iter().map(|hours| ago(*hours)).collect(),
        ..State::default()
    };
    act(&rules(), &introduced(&[24]), &[], now);
    silent(&rules(), &introduced(&[23]), &[], now, StepName::Confluence);
    act(&rules(), &introduced(&[24, 48]), &[], now);
    silent(&rules(), &introduced(&[30, 60, 90]), &[], now, StepName::Confluence);
    // Who writes is new again, but not the same day.
    act(&rules(), &State { wrote_at: Some(ago(29)), ..introduced(&[30, 60, 90]) }, &[], now);
    let wrote = State { wrote_at: Some(ago(1)), ..introduced(&[2]) };
    silent(&rules(), &wrote, &[], now, StepName::Confluence);
}

#[test]
fn it_does_not_in_quiet_hours_nor_during_a_conversation() {
    let new = State::default();
    silent(&rules(), &new, &[], monday("23:00"), StepName::Confluence);
    silent(&rules(), &new, &[], monday("06:59"), StepName::Confluence);
    act(&rules(), &new, &[], monday("07:00"));
    let now = monday(NOON);
    let talking = State { last_message_at: Some(now.saturating_sub(secs(14 * MINUTE))), ..State::default() };
    silent(&rules(), &talking, &[], now, StepName::Confluence);
    let busy = State { host_active_until: Some(now.saturating_add(secs(1))), ..State::default() };
    silent(&rules(), &busy, &[], now, StepName::Confluence);
}

#[test]
fn a_reminder_of_somebody_new_comes_through() {
    let introduced = |now: Time| State { introduced: vec![now], ..State::default() };
    for (state, now) in [
        (State::default(), monday(NOON)),
        (introduced(monday(NOON)), monday(NOON)),
        (State::default(), monday("03:00")),
    ] {
        let decision = act(&rules(), &state, &sightings(&["scheduled"]), now);
        assert_eq!(names(&decision), ["scheduled"]);
    }
    // What is calm is not lost to an introduction: it comes after it.
    let calm = sightings(&["conflict", "continuity", "pending_work"]);
    let first = act(&rules(), &State::default(), &calm, monday(NOON));
    assert_eq!(first.verdict.step(), StepName::FirstContact);
    let then = act(&rules(), &after_act(State::default(), &first, monday(NOON)), &calm, monday("12:05"));
    assert_eq!(then.surfaced.len(), 3);
}

// Critical deadlines --------------------------------------------------------------------------------------------------

#[test]
fn the_last_hour_and_the_moment_itself_are_told_at_any_hour() {
    for (rung, by_night, by_day) in [
        ("24h", false, true),
        ("4h", false, true),
        ("1h", true, true),
        ("due", true, true),
        ("overdue_1", false, true),
        ("overdue_2", false, true),
        ("overdue_3", false, true),
    ] {
        let told = |now| decide(&rules(), &met(), &[deadline(rung)], now);
        assert_eq!(told(monday("03:00")).verdict.is_act(), by_night, "{rung} at night");
        assert_eq!(told(monday(NOON)).verdict.is_act(), by_day, "{rung} by day");
        let critical = told(monday(NOON)).verdict.step() == StepName::CriticalDeadline;
        assert_eq!(critical, by_night, "{rung} is forced");
    }
}

/// K5: an overdue deadline is no alarm. It waits for the morning, and by day it is told as often as the ladder finds it.
#[test]
fn k5_overdue_deadlines_do_not_ring_at_night() {
    for rung in ["overdue_1", "overdue_2", "overdue_3"] {
        let night = silent(&rules(), &met(), &[deadline(rung)], monday("02:00"), StepName::TimeOfDay);
        assert_eq!(trace(&night, StepName::TimeOfDay).unless.as_deref(), Some("it is 07:00 (morning)"));
    }
    // The rung that was told is no longer found, so nothing repeats it.
    silent(&rules(), &met(), &[], monday(NOON), StepName::Confluence);
}

#[test]
fn a_critical_deadline_goes_alone_where_others_may_not() {
    let mixed = sighting_of("deadline", vec![finding(1, "24h"), finding(2, "due"), finding(3, "overdue_1")]);
    let night = act(&rules(), &met(), &[mixed.clone(), sighting("conflict")], monday("03:00"));
    assert_eq!(names(&night), ["deadline"]);
    assert_eq!((night.surfaced[0].count, night.surfaced[0].listed.len()), (1, 1));
    assert_eq!(night.surfaced[0].listed[0].status, "due");
    let alone = sighting_of("deadline", vec![finding(2, "due")]);
    assert_eq!(night.surfaced[0].digest, alone.digest, "the hash is that of what is told");
    let hour = trace(&night, StepName::TimeOfDay);
    assert_eq!((count_of(&hour.saw, "deadline"), count_of(&hour.dropped, "deadline")), (2, 2));
    assert_eq!(count_of(&hour.dropped, "conflict"), 1);
    // By day both parts are told, as one.
    let day = act(&rules(), &met(), std::slice::from_ref(&mixed), monday(NOON));
    assert_eq!(day.surfaced, [mixed]);
    assert_eq!(day.verdict.step(), StepName::CriticalDeadline);
}

#[test]
fn fifty_overdue_deadlines_do_not_hide_the_one_that_is_due() {
    let now = monday("03:00");
    let mut found: Vec<Finding> = (0..60).map(|n| finding(n, "overdue_1")).collect();
    for (place, finding) in found.iter_mut().enumerate() {
        finding.due_at = Some(now.saturating_sub(secs((place as u64 + 25) * HOUR)));
    }
    let mut due = finding(200, "due");
    due.due_at = Some(now);
    found.push(due);
    let decision = act(&rules(), &met(), &[sighting_of("deadline", found)], now);
    assert_eq!(decision.surfaced[0].count, 1);
    assert_eq!(decision.surfaced[0].listed[0].id, id(200));
    let dropped = &trace(&decision, StepName::TimeOfDay).dropped;
    assert_eq!(count_of(dropped, "deadline"), 60, "those that are not listed are counted with their kind");
}

#[test]
fn sixty_critical_deadlines_are_all_counted() {
    let found: Vec<Finding> = (0..60).map(|n| finding(n, "1h")).collect();
    let decision = act(&rules(), &met(), &[sighting_of("deadline", found)], monday("03:00"));
    assert_eq!((decision.surfaced[0].count, decision.surfaced[0].listed.len()), (60, 50));
}

#[test]
fn how_near_is_critical_is_a_setting() {
    let night = monday("03:00");
    let rules = |critical: u64| Rules { critical: secs(critical), ..rules() };
    for (critical, rung, acts) in [
        (4 * HOUR, "4h", true),
        (4 * HOUR - 1, "4h", false),
        (30 * MINUTE, "1h", false),
        (0, "due", true),
        (48 * HOUR, "24h", true),
        (48 * HOUR, "overdue_1", false),
    ] {
        let decision = decide(&rules(critical), &met(), &[deadline(rung)], night);
        assert_eq!(decision.verdict.is_act(), acts, "{rung} within {critical} s");
    }
}

// The time of day -----------------------------------------------------------------------------------------------------

/// A strong sum of one tier alone: whether it passes says what the period lets through.
fn strong(tier: Tier) -> Vec<Sighting> {
    let mut own = match tier {
        Tier::Low => sighting("decaying"),
        Tier::Normal => sighting("pending_work"),
        Tier::Elevated => sighting("conflict"),
        Tier::Immediate => sighting("scheduled"),
    };
    own.signal.weight = 100;
    vec![own]
}

#[test]
fn each_period_lets_its_tiers_through() {
    let all = [Tier::Low, Tier::Normal, Tier::Elevated, Tier::Immediate];
    for (clocks, period, least) in [
        (["23:00", "06:59"], Period::Quiet, Tier::Immediate),
        (["07:00", "09:59"], Period::Morning, Tier::Low),
        (["10:00", "16:59"], Period::Working, Tier::Low),
        (["17:00", "20:59"], Period::Evening, Tier::Normal),
        (["21:00", "22:59"], Period::LateNight, Tier::Elevated),
    ] {
        for (clock, tier) in clocks.into_iter().flat_map(|clock| all.map(|tier| (clock, tier))) {
            let decision = decide(&rules(), &met(), &strong(tier), monday(clock));
            assert_eq!(decision.period, period, "{clock}");
            assert_eq!(decision.verdict.is_act(), tier >= least, "{tier:?} at {clock}");
            if tier < least {
                assert_eq!(decision.verdict.step(), StepName::TimeOfDay);
            }
        }
    }
}

#[test]
fn in_quiet_hours_only_schedules_pass_beside_critical_deadlines() {
    let all: Vec<&str> = FOURTEEN.iter().map(|(name, ..)| *name).chain(["door_open"]).collect();
    let decision = act(&rules(), &met(), &sightings(&all), monday("02:00"));
    assert_eq!(names(&decision), ["scheduled"]);
    // Also where somebody set the least tier of quiet hours lower.
    let mut loose = rules();
    loose.periods[Period::Quiet as usize].least = Tier::Low;
    assert_eq!(names(&act(&loose, &met(), &sightings(&all), monday("02:00"))), ["scheduled"]);
}

/// K11: the principal's clock decides, not the machine's and not UTC.
#[test]
fn k11_the_hours_are_those_of_the_principals_zone() {
    let calm = sightings(&["conflict", "continuity", "pending_work"]);
    for (zone, utc, passes) in [
        ("America/Los_Angeles", "2026-11-16T20:00:00Z", true), // noon there
        ("America/Los_Angeles", "2026-11-16T12:00:00Z", false), // four in the morning
        ("Asia/Tokyo", "2026-11-16T15:00:00Z", false),         // midnight
        ("Asia/Kolkata", "2026-11-16T01:30:00Z", true),        // seven sharp
        ("Asia/Kolkata", "2026-11-16T01:29:59Z", false),
        ("Europe/Berlin", "2026-03-29T04:59:59Z", false), // the clocks went forward: five in UTC is seven
        ("Europe/Berlin", "2026-03-29T05:00:00Z", true),
        ("Europe/Berlin", "2026-03-28T05:30:00Z", false),
        ("Europe/Berlin", "2026-10-25T05:30:00Z", false), // and back again
    ] {
        let rules = Rules::standard(Zone::parse(zone).expect("a zone"));
        assert_eq!(decide(&rules, &met(), &calm, at(utc)).verdict.is_act(), passes, "{zone} {utc}");
    }
}

#[test]
fn a_trace_says_when_what_is_dropped_would_pass() {
    let unless = |clock: &str, tier| {
        let decision = decide(&rules(), &met(), &strong(tier), monday(clock));
        trace(&decision, StepName::TimeOfDay).unless.clone().unwrap_or_default()
    };
    assert_eq!(unless("18:00", Tier::Low), "it is tomorrow at 07:00 (morning)");
    assert_eq!(unless("03:00", Tier::Elevated), "it is 07:00 (morning)");
    assert_eq!(unless("12:00", Tier::Low), "");
}

// Conversations -------------------------------------------------------------------------------------------------------

#[test]
fn a_conversation_is_interrupted_for_what_presses() {
    let now = monday(NOON);
    let message = |ago: u64| State { last_message_at: Some(now.saturating_sub(secs(ago))), ..met() };
    let host = |ahead: u64| State { host_active_until: Some(now.saturating_add(secs(ahead))), ..met() };
    let fast = |state: State, new_memories| State { new_memories, ..state };
    for (what, state, least) in [
        ("a message just now", message(0), Tier::Elevated),
        ("a message 14:59 ago", message(15 * MINUTE - 1), Tier::Elevated),
        ("a message 15:00 ago", message(15 * MINUTE), Tier::Low),
        ("a run of the host", host(1), Tier::Elevated),
        ("a run that ended", host(0), Tier::Low),
        ("four new memories", fast(message(0), 4), Tier::Elevated),
        ("five new memories", fast(message(0), 5), Tier::Normal),
        ("five new memories in a run", fast(host(60), 5), Tier::Normal),
        ("five new memories and no conversation", fast(met(), 5), Tier::Low),
    ] {
        for tier in Tier::ALL {
            let decision = decide(&rules(), &state, &strong(*tier), now);
            assert_eq!(decision.verdict.is_act(), *tier >= least, "{what}: {tier:?}");
            if *tier < least {
                assert_eq!(decision.verdict.step(), StepName::Conversation, "{what}");
            }
        }
    }
}

// Confluence ----------------------------------------------------------------------------------------------------------

#[test]
fn each_level_has_its_threshold() {
    for (autonomy, threshold) in [(Autonomy::Observe, 20), (Autonomy::Suggest, 12), (Autonomy::Act, 8)] {
        for (weight, acts) in [(threshold - 1, false), (threshold, true)] {
            let mut one = sighting("conflict");
            one.signal.weight = weight;
            let decision = decide(&rules_at(autonomy), &met(), &[one], monday(NOON));
            assert_eq!(decision.verdict.is_act(), acts, "{autonomy:?} {weight}");
            assert_eq!(decision.score, weight);
        }
    }
}

#[test]
fn weights_are_those_of_the_table_and_add_up() {
    let score = |names: &[&str]| decide(&rules(), &met(), &sightings(names), monday(NOON)).score;
    for (name, _, weight, _) in FOURTEEN {
        assert_eq!(score(&[name]), weight, "{name}");
    }
    let all: Vec<&str> = FOURTEEN.iter().map(|(name, ..)| *name).collect();
    assert_eq!(score(&all), 56);
    assert_eq!(score(&["conflict", "pending_work", "decaying"]), 9);
}

/// K2: a kind of signal weighs what its table says, however much of it there is.
#[test]
fn k2_a_hundred_of_one_kind_weigh_as_much_as_one() {
    let plans = sighting_of("pending_work", (0..100).map(|n| finding(n, "open")).collect());
    let decision = silent(&rules(), &met(), &[plans], monday(NOON), StepName::Confluence);
    assert_eq!(decision.score, 3);
}

#[test]
fn what_is_immediate_passes_without_the_sum() {
    for autonomy in Autonomy::ALL {
        for name in ["scheduled", "deadline", "door_open"] {
            let decision = act(&rules_at(*autonomy), &met(), &sightings(&[name]), monday(NOON));
            assert_eq!((names(&decision), decision.tier), (vec![name], Some(Tier::Immediate)));
        }
    }
}

#[test]
fn beside_a_reminder_it_takes_less_to_say_more() {
    let told = |seen: &[&str]| {
        let decision = act(&rules(), &met(), &sightings(seen), monday(NOON));
        decision.surfaced.iter().map(|one| one.signal.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(told(&["scheduled", "decaying"]), ["scheduled"], "11 of 12");
    assert_eq!(told(&["scheduled", "pending_work"]), ["scheduled", "pending_work"], "13 of 12");
}

#[test]
fn nothing_is_nothing() {
    let mut free = rules();
    for level in &mut free.levels {
        level.threshold = 0;
    }
    let decision = silent(&free, &met(), &[], monday(NOON), StepName::Confluence);
    assert_eq!(decision.verdict.reason(), "nothing was found");
}

// Cooldowns -----------------------------------------------------------------------------------------------------------

/// Enough at every level, of one tier.
fn enough(tier: Tier) -> Vec<Sighting> {
    strong(tier)
}

/// The cooldown that holds, measured: a second before its end there is silence, at its end there is not.
fn assert_cooldown(rules: &Rules, tier: Tier, now: Time, cooldown: u64, answers: (u32, u32)) {
    let state = |ago| State { delivered: answers.0, answered: answers.1, ..told(now, ago) };
    let held = silent(rules, &state(cooldown - 1), &enough(tier), now, StepName::Novelty);
    assert_eq!(held.cooldown, Some(secs(cooldown)));
    assert_eq!(held.held_until, Some(now.saturating_add(secs(1))));
    let over = act(rules, &state(cooldown), &enough(tier), now);
    assert_eq!((over.cooldown, over.held_until), (Some(secs(cooldown)), None));
}

#[test]
fn each_level_and_tier_has_its_cooldown() {
    for (autonomy, low, normal, elevated) in [
        (Autonomy::Observe, 8 * HOUR, 4 * HOUR, 2 * HOUR),
        (Autonomy::Suggest, 4 * HOUR, 2 * HOUR, 30 * MINUTE),
        (Autonomy::Act, 30 * MINUTE, 10 * MINUTE, 5 * MINUTE),
    ] {
        for (tier, cooldown) in [(Tier::Low, low), (Tier::Normal, normal), (Tier::Elevated, elevated)] {
            assert_cooldown(&rules_at(autonomy), tier, monday(NOON), cooldown, (0, 0));
        }
    }
}

#[test]
fn each_period_stretches_cooldowns() {
    for (clock, cooldown) in
        [("08:00", 15 * MINUTE), (NOON, 30 * MINUTE), ("18:00", 45 * MINUTE), ("22:00", 90 * MINUTE)]
    {
        assert_cooldown(&rules(), Tier::Elevated, monday(clock), cooldown, (0, 0));
    }
    // In quiet hours nothing that has a cooldown gets that far.
    silent(&rules(), &met(), &enough(Tier::Elevated), monday("02:00"), StepName::TimeOfDay);
}

/// K10, the part of the judgement: fewer than five are no rate, and the shares are exact.
#[test]
fn k10_being_ignored_stretches_cooldowns_and_few_nudges_say_nothing() {
    for (delivered, answered, factor) in [
        (0, 0, 1),
        (4, 0, 1),
        (5, 0, 10),
        (20, 1, 10),
        (20, 2, 3),
        (10, 1, 3),
        (20, 5, 3),
        (20, 6, 1),
        (10, 3, 1),
        (20, 20, 1),
    ] {
        let cooldown = 30 * MINUTE * factor;
        assert_cooldown(&rules(), Tier::Elevated, monday(NOON), cooldown, (delivered, answered));
    }
}

#[test]
fn no_stack_of_factors_is_longer_than_the_longest_silence() {
    assert_cooldown(&rules(), Tier::Low, monday(NOON), 24 * HOUR, (20, 0));
    let short = Rules { max_silence: secs(HOUR), ..rules() };
    assert_cooldown(&short, Tier::Low, monday(NOON), HOUR, (0, 0));
}

/// K3: what presses more waits less, and all of them wait.
#[test]
fn k3_the_highest_tier_sets_the_cooldown_and_no_calm_tier_is_without() {
    let now = monday(NOON);
    let both: Vec<Sighting> = [enough(Tier::Low), enough(Tier::Elevated)].concat();
    assert_eq!(decide(&rules(), &met(), &both, now).cooldown, Some(secs(30 * MINUTE)));
    act(&rules(), &told(now, 30 * MINUTE), &both, now);
    let cooldown = |tier| decide(&rules(), &met(), &enough(tier), now).cooldown;
    assert!(
        cooldown(Tier::Elevated) < cooldown(Tier::Normal) && cooldown(Tier::Normal) < cooldown(Tier::Low)
    );
    for tier in [Tier::Low, Tier::Normal, Tier::Elevated] {
        silent(&rules(), &told(now, 60), &enough(tier), now, StepName::Novelty);
    }
}

#[test]
fn the_same_is_named_as_such() {
    let now = monday(NOON);
    let calm = enough(Tier::Normal);
    let first = act(&rules(), &met(), &calm, monday("11:30"));
    let state = after_act(met(), &first, monday("11:30"));
    let again = silent(&rules(), &state, &calm, now, StepName::Novelty);
    assert!(again.verdict.reason().starts_with("the same was said"), "{}", again.verdict.reason());
    // A reminder beside it does not make it new.
    let beside = act(&rules(), &state, &[calm.clone(), sightings(&["scheduled"])].concat(), now);
    assert!(trace(&beside, StepName::Novelty).note.starts_with("the same was said"));
    let mut other = calm;
    other[0] = sighting_of("pending_work", vec![finding(1, "stalled")]);
    other[0].signal.weight = 100;
    let reason = silent(&rules(), &state, &other, now, StepName::Novelty).verdict.reason().to_owned();
    assert!(reason.starts_with("something was said"), "{reason}");
}

#[test]
fn a_fingerprint_follows_signal_id_and_status_and_nothing_else() {
    let now = monday(NOON);
    let print =
        |seen: &[Sighting]| decide(&rules_at(Autonomy::Act), &met(), seen, now).fingerprint.expect("one");
    let one = |name: &str, id: u8, status: &str| {
        let mut one = sighting_of(name, vec![finding(id, status)]);
        one.signal.weight = 20;
        one
    };
    let first = print(&[one("conflict", 1, "open"), one("pending_work", 2, "open")]);
    assert_eq!(first, print(&[one("pending_work", 2, "open"), one("conflict", 1, "open")]), "no order");
    let mut words = one("conflict", 1, "open");
    words.listed[0].label = "other words".to_owned();
    assert_eq!(first, print(&[words, one("pending_work", 2, "open")]), "no words");
    for other in [
        [one("conflict", 3, "open"), one("pending_work", 2, "open")],
        [one("conflict", 1, "closed"), one("pending_work", 2, "open")],
        [one("continuity", 1, "open"), one("pending_work", 2, "open")],
        [one("conflict", 2, "open"), one("pending_work", 1, "open")],
    ] {
        assert_ne!(first, print(&other));
    }
    // An aggregate is told apart by its bucket alone.
    let velocity = |id: u8, bucket: &str| {
        let mut one = sighting_of("memory_velocity", vec![finding(id, bucket)]);
        one.signal.weight = 20;
        print(&[one])
    };
    assert_eq!(velocity(1, "5"), velocity(2, "5"));
    assert_ne!(velocity(1, "5"), velocity(1, "10"));
}

#[test]
fn no_cooldown_holds_what_is_immediate_and_the_rest_waits_beside_it() {
    let now = monday(NOON);
    let seen = [sightings(&["scheduled"]), vec![deadline("24h")], enough(Tier::Elevated)].concat();
    let decision = act(&rules(), &told(now, 60), &seen, now);
    assert_eq!(names(&decision), ["deadline", "scheduled"]);
    assert_eq!(count_of(&trace(&decision, StepName::Novelty).dropped, "conflict"), 1);
    assert_eq!(decision.held_until, Some(now.saturating_add(secs(29 * MINUTE))));
    assert!(!decision.starts_cooldown() && decision.topics().is_empty());
}

/// A clock that was wrong for a week left marks ahead of now: they hold nothing back for a week.
#[test]
fn marks_of_a_wrong_clock_hold_nothing() {
    let now = monday(NOON);
    let ahead = now.saturating_add(secs(7 * 24 * HOUR));
    let mut state = State { acted: Some(Acted { at: ahead, fingerprint: [0; 32] }), ..met() };
    state.surfaced.insert(sighting("conflict").listed[0].id, ahead);
    state.last_message_at = Some(ahead);
    act(&rules(), &state, &enough(Tier::Elevated), now);
    // A second of difference between two machines is no reason to speak twice.
    state.acted = Some(Acted { at: now.saturating_add(secs(1)), fingerprint: [0; 32] });
    silent(&rules(), &state, &enough(Tier::Elevated), now, StepName::Novelty);
}

// Topics --------------------------------------------------------------------------------------------------------------

fn about(mut sighting: Sighting, topic: u8) -> Sighting {
    for finding in &mut sighting.listed {
        finding.topic = Some(id(topic));
    }
    sighting
}

fn spoken_of(now: Time, topic: u8, ago: u64) -> State {
    let mut state = told(now, ago);
    state.surfaced.insert(id(topic), now.saturating_sub(secs(ago)));
    state
}

#[test]
fn what_was_spoken_of_lately_is_dropped_and_the_rest_must_be_enough() {
    let now = monday(NOON);
    let plans = about(sighting("pending_work"), 9);
    let seen = [plans.clone(), sighting("conflict"), sighting("continuity")];
    // Told an hour ago: the cooldown of elevated signals is over, that of the plan's topic is not.
    let decision = silent(&rules(), &spoken_of(now, 9, HOUR), &seen, now, StepName::Topic);
    assert_eq!(decision.score, 13);
    assert_eq!(decision.held_until, Some(now.saturating_add(secs(HOUR))), "until the topic is free again");
    act(&rules(), &spoken_of(now, 9, 2 * HOUR), &seen, now);
    // With another elevated one the rest is enough, and goes without the plan.
    let more = [seen.as_slice(), &[sighting("stale_monitor")]].concat();
    let told = act(&rules(), &spoken_of(now, 9, HOUR), &more, now);
    assert_eq!(names(&told), ["conflict", "continuity", "stale_monitor"]);
    assert_eq!(count_of(&trace(&told, StepName::Topic).dropped, "pending_work"), 1);
}

/// Three waits may follow each other, a topic's own among them: together they are no longer than the longest silence.
#[test]
fn a_topic_waits_a_third_of_what_the_longest_cooldown_leaves_of_the_longest_silence() {
    let now = monday(NOON);
    let rules = Rules { max_silence: secs(6 * HOUR), ..rules() };
    let seen = [about(sighting("pending_work"), 9), sighting("conflict"), sighting("continuity")];
    // Four hours are the longest cooldown of a day; two are left, and the topic's own would be two hours.
    let third = 40 * MINUTE;
    let held = silent(&rules, &spoken_of(now, 9, third - 1), &seen, now, StepName::Topic);
    assert_eq!(held.held_until, Some(now.saturating_add(secs(1))));
    act(&rules, &spoken_of(now, 9, third), &seen, now);
}

#[test]
fn of_one_signal_the_fresh_part_is_told() {
    let now = monday(NOON);
    let plans = sighting_of("pending_work", vec![finding(1, "open"), finding(2, "open"), finding(3, "open")]);
    let mut plans = plans;
    plans.signal.weight = 20;
    let decision = act(&rules_at(Autonomy::Act), &spoken_of(now, 2, 10 * MINUTE), &[plans.clone()], now);
    assert_eq!(decision.surfaced[0].count, 3, "ten minutes are the cooldown");
    let mut state = spoken_of(now, 2, 9 * MINUTE);
    state.acted = None;
    let decision = act(&rules_at(Autonomy::Act), &state, &[plans], now);
    assert_eq!(decision.surfaced[0].listed.iter().map(|one| one.id).collect::<Vec<_>>(), [id(1), id(3)]);
    assert_eq!(decision.surfaced[0].count, 2);
    assert_eq!(decision.topics(), [id(1), id(3)]);
}

#[test]
fn what_is_listed_last_speaks_for_what_is_not_listed() {
    let now = monday(NOON);
    let told: BTreeSet<_> = (0..40).map(id).collect();
    let found: Vec<Finding> = (0..60).map(|n| finding(n, "open")).collect();
    let mut signal = signal("pending_work");
    signal.weight = 20;
    let plans = Sighting::of(signal, found, Vec::new(), &told).expect("found");
    let mut state = met();
    state.surfaced = told.iter().map(|topic| (*topic, now)).collect();
    let decision = act(&rules(), &state, &[plans], now);
    assert_eq!(decision.surfaced[0].count, 20, "the fresh ones, and none of those that are not listed");
    assert_eq!(count_of(&trace(&decision, StepName::Topic).dropped, "pending_work"), 40);
}

/// K14: a topic that was dropped stays dropped while it should, whatever else changes around it.
#[test]
fn k14_a_topic_is_judged_by_itself_and_not_by_the_set_around_it() {
    let now = monday(NOON);
    let plan = about(sighting("pending_work"), 9);
    let state = spoken_of(now, 9, HOUR);
    for beside in [["conflict", "continuity", "stale_monitor"], ["conflict", "memory_velocity", "continuity"]]
    {
        let seen = [sightings(&beside), vec![plan.clone()]].concat();
        let decision = act(&rules(), &state, &seen, now);
        assert!(!names(&decision).contains(&"pending_work"), "{beside:?}");
    }
}

#[test]
fn a_topic_that_is_told_anyway_is_told_whole() {
    let now = monday(NOON);
    let plan = about(sighting("pending_work"), 9);
    let seen = [about(sighting("conflict"), 9), plan, sighting("continuity"), sighting("stale_monitor")];
    let decision = act(&rules(), &spoken_of(now, 9, 30 * MINUTE), &seen, now);
    assert_eq!(decision.surfaced.len(), 4);
}

#[test]
fn a_mood_is_not_a_repetition_of_a_count() {
    let now = monday(NOON);
    let seen = sightings(&["memory_velocity", "sentiment", "conflict", "continuity"]);
    let [velocity, mood] = [0, 1].map(|at: usize| seen[at].signal.subject(&seen[at].listed[0]));
    assert_eq!(seen[0].listed[0].id, seen[1].listed[0].id, "both are of the principal");
    assert_ne!(velocity, mood);
    let mut state = told(now, HOUR);
    state.surfaced.insert(mood, now.saturating_sub(secs(HOUR)));
    let decision = act(&rules(), &state, &seen, now);
    assert_eq!(names(&decision), ["conflict", "continuity", "memory_velocity"]);
}

#[test]
fn schedules_and_deadlines_have_books_of_their_own_and_leave_no_mark() {
    let now = monday(NOON);
    let seen = [sighting("scheduled"), deadline("4h")];
    let mut state = met();
    for sighting in &seen {
        state.surfaced.insert(sighting.listed[0].id, now);
    }
    let decision = act(&rules(), &state, &seen, now);
    assert_eq!(decision.surfaced.len(), 2);
    assert!(decision.topics().is_empty());
}

/// An operator's own immediate signal is found as long as it holds. It must not ring at every tick.
#[test]
fn an_immediate_signal_without_books_is_not_repeated_for_the_same_topic() {
    let door = sightings(&["door_open"]);
    let first = act(&rules(), &met(), &door, monday(NOON));
    let state = after_act(met(), &first, monday(NOON));
    let again = silent(&rules(), &state, &door, monday("12:29"), StepName::Topic);
    assert_eq!(again.held_until, Some(monday("12:30")));
    act(&rules(), &state, &door, monday("12:30"));
    // Another door is another matter, and no calm act holds it.
    let other = sighting_of("door_open", vec![finding(3, "open")]);
    act(&rules(), &State { acted: told(monday(NOON), 0).acted, ..state }, &[other], monday("12:01"));
}

// Nothing is consumed -------------------------------------------------------------------------------------------------

/// K4: what was first seen during a cooldown is judged afresh when that ends.
#[test]
fn k4_what_waited_for_a_cooldown_is_told_when_it_ends() {
    let calm = enough(Tier::Elevated);
    let state = told(monday(NOON), 60);
    let mut acted_at = None;
    for minute in 0..60 {
        let now = monday(NOON).saturating_add(secs(minute * MINUTE));
        if decide(&rules(), &state, &calm, now).verdict.is_act() {
            acted_at.get_or_insert(minute);
        }
    }
    assert_eq!(acted_at, Some(29));
}

#[test]
fn a_trace_names_the_steps_in_order_with_what_they_saw() {
    let seen = [sightings(&["conflict", "continuity", "pending_work", "decaying"])].concat();
    let decision = act(&rules(), &met(), &seen, monday("18:00"));
    let steps: Vec<StepName> = decision.trace.iter().map(|trace| trace.step).collect();
    assert_eq!(steps, StepName::ALL);
    let dropped: Vec<usize> = decision.trace.iter().map(|trace| trace.dropped.len()).collect();
    assert_eq!(dropped, [0, 0, 0, 1, 0, 0, 0, 0]);
    let saw: Vec<usize> = decision.trace.iter().map(|trace| trace.saw.len()).collect();
    assert_eq!(saw, [4, 4, 4, 4, 3, 3, 3, 3]);
    assert_eq!(decision.verdict.reason(), "13 of 12 is enough: conflict, continuity, pending_work");
    assert_eq!((decision.score, decision.tier), (13, Some(Tier::Elevated)));
    assert_eq!(StepName::ALL.iter().map(|step| step.number()).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_finding_of_a_kind_is_not_one_of_another() {
    let entity = Finding { kind: RefKind::Entity, ..finding(4, "open") };
    assert_eq!(signal("relationship").subject(&entity), id(4));
    let whole = Finding { kind: RefKind::Principal, topic: Some(id(8)), ..finding(4, "open") };
    assert_eq!(signal("pattern").subject(&whole), id(8), "a habit is about its topic");
}

#[test]
fn what_was_delivered_just_now_is_neither_answered_nor_ignored() {
    use selfsame_core::heartbeat::NudgeState::{Answered, Delivered, Dismissed};
    use selfsame_core::heartbeat::response::counted;
    let responses = rules().responses;
    let now = monday("12:00");
    let ago = |seconds| now.saturating_sub(std::time::Duration::from_secs(seconds));
    let half_an_hour = responses.answer_within.as_secs();
    let told = [
        (Delivered, ago(half_an_hour - 1)),
        (Delivered, ago(half_an_hour)),
        (Answered, ago(1)),
        (Dismissed, ago(1)),
    ];
    assert_eq!(counted(&responses, &told, now), (3, 1));
}

// What each part is told apart by -----------------------------------------------------------------------------------

#[test]
fn a_reminder_that_is_due_is_no_critical_deadline() {
    let reminder = sighting_of("scheduled", vec![finding(1, "due")]);
    let decision = act(&rules(), &met(), &[reminder], monday(NOON));
    assert_eq!(decision.verdict.step(), StepName::Topic);
    assert_eq!(trace(&decision, StepName::CriticalDeadline).note, "no deadline within 1h");
}

#[test]
fn a_reminder_is_told_though_its_topic_was_spoken_of() {
    let about = |number: u8| Finding { topic: Some(id(9)), ..finding(number, "open") };
    let seen = [sighting_of("scheduled", vec![about(1)]), sighting_of("conflict", vec![about(2)])];
    let now = monday(NOON);
    let mut state = told(now, 3 * 3600);
    state.surfaced.insert(id(9), now.saturating_sub(secs(60)));
    let decision = act(&rules(), &state, &seen, now);
    assert_eq!(names(&decision), ["scheduled"]);
}

#[test]
fn what_is_forced_ends_the_matter_and_has_its_fingerprint() {
    let seen = [deadline("due")];
    let decision = act(&rules(), &met(), &seen, monday("03:00"));
    assert_eq!(decision.trace.last().map(|trace| trace.step), Some(StepName::CriticalDeadline));
    assert_eq!(decision.fingerprint, Some(fingerprint(&seen)));
}
