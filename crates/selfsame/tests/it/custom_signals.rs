//! Signals of the operator's own: found like ours, and unable to do harm when they are wrong.

use crate::remember::remember;
use selfsame::config::Settings;
use selfsame::memory::{Draft, MemoryKind};
use selfsame::principal::Principal;
use selfsame::signals::Seen;
use selfsame::todo::TodoDraft;
use selfsame::{Engine, Speaker};
use selfsame_core::heartbeat::{RefKind, Tier};
use selfsame_testkit::{Bench, both_engines};
use std::fs;
use std::time::Duration;

const DOCUMENT: &str = include_str!("../../../../docs/signals.md");
const HEADER: &str = "-- tier: normal\n-- weight: 2\n-- meaning: something of our own\n";

/// What a signal selects, of a to-do.
const COLUMNS: &str =
    "'todo' AS ref_kind, id AS ref_id, NULL AS topic_id, title AS label, NULL AS due_at, status AS status";

/// A folder with signals of these names and texts.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, sql) in files {
        let text = format!("-- signal: {name}\n{HEADER}{sql}");
        fs::write(folder.path().join(format!("{name}.sql")), text).unwrap();
    }
    folder
}

/// What is seen with the files of a folder, for the operator of `main`.
fn seen_with(bench: &Bench, folder: &tempfile::TempDir) -> Seen {
    let mut settings = Settings::default();
    settings.heartbeat.signals = Some(folder.path().to_owned());
    let mind = bench.open_settings(settings);
    let access = mind.access("main", Speaker::Operator).unwrap();
    let operator: Principal = access.principal_list().unwrap().into_iter().find(|one| one.operator).unwrap();
    access.look_for_signals(&operator, None).unwrap()
}

fn select(from: &str) -> String {
    format!(
        "SELECT 'memory' AS ref_kind, id AS ref_id, entity_id AS topic_id, content AS label, due_at, state AS status
         FROM signal_memories WHERE {from}"
    )
}

/// What is wrong with a text; the fourteen are seen all the same.
fn wrong(bench: &Bench, sql: &str) -> String {
    let seen = seen_with(bench, &folder(&[("ours", sql)]));
    assert_eq!(seen.found.len(), 14, "{sql}: {:?}", seen.found);
    assert_eq!(seen.broken.len(), 1, "{sql}");
    assert_eq!(seen.broken[0].name, "ours");
    seen.broken[0].error.clone()
}

