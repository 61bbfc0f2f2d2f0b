//! Time: instants and their text, the ticker, zones and their gaps and overlaps, durations.
//!
//! The zone rules are checked against an oracle that knows only what the wall clock shows at each instant: it walks
//! through UTC around every change of offset of every zone and notes when each local minute is first shown.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jiff::civil::{self, date, datetime};
use jiff::tz::TimeZoneDatabase;
use proptest::prelude::*;
use selfsame_core::time::{Ticker, Time, Zone, parse_duration, show_duration};

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 86_400;

fn zone(name: &str) -> Zone {
    Zone::parse(name).expect("a known zone")
}

fn time(text: &str) -> Time {
    text.parse().expect("RFC 3339")
}

fn at_second(second: i64) -> Time {
    Time::from_micros(second * 1_000_000)
}

mod instants {
    use super::*;

    #[test]
    fn text_goes_out_and_comes_back() {
        for (micros, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999999Z"),
            (1_794_778_980_000_000, "2026-11-15T21:43:00Z"),
            (1_794_778_980_000_001, "2026-11-15T21:43:00.000001Z"),
            (1_794_778_980_500_000, "2026-11-15T21:43:00.5Z"),
            (2_147_483_648_000_000, "2038-01-19T03:14:08Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00Z"),
            (Time::MIN.micros(), "0001-01-01T00:00:00Z"),
            (Time::MAX.micros(), "9999-12-31T23:59:59.999999Z"),
        ] {
            assert_eq!(Time::from_micros(micros).to_string(), text);
            assert_eq!(time(text).micros(), micros, "{text}");
        }
        assert_eq!(format!("{:?}", Time::from_micros(0)), "Time(1970-01-01T00:00:00Z)");
    }

    #[test]
    fn any_offset_is_read() {
        let meant = "2026-11-15T21:43:00Z";
        for text in [
            "2026-11-15T22:43:00+01:00",
            "2026-11-15T16:13:00-05:30",
            "2026-11-16T21:42:00+23:59",
            "2026-11-15T21:43:00-00:00",
            "2026-11-15t21:43:00z",
            "2026-11-15 21:43:00Z",
            "2026-11-15T21:43:00.000000999Z",
            "2026-11-15T21:42:60Z",
        ] {
            assert_eq!(time(text), time(meant), "{text}");
        }
        assert_eq!(time("1969-12-31T23:59:59.9999999Z").micros(), -1, "cut, not rounded");
        assert_eq!(time("0000-12-31T23:30:00-01:00"), time("0001-01-01T00:30:00Z"));
    }

    #[test]
    fn what_is_not_rfc_3339_is_refused_with_an_example() {
        for text in [
            "",
            "now",
            "2026-11-15",
            "2026-11-15T21:43Z",
            "2026-11-15T21:43:00",
            "2026-11-15T21:43:00 02:00",
            "2026-11-15T21:43:00+0100",
            "2026-11-15T21:43:00+24:00",
            "2026-11-15T21:43:00+01:60",
            "2026-11-15T21:43:00.Z",
            "2026-11-15T21:43:00,5Z",
            "2026-11-15T21:43:00Z[UTC]",
            "2026-11-15T21:43:61Z",
            "2026-11-15T24:00:00Z",
            "2026-11-15T21:60:00Z",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "20261115T214300Z",
            "+2026-11-15T21:43:00Z",
            " 2026-11-15T21:43:00Z",
            "2026-11-15T21:43:00Z ",
            "２026-11-15T21:43:00Z",
            "0000-12-31T23:59:59Z",
            "0001-01-01T00:30:00+01:00",
            "9999-12-31T23:59:60Z",
            "10000-01-01T00:00:00Z",
            "1794778980",
        ] {
            let error = Time::parse(text).expect_err(text);
            assert_eq!(error.text, text);
            assert!(error.to_string().contains("2026-11-15T21:43:00Z"), "{error}");
        }
        let long = "9".repeat(100_000);
        assert!(Time::parse(&long).unwrap_err().to_string().len() < 300);
    }

