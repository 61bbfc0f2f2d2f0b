//! Every SQL text of the program: prepared on both engines, bound to its agent, and known to the catalogue.

use selfsame_store::tables::TABLES;
use selfsame_store::{Scope, Statement, catalogue};
use selfsame_testkit::both_engines;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

both_engines! {
    fn every_statement_is_prepared(bench: Bench) {
        for (file, statement) in catalogue::statements() {
            for repeats in [1, 4, 256] {
                let prepared = bench.store().prepare(statement, repeats);
                prepared.unwrap_or_else(|error| panic!("{file}.rs, {}, {repeats}: {error}", statement.name));
            }
        }
    }
}

/// The text on one line, without comments.
fn flat(statement: &Statement) -> String {
    let lines = statement.text.lines().filter(|line| !line.starts_with("--"));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// Whether a statement of one agent's rows can touch no other's: the agent is bound as `$1`.
fn is_bound_to_its_agent(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix("INSERT INTO ") {
        let first_column = rest.split_once('(').is_some_and(|(_, columns)| columns.starts_with("agent_id,"));
        return first_column && (text.contains("VALUES ($1, ") || text.contains("VALUES {rows: $1, "));
    }
    let filtered = text.split_once(" WHERE ").is_some_and(|(_, filter)| filter.starts_with("agent_id = $1"));
    filtered && !text.contains(" OR ") && !text.contains(" JOIN ") && every_table_is_bound(text)
}

/// Whether each table that rows are taken from, in whichever part of a statement, is followed by whose rows they are.
fn every_table_is_bound(text: &str) -> bool {
    let taken_from = text.split("FROM ").skip(1).filter(|rest| !rest.starts_with("(SELECT "));
    let is_bound =
        |rest: &str| rest.split_once(' ').is_some_and(|(_, next)| next.starts_with("WHERE agent_id = $1"));
    text.matches("SELECT").count() <= 1 || taken_from.into_iter().all(is_bound)
}

#[test]
fn every_statement_of_an_agent_names_the_agent() {
    for (file, statement) in catalogue::statements() {
        if statement.scope == Scope::Agent {
            let text = flat(statement);
            assert!(is_bound_to_its_agent(&text), "{file}.rs, {}: {text}", statement.name);
        }
    }
}

#[test]
fn a_statement_without_its_agent_is_seen() {
    for bad in [
        "SELECT id FROM t WHERE id = $2",
        "SELECT id FROM t WHERE agent_id = $2 AND id = $1",
        "SELECT id FROM t WHERE agent_id = $1 OR id = $2",
        "SELECT id FROM t WHERE agent_id = $1 AND id IN (SELECT id FROM u WHERE id = $2)",
        "SELECT id FROM t WHERE agent_id = $1 UNION SELECT id FROM t WHERE id = $2",
        "SELECT id FROM (SELECT id FROM t WHERE id = $2) AS u WHERE agent_id = $1",
        "SELECT id FROM t, u WHERE agent_id = $1 AND id IN (SELECT id FROM u WHERE agent_id = $1)",
        "UPDATE t SET a = $2",
        "INSERT INTO t (id, agent_id) VALUES ($1, $2)",
        "INSERT INTO t (agent_id, id) VALUES ($2, $1)",
    ] {
        assert!(!is_bound_to_its_agent(bad), "{bad}");
    }
}

/// The tables that a statement names.
fn tables_in(text: &str) -> BTreeSet<&str> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    let named = words.windows(2).filter(|pair| ["FROM", "INTO", "UPDATE", "JOIN"].contains(&pair[0]));
    // Neither "ON CONFLICT .. DO UPDATE SET" nor "FROM (SELECT" names a table.
    named.map(|pair| pair[1]).filter(|word| !["SET", "SELECT"].contains(word)).collect()
}

#[test]
fn a_global_statement_stays_out_of_the_tables_of_agents() {
    for (file, statement) in catalogue::statements() {
        let text = flat(statement);
        let tables = tables_in(&text);
        assert!(!tables.is_empty(), "{file}.rs, {}: no table was seen in {text}", statement.name);
        for name in tables {
            let table = TABLES.iter().find(|table| table.name == name);
            let table = table.unwrap_or_else(|| panic!("{file}.rs, {}: {name} is no table", statement.name));
            // A key is looked up by who used it, within what row-level security lets through.
            let of_no_agent = table.agent_column.is_none() || table.name == "idempotency";
            assert_eq!(
                of_no_agent,
                statement.scope == Scope::Global,
                "{file}.rs, {}: {name}",
                statement.name
            );
        }
    }
}

