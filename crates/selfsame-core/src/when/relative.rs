//! What is counted from the day itself, or from a date beside it: yesterday, last Friday, two weeks ago, the day before
//! Christmas.

use super::read::{Reader, Reading};
use super::span::{
    Span, date_away, day_away, nearer, unit_away, weekday_after, weekday_before, weekday_of_week,
    yearly_ahead, yearly_back,
};
use super::word::{Aim, Season, Spelling, Unit, Which, Word};
use super::written::days_in;
use jiff::civil::{Date, Weekday};

/// How many, from and to, and where the word after it stands.
struct Amount {
    low: i16,
    high: i16,
    end: usize,
}

impl Amount {
    /// The units that lie so far from a day, ahead (1) or back (-1), with all between.
    fn away(&self, from: Date, unit: Unit, direction: i32) -> Option<Span> {
        let near = unit_away(from, unit, direction * i32::from(self.low))?;
        Some(near.joined(unit_away(from, unit, direction * i32::from(self.high))?))
    }
}

impl Reader<'_> {
    /// "Yesterday", "tomorrow morning".
    pub(super) fn day_word(&self, at: usize, days: i8) -> Option<Reading> {
        let day = day_away(self.said_on, i32::from(days))?;
        relative(Span::day(day), self.past_hours(at + 1))
    }

    /// "Two weeks ago", "a few days from now", "a year ago today".
    pub(super) fn far_away(&self, at: usize) -> Option<Reading> {
        let amount = self.amount(at)?;
        let unit = self.unit(amount.end)?;
        let (word, after) = (self.then(amount.end + 1), self.then(amount.end + 2));
        match (word, after) {
            (Word::Ago, Word::DayAway(0)) => {
                let day = date_away(self.said_on, unit, -i32::from(amount.low))?;
                relative(Span::day(day), amount.end + 3)
            }
            (Word::Ago, _) => relative(amount.away(self.said_on, unit, -1)?, amount.end + 2),
            (Word::From, Word::Now) => relative(amount.away(self.said_on, unit, 1)?, amount.end + 3),
            _ => None,
        }
    }

    /// "In two weeks", but not "we did it in two weeks" nor "in two weeks of work".
    pub(super) fn in_some_time(&self, at: usize) -> Option<Reading> {
        if self.then(at + 1) == Word::Nothing || self.aim(at) == Aim::Back {
            return None;
        }
        let amount = self.amount(at + 1)?;
        let unit = self.unit(amount.end)?;
        match self.then(amount.end + 1) {
            Word::Of | Word::Ago => None,
            _ => relative(amount.away(self.said_on, unit, 1)?, amount.end + 1),
        }
    }

    /// What follows "last", "this" or "next".
    pub(super) fn which(&self, at: usize) -> Option<Reading> {
        let (which, next) = self.selector(at)?;
        let reading = match self.then(next) {
            Word::Number(_) | Word::Amount(..) => self.rolling(at, which, next),
            Word::Unit(unit) => relative(self.which_unit(which, unit)?, next + 1),
            Word::Weekday(weekday, spelling) if self.is_spelt_so(next, spelling) => {
                relative(Span::day(self.which_weekday(at, which, weekday)?), self.past_hours(next + 1))
            }
            Word::Month(month, spelling) if self.is_spelt_so(next, spelling) => {
                self.which_month(which, month, next)
            }
            Word::Season(season) => relative(self.which_season(which, season)?, next + 1),
            Word::Feast(_) | Word::New => self.which_feast(which, next),
            Word::Hours | Word::Night => self.which_hours(which, next),
            _ => None,
        }?;
        // "The last week of May", "the last Friday of the month".
        if self.then(reading.end) == Word::Of { None } else { Some(reading) }
    }

    /// "Friday", "Friday night", "Friday of last week".
    pub(super) fn bare_weekday(&self, at: usize) -> Option<Reading> {
        let Word::Weekday(weekday, spelling) = self.word(at) else {
            return None;
        };
        let week_at = self.past(at + 1, Word::Of);
        if let Word::Which(which) = self.then(week_at)
            && self.then(week_at + 1) == Word::Unit(Unit::Week)
        {
            let weeks = match which {
                Which::Last | Which::Past => -1,
                Which::This => 0,
                Which::Next | Which::Coming => 1,
            };
            return relative(Span::day(weekday_of_week(self.said_on, weekday, weeks)?), week_at + 2);
        }
        let led =
            matches!(self.before(at), Word::On | Word::Towards | Word::Strong | Word::Before | Word::After);
        let meant = spelling == Spelling::Sure || (led && self.is_spelt_so(at, spelling));
        if !meant || self.before(at) == Word::Named || week_at > at + 1 {
            return None;
        }
        let day = match self.aim(at) {
            Aim::Ahead => weekday_after(self.said_on, weekday),
            _ => weekday_before(self.said_on, weekday),
        }?;
        relative(Span::day(day), self.past_hours(at + 1))
    }

    /// "The weekend", "the week of May 7".
    pub(super) fn unit_of(&self, at: usize, unit: Unit) -> Option<Reading> {
        if self.then(at + 1) == Word::Of {
            let day = self.anchor(at + 2).filter(|anchor| anchor.span.len() == 1)?;
            let weeks = matches!(unit, Unit::Week | Unit::Weekend);
            let span = unit_away(day.span.first, unit, 0).filter(|_| weeks)?;
            return Some(Reading { span, ..day });
        }
        if unit != Unit::Weekend || self.before(at) != Word::The {
            return None;
        }
        let this = unit_away(self.said_on, Unit::Weekend, 0)?;
        let span = match self.aim(at) {
            Aim::Ahead => this,
            _ if this.first <= self.said_on => this,
            _ => unit_away(self.said_on, Unit::Weekend, -1)?,
        };
        relative(span, at + 1)
    }

    /// "Two days before Christmas", "the week after 7 May", "the Friday before", "the month before last".
    pub(super) fn beside(&self, at: usize) -> Option<Reading> {
        match self.word(at) {
            Word::Number(_) | Word::Amount(..) => self.amount_beside(at),
            Word::Unit(unit) => self.unit_beside(at, unit),
            Word::Night => self.unit_beside(at, Unit::Day),
            Word::Weekday(weekday, _) => self.weekday_beside(at, weekday),
            // "The last Friday before Christmas".
            Word::Which(Which::Last) if self.then(at + 2) == Word::Before => match self.then(at + 1) {
                Word::Unit(unit) => self.unit_beside(at + 1, unit),
                Word::Weekday(weekday, _) => self.weekday_beside(at + 1, weekday),
                _ => None,
            },
            _ => None,
        }
    }

    fn amount_beside(&self, at: usize) -> Option<Reading> {
        let amount = self.amount(at)?;
        let unit = self.unit(amount.end)?;
        let anchor = self.anchor(amount.end + 2)?;
        let span = match self.then(amount.end + 1) {
            Word::Before => amount.away(anchor.span.first, unit, -1),
            Word::After | Word::From => amount.away(anchor.span.last, unit, 1),
            _ => None,
        }?;
        Some(Reading { span, ..anchor })
    }

    fn unit_beside(&self, at: usize, unit: Unit) -> Option<Reading> {
        let side = self.then(at + 1);
        let Some(anchor) = self.anchor(at + 2) else {
            let by = match (side, self.then(at + 2)) {
                (Word::Before, Word::Which(Which::Last)) => -2,
                (Word::After, Word::Which(Which::Next)) => 2,
                _ => return None,
            };
            return relative(unit_away(self.said_on, unit, by)?, at + 3);
        };
        let span = match (side, unit) {
            // The weekend may be in the week of the day itself.
            (Word::Before, Unit::Weekend) => {
                unit_away(weekday_before(anchor.span.first, Weekday::Sunday)?, unit, 0)
            }
            (Word::After, Unit::Weekend) => {
                unit_away(weekday_after(anchor.span.last, Weekday::Saturday)?, unit, 0)
            }
            (Word::Before, _) => unit_away(anchor.span.first, unit, -1),
            (Word::After, _) => unit_away(anchor.span.last, unit, 1),
            _ => None,
        }?;
        Some(Reading { span, ..anchor })
    }

    fn weekday_beside(&self, at: usize, weekday: Weekday) -> Option<Reading> {
        let side = self.then(at + 1);
        if let Some(anchor) = self.anchor(at + 2) {
            let day = match side {
                Word::Before => weekday_before(anchor.span.first, weekday),
                Word::After => weekday_after(anchor.span.last, weekday),
                _ => None,
            }?;
            return Some(Reading { span: Span::day(day), ..anchor });
        }
        let last = weekday_before(self.said_on, weekday);
        let (day, end) = match (side, self.then(at + 2)) {
            (Word::Before, Word::Which(Which::Last)) => (day_away(last?, -7), at + 3),
            (Word::After, Word::Which(Which::Next)) => (weekday_of_week(self.said_on, weekday, 2), at + 3),
            (Word::Before, _) if self.before(at) == Word::The => {
                (self.weekday_before_latest(at, weekday), at + 2)
            }
            _ => return None,
        };
        relative(Span::day(day?), end)
    }

    /// "The Friday before", with no date after it: before what was just mentioned in the sentence, or else before today.
    fn weekday_before_latest(&self, at: usize, weekday: Weekday) -> Option<Date> {
        let sentence = |place: usize| self.tokens.get(place).map(|token| token.sentence);
        let latest = self.latest.filter(|(end, _)| sentence(end - 1) == sentence(at));
        weekday_before(latest.map_or(self.said_on, |(_, span)| span.first), weekday)
    }

    /// The date that something is before or after, or the week of.
    pub(super) fn anchor(&self, at: usize) -> Option<Reading> {
        match self.then(at) {
            Word::Nothing => None,
            Word::The if self.then(at + 1) != Word::Nothing => self.simple(at + 1),
            _ => self.simple(at),
        }
    }

    /// "Last", "this past", "this coming"; and where the word after it stands.
    fn selector(&self, at: usize) -> Option<(Which, usize)> {
        match (self.word(at), self.then(at + 1)) {
            (Word::Which(Which::This), Word::Which(which @ (Which::Past | Which::Coming))) => {
                Some((which, at + 2))
            }
            // "Walk past Friday's queue".
            (Word::Which(Which::Past), _) if !self.is_led(at) => None,
            (Word::Which(which), _) => Some((which, at + 1)),
            _ => None,
        }
    }

    /// "The last three weeks", "in the next few days". Without a word before it, "last" may be a verb.
    fn rolling(&self, at: usize, which: Which, next: usize) -> Option<Reading> {
        let amount = self.amount(next)?;
        let unit = self.unit(amount.end)?;
        let span = match which {
            Which::Last if self.is_led(at) => self.up_to_now(unit, amount.high),
            Which::Past => self.up_to_now(unit, amount.high),
            Which::Next | Which::Coming => {
                let last = date_away(self.said_on, unit, i32::from(amount.high))?;
                Some(Span { first: day_away(self.said_on, 1)?, last }).filter(|span| span.first <= span.last)
            }
            _ => None,
        }?;
        relative(span, amount.end + 1)
    }

    /// So many units that end on the day itself.
    fn up_to_now(&self, unit: Unit, count: i16) -> Option<Span> {
        let before = date_away(self.said_on, unit, -i32::from(count))?;
        Some(Span { first: day_away(before, 1)?, last: self.said_on }).filter(|span| span.first <= span.last)
    }

    fn which_unit(&self, which: Which, unit: Unit) -> Option<Span> {
        match (which, unit) {
            // "The last day", "the next day": of something else.
            (_, Unit::Day) => None,
            (Which::Past, Unit::Week | Unit::Month | Unit::Year) => self.up_to_now(unit, 1),
            (Which::Last | Which::Past, _) => unit_away(self.said_on, unit, -1),
            (Which::This, _) | (Which::Coming, Unit::Weekend) => unit_away(self.said_on, unit, 0),
            (Which::Next | Which::Coming, _) => unit_away(self.said_on, unit, 1),
        }
    }

    fn which_weekday(&self, at: usize, which: Which, weekday: Weekday) -> Option<Date> {
        match which {
            Which::Last | Which::Past => weekday_before(self.said_on, weekday),
            Which::Coming => weekday_after(self.said_on, weekday),
            Which::Next => weekday_of_week(self.said_on, weekday, 1),
            Which::This if self.said_on.weekday() == weekday => Some(self.said_on),
            Which::This if self.aim(at) == Aim::Back => weekday_before(self.said_on, weekday),
            Which::This => weekday_after(self.said_on, weekday),
        }
    }

    /// "Last May", "next May 7th"; with a year after it, that one.
    fn which_month(&self, which: Which, month: i8, month_at: usize) -> Option<Reading> {
        if let Some(dated) = self.dated_month(month_at).filter(|dated| !dated.relative) {
            return Some(dated);
        }
        let (this_year, this_month) = (self.said_on.year(), self.said_on.month());
        let year = match which {
            Which::Last | Which::Past if month >= this_month => this_year.checked_sub(1)?,
            Which::Next | Which::Coming if month <= this_month => this_year.checked_add(1)?,
            _ => this_year,
        };
        let day = self.days(month_at + 1).filter(|_| self.then(month_at + 1) != Word::Nothing);
        match day.filter(|_| !self.counts_something(month_at + 1)) {
            Some(days) => relative(days_in(year, month, days)?, month_at + 2),
            None => relative(Span::months(year, month, 1)?, month_at + 1),
        }
    }

    fn which_season(&self, which: Which, season: Season) -> Option<Span> {
        let mut near = self.seasons_near(season);
        let day = self.said_on;
        match which {
            Which::Last | Which::Past => near.rfind(|span| span.last < day),
            Which::Next | Which::Coming => near.find(|span| span.first > day),
            Which::This => near
                .find(|span| span.first <= day && day <= span.last)
                .or_else(|| Span::months(day.year(), season.first_month(), 3)),
        }
    }

    fn which_feast(&self, which: Which, feast_at: usize) -> Option<Reading> {
        let (day, end) = self.feast_day(feast_at)?;
        let date = match which {
            Which::Last | Which::Past => yearly_back(day_away(self.said_on, -1)?, day),
            Which::Next | Which::Coming => yearly_ahead(day_away(self.said_on, 1)?, day),
            Which::This => {
                nearer(self.said_on, yearly_back(self.said_on, day), yearly_ahead(self.said_on, day))
            }
        };
        relative(Span::day(date?), end)
    }

    /// "This morning", "last night".
    fn which_hours(&self, which: Which, at: usize) -> Option<Reading> {
        let days = match (which, self.word(at)) {
            (Which::This, _) => 0,
            (Which::Last, Word::Night | Word::Hours) => -1,
            _ => return None,
        };
        relative(Span::day(day_away(self.said_on, days)?), at + 1)
    }

    /// "Two", "14", "a couple of", "a few".
    fn amount(&self, at: usize) -> Option<Amount> {
        match (self.word(at), self.then(at + 1)) {
            (Word::Number(count), _) => Some(Amount { low: count, high: count, end: at + 1 }),
            (Word::Amount(_, 1), Word::Amount(low, high)) if high > 1 => {
                Some(Amount { low, high, end: self.past(at + 2, Word::Of) })
            }
            (Word::Amount(low, high), _) => Some(Amount { low, high, end: at + 1 }),
            _ => None,
        }
    }

    fn unit(&self, at: usize) -> Option<Unit> {
        match self.then(at) {
            Word::Unit(unit) | Word::Units(unit) => Some(unit),
            _ => None,
        }
    }

    /// Whether a word before this one makes it a time: "the last", "in past", "over the past".
    fn is_led(&self, at: usize) -> bool {
        matches!(self.before(at), Word::The | Word::In | Word::Strong)
    }

    /// The place after "morning" or "night", if one stands here.
    fn past_hours(&self, at: usize) -> usize {
        if matches!(self.then(at), Word::Hours | Word::Night) { at + 1 } else { at }
    }
}

fn relative(span: Span, end: usize) -> Option<Reading> {
    Some(Reading { span, relative: true, end })
}
