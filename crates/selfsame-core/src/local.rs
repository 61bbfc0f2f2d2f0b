//! Moments as people write them: a date, a local time, or an instant with its offset.

use crate::time::{Time, Zone};
use jiff::civil::{Date, DateTime, Time as WallTime};

/// A moment, read but not yet placed in a zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// RFC 3339: the same everywhere.
    Instant(Time),
    /// What a wall clock shows, to the second.
    Local(DateTime),
    /// A whole day.
    Day(Date),
}

/// A text that is neither a date nor a time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no {what}: write {}",
    if *.what == "date" {
        "2026-12-24, `today` or `tomorrow`"
    } else {
        "2026-12-24, 2026-12-24T18:00, 2026-12-24T18:00:00+01:00, `today` or `tomorrow 09:00`"
    }
)]
pub struct BadMoment {
    /// What was given (its beginning, if it is long).
    pub text: String,
    /// What it should have been.
    pub what: &'static str,
}

impl Moment {
    /// Reads a date, a local time or RFC 3339. `today` is what the word means.
    pub fn parse(text: &str, today: Date) -> Result<Moment, BadMoment> {
        let text = text.trim();
        let read = day(text, today)
            .map(Moment::Day)
            .or_else(|| day_and_time(text, today))
            .or_else(|| Time::parse(text).ok().map(Moment::Instant));
        read.ok_or_else(|| BadMoment { text: text.chars().take(40).collect(), what: "time" })
    }

    /// The instant it means in a zone; a day means its first moment.
    pub fn begin(self, zone: &Zone) -> Time {
        match self {
            Moment::Instant(time) => time,
            Moment::Local(local) => zone.instant(local),
            Moment::Day(date) => zone.instant(date.to_datetime(WallTime::midnight())),
        }
    }

    /// The instant by which it is over in a zone; a day means its last second.
    pub fn end(self, zone: &Zone) -> Time {
        match self {
            Moment::Day(date) => zone.instant(date.at(23, 59, 59, 0)),
            other => other.begin(zone),
        }
    }
}

/// Reads a date: `2026-12-24`, `today`, `yesterday` or `tomorrow`.
pub fn parse_day(text: &str, today: Date) -> Result<Date, BadMoment> {
    let text = text.trim();
    day(text, today).ok_or_else(|| BadMoment { text: text.chars().take(40).collect(), what: "date" })
}

/// Reads what [`show_local`] writes.
pub fn parse_local(text: &str) -> Option<DateTime> {
    let (date, time) = text.split_once('T')?;
    Some(plain_date(date)?.to_datetime(wall_time(time)?))
}

/// `2026-12-24T18:00:00`, as stored.
pub fn show_local(local: DateTime) -> String {
    let time = local.time();
    format!("{}T{:02}:{:02}:{:02}", show_day(local.date()), time.hour(), time.minute(), time.second())
}

/// `2026-12-24`, as stored.
pub fn show_day(date: Date) -> String {
    format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
}

/// `2026-12-24` and nothing else.
pub fn plain_date(text: &str) -> Option<Date> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text.as_bytes() else {
        return None;
    };
    let year = number(&[y1, y2, y3, y4]).filter(|year| *year > 0)?;
    Date::new(year, number(&[m1, m2])? as i8, number(&[d1, d2])? as i8).ok()
}

fn day(text: &str, today: Date) -> Option<Date> {
    match text.to_ascii_lowercase().as_str() {
        "today" => Some(today),
        "yesterday" => today.yesterday().ok(),
        "tomorrow" => today.tomorrow().ok(),
        _ => plain_date(text),
    }
}

/// `2026-12-24T18:00`, also with a space, or `tomorrow 09:00`.
fn day_and_time(text: &str, today: Date) -> Option<Moment> {
    let (date, time) = text.rsplit_once(['T', 't', ' '])?;
    Some(Moment::Local(day(date, today)?.to_datetime(wall_time(time)?)))
}

/// `18:00` or `18:00:30`.
fn wall_time(text: &str) -> Option<WallTime> {
    let (hour, minute, second) = match *text.as_bytes() {
        [h1, h2, b':', m1, m2] => ([h1, h2], [m1, m2], [b'0', b'0']),
        [h1, h2, b':', m1, m2, b':', s1, s2] => ([h1, h2], [m1, m2], [s1, s2]),
        _ => return None,
    };
    WallTime::new(number(&hour)? as i8, number(&minute)? as i8, number(&second)? as i8, 0).ok()
}

/// At most four digits.
fn number(digits: &[u8]) -> Option<i16> {
    let all = digits.iter().all(u8::is_ascii_digit);
    all.then(|| digits.iter().fold(0, |sum, digit| sum * 10 + i16::from(digit - b'0')))
}
