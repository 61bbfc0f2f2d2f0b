//! The archive: a mind, or all minds of a house, in one file that any house can read in.
//!
//! A zip of JSON Lines, one part for each table of each agent, and a manifest with the checksum of every part. Equal minds
//! give equal bytes: rows are in the order of their keys, files have no times, JSON has one spelling on both engines. What
//! is left out is listed with its reason ([`left_out`]).

mod manifest;
mod markdown;
mod read;
mod write;

pub use manifest::{Manifest, Packed, Part};
pub use markdown::{Page, left_out as left_out_of_pages, readable};
pub use read::{Arrived, ArrivedAgent, Limits};
pub use write::Exported;

use selfsame_store::baggage;

/// What an archive does not carry, table by table, and why.
pub fn left_out() -> impl Iterator<Item = (&'static str, &'static str)> {
    baggage::LEFT_OUT.iter().copied()
}
