//! Schedules: what their tags say, checked against a walk through every minute; and the ladder of deadlines.

use jiff::civil;
use proptest::prelude::*;
use selfsame_core::heartbeat::schedule::{Schedule, of_tags};
use selfsame_core::heartbeat::{Ladder, Rung};
use selfsame_core::time::{Time, Zone};
use std::time::Duration;

const MINUTE: i64 = 60_000_000;
const HOUR: i64 = 60 * MINUTE;

/// Zones that change their clocks by an hour, by half an hour, at midnight, or leave out a whole day.
const ZONES: [&str; 24] = [
    "UTC",
    "Europe/Berlin",
    "Europe/London",
    "Europe/Lisbon",
    "Europe/Moscow",
    "America/New_York",
    "America/St_Johns",
    "America/Sao_Paulo",
    "America/Santiago",
    "America/Havana",
    "America/Asuncion",
    "America/Los_Angeles",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Asia/Tehran",
    "Asia/Beirut",
    "Asia/Gaza",
    "Asia/Tokyo",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Australia/Lord_Howe",
    "Australia/Adelaide",
    "Pacific/Apia",
    "Pacific/Chatham",
];

fn zone(name: &str) -> Zone {
    Zone::parse(name).expect("a known zone")
}

fn time(text: &str) -> Time {
    text.parse().expect("RFC 3339")
}

fn read(tag: &str, home: &str) -> Schedule {
    Schedule::parse(tag, &zone(home), time("2026-03-02T09:00:00Z")).unwrap_or_else(|bad| panic!("{bad}"))
}

/// The next moments after `after`, as text.
fn next(tag: &str, home: &str, after: &str, count: usize) -> Vec<String> {
    let schedule = read(tag, home);
    let all = std::iter::successors(schedule.next_after(time(after)), |last| schedule.next_after(*last));
    all.take(count).map(|moment| moment.to_string()).collect()
}

#[test]
fn each_form_means_what_it_says() {
    let berlin = |tag, after| next(tag, "Europe/Berlin", after, 3);
    let monday = "2026-03-02T09:00:00Z";
    assert_eq!(
        berlin("cron:hourly", monday),
        ["2026-03-02T10:00:00Z", "2026-03-02T11:00:00Z", "2026-03-02T12:00:00Z"]
    );
    assert_eq!(
        next("cron:hourly", "Asia/Kolkata", monday, 2),
        ["2026-03-02T09:30:00Z", "2026-03-02T10:30:00Z"]
    );
    assert_eq!(
        berlin("cron:daily:10:00", monday),
        ["2026-03-03T09:00:00Z", "2026-03-04T09:00:00Z", "2026-03-05T09:00:00Z"],
        "strictly after"
    );
    assert_eq!(berlin("cron:daily:10:00:Asia/Tokyo", monday)[0], "2026-03-03T01:00:00Z");
    assert_eq!(
        berlin("cron:weekly:mon:09:00", monday),
        ["2026-03-09T08:00:00Z", "2026-03-16T08:00:00Z", "2026-03-23T08:00:00Z"]
    );
    assert_eq!(berlin("cron:weekly:Sunday:09:00", monday)[0], "2026-03-08T08:00:00Z");
    assert_eq!(
        berlin("cron:weekdays:09:00", "2026-03-05T09:00:00Z"),
        ["2026-03-06T08:00:00Z", "2026-03-09T08:00:00Z", "2026-03-10T08:00:00Z"]
    );
    assert_eq!(
        next("cron:monthly:31:09:00", "UTC", "2026-01-15T00:00:00Z", 4),
        ["2026-01-31T09:00:00Z", "2026-02-28T09:00:00Z", "2026-03-31T09:00:00Z", "2026-04-30T09:00:00Z"]
    );
    assert_eq!(next("cron:monthly:29:09:00", "UTC", "2028-02-01T00:00:00Z", 1), ["2028-02-29T09:00:00Z"]);
    assert_eq!(
        berlin("cron:every:1h30m", "2026-03-02T11:00:00Z"),
        ["2026-03-02T12:00:00Z", "2026-03-02T13:30:00Z", "2026-03-02T15:00:00Z"],
        "counted from the beginning"
    );
    assert_eq!(
        berlin("cron:every:1h30m", "2026-01-01T00:00:00Z")[0],
        "2026-03-02T10:30:00Z",
        "not before it"
    );
    assert_eq!(berlin("cron:once:2026-12-24T18:00", monday), ["2026-12-24T17:00:00Z"]);
    assert_eq!(berlin("cron:once:2026-12-24 18:00:30:America/New_York", monday), ["2026-12-24T23:00:30Z"]);
    assert_eq!(berlin("cron:once:2026-12-24T18:00:00+05:00", monday), ["2026-12-24T13:00:00Z"]);
    assert_eq!(berlin("cron:once:2026-03-02T10:00:00+01:00", monday), [""; 0], "strictly after");
}

