//! The tests of the engine, through the library as an embedder uses it; on both engines unless it is about one.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod agents_keys;
mod backup;
mod clock;
mod config;
mod data_folder;
mod differential;
mod forget;
mod memory_life;
mod recall;
mod remember;
mod scheduler;
mod simulation;
