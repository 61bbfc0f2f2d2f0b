//! Numbered steps from an empty database to the present schema.
//!
//! Each step is one transaction: killed anywhere, the database has the old version or the new one. A step is never
//! edited once it has been released (its checksum is stored), and a database newer than the program is left alone.

use crate::dialect::{self, Engine};
use crate::error::{Result, StoreError};
use crate::faults::Faults;
use crate::tables::{ARCHIVE_VIEWS, TABLES, VIEWS};
use selfsame_core::seal::sha256;
use selfsame_core::time::Time;

/// One step.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// Its number; they follow each other without gaps.
    pub version: i64,
    /// Its file's name.
    pub name: &'static str,
    /// Its text, with type words in braces.
    pub text: &'static str,
}

macro_rules! migration {
    ($version:literal, $name:literal) => {
        Migration {
            version: $version,
            name: $name,
            text: include_str!(concat!("../migrations/", $name, ".sql")),
        }
    };
}

/// Every step, in order.
pub static MIGRATIONS: &[Migration] = &[
    migration!(1, "0001_foundation"),
    migration!(2, "0002_duties"),
    migration!(3, "0003_layers"),
    migration!(4, "0004_index"),
    migration!(5, "0005_tokens"),
    migration!(6, "0006_vectors"),
    migration!(7, "0007_knowledge"),
    migration!(8, "0008_heartbeat"),
    migration!(9, "0009_contemplation"),
    migration!(10, "0010_signals"),
    migration!(11, "0011_care"),
    migration!(12, "0012_link"),
    migration!(13, "0013_forgetting"),
    migration!(14, "0014_moving"),
    migration!(15, "0015_doors"),
];

/// The step that brought vectors.
const VECTORS_SINCE: i64 = 6;
/// The step that brought views, and the one that brought those of the archive.
const VIEWS_SINCE: i64 = 8;
const ARCHIVE_SINCE: i64 = 11;

/// The schema version of this program.
pub fn latest() -> i64 {
    MIGRATIONS.last().map_or(0, |last| last.version)
}

/// A step that a database says it has taken.
pub(crate) struct Applied {
    pub(crate) version: i64,
    pub(crate) checksum: Vec<u8>,
}

/// What migrating needs of an engine.
pub(crate) trait Schema {
    fn engine(&self) -> Engine;
    /// Begins a transaction that no other migration can be in at the same time.
    fn begin_alone(&mut self) -> Result<()>;
    fn batch(&mut self, sql: &str) -> Result<()>;
    fn applied(&mut self) -> Result<Vec<Applied>>;
    fn record(&mut self, migration: &Migration, checksum: &[u8; 32], now: Time) -> Result<()>;
    /// Whom the tables are opened to; none where there are no roles.
    fn application_role(&self) -> Option<String>;
}

/// The table that remembers the steps.
pub(crate) const LEDGER: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    version {int} NOT NULL PRIMARY KEY, name {text} NOT NULL, checksum {bytes} NOT NULL, applied_at {time} NOT NULL
){strict}";

/// Takes every step that is missing up to `version`, which is the latest but in tests of later steps.
pub(crate) fn run(schema: &mut dyn Schema, version: i64, faults: &Faults, now: Time) -> Result<()> {
    let steps = MIGRATIONS.iter().take_while(|migration| migration.version <= version).count();
    while step(schema, &MIGRATIONS[..steps], faults, now)? {}
    Ok(())
}

/// Takes the next step, if one is missing.
fn step(schema: &mut dyn Schema, all: &[Migration], faults: &Faults, now: Time) -> Result<bool> {
    schema.begin_alone()?;
    let result = next_step(schema, all, now).and_then(|taken| {
        faults.reach("migrate.before_commit")?;
        schema.batch("COMMIT")?;
        Ok(taken)
    });
    if result.is_err() {
        // The connection may be gone, in which case the server rolls back by itself.
        let _ = schema.batch("ROLLBACK");
    }
    result
}

fn next_step(schema: &mut dyn Schema, all: &[Migration], now: Time) -> Result<bool> {
    let engine = schema.engine();
    schema.batch(&dialect::render(LEDGER, engine, 1))?;
    let applied = schema.applied()?;
    check(&applied, all)?;
    let Some(migration) = all.get(applied.len()) else {
        return Ok(false);
    };
    schema.batch(&opened_to_owner(migration.version, engine))?;
    schema.batch(&dialect::render(migration.text, engine, 1))?;
    schema.batch(&rules(migration.version, engine, schema.application_role().as_deref()))?;
    schema.record(migration, &checksum(migration), now)?;
    Ok(true)
}

/// Whether what was applied is the beginning of what this program knows.
pub(crate) fn check(applied: &[Applied], all: &[Migration]) -> Result<()> {
    let known = all.last().map_or(0, |last| last.version);
    if let Some(found) = applied.iter().map(|step| step.version).max().filter(|found| *found > known) {
        return Err(StoreError::Newer { found, known });
    }
    for (step, migration) in applied.iter().zip(all) {
        if step.version != migration.version || step.checksum != checksum(migration) {
            return Err(StoreError::Unusable(format!(
                "migration {} of the database is not the one this program knows: it was made by another build of \
                 selfsame; use that one, or export there and import here",
                step.version
            )));
        }
    }
    Ok(())
}

/// The tables that are there before a step, opened to who takes it.
fn opened_to_owner(version: i64, engine: Engine) -> String {
    let there = TABLES.iter().filter(|table| table.since < version);
    there.map(|table| dialect::open_to_owner_ddl(table, engine)).collect()
}

/// Guards, and on PostgreSQL rights and row-level security, of all tables up to a version.
pub(crate) fn rules(version: i64, engine: Engine, application_role: Option<&str>) -> String {
    let mut sql = String::new();
    for table in TABLES.iter().filter(|table| table.since <= version) {
        sql += &dialect::guard_ddl(table, engine, version);
        if let Some(role) = application_role {
            sql += &dialect::access_ddl(table, role);
        }
    }
    if let Some(role) = application_role.filter(|_| version >= VIEWS_SINCE) {
        sql.extend(VIEWS.iter().map(|view| dialect::view_ddl(view, role)));
    }
    if let Some(role) = application_role.filter(|_| version >= ARCHIVE_SINCE) {
        sql.extend(ARCHIVE_VIEWS.iter().map(|view| dialect::view_ddl(view, role)));
    }
    if version >= VECTORS_SINCE {
        sql += &dialect::graph_ddl(engine);
    }
    sql + dialect::statistics(engine)
}

fn checksum(migration: &Migration) -> [u8; 32] {
    sha256(&[migration.text.as_bytes()])
}
