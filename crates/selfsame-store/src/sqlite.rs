//! How SQLite speaks the waist: one connection that writes, a few that read.
//!
//! Write-ahead log, `synchronous=FULL`: a commit returns when the log is on disk. Every connection here is used from
//! plain threads only.

use crate::db::Connection;
use crate::dialect::Engine;
use crate::error::{Result, StoreError};
use crate::faults::Faults;
use crate::group_commit::GroupCommit;
use crate::migrate::{self, Applied, Migration, Schema};
use crate::pool::Pool;
use crate::statement::Statement;
use crate::store::{Counters, Durability, Options};
use crate::value::{Passing, Row, Value};
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{ErrorCode, OpenFlags};
use selfsame_core::time::Time;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

// Before 3.51.3 two connections that write and checkpoint at the same time can corrupt the file (the WAL-reset bug).
const _: () = assert!(rusqlite::ffi::SQLITE_VERSION_NUMBER >= 3_051_003, "SQLite 3.51.3 or newer is needed");

/// "SELF": a file with another number in its header is somebody else's.
const APPLICATION_ID: i64 = 0x5345_4c46;
/// Columns of a row that is looked at while it passes.
const MOST_PASSING: usize = 4;
/// Virtual machine instructions between two looks at the clock.
const DEADLINE_CHECK: i32 = 10_000;

pub(crate) struct Database {
    path: PathBuf,
    // Dropped before the writer: only a connection that can write may tidy up the log when it is the last to close.
    readers: Pool<SqliteConnection>,
    writer: GroupCommit,
    statement_timeout: Duration,
}

impl Database {
    pub(crate) fn open(path: &Path, options: &Options, now: Time) -> Result<Database> {
        Database::open_at(path, migrate::latest(), options, now)
    }

    /// Opens it with the schema of a version, which is the latest but for what an older program wrote.
    pub(crate) fn open_at(path: &Path, version: i64, options: &Options, now: Time) -> Result<Database> {
        let timeout = options.statement_timeout;
        let mut writer = SqliteConnection::claim(path, timeout, options.faults.clone())?;
        if options.durability == Durability::None {
            writer.batch("PRAGMA synchronous = OFF")?;
        }
        migrate::run(&mut writer, version, &options.faults, now)?;
        Ok(Database {
            path: path.to_owned(),
            writer: GroupCommit::new(writer),
            readers: Pool::new(options.connections, timeout),
            statement_timeout: timeout,
        })
    }

    /// Takes the steps up to a version and no further.
    pub(crate) fn migrate(path: &Path, version: i64, now: Time) -> Result<()> {
        let mut writer = SqliteConnection::claim(path, Duration::from_secs(60), Faults::default())?;
        migrate::run(&mut writer, version, &Faults::default(), now)
    }

    pub(crate) fn prepare(&self, statement: &Statement, repeats: usize) -> Result<()> {
        let sql = statement.sql(Engine::Sqlite, repeats);
        self.writer.exclusive(&Counters::default(), |connection| connection.prepare(&sql))
    }

    pub(crate) fn limit_pages(&self, pages: u32) -> Result<()> {
        let pragma = format!("PRAGMA max_page_count = {pages}");
        self.writer.exclusive(&Counters::default(), |connection| connection.number(&pragma).map(drop))
    }

    pub(crate) fn waiting_writers(&self) -> usize {
        self.writer.waiting()
    }

    pub(crate) fn read<T>(
        &self,
        limit: Duration,
        body: &mut dyn FnMut(&mut dyn Connection) -> Result<T>,
    ) -> Result<T> {
        let mut lease = self.readers.take(|| {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
                | OpenFlags::SQLITE_OPEN_NO_MUTEX
                | OpenFlags::SQLITE_OPEN_URI;
            SqliteConnection::open(&self.path, flags, self.statement_timeout, Faults::default())
        })?;
        let connection = lease.get()?;
        connection.batch("BEGIN")?;
        let result = connection.with_deadline_in(limit, |connection| body(connection));
        if connection.batch("COMMIT").is_err() {
            lease.discard();
        }
        result
    }

