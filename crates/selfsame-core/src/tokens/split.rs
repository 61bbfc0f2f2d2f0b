//! The pre-tokenizer: cuts a text into the pieces that no token reaches across, as the pattern of o200k does.
//!
//! The pattern is seven alternatives, and the first that matches wins:
//!
//! ```text
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! \p{N}{1,3}
//!  ?[^\s\p{L}\p{N}]+[\r\n/]*
//! \s*[\r\n]+
//! \s+(?!\S)
//! \s+
//! ```
//!
//! Here each is a function that finds at once where a backtracking matcher would end up. All look at a character a few
//! times at most, so a text of any shape is cut in linear time.

use super::layout::Class;
use super::table::class;

/// The pieces of a text, none empty; together they are the text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (piece, after) = rest.split_at(piece_end(rest, first));
        rest = after;
        Some(piece)
    })
}

/// Where the piece that begins a text ends.
fn piece_end(text: &str, first: char) -> usize {
    word_end(text, first)
        .or_else(|| number_end(text))
        .or_else(|| signs_end(text))
        .unwrap_or_else(|| space_end(text))
}

/// The two alternatives for words. One sign may stand in front, a blank for the most part.
fn word_end(text: &str, first: char) -> Option<usize> {
    let sign = match class(first) {
        Class::Upper | Class::Lower | Class::Caseless => 0,
        Class::Mark | Class::Space | Class::Other => first.len_utf8(),
        Class::Number | Class::Newline => return None,
    };
    let end = lower_word_end(text, sign)
        // A mark can be the sign, and if that comes to nothing a letter.
        .or_else(|| lower_word_end(text, 0))
        .or_else(|| upper_word_end(text, sign))?;
    Some(end + contraction(&text[end..]))
}

/// Upper case and then lower case, of which there must be some. Caseless letters and marks count as both: where no lower
/// case follows, the last of them in the upper-case run stands in for it, and the word ends there.
fn lower_word_end(text: &str, start: usize) -> Option<usize> {
    let mut upper_end = start;
    let mut caseless_end = None;
    for c in text[start..].chars() {
        match class(c) {
            Class::Upper => upper_end += c.len_utf8(),
            Class::Caseless | Class::Mark => {
                upper_end += c.len_utf8();
                caseless_end = Some(upper_end);
            }
            _ => break,
        }
    }
    let lower = |class| matches!(class, Class::Lower | Class::Caseless | Class::Mark);
    let end = run_end(text, upper_end, lower);
    if end > upper_end { Some(end) } else { caseless_end }
}

/// Upper case alone: asked only where [`lower_word_end`] found nothing that could be the lower case.
fn upper_word_end(text: &str, start: usize) -> Option<usize> {
    let end = run_end(text, start, |class| class == Class::Upper);
    (end > start).then_some(end)
}

/// The bytes of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` that a text begins with, in either case.
fn contraction(text: &str) -> usize {
    let mut chars = text.chars();
    if chars.next() != Some('\'') {
        return 0;
    }
    let mut lower = || chars.next().map(|c| c.to_ascii_lowercase());
    match (lower(), lower()) {
        (Some('s' | 't' | 'm' | 'd'), _) => "'s".len(),
        // The long s is an s to whoever does not look at case.
        (Some('ſ'), _) => "'ſ".len(),
        (Some('r' | 'v'), Some('e')) | (Some('l'), Some('l')) => "'re".len(),
        _ => 0,
    }
}

/// Up to three digits.
fn number_end(text: &str) -> Option<usize> {
    let digits = text.chars().take(3).take_while(|c| class(*c) == Class::Number);
    Some(digits.map(char::len_utf8).sum()).filter(|end| *end > 0)
}

/// Punctuation and symbols, perhaps after a blank, and the line ends and slashes that follow.
fn signs_end(text: &str) -> Option<usize> {
    let start = usize::from(text.starts_with(' '));
    let end = run_end(text, start, |class| matches!(class, Class::Other | Class::Mark));
    let tail = text[end..].bytes().take_while(|byte| matches!(byte, b'\r' | b'\n' | b'/'));
    (end > start).then(|| end + tail.count())
}

/// White space: up to its last line end; without one to the end of the text, or to the last blank, which belongs to the
/// word that follows.
fn space_end(text: &str) -> usize {
    let end = run_end(text, 0, |class| matches!(class, Class::Space | Class::Newline));
    let run = &text[..end];
    if let Some(newline) = run.rfind(['\r', '\n']) {
        return newline + 1;
    }
    match run.char_indices().next_back() {
        Some((last, _)) if last > 0 && end < text.len() => last,
        _ => end,
    }
}

/// Where the characters of such classes that begin at `start` end.
fn run_end(text: &str, start: usize, belongs: impl Fn(Class) -> bool) -> usize {
    let rest = &text[start..];
    rest.find(|c| !belongs(class(c))).map_or(text.len(), |length| start + length)
}
