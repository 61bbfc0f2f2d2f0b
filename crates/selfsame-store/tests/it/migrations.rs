//! From nothing, and from every version, to the present one; or not at all.

use selfsame_core::seal::{hex, sha256};
use selfsame_store::tables::{TABLES, Table};
use selfsame_store::{Engine, Store, StoreError, migrate, word_for};
use selfsame_testkit::selfsame::StoreOptions;
use selfsame_testkit::{Bench, Raw, Trap};
use std::fs;
use std::path::Path;
use std::sync::Barrier;

/// Both benches, empty: a migrated template would be no test of migrating.
fn empty_benches() -> [Bench; 2] {
    [Bench::sqlite(), Bench::empty_postgres()]
}

fn version(raw: &mut Raw) -> i64 {
    raw.number("SELECT MAX(version) FROM schema_migrations")
}

fn tables(bench: &Bench) -> Vec<String> {
    bench.owner().texts(match bench.engine() {
        Engine::Sqlite => "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
        Engine::Postgres => {
            "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = 'selfsame' AND c.relkind = 'r' ORDER BY c.relname COLLATE \"C\""
        }
    })
}

fn migrate_to(bench: &Bench, version: i64) -> Result<(), StoreError> {
    let now = bench.mind_time();
    match bench.engine() {
        Engine::Sqlite => Store::migrate_sqlite(&bench.file(), version, now),
        Engine::Postgres => Store::migrate_postgres(&bench.urls(), version, now),
    }
}

#[test]
fn an_empty_database_becomes_the_latest() {
    for mut bench in empty_benches() {
        bench.agent("main");
        assert_eq!(version(&mut bench.owner()), migrate::latest());
        let before = bench.dump();
        bench.reopen();
        assert_eq!(bench.dump(), before, "opening again changes nothing");
        assert_eq!(bench.owner().number("SELECT COUNT(*) FROM schema_migrations"), migrate::latest());
    }
}

/// The columns of a table, with the words of their types.
fn columns(bench: &Bench, table: &Table) -> Vec<(String, Vec<&'static str>)> {
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

/// A value that fits a column. Every id is the same one, so every reference finds its row; and where the schema has a
/// list of words, one of them is named here.
fn value(bench: &Bench, table: &str, column: &str, words: &[&str]) -> String {
    match (table, column) {
        ("entities", "kind") => return "'person'".into(),
        ("keys", "speaks_as") => return "'operator'".into(),
        ("memory_items", "memory_type") => return "'knowledge'".into(),
        ("memory_items", "author") => return "'principal'".into(),
        ("memory_items", "state") => return "'active'".into(),
        ("duties", "state") => return "'waiting'".into(),
        _ => {}
    }
    // On SQLite several words are one type: what fits all of them is taken.
    let sqlite = bench.engine() == Engine::Sqlite;
    if words.contains(&"id") && (!sqlite || column.ends_with("id")) {
        return bench.id(selfsame_core::id::Id::from_bytes([5; 16]));
    }
    match words {
        ["real"] => "0.5".into(),
        ["bytes"] | ["id", "bytes"] => if sqlite { "x'01'" } else { "'\\x01'" }.into(),
        ["time"] => "'2020-02-02T02:02:02Z'".into(),
        ["bool"] => "TRUE".into(),
        ["json"] | ["text", "json"] => "'[]'".into(),
        ["text"] => "'word'".into(),
        ["int"] | ["int", "bool", "time"] => "1".into(),
        other => panic!("{table}.{column}: say here what fits {other:?}"),
    }
}

/// Puts a row into every table that there is at a version.
fn fill(bench: &Bench, version: i64) {
    let mut raw = bench.owner();
    for table in TABLES.iter().filter(|table| table.since <= version) {
        let columns = columns(bench, table);
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        let values: Vec<String> =
            columns.iter().map(|(name, words)| value(bench, table.name, name, words)).collect();
        let sql = format!("INSERT INTO {} ({}) VALUES ({})", table.name, names.join(", "), values.join(", "));
        raw.run(&sql).unwrap_or_else(|error| panic!("{error}: {sql}"));
    }
}

/// The rows of every table of a version, in the columns it had then.
fn rows(bench: &Bench, version: i64, shape: &[(&str, Vec<String>)]) -> Vec<Vec<Vec<Option<String>>>> {
    let mut raw = bench.owner();
    let of_version =
        shape.iter().filter(|(name, _)| TABLES.iter().any(|t| t.name == *name && t.since <= version));
    of_version
        .map(|(table, columns)| raw.rows(&format!("SELECT {} FROM {table}", columns.join(", "))))
        .collect()
}

#[test]
fn every_version_with_rows_in_it_becomes_the_latest_and_keeps_them() {
    for from in 1..=migrate::latest() {
        for bench in empty_benches() {
            migrate_to(&bench, from).unwrap();
            assert_eq!(version(&mut bench.owner()), from);
            fill(&bench, from);
            let shape: Vec<(&str, Vec<String>)> = TABLES
                .iter()
                .filter(|table| table.since <= from)
                .map(|table| (table.name, columns(&bench, table).into_iter().map(|(name, _)| name).collect()))
                .collect();
            let before = rows(&bench, from, &shape);
            assert!(before.iter().all(|rows| rows.len() == 1));
            bench.open_store(|_| {}).unwrap();
            assert_eq!(version(&mut bench.owner()), migrate::latest());
            assert_eq!(
                rows(&bench, from, &shape),
                before,
                "from version {from} on {}",
                bench.engine().name()
            );
        }
    }
}

#[test]
fn a_step_that_fails_before_its_commit_leaves_the_old_state() {
    for bench in empty_benches() {
        let trap = Trap::fail("migrate.before_commit").armed(1);
        let failed = bench.open_store(|options| options.faults = trap.faults());
        assert!(matches!(failed, Err(StoreError::Planned("migrate.before_commit"))));
        assert_eq!(tables(&bench), [""; 0]);
        bench.open_store(|_| {}).unwrap();
        assert_eq!(version(&mut bench.owner()), migrate::latest());
    }
}

/// Everything in a folder, by name.
fn hashes(folder: &Path) -> Vec<(String, String)> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let hash = |path: &Path| hex(&sha256(&[&fs::read(path).unwrap()]));
    files.iter().map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), hash(path))).collect()
}

