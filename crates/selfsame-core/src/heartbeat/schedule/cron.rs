//! The five fields of a cron expression: minute, hour, day of the month, month, day of the week.

use crate::nearest::nearest;
use crate::time::civil;
use std::time::Duration;

const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
/// The days of the week, Sunday first as cron counts them.
pub(super) const DAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
/// Days that the months have at the most.
const LENGTHS: [i8; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MINUTES_PER_DAY: u64 = 1440;

/// What one place of the expression may hold.
struct Place {
    name: &'static str,
    least: u8,
    most: u8,
    names: &'static [&'static str],
}

const PLACES: [Place; 5] = [
    Place { name: "minute", least: 0, most: 59, names: &[] },
    Place { name: "hour", least: 0, most: 23, names: &[] },
    Place { name: "day of the month", least: 1, most: 31, names: &[] },
    Place { name: "month", least: 1, most: 12, names: &MONTHS },
    Place { name: "day of the week", least: 0, most: 7, names: &DAYS },
];

/// The values that a field allows, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Field {
    allowed: u64,
    /// It begins with `*`: of two day fields, only those that do not are joined with *or*.
    open: bool,
}

impl Field {
    const fn has(self, value: u8) -> bool {
        self.allowed >> value & 1 == 1
    }

    fn values(self) -> impl Iterator<Item = u8> {
        (0..64).filter(move |value| self.has(*value))
    }
}

/// A cron expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fields {
    minute: Field,
    hour: Field,
    day: Field,
    month: Field,
    weekday: Field,
    /// As it was written, one space between two fields.
    text: String,
}

impl Fields {
    /// Reads five fields; what is wrong, in words that say what to write.
    pub(super) fn parse(words: &[&str]) -> Result<Fields, String> {
        let mut read = words.iter().zip(&PLACES).map(|(text, place)| place.field(text));
        let mut next = || read.next().unwrap_or_else(|| Err("it has fewer than five fields".into()));
        let (minute, hour, day, month) = (next()?, next()?, next()?, next()?);
        let sevens = next()?;
        // Sunday is 0 and 7.
        let allowed = (sevens.allowed | sevens.allowed >> 7 & 1) & 0x7f;
        let weekday = Field { allowed, ..sevens };
        let fields = Fields { minute, hour, day, month, weekday, text: words.join(" ") };
        fields.check_that_it_comes()?;
        Ok(fields)
    }

    /// Whether a date fits. As in cron, of two restricted day fields one is enough.
    pub(super) fn include(&self, date: civil::Date) -> bool {
        let day = self.day.has(date.day() as u8);
        let weekday = self.weekday.has(date.weekday().to_sunday_zero_offset() as u8);
        let fits = if self.one_day_is_enough() { day || weekday } else { day && weekday };
        fits && self.month.has(date.month() as u8)
    }

    /// The times of a day, in order.
    pub(super) fn times(&self) -> Vec<civil::Time> {
        let minutes: Vec<u8> = self.minute.values().collect();
        let at = |hour: u8| minutes.iter().map(move |minute| civil::time(hour as i8, *minute as i8, 0, 0));
        self.hour.values().flat_map(at).collect()
    }

    /// The shortest pause between two of its times on days that follow each other.
    pub(super) fn period(&self) -> Duration {
        let of_day = |time: &civil::Time| time.hour() as u64 * 60 + time.minute() as u64;
        let mut minutes: Vec<u64> = self.times().iter().map(of_day).collect();
        minutes.extend(minutes.first().map(|first| first + MINUTES_PER_DAY));
        let pauses = minutes.windows(2).map(|pair| pair[1] - pair[0]);
        Duration::from_secs(60 * pauses.min().unwrap_or(MINUTES_PER_DAY))
    }

    fn one_day_is_enough(&self) -> bool {
        !self.day.open && !self.weekday.open
    }

    /// Refuses a day that no month has: it would wait for ever.
    fn check_that_it_comes(&self) -> Result<(), String> {
        let exists = |month: u8| self.day.has_up_to(LENGTHS[usize::from(month) - 1]);
        if self.one_day_is_enough() || self.month.values().any(exists) {
            return Ok(());
        }
        let earliest = self.day.values().next().unwrap_or(31);
        Err(format!(
            "no month of it has a day {earliest}, so it would never come; write a day that is there, or \
             monthly:{earliest}:09:00 for the last day where a month is shorter"
        ))
    }
}

impl Field {
    fn has_up_to(self, most: i8) -> bool {
        (1..=most as u8).any(|day| self.has(day))
    }
}

impl std::fmt::Display for Fields {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Place {
    fn field(&self, text: &str) -> Result<Field, String> {
        let mut allowed = 0;
        for part in text.split(',') {
            allowed |= self.part(part)?;
        }
        Ok(Field { allowed, open: text.starts_with('*') })
    }

    /// `*`, `5`, `1-5`, `MON-FRI`, each but the second also with a step: `*/15`.
    fn part(&self, text: &str) -> Result<u64, String> {
        let (range, step) = match text.split_once('/') {
            Some((range, step)) => (range, Some(self.step(step)?)),
            None => (text, None),
        };
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (self.least, self.last()),
            Some((from, to)) => (self.value(from)?, self.range_end(to)?),
            None if step.is_some() => {
                return Err(format!(
                    "{}: a step needs a range before it; write {range}-{}/{} or */{}",
                    self.name,
                    self.last(),
                    step.unwrap_or(1),
                    step.unwrap_or(1)
                ));
            }
            None => (self.value(range)?, self.value(range)?),
        };
        if from > to {
            return Err(format!(
                "{}: {range} goes backwards; write it as two, {}",
                self.name,
                self.split(from, to)
            ));
        }
        Ok((from..=to).step_by(usize::from(step.unwrap_or(1))).fold(0, |bits, value| bits | 1 << value))
    }

    /// The last value that `*` means: Sunday is not counted twice.
    fn last(&self) -> u8 {
        if self.most == 7 { 6 } else { self.most }
    }

    fn split(&self, from: u8, to: u8) -> String {
        format!("{from}-{},{}-{to}", self.last(), self.least)
    }

    fn step(&self, text: &str) -> Result<u8, String> {
        let step = text.parse::<u8>().ok().filter(|step| (1..=self.most).contains(step));
        step.ok_or_else(|| {
            format!("{}: the step {text:?} must be a number from 1 to {}", self.name, self.most)
        })
    }

    /// FRI-SUN ends with the week.
    fn range_end(&self, text: &str) -> Result<u8, String> {
        let value = self.value(text)?;
        let is_sunday_by_name = self.most == 7 && value == 0 && !text.starts_with('0');
        Ok(if is_sunday_by_name { 7 } else { value })
    }

    fn value(&self, text: &str) -> Result<u8, String> {
        if let Some(at) = self.names.iter().position(|name| name.eq_ignore_ascii_case(text)) {
            return Ok(at as u8 + self.least);
        }
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse::<u8>().ok().filter(|_| digits);
        number.filter(|number| (self.least..=self.most).contains(number)).ok_or_else(|| self.no_value(text))
    }

    fn no_value(&self, text: &str) -> String {
        let (name, least, most) = (self.name, self.least, self.most);
        let meant = nearest(text, self.names.iter().copied())
            .filter(|_| !text.starts_with(|c: char| c.is_ascii_digit()));
        match meant {
            Some(meant) => format!("{name}: there is no {text:?}; did you mean {meant}?"),
            None => format!("{name}: there is no {text:?}; write {least} to {most}, or * for all"),
        }
    }
}
