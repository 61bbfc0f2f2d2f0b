//! A recurrence rule (RFC 5545, 3.3.10): read, checked, and written again in one spelling.

use crate::local::{plain_date, show_local};
use crate::nearest::nearest;
use crate::time::{Time, Zone};
use crate::word::words;
use jiff::civil::{Date, DateTime, Weekday};
use std::fmt::{self, Display};

/// Bytes in a rule, at most.
const MAX_RULE_BYTES: usize = 1000;
/// Occurrences that may be counted. More have an end by date, which needs no counting.
const MAX_COUNT: u32 = 10_000;

words! {
    /// How often a period begins.
    Frequency, "frequency":
    /// Once a year.
    Yearly = "YEARLY",
    /// Once a month.
    Monthly = "MONTHLY",
    /// Once a week.
    Weekly = "WEEKLY",
    /// Once a day.
    Daily = "DAILY",
    /// Once an hour.
    Hourly = "HOURLY",
    /// Once a minute.
    Minutely = "MINUTELY",
    /// Once a second.
    Secondly = "SECONDLY",
}

/// When the last occurrence is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// It goes on.
    Never,
    /// After so many.
    Count(u32),
    /// At an instant, itself included.
    Instant(Time),
    /// At a local time, itself included.
    Local(DateTime),
    /// With a local day, itself included.
    Day(Date),
}

/// `MO`, or `-1FR`: the last Friday.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NthDay {
    /// Which of its month or year, from the end if negative; none: every one.
    pub nth: Option<i16>,
    /// The day.
    pub weekday: Weekday,
}

/// A rule. A list that is empty says nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// `FREQ`
    pub frequency: Frequency,
    /// `INTERVAL`
    pub interval: u32,
    /// `COUNT` or `UNTIL`
    pub end: End,
    /// `BYMONTH`
    pub months: Vec<i16>,
    /// `BYWEEKNO`
    pub weeks: Vec<i16>,
    /// `BYYEARDAY`
    pub year_days: Vec<i16>,
    /// `BYMONTHDAY`
    pub month_days: Vec<i16>,
    /// `BYDAY`
    pub days: Vec<NthDay>,
    /// `BYHOUR`
    pub hours: Vec<i16>,
    /// `BYMINUTE`
    pub minutes: Vec<i16>,
    /// `BYSECOND`
    pub seconds: Vec<i16>,
    /// `BYSETPOS`
    pub positions: Vec<i16>,
    /// `WKST`
    pub week_start: Weekday,
}

/// A rule that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("recurrence: {part}: {fix}")]
pub struct BadRule {
    /// Which part of it.
    pub part: String,
    /// What to write instead.
    pub fix: String,
}

fn bad(part: &str, fix: impl Into<String>) -> BadRule {
    BadRule { part: part.chars().take(40).collect(), fix: fix.into() }
}

const PARTS: [&str; 14] = [
    "FREQ",
    "INTERVAL",
    "COUNT",
    "UNTIL",
    "BYMONTH",
    "BYWEEKNO",
    "BYYEARDAY",
    "BYMONTHDAY",
    "BYDAY",
    "BYHOUR",
    "BYMINUTE",
    "BYSECOND",
    "BYSETPOS",
    "WKST",
];

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("MO", Weekday::Monday),
    ("TU", Weekday::Tuesday),
    ("WE", Weekday::Wednesday),
    ("TH", Weekday::Thursday),
    ("FR", Weekday::Friday),
    ("SA", Weekday::Saturday),
    ("SU", Weekday::Sunday),
];

impl Rule {
    /// Reads a rule, with or without `RRULE:` before it.
    pub fn parse(text: &str) -> Result<Rule, BadRule> {
        if text.len() > MAX_RULE_BYTES {
            return Err(bad(
                "the rule",
                format!("it has {} bytes and may have {MAX_RULE_BYTES}", text.len()),
            ));
        }
        let text = text.trim().to_ascii_uppercase();
        let text = text.strip_prefix("RRULE:").unwrap_or(&text);
        let parts = parts(text)?;
        let rule = read(&parts)?;
        rule.check()?;
        Ok(rule)
    }

    /// Whether an occurrence at `local` comes after the end that a date or an instant sets.
    pub fn is_over(&self, local: DateTime, zone: &Zone) -> bool {
        match self.end {
            End::Never | End::Count(_) => false,
            End::Instant(end) => zone.instant(local) > end,
            End::Local(end) => local > end,
            End::Day(end) => local.date() > end,
        }
    }

    /// Whether it speaks of times of the day, which a whole day does not have.
    pub fn has_times(&self) -> bool {
        self.frequency >= Frequency::Hourly
            || [&self.hours, &self.minutes, &self.seconds].iter().any(|list| !list.is_empty())
    }

