//! Spans of days, and how far they are from a day. All of it ends where the calendar ends: beyond is `None`.

use super::word::{Part, Unit};
use jiff::SignedDuration;
use jiff::civil::{Date, Weekday};

/// Days from `first` to `last`, both included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Span {
    /// The first day.
    pub first: Date,
    /// The last day, not before the first.
    pub last: Date,
}

impl Span {
    pub(super) fn day(date: Date) -> Span {
        Span { first: date, last: date }
    }

    /// Whole months from one on.
    pub(super) fn months(year: i16, month: i8, count: i32) -> Option<Span> {
        let first = Date::new(year, month, 1).ok()?;
        let last = month_away(first, count - 1)?.last_of_month();
        Some(Span { first, last })
    }

    /// Whole years, both included.
    pub(super) fn years(first: i16, last: i16) -> Option<Span> {
        Some(Span { first: Date::new(first, 1, 1).ok()?, last: Date::new(last, 12, 31).ok()? })
    }

    /// From the earlier to the later, with all between.
    pub(super) fn joined(self, other: Span) -> Span {
        Span { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    /// How many days.
    pub(super) fn len(&self) -> i32 {
        days_between(self.first, self.last) + 1
    }

    /// Months that it touches.
    pub(super) fn month_count(&self) -> i32 {
        month_number(self.last) - month_number(self.first) + 1
    }

    /// Whether it begins with a month and ends with one.
    pub(super) fn is_whole_months(&self) -> bool {
        self.first.day() == 1 && self.last == self.last.last_of_month()
    }

    /// Whether it begins with a year and ends with one.
    pub(super) fn is_whole_years(&self) -> bool {
        self.is_whole_months() && self.first.month() == 1 && self.last.month() == 12
    }

    /// Its first, second or last third: of a month ten days each, of a week three, of more the months.
    pub(super) fn third(&self, part: Part) -> Option<Span> {
        let place = match part {
            Part::Early | Part::BeginningOf => 0,
            Part::Mid | Part::MiddleOf => 1,
            Part::Late | Part::EndOf => 2,
        };
        let months = self.month_count();
        if self.is_whole_months() && months == 1 {
            let first = day_away(self.first, 10 * place)?;
            let last = if place == 2 { self.last } else { day_away(first, 9)? };
            Some(Span { first, last })
        } else if self.is_whole_months() && months % 3 == 0 {
            let first = month_away(self.first, place * months / 3)?;
            Span::months(first.year(), first.month(), months / 3)
        } else if self.len() == 7 {
            // They overlap: midweek begins before the beginning has ended.
            let first = day_away(self.first, 2 * place)?;
            Some(Span { first, last: day_away(first, 2)? })
        } else {
            None
        }
    }
}

/// The day, week, weekend, month or year that is so many of them away from a day.
pub(super) fn unit_away(from: Date, unit: Unit, by: i32) -> Option<Span> {
    match unit {
        Unit::Day => day_away(from, by).map(Span::day),
        Unit::Week => week_days(from, by, 0),
        Unit::Weekend => week_days(from, by, 5),
        Unit::Month => {
            let month = month_away(from, by)?;
            Span::months(month.year(), month.month(), 1)
        }
        Unit::Year => {
            let year = i16::try_from(i32::from(from.year()).checked_add(by)?).ok()?;
            Span::years(year, year)
        }
    }
}

/// The same day so many units away; in a shorter month its last day.
pub(super) fn date_away(from: Date, unit: Unit, by: i32) -> Option<Date> {
    match unit {
        Unit::Day => day_away(from, by),
        Unit::Week | Unit::Weekend => day_away(from, by.checked_mul(7)?),
        Unit::Month => same_day(month_away(from, by)?, from.day()),
        Unit::Year => same_day(month_away(from, by.checked_mul(12)?)?, from.day()),
    }
}

pub(super) fn day_away(from: Date, by: i32) -> Option<Date> {
    from.checked_add(SignedDuration::from_hours(i64::from(by) * 24)).ok()
}

/// That weekday, one to seven days before.
pub(super) fn weekday_before(date: Date, weekday: Weekday) -> Option<Date> {
    let back = days_to(weekday, date.weekday());
    day_away(date, if back == 0 { -7 } else { -back })
}

/// That weekday, one to seven days after.
pub(super) fn weekday_after(date: Date, weekday: Weekday) -> Option<Date> {
    let ahead = days_to(date.weekday(), weekday);
    day_away(date, if ahead == 0 { 7 } else { ahead })
}

/// That weekday of the week that is so many weeks away.
pub(super) fn weekday_of_week(date: Date, weekday: Weekday, weeks: i32) -> Option<Date> {
    let monday = week_days(date, weeks, 0)?.first;
    day_away(monday, i32::from(weekday.to_monday_zero_offset()))
}

/// That day of the year, on or before a date. The 29th of February is found up to eight years away.
pub(super) fn yearly_back(date: Date, (month, day): (i8, i8)) -> Option<Date> {
    let years = (0..=8).filter_map(|back| date.year().checked_sub(back));
    years.filter_map(|year| Date::new(year, month, day).ok()).find(|found| *found <= date)
}

/// That day of the year, on or after a date.
pub(super) fn yearly_ahead(date: Date, (month, day): (i8, i8)) -> Option<Date> {
    let years = (0..=8).filter_map(|ahead| date.year().checked_add(ahead));
    years.filter_map(|year| Date::new(year, month, day).ok()).find(|found| *found >= date)
}

/// The one of both that is nearer to a date; the former if they are equally near.
pub(super) fn nearer(date: Date, back: Option<Date>, ahead: Option<Date>) -> Option<Date> {
    match (back, ahead) {
        (Some(back), Some(ahead)) if days_between(date, ahead) < days_between(back, date) => Some(ahead),
        (None, ahead) => ahead,
        (back, _) => back,
    }
}

/// From the given day of that week (0 is Monday) to its Sunday.
fn week_days(from: Date, weeks: i32, first: i32) -> Option<Span> {
    let monday = weeks.checked_mul(7)?.checked_sub(i32::from(from.weekday().to_monday_zero_offset()))?;
    Some(Span {
        first: day_away(from, monday.checked_add(first)?)?,
        last: day_away(from, monday.checked_add(6)?)?,
    })
}

/// The first of the month that is so many months away.
pub(super) fn month_away(from: Date, by: i32) -> Option<Date> {
    let months = month_number(from).checked_add(by)?;
    let year = i16::try_from(months.div_euclid(12)).ok()?;
    Date::new(year, months.rem_euclid(12) as i8 + 1, 1).ok()
}

fn same_day(first_of_month: Date, day: i8) -> Option<Date> {
    let day = day.min(first_of_month.days_in_month());
    Date::new(first_of_month.year(), first_of_month.month(), day).ok()
}

/// Months since the year 0.
fn month_number(date: Date) -> i32 {
    i32::from(date.year()) * 12 + i32::from(date.month()) - 1
}

fn days_between(first: Date, last: Date) -> i32 {
    // The whole calendar has less than 2^23 days.
    (last.duration_since(first).as_hours() / 24) as i32
}

/// Days from one weekday on to the other, 0 to 6.
fn days_to(from: Weekday, to: Weekday) -> i32 {
    let days = i32::from(to.to_monday_zero_offset()) - i32::from(from.to_monday_zero_offset());
    days.rem_euclid(7)
}
