//! Integration tests of the executable: what it says, how it ends, and that its word holds.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod cli;
mod crash;
mod damage;
mod durability;
mod errors;
mod full_disk;
mod help;
mod layers;
mod postgres;
mod session;
mod trace;
