//! The local times of a rule, one after the other.
//!
//! A rule is followed period by period (a year, a month, ... a second). Each period has a set: the dates of it that fit,
//! times the hours of the day that the rule names. The set is never written out: a rule may name every second of a
//! year. Where a rule does not say, its start does (RFC 5545, 3.3.10); a start that does not fit its rule is no
//! occurrence. Zones do not live here: a local time in a gap is listed as it is written.

use super::rule::{End, Frequency, NthDay, Rule};
use crate::time::Zone;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::{SignedDuration, Span, ToSpan as _};
use std::sync::Arc;

/// So many periods in a row without an occurrence, and there is none: the calendar repeats itself after 400 years,
/// which are fewer days than this.
const FRUITLESS: u32 = 150_000;

/// Lists the local times of a rule that begins at `start`, from `from` on if no occurrence has to be counted.
pub struct Occurrences<'z> {
    rule: Rule,
    zone: &'z Zone,
    start: DateTime,
    /// Occurrences before this are not asked for.
    from: DateTime,
    /// Beginning of the first period.
    base: DateTime,
    /// The times of a day, where the rule goes by days or longer.
    times: Arc<[Time]>,
    /// The period that comes next.
    period: i64,
    set: Set,
    given: u32,
    over: bool,
}

impl Rule {
    /// The local times at which it takes place, beginning with `start`, in order.
    pub fn occurrences<'z>(&self, start: DateTime, zone: &'z Zone) -> Occurrences<'z> {
        self.occurrences_from(start, start, zone)
    }

    /// The same without those before `from`, which are skipped where none has to be counted.
    pub fn occurrences_from<'z>(&self, start: DateTime, from: DateTime, zone: &'z Zone) -> Occurrences<'z> {
        let rule = filled(self.clone(), start);
        let base = first_period(&rule, start);
        let daily = rule.frequency < Frequency::Hourly;
        let times = if daily { times(&rule, None, None, None).into() } else { Arc::default() };
        let mut all = Occurrences {
            zone,
            start,
            from: from.max(start),
            base,
            times,
            period: 0,
            set: Set::default(),
            given: 0,
            over: false,
            rule,
        };
        if !matches!(all.rule.end, End::Count(_)) {
            all.period = all.period_of(all.from).saturating_sub(1).max(0);
        }
        all
    }
}

impl Iterator for Occurrences<'_> {
    type Item = DateTime;

    fn next(&mut self) -> Option<DateTime> {
        let mut fruitless = 0;
        while !self.over {
            let Some(local) = self.set.next() else {
                fruitless += 1;
                self.over = fruitless > FRUITLESS || !self.next_set();
                continue;
            };
            if local < self.start {
                continue;
            }
            self.given += 1;
            self.over = matches!(self.rule.end, End::Count(count) if self.given >= count);
            if self.rule.is_over(local, self.zone) {
                self.over = true;
            } else if local >= self.from {
                return Some(local);
            }
        }
        None
    }
}