both_engines! {
    fn a_signal_of_ones_own_is_found_like_ours(bench: Bench) {
        let access = bench.main();
        let plant = remember(&access, "the fern is dry");
        remember(&access, "the lamp is on");
        let todo = access.add_todo(TodoDraft::new("water the fern"), None).unwrap().id;
        let dry = select("agent_id = :agent AND principal_id = :principal AND content LIKE '%dry%' AND created_at > :day_ago");
        let todos = "SELECT 'todo' AS ref_kind, id AS ref_id, NULL AS topic_id, title AS label, due_at, status
            FROM signal_todos WHERE agent_id = :agent AND principal_id = :principal;";
        let seen = seen_with(&bench, &folder(&[("dry", &dry), ("todos", todos)]));
        assert_eq!(seen.broken, []);
        let own: Vec<_> = seen.found[14..].iter().map(|(signal, found)| {
            let found: Vec<_> = found.iter().map(|one| (one.kind, one.id, one.status.as_str())).collect();
            (signal.name.as_str(), signal.tier, signal.weight, found)
        }).collect();
        assert_eq!(own, [
            ("dry", Tier::Normal, 2, vec![(RefKind::Memory, plant.id(), "active")]),
            ("todos", Tier::Normal, 2, vec![(RefKind::Todo, todo.id(), "pending")]),
        ]);
        bench.clock().advance(Duration::from_secs(25 * 3600));
        assert_eq!(seen_with(&bench, &folder(&[("dry", &dry)])).found[14].1, [], "its bounds are those of now");
    }

    fn every_view_is_there_to_be_read(bench: Bench) {
        bench.main();
        for view in selfsame_store::tables::VIEWS {
            let kind = view.trim_start_matches("signal_").replace("memories", "memory").replace("entities", "entity");
            let sql = format!(
                "SELECT '{}' AS ref_kind, id AS ref_id, NULL AS topic_id, '' AS label, NULL AS due_at, '' AS status
                 FROM {view} WHERE agent_id = :agent", kind.trim_end_matches('s'));
            assert_eq!(seen_with(&bench, &folder(&[("ours", &sql)])).broken, [], "{view}");
        }
    }

    fn the_views_are_as_they_are_documented(bench: Bench) {
        bench.main();
        let columns = |view: &str| match bench.engine() {
            Engine::Sqlite => format!("SELECT name FROM pragma_table_info('{view}') ORDER BY cid"),
            Engine::Postgres => format!("SELECT attname::text FROM pg_attribute
                WHERE attrelid = 'selfsame.{view}'::regclass AND attnum > 0 ORDER BY attnum"),
        };
        for view in selfsame_store::tables::VIEWS {
            let row = DOCUMENT.lines().find_map(|line| line.strip_prefix(&format!("| `{view}` | "))).unwrap();
            assert_eq!(bench.owner().texts(&columns(view)).join(", "), row.trim_end_matches(" |"), "{view}");
        }
    }

    fn the_example_of_the_document_works(bench: Bench) {
        let plant = remember(&bench.main(), "the fern is dry");
        let example = DOCUMENT.split("```sql\n").nth(1).unwrap().split("```").next().unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("dry_plants.sql"), example).unwrap();
        let seen = seen_with(&bench, &folder);
        assert_eq!(seen.broken, []);
        assert_eq!(seen.found[14].1.iter().map(|one| one.id).collect::<Vec<_>>(), [plant.id()]);
    }

    fn what_is_wrong_is_named_and_the_others_are_seen(bench: Bench) {
        let access = bench.main();
        remember(&access, "the fern is dry");
        let good = select("agent_id = :agent");
        for (sql, said) in [
            (good.replace("SELECT", "SELEKT"), "it begins with \"SELEKT\""),
            (good.replace("signal_memories", "signal_memory"), "signal_memory"),
            (good.replace("content AS label, ", ""), "it selects ref_kind, ref_id, topic_id, due_at, status"),
            (good.replace("state AS status", "id AS status"), "column 6"),
            (good.replace("'memory' AS ref_kind", "'thought' AS ref_kind"), "\"thought\" is no kind of thing found"),
            (good.replace(":agent", ":agnet"), ":agnet is no parameter: did you mean :agent?"),
            (select("importance > 0"), "add `agent_id = :agent`"),
            (format!("{good}; {good}"), "more than one statement"),
            (String::new(), "there is no SQL after the header"),
        ] {
            let error = wrong(&bench, &sql);
            assert!(error.contains(said), "{sql}: {error}");
        }
        assert_eq!(seen_with(&bench, &folder(&[("ours", &good)])).broken, [], "the good one is good");
    }

    fn a_name_of_ours_is_refused(bench: Bench) {
        bench.main();
        let seen = seen_with(&bench, &folder(&[("deadline", &select("agent_id = :agent"))]));
        assert_eq!((seen.found.len(), seen.broken.len()), (14, 1));
        assert!(seen.broken[0].error.contains("choose another name"), "{:?}", seen.broken);
        let other = folder(&[]);
        fs::write(other.path().join("mine.sql"), format!("-- signal: yours\n{HEADER}SELECT 1")).unwrap();
        fs::write(other.path().join("notes.txt"), "no signal").unwrap();
        let seen = seen_with(&bench, &other);
        assert_eq!(seen.broken.iter().map(|one| one.error.as_str()).collect::<Vec<_>>(),
            ["the signal is called \"yours\": name its file yours.sql"]);
    }

    fn nothing_is_written_by_a_signal(bench: Bench) {
        let access = bench.main();
        access.add_todo(TodoDraft::new("water the fern"), None).unwrap();
        let before = bench.dump();
        let elsewhere = tempfile::tempdir().unwrap();
        let file = elsewhere.path().join("other.db");
        for sql in [
            "DELETE FROM todos WHERE agent_id = :agent".to_owned(),
            "WITH gone AS (SELECT :agent AS a) DELETE FROM todos WHERE agent_id IN (SELECT a FROM gone)".to_owned(),
            format!("ATTACH DATABASE '{}' AS other", file.display()),
            format!("{}; ATTACH DATABASE '{}' AS other", select("agent_id = :agent"), file.display()),
            "PRAGMA journal_mode = DELETE".to_owned(),
            format!("{}; PRAGMA journal_mode = DELETE", select("agent_id = :agent")),
            format!("{} /* ' */; DELETE FROM todos /* ' */", select("agent_id = :agent")),
            "UPDATE todos SET title = '' WHERE agent_id = :agent".to_owned(),
            format!("WITH own AS (SELECT 1) DELETE FROM todos WHERE agent_id = :agent RETURNING {COLUMNS}"),
            format!("WITH gone AS (DELETE FROM todos WHERE agent_id = :agent RETURNING id, title, status)
                SELECT {COLUMNS} FROM gone"),
        ] {
            wrong(&bench, &sql);
        }
        assert!(!file.exists(), "no other file was made");
        assert_eq!(bench.dump(), before);
    }

    fn another_agents_rows_are_not_shown(bench: Bench) {
        bench.main();
        bench.agent("second");
        remember(&bench.access("second", Speaker::Operator), "a secret of the second");
        let everybodys = select("agent_id = :agent OR importance > 0");
        let seen = seen_with(&bench, &folder(&[("ours", &everybodys)]));
        let own: Vec<_> = seen.found.iter().skip(14).flat_map(|(_, found)| found).collect();
        assert_eq!(own, Vec::<&selfsame_core::heartbeat::Finding>::new(), "{:?}", seen.broken);
        assert!(!format!("{:?}", seen.broken).contains("secret"), "{:?}", seen.broken);
    }

    fn another_principals_rows_are_not_shown(bench: Bench) {
        let access = bench.main();
        let maya = access.principal_add("maya", None, None).unwrap().id;
        let draft = Draft { kind: MemoryKind::Plan, ..Draft::new("a plan of hers") };
        bench.access("main", Speaker::Principal(maya)).remember(draft, None).unwrap();
        let error = wrong(&bench, &select("agent_id = :agent"));
        assert!(error.contains("add `agent_id = :agent` and `principal_id = :principal`"), "{error}");
    }

    fn one_that_takes_too_long_is_stopped(bench: Bench) {
        bench.main();
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000000000)
            SELECT 'memory' AS ref_kind, id AS ref_id, NULL AS topic_id, '' AS label, NULL AS due_at, '' AS status
            FROM signal_memories WHERE agent_id = :agent AND importance > (SELECT COUNT(*) FROM n)";
        remember(&bench.main(), "the fern is dry");
        let error = wrong(&bench, endless);
        assert_eq!(error, "it took longer than 500 ms: narrow it down");
    }
}

#[test]
fn every_parameter_is_documented() {
    for name in selfsame_store::signals::Bounds::names() {
        assert!(DOCUMENT.contains(&format!("`:{name}`")), "{name}");
    }
}

#[test]
fn the_data_folder_is_where_they_are_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mind");
    let mind = selfsame::Mind::open(&path).unwrap();
    mind.ensure_agent("main").unwrap();
    fs::create_dir(path.join("signals")).unwrap();
    let text = format!("-- signal: ours\n{HEADER}{}", select("agent_id = :agent"));
    fs::write(path.join("signals").join("ours.sql"), text).unwrap();
    let access = mind.access("main", Speaker::Operator).unwrap();
    let operator = access.principal_list().unwrap().remove(0);
    let seen = access.look_for_signals(&operator, None).unwrap();
    assert_eq!((seen.found.len(), seen.broken), (15, vec![]));
}
