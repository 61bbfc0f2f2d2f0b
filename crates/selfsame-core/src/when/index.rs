//! What a span is indexed by and looked up by: `@2023`, `@2023-05`, `@2023-05-07`.
//!
//! No word of a text gives such a term: the analyser ([`crate::text`]) keeps letters, digits, emoji and the signs of
//! `C++`, `C#` and `.NET`, but takes an `@` as a break between words.

use super::Mention;
use super::span::{Span, day_away, month_away};
use super::word::Unit;
use crate::local::show_day;
use jiff::civil::Date;

/// Terms of one text, at most; the first mentions come first. A span has 14 at most (twelve months in two years).
pub const MAX_TERMS: usize = 64;

/// A span of no more days than these is known by its days.
const MAX_DAYS: i32 = 7;
/// One of no more months, by its months.
const MAX_MONTHS: i32 = 12;
/// Any other by its years: the latest ones, since more is remembered of them.
const MAX_YEARS: i16 = 5;

/// What a span in a stored text is indexed by: its days if it is a week or less, its months if it is a year or less and
/// not a year itself, and its years, the last five.
pub fn terms(span: &Span) -> Vec<String> {
    let mut found = Vec::new();
    if fineness(span) == Unit::Day {
        found.extend(days(span));
    }
    if fineness(span) != Unit::Year {
        found.extend(months(span));
    }
    found.extend(years(span));
    found
}

/// What a span in a question is looked up by: only the finest of its [`terms`]. A month asks for the month, so that it
/// finds every day in it and not what is said of the whole year.
pub fn lookup_terms(span: &Span) -> Vec<String> {
    match fineness(span) {
        Unit::Day => days(span).collect(),
        Unit::Month => months(span).collect(),
        _ => years(span).collect(),
    }
}

/// What a stored text with these mentions is indexed by, each term once: the first [`MAX_TERMS`].
pub fn index_terms(mentions: &[Mention]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for term in mentions.iter().flat_map(|mention| terms(&mention.span)) {
        if found.len() == MAX_TERMS {
            break;
        }
        if !found.contains(&term) {
            found.push(term);
        }
    }
    found
}

/// Day, month or year: the finest terms that a span is given.
fn fineness(span: &Span) -> Unit {
    if span.len() <= MAX_DAYS {
        Unit::Day
    } else if span.month_count() <= MAX_MONTHS && !span.is_whole_years() {
        Unit::Month
    } else {
        Unit::Year
    }
}

fn days(span: &Span) -> impl Iterator<Item = String> {
    let (first, count) = (span.first, span.len());
    (0..count).filter_map(move |day| day_away(first, day)).map(|day| format!("@{}", show_day(day)))
}

fn months(span: &Span) -> impl Iterator<Item = String> {
    let (first, count) = (span.first, span.month_count());
    let show = |month: Date| format!("@{:04}-{:02}", month.year(), month.month());
    (0..count).filter_map(move |month| month_away(first, month)).map(show)
}

fn years(span: &Span) -> impl Iterator<Item = String> {
    let first = span.first.year().max(span.last.year().saturating_sub(MAX_YEARS - 1));
    (first..=span.last.year()).map(|year| format!("@{year:04}"))
}
