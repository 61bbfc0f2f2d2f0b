//! A schedule as it is written: `cron:daily:09:00`, `cron:0 9 * * MON-FRI`.

use super::cron::{DAYS, Fields};
use super::{Days, Moment, SHORTEST, Schedule, When};
use crate::local::{self, parse_local, show_local};
use crate::nearest::nearest;
use crate::time::{Time, Zone, civil, parse_duration, show_duration};
use std::fmt;

/// A tag that begins so makes a memory a scheduled one.
pub const TAG: &str = "cron:";

/// The forms that begin with a word, each with an example.
const FORMS: [(&str, &str); 7] = [
    ("hourly", "cron:hourly"),
    ("daily", "cron:daily:09:00"),
    ("weekly", "cron:weekly:MON:09:00"),
    ("weekdays", "cron:weekdays:09:00"),
    ("monthly", "cron:monthly:1:09:00"),
    ("every", "cron:every:90m"),
    ("once", "cron:once:2026-12-24T18:00"),
];

/// A tag that is no schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{tag}` is no schedule: {why}")]
pub struct BadSchedule {
    /// What was given (its beginning, if it is long).
    pub tag: String,
    /// What is wrong with it, and what to write.
    pub why: String,
}

impl BadSchedule {
    /// A tag that is no schedule, and why.
    pub fn new(tag: &str, why: impl Into<String>) -> BadSchedule {
        BadSchedule { tag: tag.chars().take(80).collect(), why: why.into() }
    }
}

/// The tag of a memory that says when it is due, if there is one.
pub fn of_tags(tags: &[String]) -> Result<Option<&str>, BadSchedule> {
    let mut scheduled = tags.iter().map(String::as_str).filter(|tag| tag.starts_with(TAG));
    match (scheduled.next(), scheduled.next()) {
        (Some(first), Some(second)) => Err(BadSchedule::new(
            second,
            format!(
                "the memory has {first} already; several times can be one expression, such as cron:0 9,17 * * *, \
                 or store two memories"
            ),
        )),
        (first, _) => Ok(first),
    }
}

impl Schedule {
    /// Reads a tag. `home` is the zone of what names none, `created_at` what `every` counts from.
    pub fn parse(tag: &str, home: &Zone, created_at: Time) -> Result<Schedule, BadSchedule> {
        let reader = Reader { home, created_at };
        let body = tag.strip_prefix(TAG).ok_or_else(|| "it begins with cron:".to_owned());
        body.and_then(|body| reader.read(body)).map_err(|why| BadSchedule::new(tag, why))
    }
}

struct Reader<'r> {
    home: &'r Zone,
    created_at: Time,
}

impl Reader<'_> {
    fn read(&self, body: &str) -> Result<Schedule, String> {
        let words: Vec<&str> = body.split_whitespace().collect();
        let (form, rest) = body.split_once(':').map_or((body, None), |(form, rest)| (form, Some(rest)));
        match (form, rest) {
            ("hourly", None) => Ok(self.at_home(When::Hourly)),
            ("daily", Some(rest)) => self.on(Days::All, rest),
            ("weekdays", Some(rest)) => self.on(Days::Weekdays, rest),
            ("weekly", Some(rest)) => {
                let (day, rest) = split(rest, form)?;
                self.on(Days::Weekly(weekday(day)?), rest)
            }
            ("monthly", Some(rest)) => {
                let (day, rest) = split(rest, form)?;
                self.on(Days::Monthly(day_of_month(day)?), rest)
            }
            ("every", Some(rest)) => self.every(rest),
            ("once", Some(rest)) => self.once(rest),
            _ if words.len() >= 5 => self.fields(&words),
            _ => Err(unknown(form, body)),
        }
    }

    fn at_home(&self, when: When) -> Schedule {
        Schedule { when, zone: self.home.clone(), zone_given: false }
    }

    fn in_zone(&self, when: When, zone: Option<&str>) -> Result<Schedule, String> {
        match zone {
            None => Ok(self.at_home(when)),
            Some(name) => {
                let zone = Zone::parse(name).map_err(|unknown| unknown.to_string())?;
                Ok(Schedule { when, zone, zone_given: true })
            }
        }
    }

    /// `09:00` or `09:00:Europe/Berlin`.
    fn on(&self, days: Days, text: &str) -> Result<Schedule, String> {
        let (hour, rest) = text.split_once(':').unwrap_or((text, ""));
        let (minute, zone) = rest.split_once(':').map_or((rest, None), |(minute, zone)| (minute, Some(zone)));
        let at = two_digits(hour).zip(two_digits(minute));
        let at = at.and_then(|(hour, minute)| civil::Time::new(hour, minute, 0, 0).ok());
        let at = at.ok_or_else(|| {
            format!("{hour}:{minute} is no time of day; write 00:00 to 23:59, such as 09:00")
        })?;
        self.in_zone(When::On { days, at }, zone)
    }

    fn every(&self, text: &str) -> Result<Schedule, String> {
        let period = parse_duration(text).map_err(|bad| bad.to_string())?;
        if period < SHORTEST {
            return Err(format!("every {text} is too often; write 1m or more"));
        }
        Ok(self.at_home(When::Every { period, anchor: self.created_at }))
    }

    /// RFC 3339, or a local time, which may be followed by its zone.
    fn once(&self, text: &str) -> Result<Schedule, String> {
        if let Ok(time) = Time::parse(text) {
            return Ok(self.at_home(When::Once(Moment::Instant(time))));
        }
        let named = |(local, zone)| Some((local_time(local)?, Some(zone)));
        let read =
            local_time(text).map(|local| (local, None)).or_else(|| text.rsplit_once(':').and_then(named));
        // A day or a word such as tomorrow is no moment: it would mean another one when it is said again.
        let (local, zone) = read.ok_or_else(|| {
            let day = local::plain_date(text).map_or("2026-12-24", |_| text);
            format!("{text:?} is no moment; write {day}T18:00 or {day}T18:00:00+01:00")
        })?;
        self.in_zone(When::Once(Moment::Local(local)), zone)
    }

    fn fields(&self, words: &[&str]) -> Result<Schedule, String> {
        let (fields, zone) = match words {
            [fields @ .., zone] if words.len() == 6 => (fields, Some(*zone)),
            _ if words.len() == 5 => (words, None),
            _ => {
                return Err(
                    "a cron expression has five fields, such as 0 9 * * MON-FRI, and perhaps a zone".into()
                );
            }
        };
        self.in_zone(When::Fields(Box::new(Fields::parse(fields)?)), zone)
    }
}

