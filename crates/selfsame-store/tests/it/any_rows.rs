//! A row for every table, whatever its columns: for tests that attack all of them alike.

use selfsame_core::id::Id;
use selfsame_store::tables::{TABLES, Table};
use selfsame_store::{Engine, schema, word_for};
use selfsame_testkit::Bench;

/// The id that stands in every column of the rows of one filling, so that every reference finds its row.
pub const ONE: Id = Id::from_bytes([5; 16]);
/// The id of a second filling.
pub const OTHER: Id = Id::from_bytes([6; 16]);

/// The columns of a table, with the words of their types.
pub fn columns(bench: &Bench, table: &Table) -> Vec<(String, Vec<&'static str>)> {
    let name = table.name;
    let sql = match bench.engine() {
        Engine::Sqlite => format!("SELECT name, type FROM pragma_table_info('{name}')"),
        Engine::Postgres => format!(
            "SELECT attname, replace(format_type(atttypid, atttypmod), 'timestamp with time zone', 'timestamptz')
             FROM pg_attribute WHERE attrelid = 'selfsame.{name}'::regclass AND attnum > 0 AND NOT attisdropped
             ORDER BY attnum"
        ),
    };
    let rows = bench.owner().rows(&sql);
    let column = |row: &Vec<Option<String>>| {
        (row[0].clone().unwrap(), word_for(bench.engine(), row[1].as_deref().unwrap()))
    };
    rows.iter().map(column).collect()
}

/// Two words of a list that the schema has for a column.
fn listed(table: &str, column: &str) -> Option<[&'static str; 2]> {
    Some(match (table, column) {
        ("entities", "kind") => ["person", "place"],
        ("soul_entries", "kind") => ["belief", "fear"],
        ("keys", "speaks_as") => ["operator", "agent"],
        ("memory_items", "memory_type") => ["knowledge", "skill"],
        (_, "author") => ["principal", "system"],
        ("memory_items" | "memory_events", "state") => ["active", "stale"],
        ("duties", "state") => ["waiting", "dead"],
        ("messages", "role") => ["user", "tool"],
        (_, "candidate_type") => ["fact", "question"],
        ("inbox_candidates", "status") => ["pending", "expired"],
        ("todos", "status") => ["pending", "done"],
        (_, "priority") => ["low", "high"],
        (_, "lesson_type") => ["mistake", "success"],
        ("knowledge_observations", "kind") => ["world_fact", "self_model"],
        ("knowledge_observations", "subject_type") => ["global", "agent"],
        ("knowledge_observations", "status") => ["active", "stale"],
        ("observation_evidence", "stance") => ["support", "contradict"],
        ("schedules", "source_kind") => ["memory", "todo"],
        ("heartbeat_principals", "autonomy") => ["observe", "act"],
        ("receipts", "verdict") => ["act", "suppress"],
        ("nudges", "kind") => ["reminder", "suggestion"],
        ("nudges", "state") => ["waiting", "missed"],
        ("deliveries", "state") => ["waiting", "failed"],
        ("cycles", "outcome") => ["waiting", "failed"],
        ("cycles", "cause") => ["interval", "asked"],
        ("episodes", "parse") => ["tagged", "fallback"],
        ("links", "side") => ["receives", "gives"],
        ("links", "state") => ["requested", "accepted"],
        ("work_items", "state") => ["ready", "dead"],
        ("tool_calls", "outcome") => ["ran", "refused"],
        (_, "written_by") => ["agent", "thinker"],
        ("care_batches", "phase") => ["memories", "summaries"],
        _ => return None,
    })
}

/// A value that fits a column, as SQL writes it.
fn value(bench: &Bench, one: Id, table: &str, column: &str, words: &[&str]) -> String {
    if let Some([word, _]) = listed(table, column) {
        return format!("'{word}'");
    }
    // Of four references one is set.
    if table == "observation_evidence" && matches!(column, "lesson_id" | "reflection_id" | "entity_id") {
        return "NULL".to_owned();
    }
    // A number that two fillings may not share: this table knows no agents.
    if (table, column) == ("embedding_models", "generation") {
        return one.bytes()[0].to_string();
    }
    // On SQLite several words are one type: what fits all of them is taken.
    let sqlite = bench.engine() == Engine::Sqlite;
    if is_id(bench, table, column, words) {
        return bench.id(one);
    }
    match words {
        ["real"] => "0.5".into(),
        ["vector"] => "'[1]'".into(),
        ["bytes"] | ["id", "bytes", "vector"] => if sqlite { "x'01'" } else { "'\\x01'" }.into(),
        ["time"] => "'2020-02-02T02:02:02Z'".into(),
        ["bool"] => "TRUE".into(),
        ["json"] => "'[]'".into(),
        ["text", "json"] => format!("'[\"word {}\"]'", one.bytes()[0]),
        ["text"] => format!("'word {}'", one.bytes()[0]),
        ["int"] | ["int", "bool", "time"] => "1".into(),
        other => panic!("{table}.{column}: say here what fits {other:?}"),
    }
}

/// Another value that fits it.
pub fn another_value(bench: &Bench, table: &str, column: &str, words: &[&str]) -> String {
    if let Some([_, word]) = listed(table, column) {
        return format!("'{word}'");
    }
    if is_id(bench, table, column, words) {
        return bench.id(bench.fresh_id());
    }
    let sqlite = bench.engine() == Engine::Sqlite;
    match words {
        ["real"] => "0.125".into(),
        ["vector"] => "'[2]'".into(),
        ["bytes"] | ["id", "bytes", "vector"] => if sqlite { "x'00'" } else { "'\\x00'" }.into(),
        ["time"] => "'2001-01-01T00:00:00Z'".into(),
        ["bool"] => format!("NOT {column}"),
        ["json"] | ["text", "json"] => "'[\"other\"]'".into(),
        ["text"] => "'other'".into(),
        // A moment or a flag there, a number here: zero differs from the one that is there, and fits all but what is counted
        // from one.
        ["int", "bool", "time"]
            if matches!(column, "seq" | "ordinal" | "memories" | "messages" | "depth") =>
        {
            "2".into()
        }
        ["int", "bool", "time"] => "0".into(),
        ["int"] => "2".into(),
        other => panic!("{table}.{column}: say here what else fits {other:?}"),
    }
}

/// SQLite has one type for ids and other bytes: there the migrations say which it is.
fn is_id(bench: &Bench, table: &str, column: &str, words: &[&str]) -> bool {
    let said =
        || schema::present()[table].iter().any(|one| one.name == column && one.sort == schema::Type::Id);
    words.contains(&"id") && (bench.engine() == Engine::Postgres || said())
}

/// Puts a row into every table that there is at a version; all of them belong to the agent `one`.
pub fn fill(bench: &Bench, version: i64, one: Id) {
    let mut raw = bench.owner();
    for table in TABLES.iter().filter(|table| table.since <= version) {
        let columns = columns(bench, table);
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        let values: Vec<String> =
            columns.iter().map(|(name, words)| value(bench, one, table.name, name, words)).collect();
        let sql = format!("INSERT INTO {} ({}) VALUES ({})", table.name, names.join(", "), values.join(", "));
        raw.run(&sql).unwrap_or_else(|error| panic!("{error}: {sql}"));
    }
}