impl Occurrences<'_> {
    /// Goes on to the next period; false when the calendar ends.
    fn next_set(&mut self) -> bool {
        let Some(begin) = self.begin_of(self.period) else {
            return false;
        };
        self.period += 1;
        let dates = match self.rule.frequency {
            Frequency::Yearly => fitting(&self.rule, begin.date(), begin.date().last_of_year()),
            Frequency::Monthly => fitting(&self.rule, begin.date(), begin.date().last_of_month()),
            Frequency::Weekly => fitting(&self.rule, begin.date(), begin.date().saturating_add(6.days())),
            Frequency::Daily => fitting(&self.rule, begin.date(), begin.date()),
            Frequency::Hourly | Frequency::Minutely | Frequency::Secondly => return self.next_moment(begin),
        };
        self.set = Set::new(dates, Arc::clone(&self.times), &self.rule.positions, self.first_wanted());
        true
    }

    /// What is counted begins with the start; what is not, where it is asked for.
    fn first_wanted(&self) -> DateTime {
        if matches!(self.rule.end, End::Count(_)) { self.start } else { self.from }
    }

    /// A period within a day: if it does not fit, all that share the reason are passed over at once.
    fn next_moment(&mut self, begin: DateTime) -> bool {
        let (date, time) = (begin.date(), begin.time());
        let has = |list: &[i16], value: i8| list.is_empty() || list.contains(&i16::from(value));
        let hour_start = date.at(time.hour(), 0, 0, 0);
        let next = if !fits(&self.rule, date) {
            date.tomorrow().ok().map(|next| next.at(0, 0, 0, 0))
        } else if !has(&self.rule.hours, time.hour()) {
            hour_start.checked_add(1.hour()).ok()
        } else if self.rule.frequency != Frequency::Hourly && !has(&self.rule.minutes, time.minute()) {
            date.at(time.hour(), time.minute(), 0, 0).checked_add(1.minute()).ok()
        } else {
            self.set = self.moment_set(begin);
            return true;
        };
        self.set = Set::default();
        let Some(next) = next else {
            return false;
        };
        // The first period that does not begin before `next`.
        let unit = self.unit_seconds() * i64::from(self.rule.interval);
        let away = next.duration_since(self.base).as_secs();
        self.period = self.period.max(away.div_euclid(unit) + i64::from(away.rem_euclid(unit) > 0));
        true
    }

    fn moment_set(&self, begin: DateTime) -> Set {
        let time = begin.time();
        let (minute, second) = match self.rule.frequency {
            Frequency::Hourly => (None, None),
            Frequency::Minutely => (Some(time.minute()), None),
            _ => (Some(time.minute()), Some(time.second())),
        };
        let seconds_fit = second.is_none_or(|second| {
            self.rule.seconds.is_empty() || self.rule.seconds.contains(&i16::from(second))
        });
        let times =
            if seconds_fit { times(&self.rule, Some(time.hour()), minute, second) } else { Vec::new() };
        Set::new(vec![begin.date()], times.into(), &self.rule.positions, self.first_wanted())
    }

    /// The beginning of a period, by its number; none beyond the calendar.
    fn begin_of(&self, period: i64) -> Option<DateTime> {
        let steps = period.checked_mul(i64::from(self.rule.interval))?;
        match self.rule.frequency {
            Frequency::Yearly => self.base.checked_add(Span::new().try_years(steps).ok()?).ok(),
            Frequency::Monthly => self.base.checked_add(Span::new().try_months(steps).ok()?).ok(),
            _ => {
                let seconds = steps.checked_mul(self.unit_seconds())?;
                self.base.checked_add(SignedDuration::from_secs(seconds)).ok()
            }
        }
    }

    /// The number of the period that holds a local time, or of one before it.
    fn period_of(&self, local: DateTime) -> i64 {
        let interval = i64::from(self.rule.interval);
        let (from, to) = (self.base.date(), local.date());
        let years = i64::from(to.year()) - i64::from(from.year());
        match self.rule.frequency {
            Frequency::Yearly => years / interval,
            Frequency::Monthly => (years * 12 + i64::from(to.month()) - i64::from(from.month())) / interval,
            _ => local.duration_since(self.base).as_secs() / (self.unit_seconds() * interval),
        }
    }

    fn unit_seconds(&self) -> i64 {
        match self.rule.frequency {
            Frequency::Weekly => 604_800,
            Frequency::Hourly => 3600,
            Frequency::Minutely => 60,
            Frequency::Secondly => 1,
            _ => 86_400,
        }
    }
}

/// Dates times hours, in order, or those of them at certain positions. Never written out.
#[derive(Default)]
struct Set {
    dates: Vec<Date>,
    times: Arc<[Time]>,
    /// The positions left, the last first; none: all.
    positions: Option<Vec<usize>>,
    at: usize,
}

impl Set {
    fn new(dates: Vec<Date>, times: Arc<[Time]>, positions: &[i16], wanted: DateTime) -> Set {
        let size = dates.len() * times.len();
        let mut set = Set { dates, times, positions: None, at: 0 };
        if positions.is_empty() {
            set.at = set.first_not_before(wanted, size);
            return set;
        }
        let place = |position: &i16| match usize::from(position.unsigned_abs()) {
            distance if distance > size => None,
            distance if *position > 0 => Some(distance - 1),
            distance => Some(size - distance),
        };
        let mut places: Vec<usize> = positions.iter().filter_map(place).collect();
        places.sort_unstable_by(|a, b| b.cmp(a));
        places.dedup();
        set.positions = Some(places);
        set
    }

    fn first_not_before(&self, start: DateTime, size: usize) -> usize {
        let day = self.dates.partition_point(|date| *date < start.date());
        let skipped = match self.dates.get(day) {
            Some(date) if *date == start.date() => self.times.partition_point(|time| *time < start.time()),
            _ => 0,
        };
        (day * self.times.len() + skipped).min(size)
    }

    fn next(&mut self) -> Option<DateTime> {
        let place = match &mut self.positions {
            Some(places) => places.pop()?,
            None => {
                self.at += 1;
                self.at - 1
            }
        };
        let (day, time) = (place.checked_div(self.times.len())?, place.checked_rem(self.times.len())?);
        Some(self.dates.get(day)?.to_datetime(self.times[time]))
    }
}

