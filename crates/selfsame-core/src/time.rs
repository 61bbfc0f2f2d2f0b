//! Time: instants, zones, local times and durations, all as values.
//!
//! Nothing here asks the machine what time it is: a [`Clock`] is injected, and a [`Ticker`] makes its readings strictly
//! increase. Zone data is the copy compiled into the program, never the machine's. Cron expressions and schedules do
//! not live here; they are built from [`Zone::next_daily`] and [`Zone::instant`].

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

pub use jiff::civil;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Timestamp};

use crate::nearest::nearest;

/// An instant: microseconds since the Unix epoch, UTC, always within [`Time::MIN`] and [`Time::MAX`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// 0001-01-01T00:00:00Z. The range is what PostgreSQL, SQLite text and RFC 3339 with four-digit years all hold.
    pub const MIN: Time = Time(-62_135_596_800_000_000);
    /// 9999-12-31T23:59:59.999999Z.
    pub const MAX: Time = Time(253_402_300_799_999_999);

    /// The instant so many microseconds after the Unix epoch; what lies outside the range becomes its nearest end.
    pub const fn from_micros(micros: i64) -> Time {
        if micros < Time::MIN.0 {
            Time::MIN
        } else if micros > Time::MAX.0 {
            Time::MAX
        } else {
            Time(micros)
        }
    }

    /// As [`Time::from_micros`], but `None` outside the range: for numbers that come from elsewhere.
    pub const fn checked(micros: i64) -> Option<Time> {
        if micros < Time::MIN.0 || micros > Time::MAX.0 { None } else { Some(Time(micros)) }
    }

    /// Microseconds since the Unix epoch.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// This instant plus a duration (cut to microseconds); `None` beyond [`Time::MAX`].
    pub fn checked_add(self, duration: Duration) -> Option<Time> {
        let micros = i64::try_from(duration.as_micros()).ok()?;
        Time::checked(self.0.checked_add(micros)?)
    }

    /// This instant plus a duration, at most [`Time::MAX`].
    pub fn saturating_add(self, duration: Duration) -> Time {
        self.checked_add(duration).unwrap_or(Time::MAX)
    }

    /// This instant minus a duration, at least [`Time::MIN`].
    pub fn saturating_sub(self, duration: Duration) -> Time {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Time::from_micros(self.0.saturating_sub(micros))
    }

    /// How long after `earlier` this is; zero if it is not after it.
    pub fn since(self, earlier: Time) -> Duration {
        // No overflow: the whole range is less than 2^59 microseconds wide.
        Duration::from_micros(u64::try_from(self.0 - earlier.0).unwrap_or(0))
    }

    /// Reads RFC 3339 with any offset. Digits beyond the microsecond are cut off; a leap second is the second after it.
    pub fn parse(text: &str) -> Result<Time, BadTime> {
        parse_rfc3339(text).map_err(|why| BadTime { text: shortened(text), why })
    }
}

/// RFC 3339, UTC, with as many digits of the second as it takes: `2026-11-15T21:43:00.5Z`.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let t = civil_from_micros(self.0);
        write!(f, "{:04}-{:02}-{:02}", t.year(), t.month(), t.day())?;
        write!(f, "T{:02}:{:02}:{:02}", t.hour(), t.minute(), t.second())?;
        let micros = self.0.rem_euclid(1_000_000);
        if micros != 0 {
            f.write_str(format!(".{micros:06}").trim_end_matches('0'))?;
        }
        f.write_str("Z")
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Time({self})")
    }
}

impl FromStr for Time {
    type Err = BadTime;

    fn from_str(text: &str) -> Result<Time, BadTime> {
        Time::parse(text)
    }
}

/// A text that is not an RFC 3339 time within the range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a time: {why}. Write RFC 3339 with an offset, e.g. 2026-11-15T21:43:00Z or \
     2026-11-15T22:43:00+01:00"
)]
pub struct BadTime {
    /// What was given (its beginning, if it is long).
    pub text: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Tells the time. The daemon's asks the machine, a test's is moved by hand.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Time;
}

/// Makes raw clock readings strictly increasing within the process, so that no two things happen at one time and
/// nothing happens before what caused it, even when the machine's clock is set back.
#[derive(Debug)]
pub struct Ticker(AtomicI64);

impl Ticker {
    /// A ticker that has given out nothing yet.
    pub const fn new() -> Ticker {
        Ticker(AtomicI64::new(Time::MIN.0))
    }

    /// A ticker whose every time is later than `last`, e.g. the latest one found in the database.
    pub const fn later_than(last: Time) -> Ticker {
        Ticker(AtomicI64::new(last.0))
    }