    pub(crate) fn write<T>(
        &self,
        counters: &Counters,
        rerun: bool,
        body: &mut dyn FnMut(&mut dyn Connection) -> Result<T>,
    ) -> Result<T> {
        self.writer.write(counters, &mut |connection| {
            if rerun {
                connection.batch("SAVEPOINT rehearsal")?;
                let rehearsed = body(connection);
                if !connection.is_ended() {
                    connection.batch("ROLLBACK TO rehearsal; RELEASE rehearsal")?;
                }
                rehearsed?;
            }
            body(connection)
        })
    }

    /// Takes the steps that are missing.
    pub(crate) fn migrate_on(&self, counters: &Counters, now: Time) -> Result<()> {
        self.writer.exclusive(counters, |connection| {
            migrate::run(connection, migrate::latest(), &Faults::default(), now)
        })
    }

    /// Moves the log into the file and empties it; says whether that was done. Readers are waited for only a moment:
    /// writers wait behind this.
    pub(crate) fn truncate_log(&self, counters: &Counters) -> Result<bool> {
        self.writer.exclusive(counters, |connection| {
            connection.batch("PRAGMA busy_timeout = 100")?;
            // The first of what it says is whether somebody was in the way.
            let busy = connection.number("PRAGMA wal_checkpoint(TRUNCATE)");
            connection.batch("PRAGMA busy_timeout = 5000")?;
            Ok(busy? == 0)
        })
    }

    /// Copies one moment of the file.
    pub(crate) fn copy_to(&self, path: &Path) -> Result<()> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = SqliteConnection::open(&self.path, flags, Duration::MAX, Faults::default())?;
        let path = path.to_str().ok_or_else(|| StoreError::Unusable("the path is not plain text".into()))?;
        connection.inner.execute("VACUUM INTO ?1", [path])?;
        Ok(())
    }

    /// What SQLite itself finds wrong with the file.
    pub(crate) fn integrity(&self) -> Result<Vec<String>> {
        let mut connection = SqliteConnection::open(
            &self.path,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            Duration::from_secs(3600),
            Faults::default(),
        )?;
        let mut found = connection.texts("PRAGMA integrity_check")?;
        found.retain(|line| line != "ok");
        for table in connection.texts("SELECT \"table\" FROM pragma_foreign_key_check")? {
            found.push(format!("a row of {table} refers to one that is missing"));
        }
        Ok(found)
    }
}

/// One connection to the file.
pub(crate) struct SqliteConnection {
    inner: rusqlite::Connection,
    deadline: Arc<Deadline>,
    faults: Faults,
}

impl SqliteConnection {
    /// The connection that writes, to a file that is ours.
    fn claim(path: &Path, timeout: Duration, faults: Faults) -> Result<SqliteConnection> {
        let mut connection = SqliteConnection::open(path, OpenFlags::default(), timeout, faults)?;
        connection.claim_file(path)?;
        Ok(connection)
    }

    fn open(path: &Path, flags: OpenFlags, timeout: Duration, faults: Faults) -> Result<SqliteConnection> {
        let mut inner = rusqlite::Connection::open_with_flags(path, flags).map_err(|e| unusable(path, e))?;
        let deadline = Arc::new(Deadline::new(timeout));
        let watch = Arc::clone(&deadline);
        inner.progress_handler(DEADLINE_CHECK, Some(move || watch.has_passed()))?;
        inner.set_prepared_statement_cache_capacity(512);
        // Without this SQLite plans anew whenever a LIMIT is bound, which costs more than reading a rare word.
        inner.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        let mut connection = SqliteConnection { inner, deadline, faults };
        connection.configure().map_err(|error| name_file(path, error))?;
        Ok(connection)
    }

