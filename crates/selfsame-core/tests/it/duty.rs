//! Duties: their slots, what is caught up on, and how patiently a failure is retried.

use jiff::civil;
use proptest::prelude::*;
use selfsame_core::duty::{Health, Retries, Rhythm, Spans, Standing, Verdict};
use selfsame_core::id::Id;
use selfsame_core::time::{Time, Zone};
use std::collections::BTreeSet;
use std::time::Duration;

const DAY: i64 = 86_400;

fn at_second(second: i64) -> Time {
    Time::from_micros(second * 1_000_000)
}

/// From 1990 to 2060, to the microsecond.
fn moments() -> impl Strategy<Value = Time> {
    (7_305 * DAY * 1_000_000..32_872 * DAY * 1_000_000).prop_map(Time::from_micros)
}

fn periods() -> impl Strategy<Value = Duration> {
    prop_oneof![
        (1..=90_u64).prop_map(Duration::from_secs),
        (1..=600_u64).prop_map(|minutes| Duration::from_secs(minutes * 60)),
        (1..=20 * 86_400_000_u64)
            .prop_filter("a second or more", |millis| *millis >= 1000)
            .prop_map(Duration::from_millis),
    ]
}

fn dailies() -> impl Strategy<Value = Rhythm> {
    let names: Vec<&'static str> = Zone::all_names().collect();
    (prop::sample::select(names), 0..24_i8, 0..60_i8).prop_map(|(name, hour, minute)| Rhythm::Daily {
        at: civil::time(hour, minute, 0, 0),
        zone: Zone::parse(name).expect("a known zone"),
    })
}

fn repeating() -> impl Strategy<Value = Rhythm> {
    prop_oneof![periods().prop_map(Rhythm::Every), dailies()]
}

/// The slots after `first`, one after the other, up to and with `until`.
fn walk(rhythm: &Rhythm, first: Time, until: Time) -> Vec<Time> {
    let next = |slot: &Time| rhythm.slot_after(*slot).filter(|slot| *slot <= until);
    std::iter::successors(Some(first), next).collect()
}

proptest! {
    #[test]
    fn slots_go_forward(rhythm in repeating(), after in moments()) {
        let mut last = after;
        for _ in 0..20 {
            let slot = rhythm.slot_after(last).expect("it repeats");
            prop_assert!(slot > last);
            last = slot;
        }
    }

    /// Whoever asks between two slots, at whatever moment, hears the same one.
    #[test]
    fn slots_do_not_depend_on_when_one_asks(rhythm in repeating(), after in moments(), share in 0.0..1.0_f64) {
        let slot = rhythm.slot_after(after).expect("it repeats");
        let following = rhythm.slot_after(slot).expect("it repeats");
        let gap = following.micros() - slot.micros();
        let between = Time::from_micros(slot.micros() + (gap as f64 * share) as i64);
        prop_assert_eq!(rhythm.slot_after(between.min(Time::from_micros(following.micros() - 1))), Some(following));
        prop_assert_eq!(rhythm.slot_after(Time::from_micros(following.micros() - 1)), Some(following));
    }

    #[test]
    fn catching_up_takes_the_latest_and_counts_the_rest(rhythm in repeating(), from in moments(), ahead in 0..2_000_u32, share in 0.0..1.0_f64) {
        let slot = rhythm.slot_after(from).expect("it repeats");
        let period = rhythm.period().expect("it repeats");
        let now = slot.saturating_add(period.mul_f64(f64::from(ahead % 300) + share));
        let slots = walk(&rhythm, slot, now);
        let due = rhythm.catch_up(slot, now);
        prop_assert_eq!(Some(&due.slot), slots.last());
        prop_assert_eq!(due.passed_over as usize, slots.len() - 1);
    }

    /// A clock that was set back behind the slot passes over nothing and invents nothing.
    #[test]
    fn a_slot_ahead_of_the_clock_is_kept(rhythm in repeating(), from in moments(), back in 0..10_000_000_u64) {
        let slot = rhythm.slot_after(from).expect("it repeats");
        let due = rhythm.catch_up(slot, slot.saturating_sub(Duration::from_secs(back)));
        prop_assert_eq!((due.slot, due.passed_over), (slot, 0));
    }

    #[test]
    fn a_rhythm_is_read_back(rhythm in prop_oneof![Just(Rhythm::Once), repeating()]) {
        prop_assert_eq!(Rhythm::parse(&rhythm.to_string()), Ok(rhythm));
    }

    #[test]
    fn daily_slots_are_those_of_the_zone(rhythm in dailies(), after in moments()) {
        let Rhythm::Daily { at, zone } = &rhythm else { unreachable!() };
        let mut last = after;
        for _ in 0..400 {
            let slot = rhythm.slot_after(last);
            prop_assert_eq!(slot, Some(zone.next_daily(*at, last)));
            last = slot.expect("it repeats");
        }
    }

    #[test]
    fn pauses_are_between_half_and_all_of_a_doubling_one(bytes in any::<[u8; 16]>(), now in moments(), first in 1..100_u64, longest in 100..10_000_u64) {
        let retries = Retries {
            max_attempts: 20,
            first_pause: Duration::from_secs(first),
            longest_pause: Duration::from_secs(longest),
        };
        for attempt in 1..20 {
            let full = (first << (attempt - 1).min(20)).min(longest);
            let verdict = retries.after_failure(Id::from_bytes(bytes), attempt, now);
            let Verdict::Retry(at) = verdict else { panic!("given up after {attempt}") };
            let pause = at.since(now);
            prop_assert!(pause >= Duration::from_secs(full) / 2 && pause <= Duration::from_secs(full), "{pause:?} of {full} s");
            prop_assert_eq!(verdict, retries.after_failure(Id::from_bytes(bytes), attempt, now), "the same each time");
        }
        prop_assert_eq!(retries.after_failure(Id::from_bytes(bytes), 20, now), Verdict::GiveUp);
        prop_assert_eq!(retries.after_failure(Id::from_bytes(bytes), u32::MAX, now), Verdict::GiveUp);
    }
}