    #[test]
    fn the_range_holds() {
        assert_eq!(Time::from_micros(i64::MIN), Time::MIN);
        assert_eq!(Time::from_micros(i64::MAX), Time::MAX);
        assert_eq!(Time::checked(Time::MAX.micros()), Some(Time::MAX));
        assert_eq!(Time::checked(Time::MAX.micros() + 1), None);
        assert_eq!(Time::checked(Time::MIN.micros() - 1), None);
        assert_eq!(Time::MAX.checked_add(Duration::from_micros(1)), None);
        assert_eq!(Time::MAX.checked_add(Duration::from_nanos(999)), Some(Time::MAX));
        assert_eq!(Time::MIN.checked_add(Duration::MAX), None);
        assert_eq!(Time::MAX.saturating_add(Duration::MAX), Time::MAX);
        assert_eq!(Time::MIN.saturating_sub(Duration::MAX), Time::MIN);
        let second = Duration::from_secs(1);
        assert_eq!(at_second(5).saturating_add(second), at_second(6));
        assert_eq!(at_second(5).saturating_sub(second), at_second(4));
        assert_eq!(at_second(5).since(at_second(4)), second);
        assert_eq!(at_second(4).since(at_second(5)), Duration::ZERO);
        assert_eq!(Time::MIN.saturating_add(Time::MAX.since(Time::MIN)), Time::MAX);
    }

    proptest! {
        #[test]
        fn every_instant_reads_back(micros in Time::MIN.micros()..=Time::MAX.micros()) {
            let one = Time::from_micros(micros);
            prop_assert_eq!(Time::parse(&one.to_string()), Ok(one));
        }

        #[test]
        fn text_order_is_time_order(a in any::<i32>(), b in any::<i32>()) {
            let (a, b) = (at_second(i64::from(a)), at_second(i64::from(b)));
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), near in "[0-9TZ:+. -]{15,30}") {
            let _ = Time::parse(&text);
            let _ = Time::parse(&near);
            let _ = parse_duration(&text);
            let _ = Zone::parse(&text);
        }
    }
}

mod ticking {
    use super::*;

    #[test]
    fn never_repeats_and_never_goes_back() {
        let ticker = Ticker::new();
        assert_eq!(ticker.tick(at_second(100)), at_second(100));
        assert_eq!(ticker.tick(at_second(100)).micros(), 100_000_001);
        assert_eq!(ticker.tick(at_second(-1_000_000)).micros(), 100_000_002, "the clock was set back");
        assert_eq!(ticker.tick(at_second(200)), at_second(200));
        assert_eq!(Ticker::later_than(at_second(7)).tick(at_second(5)).micros(), 7_000_001);
        let last = Ticker::later_than(Time::MAX);
        assert_eq!(last.tick(at_second(0)), Time::MAX, "the end of time stands still");
    }

    #[test]
    fn eight_threads_get_distinct_times() {
        let ticker = Ticker::new();
        let one_thread = || (0..20_000).map(|n| ticker.tick(at_second(n % 3))).collect::<Vec<_>>();
        let all: Vec<Vec<Time>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(one_thread)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(all.iter().all(|times| times.is_sorted_by(|a, b| a < b)));
        let distinct: BTreeSet<Time> = all.iter().flatten().copied().collect();
        assert_eq!(distinct.len(), 8 * 20_000);
    }
}

