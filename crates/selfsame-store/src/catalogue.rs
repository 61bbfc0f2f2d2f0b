//! Every SQL text of the program in one list: a test prepares each of them on both engines.

use crate::statement::Statement;
use crate::{
    agents, calendar, diary, duties, entities, erasures, events, idempotency, keys, memory, postings,
    principals, soul, todos,
};

/// Every statement, by the file that declares it.
pub fn statements() -> Vec<(&'static str, &'static Statement)> {
    let files: &[(&str, &[&Statement])] = &[
        ("agents", agents::STATEMENTS),
        ("calendar", calendar::STATEMENTS),
        ("diary", diary::STATEMENTS),
        ("duties", duties::STATEMENTS),
        ("entities", entities::STATEMENTS),
        ("erasures", erasures::STATEMENTS),
        ("events", events::STATEMENTS),
        ("idempotency", idempotency::STATEMENTS),
        ("keys", keys::STATEMENTS),
        ("memory", memory::STATEMENTS),
        ("postings", postings::STATEMENTS),
        ("principals", principals::STATEMENTS),
        ("soul", soul::STATEMENTS),
        ("todos", todos::STATEMENTS),
    ];
    files.iter().flat_map(|(file, list)| list.iter().map(move |statement| (*file, *statement))).collect()
}
