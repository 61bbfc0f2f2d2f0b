//! What somebody speaks of on one weekday more than on others.

use crate::time::{Time, Zone, civil};
use jiff::ToSpan as _;
use std::collections::BTreeSet;

/// Weeks that are in sight, the present one among them.
pub const WEEKS: i64 = 12;
/// Distinct weeks in which it takes to be a habit.
const LEAST: usize = 3;
/// How much more often than on other weekdays.
const LIFT: f64 = 2.0;
const DAYS_OF_WEEK: i64 = 7;
/// A Monday.
const FIRST_WEEK: civil::Date = civil::date(1970, 1, 5);

/// A day of a calendar: which week since Monday, 1970-01-05, and which day of it, from 1 for Monday.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Day {
    /// The week.
    pub week: i64,
    /// The day of the week.
    pub weekday: i64,
}

impl Day {
    /// The day that somebody in that zone has.
    pub fn of(zone: &Zone, at: Time) -> Day {
        let days = FIRST_WEEK.until(zone.date(at)).map_or(0, |span| i64::from(span.get_days()));
        Day { week: days.div_euclid(DAYS_OF_WEEK), weekday: days.rem_euclid(DAYS_OF_WEEK) + 1 }
    }

    /// The first week that is in sight on that day.
    pub const fn first_in_sight(self) -> i64 {
        self.week - WEEKS + 1
    }
}

/// That a topic belongs to a weekday.
#[derive(Clone, PartialEq, Debug)]
pub struct Habit {
    /// The day of the week.
    pub weekday: i64,
    /// Distinct weeks in which it came up on that day.
    pub weeks: usize,
    /// How much more often than on another weekday.
    pub lift: f64,
    /// When too few of those weeks are left in sight, if nothing more is said.
    pub holds_until: Time,
}

/// The habits in days on which a topic came up, as seen from `today`.
pub fn habits(days: &BTreeSet<Day>, today: Day, zone: &Zone) -> Vec<Habit> {
    let seen: Vec<Day> = days
        .iter()
        .copied()
        .filter(|day| (today.first_in_sight()..=today.week).contains(&day.week))
        .collect();
    (1..=DAYS_OF_WEEK).filter_map(|weekday| habit(&seen, weekday, zone)).collect()
}

fn habit(seen: &[Day], weekday: i64, zone: &Zone) -> Option<Habit> {
    let mut weeks: Vec<i64> = seen.iter().filter(|day| day.weekday == weekday).map(|day| day.week).collect();
    weeks.sort_unstable_by_key(|week| std::cmp::Reverse(*week));
    let last_needed = *weeks.get(LEAST - 1)?;
    // Never on another day counts as once: a lift is a number.
    let elsewhere = (seen.len() - weeks.len()).max(1) as f64 / (DAYS_OF_WEEK - 1) as f64;
    let lift = weeks.len() as f64 / elsewhere;
    let holds_until = beginning(last_needed + WEEKS, zone);
    (lift >= LIFT).then_some(Habit { weekday, weeks: weeks.len(), lift, holds_until })
}

/// When a week begins in a zone.
fn beginning(week: i64, zone: &Zone) -> Time {
    let monday = FIRST_WEEK.checked_add((week * DAYS_OF_WEEK).days()).unwrap_or(civil::Date::MAX);
    zone.instant(monday.to_datetime(civil::Time::midnight()))
}
