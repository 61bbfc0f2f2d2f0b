//! Integration tests of the executable: what it says, how it ends, and that its word holds.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod bench;
mod cli;
mod crash;
mod damage;
mod durability;
mod embed_killed;
mod errors;
mod full_disk;
mod heartbeat;
mod help;
mod inbox;
mod know;
mod layers;
mod memory;
mod model;
mod people;
mod postgres;
mod server;
mod session;
mod takeover;
mod thinking;
mod trace;
mod two_minds;
