//! Every SQL text of the program in one list: a test prepares each of them on both engines.

use crate::statement::Statement;
use crate::{
    agents, calendar, conversations, diary, duties, entities, erasures, events, idempotency, inbox,
    index_build, indexed_texts, keys, lessons, memory, memory_life, mentions, messages, monitors, postings,
    principals, reflections, relationships, soul, todos, vectors,
};

/// Every statement, by the file that declares it.
pub fn statements() -> Vec<(&'static str, &'static Statement)> {
    let files: &[(&str, &[&Statement])] = &[
        ("agents", agents::STATEMENTS),
        ("conversations", conversations::STATEMENTS),
        ("calendar", calendar::STATEMENTS),
        ("diary", diary::STATEMENTS),
        ("duties", duties::STATEMENTS),
        ("entities", entities::STATEMENTS),
        ("erasures", erasures::STATEMENTS),
        ("events", events::STATEMENTS),
        ("idempotency", idempotency::STATEMENTS),
        ("inbox", inbox::STATEMENTS),
        ("index_build", index_build::STATEMENTS),
        ("indexed_texts", indexed_texts::STATEMENTS),
        ("keys", keys::STATEMENTS),
        ("lessons", lessons::STATEMENTS),
        ("memory", memory::STATEMENTS),
        ("memory_life", memory_life::STATEMENTS),
        ("monitors", monitors::STATEMENTS),
        ("postings", postings::STATEMENTS),
        ("principals", principals::STATEMENTS),
        ("reflections", reflections::STATEMENTS),
        ("mentions", mentions::STATEMENTS),
        ("messages", messages::STATEMENTS),
        ("relationships", relationships::STATEMENTS),
        ("soul", soul::STATEMENTS),
        ("todos", todos::STATEMENTS),
        ("vectors", vectors::STATEMENTS),
    ];
    files.iter().flat_map(|(file, list)| list.iter().map(move |statement| (*file, *statement))).collect()
}
