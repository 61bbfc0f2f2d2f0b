//! What the tests share: both engines under one name, a manual clock, scripted ports, planned faults, seeded dice and a
//! small model of what a mind should answer. Development only; nothing here is shipped.
//!
//! Where to start: [`both_engines!`] and [`Bench`]. A test takes a bench, which is a fresh database on one engine, and
//! opens minds on it.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod bench;
pub mod child;
mod embedding;
pub mod engines;
pub mod faults;
mod language_model;
mod meanings;
pub mod model;
pub mod nasty;
mod nudging;
mod postgres_bench;
mod raw;
pub mod scripted;
pub mod seeded;
pub mod simulator;
pub mod society;
mod watcher;

pub use bench::{Bench, dump};
pub use embedding::model_folder;
pub use faults::Trap;
pub use language_model::language_model_url;
pub use meanings::{Meanings, Wrong};
pub use nudging::Nudged;
pub use postgres_bench::{APPLICATION_PASSWORD, APPLICATION_ROLE, Database, Server};
pub use raw::Raw;
pub use selfsame;
pub use selfsame::clock::ManualClock;
pub use watcher::{EVENTS, Watcher, number};

#[doc(hidden)]
pub use pastey;