    fn configure(&mut self) -> Result<()> {
        self.batch(
            "PRAGMA busy_timeout = 5000;
             PRAGMA foreign_keys = ON;
             PRAGMA trusted_schema = OFF;
             PRAGMA cell_size_check = ON;
             PRAGMA temp_store = MEMORY;
             PRAGMA cache_size = -16000",
        )
    }

    /// Makes the file ours if it is new, and refuses it if it is not ours.
    fn claim_file(&mut self, path: &Path) -> Result<()> {
        let ours = self.number("PRAGMA application_id").map_err(|error| name_file(path, error))?;
        let tables =
            self.number("SELECT COUNT(*) FROM sqlite_schema").map_err(|error| name_file(path, error))?;
        if ours != APPLICATION_ID && (ours != 0 || tables != 0) {
            return Err(StoreError::Unusable(format!(
                "{} is an SQLite database of another program: choose another data folder (nothing was changed)",
                path.display()
            )));
        }
        if ours == 0 {
            self.batch(&format!("PRAGMA application_id = {APPLICATION_ID}"))?;
        }
        // secure_delete: what is forgotten is overwritten, not merely unlinked.
        // wal_autocheckpoint: a busy batch touches more than the usual thousand pages, so every commit would copy the
        // log into the file; pages that are written again and again are now copied once in a while.
        self.batch(
            "PRAGMA journal_mode = WAL;
             PRAGMA synchronous = FULL;
             PRAGMA secure_delete = ON;
             PRAGMA journal_size_limit = 67108864;
             PRAGMA wal_autocheckpoint = 8000",
        )
        .map_err(|error| name_file(path, error))
    }

    pub(crate) fn batch(&mut self, sql: &str) -> Result<()> {
        self.inner.execute_batch(sql).map_err(StoreError::from)
    }

    pub(crate) fn commit(&mut self) -> Result<()> {
        self.faults.reach("write.before_commit")?;
        self.batch("COMMIT")
    }

    /// Whether SQLite ended the transaction by itself.
    pub(crate) fn is_ended(&self) -> bool {
        self.inner.is_autocommit()
    }

    /// Statements that `work` runs are stopped when the timeout has passed.
    pub(crate) fn with_deadline<T>(
        &mut self,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T>,
    ) -> Result<T> {
        self.with_deadline_in(self.deadline.timeout, work)
    }

    /// Statements that `work` runs are stopped when so much time has passed.
    fn with_deadline_in<T>(
        &mut self,
        limit: Duration,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T>,
    ) -> Result<T> {
        let deadline = Arc::clone(&self.deadline);
        let _armed = deadline.arm(limit);
        work(self)
    }

    fn number(&mut self, sql: &str) -> Result<i64> {
        self.inner.query_row(sql, [], |row| row.get(0)).map_err(StoreError::from)
    }

    fn texts(&mut self, sql: &str) -> Result<Vec<String>> {
        let mut statement = self.inner.prepare(sql)?;
        let rows = statement.query_map([], |row| row.get(0))?;
        rows.collect::<rusqlite::Result<_>>().map_err(StoreError::from)
    }

    /// Prepares a text without running it, for the test that prepares every one.
    fn prepare(&mut self, sql: &str) -> Result<()> {
        self.inner.prepare(sql).map(drop).map_err(StoreError::from)
    }

    fn bound(
        &mut self,
        statement: &Statement,
        repeats: usize,
        params: &[Value],
    ) -> Result<rusqlite::CachedStatement<'_>> {
        let sql = statement.sql(Engine::Sqlite, repeats);
        let mut prepared = self.inner.prepare_cached(&sql).map_err(|e| about(statement, e))?;
        for (index, value) in params.iter().enumerate() {
            prepared.raw_bind_parameter(index + 1, Bound(value)).map_err(|e| about(statement, e))?;
        }
        Ok(prepared)
    }
}

