//! What the build script made, compiled in and read where it lies: the vocabulary and the classes of characters.
//!
//! Nothing is built at run time: the first count waits only for the pages that it looks at, and only those are ever in
//! memory. How the bytes are laid out is `layout.rs`; how they are made is `build.rs`.

use super::layout::{BLOCK, Class, TOKENS, Vocabulary};

static VOCABULARY: Vocabulary<'static> = Vocabulary {
    text: include_bytes!(concat!(env!("OUT_DIR"), "/tokens")),
    runs: include_bytes!(concat!(env!("OUT_DIR"), "/token_runs")).as_chunks().0,
    ends: ENDS.as_chunks().0,
    slots: include_bytes!(concat!(env!("OUT_DIR"), "/token_slots")).as_chunks().0,
};

const ENDS: &[u8; TOKENS * size_of::<u16>()] = include_bytes!(concat!(env!("OUT_DIR"), "/token_ends"));

/// Which block the classes of each [`BLOCK`] code points are in.
static CLASS_INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/class_index"));

/// The blocks that differ, each once.
static CLASS_BLOCKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/class_blocks"));

/// The rank of the token with just these bytes: the lower, the earlier it is joined.
pub(super) fn rank(bytes: &[u8]) -> Option<u32> {
    VOCABULARY.rank(bytes)
}

/// What a character is to the pre-tokenizer.
pub(super) fn class(c: char) -> Class {
    let code = c as usize;
    let block = usize::from(CLASS_INDEX[code / BLOCK]);
    Class::ALL[usize::from(CLASS_BLOCKS[block * BLOCK + code % BLOCK])]
}