    /// What RFC 5545 does not let stand together.
    fn check(&self) -> Result<(), BadRule> {
        use Frequency::{Daily, Monthly, Weekly, Yearly};
        let frequency = self.frequency.as_str();
        let refused =
            |part: &str, fix: &str| Err(bad(part, format!("it does not go with FREQ={frequency}; {fix}")));
        if !self.weeks.is_empty() && self.frequency != Yearly {
            return refused("BYWEEKNO", "use FREQ=YEARLY");
        }
        if !self.year_days.is_empty() && matches!(self.frequency, Daily | Weekly | Monthly) {
            return refused("BYYEARDAY", "use FREQ=YEARLY");
        }
        if !self.month_days.is_empty() && self.frequency == Weekly {
            return refused("BYMONTHDAY", "use FREQ=MONTHLY");
        }
        let most = match self.frequency {
            Yearly if self.weeks.is_empty() => 53,
            Monthly => 5,
            _ => 0,
        };
        let too_far = self.days.iter().filter_map(|day| day.nth).find(|nth| nth.abs() > most);
        if let Some(nth) = too_far {
            return match most {
                0 => {
                    refused("BYDAY", &format!("write the day without the number {nth}, or use FREQ=MONTHLY"))
                }
                _ => Err(bad("BYDAY", format!("the number {nth} must be from -{most} to {most} and not 0"))),
            };
        }
        let others =
            [&self.months, &self.weeks, &self.year_days, &self.month_days, &self.hours, &self.minutes];
        let any =
            others.iter().any(|list| !list.is_empty()) || !self.seconds.is_empty() || !self.days.is_empty();
        if !self.positions.is_empty() && !any {
            return Err(bad(
                "BYSETPOS",
                "it picks from what another BY part lists, and there is none; add e.g. BYDAY",
            ));
        }
        Ok(())
    }
}

fn parts(text: &str) -> Result<Vec<(&str, &str)>, BadRule> {
    let mut parts: Vec<(&str, &str)> = Vec::new();
    for part in text.split(';').filter(|part| !part.is_empty()) {
        let Some((name, value)) = part.split_once('=') else {
            return Err(bad(part, "write NAME=VALUE, e.g. FREQ=WEEKLY;BYDAY=MO"));
        };
        if !PARTS.contains(&name) {
            let hint = nearest(name, PARTS.into_iter())
                .map(|near| format!(" (did you mean {near}?)"))
                .unwrap_or_default();
            return Err(bad(name, format!("it is not supported{hint}; known are {}", PARTS.join(", "))));
        }
        if parts.iter().any(|(known, _)| *known == name) {
            return Err(bad(name, "it is given twice; keep one"));
        }
        parts.push((name, value));
    }
    Ok(parts)
}

fn read(parts: &[(&str, &str)]) -> Result<Rule, BadRule> {
    let value = |name: &str| parts.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let list = |name: &'static str, most: i16, lowest: i16| match value(name) {
        Some(text) => numbers(name, text, lowest, most),
        None => Ok(Vec::new()),
    };
    let frequency = value("FREQ").ok_or_else(|| bad("FREQ", "it is missing; write e.g. FREQ=WEEKLY"))?;
    Ok(Rule {
        frequency: Frequency::parse(frequency).map_err(|error| bad("FREQ", error.to_string()))?,
        interval: value("INTERVAL").map_or(Ok(1), |text| count("INTERVAL", text, 1_000_000))?,
        end: end(value("COUNT"), value("UNTIL"))?,
        months: list("BYMONTH", 12, 1)?,
        weeks: list("BYWEEKNO", 53, -53)?,
        year_days: list("BYYEARDAY", 366, -366)?,
        month_days: list("BYMONTHDAY", 31, -31)?,
        days: value("BYDAY").map_or(Ok(Vec::new()), days)?,
        hours: list("BYHOUR", 23, 0)?,
        minutes: list("BYMINUTE", 59, 0)?,
        seconds: list("BYSECOND", 59, 0)?,
        positions: list("BYSETPOS", 366, -366)?,
        week_start: value("WKST").map_or(Ok(Weekday::Monday), |text| {
            weekday(text).ok_or_else(|| bad("WKST", "write one of MO, TU, WE, TH, FR, SA, SU"))
        })?,
    })
}

fn count(part: &str, text: &str, most: u32) -> Result<u32, BadRule> {
    let number = text.parse().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| bad(part, format!("write a whole number from 1 to {most}")))
}

fn end(count_text: Option<&str>, until: Option<&str>) -> Result<End, BadRule> {
    match (count_text, until) {
        (None, None) => Ok(End::Never),
        (Some(text), None) => count("COUNT", text, MAX_COUNT).map(End::Count),
        (None, Some(text)) => until_of(text)
            .ok_or_else(|| bad("UNTIL", "write 20261224, 20261224T180000 (local) or 20261224T170000Z (UTC)")),
        (Some(_), Some(_)) => Err(bad("UNTIL", "it does not go with COUNT; keep one of the two")),
    }
}

