//! Text: the analyser that turns content into index terms, and the check that content must pass to be stored.
//!
//! Both database engines index the terms made here, so that the same words find the same memories on both.
//! No scoring lives here, and stop words stay in: BM25 weighs them down by itself.
//!
//! What counts as the same word:
//! - Letter case, width and compatibility forms (NFKC), and accents: `Café` is `cafe`. The general accents are dropped
//!   from every letter, so `ü` is `u` (not `ue`), Cyrillic `й` is `и` and `ё` is `е`. Letters that only look accented
//!   have their usual spelling: `ß` ss, `æ` ae, `œ` oe, `ø` o, `ł` l, `đ` `ð` d, `þ` th, `ı` i, final `ς` σ.
//! - Marks that writers may leave out: Hebrew points, Arabic vowel and hamza marks, tatweel. Marks that are letters in
//!   effect stay: Indic and Thai vowel signs, kana voicing (`が` is not `か`).
//! - Arabic, Persian, Devanagari, Bengali and Thai digits are ASCII digits; `1,000` is 1000.
//! - Words of ASCII letters (after all this) are stemmed as English. `'s` is dropped, other apostrophes are closed up:
//!   `don't` is `dont`; what follows is a term of its own if it has three letters (`l'école`: lecol, ecol).
//!
//! What is found by the whole and by its parts: `kebab-case`, `snake_case`, `node.js`, `a.b@c.io` and `2026-11-15` (also
//! with slashes), `21:43`: each part, then all parts closed up. `4pm`: 4, pm, 4pm; `7th`: 7, 7th. `C++`, `C#` and `.NET`
//! give both the word and the word with its signs. `3.5` and `1.2.3` are one term.
//!
//! Scripts without spaces (Han, kana, Hangul, Thai, Lao, Khmer, Myanmar) become overlapping pairs of characters; only a
//! character standing alone is a term by itself, so a search for one character finds just those. Emoji are terms, without
//! skin tone; one made of several is those several.

use std::collections::BTreeMap;

use rust_stemmers::{Algorithm, Stemmer};
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

/// Stored with every index. Raise it with any change to what [`terms`] gives (a new Unicode version of a dependency
/// included), since terms of two versions do not find each other: an index of another version is built anew.
pub const ANALYSER_VERSION: i64 = 1;

/// How an agent's index was written: another analyser makes another index, and so does a change of what is stored of each
/// text (raise the last number then). An index of another version is built anew from its rows when a mind is opened.
pub const INDEX_VERSION: i64 = 1000 * ANALYSER_VERSION + 2;

/// A longer term is cut to this many bytes, and told from its like by a hash.
const MAX_TERM_BYTES: usize = 64;

/// How often each term occurs in a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TermCounts {
    /// Occurrences of each term.
    pub counts: BTreeMap<String, u32>,
    /// The number of terms, repetitions counted: the text's length for BM25.
    pub len: u32,
}

/// Counts the [`terms`] of a text.
pub fn count_terms(text: &str) -> TermCounts {
    let mut counted = TermCounts::default();
    for term in terms(text) {
        let count = counted.counts.entry(term).or_default();
        *count = count.saturating_add(1);
        counted.len = counted.len.saturating_add(1);
    }
    counted
}

/// The index terms of a text in order of appearance, as the head of this module describes them.
/// Terms are never empty and have at most 73 bytes. Texts apart by white space are analysed apart:
/// `terms("a b")` is `terms("a")` and then `terms("b")`.
pub fn terms(text: &str) -> Vec<String> {
    let folded = fold(text);
    let pieces = pieces(&folded);
    let mut found = Terms { terms: Vec::new(), stemmer: Stemmer::create(Algorithm::English) };
    let mut at = 0;
    while at < pieces.len() {
        at = found.take(&pieces, at);
    }
    found.terms
}

/// The words of a text as they stand, folded and not stemmed, with the signs that carry meaning: for telling whether two
/// texts say the same. Punctuation that only sets words apart is left out.
pub fn words(text: &str) -> Vec<String> {
    let folded = fold(text);
    let pieces = pieces(&folded);
    let mut found = Vec::new();
    for (place, piece) in pieces.iter().enumerate() {
        match piece {
            Word(word) => found.push(word.replace('\'', "")),
            Unspaced(unit) => found.push(unit.clone()),
            Flag(flag) => found.push((*flag).to_owned()),
            Sign('-' | '\u{2212}') if is_number_sign(&pieces, place) => found.push("-".to_owned()),
            Sign(sign) if sign.is_whitespace() || sign.is_control() || is_separator(*sign) => {}
            Sign(sign) => found.push(sign.to_string()),
        }
    }
    found
}

