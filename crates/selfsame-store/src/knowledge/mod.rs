//! What an agent believes: claims, the observations formed from them, and the evidence that each of those cites.

pub mod claims;
pub mod conflicts;
pub mod evidence;
pub mod observations;
pub mod slots;

use crate::error::{Result, StoreError};
use selfsame_core::knowledge::evidence::Origin;

/// Bytes of one origin.
const ORIGIN: usize = 16;

fn origin_bytes(origins: &[Origin]) -> Vec<u8> {
    origins.iter().flat_map(|origin| origin.0).collect()
}

fn origins(bytes: &[u8]) -> Result<Vec<Origin>> {
    let (whole, rest) = bytes.as_chunks::<ORIGIN>();
    match rest.is_empty() {
        true => Ok(whole.iter().map(|origin| Origin(*origin)).collect()),
        false => Err(StoreError::Damaged("a list of independent sources has the wrong length".into())),
    }
}

fn damaged(what: &str) -> StoreError {
    StoreError::Damaged(format!("{what} cannot be read"))
}
