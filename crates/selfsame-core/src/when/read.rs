//! The grammar: which words in which order are a mention. Here is what walks over the words and what can begin where;
//! dates as they are written are in [`super::written`], what is counted from the day itself in [`super::relative`].
//!
//! Every rule looks at a handful of words ahead, and none calls itself, so that a text costs what its length is.

use super::Mention;
use super::span::{Span, date_away};
use super::token::{Glue, Token};
use super::word::{Aim, Spelling, Unit, Word};
use jiff::civil::Date;

/// All mentions in these words.
pub(super) fn all(tokens: &[Token], said_on: Date) -> Vec<Mention> {
    let aims = aims(tokens);
    let mut reader = Reader { tokens, aims: &aims, said_on, latest: None };
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some(reading) = reader.read(at) else {
            at += 1;
            continue;
        };
        let words = tokens[at].start..tokens[reading.end - 1].end;
        found.push(Mention { span: reading.span, words, relative: reading.relative });
        reader.latest = Some((reading.end, reading.span));
        at = reading.end;
    }
    found
}

/// Which way each sentence looks. To look ahead is said with few words, so these decide.
fn aims(tokens: &[Token]) -> Vec<Aim> {
    let sentences = tokens.last().map_or(0, |token| token.sentence as usize + 1);
    let mut aims = vec![Aim::Unknown; sentences];
    for (at, token) in tokens.iter().enumerate() {
        let aim = &mut aims[token.sentence as usize];
        let next = tokens.get(at + 1).filter(|next| next.glue == Glue::Blank).map(|next| next.word);
        match token.word {
            Word::Looks(Aim::Ahead) => *aim = Aim::Ahead,
            // "Will" is somebody, unless somebody else comes after.
            Word::Will if !token.capital || next == Some(Word::Filler) => *aim = Aim::Ahead,
            Word::Looks(way) if *aim == Aim::Unknown => *aim = way,
            _ => {}
        }
    }
    aims
}

/// What some words say, and at which word it ends.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub(super) span: Span,
    pub(super) relative: bool,
    /// The first word after it.
    pub(super) end: usize,
}

/// The words of a text, and what is needed to understand them.
pub(super) struct Reader<'t> {
    pub(super) tokens: &'t [Token],
    aims: &'t [Aim],
    pub(super) said_on: Date,
    /// Where the mention before ended, and what it was.
    pub(super) latest: Option<(usize, Span)>,
}

