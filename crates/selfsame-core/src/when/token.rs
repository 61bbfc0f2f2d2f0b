//! A text as the words that matter for dates, each with its place and what stands between it and the one before.
//!
//! Every message passes here, most of them without a date in it: one pass over the bytes, nothing allocated for a word.

use super::numeral;
use super::word::{Spelling, Word};

/// What there is to know of a language.
pub(super) struct Language {
    /// Spellings in lower case, sorted, so that a word is found by halving.
    pub(super) words: &'static [(&'static str, Word)],
    /// What stands before an apostrophe (nothing if it does not matter) and after it.
    pub(super) endings: &'static [(&'static str, &'static str, Word)],
}

impl Language {
    /// What a word in lower case says.
    pub(super) fn word(&self, lower: &[u8]) -> Word {
        let found = self.words.binary_search_by(|(known, _)| known.as_bytes().cmp(lower));
        found.map_or(Word::Nothing, |place| self.words[place].1)
    }
}

/// Bytes of the longest word in a table: a longer one need not be looked for.
pub(super) const LONGEST_WORD: usize = 9;

/// A word that matters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) word: Word,
    pub(super) start: usize,
    pub(super) end: usize,
    /// What stands between the word before and this one.
    pub(super) glue: Glue,
    /// Written with a capital.
    pub(super) capital: bool,
    /// With an 's.
    pub(super) possessive: bool,
    /// A word in lower case follows that does not matter: after a number most likely what is counted.
    pub(super) noun_after: bool,
    /// First in its sentence, where every word has a capital.
    pub(super) opens: bool,
    /// The number of its clause: a sentence, or what comes after ", and".
    pub(super) clause: u32,
}

/// What stands between two words that matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Glue {
    /// Blanks, or the hyphen of "mid-May".
    Blank,
    Comma,
    /// Other words or signs.
    Apart,
}

/// The words of a text that matter.
pub(super) fn tokens(text: &str, language: &Language) -> Vec<Token> {
    let mut scan =
        Scan { text, language, at: 0, glue: Glue::Apart, sign: Sign::Stop, clause: 0, tokens: Vec::new() };
    while scan.skip_signs() {
        scan.take_run();
    }
    scan.tokens
}

struct Scan<'t> {
    text: &'t str,
    language: &'t Language,
    /// Where the next character stands.
    at: usize,
    /// What stood between the last token and here.
    glue: Glue,
    /// The last sign that matters since the last word of any kind.
    sign: Sign,
    clause: u32,
    tokens: Vec<Token>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    None,
    Comma,
    /// What ends a sentence, and the beginning of the text.
    Stop,
}