#[test]
fn five_fields_are_read_as_cron_reads_them() {
    let utc = |tag, after, count| next(tag, "UTC", after, count);
    let monday = "2026-03-02T09:00:00Z";
    assert_eq!(
        utc("cron:0 9 * * 1-5", "2026-03-05T10:00:00Z", 2),
        ["2026-03-06T09:00:00Z", "2026-03-09T09:00:00Z"]
    );
    assert_eq!(
        utc("cron:*/20 8-9 * * *", monday, 3),
        ["2026-03-02T09:20:00Z", "2026-03-02T09:40:00Z", "2026-03-03T08:00:00Z"]
    );
    assert_eq!(
        utc("cron:5,50 0 1 JAN,jul *", monday, 3),
        ["2026-07-01T00:05:00Z", "2026-07-01T00:50:00Z", "2027-01-01T00:05:00Z"]
    );
    assert_eq!(utc("cron:0 0 29 2 *", monday, 2), ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]);
    assert_eq!(utc("cron:0 0 29 2 *", "2096-03-01T00:00:00Z", 1), ["2104-02-29T00:00:00Z"]);
    assert_eq!(utc("cron:0 0 * * 7", monday, 1), utc("cron:0 0 * * SUN", monday, 1));
    assert_eq!(
        utc("cron:0 0 * * FRI-SUN", monday, 3),
        ["2026-03-06T00:00:00Z", "2026-03-07T00:00:00Z", "2026-03-08T00:00:00Z"]
    );
    assert_eq!(
        utc("cron:0 0 * * 0-6/3", monday, 3),
        ["2026-03-04T00:00:00Z", "2026-03-07T00:00:00Z", "2026-03-08T00:00:00Z"]
    );
    // Both day fields restricted: one is enough. Of one that begins with a star, both are needed.
    assert_eq!(
        utc("cron:0 0 13 * FRI", "2026-03-10T00:00:00Z", 3),
        ["2026-03-13T00:00:00Z", "2026-03-20T00:00:00Z", "2026-03-27T00:00:00Z"]
    );
    assert_eq!(utc("cron:0 0 */2 * MON", monday, 2), ["2026-03-09T00:00:00Z", "2026-03-23T00:00:00Z"]);
    assert_eq!(utc("cron:0 9 * * * Asia/Tokyo", monday, 1), ["2026-03-03T00:00:00Z"]);
}

#[test]
fn where_the_clocks_change_each_minute_of_a_date_comes_once() {
    let berlin = |tag, after, count| next(tag, "Europe/Berlin", after, count);
    assert_eq!(
        berlin("cron:daily:02:30", "2026-03-28T12:00:00Z", 2),
        ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"],
        "the next minute there is"
    );
    assert_eq!(
        berlin("cron:daily:02:30", "2026-10-24T12:00:00Z", 2),
        ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
        "the first of two"
    );
    assert_eq!(
        berlin("cron:*/30 2-3 * * *", "2026-03-29T00:00:00Z", 3),
        ["2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z", "2026-03-30T00:00:00Z"],
        "02:00, 02:30 and 03:00 are one moment"
    );
    assert_eq!(
        berlin("cron:hourly", "2026-10-25T00:00:00Z", 3),
        ["2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z", "2026-10-25T03:00:00Z"],
        "an hour that comes twice is two hours"
    );
    assert_eq!(
        next("cron:hourly", "Australia/Lord_Howe", "2026-04-04T14:00:00Z", 2),
        ["2026-04-04T15:30:00Z", "2026-04-04T16:30:00Z"],
        "the clocks go back by half an hour"
    );
    assert_eq!(
        next("cron:daily:09:00", "Pacific/Apia", "2011-12-29T12:00:00Z", 2),
        ["2011-12-29T19:00:00Z", "2011-12-30T19:00:00Z"],
        "the 30th was left out"
    );
}

