//! The tests of the repository itself, and of what the other tests lean on.

mod tidy;
#[cfg(feature = "unfiltered")]
mod unfiltered;