impl Reader<'_> {
    /// What begins at this word: the longest of what it could be.
    fn read(&self, at: usize) -> Option<Reading> {
        if self.before(at) == Word::Every {
            return None;
        }
        let reading = longer(self.simple(at), self.beside(at))?;
        Some(self.range(at, reading).unwrap_or(reading))
    }

    /// "From May 5 to June 7, 2022", "between Monday and Friday": with all between, if they are in order.
    fn range(&self, at: usize, first: Reading) -> Option<Reading> {
        let led = matches!(self.before(at), Word::From | Word::Strong);
        if !led || self.then(first.end) != Word::Joining {
            return None;
        }
        let last = Reader { latest: Some((first.end, first.span)), ..*self }.anchor(first.end + 1)?;
        let dated =
            matches!(self.word(at), Word::Month(..) | Word::Number(_) | Word::Ordinal(_) | Word::Days(..));
        // The year is named once, at the end.
        let (begin, relative) = match first.relative && !last.relative && dated {
            true => {
                let years = i32::from(last.span.first.year()) - i32::from(first.span.first.year());
                (date_away(first.span.first, Unit::Year, years)?, false)
            }
            false => (first.span.first, first.relative || last.relative),
        };
        let span = Span { first: begin, last: last.span.last };
        (span.first <= span.last).then_some(Reading { span, relative, end: last.end })
    }

    /// What begins at this word and leans on no other mention.
    pub(super) fn simple(&self, at: usize) -> Option<Reading> {
        match self.word(at) {
            Word::Written(span) => Some(Reading { span, relative: false, end: at + 1 }),
            Word::Number(_) => longer(longer(self.day_then_month(at), self.far_away(at)), self.bare_year(at)),
            Word::Ordinal(_) => self.day_then_month(at).or_else(|| self.day_alone(at)),
            Word::Days(..) => self.day_then_month(at),
            Word::Month(..) => longer(self.dated_month(at), self.bare_month(at)),
            Word::Weekday(..) => longer(self.dated_weekday(at), self.bare_weekday(at)),
            Word::Season(_) => self.season(at),
            Word::Feast(_) | Word::New => self.feast(at),
            Word::DayAway(days) => self.day_word(at, days),
            Word::Amount(..) => self.far_away(at),
            Word::In => self.in_some_time(at),
            Word::Which(_) => self.which(at),
            Word::Part(part) => self.part(at, part),
            Word::Unit(unit) => self.unit_of(at, unit),
            _ => None,
        }
    }

    /// The word at a place; nothing beyond the last.
    pub(super) fn word(&self, at: usize) -> Word {
        self.tokens.get(at).map_or(Word::Nothing, |token| token.word)
    }

    /// The word at a place if only blanks part it from the word before.
    pub(super) fn then(&self, at: usize) -> Word {
        self.glued(at, &[Glue::Blank])
    }

    /// As [`Reader::then`]; a comma may stand between as well.
    pub(super) fn then_or_comma(&self, at: usize) -> Word {
        self.glued(at, &[Glue::Blank, Glue::Comma])
    }

    fn glued(&self, at: usize, by: &[Glue]) -> Word {
        let token = self.tokens.get(at).filter(|token| by.contains(&token.glue));
        token.map_or(Word::Nothing, |token| token.word)
    }

    /// The word before a place if only blanks part them.
    pub(super) fn before(&self, at: usize) -> Word {
        match (self.then(at), at.checked_sub(1)) {
            (Word::Nothing, _) | (_, None) => Word::Nothing,
            (_, Some(before)) => self.word(before),
        }
    }

    /// The place after this one if that word stands here.
    pub(super) fn past(&self, at: usize, word: Word) -> usize {
        if self.then(at) == word { at + 1 } else { at }
    }

    pub(super) fn is_capital(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.capital)
    }

    /// Whether a word is written as what it is to mean: "May" and "Sat", not "may" and "sat".
    pub(super) fn is_spelt_so(&self, at: usize, spelling: Spelling) -> bool {
        self.is_capital(at) || matches!(spelling, Spelling::Sure | Spelling::Name)
    }

    pub(super) fn is_possessive(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.possessive)
    }

    /// Whether a number here most likely counts what follows.
    pub(super) fn counts_something(&self, at: usize) -> bool {
        let unit = matches!(self.then(at + 1), Word::Unit(_) | Word::Units(_));
        unit || self.tokens.get(at).is_some_and(|token| token.noun_after)
    }

    /// Whether "to", "and" or "or" ties this word to the mention before.
    pub(super) fn continues(&self, at: usize) -> bool {
        self.before(at) == Word::Joining && self.latest.is_some_and(|(end, _)| end + 1 == at)
    }

    /// Which way the sentence looks at this word.
    pub(super) fn aim(&self, at: usize) -> Aim {
        let aim = self.tokens.get(at).map_or(Aim::Unknown, |token| self.aims[token.sentence as usize]);
        // "Is in May", "is on Friday", "by the 15th".
        let mut lead_at = at;
        for word in [Word::The, Word::In, Word::On] {
            if self.before(lead_at) == word {
                lead_at -= 1;
            }
        }
        let lead = self.before(lead_at);
        match (aim, lead) {
            (Aim::Unknown, Word::Is | Word::Towards) => Aim::Ahead,
            (aim, _) => aim,
        }
    }
}

/// The one that takes more words; the first if both take as many.
pub(super) fn longer(one: Option<Reading>, other: Option<Reading>) -> Option<Reading> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other.end > one.end { other } else { one }),
        (one, other) => one.or(other),
    }
}
