//! When: which days a text speaks of, as spans of days and as index terms, so that "what did we do in May?" finds what
//! was said of "last Friday".
//!
//! A text is read against the day it was said on. Questions are read by the same function, against today. What is read
//! are words and their order (`word.rs`, in English `english.rs`); there is no model and no guess beyond these rules:
//!
//! - A week is Monday to Sunday, a weekend its last two days. *Last*, *this* and *next* week, month and year are those of
//!   the calendar; *the past week* and *the last three weeks* end on the day itself.
//! - `N units ago`, `in N units`: the day, or the whole week, month or year, that far away. *A couple* is 2 to 3, *a few*
//!   2 to 5, *several* 3 to 7, and the span is as much wider.
//! - A weekday by itself is the last one before that day (one to seven days back), or the next one after it if the
//!   clause looks ahead (`will`, `going to`, `by Friday`, `is on Friday`). *Last Friday* is always the former. *This
//!   Friday* is the one to come, today included; *next Friday* is in the week after this one.
//! - A month without a year is the last that has begun, or the next that has not ended if the clause looks ahead.
//!   *Last May* and *next May* leave out the month that is going on, *this May* is in the year that is.
//! - A day without a year (`May 7`) and a feast (`Christmas`) are the nearest; to look ahead or back (`was`, `went`)
//!   tips the scales, up to nine months. A day without a month (`on the 15th`) is read as a month without a year is.
//! - Seasons are those of the weather service in the north: summer is June to August, winter begins in December of the
//!   year it is named by. Early, mid and late are the thirds of a month (to the 10th, to the 20th), season or year.
//! - Numbers alone are dates if they can mean one day only: `2023-05-07`, `13/5/2023`, `5/13/2023`, `5/5/2023`.
//!   `5/7/2023` is two days, and `3.11.2024` may be a version: neither is read.
//! - A number is a year from 1900 to 2199 where a word makes it one (`in 2022`, `the year 2022`, `late 2022`).
//! - What is also another word or a name (`may`, `march`, `April`, `sat`) needs a date or a preposition beside it.
//!   What happens every Friday or on Fridays speaks of no day.
//!
//! Not read: times of day, movable feasts, decades, quarters, days by their word ("the first of May"), years of two digits,
//! whatever counts from an event ("the day after the party"), and other languages.
//!
//! What a stored text is indexed by is [`terms`]; what a question looks up is [`lookup_terms`]. Nothing here scores.

mod english;
mod index;
mod numeral;
mod read;
mod relative;
mod span;
mod token;
mod word;
mod written;

use jiff::civil::Date;
use std::ops::Range;

pub use index::{MAX_TERMS, index_terms, lookup_terms, terms};
pub use span::Span;

/// Some words of a text that speak of days.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mention {
    /// The days.
    pub span: Span,
    /// Where the words stand in the text, in bytes. A preposition that only leads to them is left out.
    pub words: Range<usize>,
    /// Whether they mean other days when said on another day.
    pub relative: bool,
}

/// The days that a text speaks of, said on that day, in order of place and without overlaps. Of two readings from the
/// same word on, the longer is meant. What lies beyond the calendar (years -9999 to 9999) is left out.
///
/// A question is read the same way, on the day it is asked.
pub fn mentions(text: &str, said_on: Date) -> Vec<Mention> {
    let tokens = token::tokens(text, &english::ENGLISH);
    if tokens.iter().any(|token| token.word.can_date()) { read::all(&tokens, said_on) } else { Vec::new() }
}

/// Whether a word, in lower case, tells a time, or which of several: a day, a month, a season, *evening*, *next*, *before*.
pub fn tells_time(word: &str) -> bool {
    english::ENGLISH.word(word.as_bytes()).tells_time()
}
