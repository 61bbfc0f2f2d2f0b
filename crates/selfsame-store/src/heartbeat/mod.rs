//! The heartbeat: whose heart beats when ([`beats`]), how each principal stands ([`standing`]), what every tick saw and
//! said ([`receipts`]), what was told ([`nudges`]), and when something is known to happen ([`moments`]).

pub mod beats;
pub mod moments;
pub mod nudges;
pub mod receipts;
pub mod standing;

use crate::error::StoreError;
use selfsame_core::word::UnknownWord;

pub(crate) fn unknown(word: &UnknownWord) -> StoreError {
    StoreError::Damaged(word.to_string())
}

fn hash(bytes: Vec<u8>, what: &str) -> Result<[u8; 32], StoreError> {
    bytes.try_into().map_err(|_| StoreError::Damaged(format!("{what} has the wrong length")))
}