impl Scan<'_> {
    /// Goes to the next letter or digit; `false` at the end of the text.
    fn skip_signs(&mut self) -> bool {
        while let Some(c) = self.char_at(self.at) {
            if is_run(c) {
                return true;
            }
            self.at += c.len_utf8();
            self.note_sign(c);
        }
        false
    }

    fn note_sign(&mut self, c: char) {
        let ends_sentence =
            matches!(c, '.' | '!' | '?' | '…') && self.char_at(self.at).is_none_or(char::is_whitespace);
        if c == '\n' || ends_sentence {
            self.clause += 1;
            self.sign = Sign::Stop;
        } else if c == ',' && self.sign == Sign::None {
            self.sign = Sign::Comma;
        }
        self.glue = match (c, self.glue) {
            ('\n', _) => Glue::Apart,
            (',', Glue::Blank) => Glue::Comma,
            (_, glue) if c.is_whitespace() => glue,
            _ => Glue::Apart,
        };
    }

    /// Takes letters and digits, with the signs that can stand inside a word or a number.
    fn take_run(&mut self) {
        let start = self.at;
        let mut letters = true;
        while self.text.as_bytes().get(self.at).is_some_and(u8::is_ascii_alphabetic) {
            self.at += 1;
        }
        while let Some(c) = self.char_at(self.at) {
            if !is_run(c) && !self.is_inside(c) {
                break;
            }
            letters &= c.is_ascii_alphabetic();
            self.at += c.len_utf8();
        }
        if self.touches_a_sign(start) {
            self.pass_over(start);
        } else if letters {
            let word = self.look_up(start, self.at);
            self.push_or_pass(word, start, self.at);
        } else {
            self.take_signed(start);
        }
        self.sign = Sign::None;
    }

    /// A run that is more than letters: a number, a word with an apostrophe, words with a hyphen or a slash.
    fn take_signed(&mut self, start: usize) {
        let run = &self.text[start..self.at];
        if run.starts_with(|c: char| c.is_ascii_digit()) {
            self.push_or_pass(numeral::read(run), start, self.at);
        } else if let Some((head, tail)) = run.split_once(['\'', '’']) {
            self.take_apostrophe(start, start + head.len(), tail);
        } else if let Some(sign) = run.find(['-', '/']) {
            self.take_pair(start, start + sign);
        } else {
            self.pass_over(start);
        }
    }

    fn take_apostrophe(&mut self, start: usize, end: usize, tail: &str) {
        let head = &self.text[start..end];
        let ends = |(before, after, _): &&(&str, &str, Word)| {
            tail.eq_ignore_ascii_case(after) && (before.is_empty() || head.eq_ignore_ascii_case(before))
        };
        if let Some((_, _, word)) = self.language.endings.iter().find(ends) {
            self.push(*word, start, end);
        } else if tail.eq_ignore_ascii_case("s") {
            let word = self.look_up(start, end);
            self.push_or_pass(word, start, end);
            if let Some(token) = self.tokens.last_mut().filter(|token| token.start == start) {
                token.possessive = true;
            }
        } else {
            self.pass_over(start);
        }
    }

    /// `mid-May`, `late-2022`, `Friday/Saturday`; all else that is put together so is another word.
    fn take_pair(&mut self, start: usize, sign: usize) {
        let (second, end) = (sign + 1, self.at);
        let first_word = self.look_up(start, sign);
        let second_word = match self.text[second..end].starts_with(|c: char| c.is_ascii_digit()) {
            true => numeral::read(&self.text[second..end]),
            false => self.look_up(second, end),
        };
        match (first_word, second_word) {
            (Word::Part(_), Word::Month(..) | Word::Number(_) | Word::Season(_)) => {
                self.push(first_word, start, sign);
                self.push(second_word, second, end);
            }
            (Word::Weekday(..), Word::Weekday(..)) => {
                self.push(first_word, start, sign);
                self.glue = Glue::Apart;
                self.push(second_word, second, end);
            }
            _ => self.pass_over(start),
        }
    }

    fn push_or_pass(&mut self, word: Word, start: usize, end: usize) {
        match word {
            Word::Nothing => self.pass_over(start),
            word => self.push(word, start, end),
        }
    }

    fn push(&mut self, word: Word, start: usize, end: usize) {
        let capital = self.text.as_bytes()[start].is_ascii_uppercase();
        if self.sign == Sign::Comma && matches!(word, Word::Joining | Word::But) {
            self.clause += 1;
        }
        let (glue, clause, opens) = (self.glue, self.clause, self.sign == Sign::Stop);
        let (possessive, noun_after) = (false, false);
        self.tokens.push(Token { word, start, end, glue, capital, possessive, noun_after, opens, clause });
        self.glue = Glue::Blank;
        let short = matches!(word, Word::Month(_, Spelling::Short) | Word::Weekday(_, Spelling::Short));
        // "Sept. 7": the stop ends no sentence. "two weeks' time": the apostrophe ends no thought.
        let after = self.char_at(self.at);
        if (short && after == Some('.')) || matches!(after, Some('\'' | '’')) {
            self.at += after.map_or(0, char::len_utf8);
        }
    }

    /// The run is a word that does not matter.
    fn pass_over(&mut self, start: usize) {
        let lower = self.text[start..].starts_with(char::is_lowercase);
        if let Some(token) = self.tokens.last_mut().filter(|_| lower && self.glue == Glue::Blank) {
            token.noun_after = true;
        }
        self.glue = Glue::Apart;
    }

    fn look_up(&self, start: usize, end: usize) -> Word {
        let written = &self.text.as_bytes()[start..end];
        let mut lower = [0; LONGEST_WORD];
        let Some(lower) = lower.get_mut(..written.len()) else {
            return Word::Nothing;
        };
        lower.copy_from_slice(written);
        lower.make_ascii_lowercase();
        self.language.word(lower)
    }

    /// Whether the run is part of something else: `$2022`, `#5`, `/2023`, `50%`.
    fn touches_a_sign(&self, start: usize) -> bool {
        let number = self.text.as_bytes()[start].is_ascii_digit();
        let before = match self.text[..start].chars().next_back() {
            Some('$' | '€' | '£' | '#' | '@' | '/' | '\\' | '=' | '&') => true,
            Some('.' | '-' | '+' | '%') => number,
            _ => false,
        };
        before || matches!(self.char_at(self.at), Some('%' | '$' | '€' | '£' | '°' | '=' | '\\' | '@'))
    }

    /// Whether a sign at this place is inside a word or number, since another letter or digit follows it.
    fn is_inside(&self, sign: char) -> bool {
        let inside = match sign {
            '\'' | '’' | '-' | '/' | '.' | ':' | '@' | '+' => true,
            // Between words it is a dash.
            '–' => self.text[..self.at].ends_with(|c: char| c.is_ascii_digit()),
            _ => false,
        };
        inside && self.char_at(self.at + sign.len_utf8()).is_some_and(is_run)
    }

    fn char_at(&self, at: usize) -> Option<char> {
        match self.text.as_bytes().get(at) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            Some(_) => self.text[at..].chars().next(),
            None => None,
        }
    }
}

/// What words and numbers are made of. With an underscore inside it is a name in code.
fn is_run(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || (!c.is_ascii() && c.is_alphanumeric())
}