mod zones {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(zone("Europe/Berlin").name(), "Europe/Berlin");
        assert_eq!(zone("europe/BERLIN"), zone("Europe/Berlin"));
        assert_eq!(zone("utc"), Zone::utc());
        assert_eq!(zone("UTC").name(), "UTC");
        assert_eq!(zone("US/Eastern").name(), "US/Eastern");
        assert_ne!(zone("US/Eastern"), zone("America/New_York"), "equality is by name");
        assert_eq!(format!("{:?} {}", Zone::utc(), Zone::utc()), "Zone(UTC) UTC");
        let names: Vec<&str> = Zone::all_names().collect();
        assert!(names.len() > 550, "{}", names.len());
        assert!(names.iter().all(|name| zone(name).name() == *name));
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_nearest() {
        for (name, nearest) in [
            ("Europe/Berln", Some("Europe/Berlin")),
            ("Amercia/New_York", Some("America/New_York")),
            ("Europe/Kyev", Some("Europe/Kiev")),
            ("Berlin", Some("Europe/Berlin")),
            ("new york", Some("America/New_York")),
            ("Mars/Base", None),
            ("+02:00", None),
            ("Etc/Unknown", None),
            ("", None),
        ] {
            let error = Zone::parse(name).unwrap_err();
            assert_eq!(error.nearest, nearest, "{name}");
            assert!(error.to_string().contains(nearest.unwrap_or("Europe/Berlin")), "{error}");
        }
        for name in [
            "Factory",
            "Etc/Unknown",
            "../../etc/passwd",
            "Europe/Berlin\0",
            "CEST",
            "EST5EDT,M3.2.0,M11.1.0",
        ] {
            assert!(Zone::parse(name).is_err(), "{name}");
        }
    }
}

/// Cases with a name: (zone, local time, the instant it means).
const INSTANTS: &[(&str, &str, &str)] = &[
    ("UTC", "2026-03-29T02:30", "2026-03-29T02:30:00Z"),
    // The ordinary gap and overlap.
    ("Europe/Berlin", "2026-03-29T01:59", "2026-03-29T00:59:00Z"),
    ("Europe/Berlin", "2026-03-29T02:00", "2026-03-29T01:00:00Z"),
    ("Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:00:00Z"),
    ("Europe/Berlin", "2026-03-29T02:59:59.999999", "2026-03-29T01:00:00Z"),
    ("Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00:00Z"),
    ("Europe/Berlin", "2026-03-29T03:30", "2026-03-29T01:30:00Z"),
    ("Europe/Berlin", "2026-10-25T01:59:59", "2026-10-24T23:59:59Z"),
    ("Europe/Berlin", "2026-10-25T02:00", "2026-10-25T00:00:00Z"),
    ("Europe/Berlin", "2026-10-25T02:30:15", "2026-10-25T00:30:15Z"),
    ("Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00:00Z"),
    // Half an hour, and two hours.
    ("Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:30:00Z"),
    ("Australia/Lord_Howe", "2026-10-04T02:30", "2026-10-03T15:30:00Z"),
    ("Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45:00Z"),
    ("Australia/Lord_Howe", "2026-04-05T02:00", "2026-04-04T15:30:00Z"),
    ("Antarctica/Troll", "2026-03-29T01:01", "2026-03-29T01:00:00Z"),
    ("Antarctica/Troll", "2026-03-29T02:59", "2026-03-29T01:00:00Z"),
    ("Antarctica/Troll", "2026-10-25T01:30", "2026-10-24T23:30:00Z"),
    ("Antarctica/Troll", "2026-10-25T03:00", "2026-10-25T03:00:00Z"),
    // Days left out.
    ("Pacific/Apia", "2011-12-29T23:59", "2011-12-30T09:59:00Z"),
    ("Pacific/Apia", "2011-12-30T00:00", "2011-12-30T10:00:00Z"),
    ("Pacific/Apia", "2011-12-30T12:00", "2011-12-30T10:00:00Z"),
    ("Pacific/Apia", "2011-12-31T00:00", "2011-12-30T10:00:00Z"),
    ("Pacific/Kwajalein", "1993-08-21T07:00", "1993-08-21T12:00:00Z"),
    ("Pacific/Kwajalein", "1993-08-22T00:00", "1993-08-21T12:00:00Z"),
    // Gaps at midnight.
    ("Africa/Cairo", "2026-04-24T00:00", "2026-04-23T22:00:00Z"),
    ("Africa/Cairo", "2026-04-24T00:59", "2026-04-23T22:00:00Z"),
    ("Asia/Beirut", "2026-03-29T00:30", "2026-03-28T22:00:00Z"),
    ("America/Asuncion", "2023-10-01T00:30", "2023-10-01T04:00:00Z"),
    ("America/Sao_Paulo", "2018-11-04T00:00", "2018-11-04T03:00:00Z"),
    ("America/Sao_Paulo", "2018-02-17T23:30", "2018-02-18T01:30:00Z"),
    ("America/Sao_Paulo", "2018-02-18T00:00", "2018-02-18T03:00:00Z"),
    // Offsets with seconds: Monrovia went from -00:44:30 to 0, so 00:44:30 was first shown, and 00:45 is the next minute.
    ("Africa/Monrovia", "1972-01-06T23:59:59", "1972-01-07T00:44:29Z"),
    ("Africa/Monrovia", "1972-01-07T00:00", "1972-01-07T00:45:00Z"),
    ("Africa/Monrovia", "1972-01-07T00:44:29", "1972-01-07T00:45:00Z"),
    ("Africa/Monrovia", "1972-01-07T00:44:30", "1972-01-07T00:44:30Z"),
    // Far years.
    ("UTC", "2038-01-19T03:14:08", "2038-01-19T03:14:08Z"),
    ("America/New_York", "2038-03-14T02:30", "2038-03-14T07:00:00Z"),
    ("America/New_York", "9998-11-01T01:30", "9998-11-01T05:30:00Z"),
    ("Pacific/Kiritimati", "9999-12-31T23:59:59.999999", "9999-12-31T09:59:59.999999Z"),
    ("America/New_York", "9999-12-31T23:59:59.999999", "9999-12-31T23:59:59.999999Z"),
    ("UTC", "9999-12-31T23:59:59.999999999", "9999-12-31T23:59:59.999999Z"),
    ("Asia/Tokyo", "0001-01-01T00:00", "0001-01-01T00:00:00Z"),
    ("UTC", "0001-01-01T00:00", "0001-01-01T00:00:00Z"),
    ("UTC", "-009999-01-01T00:00", "0001-01-01T00:00:00Z"),
    // Leap day.
    ("Asia/Kathmandu", "2028-02-29T00:00", "2028-02-28T18:15:00Z"),
];

