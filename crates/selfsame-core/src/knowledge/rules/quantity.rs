//! Numbers and dates as people write them.

use super::lexicon::is_about;
use super::line::Line;
use crate::knowledge::vocabulary::Vocabulary;
use std::ops::Range;

/// Words of what is counted, at most.
const LONGEST: usize = 4;

/// What sort of answer a quantity is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    /// A number with a unit, a share, an amount of money.
    Measure,
    /// So many of something.
    Count,
    /// A number and nothing else.
    Bare,
    /// A day, with a time perhaps.
    Date,
}

/// A quantity in a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Quantity {
    pub(super) sort: Sort,
    /// The words that are the answer.
    pub(super) value: Range<usize>,
    /// What is counted.
    pub(super) of: Range<usize>,
}

impl Quantity {
    /// The quantity that begins here, after words such as "about".
    pub(super) fn at(line: &Line, at: usize) -> Option<Quantity> {
        let at = past_about(line, at);
        if let Some(value) = date(line, at) {
            return Some(Quantity { sort: Sort::Date, of: value.end..value.end, value });
        }
        if !is_amount(line, at) || is_version(line, at) {
            return None;
        }
        Some(measure(line, at).or_else(|| share(line, at)).unwrap_or_else(|| count(line, at)))
    }

    /// Where its words end.
    pub(super) fn end(&self) -> usize {
        self.value.end.max(self.of.end)
    }
}

static NUMBERS: Vocabulary = Vocabulary::of(
    "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty",
);

/// A number in digits or in letters.
fn is_amount(line: &Line, at: usize) -> bool {
    line.is_number(at) || NUMBERS.contains(line.word(at))
}

pub(super) fn past_about(line: &Line, at: usize) -> usize {
    at + usize::from(is_about(line.word(at)) || matches!(line.word(at), "a" | "an") && is_scale(line, at))
}

/// "a total of 10".
fn is_scale(line: &Line, at: usize) -> bool {
    line.word(at + 1) == "total" && line.word(at + 2) == "of"
}

/// "v2.5", "5.3.0", "the 3rd".
fn is_version(line: &Line, at: usize) -> bool {
    let word = line.word(at);
    word.matches('.').count() > 1 || ["st", "nd", "rd", "th"].iter().any(|end| word.ends_with(end))
}

static UNITS: Vocabulary = Vocabulary::of(
    "ms milliseconds millisecond seconds second minutes minute hours hour days day weeks week months month \
     years year percent dollars euros pounds usd eur gbp km kilometers kilometres miles meters metres kg \
     kilos kilograms lbs grams mb gb tb kb px bpm words pages points steps calories degrees",
);

/// A number with its unit: "250ms", "$4,500", "78%", "4 hours a day", "1,200 calls per day".
fn measure(line: &Line, at: usize) -> Option<Quantity> {
    let word = line.word(at);
    let glued = line.is_number(at) && word.ends_with(|c: char| c.is_ascii_alphabetic());
    let signed = line.is_money(at) || line.has_percent(at);
    let unit = UNITS.contains(line.word(at + 1)) && !line.ends_at(at);
    if !glued && !signed && !unit {
        return None;
    }
    let end = rate_end(line, at + 1 + usize::from(unit && !glued && !signed));
    Some(Quantity { sort: Sort::Measure, value: at..end, of: end..end })
}

/// After "per day", "a week" if they follow.
fn rate_end(line: &Line, end: usize) -> usize {
    let open = end > 0 && !line.ends_at(end - 1);
    let each =
        matches!(line.word(end), "per" | "a" | "an" | "each" | "every") && is_period(line.word(end + 1));
    match open {
        true if each => end + 2,
        true if matches!(line.word(end), "daily" | "weekly" | "monthly") => end + 1,
        _ => end,
    }
}

fn is_period(word: &str) -> bool {
    matches!(word, "second" | "minute" | "hour" | "day" | "night" | "week" | "month" | "quarter" | "year")
}

