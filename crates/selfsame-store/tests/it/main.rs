//! The tests of the store: each runs on both engines by name, unless it is about one of them.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod any_rows;
mod bad_servers;
mod baggage;
mod concurrency;
mod copies;
mod deaths;
mod duties;
mod events;
mod group_commit;
mod guards;
mod idempotency;
mod isolation;
mod knowledge;
mod migrations;
mod parity;
mod postings;
mod rerun;
mod rows;
mod statements;
mod traps;
mod vectors;
mod words;