#[test]
fn local_times_mean_these_instants() {
    for (name, local, expected) in INSTANTS {
        let local: civil::DateTime = local.parse().unwrap();
        assert_eq!(zone(name).instant(local), time(expected), "{name} {local}");
    }
}

#[test]
fn instants_show_these_local_times() {
    for (name, instant, expected) in [
        ("Europe/Berlin", "2026-03-29T00:59:59.999999Z", "2026-03-29T01:59:59.999999"),
        ("Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00"),
        ("Africa/Monrovia", "1970-01-01T00:00:00Z", "1969-12-31T23:15:30"),
        ("Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29T23:59:59"),
        ("Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31T00:00:00"),
        ("America/New_York", "9999-12-31T23:59:59.999999Z", "9999-12-31T18:59:59.999999"),
        ("Asia/Tokyo", "9999-12-31T14:59:59Z", "9999-12-31T23:59:59"),
        ("America/New_York", "0001-01-01T00:00:00Z", "0000-12-31T19:03:58"),
    ] {
        let expected: civil::DateTime = expected.parse().unwrap();
        assert_eq!(zone(name).local(time(instant)), expected, "{name} {instant}");
        assert_eq!(zone(name).date(time(instant)), expected.date());
    }
    assert_eq!(zone("Asia/Tokyo").date(Time::MAX), date(9999, 12, 31), "there is no year 10000");
}

