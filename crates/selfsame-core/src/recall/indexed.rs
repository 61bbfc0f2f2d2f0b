//! What the index keeps of a text: its words, the days it speaks of, the day it was said on, and its marks.
//!
//! Days are terms beside the words. What a text speaks of is `@2023-05-07`, when it was said is `=2023-05-07`: a question
//! for a day looks up both and weighs them apart. They do not count into the length of the text.

use super::marks::Marks;
use crate::local::show_day;
use crate::text::{TermCounts, count_terms};
use crate::time::civil::Date;
use crate::when::{self, Span};

/// What is kept.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Indexed {
    /// Terms: words and days.
    pub words: TermCounts,
    /// What can be seen of it.
    pub marks: Marks,
}

/// Analyses a text that was said on a day.
pub fn indexed(text: &str, said_on: Date) -> Indexed {
    let mentions = when::mentions(text, said_on);
    let mut words = count_terms(text);
    let days = when::index_terms(&mentions).into_iter().chain(said(said_on));
    for day in days {
        words.counts.insert(day, 1);
    }
    Indexed { words, marks: Marks::of(text, !mentions.is_empty()) }
}

/// Analyses a text that tells of a time from one day to another. A day counts if it is the same day from both ends: what is
/// told of *yesterday* is none, for nobody knows any more which day that was.
pub fn told_of(text: &str, from: Date, until: Date) -> Indexed {
    let late = when::mentions(text, until);
    let mut mentions = when::mentions(text, from);
    mentions.retain(|early| late.iter().any(|late| (late.span, &late.words) == (early.span, &early.words)));
    let mut words = count_terms(text);
    words.counts.extend(when::index_terms(&mentions).into_iter().map(|day| (day, 1)));
    Indexed { words, marks: Marks::of(text, !mentions.is_empty()) }
}

/// What a question for a span looks up to find what was said then; nothing for a year.
pub fn said_in(span: &Span) -> Vec<String> {
    let finer_than_year = |term: &String| term.contains('-');
    let terms = when::lookup_terms(span).into_iter().filter(finer_than_year);
    terms.map(|term| term.replacen('@', "=", 1)).collect()
}

/// Day and month. What was said in a year is too much to be a proposal.
fn said(day: Date) -> [String; 2] {
    [format!("={}", show_day(day)), format!("={:04}-{:02}", day.year(), day.month())]
}