#[test]
fn every_file_with_statements_is_in_the_catalogue() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut declaring = BTreeSet::new();
    for path in sources(&source) {
        let name = path.strip_prefix(&source).unwrap().with_extension("").to_string_lossy().into_owned();
        // The macro itself is in statement.rs.
        if name != "statement" && fs::read_to_string(&path).unwrap().contains("statements! {") {
            declaring.insert(name);
        }
    }
    let listed: BTreeSet<String> =
        catalogue::statements().iter().map(|(file, _)| (*file).to_owned()).collect();
    assert_eq!(declaring, listed);
}

/// Every file below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

/// What is asked at every write, or for every agent, must find its rows by an index, however many there are: a plan that
/// goes by the agent alone walks through a whole life. SQLite's planner is the one that falls for an ORDER BY.
#[test]
fn sqlite_what_is_asked_often_is_found_by_an_index() {
    let bench = selfsame_testkit::Bench::sqlite();
    bench.mind();
    let expected = [
        ("memory", "OF_WORDS", "memory_items_by_words (agent_id=? AND words_hash=?)"),
        ("memory", "OF_GIST", "memory_items_by_gist (agent_id=? AND gist_hash=?)"),
        ("memory", "OF_PRINCIPAL", "(agent_id=? AND id=?)"),
        ("messages", "OF_PRINCIPAL", "(agent_id=? AND id=?)"),
        ("memory", "DUE", "memory_items_by_next_state (agent_id=? AND next_state_at<?)"),
        ("memory_life", "PAIRS_OF_EARLIER", "memory_pairs_by_other (agent_id=? AND other_id=?)"),
        ("postings", "OF_TERM", "PRIMARY KEY (agent_id=? AND kind=? AND term=? AND block<?)"),
        ("postings", "TAKE_BLOCKS", "PRIMARY KEY (agent_id=? AND kind=? AND term=? AND block=?)"),
        ("postings", "PAGE", "PRIMARY KEY (agent_id=? AND kind=? AND (term,block)>(?,?))"),
        ("indexed_texts", "AT", "PRIMARY KEY (agent_id=? AND kind=? AND spot=?)"),
        ("indexed_texts", "PAGE", "PRIMARY KEY (agent_id=? AND kind=? AND spot>?)"),
        ("indexed_texts", "TAKE", "indexed_texts_by_item (agent_id=? AND kind=? AND item_id=?)"),
        ("indexed_texts", "OF_ITEMS", "indexed_texts_by_item (agent_id=? AND kind=? AND item_id=?)"),
        ("indexed_texts", "SITTING", "PRIMARY KEY (agent_id=? AND kind=? AND source_id=?)"),
        ("index_build", "LAST_ITEM", "indexed_texts_by_item (agent_id=? AND kind=?)"),
        ("postings", "FREQUENCIES", "PRIMARY KEY (agent_id=? AND kind=? AND term=?)"),
        ("entities", "BY_KEYS", "PRIMARY KEY (agent_id=? AND name_key=?)"),
        ("inbox", "OF_MESSAGE", "inbox_candidates_by_message (agent_id=? AND message_id=?)"),
        ("inbox", "BECAME", "inbox_candidates_by_message (agent_id=? AND message_id=?)"),
        ("taken", "CANDIDATES_OF_MEMORY", "inbox_candidates_by_memory (agent_id=? AND memory_id=?)"),
        ("inbox", "SAME_WORDS", "(agent_id=? AND text_hash=?)"),
        ("inbox", "OF_STATUS", "inbox_candidates_by_status (agent_id=? AND status=?"),
        ("inbox", "OLDEST_PENDING", "inbox_candidates_by_status (agent_id=? AND status=?"),
        ("inbox", "OVERDUE", "inbox_candidates_by_status (agent_id=? AND status=?"),
        ("conversations", "BY_CHANNEL", "(agent_id=? AND channel=?)"),
        ("conversations", "LATEST_OPEN", "conversations_by_last_message (agent_id=?"),
        ("conversations", "LATEST_OPEN_WITH", "conversations_by_principal (agent_id=? AND principal_id=?"),
        ("conversations", "PARTICIPANTS", "(agent_id=? AND conversation_id=?)"),
        ("todos", "WITH_STATUS", "todos_by_status (agent_id=? AND status=?)"),
        ("messages", "AFTER", "(agent_id=? AND conversation_id=? AND seq>?)"),
        ("schedules", "DUE", "schedules_by_due (agent_id=? AND serves_id=? AND next_due_at<?)"),
        ("schedules", "BY_SOURCE", "(agent_id=? AND source_kind=? AND source_id=?)"),
        ("deadlines", "REACHED", "deadlines_by_next (agent_id=? AND serves_id=? AND next_rung_at<?)"),
        ("heartbeat/moments", "KNOWN", "schedules_by_due (agent_id=? AND serves_id=? AND next_due_at>?)"),
        ("heartbeat/moments", "KNOWN", "deadlines_by_next (agent_id=? AND serves_id=? AND next_rung_at>?)"),
        ("heartbeat/moments", "KNOWN", "deadlines_by_next (agent_id=? AND serves_id=? AND next_rung_at<?)"),
        ("heartbeat/moments", "KNOWN", "nudges_by_state (agent_id=? AND principal_id=? AND state=?)"),
        ("heartbeat/receipts", "LATEST_BRIEF", "receipts_by_principal (agent_id=? AND principal_id=?)"),
        ("diary", "OF_DAY", "(agent_id=? AND day=?)"),
        ("signals/mod", "COUNTS", "memory_items_fed (agent_id=? AND serves_id=?)"),
        ("signals/mod", "COUNTS", "memory_items_fed (agent_id=? AND serves_id=? AND created_at>?)"),
        ("signals/mod", "COUNTS", "memory_items_stated (agent_id=? AND serves_id=?)"),
        ("signals/mod", "COUNTS", "conversations_by_principal (agent_id=? AND principal_id=?"),
        ("signals/mod", "COUNTS", "conversations_running (agent_id=? AND principal_id=? AND active_until>?)"),
        ("signals/mod", "COUNTS", "conversations_by_wrote (agent_id=? AND principal_id=?"),
        ("topics", "DAYS", "(agent_id=? AND serves_id=? AND topic_id=? AND week>?)"),
        ("memory", "NEWEST_ANSWER", "memory_items_by_question (agent_id=? AND answers_id=?)"),
        ("memory", "OF_WORDS_ON_SHELF", "memory_items_by_words (agent_id=? AND words_hash=?)"),
    ];
    for (file, name, plan) in expected {
        let told = plan_of(&bench, file, name);
        assert!(told.iter().any(|line| line.contains(plan)), "{file}.rs, {name}: {told:?}");
    }
}