/// (zone, wall time, from, the following moments)
const DAILY: &[(&str, &str, &str, &[&str])] = &[
    (
        "Europe/Berlin",
        "02:30",
        "2026-03-27T12:00:00Z",
        &["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"],
    ),
    ("Europe/Berlin", "02:30", "2026-10-24T00:30:00Z", &["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]),
    ("Europe/Berlin", "02:30", "2026-10-25T01:10:00Z", &["2026-10-26T01:30:00Z"]),
    (
        "Australia/Lord_Howe",
        "02:15",
        "2026-10-02T16:00:00Z",
        &["2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"],
    ),
    ("Antarctica/Troll", "02:00", "2026-03-28T12:00:00Z", &["2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z"]),
    // The 30th does not exist: it has no moment of its own, nor does its 00:00 coincide with the 31st's.
    (
        "Pacific/Apia",
        "10:00",
        "2011-12-29T00:00:00Z",
        &["2011-12-29T20:00:00Z", "2011-12-30T20:00:00Z", "2011-12-31T20:00:00Z"],
    ),
    ("Pacific/Apia", "00:00", "2011-12-29T09:59:00Z", &["2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"]),
    ("Pacific/Kwajalein", "09:00", "1993-08-19T22:00:00Z", &["1993-08-20T21:00:00Z", "1993-08-21T21:00:00Z"]),
    (
        "Africa/Cairo",
        "00:00",
        "2026-04-22T12:00:00Z",
        &["2026-04-22T22:00:00Z", "2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"],
    ),
    ("Asia/Beirut", "00:30", "2026-03-28T12:00:00Z", &["2026-03-28T22:00:00Z", "2026-03-29T21:30:00Z"]),
    ("America/Asuncion", "00:00", "2023-09-30T12:00:00Z", &["2023-10-01T04:00:00Z", "2023-10-02T03:00:00Z"]),
    // 23:30 is shown twice on the 17th; the second showing is nobody's.
    ("America/Sao_Paulo", "23:30", "2018-02-17T12:00:00Z", &["2018-02-18T01:30:00Z", "2018-02-19T02:30:00Z"]),
    ("America/Sao_Paulo", "23:30", "2018-02-18T02:10:00Z", &["2018-02-19T02:30:00Z"]),
    ("America/Sao_Paulo", "00:00", "2018-11-03T12:00:00Z", &["2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"]),
    ("America/New_York", "02:30", "2038-03-13T12:00:00Z", &["2038-03-14T07:00:00Z", "2038-03-15T06:30:00Z"]),
    ("UTC", "12:00", "2028-02-28T12:00:00Z", &["2028-02-29T12:00:00Z", "2028-03-01T12:00:00Z"]),
    ("UTC", "00:00", "2026-12-31T23:59:59.999999Z", &["2027-01-01T00:00:00Z"]),
    ("UTC", "00:00", "0001-01-01T00:00:00Z", &["0001-01-02T00:00:00Z"]),
    ("Asia/Tokyo", "10:00", "0001-01-01T00:00:00Z", &["0001-01-01T00:41:01Z"]),
    ("UTC", "12:00", "9999-12-31T11:00:00Z", &["9999-12-31T12:00:00Z", "9999-12-31T23:59:59.999999Z"]),
    ("Pacific/Kiritimati", "23:00", "9999-12-31T12:00:00Z", &["9999-12-31T23:59:59.999999Z"]),
    ("America/New_York", "23:00", "9999-12-31T12:00:00Z", &["9999-12-31T23:59:59.999999Z"]),
];

#[test]
fn daily_times_fall_on_these_instants() {
    for (name, at, from, expected) in DAILY {
        let at: civil::Time = at.parse().unwrap();
        let mut after = time(from);
        for moment in *expected {
            after = zone(name).next_daily(at, after);
            assert_eq!(after, time(moment), "{name} {at} from {from}");
        }
    }
}

#[test]
fn the_ends_of_time_do_not_panic_in_any_zone() {
    for name in Zone::all_names() {
        let zone = zone(name);
        for at in [civil::Time::MIN, civil::Time::MAX] {
            assert_eq!(zone.next_daily(at, Time::MAX), Time::MAX, "{name}");
            assert!(zone.next_daily(at, Time::MIN) > Time::MIN, "{name}");
        }
        for local in [civil::DateTime::MIN, datetime(0, 12, 31, 12, 0, 0, 0), civil::DateTime::MAX] {
            zone.local(zone.instant(local));
        }
        zone.local(Time::MIN);
        zone.local(Time::MAX);
    }
}

mod oracle {
    use super::*;

    const EPOCH: civil::DateTime = datetime(1970, 1, 1, 0, 0, 0, 0);

    /// A change of offset, in seconds.
    #[derive(Clone, Copy)]
    struct Change {
        at: i64,
        before: i64,
        after: i64,
    }

    impl Change {
        fn shift(self) -> i64 {
            (self.after - self.before).abs()
        }

        fn odd_seconds(self) -> bool {
            [self.at, self.before, self.after].iter().any(|seconds| seconds % MINUTE != 0)
        }

        /// Where the clock is walked without leaving anything out: whatever is shown twice, and half an hour more.
        fn around(self) -> [i64; 2] {
            let twice = (self.before - self.after).max(0);
            [self.at - twice - 30 * MINUTE, self.at + twice + 30 * MINUTE]
        }
    }

    fn changes(name: &str, from: civil::DateTime, to: civil::DateTime) -> Vec<Change> {
        let tz = TimeZoneDatabase::bundled().get(name).expect("a known zone");
        let utc = |local: civil::DateTime| jiff::tz::Offset::UTC.to_timestamp(local).expect("within range");
        let (start, end) = (utc(from), utc(to));
        let mut before = i64::from(tz.to_offset(start).seconds());
        let mut found = Vec::new();
        for change in tz.following(start).take_while(|change| change.timestamp() < end) {
            let after = i64::from(change.offset().seconds());
            if after != before {
                found.push(Change { at: change.timestamp().as_second(), before, after });
            }
            before = after;
        }
        found
    }

    /// What the wall clock showed: each local minute (counted from the epoch), with the second when it was first shown.
    struct Walk(Vec<(i64, i64)>);

    impl Walk {
        /// Walks from second `from` to second `to`, asking the zone for nothing but its local time. Near a change of
        /// offset it stops at every minute (at every second, if offsets have seconds); elsewhere, where the clock
        /// runs evenly, at the wall times `ats` (minutes of the day).
        fn new(zone: &Zone, all: &[Change], [from, to]: [i64; 2], ats: &[i64]) -> Walk {
            let first = all.partition_point(|change| change.at < from);
            let met: Vec<Change> =
                all[first..].iter().copied().take_while(|change| change.at <= to).collect();
            let around: Vec<[i64; 2]> = met.iter().map(|change| change.around()).collect();
            let step = if met.iter().any(|change| change.odd_seconds()) { 1 } else { MINUTE };
            let mut shown = Vec::new();
            let mut second = from;
            while second <= to {
                let local = local_second(zone, second);
                if local % MINUTE == 0 {
                    shown.push((local / MINUTE, second));
                }
                second += if around.iter().any(|near| near[0] <= second && second <= near[1]) {
                    step
                } else {
                    let entered = around.iter().map(|near| near[0] - second).filter(|pause| *pause > 0).min();
                    pause(local, ats).min(entered.unwrap_or(i64::MAX))
                };
            }
            shown.sort_unstable();
            shown.dedup_by_key(|(minute, _)| *minute);
            Walk(shown)
        }

        /// When that local minute is first shown, or else the next one that is shown at all.
        fn instant(&self, minute: i64) -> i64 {
            self.0[self.0.partition_point(|(shown, _)| *shown < minute)].1
        }

        fn has_date(&self, day: i64) -> bool {
            let next = self.0.partition_point(|(shown, _)| *shown < day * 1440);
            self.0[next].0 < (day + 1) * 1440
        }

        fn next_daily(&self, at: i64, after: Time) -> Time {
            let today = after.micros().div_euclid(DAY * 1_000_000);
            (today - 1..today + 4)
                .filter(|day| self.has_date(*day))
                .map(|day| at_second(self.instant(day * 1440 + at)))
                .find(|moment| *moment > after)
                .expect("the walk is long enough")
        }
    }

    /// Seconds from that local second to the next stop.
    fn pause(local: i64, ats: &[i64]) -> i64 {
        ats.iter()
            .map(|at| (at * MINUTE - local - 1).rem_euclid(DAY) + 1)
            .min()
            .expect("at least one wall time")
    }

    fn local_second(zone: &Zone, second: i64) -> i64 {
        zone.local(at_second(second)).duration_since(EPOCH).as_secs()
    }

    fn local_minute(minute: i64) -> civil::DateTime {
        EPOCH.saturating_add(jiff::SignedDuration::from_mins(minute))
    }

    fn wall(minute_of_day: i64) -> civil::Time {
        civil::time((minute_of_day / 60) as i8, (minute_of_day % 60) as i8, 0, 0)
    }

    /// Twelve wall times: six that the change touches and six others.
    fn wall_times(change: Change) -> [i64; 12] {
        let start = (change.at + change.before).div_euclid(MINUTE);
        let end = (change.at + change.after).div_euclid(MINUTE);
        let middle = (start + end) / 2;
        let minutes = [start - 1, start, middle, middle + 7, end - 1, end, 0, 150, 180, 720, 1125, 1439];
        minutes.map(|minute| minute.rem_euclid(1440))
    }

    fn check_change(zone: &Zone, all: &[Change], change: Change) -> usize {
        let ats = wall_times(change);
        let walk = Walk::new(zone, all, [change.at - 26 * HOUR, change.at + 80 * HOUR], &ats);
        check_instants(zone, &walk, change) + check_daily(zone, &walk, change, &ats)
    }

    /// Every minute inside the gap or overlap and at its edges, and every other one that the walk met.
    fn check_instants(zone: &Zone, walk: &Walk, change: Change) -> usize {
        let low = (change.at + change.before.min(change.after)).div_euclid(MINUTE);
        let high = (change.at + change.before.max(change.after)).div_euclid(MINUTE);
        let met = walk.0.iter().map(|(minute, _)| *minute);
        let mut checks = 0;
        for minute in (low - 15..=high + 15).chain(met) {
            let local = local_minute(minute);
            assert_eq!(zone.instant(local), at_second(walk.instant(minute)), "{zone} {local}");
            checks += 1;
        }
        checks
    }

    fn check_daily(zone: &Zone, walk: &Walk, change: Change, ats: &[i64]) -> usize {
        let mut checks = 0;
        for at in ats {
            let mut agree = |after: Time| {
                let expected = walk.next_daily(*at, after);
                assert_eq!(zone.next_daily(wall(*at), after), expected, "{zone} {} after {after}", wall(*at));
                checks += 1;
                expected
            };
            let first = agree(at_second(change.at - 3 * HOUR));
            agree(first);
            agree(first.saturating_sub(Duration::from_micros(1)));
            agree(at_second(change.at + change.shift() / 2));
        }
        checks
    }

    fn in_threads(names: &[&str], check: impl Fn(&str) + Sync) {
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(2, usize::from).min(8) {
                scope.spawn(|| {
                    while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                        check(name);
                    }
                });
            }
        });
    }

    #[test]
    fn every_change_of_every_zone_agrees_with_the_wall_clock() {
        let names: Vec<&str> = Zone::all_names().collect();
        let (found, checks) = (AtomicUsize::new(0), AtomicUsize::new(0));
        in_threads(&names, |name| {
            let zone = zone(name);
            let all = changes(name, datetime(1970, 1, 1, 0, 0, 0, 0), datetime(2038, 1, 1, 0, 0, 0, 0));
            found.fetch_add(all.len(), Ordering::Relaxed);
            for change in &all {
                checks.fetch_add(check_change(&zone, &all, *change), Ordering::Relaxed);
            }
        });
        let (found, checks) = (found.into_inner(), checks.into_inner());
        println!("{} zones, {found} changes of offset 1970-2037, {checks} checks", names.len());
        assert!(names.len() > 550 && found > 30_000 && checks > 8_000_000, "the oracle saw too little");
    }
    /// Before 1970 most offsets have seconds (local mean time): every second around such a change, in every zone.
    #[test]
    fn changes_by_odd_seconds_agree_with_the_wall_clock() {
        let names: Vec<&str> = Zone::all_names().collect();
        let (found, checks) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let mut seen = BTreeSet::new();
        // Many names share their past: each change is walked once.
        for name in names {
            let all = changes(name, datetime(1800, 1, 1, 0, 0, 0, 0), datetime(1970, 1, 1, 0, 0, 0, 0));
            let odd = all.iter().filter(|change| change.odd_seconds() && change.shift() < 3 * HOUR);
            for change in odd.filter(|change| seen.insert((change.at, change.before, change.after))) {
                let [from, to] = change.around();
                let walk = Walk::new(&zone(name), &all, [from - HOUR, to + HOUR], &[0]);
                found.fetch_add(1, Ordering::Relaxed);
                checks.fetch_add(check_instants(&zone(name), &walk, *change), Ordering::Relaxed);
            }
        }
        let (found, checks) = (found.into_inner(), checks.into_inner());
        println!("{found} changes by odd seconds before 1970, {checks} checks");
        assert!(found > 300, "the oracle saw too little");
    }
}