impl Connection for SqliteConnection {
    fn engine(&self) -> Engine {
        Engine::Sqlite
    }

    fn begin_anew(&mut self) {
        self.deadline.put_off();
    }

    fn query(&mut self, statement: &Statement, repeats: usize, params: &[Value]) -> Result<Vec<Row>> {
        let mut prepared = self.bound(statement, repeats, params)?;
        let columns = prepared.column_count();
        let mut rows = prepared.raw_query();
        let mut all = Vec::new();
        while let Some(row) = rows.next().map_err(|e| about(statement, e))? {
            let values: Result<Vec<Value>> = (0..columns).map(|index| value(row.get_ref(index)?)).collect();
            all.push(Row(values?));
        }
        Ok(all)
    }

    fn columns(&mut self, statement: &Statement) -> Result<Vec<String>> {
        let prepared = self.bound(statement, 1, &[])?;
        Ok(prepared.column_names().map(str::to_owned).collect())
    }

    fn pass(
        &mut self,
        statement: &Statement,
        params: &[Value],
        see: &mut dyn FnMut(&[Passing<'_>]) -> Result<()>,
    ) -> Result<()> {
        let mut prepared = self.bound(statement, 1, params)?;
        let columns = prepared.column_count();
        let mut rows = prepared.raw_query();
        while let Some(row) = rows.next().map_err(|e| about(statement, e))? {
            let mut values = [Passing::Null; MOST_PASSING];
            for (index, value) in values.iter_mut().enumerate().take(columns) {
                *value = match row.get_ref(index)? {
                    ValueRef::Null => Passing::Null,
                    ValueRef::Integer(number) => Passing::Int(number),
                    ValueRef::Blob(bytes) => Passing::Bytes(bytes),
                    ValueRef::Real(_) | ValueRef::Text(_) => Passing::Other,
                };
            }
            see(&values[..columns.min(MOST_PASSING)])?;
        }
        Ok(())
    }

    fn execute(&mut self, statement: &Statement, repeats: usize, params: &[Value]) -> Result<u64> {
        let changed =
            self.bound(statement, repeats, params)?.raw_execute().map_err(|e| about(statement, e))?;
        Ok(changed as u64)
    }
}

impl Schema for SqliteConnection {
    fn engine(&self) -> Engine {
        Engine::Sqlite
    }

    fn begin_alone(&mut self) -> Result<()> {
        SqliteConnection::batch(self, "BEGIN IMMEDIATE")
    }

    fn batch(&mut self, sql: &str) -> Result<()> {
        SqliteConnection::batch(self, sql)
    }

    fn applied(&mut self) -> Result<Vec<Applied>> {
        let sql = "SELECT version, checksum FROM schema_migrations ORDER BY version";
        let mut statement = self.inner.prepare(sql)?;
        let rows =
            statement.query_map([], |row| Ok(Applied { version: row.get(0)?, checksum: row.get(1)? }))?;
        rows.collect::<rusqlite::Result<_>>().map_err(StoreError::from)
    }

    fn record(&mut self, migration: &Migration, checksum: &[u8; 32], now: Time) -> Result<()> {
        self.inner
            .execute(
                "INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (?1, ?2, ?3, ?4)",
                (migration.version, migration.name, checksum.as_slice(), now.micros()),
            )
            .map(drop)
            .map_err(StoreError::from)
    }

    fn application_role(&self) -> Option<String> {
        None
    }
}

/// When the work of a connection has to stop. Real time, not the mind's: a stuck statement must end in a simulation too.
struct Deadline {
    timeout: Duration,
    opened: Instant,
    /// Microseconds after `opened`; zero means none.
    due: AtomicU64,
}

impl Deadline {
    #[expect(
        clippy::disallowed_methods,
        reason = "a statement's timeout is real time, whatever time the mind is in"
    )]
    fn new(timeout: Duration) -> Deadline {
        Deadline { timeout, opened: Instant::now(), due: AtomicU64::new(0) }
    }

