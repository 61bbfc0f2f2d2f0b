//! How the postings of a word are packed: entries of twelve bytes, so many to a block.
//!
//! A block is only ever added to at its end. It is small enough to stay in its row: on SQLite, whose clustered rows spill
//! over beyond about a thousand bytes, and on PostgreSQL.

use crate::error::{Result, StoreError};
use selfsame_core::recall::{Posting, Spot};

/// Entries in a block, at most.
pub const ENTRIES: u64 = 64;
/// Bytes of an entry: thread and place of four, how often and length of two, all with the lowest byte first.
const BYTES: usize = 12;

/// Which block the posting is in that was added as the `added`-th, counted from 1.
pub(crate) fn block_of(added: u64) -> Result<u32> {
    let block = added.saturating_sub(1) / ENTRIES;
    u32::try_from(block)
        .map_err(|_| StoreError::Failed("a word has more postings than can be numbered".into()))
}

pub(crate) fn pack(posting: Posting) -> Vec<u8> {
    let mut entry = Vec::with_capacity(BYTES);
    entry.extend(posting.spot.thread.to_le_bytes());
    entry.extend(posting.spot.place.to_le_bytes());
    entry.extend(posting.tf.to_le_bytes());
    entry.extend(posting.len.to_le_bytes());
    entry
}

/// The postings of a block, in the order in which they were added.
pub(crate) fn unpack(entries: &[u8]) -> Result<impl DoubleEndedIterator<Item = Posting>> {
    let (entries, rest) = entries.as_chunks::<BYTES>();
    match rest.is_empty() {
        true => Ok(entries.iter().map(posting)),
        false => Err(StoreError::Damaged("a block of the index ends in the middle of an entry".into())),
    }
}

/// The block without the posting of a text; nothing if it has none.
pub(crate) fn without(entries: &[u8], spot: Spot) -> Result<Option<Vec<u8>>> {
    let others = unpack(entries)?.filter(|posting| posting.spot != spot);
    let kept: Vec<u8> = others.flat_map(pack).collect();
    Ok((kept.len() < entries.len()).then_some(kept))
}

fn posting(entry: &[u8; BYTES]) -> Posting {
    let [t0, t1, t2, t3, p0, p1, p2, p3, f0, f1, l0, l1] = *entry;
    Posting {
        spot: Spot {
            thread: u32::from_le_bytes([t0, t1, t2, t3]),
            place: u32::from_le_bytes([p0, p1, p2, p3]),
        },
        tf: u16::from_le_bytes([f0, f1]),
        len: u16::from_le_bytes([l0, l1]),
    }
}

/// Numbers of blocks, four bytes each.
pub(crate) fn pack_blocks(blocks: &[u32]) -> Vec<u8> {
    blocks.iter().flat_map(|block| block.to_le_bytes()).collect()
}

pub(crate) fn unpack_blocks(bytes: &[u8]) -> Result<Vec<u32>> {
    let (blocks, rest) = bytes.as_chunks::<4>();
    match rest.is_empty() {
        true => Ok(blocks.iter().map(|block| u32::from_le_bytes(*block)).collect()),
        false => Err(StoreError::Damaged("a list of blocks ends in the middle of a number".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::{ENTRIES, block_of, pack, pack_blocks, unpack, unpack_blocks, without};
    use selfsame_core::recall::{Posting, Spot};

    const fn posting(thread: u32, place: u32) -> Posting {
        Posting { spot: Spot { thread, place }, tf: 0x0102, len: 0xfffe }
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        let all = [posting(0, 0), posting(u32::MAX, 1), posting(0x0102_0304, u32::MAX)];
        let bytes: Vec<u8> = all.into_iter().flat_map(pack).collect();
        assert_eq!(bytes.len(), 36);
        assert_eq!(&bytes[24..], [4, 3, 2, 1, 255, 255, 255, 255, 2, 1, 254, 255]);
        assert_eq!(unpack(&bytes).unwrap().collect::<Vec<_>>(), all);
        assert!(unpack(&bytes[1..]).is_err());
        assert_eq!(unpack_blocks(&pack_blocks(&[0, 7, u32::MAX])).unwrap(), [0, 7, u32::MAX]);
        assert!(unpack_blocks(&[1, 2, 3]).is_err());
    }

    #[test]
    fn one_is_taken_out_and_the_others_stay() {
        let bytes: Vec<u8> =
            [posting(1, 0), posting(1, 1), posting(2, 0)].into_iter().flat_map(pack).collect();
        let rest = without(&bytes, Spot { thread: 1, place: 1 }).unwrap().unwrap();
        assert_eq!(unpack(&rest).unwrap().collect::<Vec<_>>(), [posting(1, 0), posting(2, 0)]);
        assert_eq!(without(&bytes, Spot { thread: 0, place: 1 }).unwrap(), None);
    }

    #[test]
    fn a_block_is_filled_before_the_next_begins() {
        assert_eq!(block_of(1).unwrap(), 0);
        assert_eq!(block_of(ENTRIES).unwrap(), 0);
        assert_eq!(block_of(ENTRIES + 1).unwrap(), 1);
        assert!(block_of(u64::MAX).is_err());
    }
}
