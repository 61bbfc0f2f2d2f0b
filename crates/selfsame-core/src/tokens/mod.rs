//! Tokens: how many a model's reader will count in a text, so that what is put before it fits.
//!
//! The count is that of `o200k_base`, OpenAI's encoding for its models since GPT-4o, exactly; for other makers' models it
//! is a fair estimate. Only counting lives here: no token has a number outside, and what looks like a special token
//! (`<|endoftext|>`) is counted as the ordinary text that it is.
//!
//! A text is cut into pieces (`split.rs`). A piece that is a token counts one. Any other begins as single bytes, and the
//! two neighbours that make the token of the lowest rank are joined until no two make one.
//!
//! The vocabulary is not in the repository. Whenever this crate is built anew, its build script takes it from the
//! `tiktoken-rs` crate (0.12, MIT), which distributes OpenAI's `o200k_base.tiktoken` (MIT) unchanged: its SHA-256 is
//! OpenAI's, 446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d. The classes of characters come from the
//! Unicode tables of the `regex-syntax` that `tiktoken-rs` compiles the encoding's pattern with: another version of Unicode
//! would cut a few texts otherwise. Both are compiled in as tables that are read where they lie (`table.rs`).
//!
//! This is why it is written by hand: the crates that count fill their maps first, which takes them about 100 ms and
//! 50 MB, and a short command does all else in 3 ms.

mod layout;
mod split;
mod table;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many tokens a text has.
pub fn count(text: &str) -> usize {
    let mut merge = Merge::default();
    split::pieces(text).map(|piece| merge.count(piece.as_bytes())).sum()
}

/// The beginning of a text, cut between characters, that has at most so many tokens. Never more than asked for, and as
/// long as that allows, nearly: a cut joins or parts tokens around it, so there may be a beginning a few characters
/// longer that fits as well.
pub fn cut(text: &str, tokens: usize) -> &str {
    let end = end_of_tokens(text, tokens);
    if end == text.len() {
        return text;
    }
    let mut kept = &text[..text.floor_char_boundary(end)];
    // Seldom: the end of a text is cut into pieces otherwise than its middle, and half a token may be two.
    while count(kept) > tokens {
        kept = &kept[..kept.floor_char_boundary(kept.len() - 1)];
    }
    kept
}

/// Where the first so many tokens of a text end; perhaps inside a character.
fn end_of_tokens(text: &str, tokens: usize) -> usize {
    let mut merge = Merge::default();
    let (mut end, mut left) = (0, tokens);
    for piece in split::pieces(text) {
        let count = merge.count(piece.as_bytes());
        if count > left {
            return end + merge.end_of(left);
        }
        left -= count;
        end += piece.len();
    }
    end
}

/// One piece on its way from bytes to tokens. Kept from piece to piece for its memory only.
#[derive(Default)]
struct Merge {
    /// By the byte that each begins at; those in the middle of a part mean nothing.
    parts: Vec<Part>,
    /// What could be joined, the lowest rank first and of equals the leftmost: rank, and where the left part begins.
    /// What came to nothing meanwhile stays in and is passed over, so that a long piece takes n log n.
    queue: BinaryHeap<Reverse<(u32, usize)>>,
}

struct Part {
    /// Where the part before it begins.
    before: usize,
    end: usize,
    /// The rank of the token that it makes with the part after it, if any.
    joined: Option<u32>,
}

impl Merge {
    /// How many tokens a piece has.
    fn count(&mut self, piece: &[u8]) -> usize {
        if table::rank(piece).is_some() { 1 } else { self.join_all(piece) }
    }

    /// Where the first so many tokens of the piece that was joined last end.
    fn end_of(&self, tokens: usize) -> usize {
        (0..tokens).fold(0, |at, _| self.parts[at].end)
    }

    fn join_all(&mut self, piece: &[u8]) -> usize {
        let byte = |at: usize| Part { before: at.saturating_sub(1), end: at + 1, joined: None };
        self.parts.clear();
        self.parts.extend((0..piece.len()).map(byte));
        self.queue.clear();
        for left in 0..piece.len() {
            self.propose(piece, left);
        }
        let mut tokens = piece.len();
        while let Some(Reverse((rank, left))) = self.queue.pop() {
            if self.parts[left].joined == Some(rank) {
                self.join(piece, left);
                tokens -= 1;
            }
        }
        tokens
    }

    /// Looks up what a part makes with the one after it.
    fn propose(&mut self, piece: &[u8], left: usize) {
        let right = self.parts.get(self.parts[left].end);
        let joined = right.and_then(|right| table::rank(&piece[left..right.end]));
        self.parts[left].joined = joined;
        self.queue.extend(joined.map(|rank| Reverse((rank, left))));
    }

    /// Makes a part and the one after it one; the neighbours on both sides have a new neighbour.
    fn join(&mut self, piece: &[u8], left: usize) {
        let right = self.parts[left].end;
        let end = self.parts[right].end;
        self.parts[right].joined = None;
        self.parts[left].end = end;
        if let Some(next) = self.parts.get_mut(end) {
            next.before = left;
        }
        self.propose(piece, left);
        if left > 0 {
            self.propose(piece, self.parts[left].before);
        }
    }
}