#[test]
fn the_period_is_the_shortest_pause() {
    for (tag, minutes) in [
        ("cron:hourly", 60),
        ("cron:daily:09:00", 1440),
        ("cron:weekly:MON:09:00", 7 * 1440),
        ("cron:monthly:1:09:00", 28 * 1440),
        ("cron:every:5m", 5),
        ("cron:*/10 * * * *", 10),
        ("cron:0,10,50 * * * *", 10),
        ("cron:30 23,1 * * *", 120),
        ("cron:0 9 * * 1", 1440),
    ] {
        let schedule = read(tag, "UTC");
        assert_eq!(schedule.period(), Some(Duration::from_secs(minutes * 60)), "{tag}");
        for most in [1, 120, 100_000] {
            let grace = schedule.grace(Duration::from_secs(most * 60));
            assert_eq!(grace, Duration::from_secs(minutes.min(most) * 60), "{tag} and {most}");
        }
    }
    let once = read("cron:once:2026-12-24T18:00", "UTC");
    let grace = Duration::from_secs(5400);
    assert_eq!((once.period(), once.grace(grace)), (None, grace));
}

#[test]
fn a_tag_goes_out_and_comes_back() {
    for (tag, plain) in [
        ("cron:hourly", "cron:hourly"),
        ("cron:daily:09:00", "cron:daily:09:00"),
        ("cron:daily:09:00:europe/berlin", "cron:daily:09:00:Europe/Berlin"),
        ("cron:weekly:tuesday:09:00", "cron:weekly:TUE:09:00"),
        ("cron:weekdays:23:59:UTC", "cron:weekdays:23:59:UTC"),
        ("cron:monthly:07:09:00", "cron:monthly:7:09:00"),
        ("cron:every:90m", "cron:every:1h30m"),
        ("cron:once:2026-12-24 18:00", "cron:once:2026-12-24T18:00:00"),
        ("cron:once:2026-12-24T18:00:Asia/Tokyo", "cron:once:2026-12-24T18:00:00:Asia/Tokyo"),
        ("cron:once:2026-12-24T18:00:00+01:00", "cron:once:2026-12-24T17:00:00Z"),
        ("cron:0  9 * * MON-FRI", "cron:0 9 * * MON-FRI"),
        ("cron:0 9 * * 1 Asia/Tokyo", "cron:0 9 * * 1 Asia/Tokyo"),
    ] {
        let schedule = read(tag, "Europe/Berlin");
        assert_eq!(schedule.to_string(), plain);
        assert_eq!(
            read(plain, "Europe/Berlin").next_after(Time::MIN),
            schedule.next_after(Time::MIN),
            "{tag}"
        );
        assert_eq!(schedule.names_its_zone(), plain.contains('/') || plain.ends_with("UTC"), "{tag}");
    }
}

