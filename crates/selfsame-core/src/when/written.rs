//! Dates as they are written: a day and a month, a month and a year, a feast, a season, a year; with the year left out
//! where the sentence or the nearest one says which is meant.

use super::numeral::{BARE_YEARS, DATED_YEARS};
use super::read::{Reader, Reading};
use super::span::{Span, month_away, nearer, unit_away, yearly_ahead, yearly_back};
use super::word::{Aim, Feast, Part, Season, Spelling, Unit, Which, Word};
use jiff::civil::Date;

/// A year that is named after something, and the first word after it.
struct Year {
    year: i16,
    relative: bool,
    end: usize,
}

impl Reader<'_> {
    /// `7 May 2023`, `7th of May`, `5-7 May`, `the 15th of last month`.
    pub(super) fn day_then_month(&self, at: usize) -> Option<Reading> {
        let days = self.days(at)?;
        let month_at = self.past(at + 1, Word::Of);
        let sure = month_at > at + 1 || !matches!(self.word(at), Word::Number(_));
        match self.then(month_at) {
            Word::Month(month, spelling) => {
                let meant = sure || self.is_spelt_so(month_at, spelling);
                let dated = meant || self.year_after(month_at + 1).is_some();
                if dated { self.days_of_month(at, days, month, month_at + 1) } else { None }
            }
            Word::Which(which) if sure && self.then(month_at + 1) == Word::Unit(Unit::Month) => {
                let month = unit_away(self.said_on, Unit::Month, years_or_months_away(which)?)?.first;
                let span = days_in(month.year(), month.month(), days)?;
                Some(Reading { span, relative: true, end: month_at + 2 })
            }
            _ => None,
        }
    }

    /// "On the 15th", "by the 15th": of this month or the one beside it, but not "on the 15th floor".
    pub(super) fn day_alone(&self, at: usize) -> Option<Reading> {
        let Word::Ordinal(day) = self.word(at) else {
            return None;
        };
        let led = self.before(at) == Word::The
            && matches!(self.before(at - 1), Word::On | Word::Towards | Word::Strong | Word::From);
        if !led || self.counts_something(at) || self.then(at + 1) == Word::Of {
            return None;
        }
        // No two months in a row lack a day.
        let months = (-2..=2).filter_map(|by| month_away(self.said_on, by));
        let mut near = months.filter_map(|month| days_in(month.year(), month.month(), (day, day)));
        let span = match self.aim(at) {
            Aim::Ahead => near.find(|span| span.first >= self.said_on),
            _ => near.rfind(|span| span.first <= self.said_on),
        }?;
        Some(Reading { span, relative: true, end: at + 1 })
    }

    /// `May 7`, `May 7th, 2023`, `May the 7th`, `May 5-7`, `May 2023`, `May of last year`.
    pub(super) fn dated_month(&self, at: usize) -> Option<Reading> {
        let Word::Month(month, spelling) = self.word(at) else {
            return None;
        };
        let day_at =
            if matches!(self.then(at + 2), Word::Ordinal(_)) { self.past(at + 1, Word::The) } else { at + 1 };
        if let Some(days) = self.days(day_at).filter(|_| self.is_day_of(at, spelling, day_at)) {
            return self.days_of_month(at, days, month, day_at + 1);
        }
        let year = self.year_after(at + 1)?;
        // "It may last year after year."
        if year.relative && spelling == Spelling::Other && !self.is_capital(at) {
            return None;
        }
        Some(Reading { span: Span::months(year.year, month, 1)?, relative: year.relative, end: year.end })
    }

    /// "In May": a month by itself, where the word before it or its spelling leaves no doubt.
    pub(super) fn bare_month(&self, at: usize) -> Option<Reading> {
        let Word::Month(month, spelling) = self.word(at) else {
            return None;
        };
        let capital = self.is_capital(at);
        let named = self.is_possessive(at) && spelling != Spelling::Sure;
        let meant = match self.before(at) {
            Word::In | Word::Strong => capital || spelling != Spelling::Short,
            Word::From | Word::Before | Word::After | Word::Towards | Word::Weak => {
                self.is_spelt_so(at, spelling)
            }
            Word::Of if self.before(at - 1) == Word::Unit(Unit::Month) => true,
            Word::Joining if self.continues(at) => self.is_spelt_so(at, spelling),
            // "30 February" is no day, and not the month either.
            Word::Number(_) | Word::Ordinal(_) | Word::Days(..) => false,
            _ => capital && spelling == Spelling::Sure,
        };
        if meant && !named { self.month_alone(at, month) } else { None }
    }

    /// "Friday, May 7", "Friday the 7th of May": the date says which.
    pub(super) fn dated_weekday(&self, at: usize) -> Option<Reading> {
        if self.then_or_comma(at + 1) == Word::Nothing {
            return None;
        }
        let date_at = if self.word(at + 1) == Word::The { at + 2 } else { at + 1 };
        let reading = match self.word(date_at) {
            Word::Number(_) | Word::Ordinal(_) => self.day_then_month(date_at),
            Word::Month(..) => self.dated_month(date_at),
            Word::Written(span) => Some(Reading { span, relative: false, end: date_at + 1 }),
            _ => None,
        };
        reading.filter(|reading| reading.span.len() == 1)
    }

    /// "Summer 2022", "summer of last year", "in the summer".
    pub(super) fn season(&self, at: usize) -> Option<Reading> {
        let Word::Season(season) = self.word(at) else {
            return None;
        };
        let lead = if self.before(at) == Word::The { self.before(at - 1) } else { self.before(at) };
        let led = matches!(lead, Word::In | Word::Strong | Word::Towards);
        let meant = match season {
            // A verb as well: "prices fall in 2022".
            Season::Fall => {
                self.then(at + 1) != Word::In && self.year_after(at + 1).is_some_and(|year| !year.relative)
            }
            _ => led || self.year_after(at + 1).is_some(),
        };
        if meant { self.season_named(at, season) } else { None }
    }

    /// "Christmas", "New Year's Eve 2022", "Valentine's Day".
    pub(super) fn feast(&self, at: usize) -> Option<Reading> {
        let (day, end) = self.feast_day(at)?;
        self.days_of_month(at, (day.1, day.1), day.0, end)
    }

    /// Month and day of the feast that is named here, and the first word after its name.
    pub(super) fn feast_day(&self, at: usize) -> Option<((i8, i8), usize)> {
        let year_word = matches!(self.then(at + 1), Word::Unit(Unit::Year) | Word::Units(Unit::Year));
        let (feast, end) = match self.word(at) {
            Word::Feast(feast) => (feast, at + 1),
            Word::New if year_word => (Feast::NewYear, at + 2),
            _ => return None,
        };
        let alone = match feast {
            Feast::Christmas | Feast::Halloween => true,
            Feast::NewYear => self.is_possessive(at + 1) || (self.is_capital(at) && self.is_capital(at + 1)),
            Feast::Valentine => self.is_possessive(at),
            Feast::Boxing | Feast::Patrick => false,
        };
        match self.then(end) {
            Word::Eve => feast.eve().map(|day| (day, end + 1)),
            Word::Unit(Unit::Day) => Some((feast.day(), end + 1)),
            _ => alone.then_some((feast.day(), end)),
        }
    }

    /// "In 2022", "since 2019".
    pub(super) fn bare_year(&self, at: usize) -> Option<Reading> {
        let year = self.year_number(at)?;
        let round = year % 100 == 0;
        let meant = match self.before(at) {
            // "In 2000 words".
            Word::In | Word::Strong => !round || !self.counts_something(at),
            Word::From | Word::Before | Word::After | Word::Towards | Word::Weak | Word::Of => {
                !self.counts_something(at)
            }
            Word::Joining => self.continues(at) && !self.counts_something(at),
            Word::Unit(Unit::Year) => true,
            _ => false,
        };
        if !meant || matches!(self.then(at + 1), Word::Unit(_) | Word::Units(_)) {
            return None;
        }
        Some(Reading { span: Span::years(year, year)?, relative: false, end: at + 1 })
    }

    /// "Early May", "late 2022", "the end of last month", "the beginning of the year".
    pub(super) fn part(&self, at: usize, part: Part) -> Option<Reading> {
        let noun = matches!(part, Part::BeginningOf | Part::MiddleOf | Part::EndOf);
        let of = self.past(at + 1, Word::Of);
        if noun && of == at + 1 {
            return None;
        }
        let whole_at = self.past(of, Word::The);
        let whole = match self.then(whole_at) {
            Word::Month(month, spelling) if self.is_spelt_so(whole_at, spelling) => {
                self.dated_month(whole_at).or_else(|| self.month_alone(whole_at, month))
            }
            Word::Number(_) if !self.counts_something(whole_at) => {
                let year = self.year_number(whole_at)?;
                Some(Reading { span: Span::years(year, year)?, relative: false, end: whole_at + 1 })
            }
            Word::Season(season) => self.season_named(whole_at, season),
            Word::Which(_) => self.which(whole_at),
            Word::Unit(unit) if whole_at > of => {
                Some(Reading { span: unit_away(self.said_on, unit, 0)?, relative: true, end: whole_at + 1 })
            }
            _ => None,
        }?;
        Some(Reading { span: whole.span.third(part)?, ..whole })
    }

    /// The days of a month that a word says.
    pub(super) fn days(&self, at: usize) -> Option<(i8, i8)> {
        match self.word(at) {
            Word::Number(day @ 1..=31) => Some((day as i8, day as i8)),
            Word::Ordinal(day) => Some((day, day)),
            Word::Days(first, last) => Some((first, last)),
            _ => None,
        }
    }

    /// Whether the number after a month is a day of it: "May 7", but not "may 7 people come".
    fn is_day_of(&self, month_at: usize, spelling: Spelling, day_at: usize) -> bool {
        let capital = self.is_capital(month_at);
        let counts = match self.then(day_at + 1) {
            Word::Unit(_) | Word::Units(_) => true,
            _ => self.counts_something(day_at) && (spelling == Spelling::Other || !capital),
        };
        match self.then(day_at) {
            Word::Nothing => false,
            Word::Number(_) => self.year_after(day_at + 1).is_some() || !counts,
            _ => true,
        }
    }

    /// Days of a month, in the year that is named after them, or else the nearest such days.
    fn days_of_month(&self, at: usize, days: (i8, i8), month: i8, end: usize) -> Option<Reading> {
        if let Some(named) = self.year_after(end) {
            let span = days_in(named.year, month, days)?;
            return Some(Reading { span, relative: named.relative, end: named.end });
        }
        let first = self.yearly(at, (month, days.0))?;
        Some(Reading { span: days_in(first.year(), month, days)?, relative: true, end })
    }

    /// That day of the year which is meant when no year is named.
    fn yearly(&self, at: usize, day: (i8, i8)) -> Option<Date> {
        let (back, ahead) = (yearly_back(self.said_on, day), yearly_ahead(self.said_on, day));
        match self.aim(at) {
            Aim::Ahead => ahead,
            Aim::Back => back,
            Aim::Unknown => nearer(self.said_on, back, ahead),
        }
    }

    /// The month of that name which is meant when no year is named.
    fn month_alone(&self, at: usize, month: i8) -> Option<Reading> {
        let (this_year, this_month) = (self.said_on.year(), self.said_on.month());
        let year = match self.aim(at) {
            Aim::Ahead if month < this_month => this_year.checked_add(1)?,
            Aim::Back | Aim::Unknown if month > this_month => this_year.checked_sub(1)?,
            _ => this_year,
        };
        Some(Reading { span: Span::months(year, month, 1)?, relative: true, end: at + 1 })
    }

    /// A season of the year that is named after it, or else the last that has begun or the next that has not ended.
    fn season_named(&self, at: usize, season: Season) -> Option<Reading> {
        if let Some(named) = self.year_after(at + 1) {
            let span = Span::months(named.year, season.first_month(), 3)?;
            return Some(Reading { span, relative: named.relative, end: named.end });
        }
        let mut near = self.seasons_near(season);
        let span = match self.aim(at) {
            Aim::Ahead => near.find(|span| span.last >= self.said_on),
            _ => near.rfind(|span| span.first <= self.said_on),
        }?;
        Some(Reading { span, relative: true, end: at + 1 })
    }

    /// The seasons of that name around the day, in order.
    pub(super) fn seasons_near(&self, season: Season) -> impl DoubleEndedIterator<Item = Span> + use<> {
        let this_year = self.said_on.year();
        let years = (-2..=2).filter_map(move |away| this_year.checked_add(away));
        years.filter_map(move |year| Span::months(year, season.first_month(), 3))
    }

    /// `2023`, `, 2023`, `of 2023`, `last year`, `of this year`.
    fn year_after(&self, at: usize) -> Option<Year> {
        let linked = matches!(self.then(at), Word::Of | Word::In);
        let at = if linked { at + 1 } else { at };
        match if linked { self.then(at) } else { self.then_or_comma(at) } {
            Word::Number(year) if DATED_YEARS.contains(&year) => {
                // "On May 7 2000 people came."
                let counts = self.counts_something(at) && year % 100 == 0;
                (!counts).then_some(Year { year, relative: false, end: at + 1 })
            }
            Word::Which(which) if self.then(at + 1) == Word::Unit(Unit::Year) => {
                let year = i32::from(self.said_on.year()) + years_or_months_away(which)?;
                Some(Year { year: i16::try_from(year).ok()?, relative: true, end: at + 2 })
            }
            _ => None,
        }
    }

    fn year_number(&self, at: usize) -> Option<i16> {
        match self.word(at) {
            Word::Number(year) if BARE_YEARS.contains(&year) => Some(year),
            _ => None,
        }
    }
}

/// Last, this or next, as a number.
fn years_or_months_away(which: Which) -> Option<i32> {
    match which {
        Which::Last => Some(-1),
        Which::This => Some(0),
        Which::Next => Some(1),
        Which::Past | Which::Coming => None,
    }
}

pub(super) fn days_in(year: i16, month: i8, (first, last): (i8, i8)) -> Option<Span> {
    Some(Span { first: Date::new(year, month, first).ok()?, last: Date::new(year, month, last).ok()? })
}
