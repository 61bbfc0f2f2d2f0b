//! The tests of the engine, through the library as an embedder uses it; on both engines unless it is about one.

#![expect(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

mod afterthought;
mod agents_keys;
mod archive;
mod audit;
mod backup;
mod beliefs;
mod calendar;
mod clock;
mod config;
mod config_agents;
mod contemplation;
mod contemplation_forget;
mod contemplation_fortnight;
mod contemplation_obedient;
mod contemplation_shared;
mod contemplation_work;
mod context;
mod conversation;
mod custom_signals;
mod damaged_rows;
mod data_folder;
mod deliver;
mod derived;
mod diary;
mod differential;
mod document;
mod due;
#[cfg(feature = "embed")]
mod embed;
mod entity;
mod events;
mod first_day;
mod forget;
mod forgetting;
mod generations;
mod heartbeat;
mod heartbeat_month;
mod heartbeat_pitfalls;
mod heartbeat_settings;
mod import;
mod inbox;
mod knowledge;
mod knowledge_histories;
mod lessons;
mod link;
mod masking;
mod meaning;
#[cfg(feature = "embed")]
mod meaning_real;
mod meaning_trouble;
mod memory_life;
#[cfg(feature = "embed")]
mod model;
mod monitor;
mod moving;
mod near_twins;
mod principal;
mod recall;
mod recall_filters;
mod recall_messages;
mod recall_phrases;
mod recall_properties;
mod recall_unseen;
mod reindex;
mod relationship;
mod remember;
mod scheduler;
mod self_care;
mod signals;
mod simulation;
mod society;
mod soul;
mod todo;
mod verify_vectors;