proptest! {
    /// Against a set that keeps every slot, with a clock that goes back and forth.
    #[test]
    fn what_was_done_is_known_whatever_the_clock_did(rhythm in repeating(), from in moments(), places in prop::collection::vec(0..60_usize, 0..60)) {
        let mut slots = vec![rhythm.slot_after(from).expect("it repeats")];
        while slots.len() < 60 {
            slots.push(rhythm.slot_after(slots[slots.len() - 1]).expect("it repeats"));
        }
        let mut spans = Spans::default();
        let mut done = BTreeSet::new();
        for place in places {
            spans = Spans::parse(&spans.with(&rhythm, slots[place]).to_string());
            done.insert(slots[place]);
        }
        // Sixty slots have at most thirty stretches with a gap between them: none has been dropped.
        for slot in &slots {
            prop_assert_eq!(spans.contain(*slot), done.contains(slot), "{}: {}", slot, spans);
        }
    }
}

#[test]
fn of_too_many_stretches_the_latest_are_kept() {
    let rhythm = Rhythm::Every(Duration::from_secs(60));
    let slot = |number: i64| at_second(1_800_000_000 + number * 120);
    let spans = (0..100).fold(Spans::default(), |spans, number| spans.with(&rhythm, slot(number)));
    assert!(!spans.contain(slot(60)) && spans.contain(slot(70)) && spans.contain(slot(99)));
    assert!(spans.to_string().len() < 2000, "{spans}");
}

#[test]
fn duties_that_failed_together_do_not_come_back_together() {
    let now = at_second(1_800_000_000);
    let mut pauses: Vec<Time> = (0..200_u8)
        .filter_map(|byte| match Retries::default().after_failure(Id::from_bytes([byte; 16]), 8, now) {
            Verdict::Retry(at) => Some(at),
            Verdict::GiveUp => None,
        })
        .collect();
    pauses.sort();
    pauses.dedup();
    assert!(pauses.len() > 190, "{} different pauses of 200", pauses.len());
}

#[test]
fn the_usual_patience_is_less_than_an_hour() {
    let (retries, start) = (Retries::default(), at_second(1_800_000_000));
    let mut now = start;
    let mut attempts = 0;
    loop {
        attempts += 1;
        assert!(attempts < 100, "no end in sight");
        match retries.after_failure(Id::from_bytes([3; 16]), attempts, now) {
            Verdict::Retry(at) => now = at,
            Verdict::GiveUp => break,
        }
    }
    let took = now.since(start);
    assert_eq!(attempts, retries.max_attempts);
    assert!(took > Duration::from_secs(20 * 60) && took < Duration::from_secs(3600), "{took:?}");
}

#[test]
fn a_month_of_sleep_is_one_run() {
    let rhythm = Rhythm::parse("daily 03:30 Europe/Berlin").expect("a rhythm");
    let slot: Time = "2026-03-20T02:30:00Z".parse().expect("a time");
    let now: Time = "2026-04-20T12:00:00Z".parse().expect("a time");
    let due = rhythm.catch_up(slot, now);
    // Summer began on the 29th: 03:30 is an hour earlier in Greenwich since.
    assert_eq!(due.slot.to_string(), "2026-04-20T01:30:00Z");
    assert_eq!(due.passed_over, 31);
}

#[test]
fn a_duty_of_one_slot_has_no_next() {
    let slot = at_second(1_800_000_000);
    assert_eq!(Rhythm::Once.slot_after(slot), None);
    let due = Rhythm::Once.catch_up(slot, at_second(1_900_000_000));
    assert_eq!((due.slot, due.passed_over), (slot, 0));
}