    /// The raw reading, or one microsecond after the last time given out if that is later.
    /// Only at [`Time::MAX`] does it stand still.
    pub fn tick(&self, raw: Time) -> Time {
        let next = |last: i64| raw.0.max(last + 1).min(Time::MAX.0);
        let last = self.0.update(Ordering::AcqRel, Ordering::Acquire, next);
        Time(next(last))
    }
}

impl Default for Ticker {
    fn default() -> Ticker {
        Ticker::new()
    }
}

/// A time zone of the IANA database, as compiled into the program.
#[derive(Clone)]
pub struct Zone {
    name: &'static str,
    tz: TimeZone,
}

impl Zone {
    /// The zone of that IANA name, upper or lower case. Abbreviations and offsets such as `+02:00` are no zones.
    pub fn parse(name: &str) -> Result<Zone, UnknownZone> {
        let known = NAMES.binary_search_by_key(&folded_name(name), |known| folded_name(known));
        let found = known.ok().and_then(|at| Some((NAMES[at].as_str(), DATABASE.get(&NAMES[at]).ok()?)));
        match found {
            Some((name, tz)) => Ok(Zone { name, tz }),
            None => Err(UnknownZone::new(name)),
        }
    }

    /// Coordinated universal time.
    pub fn utc() -> Zone {
        Zone { name: "UTC", tz: TimeZone::UTC }
    }

    /// The IANA name, spelt as the database spells it. A link such as `US/Eastern` keeps its own name.
    pub fn name(&self) -> &str {
        self.name
    }

    /// Every name that [`Zone::parse`] knows, in order.
    pub fn all_names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(String::as_str)
    }

    /// What the wall clock in this zone shows at that instant.
    /// (In the last hours of the year 9999 east of Greenwich it stands still: there is no year 10000.)
    pub fn local(&self, time: Time) -> civil::DateTime {
        match Timestamp::from_microsecond(time.0) {
            Ok(timestamp) => self.tz.to_datetime(timestamp),
            // jiff's instants end 26 hours before ours, so that any offset fits; no offset changes in those hours.
            Err(_) => civil_from_micros(time.0 + micros_of(self.tz.to_offset(Timestamp::MAX))),
        }
    }

    /// The date in this zone at that instant.
    pub fn date(&self, time: Time) -> civil::Date {
        self.local(time).date()
    }

    /// The instant at which the wall clock in this zone shows that local time.
    ///
    /// A local time that occurs twice (clocks set back) means its first occurrence. One that never occurs (clocks set
    /// forward) means the next valid minute: the first whole minute that the wall clock shows after the gap, so that
    /// 02:30 in a gap from 02:00 to 03:00 is 03:00. Nanoseconds are cut off; beyond the range its nearest end is meant.
    pub fn instant(&self, local: civil::DateTime) -> Time {
        let micros = micros_from_civil(local);
        match self.tz.to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } => Time::from_micros(micros - micros_of(offset)),
            AmbiguousOffset::Fold { before, .. } => Time::from_micros(micros - micros_of(before)),
            AmbiguousOffset::Gap { before, after } => self.after_gap(micros, before, after),
        }
    }

    /// The first moment strictly after `after` at which the wall clock in this zone shows `at`.
    ///
    /// Every date that the zone has gives exactly one such moment, the one that [`Zone::instant`] names: in a gap the
    /// next valid minute (even if that already belongs to the next date), in an overlap the first occurrence only.
    /// A date that the zone left out altogether (2011-12-30 in Pacific/Apia) gives none: the 29th is followed by the
    /// 31st. [`Time::MAX`] when the calendar ends before.
    pub fn next_daily(&self, at: civil::Time, after: Time) -> Time {
        // A gap that ends at midnight and odd seconds carries the day before's moment into this date's first minute.
        let today = self.date(after);
        let start = today.yesterday().unwrap_or(today);
        std::iter::successors(Some(start), |date| date.tomorrow().ok())
            .filter_map(|date| self.daily(date, at))
            .find(|moment| *moment > after)
            .unwrap_or(Time::MAX)
    }

    /// The one moment at which that date has its `at`, or `None` if the zone left the date out.
    pub fn daily(&self, date: civil::Date, at: civil::Time) -> Option<Time> {
        let moment = self.instant(date.to_datetime(at));
        let has_date = self.date(moment) == date
            || self.date(self.instant(date.to_datetime(civil::Time::midnight()))) == date;
        has_date.then_some(moment)
    }

    /// The first whole local minute after the gap that holds the local time `micros`.
    fn after_gap(&self, micros: i64, before: Offset, after: Offset) -> Time {
        // Read with the later offset, a time in the gap lies before the gap's instant; with the earlier one, after it.
        let in_old = Time::from_micros(micros - micros_of(after));
        let in_new = Time::from_micros(micros - micros_of(before));
        let start = Timestamp::from_microsecond(in_old.0).unwrap_or(Timestamp::MAX);
        let change = self.tz.following(start).find(|change| change.offset() == after);
        let Some(change) = change.map(|change| change.timestamp().as_microsecond()) else {
            return in_new;
        };
        let shown = change + micros_of(after);
        let minute = shown + (-shown).rem_euclid(MICROS_PER_MINUTE);
        Time::from_micros(minute - micros_of(after))
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Zone) -> bool {
        self.name == other.name
    }
}