#[test]
fn a_bad_tag_says_what_to_write() {
    for (tag, expected) in [
        ("daily:09:00", "it begins with cron:"),
        ("cron:", "write cron:hourly, cron:daily:09:00"),
        ("cron:dialy:09:00", "did you mean cron:daily:09:00?"),
        ("cron:weekday:09:00", "did you mean cron:weekdays:09:00?"),
        ("cron:hourly:5", "write cron:hourly"),
        ("cron:daily", "write cron:daily:09:00"),
        ("cron:daily:9:00", "9:00 is no time of day; write 00:00 to 23:59"),
        ("cron:daily:24:00", "24:00 is no time of day"),
        ("cron:daily:09:00:Berlin", "Did you mean Europe/Berlin?"),
        ("cron:weekly:MON", "its time is missing; write cron:weekly:MON:09:00"),
        ("cron:weekly:MUN:09:00", "did you mean SUN?"),
        ("cron:weekly:x:09:00", "write one of SUN, MON"),
        ("cron:monthly:32:09:00", "write 1 to 31"),
        ("cron:monthly:0:09:00", "write 1 to 31"),
        ("cron:every:30s", "write 1m or more"),
        ("cron:every:soon", "is not a duration"),
        ("cron:once:tomorrow 09:00", "write 2026-12-24T18:00"),
        ("cron:once:2027-01-05", "write 2027-01-05T18:00"),
        ("cron:once:2026-13-01T09:00", "is no moment"),
        ("cron:once:2026-12-24T18:00:Berlin", "Did you mean Europe/Berlin?"),
        ("cron:0 9 * *", "write cron:hourly"),
        ("cron:0 9 * * * UTC UTC", "has five fields"),
        ("cron:60 9 * * *", "minute: there is no \"60\"; write 0 to 59"),
        ("cron:0 24 * * *", "hour: there is no \"24\""),
        ("cron:0 9 0 * *", "day of the month: there is no \"0\"; write 1 to 31"),
        ("cron:0 9 * FEV *", "month: there is no \"FEV\"; did you mean FEB?"),
        ("cron:0 9 * * 8", "day of the week: there is no \"8\""),
        ("cron:0 9 * * FRI-MON", "goes backwards; write it as two, 5-6,0-1"),
        ("cron:0/15 * * * *", "write 0-59/15 or */15"),
        ("cron:*/0 * * * *", "must be a number from 1 to 59"),
        ("cron:*/x * * * *", "must be a number"),
        ("cron:1, 9 * * *", "minute: there is no \"\""),
        ("cron:+1 9 * * *", "minute: there is no \"+1\""),
        ("cron:0 0 30 2 *", "no month of it has a day 30, so it would never come"),
        ("cron:0 0 31 4,6,9,11 *", "no month of it has a day 31"),
        ("cron:0 0 30 2 */2", "no month of it has a day 30"),
    ] {
        let bad = Schedule::parse(tag, &Zone::utc(), Time::MIN).expect_err(tag);
        assert!(bad.to_string().contains(expected), "{tag}: {bad}");
    }
    assert!(
        Schedule::parse("cron:0 0 30 2 MON", &Zone::utc(), Time::MIN).is_ok(),
        "every Monday in February"
    );
    let tags = ["a", "cron:hourly", "cron:daily:09:00"].map(str::to_owned);
    assert_eq!(of_tags(&tags[..2]), Ok(Some("cron:hourly")));
    assert_eq!(of_tags(&tags[..1]), Ok(None));
    assert!(of_tags(&tags).unwrap_err().to_string().contains("cron:0 9,17 * * *"));
}

#[test]
fn at_the_end_of_time_there_is_no_more() {
    for tag in ["cron:hourly", "cron:daily:09:00", "cron:every:1m", "cron:* * * * *", "cron:monthly:31:09:00"]
    {
        for name in ZONES {
            let schedule = read(tag, name);
            assert_eq!(schedule.next_after(Time::MAX), None, "{tag} in {name}");
            assert!(schedule.next_after(Time::MIN).is_some(), "{tag} in {name}");
        }
    }
}

/// What a field allows, said another way: every value, one by one.
fn allows(field: &str, value: i64, least: i64, most: i64) -> bool {
    field.split(',').any(|part| {
        let (range, step) =
            part.split_once('/').map_or((part, 1), |(range, step)| (range, step.parse().expect("a number")));
        let (from, to) = match range.split_once('-') {
            Some((from, to)) => (from.parse().expect("a number"), to.parse().expect("a number")),
            None if range == "*" => (least, most),
            None => (range.parse().expect("a number"), range.parse().expect("a number")),
        };
        from <= value && value <= to && (value - from) % step == 0
    })
}

/// Whether the fields fit what a wall clock shows.
fn fits(fields: &[String], local: civil::DateTime) -> bool {
    let weekday = i64::from(local.weekday().to_sunday_zero_offset());
    let day = allows(&fields[2], local.day().into(), 1, 31);
    let weekday = allows(&fields[4], weekday, 0, 6) || weekday == 0 && allows(&fields[4], 7, 0, 6);
    let one_is_enough = !fields[2].starts_with('*') && !fields[4].starts_with('*');
    allows(&fields[0], local.minute().into(), 0, 59)
        && allows(&fields[1], local.hour().into(), 0, 23)
        && allows(&fields[3], local.month().into(), 1, 12)
        && if one_is_enough { day || weekday } else { day && weekday }
}

