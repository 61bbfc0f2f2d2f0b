//! The tests of the engine, through the library as an embedder uses it; on both engines unless it is about one.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod agents_keys;
mod backup;
mod calendar;
mod config;
mod data_folder;
mod diary;
mod differential;
mod forget;
mod recall;
mod remember;
mod scheduler;
mod simulation;
mod soul;
mod todo;
