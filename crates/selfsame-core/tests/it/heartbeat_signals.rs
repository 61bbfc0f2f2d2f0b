//! What scans need judged: a header, a mood, a habit, and how much of what is found is looked at.

use crate::heartbeat_kit::{finding, id, signal};
use selfsame_core::heartbeat::habit::{Day, habits};
use selfsame_core::heartbeat::header;
use selfsame_core::heartbeat::sentiment::{Mood, mood};
use selfsame_core::heartbeat::signal::{MAX_COUNTED, MAX_LISTED, may_hide_fresh};
use selfsame_core::heartbeat::{Finding, Sighting, Tier};
use selfsame_core::time::{Time, Zone};
use std::collections::BTreeSet;
use std::time::Duration;

const GOOD: &str =
    "-- signal: tea_time\n-- tier: low\n-- weight: 2\n-- meaning: the kettle is cold\nSELECT 1\n";

#[test]
fn a_header_says_what_a_signal_is() {
    let (signal, sql) = header::parse(GOOD).unwrap();
    assert_eq!((signal.name.as_str(), signal.tier, signal.weight), ("tea_time", Tier::Low, 2));
    assert_eq!((signal.meaning.as_str(), signal.aggregate, sql), ("the kettle is cold", false, "SELECT 1\n"));
    let (signal, _) = header::parse(&GOOD.replace("-- meaning", "-- counts: aggregate\n-- meaning")).unwrap();
    assert!(signal.aggregate);
}

#[test]
fn a_mood_is_a_shift_of_halves_or_an_extreme() {
    let of = |later: f64, earlier: f64| mood(&[[later; 10], [earlier; 10]].concat());
    assert_eq!(of(0.0, 0.0), None);
    assert_eq!(of(-0.6, 0.0), None, "a shift of 0.3 on the scale from -1 to 1 is not more than 0.3");
    assert_eq!(of(-0.62, 0.0), Some(Mood::Falling));
    assert_eq!(of(0.62, 0.0), Some(Mood::Rising));
    assert_eq!(of(-1.6, -1.6), Some(Mood::Low));
    assert_eq!(of(1.6, 1.6), Some(Mood::High));
    assert_eq!(of(1.5, 1.5), None);
    assert_eq!(mood(&[-2.0; 3]), None, "three are no trend");
    assert_eq!(mood(&[-2.0; 4]), Some(Mood::Low));
    let long_ago = [[0.0; 20], [2.0; 20]].concat();
    assert_eq!(mood(&long_ago), None, "the last twenty count");
}

fn day(week: i64, weekday: i64) -> Day {
    Day { week, weekday }
}

#[test]
fn a_day_is_the_principals_own() {
    let at = |text: &str, zone: &str| Day::of(&Zone::parse(zone).unwrap(), Time::parse(text).unwrap());
    assert_eq!(at("1970-01-05T00:00:00Z", "UTC"), day(0, 1));
    assert_eq!(at("1970-01-04T23:59:59Z", "UTC"), day(-1, 7));
    assert_eq!(at("2026-01-04T23:30:00Z", "Asia/Tokyo").weekday, 1, "it is Monday there");
    assert_eq!(at("2026-01-05T02:00:00Z", "America/New_York").weekday, 7, "and still Sunday there");
}