/// The moments of the fields in a stretch of time, by a walk through every minute that the wall clock can name: what it
/// shows, and what it leaves out.
fn walked(fields: &[String], zone: &Zone, from: Time, until: Time) -> Vec<Time> {
    let first = zone.date(from).yesterday().expect("a day before");
    let dates = std::iter::successors(Some(first), |date| date.tomorrow().ok());
    let mut moments: Vec<Time> = dates
        .take_while(|date| *date <= zone.date(until))
        .flat_map(|date| (0..1440).map(move |minute| date.at((minute / 60) as i8, (minute % 60) as i8, 0, 0)))
        .filter(|local| fits(fields, *local))
        .filter(|local| {
            // A date that the zone left out altogether has no moments.
            let noon = zone.instant(local.date().at(12, 0, 0, 0));
            zone.date(noon) == local.date()
        })
        .map(|local| zone.instant(local))
        .filter(|moment| *moment > from && *moment <= until)
        .collect();
    moments.sort();
    moments.dedup();
    moments
}

fn field(least: i64, most: i64) -> impl Strategy<Value = String> {
    let range = (least..=most, least..=most).prop_map(|(a, b)| format!("{}-{}", a.min(b), a.max(b)));
    let part = prop_oneof![
        3 => Just("*".to_owned()),
        3 => (least..=most).prop_map(|value| value.to_string()),
        1 => range.clone(),
        1 => (1..=most.max(2) / 2).prop_map(|step| format!("*/{step}")),
        1 => (range, 1..=5_i64).prop_map(|(range, step)| format!("{range}/{step}")),
    ];
    prop::collection::vec(part, 1..=2).prop_map(|parts| parts.join(","))
}

fn expressions() -> impl Strategy<Value = Vec<String>> {
    (field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7))
        .prop_map(|(minute, hour, day, month, weekday)| vec![minute, hour, day, month, weekday])
}

/// Mostly near a change of the clocks, from 2005 to 2030.
fn moments_near_changes(zone: &Zone) -> impl Strategy<Value = Time> + use<> {
    let (first, last) = (time("2005-01-01T00:00:00Z"), time("2030-01-01T00:00:00Z"));
    let days = (last.micros() - first.micros()) / (24 * HOUR);
    let at = move |day: i64| Time::from_micros(first.micros() + day * 24 * HOUR);
    let shift = |moment: Time| zone.local(moment).duration_since(Zone::utc().local(moment)).as_secs();
    let changes: Vec<Time> = (0..days).filter(|day| shift(at(*day)) != shift(at(day + 1))).map(at).collect();
    let anywhere = (0..days * 24 * HOUR).prop_map(move |micros| Time::from_micros(first.micros() + micros));
    let near = prop::sample::select(if changes.is_empty() { vec![first] } else { changes });
    let near = (near, -48 * HOUR..48 * HOUR).prop_map(|(change, by)| Time::from_micros(change.micros() + by));
    prop_oneof![1 => anywhere, 3 => near]
}

fn zones_and_moments() -> impl Strategy<Value = (Zone, Time)> {
    prop::sample::select(ZONES.to_vec()).prop_flat_map(|name| {
        let zone = zone(name);
        let moments = moments_near_changes(&zone);
        (Just(zone), moments)
    })
}

