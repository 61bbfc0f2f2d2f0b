//! The only crate that knows SQL; it judges nothing.
//!
//! Every query is written once, with `$n` parameters, over a narrow waist ([`db`]) that SQLite and PostgreSQL share.
//! Whatever differs between them is in `dialect.rs`, each difference with its reason. Above the waist there is one file
//! per family of tables; a function here moves rows and decides nothing.
//!
//! The only ways in are [`Store::read`], [`Store::write`] and [`Store::system`]: they name the caller and the agents,
//! and on PostgreSQL the agents are what row-level security lets through.

pub mod agents;
pub mod arrivals;
pub mod audit;
mod backup;
pub mod baggage;
pub mod calendar;
pub mod catalogue;
pub mod contemplation;
pub mod conversations;
mod copy;
pub mod db;
pub mod deadlines;
mod dialect;
pub mod diary;
pub mod documents;
pub mod dump;
pub mod duties;
pub mod entities;
pub mod erasures;
mod error;
pub mod events;
pub mod faults;
mod group_commit;
pub mod heartbeat;
pub mod house;
pub mod idempotency;
pub mod import_runs;
pub mod inbox;
pub mod index_build;
pub mod indexed_texts;
pub mod inspect;
pub mod keys;
pub mod knowledge;
pub mod learning;
pub mod lessons;
mod lines;
pub mod links;
pub mod memory;
pub mod memory_life;
pub mod mentions;
pub mod messages;
pub mod migrate;
pub mod monitors;
mod news;
mod pool;
mod postgres;
mod posting_block;
pub mod postings;
pub mod principals;
mod provenance;
pub mod reflections;
pub mod relationships;
mod removal;
pub mod schedules;
pub mod schema;
pub mod shelves;
pub mod signals;
pub mod soul;
mod sqlite;
mod statement;
mod store;
pub mod summaries;
pub mod tables;
pub mod taken;
pub mod todos;
pub mod topics;
mod value;
mod vector_index;
pub mod vectors;
pub mod words;
pub mod work;

pub use db::{Reader, Writer};
#[doc(hidden)]
pub use dialect::word_for;
pub use dialect::{Engine, Graph};
pub use error::{Result, StoreError};
pub use faults::{Fault, Faults};
pub use idempotency::{Idempotency, Replay};
pub use news::{Ear, News};
pub use removal::Compared;
pub use statement::{Form, Scope, Statement};
pub use store::{Counters, Durability, LONGEST_STANDSTILL, Options, PostgresUrl, Store};
pub use value::{Fields, Row, Value};