impl Eq for Zone {}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Zone({})", self.name)
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl FromStr for Zone {
    type Err = UnknownZone;

    fn from_str(name: &str) -> Result<Zone, UnknownZone> {
        Zone::parse(name)
    }
}

/// A name that is not in the zone database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no time zone `{name}`. {}", self.hint())]
pub struct UnknownZone {
    /// What was given (its beginning, if it is long).
    pub name: String,
    /// The known name that was probably meant.
    pub nearest: Option<&'static str>,
}

impl UnknownZone {
    fn new(name: &str) -> UnknownZone {
        let nearest = nearest(name, Zone::all_names()).or_else(|| zone_of_city(name));
        UnknownZone { name: shortened(name), nearest }
    }

    fn hint(&self) -> String {
        match self.nearest {
            Some(nearest) => format!("Did you mean {nearest}?"),
            None => "Write an IANA name, e.g. Europe/Berlin, America/New_York or UTC".to_owned(),
        }
    }
}

/// Reads a duration such as `90s`, `30m`, `1h30m`, `500ms`, `7d` or `2w` (units w, d, h, m, s, ms, us, ns: whole
/// numbers, each unit at most once, largest first).
pub fn parse_duration(text: &str) -> Result<Duration, BadDuration> {
    duration_nanos(text.trim())
        .and_then(|nanos| to_duration(nanos).ok_or_else(too_long))
        .map_err(|fix| BadDuration { text: shortened(text), fix })
}

/// The shortest text that [`parse_duration`] reads back as the same duration: `1h30m`. Weeks are shown as days.
pub fn show_duration(duration: Duration) -> String {
    let mut rest = duration.as_nanos();
    let mut text = String::new();
    for (unit, nanos) in UNITS.iter().filter(|(unit, _)| *unit != "w") {
        if rest >= *nanos {
            text.push_str(&format!("{}{unit}", rest / nanos));
            rest %= nanos;
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

/// A text that is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a duration: {fix}")]
pub struct BadDuration {
    /// What was given (its beginning, if it is long).
    pub text: String,
    /// What to write instead.
    pub fix: String,
}

const MICROS_PER_MINUTE: i64 = 60_000_000;
const EPOCH: civil::DateTime = civil::date(1970, 1, 1).at(0, 0, 0, 0);

/// Units of a duration in nanoseconds, largest first.
const UNITS: [(&str, u128); 8] = [
    ("w", 604_800_000_000_000),
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// Sorted without regard to case, for the search in [`Zone::parse`].
static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    // `Factory` is the database's word for "nobody has set a zone".
    let names = DATABASE.available().map(|name| name.as_str().to_owned()).filter(|name| name != "Factory");
    let mut names: Vec<String> = names.collect();
    names.sort_by_key(|name| folded_name(name));
    names
});

fn folded_name(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// `Berlin` or `new york` as people write it: the zone whose last part that is.
fn zone_of_city(city: &str) -> Option<&'static str> {
    let city = folded_name(city.trim()).replace(' ', "_");
    Zone::all_names().find(|name| folded_name(name).rsplit_once('/').is_some_and(|(_, last)| last == city))
}

fn micros_of(offset: Offset) -> i64 {
    i64::from(offset.seconds()) * 1_000_000
}

fn civil_from_micros(micros: i64) -> civil::DateTime {
    EPOCH.saturating_add(SignedDuration::from_micros(micros))
}

/// Cuts nanoseconds off towards the past, also before 1970.
fn micros_from_civil(local: civil::DateTime) -> i64 {
    let since = local.duration_since(EPOCH);
    since.as_secs() * 1_000_000 + i64::from(since.subsec_nanos()).div_euclid(1_000)
}

/// Error messages quote what was given, but not a megabyte of it.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Written out because a general parser also accepts forms that other programs would not read back.
fn parse_rfc3339(text: &str) -> Result<Time, &'static str> {
    let bytes = text.as_bytes();
    let (head, rest) = bytes.split_at_checked(19).ok_or("it is too short")?;
    let number =
        |from: usize, to: usize| digits(&head[from..to]).ok_or("it has a letter where a digit belongs");
    let separators = [(4, "-"), (7, "-"), (10, "Tt "), (13, ":"), (16, ":")];
    if separators.iter().any(|(at, allowed)| !allowed.as_bytes().contains(&head[*at])) {
        return Err("its parts are not separated as in the example");
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if hour > 23 || minute > 59 || second > 60 {
        return Err("there is no such time of day");
    }
    // Year 0 is before the range, but an offset may bring it in.
    let date = civil::Date::new(year as i16, month as i8, day as i8).map_err(|_| "there is no such date")?;
    let (fraction, offset) = split_fraction(rest)?;
    let seconds = hour * 3600 + minute * 60 + second - parse_offset(offset)?;
    let midnight = micros_from_civil(date.to_datetime(civil::Time::midnight()));
    Time::checked(midnight + seconds * 1_000_000 + fraction)
        .ok_or("it is outside 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999Z")
}

/// The microseconds of `.123456789Z`, and what follows them.
fn split_fraction(rest: &[u8]) -> Result<(i64, &[u8]), &'static str> {
    let Some(rest) = rest.strip_prefix(b".") else {
        return Ok((0, rest));
    };
    let len = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if len == 0 {
        return Err("it has no digits after the point");
    }
    let (fraction, offset) = rest.split_at(len);
    let micros =
        (0..6).fold(0, |sum, at| sum * 10 + fraction.get(at).map_or(0, |digit| i64::from(digit - b'0')));
    Ok((micros, offset))
}

/// Seconds east of Greenwich.
fn parse_offset(text: &[u8]) -> Result<i64, &'static str> {
    match text {
        b"Z" | b"z" => Ok(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let hour = digits(&[*h1, *h2]).filter(|hour| *hour < 24);
            let minute = digits(&[*m1, *m2]).filter(|minute| *minute < 60);
            let (Some(hour), Some(minute)) = (hour, minute) else {
                return Err("there is no such offset");
            };
            let seconds = hour * 3600 + minute * 60;
            Ok(if *sign == b'-' { -seconds } else { seconds })
        }
        b"" => Err("the offset is missing"),
        _ => Err("it does not end in an offset"),
    }
}