/// `2026-12-24T18:00`, also with seconds, or a space for the T.
fn local_time(text: &str) -> Option<civil::DateTime> {
    let text = text.replacen(' ', "T", 1);
    parse_local(&text)
}

fn split<'t>(rest: &'t str, form: &str) -> Result<(&'t str, &'t str), String> {
    rest.split_once(':').ok_or_else(|| format!("its time is missing; write {}", example(form)))
}

fn two_digits(text: &str) -> Option<i8> {
    let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

/// `MON`, `Monday`.
fn weekday(text: &str) -> Result<civil::Weekday, String> {
    const NAMES: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
    let is = |name: &&str| name.eq_ignore_ascii_case(text);
    let found = DAYS.iter().position(&is).or_else(|| NAMES.iter().position(is));
    let day = found.and_then(|at| civil::Weekday::from_sunday_zero_offset(at as i8).ok());
    day.ok_or_else(|| match nearest(text, DAYS.into_iter().chain(NAMES)) {
        Some(meant) => format!("there is no day {text:?}; did you mean {meant}?"),
        None => format!("there is no day {text:?}; write one of {}", DAYS.join(", ")),
    })
}

fn day_of_month(text: &str) -> Result<i8, String> {
    let day = text.parse::<i8>().ok().filter(|day| (1..=31).contains(day));
    day.ok_or_else(|| {
        format!("there is no day {text:?} of a month; write 1 to 31 (31 is always the last day)")
    })
}

fn example(form: &str) -> &'static str {
    FORMS.iter().find(|(known, _)| *known == form).map_or("cron:daily:09:00", |(_, example)| example)
}

fn unknown(form: &str, body: &str) -> String {
    if FORMS.iter().any(|(known, _)| *known == form) {
        return format!("write {}", example(form));
    }
    match nearest(form, FORMS.iter().map(|(known, _)| *known)) {
        Some(meant) => format!("did you mean cron:{}?", body.replacen(form, meant, 1)),
        None => {
            let examples: Vec<&str> = FORMS.iter().map(|(_, example)| *example).collect();
            format!("write {} or five fields such as cron:0 9 * * MON-FRI", examples.join(", "))
        }
    }
}

/// The tag, in its plainest spelling.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(TAG)?;
        let mut before_zone = ":";
        match &self.when {
            When::Hourly => f.write_str("hourly")?,
            When::On { days, at } => write!(f, "{days}:{}", at.strftime("%H:%M"))?,
            When::Every { period, .. } => write!(f, "every:{}", show_duration(*period))?,
            When::Once(Moment::Instant(time)) => write!(f, "once:{time}")?,
            When::Once(Moment::Local(local)) => write!(f, "once:{}", show_local(*local))?,
            When::Fields(fields) => {
                before_zone = " ";
                write!(f, "{fields}")?;
            }
        }
        if self.zone_given { write!(f, "{before_zone}{}", self.zone) } else { Ok(()) }
    }
}

impl fmt::Display for Days {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Days::All => f.write_str("daily"),
            Days::Weekdays => f.write_str("weekdays"),
            Days::Weekly(day) => write!(f, "weekly:{}", DAYS[day.to_sunday_zero_offset() as usize]),
            Days::Monthly(day) => write!(f, "monthly:{day}"),
        }
    }
}