#[test]
fn the_end_of_the_calendar_is_an_end() {
    let daily = Rhythm::parse("daily 03:30 UTC").expect("a rhythm");
    for rhythm in [Rhythm::Every(Duration::from_secs(3600)), daily] {
        assert_eq!(rhythm.slot_after(Time::MAX), None, "{rhythm}");
    }
}

#[test]
fn what_is_no_rhythm_is_refused_with_the_right_form() {
    for text in [
        "",
        "never",
        "every",
        "every 0s",
        "every 500ms",
        "every 15",
        "every  15m",
        "daily 24:00 UTC",
        "daily 03:30",
        "daily 03:30 Europe/Berln",
        "daily 03:30 UTC ",
        "Once",
    ] {
        let refused = Rhythm::parse(text);
        assert!(refused.is_err(), "{text:?} was read as {refused:?}");
    }
    let said = Rhythm::parse("sometimes").expect_err("no rhythm").to_string();
    assert_eq!(
        said,
        "\"sometimes\" is no rhythm: write once, every 15m (a second or more), or daily 03:30 Europe/Berlin"
    );
}

/// An hourly duty that waits for the slot at 10:00, seen at 9:30.
const HALF_PAST_NINE: i64 = 1_800_000_000 - 1_800_000_000 % DAY + 9 * 3600 + 1800;

fn waiting(rhythm: &str, slot: i64) -> Standing<'_> {
    Standing { state: "waiting", rhythm, slot: at_second(slot), next_at: at_second(slot), lease_until: None }
}

#[test]
fn late_is_what_is_two_periods_behind() {
    let slot = HALF_PAST_NINE + 1800;
    for (rhythm, patience) in
        [("every 15m", 1800), ("every 1h", 7200), ("daily 10:00 UTC", 2 * DAY), ("once", 3600)]
    {
        let health = |state, now| Standing { state, ..waiting(rhythm, slot) }.health(at_second(now));
        for state in ["waiting", "running"] {
            assert_eq!(health(state, slot - DAY), Health::Fine, "{rhythm}: not due yet");
            assert_eq!(health(state, slot + patience), Health::Fine, "{rhythm}");
            assert_eq!(health(state, slot + patience + 1), Health::Late, "{rhythm}");
        }
        assert_eq!(health("dead", slot), Health::Dead);
        for ended in ["done", "cancelled"] {
            assert_eq!(health(ended, slot + 100 * DAY), Health::Fine, "{ended}: nobody waits for it");
        }
    }
}

#[test]
fn a_lease_or_a_pause_that_cannot_be_is_ended() {
    let now = at_second(HALF_PAST_NINE);
    let slot = HALF_PAST_NINE - 1800;
    let running = |lease: i64| Standing {
        state: "running",
        lease_until: Some(at_second(HALF_PAST_NINE + lease)),
        ..waiting("every 1h", slot)
    };
    assert_eq!(running(60).released(now), None);
    assert_eq!(running(3600).released(now), None, "the longest lease there is");
    assert_eq!(running(3601).released(now), Some(now));
    let pausing =
        |pause: i64| Standing { next_at: at_second(HALF_PAST_NINE + pause), ..waiting("every 1h", slot) };
    assert_eq!(pausing(900).released(now), None);
    assert_eq!(pausing(3601).released(now), Some(now));
    // What waits for a slot of tomorrow does not pause.
    let tomorrow = waiting("daily 10:00 UTC", HALF_PAST_NINE + DAY);
    assert_eq!(tomorrow.released(now), None);
    let pausing = Standing { next_at: at_second(HALF_PAST_NINE + 2 * DAY), ..tomorrow };
    assert_eq!(pausing.released(now), Some(tomorrow.slot), "not before its slot");
    for state in ["dead", "cancelled", "done"] {
        assert_eq!(Standing { state, ..running(3601) }.released(now), None, "{state}");
    }
}

#[test]
fn a_slot_that_cannot_be_is_moved_to_the_next_one() {
    let now = at_second(HALF_PAST_NINE);
    let next = HALF_PAST_NINE + 1800;
    let moved = |rhythm, slot| waiting(rhythm, slot).reanchored(now);
    assert_eq!(moved("every 1h", next), None);
    assert_eq!(moved("every 1h", next + 3600), None, "somebody was a little early");
    assert_eq!(moved("every 1h", next + 7200), Some(at_second(next)));
    assert_eq!(moved("every 1h", next - 7200), None, "late is not wrong");
    assert_eq!(moved("daily 10:00 UTC", next + DAY), None);
    assert_eq!(moved("daily 10:00 UTC", next + 2 * DAY), Some(at_second(next)));
    assert_eq!(moved("once", next + 400 * DAY), None, "it is meant for then");
    assert_eq!(moved("no rhythm", next + 400 * DAY), None);
    let running = Standing { state: "running", ..waiting("every 1h", next + 7200) };
    assert_eq!(running.reanchored(now), None, "somebody is at it");
}