/// "4/5", "12 of 20 modules", "8 out of 10".
fn share(line: &Line, at: usize) -> Option<Quantity> {
    let plain = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/');
    if line.word(at).contains('/') && plain(line.word(at)) {
        return Some(Quantity { sort: Sort::Measure, value: at..at + 1, of: at + 1..at + 1 });
    }
    let of = match (line.word(at + 1), line.word(at + 2)) {
        ("of", _) => at + 2,
        ("out", "of") => at + 3,
        _ => return None,
    };
    let of = of + usize::from(matches!(line.word(of), "the" | "my" | "our"));
    line.is_number(of).then(|| {
        let end = of + 1;
        Quantity { sort: Sort::Count, value: at..end, of: counted(line, end) }
    })
}

/// "15 classification problems", or a bare number.
fn count(line: &Line, at: usize) -> Quantity {
    let of = if line.ends_at(at) { at + 1..at + 1 } else { counted(line, at + 1) };
    let each = rate_end(line, of.end);
    match () {
        () if of.is_empty() => Quantity { sort: Sort::Bare, value: at..at + 1, of },
        () if each > of.end => Quantity { sort: Sort::Measure, value: at..each, of: each..each },
        () => Quantity { sort: Sort::Count, value: at..at + 1, of },
    }
}

/// The words of what is counted: up to the first word in the plural.
fn counted(line: &Line, from: usize) -> Range<usize> {
    for at in from..from + LONGEST {
        let word = line.word(at);
        if !word.starts_with(|c: char| c.is_alphabetic()) || is_small(word) {
            break;
        }
        if is_plural(word) && !is_plural(line.word(at + 1)) {
            return from..at + 1;
        }
        if line.ends_at(at) {
            break;
        }
    }
    from..from
}

fn is_plural(word: &str) -> bool {
    word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && !word.ends_with("'s")
        && !word.ends_with("us")
}

static SMALL: Vocabulary = Vocabulary::of(
    "of in on at for with to from by and or but the a an is are was were has have had that which as than per \
     this these those i we my our you it so after before",
);

fn is_small(word: &str) -> bool {
    SMALL.contains(word)
}

static MONTHS: Vocabulary = Vocabulary::of(
    "january february march april may june july august september october november december jan feb mar apr \
     jun jul aug sep sept oct nov dec",
);

static WEEKDAYS: Vocabulary = Vocabulary::of("monday tuesday wednesday thursday friday saturday sunday");

/// "April 5, 2024", "5 April", "Friday at 3 PM", "next Monday", "2024-04-05", "June 2025".
pub(super) fn date(line: &Line, at: usize) -> Option<Range<usize>> {
    let from = at + usize::from(line.word(at) == "the" && is_ordinal(line.word(at + 1)));
    let first =
        from + usize::from(matches!(line.word(from), "next" | "this" | "early" | "mid" | "late" | "end"));
    let day = |at: usize| line.is_number(at) && line.word(at).len() <= 4;
    let mut end = match line.word(first) {
        word if is_written_day(word) => first + 1,
        word if WEEKDAYS.contains(word) => {
            first
                + 1
                + usize::from(MONTHS.contains(line.word(first + 1)))
                + usize::from(MONTHS.contains(line.word(first + 1)) && day(first + 2))
        }
        // "May" and "March" are words as well.
        word if MONTHS.contains(word) && (line.is_capital(first) || day(first + 1)) => {
            first + 1 + usize::from(day(first + 1))
        }
        _ if day(first) && MONTHS.contains(line.word(first + 1)) => first + 2,
        _ if day(first) && line.word(first + 1) == "of" && MONTHS.contains(line.word(first + 2)) => first + 3,
        _ => return None,
    };
    if line.word(end).len() == 4 && line.is_number(end) {
        end += 1;
    }
    Some(from..clock_end(line, end))
}

fn is_ordinal(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
        && ["st", "nd", "rd", "th"].iter().any(|end| word.ends_with(end))
}

fn is_written_day(word: &str) -> bool {
    word.len() == 10
        && word.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// After "at 3 PM", "at 10:30".
fn clock_end(line: &Line, end: usize) -> usize {
    let at = end + usize::from(line.word(end) == "at");
    if !line.is_number(at) || line.word(end) != "at" {
        return end;
    }
    let minutes = at + 1 + usize::from(line.is_clock(at));
    minutes + usize::from(matches!(line.word(minutes), "am" | "pm"))
}