fn forms() -> impl Strategy<Value = String> {
    let at = (0..24_u8, 0..60_u8).prop_map(|(hour, minute)| format!("{hour:02}:{minute:02}"));
    let day = prop::sample::select(vec!["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]);
    prop_oneof![
        Just("cron:hourly".to_owned()),
        at.clone().prop_map(|at| format!("cron:daily:{at}")),
        at.clone().prop_map(|at| format!("cron:weekdays:{at}")),
        (day, at.clone()).prop_map(|(day, at)| format!("cron:weekly:{day}:{at}")),
        (1..=31, at).prop_map(|(day, at)| format!("cron:monthly:{day}:{at}")),
        (1..20_000_u32).prop_map(|minutes| format!("cron:every:{minutes}m")),
        expressions().prop_map(|fields| format!("cron:{}", fields.join(" "))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// The next moment is what a walk through every minute finds first.
    #[test]
    fn fields_agree_with_a_walk_through_every_minute(fields in expressions(), (zone, from) in zones_and_moments()) {
        let Ok(schedule) = Schedule::parse(&format!("cron:{}", fields.join(" ")), &zone, from) else {
            return Ok(());
        };
        let until = from.saturating_add(Duration::from_secs(2 * 86_400));
        let mut found = Vec::new();
        let mut last = from;
        while let Some(moment) = schedule.next_after(last).filter(|moment| *moment <= until) {
            found.push(moment);
            last = moment;
        }
        prop_assert_eq!(found, walked(&fields, &zone, from, until));
    }

    #[test]
    fn the_next_moment_is_later_and_none_is_left_out(tag in forms(), (zone, from) in zones_and_moments(), by in 1..72 * HOUR) {
        let Ok(schedule) = Schedule::parse(&tag, &zone, from) else {
            return Ok(());
        };
        let Some(first) = schedule.next_after(from) else {
            return Err(TestCaseError::fail("it repeats"));
        };
        prop_assert!(first > from);
        // From anywhere before it, the next one is the same; from it on, another.
        let between = Time::from_micros(from.micros() + by % (first.micros() - from.micros()));
        prop_assert_eq!(schedule.next_after(between), Some(first));
        prop_assert!(schedule.next_after(first).is_none_or(|second| second > first));
    }

    #[test]
    fn daily_is_what_the_zone_says(hour in 0..24_i8, minute in 0..60_i8, (zone, from) in zones_and_moments()) {
        let schedule = Schedule::parse(&format!("cron:daily:{hour:02}:{minute:02}"), &zone, from).unwrap();
        prop_assert_eq!(schedule.next_after(from), Some(zone.next_daily(civil::time(hour, minute, 0, 0), from)));
    }

    #[test]
    fn any_form_comes_back_as_it_was(tag in forms(), (zone, from) in zones_and_moments()) {
        if let Ok(schedule) = Schedule::parse(&tag, &zone, from) {
            prop_assert_eq!(Schedule::parse(&schedule.to_string(), &zone, from), Ok(schedule));
        }
    }

    #[test]
    fn nothing_that_is_typed_breaks_it(text in "(cron:)?[a-zA-Z0-9:/*,+ -]{0,40}") {
        if let Ok(schedule) = Schedule::parse(&text, &Zone::utc(), time("2026-01-01T00:00:00Z")) {
            schedule.next_after(time("2026-01-01T00:00:00Z"));
        }
    }
}

// The ladder --------------------------------------------------------------------------------------------------------

const DUE: &str = "2026-03-10T12:00:00Z";

/// What is told in the course of a deadline that is looked at at these moments, each told at once.
fn told_at(moments: &[&str]) -> Vec<&'static str> {
    let mut told = None;
    let mut words = Vec::new();
    for moment in moments {
        if let Some(rung) = Ladder::default().reached(time(DUE), told, time(moment)) {
            words.push(rung.as_str());
            told = Some(rung);
        }
    }
    words
}

#[test]
fn who_travels_loses_no_day_and_lives_none_twice() {
    // Eleven by the clock of where they are now; what was left, what was settled last, what waits, and what it is now.
    let (berlin, tokyo, york) = ("Europe/Berlin", "Asia/Tokyo", "America/New_York");
    for (left, home, since, pending, now, moved) in [
        // West before eleven: it comes later on the same day.
        (
            berlin,
            york,
            "2026-03-01T10:00:00Z",
            Some("2026-03-02T10:00:00Z"),
            "2026-03-02T09:00:00Z",
            Some("2026-03-02T16:00:00Z"),
        ),
        // East, where eleven has passed on a day whose eleven was never heard: at once.
        (
            york,
            tokyo,
            "2026-03-01T16:00:00Z",
            Some("2026-03-02T16:00:00Z"),
            "2026-03-02T09:00:00Z",
            Some("2026-03-02T02:00:00Z"),
        ),
        // West again on the day that was heard already: not a second time.
        (
            tokyo,
            york,
            "2026-03-02T02:00:00Z",
            Some("2026-03-03T02:00:00Z"),
            "2026-03-02T18:00:00Z",
            Some("2026-03-03T16:00:00Z"),
        ),
        // What is due stays due, and what has ended stays so.
        (berlin, tokyo, "2026-03-01T10:00:00Z", Some("2026-03-02T10:00:00Z"), "2026-03-02T10:00:00Z", None),
        (berlin, tokyo, "2026-03-01T10:00:00Z", None, "2026-03-02T09:00:00Z", None),
    ] {
        let schedule = read("cron:daily:11:00", home);
        let found = schedule.after_moving(&zone(left), time(since), pending.map(time), time(now));
        assert_eq!(found, moved.map(time), "from {left} to {home} at {now}");
    }
}

#[test]
fn the_latest_of_a_span_is_the_last_that_has_come() {
    let schedule = read("cron:daily:11:00", "UTC");
    let latest = |since: &str, now: &str| schedule.latest_between(time(since), time(now));
    assert_eq!(latest("2026-03-01T11:00:00Z", "2026-03-02T10:59:59Z"), None, "that one was settled");
    assert_eq!(latest("2026-03-01T11:00:00Z", "2026-03-02T11:00:00Z"), Some(time("2026-03-02T11:00:00Z")));
    assert_eq!(latest("2026-03-01T11:00:00Z", "2026-03-05T12:00:00Z"), Some(time("2026-03-05T11:00:00Z")));
}

#[test]
fn a_rung_is_called_by_where_its_ladder_has_it() {
    let words = |ladder: &Ladder| Rung::ALL.iter().map(|rung| ladder.word(*rung)).collect::<Vec<_>>();
    let standard = Ladder::default();
    assert_eq!(words(&standard), Rung::ALL.iter().map(|rung| rung.as_str()).collect::<Vec<_>>());
    let secs = Duration::from_secs;
    let odd =
        Ladder { before: [secs(36_000), secs(5400), secs(61)], overdue_every: secs(43_200), ..standard };
    assert_eq!(words(&odd), ["10h", "90m", "61s", "due", "overdue_12h", "overdue_1", "overdue_36h"]);
    for rung in Rung::ALL {
        assert_eq!(odd.rung_called(&odd.word(*rung)), Some(*rung));
    }
    assert_eq!(odd.rung_called("24h"), None);
}

#[test]
fn each_rung_is_told_once() {
    let words = told_at(&[
        "2026-03-09T11:59:59Z",
        "2026-03-09T12:00:00Z",
        "2026-03-09T13:00:00Z",
        "2026-03-10T08:00:00Z",
        "2026-03-10T11:00:00Z",
        "2026-03-10T11:59:59Z",
        "2026-03-10T12:00:00Z",
        "2026-03-11T11:59:59Z",
        "2026-03-11T12:00:00Z",
        "2026-03-12T12:00:00Z",
        "2026-03-13T12:00:00Z",
        "2026-03-14T11:59:59Z",
        "2026-03-14T12:00:00Z",
        "2027-01-01T00:00:00Z",
    ]);
    assert_eq!(words, ["24h", "4h", "1h", "due", "overdue_1", "overdue_2", "overdue_3"]);
}

#[test]
fn what_was_slept_through_is_not_told_late() {
    assert_eq!(told_at(&["2026-03-10T11:30:00Z"]), ["1h"]);
    assert_eq!(told_at(&["2026-03-09T12:00:00Z", "2026-03-12T13:00:00Z"]), ["24h", "overdue_2"]);
    assert_eq!(told_at(&["2026-03-20T00:00:00Z"]), [""; 0], "given up long ago");
}

#[test]
fn the_window_leaves_out_what_is_further_ahead() {
    let ladder = Ladder { window: Duration::from_secs(2 * 3600), ..Ladder::default() };
    assert_eq!(ladder.reached(time(DUE), None, time("2026-03-10T09:00:00Z")), None);
    assert_eq!(ladder.reached(time(DUE), None, time("2026-03-10T11:00:00Z")), Some(Rung::Hour));
    assert_eq!(
        ladder.next_rung_at(time(DUE), None, time("2026-03-01T00:00:00Z")),
        Some(time("2026-03-10T11:00:00Z"))
    );
}

proptest! {
    /// Whoever looks whenever there is something to do tells each rung once, in order, and then gives up.
    #[test]
    fn who_wakes_at_the_next_rung_misses_none(ahead in 0..200 * HOUR, sleep in 0..60 * HOUR) {
        let (ladder, due) = (Ladder::default(), time(DUE));
        let mut now = Time::from_micros(due.micros() - ahead);
        let mut told: Option<Rung> = None;
        let mut looks = 0;
        while let Some(next) = ladder.next_rung_at(due, told, now) {
            now = now.max(next);
            let reached = ladder.reached(due, told, now);
            prop_assert_eq!(reached.is_some(), !ladder.is_over(due, now), "awake for a reason at {}", now);
            if let Some(rung) = reached {
                prop_assert!(told < Some(rung));
                told = Some(rung);
            }
            looks += 1;
            prop_assert!(looks <= 8);
            // Now and then somebody oversleeps.
            now = Time::from_micros(now.micros() + if looks == 2 { sleep } else { 0 });
        }
        prop_assert!(ladder.is_over(due, now));
        prop_assert_eq!(ladder.reached(due, None, now), None);
    }
}
