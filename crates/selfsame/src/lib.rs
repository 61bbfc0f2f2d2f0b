//! The inner life of an AI agent, as a library: synchronous, one verb per file.
//!
//! ```
//! use selfsame::{Mind, Speaker, memory::Draft, recall::Question};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("mind");
//! let mind = Mind::open(&path)?;
//! mind.ensure_agent("main")?;
//! let me = mind.access("main", Speaker::Operator)?;
//! me.remember(Draft::new("Maya prefers PostgreSQL"), None)?;
//! let answer = me.recall(&Question::new("what does Maya prefer?"))?;
//! assert_eq!(answer.hits[0].found.content(), "Maya prefers PostgreSQL");
//! # Ok::<(), selfsame::Error>(())
//! ```
//!
//! A [`Mind`] is a database with its agents; an [`Access`] is one of them, seen by one caller, and has the verbs. Time,
//! chance, models and channels are parameters ([`Opening`], [`ports`]): the same code runs under a virtual clock.
//! Do not call it from an async worker: it waits for the disk.

pub mod agent;
pub mod archive;
pub mod audit;
pub mod backup;
pub mod calendar;
pub mod clock;
pub mod config;
pub mod contemplation;
pub mod context;
pub mod conversation;
mod data_folder;
mod decay;
mod derived;
pub mod diary;
pub mod doctor;
pub mod document;
#[cfg(feature = "embed")]
pub mod embed;
pub mod embedding;
pub mod entity;
mod error;
pub mod events;
pub mod forget;
pub mod heartbeat;
pub mod import;
pub mod inbox;
mod indexing;
pub mod jobs;
pub mod key;
pub mod knowledge;
mod lease;
pub mod lesson;
mod lexical;
mod life;
pub mod link;
mod linking;
mod masking;
pub mod meaning;
pub mod memory;
mod mind;
#[cfg(feature = "embed")]
pub mod model;
pub mod monitor;
pub mod moving;
pub mod ports;
pub mod principal;
pub mod progress;
pub mod recall;
pub mod reflection;
pub mod reindex;
pub mod relationship;
pub mod remember;
pub mod schedule;
pub mod scheduler;
pub mod self_care;
pub mod signals;
pub mod soul;
mod sound;
pub mod status;
pub mod summary;
pub mod todo;
mod topics;
mod touch;
pub mod verify;
mod verify_index;
mod verify_knowledge;
mod verify_vectors;
pub mod work;

pub use data_folder::{DataFolder, FolderError, FolderLock};
pub use error::{Class, Error, Result};
pub use mind::{Access, Mind, Opening, Speaker};
pub use selfsame_core::{
    duty, event, fence, id, json, kept, local, nearest, seal, secrets, sentence, text, time, tokens, trust,
    vector,
};
pub use selfsame_store::faults::POINTS as FAULT_POINTS;
pub use selfsame_store::{Durability, Engine, Fault, Faults, Idempotency, Options as StoreOptions, Store};
