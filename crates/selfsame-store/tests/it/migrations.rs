//! From nothing, and from every version, to the present one; or not at all.

use crate::any_rows::{ONE, columns, fill};
use selfsame_core::seal::{hex, sha256};
use selfsame_store::tables::TABLES;
use selfsame_store::{Engine, Store, StoreError, migrate};
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
        Engine::Sqlite => {
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
        }
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

/// The index is derived: a step may drop it, and it is built anew from the rows when a mind is opened.
const DERIVED: [&str; 2] = ["postings", "term_stats"];

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
            fill(&bench, from, ONE);
            let shape: Vec<(&str, Vec<String>)> = TABLES
                .iter()
                .filter(|table| table.since <= from && !DERIVED.contains(&table.name))
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

/// The owner is bound by row-level security like everybody: a step that fills new columns must see the old rows all the
/// same, and must leave the walls standing.
#[test]
fn a_step_sees_the_rows_of_every_agent() {
    for bench in empty_benches() {
        migrate_to(&bench, 2).unwrap();
        fill(&bench, 2, ONE);
        bench.open_store(|_| {}).unwrap();
        let mut raw = bench.owner();
        assert_eq!(raw.number("SELECT COUNT(*) FROM entity_names"), 1);
        assert_eq!(raw.number("SELECT COUNT(*) FROM memory_items WHERE next_state_at = created_at"), 1);
        if bench.engine() == Engine::Sqlite {
            // What the planner is told of are no samples of what is stored: they would outlive being forgotten.
            assert_eq!(raw.number("SELECT COUNT(*) FROM sqlite_stat4"), 0);
            assert!(raw.number("SELECT COUNT(*) FROM sqlite_stat1") > 40);
        }
        if bench.engine() == Engine::Postgres {
            let open = "SELECT COUNT(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = 'selfsame' AND c.relrowsecurity AND NOT c.relforcerowsecurity";
            assert_eq!(raw.number(open), 0);
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
