//! Integration tests of the executable: what it says, how it ends, and that its word holds.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod background;
mod bench;
mod book;
mod cli;
mod connect;
mod crash;
mod damage;
mod door;
mod doors;
mod durability;
mod editor;
mod embed_killed;
mod errors;
mod examples;
mod full_disk;
mod heartbeat;
mod help;
mod hook;
mod inbox;
mod isolation;
mod keys;
mod killed;
mod know;
mod layers;
mod link;
mod looks;
mod memory;
mod model;
mod moving;
mod people;
mod postgres;
#[path = "../../../selfsame-daemon/tests/it/samples.rs"]
mod samples;
mod selfcare;
mod server;
mod session;
mod stranger;
mod takeover;
mod thinking;
mod trace;
mod two_minds;
mod watching;
