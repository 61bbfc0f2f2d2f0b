//! How the vocabulary is laid out: the build script writes it so, `table.rs` reads it so, and both compile this file.
//!
//! No vocabulary is here, only its shape. All numbers are little-endian; nothing is unpacked or copied to be read.

/// How many tokens the vocabulary has; the special ones are not among them.
pub const TOKENS: usize = 199_998;

/// No token is longer than this many bytes.
pub const LONGEST: usize = 128;

/// So many tokens, by rank, have their ends counted from one place: two bytes are enough for each then.
pub const RUN: usize = 256;

/// Slots of the hash table, two in five of them taken: most lookups are of what is no token, and they end at an empty slot.
pub const SLOTS: usize = 1 << SLOT_BITS;

const SLOT_BITS: u32 = 19;
const RANK_BITS: u32 = 18;
/// What is left of the three bytes of a slot.
const FINGERPRINT_BITS: u32 = 24 - RANK_BITS;

/// The code points that share one block of the table of classes.
pub const BLOCK: usize = 256;

/// What a character is to the pre-tokenizer: the general categories of Unicode as far as its pattern tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// An upper-case or title-case letter: `Lu`, `Lt`.
    Upper,
    /// A lower-case letter: `Ll`.
    Lower,
    /// A letter without case, that stands in upper-case and in lower-case words: `Lm`, `Lo`.
    Caseless,
    /// A combining mark, which is like a letter without case, but can also be the sign before a word: `M`.
    Mark,
    /// Any number: `N`.
    Number,
    /// Carriage return and line feed.
    Newline,
    /// Any other white space.
    Space,
    /// All else: punctuation, symbols, what is not assigned.
    Other,
}

impl Class {
    /// In the order of their numbers.
    pub const ALL: [Class; 8] = [
        Class::Upper,
        Class::Lower,
        Class::Caseless,
        Class::Mark,
        Class::Number,
        Class::Newline,
        Class::Space,
        Class::Other,
    ];
}

/// Where a token is looked for first, and what tells its slot from most others without a look at its bytes.
pub struct Place {
    /// The first slot.
    pub slot: usize,
    fingerprint: u32,
}

impl Place {
    /// The place of these bytes.
    pub fn of(token: &[u8]) -> Self {
        let hash = hash(token);
        let fingerprint = (hash >> 32) as u32 & ((1 << FINGERPRINT_BITS) - 1);
        Place { slot: (hash >> (u64::BITS - SLOT_BITS)) as usize, fingerprint }
    }

    /// What the slot of the token of this rank holds. Never zero, which is an empty slot.
    pub fn entry(&self, rank: u32) -> u32 {
        self.fingerprint << RANK_BITS | (rank + 1)
    }

    /// The rank in an entry that is not empty, if it may be this token's.
    fn rank_in(&self, entry: u32) -> Option<u32> {
        let rank = (entry & ((1 << RANK_BITS) - 1)) - 1;
        (self.entry(rank) == entry).then_some(rank)
    }
}

/// The slot that is looked at when this one is another token's.
pub const fn after(slot: usize) -> usize {
    (slot + 1) % SLOTS
}

/// Eight bytes a step: most tokens are one multiplication, and this is asked for every pair of parts that might join.
fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut hash = bytes.len() as u64;
    for word in words.iter().map(|word| u64::from_le_bytes(*word)).chain([short_word(rest)]) {
        // The golden ratio's digits; the turn brings the well-mixed upper half to where the next word is added.
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
    hash.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Fewer than eight bytes as one number, differing for any two texts of one length. Read in pieces that overlap: to copy
/// them into eight and read those back would stall the processor.
fn short_word(bytes: &[u8]) -> u64 {
    match (bytes, bytes.first_chunk(), bytes.last_chunk()) {
        (_, Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
        }
        ([], ..) => 0,
        _ => {
            let [first, middle, last] = [0, bytes.len() / 2, bytes.len() - 1].map(|at| u64::from(bytes[at]));
            first | middle << 8 | last << 16
        }
    }
}

/// The vocabulary, wherever its bytes are.
pub struct Vocabulary<'a> {
    /// The bytes of all tokens, by rank.
    pub text: &'a [u8],
    /// Where each [`RUN`] of tokens begins in them.
    pub runs: &'a [[u8; 4]],
    /// Where each token ends, by rank, from where its run begins.
    pub ends: &'a [[u8; 2]],
    /// The hash table of the ranks, open addressing.
    pub slots: &'a [[u8; 3]],
}

impl Vocabulary<'_> {
    /// The rank of the token with just these bytes.
    pub fn rank(&self, token: &[u8]) -> Option<u32> {
        if token.len() > LONGEST {
            return None;
        }
        let place = Place::of(token);
        let mut slot = place.slot;
        loop {
            let [low, middle, high] = self.slots[slot];
            let entry = u32::from_le_bytes([low, middle, high, 0]);
            if entry == 0 {
                return None;
            }
            if let Some(rank) = place.rank_in(entry)
                && self.token(rank as usize) == token
            {
                return Some(rank);
            }
            slot = after(slot);
        }
    }

    fn token(&self, rank: usize) -> &[u8] {
        let start = rank.checked_sub(1).map_or(0, |before| self.end(before));
        &self.text[start..self.end(rank)]
    }

    fn end(&self, rank: usize) -> usize {
        u32::from_le_bytes(self.runs[rank / RUN]) as usize + usize::from(u16::from_le_bytes(self.ends[rank]))
    }
}
