//! What a word can mean for a date, whatever the language: the table of a language maps spellings to these, and the
//! grammar reads nothing else.

use super::span::Span;
use jiff::civil::Weekday;

/// What a word says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    /// No word: the text ends here, or something else stands between.
    Nothing,
    /// A date, month or range of years in digits.
    Written(Span),
    /// Up to four digits.
    Number(i16),
    /// `7th`: the day of a month.
    Ordinal(i8),
    /// `5-7`: days of a month.
    Days(i8, i8),
    /// A month from 1, and how sure it is that one is meant.
    Month(i8, Spelling),
    Weekday(Weekday, Spelling),
    Season(Season),
    Feast(Feast),
    /// The first word of "New Year".
    New,
    /// The evening before a feast.
    Eve,
    /// Yesterday, today, tomorrow: days from the day itself.
    DayAway(i8),
    /// One day, week...
    Unit(Unit),
    /// Days, weeks...
    Units(Unit),
    /// Morning, afternoon, evening.
    Hours,
    Night,
    /// How many: from, to.
    Amount(i16, i16),
    Which(Which),
    Part(Part),
    Ago,
    Before,
    After,
    From,
    Now,
    In,
    On,
    Of,
    The,
    /// To, and, or: after a date comes another.
    Joining,
    /// A preposition after which a month or a year is meant: since, during.
    Strong,
    /// One after which other things are meant as well: around.
    Weak,
    /// A preposition that looks ahead unless the clause looks back: by, until.
    Towards,
    /// Each, every: no certain day.
    Every,
    /// What makes a feast of a weekday that it does not name: Good Friday.
    Named,
    /// Is, are: with a date after it, one to come.
    Is,
    /// The clause looks that way.
    Looks(Aim),
    /// A word that may be a name, or look ahead if somebody is named after it: Will.
    Will,
    /// My, our, her.
    Whose,
    /// But, so, which: after a comma another thought begins.
    But,
    /// I, we, that: a new thought begins, so that a number before it counts nothing.
    Filler,
}

impl Word {
    /// Whether it takes this word or one like it to speak of days: a text without any need not be read.
    pub(super) fn can_date(self) -> bool {
        matches!(
            self,
            Word::Written(_)
                | Word::Number(_)
                | Word::Ordinal(_)
                | Word::Month(..)
                | Word::Weekday(..)
                | Word::Season(_)
                | Word::Feast(_)
                | Word::DayAway(_)
                | Word::Unit(_)
                | Word::Units(_)
                | Word::Hours
                | Word::Night
        )
    }

    /// Whether two facts that differ in it are two: it tells a time, or which of several. *This* points at other things too.
    pub(super) fn tells_time(self) -> bool {
        match self {
            Word::Month(..) | Word::Weekday(..) | Word::Season(_) | Word::Feast(_) | Word::DayAway(_) => true,
            Word::Unit(_) | Word::Units(_) | Word::Hours | Word::Night => true,
            Word::Before | Word::After => true,
            Word::Which(which) => which != Which::This,
            _ => false,
        }
    }
}

/// How sure it is that a spelling means what it spells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spelling {
    /// Nothing else is written so.
    Sure,
    /// A name as well: April.
    Name,
    /// A verb or a noun as well: may.
    Other,
    /// Short for it: Sep, Sat.
    Short,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Season {
    Spring,
    Summer,
    Autumn,
    /// Spelt as a verb is: "in the fall" may hurt.
    Fall,
    Winter,
}

impl Season {
    pub(super) fn first_month(self) -> i8 {
        match self {
            Season::Spring => 3,
            Season::Summer => 6,
            Season::Autumn | Season::Fall => 9,
            Season::Winter => 12,
        }
    }
}

/// A feast on the same day of every year.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Feast {
    Christmas,
    Boxing,
    NewYear,
    Valentine,
    Patrick,
    Halloween,
}

impl Feast {
    /// Month and day.
    pub(super) fn day(self) -> (i8, i8) {
        match self {
            Feast::NewYear => (1, 1),
            Feast::Valentine => (2, 14),
            Feast::Patrick => (3, 17),
            Feast::Halloween => (10, 31),
            Feast::Christmas => (12, 25),
            Feast::Boxing => (12, 26),
        }
    }

    /// Month and day of its eve, where people speak of one.
    pub(super) fn eve(self) -> Option<(i8, i8)> {
        match self {
            Feast::NewYear => Some((12, 31)),
            Feast::Christmas => Some((12, 24)),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    Day,
    Week,
    Weekend,
    Month,
    Year,
}

/// Which one of many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Which {
    Last,
    /// "The past week": up to now.
    Past,
    This,
    Next,
    /// "This coming Friday": the nearest.
    Coming,
}

/// Which third of a span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Early,
    Mid,
    Late,
    /// As a noun, "the beginning of", it needs the "of".
    BeginningOf,
    MiddleOf,
    EndOf,
}

/// Which way a clause looks from the day it was said on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Aim {
    Ahead,
    Back,
    Unknown,
}
