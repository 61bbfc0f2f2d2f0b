//! What begins with a digit: numbers, days of a month, and dates that are written in digits alone.

use super::span::Span;
use super::word::Word;
use jiff::civil::Date;

/// Years that a date may have: earlier ones are told of in books, later ones are other numbers.
pub(super) const DATED_YEARS: std::ops::RangeInclusive<i16> = 1000..=2199;
/// Years that a number may be by itself.
pub(super) const BARE_YEARS: std::ops::RangeInclusive<i16> = 1900..=2199;

/// What such a run of characters says; `Nothing` if it is no number that a date could have: `3.5`, `7pm`, `555-0199`.
pub(super) fn read(run: &str) -> Word {
    let digits = run.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = run.split_at(digits);
    match rest.chars().next() {
        None => plain_number(number).map_or(Word::Nothing, Word::Number),
        Some(sign @ ('-' | '–' | '/' | '.')) => signed(run, sign).unwrap_or(Word::Nothing),
        Some(_) => day(run).map_or(Word::Nothing, Word::Ordinal),
    }
}

fn signed(run: &str, sign: char) -> Option<Word> {
    if let Some(date) = year_first(run, sign) {
        return Some(Word::Written(Span::day(date)));
    }
    let mut parts = run.split(sign);
    match (parts.next()?, parts.next()?, parts.next(), parts.next()) {
        (first, second, None, _) if sign == '-' || sign == '–' => pair(first, second),
        (first, second, Some(year), None) => {
            let date = year_last(two_digits(first)?, two_digits(second)?, four_digits(year)?, sign)?;
            Some(Word::Written(Span::day(date)))
        }
        _ => None,
    }
}

/// `2023-05-07` or `2023/05/07`, perhaps with a time after it. With dots it would be a version.
fn year_first(run: &str, sign: char) -> Option<Date> {
    let (date, time) = run.split_at_checked(10)?;
    let mut parts = date.split(sign);
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let shaped = sign != '.' && [year.len(), month.len(), day.len()] == [4, 2, 2];
    let alone = time.is_empty() || time.starts_with(['T', 't']);
    let date = Date::new(four_digits(year)?, two_digits(month)?, two_digits(day)?).ok()?;
    (shaped && alone).then_some(date)
}

/// `13/5/2023` and `5/13/2023`: one of both can be no month, or both are the same. `3.3.2024` may be a version.
fn year_last(first: i8, second: i8, year: i16, sign: char) -> Option<Date> {
    if first > 12 || (first == second && sign != '.') {
        Date::new(year, second, first).ok()
    } else if second > 12 && sign != '.' {
        Date::new(year, first, second).ok()
    } else {
        None
    }
}

/// `5-7` as days, `2019-2021` as years, `2023-05` as a month unless it could be years (`2010-12`).
fn pair(first: &str, second: &str) -> Option<Word> {
    if let (Some(first), Some(second)) = (day(first), day(second)) {
        return (first < second).then_some(Word::Days(first, second));
    }
    let year = four_digits(first)?;
    match second.len() {
        4 => {
            let last = four_digits(second).filter(|last| *last > year)?;
            let both = BARE_YEARS.contains(&year) && BARE_YEARS.contains(&last);
            both.then(|| Span::years(year, last)).flatten().map(Word::Written)
        }
        2 => {
            let month = two_digits(second).filter(|month| i16::from(*month) <= year % 100)?;
            Span::months(year, month, 1).map(Word::Written)
        }
        _ => None,
    }
}

/// `7`, `07` or `7th`.
fn day(written: &str) -> Option<i8> {
    let number =
        ["st", "nd", "rd", "th"].iter().find_map(|ending| written.strip_suffix(ending)).unwrap_or(written);
    two_digits(number).filter(|day| (1..=31).contains(day))
}

fn two_digits(digits: &str) -> Option<i8> {
    if digits.len() > 2 { None } else { plain_number(digits).map(|number| number as i8) }
}

fn four_digits(digits: &str) -> Option<i16> {
    if digits.len() == 4 { plain_number(digits).filter(|year| DATED_YEARS.contains(year)) } else { None }
}

/// At most four digits: longer numbers neither count days nor name years.
fn plain_number(digits: &str) -> Option<i16> {
    let plain = (1..=4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.bytes().fold(0, |sum, digit| sum * 10 + i16::from(digit - b'0')))
}