/// `19971224`, `19971224T000000` or `19971224T000000Z`.
fn until_of(text: &str) -> Option<End> {
    let date = |text: &str| plain_date(&format!("{}-{}-{}", text.get(..4)?, text.get(4..6)?, text.get(6..)?));
    let Some((day, time)) = text.split_once('T') else {
        return date(text).map(End::Day);
    };
    let (time, utc) = time.strip_suffix('Z').map_or((time, false), |time| (time, true));
    let digits = time.len() == 6 && time.bytes().all(|byte| byte.is_ascii_digit());
    let number = |at: usize| time.get(at..at + 2)?.parse::<i8>().ok();
    let time = digits.then(|| jiff::civil::Time::new(number(0)?, number(2)?, number(4)?, 0).ok())??;
    let local = date(day)?.to_datetime(time);
    Some(if utc { End::Instant(Zone::utc().instant(local)) } else { End::Local(local) })
}

/// Sorted, each once. Zero is allowed only where the range begins with it.
fn numbers(part: &str, text: &str, lowest: i16, most: i16) -> Result<Vec<i16>, BadRule> {
    let one = |text: &str| {
        let number: Option<i16> = text.strip_prefix('+').unwrap_or(text).parse().ok();
        let fits = |number: &i16| (lowest..=most).contains(number) && (*number != 0 || lowest == 0);
        number.filter(fits).ok_or_else(|| {
            let zero = if lowest < 0 { " and not 0" } else { "" };
            bad(part, format!("write whole numbers from {lowest} to {most}{zero}, parted by commas"))
        })
    };
    let mut list = text.split(',').map(one).collect::<Result<Vec<_>, _>>()?;
    list.sort_unstable();
    list.dedup();
    Ok(list)
}

fn days(text: &str) -> Result<Vec<NthDay>, BadRule> {
    let one = |text: &str| {
        let (number, name) = text.split_at_checked(text.len().saturating_sub(2))?;
        let nth = match number.strip_prefix('+').unwrap_or(number) {
            "" => None,
            number => Some(number.parse().ok().filter(|nth| *nth != 0)?),
        };
        Some(NthDay { nth, weekday: weekday(name)? })
    };
    let mut list: Vec<NthDay> = Vec::new();
    for text in text.split(',') {
        let day = one(text)
            .ok_or_else(|| bad("BYDAY", "write days such as MO,WE or, with a number, 1FR or -1SU"))?;
        if !list.contains(&day) {
            list.push(day);
        }
    }
    Ok(list)
}

fn weekday(name: &str) -> Option<Weekday> {
    WEEKDAYS.iter().find(|(known, _)| *known == name).map(|(_, day)| *day)
}

fn weekday_name(day: Weekday) -> &'static str {
    WEEKDAYS.iter().find(|(_, known)| *known == day).map_or("", |(name, _)| name)
}

impl Display for NthDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(nth) = self.nth {
            write!(f, "{nth}")?;
        }
        f.write_str(weekday_name(self.weekday))
    }
}

/// As it is stored: every part once, in a fixed order, without what is the default.
impl Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let basic = |local: DateTime| show_local(local).replace(['-', ':'], "");
        write!(f, "FREQ={}", self.frequency.as_str())?;
        if self.interval != 1 {
            write!(f, ";INTERVAL={}", self.interval)?;
        }
        match self.end {
            End::Never => {}
            End::Count(count) => write!(f, ";COUNT={count}")?,
            End::Instant(time) => write!(f, ";UNTIL={}Z", basic(Zone::utc().local(time)))?,
            End::Local(local) => write!(f, ";UNTIL={}", basic(local))?,
            End::Day(day) => {
                write!(f, ";UNTIL={}", &basic(day.to_datetime(jiff::civil::Time::midnight()))[..8])?;
            }
        }
        list(f, "BYMONTH", &self.months)?;
        list(f, "BYWEEKNO", &self.weeks)?;
        list(f, "BYYEARDAY", &self.year_days)?;
        list(f, "BYMONTHDAY", &self.month_days)?;
        list(f, "BYDAY", &self.days)?;
        list(f, "BYHOUR", &self.hours)?;
        list(f, "BYMINUTE", &self.minutes)?;
        list(f, "BYSECOND", &self.seconds)?;
        list(f, "BYSETPOS", &self.positions)?;
        if self.week_start != Weekday::Monday {
            write!(f, ";WKST={}", weekday_name(self.week_start))?;
        }
        Ok(())
    }
}

fn list<T: Display>(f: &mut fmt::Formatter<'_>, name: &str, list: &[T]) -> fmt::Result {
    for (place, item) in list.iter().enumerate() {
        match place {
            0 => write!(f, ";{name}={item}")?,
            _ => write!(f, ",{item}")?,
        }
    }
    Ok(())
}