#[test]
fn a_habit_takes_three_weeks_and_twice_the_rest() {
    let zone = Zone::utc();
    let seen = |days: &[Day]| habits(&days.iter().copied().collect(), day(100, 4), &zone);
    assert_eq!(seen(&[day(99, 4), day(100, 4)]), []);
    let habit = seen(&[day(98, 4), day(99, 4), day(100, 4)]);
    assert_eq!(habit.iter().map(|habit| (habit.weekday, habit.weeks)).collect::<Vec<_>>(), [(4, 3)]);
    assert_eq!(seen(&[day(88, 4), day(99, 4), day(100, 4)]), [], "the first is out of sight");
    assert_eq!(seen(&[day(89, 4), day(99, 4), day(100, 4)]).len(), 1);
    let daily: BTreeSet<Day> =
        (90..=100).flat_map(|week| (1..=7).map(move |weekday| day(week, weekday))).collect();
    assert_eq!(habits(&daily, day(100, 4), &zone), [], "every day is no day's habit");
    // Three Thursdays; nine other days are 1.5 for each other weekday: a lift of exactly two.
    let others: Vec<Day> = (0..9).map(|number| day(90 + number, 1 + number % 3)).collect();
    let mixed = |others: &[Day]| [&[day(98, 4), day(99, 4), day(100, 4)], others].concat();
    assert!(seen(&mixed(&others)).iter().any(|habit| habit.weekday == 4 && (habit.lift - 2.0).abs() < 1e-9));
    let more = [others.as_slice(), &[day(100, 5)]].concat();
    assert!(!seen(&mixed(&more)).iter().any(|habit| habit.weekday == 4));
}

#[test]
fn a_habit_holds_while_three_weeks_are_in_sight() {
    let zone = Zone::parse("Europe/Berlin").unwrap();
    let days: BTreeSet<Day> = [98, 99, 100].map(|week| day(week, 4)).into();
    let until = habits(&days, day(100, 4), &zone)[0].holds_until;
    let at = |moment: Time| Day::of(&zone, moment);
    assert_eq!(at(until), day(110, 1));
    let before = at(until.saturating_sub(Duration::from_secs(1)));
    assert_eq!(before, day(109, 7));
    assert_eq!(habits(&days, before, &zone).len(), 1);
    assert_eq!(habits(&days, at(until), &zone), []);
}

// How much is looked at ------------------------------------------------------------------------------------------------

/// Plans by their numbers.
fn plans(numbers: impl Iterator<Item = u8>) -> Vec<Finding> {
    numbers.map(|number| finding(number, "open")).collect()
}

#[test]
fn what_is_found_is_counted_up_to_a_hundred_and_told_apart_by_every_one() {
    let of = |found| Sighting::of(signal("pending_work"), found, Vec::new(), &BTreeSet::new()).unwrap();
    let all = of(plans(0..MAX_COUNTED as u8));
    assert_eq!((all.count, all.listed.len()), (MAX_COUNTED, MAX_LISTED));
    let twice = [plans(0..100), plans(0..100)].concat();
    assert_eq!(of(twice), all, "what is found twice is one");
    // One more that is new is in the place of the last: another state, though no more are counted.
    let newer = of(plans(1..=100));
    assert_eq!(newer.count, MAX_COUNTED);
    assert_ne!(newer.digest, all.digest);
    assert_eq!(of(plans(0..120)).count, MAX_COUNTED, "a signal of one's own may find more");
}

#[test]
fn what_was_told_does_not_hide_what_is_fresh() {
    let signal = signal("pending_work");
    let (first, told) = (plans(0..100), (0..100).map(id).collect::<BTreeSet<_>>());
    assert!(may_hide_fresh(&signal, &first, &told));
    assert!(!may_hide_fresh(&signal, &first, &BTreeSet::new()), "nothing of it was told");
    assert!(!may_hide_fresh(&signal, &first[..99], &told), "that is all there is");
    let some = |told: u8| (0..told).map(id).collect::<BTreeSet<_>>();
    assert!(!may_hide_fresh(&signal, &first, &some(50)), "fifty are left to fill a list");
    assert!(may_hide_fresh(&signal, &first, &some(51)));
    let seen = |fresh| Sighting::of(signal.clone(), first.clone(), fresh, &told).unwrap();
    let with = seen(plans(100..120));
    let fresh: Vec<_> = (100..120).map(id).collect();
    assert_eq!(with.listed.iter().map(|one| one.id).take(20).collect::<Vec<_>>(), fresh);
    assert_eq!(with.listed.len(), MAX_LISTED, "and what was told fills the list");
    assert_eq!(
        (with.count, with.digest),
        (seen(Vec::new()).count, seen(Vec::new()).digest),
        "it is no other state"
    );
}