/// A minus before a number and after no word: `-5`, but not `2026-11`.
fn is_number_sign(pieces: &[Piece<'_>], place: usize) -> bool {
    let before_number =
        matches!(pieces.get(place + 1), Some(Word(word)) if word.starts_with(|c: char| c.is_ascii_digit()));
    let after_word = place.checked_sub(1).is_some_and(|before| matches!(pieces[before], Word(_)));
    before_number && !after_word
}

/// Punctuation that sets words apart and says nothing more.
fn is_separator(sign: char) -> bool {
    ".,;:!'\"()[]{}`/\\_|*-".contains(sign)
        || matches!(sign, '\u{2010}'..='\u{2015}' | '\u{2018}'..='\u{201f}' | '\u{2026}' | '\u{2022}' | '\u{2212}'
            | '«' | '»' | '‹' | '›' | '·' | '¡' | '\u{3000}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{30fb}')
}

/// A word of ASCII letters without its English endings; others as they are.
pub fn stem(word: &str) -> String {
    let mut found = Terms { terms: Vec::new(), stemmer: Stemmer::create(Algorithm::English) };
    found.stemmed(word);
    found.terms.pop().unwrap_or_default()
}

/// Why a text cannot be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextProblem {
    /// Nothing that can be seen.
    #[error("the text is empty; write at least one visible character")]
    Empty,
    /// A NUL character: PostgreSQL cannot store it, so no engine does.
    #[error("the text has a NUL character (U+0000); remove it")]
    Nul,
    /// More bytes than allowed.
    #[error("the text has {bytes} bytes and may have {max}; shorten it or store it in parts")]
    TooLong {
        /// Bytes of UTF-8 that were given.
        bytes: usize,
        /// Bytes of UTF-8 that are allowed.
        max: usize,
    },
}

impl TextProblem {
    /// A name that programs may rely on.
    pub const fn code(&self) -> &'static str {
        match self {
            TextProblem::Empty => "empty_text",
            TextProblem::Nul => "nul_not_allowed",
            TextProblem::TooLong { .. } => "text_too_long",
        }
    }
}

/// Whether a text may be stored. All that passes is stored as it is: control and bidi characters too.
pub fn check_text(text: &str, max_bytes: usize) -> Result<(), TextProblem> {
    if text.len() > max_bytes {
        return Err(TextProblem::TooLong { bytes: text.len(), max: max_bytes });
    }
    if text.contains('\0') {
        return Err(TextProblem::Nul);
    }
    if text.chars().all(|c| c.is_whitespace() || c.is_control() || is_invisible(c)) {
        return Err(TextProblem::Empty);
    }
    Ok(())
}

/// What the folded text consists of.
enum Piece<'a> {
    /// Letters and digits, perhaps with an apostrophe inside or a decimal point between digits.
    Word(String),
    /// One character, with its marks, of a script without spaces.
    Unspaced(String),
    /// A flag.
    Flag(&'a str),
    /// Anything else: signs, white space, emoji.
    Sign(char),
}

use Piece::{Flag, Sign, Unspaced, Word};

fn pieces(folded: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for segment in folded.split_word_bounds() {
        if segment.chars().all(is_regional_indicator) {
            pieces.push(Flag(segment));
        } else {
            split_segment(segment, &mut pieces);
        }
    }
    pieces
}

/// Splits what stands between two Unicode word boundaries. Their rules keep `node.js`, `snake_case` and `a급` whole;
/// here such a word comes apart, its signs kept so that [`compound`] can close it up again.
fn split_segment(segment: &str, pieces: &mut Vec<Piece<'_>>) {
    let mut word = String::new();
    let mut chars = segment.chars();
    while let Some(c) = chars.next() {
        let next = chars.clone().next();
        if is_combining_mark(c) {
            add_mark(c, &mut word, pieces);
        } else if is_unspaced(c) {
            end_word(&mut word, pieces);
            pieces.push(Unspaced(c.to_string()));
        } else if c.is_alphanumeric() || is_inner(c, &word, next) {
            word.push(c);
        } else if !is_thousands_comma(c, &word, chars.as_str()) {
            end_word(&mut word, pieces);
            pieces.push(Sign(c));
        }
    }
    end_word(&mut word, pieces);
}

fn end_word(word: &mut String, pieces: &mut Vec<Piece<'_>>) {
    if !word.is_empty() {
        pieces.push(Word(std::mem::take(word)));
    }
}

