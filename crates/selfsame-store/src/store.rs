//! The three ways in: read, write, system.

use crate::db::{Connection, Reader, Writer};
use crate::dialect::Engine;
use crate::duties::{self, Fence};
use crate::error::{Result, StoreError};
use crate::faults::Faults;
use crate::idempotency::{self, Idempotency, Replay};
use crate::migrate;
use crate::news::{Bell, Ear, News};
use crate::postgres::{Listener, Server};
use crate::sqlite::Database;
use crate::statement::Statement;
use crate::vector_index::Indexes;
use crate::words;
use selfsame_core::id::AgentId;
use selfsame_core::time::Time;
use selfsame_core::trust::Caller;
use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Between two statements of a transaction lie microseconds: who takes longer than this is not at work.
pub const LONGEST_STANDSTILL: Duration = Duration::from_secs(10);

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// After this long a statement is stopped.
    pub statement_timeout: Duration,
    /// PostgreSQL only: after standing still for so long in the middle of a transaction, a process loses it. One that was
    /// stopped, or whose machine sleeps, must not keep the rows that it locked from others.
    pub standstill: Duration,
    /// Readers on SQLite, the pool on PostgreSQL.
    pub connections: usize,
    /// Planned faults, for tests.
    pub faults: Faults,
    /// Every n-th write is rolled back and run again before it counts, for tests: what it does must be repeatable.
    pub rerun_every: Option<u64>,
    /// What an acknowledged write survives.
    pub durability: Durability,
    /// SQLite: bytes of vectors that are held in memory.
    pub vector_memory: usize,
    /// PostgreSQL: vectors of an agent that are compared one by one; above, a graph is asked.
    pub exact_up_to: usize,
}

/// What an acknowledged write survives on SQLite. PostgreSQL has settings of its own for this.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Durability {
    /// A power cut: a commit returns when it is on the disk.
    #[default]
    Full,
    /// The end of the process and nothing more. For simulations only, which crash nothing but minds: years of commits
    /// need not wait for the disk.
    None,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            statement_timeout: Duration::from_secs(30),
            standstill: LONGEST_STANDSTILL,
            connections: 8,
            faults: Faults::default(),
            rerun_every: None,
            durability: Durability::Full,
            vector_memory: 1 << 30,
            exact_up_to: 20_000,
        }
    }
}

/// Where the PostgreSQL server is, and who we are there.
#[derive(Clone, Debug)]
pub struct PostgresUrl {
    /// The application's role: owns nothing and cannot step around row-level security.
    pub application: String,
    /// The role that owns the tables; used to migrate and for nothing else.
    pub owner: Option<String>,
}

/// A database with its minds, on either engine.
pub struct Store {
    backend: Backend,
    options: Options,
    counters: Counters,
    indexes: Indexes,
    bell: Bell,
    /// Those who listen to what other processes write.
    listeners: Mutex<Vec<Listener>>,
}

enum Backend {
    Sqlite(Database),
    Postgres(Server),
}

impl Store {
    /// Opens the file, making or migrating it as needed. The caller holds the lock of its folder.
    pub fn open_sqlite(path: &Path, options: Options, now: Time) -> Result<Store> {
        let database = Database::open(path, &options, now)?;
        Ok(Store::over(Backend::Sqlite(database), options))
    }

    /// A database that is nowhere but in memory, and gone with the store. It is for one thread at a time: who reads there
    /// while another writes is made to wait.
    pub fn open_in_memory(options: Options, now: Time) -> Result<Store> {
        Store::open_in_memory_at(migrate::latest(), options, now)
    }