/// How SQLite means to go about a statement.
fn plan_of(bench: &selfsame_testkit::Bench, file: &str, name: &str) -> Vec<String> {
    let statement = catalogue::statements().into_iter().find(|(f, s)| *f == file && s.name == name);
    let (_, statement) = statement.unwrap_or_else(|| panic!("{file}.rs has no {name}"));
    let sql = statement.sql(selfsame_store::Engine::Sqlite, 1);
    // The values do not matter to a plan that is made before they are known.
    let sql = (1..40).rev().fold(sql.to_string(), |sql, n| sql.replace(&format!("?{n}"), "x'00'"));
    let rows = bench.owner().rows(&format!("EXPLAIN QUERY PLAN {sql}"));
    rows.into_iter().filter_map(|row| row.into_iter().last().flatten()).collect()
}

/// A scan costs what it finds, not what is stored: each finds its rows by the index that was made for it, looks others up
/// by their ids, and walks through nothing.
#[test]
fn sqlite_every_signal_is_found_by_an_index() {
    let bench = selfsame_testkit::Bench::sqlite();
    bench.mind();
    let expected: [(&str, &[&str]); 14] = [
        ("scheduled", &["schedules_by_due (agent_id=? AND serves_id=? AND next_due_at<?)"]),
        ("deadline", &["deadlines_by_next (agent_id=? AND serves_id=? AND next_rung_at<?)"]),
        ("conflict", &["memory_pairs_open (agent_id=?)", "knowledge_conflicts_by_raise (agent_id=?)"]),
        (
            "continuity",
            &[
                "conversations_by_principal (agent_id=? AND principal_id=? AND last_message_at>? AND last_message_at<?)",
                "memory_items_work (agent_id=? AND serves_id=? AND touched_at>?)",
            ],
        ),
        ("stale_monitor", &["monitors_of_memory (agent_id=? AND ended_at=? AND next_check_at<?)"]),
        ("memory_velocity", &["memory_items_fed (agent_id=? AND serves_id=? AND created_at>?)"]),
        (
            "pending_work",
            &[
                "memory_items_work (agent_id=? AND serves_id=? AND touched_at>?)",
                "memory_items_due (agent_id=? AND serves_id=? AND expires_at>? AND expires_at<?)",
            ],
        ),
        ("goal_progress", &["memory_items_goals (agent_id=? AND serves_id=? AND worked_at<?)"]),
        ("knowledge_gap", &["memory_items_asked (agent_id=? AND serves_id=? AND created_at<?)"]),
        ("decaying", &["memory_items_fading (agent_id=? AND serves_id=? AND fades_at<?)"]),
        ("sentiment", &["memory_items_felt (agent_id=? AND serves_id=?)"]),
        ("positive_delta", &["PRIMARY KEY (agent_id=? AND principal_id=? AND sort=?)"]),
        (
            "relationship",
            &[
                "COVERING INDEX memory_items_plans (agent_id=? AND serves_id=?)",
                "memory_items_due (agent_id=? AND serves_id=? AND expires_at>? AND expires_at<?)",
                "mentions_by_item (agent_id=? AND item_kind=? AND item_id=?)",
            ],
        ),
        (
            "pattern",
            &["topic_habits_by_weekday (agent_id=? AND serves_id=? AND weekday=? AND holds_until>?)"],
        ),
    ];
    for (name, plans) in expected {
        let alone = plan_of(&bench, "signals/mod", name);
        check_plan(name, &alone, plans);
    }
    // All in one text, each goes by the index that it goes by alone. The mood is not among them.
    let together = plan_of(&bench, "signals/mod", "TOGETHER");
    let all: Vec<&str> = expected
        .iter()
        .filter(|(name, _)| *name != "sentiment")
        .flat_map(|(_, plans)| *plans)
        .copied()
        .collect();
    check_plan("TOGETHER", &together, &all);
}

