//! Schedules: a tag on a memory that says when it is to be brought up, again and again or once.
//!
//! All but `every` and `hourly` go by the wall clock: each minute that a date shows gives at most one moment, the one that
//! [`Zone::instant`] names. A minute that the clocks skip means the next one there is; one that they show twice, its first.

mod cron;
mod standing;
mod tag;

pub use standing::{Ending, Outcome, Source, SourceKind};
pub use tag::{BadSchedule, TAG, of_tags};

use crate::time::{Time, Zone, civil};
use cron::Fields;
use jiff::SignedDuration;
use std::time::Duration;

/// The shortest pause of `every`.
pub const SHORTEST: Duration = Duration::from_secs(60);

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
/// Dates that are looked through for the next one that fits. A 29 February that is a Sunday is at most 40 years off.
const DATES_AHEAD: usize = 41 * 366;

/// When something is due.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    when: When,
    zone: Zone,
    /// Whether the tag itself says by whose clock.
    zone_given: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum When {
    /// Whenever the wall clock shows a full hour.
    Hourly,
    /// At one time of those days.
    On { days: Days, at: civil::Time },
    /// So often, counted from the beginning.
    Every { period: Duration, anchor: Time },
    /// At that time and never again.
    Once(Moment),
    /// As the five fields say.
    Fields(Box<Fields>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Days {
    All,
    Weekly(civil::Weekday),
    Weekdays,
    /// The day of the month; the last one where the month is shorter.
    Monthly(i8),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moment {
    Instant(Time),
    Local(civil::DateTime),
}

impl Days {
    fn include(self, date: civil::Date) -> bool {
        match self {
            Days::All => true,
            Days::Weekly(day) => date.weekday() == day,
            Days::Weekdays => date.weekday().to_monday_one_offset() <= 5,
            Days::Monthly(day) => date.day() == day.min(date.days_in_month()),
        }
    }

    const fn period(self) -> Duration {
        match self {
            Days::All | Days::Weekdays => DAY,
            Days::Weekly(_) => Duration::from_secs(7 * DAY.as_secs()),
            Days::Monthly(_) => Duration::from_secs(28 * DAY.as_secs()),
        }
    }
}

impl Schedule {
    /// The first moment strictly after `after` at which it is due; none if there is no more.
    pub fn next_after(&self, after: Time) -> Option<Time> {
        match &self.when {
            When::Hourly => self.next_hour(after),
            When::On { days, at } => self.next_on(after, |date| days.include(date), &[*at]),
            When::Every { period, anchor } => next_multiple(*anchor, *period, after),
            When::Once(moment) => Some(self.moment(*moment)).filter(|due| *due > after),
            When::Fields(fields) => self.next_on(after, |date| fields.include(date), &fields.times()),
        }
    }

    /// About how far its moments are apart at the least; none if there is but one.
    pub fn period(&self) -> Option<Duration> {
        match &self.when {
            When::Hourly => Some(HOUR),
            When::On { days, .. } => Some(days.period()),
            When::Every { period, .. } => Some(*period),
            When::Once(_) => None,
            When::Fields(fields) => Some(fields.period()),
        }
    }

    /// How long after its moment it is still in time: so long at most, and no longer than until it comes around.
    pub fn grace(&self, most: Duration) -> Duration {
        self.period().map_or(most, |period| period.min(most))
    }

    /// The last due moment after `since` and not after `now`.
    pub fn latest_between(&self, since: Time, now: Time) -> Option<Time> {
        let due = std::iter::successors(self.next_after(since), |slot| self.next_after(*slot));
        due.take_while(|slot| *slot <= now).last()
    }

    /// When it is due now that its clock is another than the one that was left; nothing, if that stays as it was. `since`
    /// is the last moment that was settled, or when it began; `pending` the one that waits.
    ///
    /// What is due already stays due. Nobody loses a day by travelling: what the new clock has passed on a day that the
    /// old one had not come to is due at once. And nobody lives a day twice: what was settled for a day is not due again
    /// because the new clock shows its hour later.
    pub fn after_moving(&self, left: &Zone, since: Time, pending: Option<Time>, now: Time) -> Option<Time> {
        pending.filter(|due| *due > now)?;
        let passed = self.latest_between(since, now);
        let passed = passed.filter(|slot| self.zone.date(*slot) > left.date(since));
        passed.or_else(|| self.next_after(now))
    }

    /// By whose clock.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// Whether the tag itself says by whose clock; else it is the principal's, wherever that is.
    pub fn names_its_zone(&self) -> bool {
        self.zone_given
    }

    fn moment(&self, moment: Moment) -> Time {
        match moment {
            Moment::Instant(time) => time,
            Moment::Local(local) => self.zone.instant(local),
        }
    }

    /// An hour that the clocks show twice is two hours: whoever wants to hear every hour, hears both.
    fn next_hour(&self, after: Time) -> Option<Time> {
        let is_full = |moment: &Time| nanos_into_hour(self.zone.local(*moment).time()) == 0;
        let next = |moment: &Time| {
            let left = HOUR.as_nanos() as u64 - nanos_into_hour(self.zone.local(*moment).time());
            moment.checked_add(Duration::from_nanos(left))
        };
        // Where the clocks change by half an hour, what was the next full hour shows half past. They do so once at most.
        std::iter::successors(next(&after), next).take(3).find(is_full)
    }

    fn next_on(
        &self,
        after: Time,
        include: impl Fn(civil::Date) -> bool,
        times: &[civil::Time],
    ) -> Option<Time> {
        // What the wall clock showed before lies before. A minute less: where clocks go forward by odd seconds, what they
        // leave out is the first whole minute after.
        let earliest = self.zone.local(after).saturating_sub(SignedDuration::from_mins(1));
        let dates = std::iter::successors(Some(earliest.date()), |date| date.tomorrow().ok());
        dates
            .take(DATES_AHEAD)
            .filter(|date| include(*date))
            .flat_map(|date| times.iter().map(move |at| date.to_datetime(*at)))
            .filter(|local| *local >= earliest)
            .filter_map(|local| self.zone.daily(local.date(), local.time()))
            .find(|moment| *moment > after)
    }
}

fn nanos_into_hour(shown: civil::Time) -> u64 {
    let seconds = shown.minute() as u64 * 60 + shown.second() as u64;
    seconds * 1_000_000_000 + shown.subsec_nanosecond() as u64
}

fn next_multiple(anchor: Time, period: Duration, after: Time) -> Option<Time> {
    let step = i64::try_from(period.as_micros()).ok()?;
    let passed = (after.micros() - anchor.micros()).div_euclid(step).max(0);
    let next = anchor.micros().checked_add(passed.checked_add(1)?.checked_mul(step)?)?;
    Time::checked(next)
}
