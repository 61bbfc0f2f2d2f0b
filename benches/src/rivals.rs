//! The baselines: the least that bare SQLite and the bare disk need for the same work.

use anyhow::Result;
use rusqlite::config::DbConfig;
use rusqlite::{CachedStatement, Connection, OpenFlags, params};
use selfsame_core::id::Id;
use selfsame_core::recall::plan;
use selfsame_core::text::{TermCounts, count_terms};
use selfsame_store::postings::ENTRIES_PER_BLOCK;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

/// A bare FTS5 table over the same texts.
pub struct Fts5(Connection);

impl Fts5 {
    /// Makes the file and fills it in one transaction.
    pub fn fill(path: &Path, texts: &[String]) -> Result<()> {
        let mut connection = writable(path)?;
        connection
            .execute_batch("CREATE VIRTUAL TABLE texts USING fts5(content, tokenize='porter unicode61')")?;
        let transaction = connection.transaction()?;
        {
            let mut insert = transaction.prepare("INSERT INTO texts (rowid, content) VALUES (?1, ?2)")?;
            for (at, text) in texts.iter().enumerate() {
                insert.execute(params![at as i64, text])?;
            }
        }
        transaction.commit()?;
        // As it would be after a while of use: many small segments merged into one.
        connection.execute_batch("INSERT INTO texts (texts) VALUES ('optimize')")?;
        Ok(())
    }

    /// Opens a filled file.
    pub fn open(path: &Path) -> Result<Fts5> {
        Ok(Fts5(readable(path)?))
    }

    /// The ten best, with their contents, as a recall gives them.
    pub fn search(&self, question: &str) -> Result<usize> {
        let words: Vec<String> = question.split(' ').map(|word| format!("\"{word}\"")).collect();
        let mut search = self.0.prepare_cached(
            "SELECT rowid, content, bm25(texts) FROM texts WHERE texts MATCH ?1 ORDER BY bm25(texts) LIMIT 10",
        )?;
        let mut rows = search.query([words.join(" OR ")])?;
        let mut found = 0;
        while let Some(row) = rows.next()? {
            found += row.get_ref(1)?.as_str()?.len().min(1);
        }
        Ok(found)
    }
}

/// Bytes of a posting in its block.
const ENTRY_BYTES: u64 = 12;

/// Reads the same postings that a recall reads, out of the mind's own file, and does nothing with them.
pub struct PostingScan {
    connection: Connection,
    agent: Id,
    budget: u64,
}

impl PostingScan {
    /// On the file of a mind.
    pub fn open(path: &Path, agent: Id, budget: u64) -> Result<PostingScan> {
        Ok(PostingScan { connection: readable(path)?, agent, budget })
    }

    /// Which of these terms a recall reads in full, and how many postings all of them have; not part of the time.
    pub fn plan(&self, terms: &[String]) -> Result<(Vec<String>, u64)> {
        let mut frequency = self.connection.prepare_cached(
            "SELECT df FROM term_stats WHERE agent_id = ?1 AND kind = 'memory' AND term = ?2",
        )?;
        let mut frequencies: Vec<(&str, u64)> = Vec::new();
        for term in terms {
            let found = frequency.query_map(params![self.agent.bytes(), term], |row| row.get(0))?;
            let df: i64 = found.last().transpose()?.unwrap_or(0);
            frequencies.push((term, df.unsigned_abs()));
        }
        let full = plan::spend(&frequencies, self.budget);
        let all = frequencies.iter().map(|(_, df)| df).sum();
        Ok((full.into_iter().map(str::to_owned).collect(), all))
    }

    /// Reads the postings of these words; gives how many there were.
    pub fn read(&self, words: &[String]) -> Result<u64> {
        let mut of_term = self.connection.prepare_cached(
            "SELECT entries FROM postings WHERE agent_id = ?1 AND kind = 'memory' AND term = ?2
             ORDER BY block DESC LIMIT ?3",
        )?;
        let blocks = self.budget / ENTRIES_PER_BLOCK + 2;
        let mut read = 0;
        for word in words {
            let mut rows = of_term.query(params![self.agent.bytes(), word, blocks as i64])?;
            while let Some(row) = rows.next()? {
                let entries = std::hint::black_box(row.get_ref(0)?.as_blob()?);
                read += entries.len() as u64 / ENTRY_BYTES;
            }
        }
        Ok(read)
    }
}

/// The same row and the same postings, with prepared statements and nothing else: no statistics, no seal, no queue.
pub struct BareInsert {
    connection: Connection,
    inserted: u128,
}