/// Each of these is in the plan, and all other rows are looked up by more than the agent.
fn check_plan(name: &str, told: &[String], plans: &[&str]) {
    for plan in plans {
        assert!(told.iter().any(|line| line.contains(plan)), "{name}, {plan}: {told:#?}");
    }
    let reads_rows = |line: &&String| line.starts_with("SCAN ") || line.starts_with("SEARCH ");
    for line in told.iter().filter(reads_rows) {
        let by_more_than_the_agent = line.contains("(agent_id=? AND ");
        let is_expected = plans.iter().any(|plan| line.contains(plan));
        let of_the_query = [
            "at_odds",
            "contested",
            "due",
            "fresh",
            "of_",
            "reached",
            "soon_due",
            "touched",
            "unanswered",
            "unchecked",
            "unfinished",
            "(subquery-",
        ];
        let is_of_the_query = of_the_query.iter().any(|part| line.starts_with(&format!("SCAN {part}")));
        assert!(by_more_than_the_agent || is_expected || is_of_the_query, "{name}: {line}");
    }
}

/// What is given in an order that an index keeps is read no further than to the last that is given: nothing is sorted but
/// what has the same place in that order. Deadlines are sorted as a whole, for the nearest come first whenever their rung
/// was reached; so are people who fell silent, for they are found through the plans that speak of them.
#[test]
fn sqlite_a_scan_reads_no_further_than_it_counts() {
    let bench = selfsame_testkit::Bench::sqlite();
    bench.mind();
    for name in [
        "scheduled",
        "conflict",
        "continuity",
        "stale_monitor",
        "pending_work",
        "goal_progress",
        "knowledge_gap",
        "decaying",
        "pattern",
    ] {
        let told = plan_of(&bench, "signals/mod", name);
        // What two parts of a scan give is sorted to be one, and that is little.
        let sorts_all =
            |pair: &&[String]| pair[1].contains("TEMP B-TREE FOR ORDER BY") && !pair[0].starts_with("SCAN ");
        assert_eq!(told.windows(2).find(sorts_all), None, "{name}: {told:#?}");
    }
}