    fn arm(&self, limit: Duration) -> Armed<'_> {
        self.due_in(limit);
        Armed(self)
    }

    /// What is armed has its whole time again.
    fn put_off(&self) {
        if self.due.load(Ordering::Relaxed) != 0 {
            self.due_in(self.timeout);
        }
    }

    fn due_in(&self, limit: Duration) {
        let due = self.opened.elapsed() + limit;
        self.due.store(u64::try_from(due.as_micros()).unwrap_or(u64::MAX).max(1), Ordering::Relaxed);
    }

    fn has_passed(&self) -> bool {
        let due = self.due.load(Ordering::Relaxed);
        due != 0 && self.opened.elapsed().as_micros() > u128::from(due)
    }
}

/// Disarms when dropped, so that a commit is never interrupted.
struct Armed<'d>(&'d Deadline);

impl Drop for Armed<'_> {
    fn drop(&mut self) {
        self.0.due.store(0, Ordering::Relaxed);
    }
}

/// A value as SQLite stores it.
struct Bound<'v>(&'v Value);

impl rusqlite::ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let owned = |value| Ok(ToSqlOutput::Owned(value));
        match self.0 {
            Value::Null => Ok(ToSqlOutput::Borrowed(ValueRef::Null)),
            Value::Int(number) => owned((*number).into()),
            Value::Real(number) => owned((number + 0.0).into()),
            Value::Bool(yes) => owned(i64::from(*yes).into()),
            Value::Text(text) | Value::Json(text) => {
                Ok(ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())))
            }
            Value::Bytes(bytes) => Ok(ToSqlOutput::Borrowed(ValueRef::Blob(bytes))),
            Value::Id(id) => owned(id.bytes().to_vec().into()),
            Value::Time(time) => owned(time.micros().into()),
            Value::Vector(numbers) => {
                owned(numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>().into())
            }
        }
    }
}

fn value(stored: ValueRef<'_>) -> Result<Value> {
    Ok(match stored {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(bytes) => Value::Text(
            std::str::from_utf8(bytes)
                .map_err(|_| StoreError::Damaged("a text is not valid UTF-8".into()))?
                .to_owned(),
        ),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    })
}

fn about(statement: &Statement, error: rusqlite::Error) -> StoreError {
    match StoreError::from(error) {
        StoreError::Failed(what) => StoreError::Failed(format!("{what} (in {})", statement.name)),
        other => other,
    }
}

/// An SQLite error in our words.
impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        let message = error.to_string();
        let rusqlite::Error::SqliteFailure(failure, _) = &error else {
            return StoreError::Failed(message);
        };
        match failure.code {
            ErrorCode::DiskFull => StoreError::Full,
            ErrorCode::OperationInterrupted => StoreError::TimedOut,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreError::Damaged(message),
            ErrorCode::ConstraintViolation => match failure.extended_code {
                rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE | rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY => {
                    StoreError::Duplicate(message)
                }
                _ => StoreError::Refused(message),
            },
            ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied => {
                StoreError::Unusable(message)
            }
            // The index of the log could not be made longer.
            _ if failure.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE => StoreError::Full,
            _ => StoreError::Failed(message),
        }
    }
}

fn unusable(path: &Path, error: rusqlite::Error) -> StoreError {
    name_file(path, StoreError::from(error))
}

/// Says which file, and what to do about it.
fn name_file(path: &Path, error: StoreError) -> StoreError {
    let path = path.display();
    match error {
        StoreError::Unusable(what) => StoreError::Unusable(format!(
            "{path} cannot be opened ({what}): check that it exists and is yours to read and write"
        )),
        StoreError::Damaged(what) => StoreError::Unusable(format!(
            "{path} is damaged or is no database ({what}): it was left as it is; restore a backup, or move it away to \
             start anew"
        )),
        other => other,
    }
}