#[test]
fn a_newer_database_is_refused_and_left_as_it_is() {
    for mut bench in empty_benches() {
        bench.agent("main");
        bench.close();
        let newer = migrate::latest() + 7;
        let (checksum, time) = match bench.engine() {
            Engine::Sqlite => ("x'00'", "1"),
            Engine::Postgres => ("'\\x00'", "now()"),
        };
        for version in migrate::latest() + 1..=newer {
            let sql =
                format!("INSERT INTO schema_migrations VALUES ({version}, 'later', {checksum}, {time})");
            bench.owner().run(&sql).unwrap();
        }
        let before = (bench.engine() == Engine::Sqlite).then(|| hashes(bench.folder()));
        let refused = bench.open_store(|_| {}).err().unwrap();
        assert_eq!(
            refused.to_string(),
            format!(
                "the database has schema version {newer}, this program knows up to {}: use the newer selfsame that \
                 wrote it (nothing was changed)",
                migrate::latest()
            )
        );
        assert_eq!(before, (bench.engine() == Engine::Sqlite).then(|| hashes(bench.folder())));
    }
}

#[test]
fn an_edited_migration_is_refused() {
    for mut bench in empty_benches() {
        bench.agent("main");
        bench.close();
        bench.owner().run("UPDATE schema_migrations SET checksum = substr(checksum, 2)").unwrap();
        let refused = bench.open_store(|_| {}).err().unwrap();
        assert_eq!(
            refused.to_string(),
            "migration 1 of the database is not the one this program knows: it was made by another build of selfsame; \
             use that one, or export there and import here"
        );
    }
}

#[test]
fn postgres_ten_at_once_migrate_an_empty_database_once() {
    const THREADS: usize = 10;
    let bench = Bench::empty_postgres();
    let start = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                start.wait();
                Store::open_postgres(&bench.urls(), StoreOptions::default(), bench.mind_time()).unwrap();
            });
        }
    });
    let mut raw = bench.owner();
    assert_eq!(raw.number("SELECT COUNT(*) FROM schema_migrations"), migrate::latest());
    assert_eq!(tables(&bench).len(), TABLES.len() + 1);
}

#[test]
fn postgres_another_application_role_is_let_in_when_the_owner_opens() {
    let bench = Bench::empty_postgres();
    bench.agent("main");
    let role = "selfsame_app_test_two";
    bench.database().server().ensure_role(role, "NOSUPERUSER NOBYPASSRLS");
    let mut urls = bench.urls();
    urls.application =
        bench.database().server().url(role, selfsame_testkit::APPLICATION_PASSWORD, bench.database().name());
    let closed = Store::open_postgres(
        &selfsame_store::PostgresUrl { owner: None, ..urls.clone() },
        StoreOptions::default(),
        bench.mind_time(),
    );
    assert!(closed.is_err(), "the role has no rights yet");
    Store::open_postgres(&urls, StoreOptions::default(), bench.mind_time()).unwrap();
}