fn digits(text: &[u8]) -> Option<i64> {
    let all = text.iter().all(u8::is_ascii_digit);
    all.then(|| text.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
}

fn duration_nanos(text: &str) -> Result<u128, String> {
    if text.is_empty() {
        return Err("it is empty; write 30s, 30m, 24h or 7d".to_owned());
    }
    if text.starts_with('-') {
        return Err("it is negative; write it without the sign".to_owned());
    }
    let (mut rest, mut total, mut units) = (text, 0u128, UNITS.as_slice());
    while !rest.is_empty() {
        let (count, unit, after) = duration_part(rest)?;
        let at = units.iter().position(|(known, _)| *known == unit).ok_or_else(|| bad_unit(unit, count))?;
        let nanos = count.parse::<u128>().ok().and_then(|count| count.checked_mul(units[at].1));
        total = nanos.and_then(|nanos| total.checked_add(nanos)).ok_or_else(too_long)?;
        units = &units[at + 1..];
        rest = after;
    }
    Ok(total)
}

/// Splits `1h30m` into `1`, `h` and `30m`.
fn duration_part(text: &str) -> Result<(&str, &str, &str), String> {
    let (count, rest) = split_while(text, |c| c.is_ascii_digit());
    if count.is_empty() {
        return Err("write whole numbers with a unit each, e.g. 90s, 30m, 1h30m, 7d".to_owned());
    }
    if rest.starts_with(['.', ',']) {
        return Err(
            "fractions are not read; write the rest in a smaller unit, e.g. 1h30m for 1.5h".to_owned()
        );
    }
    let (unit, rest) = split_while(rest, char::is_alphabetic);
    if unit.is_empty() {
        let count = shortened(count);
        return Err(format!("the unit is missing; write {count}s, {count}m, {count}h or {count}d"));
    }
    Ok((count, unit, rest))
}

fn split_while(text: &str, keep: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !keep(c)).unwrap_or(text.len()))
}

fn bad_unit(unit: &str, count: &str) -> String {
    if UNITS.iter().any(|(known, _)| *known == unit) {
        return "write each unit once, the largest first, e.g. 1h30m".to_owned();
    }
    let (unit, count) = (shortened(unit), shortened(count));
    format!(
        "there is no unit `{unit}`; write {count}s, {count}m, {count}h or {count}d (units: w d h m s ms us ns)"
    )
}

fn to_duration(nanos: u128) -> Option<Duration> {
    let seconds = u64::try_from(nanos / 1_000_000_000).ok()?;
    Some(Duration::new(seconds, (nanos % 1_000_000_000) as u32))
}

fn too_long() -> String {
    "it is too long; write at most 18446744073709551615s".to_owned()
}