mod durations {
    use super::*;

    #[test]
    fn are_read_and_shown() {
        for (text, millis, shown) in [
            ("90s", 90_000, "1m30s"),
            ("30m", 1_800_000, "30m"),
            ("24h", 86_400_000, "1d"),
            ("7d", 604_800_000, "7d"),
            ("2w", 1_209_600_000, "14d"),
            ("1h30m", 5_400_000, "1h30m"),
            ("500ms", 500, "500ms"),
            ("1m1ms", 60_001, "1m1ms"),
            (" 1w1d1h1m1s ", 694_861_000, "8d1h1m1s"),
            ("0s", 0, "0s"),
            ("007s", 7_000, "7s"),
        ] {
            let duration = parse_duration(text).unwrap();
            assert_eq!(duration, Duration::from_millis(millis), "{text}");
            assert_eq!(show_duration(duration), shown);
        }
        assert_eq!(show_duration(Duration::from_nanos(1_002_003)), "1ms2us3ns");
        assert_eq!(parse_duration("18446744073709551615s999999999ns"), Ok(Duration::MAX));
        assert_eq!(parse_duration(&show_duration(Duration::MAX)), Ok(Duration::MAX));
    }

    #[test]
    fn errors_say_what_to_write() {
        for (text, fix) in [
            ("", "write 30s"),
            ("30", "write 30s, 30m"),
            ("1h30", "write 30s, 30m"),
            ("-5m", "without the sign"),
            ("1.5h", "1h30m"),
            ("1,5h", "1h30m"),
            ("5y", "no unit `y`"),
            ("30M", "no unit `M`"),
            ("5 m", "the unit is missing"),
            ("h", "whole numbers with a unit"),
            ("soon", "whole numbers with a unit"),
            ("30m1h", "largest first"),
            ("1m1m", "each unit once"),
            ("1h 30m", "whole numbers with a unit"),
            ("+5m", "whole numbers with a unit"),
            ("٣m", "whole numbers with a unit"),
            ("99999999999999999999w", "too long"),
            ("99999999999999999999999999999999999999999999w", "too long"),
            ("18446744073709551616s", "too long"),
        ] {
            let error = parse_duration(text).expect_err(text);
            assert!(error.to_string().contains(fix), "{error}");
        }
        assert!(parse_duration(&"9".repeat(1_000_000)).unwrap_err().to_string().len() < 500);
    }

    proptest! {
        #[test]
        fn every_duration_reads_back(seconds in any::<u64>(), nanos in 0..1_000_000_000u32) {
            let duration = Duration::new(seconds, nanos);
            prop_assert_eq!(parse_duration(&show_duration(duration)), Ok(duration));
        }
    }
}
