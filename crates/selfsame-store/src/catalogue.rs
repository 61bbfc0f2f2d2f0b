//! Every SQL text of the program in one list: a test prepares each of them on both engines.

use crate::statement::Statement;
use crate::{
    agents, arrivals, audit, calendar, contemplation, conversations, deadlines, diary, documents, duties,
    entities, erasures, events, heartbeat, house, idempotency, import_runs, inbox, index_build,
    indexed_texts, keys, knowledge, learning, lessons, links, memory, memory_life, mentions, messages,
    monitors, postings, principals, reflections, relationships, schedules, shelves, signals, soul, summaries,
    taken, todos, topics, vectors, words, work,
};

/// Every statement, by the file that declares it.
pub fn statements() -> Vec<(&'static str, &'static Statement)> {
    let files: &[(&str, &[&Statement])] = &[
        ("agents", agents::STATEMENTS),
        ("arrivals", arrivals::STATEMENTS),
        ("audit", audit::STATEMENTS),
        ("contemplation/cycles", contemplation::cycles::STATEMENTS),
        ("contemplation/episodes", contemplation::episodes::STATEMENTS),
        ("contemplation/turns", contemplation::turns::STATEMENTS),
        ("conversations", conversations::STATEMENTS),
        ("calendar", calendar::STATEMENTS),
        ("deadlines", deadlines::STATEMENTS),
        ("diary", diary::STATEMENTS),
        ("documents", documents::STATEMENTS),
        ("duties", duties::STATEMENTS),
        ("entities", entities::STATEMENTS),
        ("erasures", erasures::STATEMENTS),
        ("events", events::STATEMENTS),
        ("heartbeat/beats", heartbeat::beats::STATEMENTS),
        ("heartbeat/moments", heartbeat::moments::STATEMENTS),
        ("heartbeat/nudges", heartbeat::nudges::STATEMENTS),
        ("heartbeat/receipts", heartbeat::receipts::STATEMENTS),
        ("heartbeat/standing", heartbeat::standing::STATEMENTS),
        ("house", house::STATEMENTS),
        ("idempotency", idempotency::STATEMENTS),
        ("import_runs", import_runs::STATEMENTS),
        ("inbox", inbox::STATEMENTS),
        ("index_build", index_build::STATEMENTS),
        ("indexed_texts", indexed_texts::STATEMENTS),
        ("keys", keys::STATEMENTS),
        ("knowledge/claims", knowledge::claims::STATEMENTS),
        ("knowledge/conflicts", knowledge::conflicts::STATEMENTS),
        ("knowledge/evidence", knowledge::evidence::STATEMENTS),
        ("knowledge/observations", knowledge::observations::STATEMENTS),
        ("knowledge/slots", knowledge::slots::STATEMENTS),
        ("learning", learning::STATEMENTS),
        ("lessons", lessons::STATEMENTS),
        ("links", links::STATEMENTS),
        ("memory", memory::STATEMENTS),
        ("memory_life", memory_life::STATEMENTS),
        ("monitors", monitors::STATEMENTS),
        ("postings", postings::STATEMENTS),
        ("principals", principals::STATEMENTS),
        ("reflections", reflections::STATEMENTS),
        ("mentions", mentions::STATEMENTS),
        ("messages", messages::STATEMENTS),
        ("relationships", relationships::STATEMENTS),
        ("schedules", schedules::STATEMENTS),
        ("shelves", shelves::STATEMENTS),
        ("signals/custom", signals::custom::STATEMENTS),
        ("signals/mod", signals::STATEMENTS),
        ("soul", soul::STATEMENTS),
        ("summaries", summaries::STATEMENTS),
        ("taken", taken::STATEMENTS),
        ("todos", todos::STATEMENTS),
        ("topics", topics::STATEMENTS),
        ("vectors", vectors::STATEMENTS),
        ("work/attempts", work::attempts::STATEMENTS),
        ("work/calls", work::calls::STATEMENTS),
        ("work/items", work::items::STATEMENTS),
        ("work/spend", work::spend::STATEMENTS),
    ];
    let declared =
        files.iter().flat_map(|(file, list)| list.iter().map(move |statement| (*file, *statement)));
    let built_in = signals::built_in_statements().map(|statement| ("signals/mod", statement));
    let of_words = words::statements().into_iter().map(|statement| ("taken", statement));
    declared.chain(built_in).chain(of_words).collect()
}