    /// The same with the schema of an older program, for what one wrote; [`Store::migrate_on`] takes the other steps.
    pub fn open_in_memory_at(version: i64, options: Options, now: Time) -> Result<Store> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let name = format!("file:/selfsame-{}?vfs=memdb", MADE.fetch_add(1, Ordering::Relaxed));
        let database = Database::open_at(Path::new(&name), version, &options, now)?;
        Ok(Store::over(Backend::Sqlite(database), options))
    }

    /// Takes the steps to the present schema, after [`Store::open_in_memory_at`].
    pub fn migrate_on(&self, now: Time) -> Result<()> {
        self.backend_sqlite().map_or(Ok(()), |database| database.migrate_on(&self.counters, now))
    }

    /// Connects to the server, migrating it if an owner is named.
    pub fn open_postgres(url: &PostgresUrl, options: Options, now: Time) -> Result<Store> {
        let server = Server::open(url, &options, now)?;
        Ok(Store::over(Backend::Postgres(server), options))
    }

    fn over(backend: Backend, options: Options) -> Store {
        let indexes = Indexes::new(options.vector_memory, options.exact_up_to);
        let (bell, listeners) = (Bell::default(), Mutex::default());
        Store { backend, options, counters: Counters::default(), indexes, bell, listeners }
    }

    /// Which engine it is.
    pub fn engine(&self) -> Engine {
        match self.backend {
            Backend::Sqlite(_) => Engine::Sqlite,
            Backend::Postgres(_) => Engine::Postgres,
        }
    }

    /// The engine's version, as it names it.
    pub fn engine_version(&self) -> Result<String> {
        match &self.backend {
            Backend::Sqlite(_) => Ok(rusqlite::version().to_owned()),
            Backend::Postgres(server) => server.version(),
        }
    }

    /// The server's clock. A file has none of its own.
    pub fn server_time(&self) -> Result<Time> {
        match &self.backend {
            Backend::Sqlite(_) => Err(StoreError::Failed("a file has no clock".into())),
            Backend::Postgres(server) => server.time(),
        }
    }

    /// What was counted since it was opened.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Has `ear` told of what is committed here, and, where several processes share a server, of what others commit.
    pub fn listen(&self, ear: &Ear) -> Result<()> {
        self.bell.add(Arc::clone(ear));
        if let Backend::Postgres(server) = &self.backend {
            let listener = server.listen(Arc::clone(ear))?;
            self.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(listener);
        }
        Ok(())
    }

    /// Reads rows of `agents`, all from one moment. `body` may be run again.
    pub fn read<T>(
        &self,
        _caller: &Caller,
        agents: &[AgentId],
        body: impl FnMut(&mut Reader) -> Result<T>,
    ) -> Result<T> {
        self.read_as(agents, self.options.statement_timeout, body)
    }

    /// Reads rows of `agents` in a transaction of its own, in which no statement may take longer than `limit`.
    pub(crate) fn read_briefly<T>(
        &self,
        agents: &[AgentId],
        limit: Duration,
        body: impl FnMut(&mut Reader) -> Result<T>,
    ) -> Result<T> {
        self.read_as(agents, limit.min(self.options.statement_timeout), body)
    }

    /// Writes rows of `agents`: all or nothing, one write after the other for each agent, durable when it returns.
    ///
    /// `body` may be run several times (a batch was rolled back, a deadlock, a lost connection): it must do the same
    /// each time, so ids, times and analysed words are made before. With an idempotency key the reply is stored with
    /// the effect, and a repetition gets that reply without a second effect.
    pub fn write<T: Replay>(
        &self,
        caller: &Caller,
        agents: &[AgentId],
        key: Option<&Idempotency>,
        mut body: impl FnMut(&mut Writer) -> Result<T>,
    ) -> Result<T> {
        // The agent is part of the scope: two agents may use the same word for two requests.
        let scope = agents.first().map_or_else(|| caller.to_string(), |agent| format!("{agent} {caller}"));
        self.write_as(agents, &caller.to_string(), key.is_some(), |writer| {
            let Some(key) = key else { return body(writer) };
            if let Some(reply) = idempotency::find(writer, &scope, key)? {
                return T::decode(&reply);
            }
            let reply = body(writer)?;
            let owner = agents.first().copied();
            idempotency::store(writer, &scope, key, owner, &reply.encode())?;
            Ok(reply)
        })
    }

    /// Reads the global tables: agents, keys. No agent's rows are visible.
    pub fn system<T>(&self, body: impl FnMut(&mut Reader) -> Result<T>) -> Result<T> {
        self.read_as(&[], self.options.statement_timeout, body)
    }

    /// Writes the global tables.
    pub fn system_write<T>(&self, body: impl FnMut(&mut Writer) -> Result<T>) -> Result<T> {
        self.write_as(&[], "system", false, body)
    }

    /// Writes the effects of a background duty: nothing is written if another has taken the duty over.
    pub fn fenced<T>(
        &self,
        fence: &Fence,
        agents: &[AgentId],
        mut body: impl FnMut(&mut Writer) -> Result<T>,
    ) -> Result<T> {
        self.write_as(agents, &fence.actor(), false, |writer| {
            duties::check_fence(writer, fence)?;
            body(writer)
        })
    }

    /// Writes what a process does for itself in the background, outside the duties that processes share.
    pub fn background<T>(
        &self,
        what: &str,
        agents: &[AgentId],
        body: impl FnMut(&mut Writer) -> Result<T>,
    ) -> Result<T> {
        self.write_as(agents, &format!("duty:{what}"), false, body)
    }

    /// Makes the database forget what it deleted, as far as readers let it right now: on SQLite no page and no log keeps a
    /// copy, on PostgreSQL the tables that have words are vacuumed and counted anew. Says whether nothing was in the way.
    pub fn compact(&self) -> Result<bool> {
        match &self.backend {
            Backend::Sqlite(database) => database.truncate_log(&self.counters),
            Backend::Postgres(server) => server.vacuum(&words::to_be_vacuumed()),
        }
    }

    /// Bytes of vectors that are in memory.
    pub fn vector_bytes(&self) -> usize {
        self.indexes.bytes()
    }

    /// Lets go of the vectors of a generation that are in memory, after they were dropped.
    pub fn let_go_of_vectors(&self, agent: AgentId, generation: i64) {
        self.indexes.let_go(agent, generation);
    }

    /// Lets go of all vectors of an agent that are in memory, after it was forgotten.
    pub fn let_go_of_agent(&self, agent: AgentId) {
        self.indexes.let_go_of_agent(agent);
    }

    /// Passes a named point of what is built on the store, or does what a test planned there.
    #[doc(hidden)]
    pub fn reach(&self, point: &'static str) -> Result<()> {
        self.options.faults.reach(point)
    }

    /// Prepares a statement without running it, for the test that prepares every one.
    #[doc(hidden)]
    pub fn prepare(&self, statement: &Statement, repeats: usize) -> Result<()> {
        match &self.backend {
            Backend::Sqlite(database) => database.prepare(statement, repeats),
            Backend::Postgres(server) => server.prepare(statement, repeats),
        }
    }

    /// How many writes queue for the one writer of SQLite, so that tests can build a batch without waiting by the clock.
    #[doc(hidden)]
    pub fn waiting_writers(&self) -> usize {
        self.backend_sqlite().map_or(0, Database::waiting_writers)
    }

    /// Lets the SQLite file grow to so many pages, so that a test can fill the disk.
    #[doc(hidden)]
    pub fn limit_pages(&self, pages: u32) -> Result<()> {
        self.backend_sqlite().map_or(Ok(()), |database| database.limit_pages(pages))
    }

    /// Takes the steps up to a version and no further, for the tests of later ones.
    #[doc(hidden)]
    pub fn migrate_sqlite(path: &Path, version: i64, now: Time) -> Result<()> {
        Database::migrate(path, version, now)
    }

    /// Takes the steps up to a version and no further, for the tests of later ones.
    #[doc(hidden)]
    pub fn migrate_postgres(url: &PostgresUrl, version: i64, now: Time) -> Result<()> {
        Server::migrate(url, version, &Faults::default(), now)
    }

    pub(crate) fn backend_sqlite(&self) -> Option<&Database> {
        match &self.backend {
            Backend::Sqlite(database) => Some(database),
            Backend::Postgres(_) => None,
        }
    }

    fn read_as<T>(
        &self,
        agents: &[AgentId],
        limit: Duration,
        mut body: impl FnMut(&mut Reader) -> Result<T>,
    ) -> Result<T> {
        let mut run = |connection: &mut dyn Connection| {
            body(&mut Reader::new(connection, agents, &self.counters).with_indexes(&self.indexes))
        };
        match &self.backend {
            Backend::Sqlite(database) => database.read(limit, &mut run),
            Backend::Postgres(server) => server.read(agents, limit, &mut run),
        }
    }

    fn write_as<T>(
        &self,
        agents: &[AgentId],
        actor: &str,
        repeatable: bool,
        mut body: impl FnMut(&mut Writer) -> Result<T>,
    ) -> Result<T> {
        let mut agents = agents.to_vec();
        agents.sort();
        agents.dedup();
        let rerun = self.counters.next_is_rerun(self.options.rerun_every);
        // Of the last run, if there are several.
        let news: RefCell<Vec<News>> = RefCell::default();
        let mut run = |connection: &mut dyn Connection| {
            self.options.faults.reach("write.begun")?;
            let mut writer = Writer::new(Reader::new(connection, &agents, &self.counters), actor);
            let result = body(&mut writer)?;
            news.replace(writer.into_news());
            self.options.faults.reach("write.applied")?;
            Ok(result)
        };
        let written = match &self.backend {
            Backend::Sqlite(database) => database.write(&self.counters, rerun, &mut run),
            Backend::Postgres(server) => {
                server.write(&agents, repeatable, &self.counters, rerun, &mut run, &news)
            }
        };
        let written = written.inspect_err(|error| self.counters.count_refusal(error))?;
        // Died here, the write is stored and not acknowledged: the case that idempotency keys are for.
        self.options
            .faults
            .reach("write.committed")
            .map_err(|fault| StoreError::Unknown { cause: fault.to_string() })?;
        self.counters.acknowledged.fetch_add(1, Ordering::Relaxed);
        self.bell.ring(&news.take());
        Ok(written)
    }
}

/// Counts that tests and `status` read.
#[derive(Debug, Default)]
pub struct Counters {
    statements: AtomicU64,
    writes: AtomicU64,
    commits: AtomicU64,
    acknowledged: AtomicU64,
    stale_tokens: AtomicU64,
}

impl Counters {
    /// Statements that crossed the waist.
    pub fn statements(&self) -> u64 {
        self.statements.load(Ordering::Relaxed)
    }

    /// Commits of writes; on SQLite each is one fsync, shared by all writes of a batch.
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Writes that were acknowledged.
    pub fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::Relaxed)
    }

    /// Writes and renewals that were refused because another process had taken the duty over.
    pub fn stale_tokens(&self) -> u64 {
        self.stale_tokens.load(Ordering::Relaxed)
    }

    fn count_refusal(&self, error: &StoreError) {
        if matches!(error, StoreError::StaleFence) {
            self.stale_tokens.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn count_statement(&self) {
        self.statements.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_commit(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    fn next_is_rerun(&self, every: Option<u64>) -> bool {
        let number = self.writes.fetch_add(1, Ordering::Relaxed) + 1;
        every.is_some_and(|every| number.is_multiple_of(every.max(1)))
    }
}
