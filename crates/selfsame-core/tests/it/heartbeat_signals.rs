//! What scans need judged: a header, a mood, a habit.

use selfsame_core::heartbeat::Tier;
use selfsame_core::heartbeat::habit::{Day, habits};
use selfsame_core::heartbeat::header;
use selfsame_core::heartbeat::sentiment::{Mood, mood};
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