/// A mark belongs to the character before it; without one it says nothing.
fn add_mark(mark: char, word: &mut String, pieces: &mut [Piece<'_>]) {
    if !word.is_empty() {
        word.push(mark);
    } else if let Some(Unspaced(unit)) = pieces.last_mut() {
        unit.push(mark);
    }
}

/// An apostrophe between letters, or a point between digits.
fn is_inner(c: char, word: &str, next: Option<char>) -> bool {
    let (Some(before), Some(after)) = (word.chars().next_back(), next) else {
        return false;
    };
    match c {
        '\'' => before.is_alphabetic() && after.is_alphabetic(),
        '.' => before.is_ascii_digit() && after.is_ascii_digit(),
        _ => false,
    }
}

/// `1,000` but not `1,2`: exactly three digits follow.
fn is_thousands_comma(c: char, word: &str, rest: &str) -> bool {
    let digits = rest.bytes().take(4).take_while(u8::is_ascii_digit).count();
    c == ',' && digits == 3 && word.ends_with(|before: char| before.is_ascii_digit())
}

/// Makes terms of pieces.
struct Terms {
    terms: Vec<String>,
    stemmer: Stemmer,
}

impl Terms {
    /// Takes what begins at `at` and gives where the next thing begins.
    fn take(&mut self, pieces: &[Piece<'_>], at: usize) -> usize {
        match &pieces[at] {
            Word(first) => {
                let words = compound(first, &pieces[at + 1..]);
                let end = at + 2 * words.len() - 1;
                self.compound(&words);
                self.signed(&words, &pieces[..at], &pieces[end..]);
                end
            }
            Unspaced(_) => {
                let run = pieces[at..]
                    .iter()
                    .map_while(|piece| if let Unspaced(unit) = piece { Some(unit) } else { None });
                let run: Vec<&String> = run.collect();
                self.pairs(&run);
                at + run.len()
            }
            Flag(flag) => {
                self.push(flag);
                at + 1
            }
            Sign(sign) => {
                if is_emoji(*sign) {
                    self.push(sign.encode_utf8(&mut [0; 4]));
                }
                at + 1
            }
        }
    }

    /// Each part, and then all of them closed up.
    fn compound(&mut self, words: &[&str]) {
        for word in words {
            self.word(word);
        }
        if words.len() > 1 {
            let whole: String = words.iter().map(|word| without_apostrophes(word)).collect();
            self.stemmed(&whole);
        }
    }

    fn word(&mut self, word: &str) {
        if let Some((number, unit)) = split_unit(word) {
            self.push(number);
            if !matches!(unit, "st" | "nd" | "rd" | "th") {
                self.stemmed(unit);
            }
        }
        self.stemmed(&without_apostrophes(word));
        if let Some((_, tail)) = without_possessive(word).rsplit_once('\'')
            && tail.chars().count() >= 3
        {
            self.stemmed(tail);
        }
    }

    /// `C++`, `C#` and `.NET` as written, besides the bare word.
    fn signed(&mut self, words: &[&str], before: &[Piece<'_>], after: &[Piece<'_>]) {
        let [word] = words else { return };
        if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return;
        }
        match after {
            [Sign('+'), Sign('+'), ..] => self.push(&format!("{word}++")),
            [Sign('#'), Word(_), ..] => {}
            [Sign('#'), ..] if word.len() == 1 => self.push(&format!("{word}#")),
            _ => {}
        }
        match before {
            [Sign('.')] => self.push(&format!(".{word}")),
            [.., Sign(opening), Sign('.')] if opening.is_whitespace() || "([{\"'`".contains(*opening) => {
                self.push(&format!(".{word}"));
            }
            _ => {}
        }
    }

    fn pairs(&mut self, run: &[&String]) {
        if let [single] = run {
            self.push(single);
        }
        for pair in run.windows(2) {
            self.push(&format!("{}{}", pair[0], pair[1]));
        }
    }

    /// English stemming for words of ASCII letters. Longer ones than a term may be are no words.
    fn stemmed(&mut self, word: &str) {
        if word.len() <= MAX_TERM_BYTES && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            let stem = self.stemmer.stem(word).into_owned();
            self.push(if stem.is_empty() { word } else { &stem });
        } else {
            self.push(word);
        }
    }

    fn push(&mut self, term: &str) {
        if term.len() > MAX_TERM_BYTES {
            self.terms.push(cut(term));
        } else if !term.is_empty() {
            self.terms.push(term.to_owned());
        }
    }
}

/// The words that are linked to the first one, with it.
fn compound<'a>(first: &'a str, rest: &'a [Piece<'_>]) -> Vec<&'a str> {
    let mut words = vec![first];
    for pair in rest.chunks_exact(2) {
        let [Sign(sign), Word(word)] = pair else { break };
        if !links(*sign, words[words.len() - 1], word) {
            break;
        }
        words.push(word);
    }
    words
}

