//! The rows that consolidation made, inserted by bare SQLite into tables and indexes of the same shape.

use anyhow::{Context, Result};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::path::Path;

/// Rows in a transaction: about as many as consolidation writes at once.
const ROWS: usize = 1_000;

/// What consolidation writes.
const TABLES: [&str; 5] =
    ["knowledge_claims", "knowledge_observations", "observation_evidence", "observation_events", "events"];

/// A file with empty tables, and the rows that belong into them.
pub struct BareRows {
    connection: Connection,
    rows: Vec<(String, Vec<Vec<Value>>)>,
}

impl BareRows {
    /// Reads the rows of a mind's file, and makes the tables in another.
    pub fn of(mind: &Path, path: &Path) -> Result<BareRows> {
        let source = Connection::open(mind)?;
        let connection = Connection::open(path)?;
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000; PRAGMA foreign_keys = OFF",
        )?;
        let mut rows = Vec::new();
        for table in TABLES {
            for text in shapes(&source, table)? {
                connection.execute_batch(&text).with_context(|| format!("cannot make {table}"))?;
            }
            rows.push(all(&source, table)?);
        }
        Ok(BareRows { connection, rows })
    }

    /// Inserts everything; gives how many rows there were.
    pub fn insert(&mut self) -> Result<usize> {
        let mut inserted = 0;
        for (text, rows) in &self.rows {
            for part in rows.chunks(ROWS) {
                let transaction = self.connection.transaction()?;
                {
                    let mut insert = transaction.prepare_cached(text)?;
                    for row in part {
                        inserted += insert.execute(params_from_iter(row))?;
                    }
                }
                transaction.commit()?;
            }
        }
        Ok(inserted)
    }
}

/// The texts that make a table and its indexes.
fn shapes(source: &Connection, table: &str) -> Result<Vec<String>> {
    let mut texts = source.prepare(
        "SELECT sql FROM sqlite_master WHERE tbl_name = ?1 AND type IN ('table', 'index') AND sql IS NOT NULL
         ORDER BY type DESC",
    )?;
    let found = texts.query_map([table], |row| row.get(0))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// The insert of a table, and the rows that consolidation wrote into it.
fn all(source: &Connection, table: &str) -> Result<(String, Vec<Vec<Value>>)> {
    let only = if table == "events" { " WHERE subject_kind = 'observation'" } else { "" };
    let mut select = source.prepare(&format!("SELECT * FROM {table}{only}"))?;
    let columns = select.column_count();
    let row = |row: &rusqlite::Row<'_>| (0..columns).map(|at| row.get(at)).collect::<rusqlite::Result<_>>();
    let rows = select.query_map([], row)?.collect::<rusqlite::Result<_>>()?;
    let marks = vec!["?"; columns].join(", ");
    Ok((format!("INSERT INTO {table} VALUES ({marks})"), rows))
}