/// A text with its words counted beforehand.
pub struct Analysed<'t> {
    text: &'t str,
    words: TermCounts,
}

/// Counts the words of every text, so that the baseline is not charged for it.
pub fn analyse(texts: &[String]) -> Vec<Analysed<'_>> {
    let analysed = texts.iter().map(|text| Analysed { text, words: count_terms(text) });
    analysed.collect()
}

impl BareInsert {
    /// In a new file; write-ahead log, `synchronous=FULL`.
    pub fn create(path: &Path) -> Result<BareInsert> {
        let connection = writable(path)?;
        connection.execute_batch(
            "CREATE TABLE items (agent_id BLOB, id BLOB, content TEXT, memory_type TEXT, entity_id BLOB, importance REAL,
                tags TEXT, expires_at INTEGER, created_at INTEGER, author TEXT, source_ref TEXT, principal_id BLOB,
                private INTEGER, trust REAL, content_hash BLOB, row_hash BLOB, state TEXT, pinned INTEGER,
                updated_at INTEGER, analyser INTEGER, valence REAL, arousal REAL, feeling TEXT, goal_id BLOB,
                answers_id BLOB, resolves_id BLOB, replaces_id BLOB, words_hash BLOB, gist_hash BLOB, stability REAL,
                recall_count INTEGER, last_recalled_at INTEGER, fades_at INTEGER, stale_at INTEGER, archive_at INTEGER,
                next_state_at INTEGER, summarized_into BLOB, replaced_by BLOB, PRIMARY KEY (agent_id, id)) STRICT;
             CREATE INDEX items_by_words ON items (agent_id, words_hash, id);
             CREATE INDEX items_by_gist ON items (agent_id, gist_hash, id);
             CREATE INDEX items_by_next_state ON items (agent_id, next_state_at, id);
             CREATE TABLE postings (agent_id BLOB, kind TEXT, term TEXT, item_id BLOB, tf INTEGER, len INTEGER,
                PRIMARY KEY (agent_id, kind, term, item_id)) STRICT, WITHOUT ROWID",
        )?;
        connection.set_prepared_statement_cache_capacity(16);
        Ok(BareInsert { connection, inserted: 0 })
    }

    /// Inserts all, so many to a transaction.
    pub fn insert(&mut self, texts: &[Analysed<'_>], per_transaction: usize) -> Result<()> {
        for part in texts.chunks(per_transaction.max(1)) {
            let transaction = self.connection.transaction()?;
            {
                let mut item = transaction.prepare_cached(
                    "INSERT INTO items VALUES (?1, ?2, ?3, 'knowledge', NULL, 0.5, '[]', NULL, ?4, 'principal', NULL, ?1,
                        0, 0.9, ?5, ?6, 'active', 0, ?4, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ?5, ?6, 180.0, 0,
                        NULL, ?4, ?4, ?4, ?4, NULL, NULL)",
                )?;
                let mut posting = transaction
                    .prepare_cached("INSERT INTO postings VALUES (?1, 'memory', ?2, ?3, ?4, ?5)")?;
                for text in part {
                    self.inserted += 1;
                    insert_one(&mut item, &mut posting, text, self.inserted)?;
                }
            }
            transaction.commit()?;
        }
        Ok(())
    }
}

fn insert_one(
    item: &mut CachedStatement<'_>,
    posting: &mut CachedStatement<'_>,
    text: &Analysed<'_>,
    number: u128,
) -> Result<()> {
    let (agent, id) = ([7u8; 16], number.to_be_bytes());
    // As scattered as a real hash, so that the index by hash grows in the same way.
    let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_be_bytes();
    let hash = [spread, spread].concat();
    item.execute(params![agent, id, text.text, number as i64, hash, hash])?;
    for (term, tf) in &text.words.counts {
        posting.execute(params![agent, term, id, tf, text.words.len])?;
    }
    Ok(())
}

/// Appends 4 KiB and waits for the disk, again and again.
pub struct BareFsync(File);

impl BareFsync {
    /// On a new file.
    pub fn create(path: &Path) -> Result<BareFsync> {
        Ok(BareFsync(OpenOptions::new().append(true).create_new(true).open(path)?))
    }

    /// Once.
    pub fn append(&mut self) -> Result<()> {
        self.0.write_all(&[0; 4096])?;
        self.0.sync_data()?;
        Ok(())
    }
}

fn writable(path: &Path) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16000")?;
    Ok(connection)
}

fn readable(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.execute_batch("PRAGMA cache_size = -16000")?;
    // Else SQLite plans anew at every bound LIMIT: a baseline must not be slow for a reason that can be switched off.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}