/// A time or a date is one thing, `and/or` and `note:this` are two.
fn links(sign: char, before: &str, after: &str) -> bool {
    match sign {
        '-' | '\u{2010}' | '_' | '.' | '@' | '·' => true,
        '/' | ':' => {
            before.ends_with(|c: char| c.is_ascii_digit()) && after.starts_with(|c: char| c.is_ascii_digit())
        }
        _ => false,
    }
}

fn without_possessive(word: &str) -> &str {
    word.strip_suffix("'s").unwrap_or(word)
}

fn without_apostrophes(word: &str) -> String {
    without_possessive(word).replace('\'', "")
}

/// `4pm` as `4` and `pm`, `1.5gb` as `1.5` and `gb`.
fn split_unit(word: &str) -> Option<(&str, &str)> {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = word.split_at(end);
    let is_unit = !number.is_empty() && unit.bytes().all(|byte| byte.is_ascii_lowercase());
    is_unit.then_some((number, unit))
}

/// The beginning of a long term and the beginning of its hash. No other term has a tilde.
fn cut(term: &str) -> String {
    let kept = &term[..term.floor_char_boundary(MAX_TERM_BYTES)];
    let [a, b, c, d, ..] = <[u8; 32]>::from(Sha256::digest(term.as_bytes()));
    format!("{kept}~{a:02x}{b:02x}{c:02x}{d:02x}")
}

/// Brings what counts as the same character to one form. Idempotent.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd() {
        fold_char(c, &mut folded);
    }
    // Puts together again what is to stay: kana voicing, Hangul syllables.
    folded.nfc().collect()
}

fn fold_char(c: char, folded: &mut String) {
    match c {
        // The zero-width space is there to part words.
        '\u{200b}' => folded.push(' '),
        '\u{2018}' | '\u{2019}' | '\u{2bc}' | '\u{2bb}' | '\u{201b}' => folded.push('\''),
        _ if is_invisible(c) || is_optional_mark(c) || is_skin_tone(c) => {}
        _ => c.to_lowercase().for_each(|lower| spell(lower, folded)),
    }
}

/// The usual spelling of letters that do not come apart into letter and accent; ASCII digits.
fn spell(c: char, folded: &mut String) {
    match c {
        'ß' => folded.push_str("ss"),
        'æ' => folded.push_str("ae"),
        'œ' => folded.push_str("oe"),
        'þ' => folded.push_str("th"),
        'ø' => folded.push('o'),
        'ł' => folded.push('l'),
        'đ' | 'ð' => folded.push('d'),
        'ı' => folded.push('i'),
        'ς' => folded.push('σ'),
        _ => folded.push(ascii_digit(c)),
    }
}

fn ascii_digit(c: char) -> char {
    // Arabic, Persian, Devanagari, Bengali, Thai.
    let zeros = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];
    let value = zeros.iter().map(|zero| u32::from(c).wrapping_sub(*zero)).find(|value| *value < 10);
    value.and_then(|value| char::from_digit(value, 10)).unwrap_or(c)
}

/// Marks that add to a letter what a writer may leave out. The first five are the blocks of general accents, made for
/// Latin, Greek and Cyrillic; scripts whose marks are letters have them in blocks of their own, which are not here.
fn is_optional_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}'
        | '\u{483}'..='\u{489}' // Old Cyrillic
        | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}' | '\u{5c4}'..='\u{5c5}' | '\u{5c7}' // Hebrew points
        | '\u{5f3}'..='\u{5f4}' // Hebrew abbreviation signs
        | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{640}' // Arabic vowels and hamza, tatweel
    )
}

/// Characters that show nothing (Unicode's default ignorables and interlinear annotation).
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Letters of scripts that do not put spaces between words, or, as Korean, not between all that one looks for.
pub(crate) fn is_unspaced(c: char) -> bool {
    let script = matches!(c,
        '\u{e00}'..='\u{eff}' // Thai, Lao
        | '\u{1000}'..='\u{109f}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}' // Myanmar
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' // Hangul
        | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{303b}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' // Han
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
        | '\u{3041}'..='\u{312f}' | '\u{31a0}'..='\u{31ff}' | '\u{1aff0}'..='\u{1b16f}' // Kana, Bopomofo
    );
    script && c.is_alphanumeric()
}

fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}'
    )
}

fn is_regional_indicator(c: char) -> bool {
    matches!(c, '\u{1f1e6}'..='\u{1f1ff}')
}

fn is_skin_tone(c: char) -> bool {
    matches!(c, '\u{1f3fb}'..='\u{1f3ff}')
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn folding_is_idempotent_for_every_character() {
        // Beyond lie only unassigned, tag and private characters.
        for c in '\0'..='\u{323af}' {
            let once = fold(&c.to_string());
            assert_eq!(fold(&once), once, "U+{:04X}", u32::from(c));
        }
    }
}