/// The rule with what only its start says.
fn filled(mut rule: Rule, start: DateTime) -> Rule {
    let (date, time) = (start.date(), start.time());
    let no_days = rule.days.is_empty() && rule.month_days.is_empty() && rule.year_days.is_empty();
    match rule.frequency {
        Frequency::Yearly if no_days && rule.weeks.is_empty() => {
            if rule.months.is_empty() {
                rule.months.push(i16::from(date.month()));
            }
            rule.month_days.push(i16::from(date.day()));
        }
        Frequency::Monthly if no_days => rule.month_days.push(i16::from(date.day())),
        Frequency::Yearly | Frequency::Weekly if no_days => {
            rule.days.push(NthDay { nth: None, weekday: date.weekday() });
        }
        _ => {}
    }
    let daily = rule.frequency < Frequency::Hourly;
    if rule.hours.is_empty() && daily {
        rule.hours.push(time.hour().into());
    }
    if rule.minutes.is_empty() && (daily || rule.frequency == Frequency::Hourly) {
        rule.minutes.push(time.minute().into());
    }
    if rule.seconds.is_empty() && rule.frequency != Frequency::Secondly {
        rule.seconds.push(time.second().into());
    }
    rule
}

fn first_period(rule: &Rule, start: DateTime) -> DateTime {
    let (date, time) = (start.date(), start.time());
    match rule.frequency {
        Frequency::Yearly => date.first_of_year().at(0, 0, 0, 0),
        Frequency::Monthly => date.first_of_month().at(0, 0, 0, 0),
        Frequency::Weekly => {
            let back = days_since(date.weekday(), rule.week_start);
            date.saturating_sub(i64::from(back).days()).at(0, 0, 0, 0)
        }
        Frequency::Daily => date.at(0, 0, 0, 0),
        Frequency::Hourly => date.at(time.hour(), 0, 0, 0),
        Frequency::Minutely => date.at(time.hour(), time.minute(), 0, 0),
        Frequency::Secondly => date.at(time.hour(), time.minute(), time.second(), 0),
    }
}

/// Every combination of the rule's hours, minutes and seconds; what is given takes the place of its list.
fn times(rule: &Rule, hour: Option<i8>, minute: Option<i8>, second: Option<i8>) -> Vec<Time> {
    let one = |given: Option<i8>, list: &[i16]| match given {
        Some(value) => vec![value],
        None => list.iter().map(|value| *value as i8).collect(),
    };
    let (minutes, seconds) = (one(minute, &rule.minutes), one(second, &rule.seconds));
    let mut times = Vec::new();
    for hour in one(hour, &rule.hours) {
        for minute in &minutes {
            times.extend(seconds.iter().filter_map(|second| Time::new(hour, *minute, *second, 0).ok()));
        }
    }
    times
}

fn fitting(rule: &Rule, first: Date, last: Date) -> Vec<Date> {
    let days = std::iter::successors(Some(first), |date| date.tomorrow().ok());
    days.take_while(|date| *date <= last).filter(|date| fits(rule, *date)).collect()
}

/// Whether a date is one that the rule names.
fn fits(rule: &Rule, date: Date) -> bool {
    let among = |list: &[i16], value: i16, count: i16| {
        list.is_empty() || list.contains(&value) || list.contains(&(value - count - 1))
    };
    (rule.months.is_empty() || rule.months.contains(&i16::from(date.month())))
        && among(&rule.month_days, date.day().into(), date.days_in_month().into())
        && among(&rule.year_days, date.day_of_year(), date.days_in_year())
        && (rule.weeks.is_empty() || {
            let (week, weeks) = week_of(date, rule.week_start);
            among(&rule.weeks, week, weeks)
        })
        && (rule.days.is_empty() || rule.days.iter().any(|day| is_nth(rule, *day, date)))
}

/// `1FR` counts in the month, or in the year if a yearly rule names no month.
fn is_nth(rule: &Rule, day: NthDay, date: Date) -> bool {
    let Some(nth) = day.nth else {
        return day.weekday == date.weekday();
    };
    let in_year = rule.frequency == Frequency::Yearly && rule.months.is_empty();
    let (place, count) = match in_year {
        true => (date.day_of_year(), date.days_in_year()),
        false => (i16::from(date.day()), i16::from(date.days_in_month())),
    };
    let found = if nth > 0 { (place - 1) / 7 + 1 } else { -((count - place) / 7 + 1) };
    day.weekday == date.weekday() && found == nth
}

/// The number of a date's week and how many weeks its year has. A week belongs to the year that has most of it.
fn week_of(date: Date, week_start: Weekday) -> (i16, i16) {
    let middle = date.saturating_add(i64::from(3 - days_since(date.weekday(), week_start)).days());
    let week = (middle.day_of_year() - 1) / 7 + 1;
    (week, week + (middle.days_in_year() - middle.day_of_year()) / 7)
}

fn days_since(day: Weekday, start: Weekday) -> i8 {
    (day.to_monday_zero_offset() - start.to_monday_zero_offset()).rem_euclid(7)
}
