//! How PostgreSQL speaks the waist: a pool of connections, each used from plain threads only.
//!
//! The synchronous client runs a small runtime of its own and panics on an async worker; the daemon therefore calls the
//! engine from threads that are no workers. A transaction names its agents with a local setting, and row-level security
//! shows it those agents' rows and no others.

mod connection;
mod errors;
mod listen;
mod owner;
mod values;

use self::connection::{PgConnection, parse};
pub(crate) use self::listen::Listener;
use self::owner::{Owner, check_role, check_schema};
use self::values::uuid;
use crate::db::Connection;
use crate::dialect::Engine;
use crate::error::{Result, StoreError};
use crate::faults::Faults;
use crate::migrate;
use crate::news::{Ear, News};
use crate::pool::{Lease, Pool};
use crate::statement::Statement;
use crate::store::{Counters, Options, PostgresUrl};
use crate::value::Value;
use ::postgres::Config;
use selfsame_core::id::AgentId;
use selfsame_core::time::Time;
use std::cell::RefCell;
use std::time::Duration;

/// How often a write is tried when others get in its way.
const TRIES: usize = 5;

pub(crate) struct Server {
    config: Config,
    pool: Pool<PgConnection>,
    statement_timeout: Duration,
    standstill: Duration,
    faults: Faults,
}

type Body<'b, T> = &'b mut dyn FnMut(&mut dyn Connection) -> Result<T>;

impl Server {
    pub(crate) fn open(url: &PostgresUrl, options: &Options, now: Time) -> Result<Server> {
        let config = parse(&url.application, "database.url")?;
        let server = Server {
            config,
            pool: Pool::new(options.connections, options.statement_timeout),
            statement_timeout: options.statement_timeout,
            standstill: options.standstill,
            faults: options.faults.clone(),
        };
        let mut lease = server.connection()?;
        // Before the owner makes anything: a role that is refused leaves the database as it was.
        check_role(&mut lease.get()?.client)?;
        // The rules of the tables are set anew each time, and others who are at work hold these in another order: a deadlock
        // ends one of the two, which tries again.
        server.retrying(true, || Server::migrate(url, migrate::latest(), &options.faults, now))?;
        check_schema(&mut lease.get()?.client)?;
        drop(lease);
        Ok(server)
    }

    /// If an owner is named, takes the steps up to a version and opens the tables to the application.
    pub(crate) fn migrate(url: &PostgresUrl, version: i64, faults: &Faults, now: Time) -> Result<()> {
        let Some(owner) = &url.owner else { return Ok(()) };
        let role = parse(&url.application, "database.url")?.get_user().unwrap_or_default().to_owned();
        let mut owner = Owner::connect(owner, role)?;
        owner.check_server()?;
        owner.check_application()?;
        owner.prepare_schema()?;
        migrate::run(&mut owner, version, faults, now)?;
        owner.open_to_application(version)
    }

    pub(crate) fn prepare(&self, statement: &Statement, repeats: usize) -> Result<()> {
        let mut lease = self.connection()?;
        let connection = lease.get()?;
        connection.begin(&self.begin("READ ONLY", &[], self.statement_timeout))?;
        let result = connection
            .client
            .prepare(&statement.sql(Engine::Postgres, repeats))
            .map(drop)
            .map_err(StoreError::from);
        finish(lease, "COMMIT", result)
    }

    pub(crate) fn version(&self) -> Result<String> {
        let mut lease = self.connection()?;
        let row = lease.get()?.client.query_one("SHOW server_version", &[])?;
        Ok(row.get(0))
    }

    /// Has `ear` told of what is committed on the server, until what is returned is dropped.
    pub(crate) fn listen(&self, ear: Ear) -> Result<Listener> {
        Listener::start(self.config.clone(), ear)
            .map_err(|error| StoreError::Failed(format!("no thread can be started to listen: {error}")))
    }

    /// The server's clock.
    pub(crate) fn time(&self) -> Result<Time> {
        let mut lease = self.connection()?;
        let row = lease.get()?.client.query_one("SELECT clock_timestamp()", &[])?;
        match row.try_get(0)? {
            Value::Time(time) => Ok(time),
            _ => Err(StoreError::Failed("the server's clock cannot be read".into())),
        }
    }

    /// Takes what was deleted out of these tables, and out of what the server has counted of them: its statistics quote
    /// values. A table that the role may not maintain is passed over by the server, whose own vacuum comes by later. Says
    /// whether nothing was in the way.
    pub(crate) fn vacuum(&self, tables: &[&str]) -> Result<bool> {
        let named: Vec<String> = tables.iter().map(|table| format!("selfsame.{table}")).collect();
        let named = named.join(", ");
        let mut lease = self.connection()?;
        let client = &mut lease.get()?.client;
        client.batch_execute(&format!("VACUUM (SKIP_LOCKED) {named}"))?;
        client.batch_execute(&format!("ANALYZE (SKIP_LOCKED) {named}"))?;
        // Of a table without rows the old statistics stay; since version 18 they can be dropped. Unlike the others this waits
        // for whoever is at the table: if that takes too long, the next act of forgetting does it.
        let version = "SELECT current_setting('server_version_num')::int >= 180000";
        if client.query_one(version, &[])?.try_get::<_, Value>(0)? != Value::Bool(true) {
            return Ok(true);
        }
        let cleared = client.batch_execute(&format!(
            "SELECT pg_clear_attribute_stats('selfsame', c.relname, a.attname, false)
             FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
             WHERE c.oid = ANY (ARRAY['{}']::regclass[]) AND c.reltuples = 0 AND a.attnum > 0
                AND NOT a.attisdropped AND has_table_privilege(c.oid, 'MAINTAIN')",
            named.replace(", ", "', '")
        ));
        Ok(cleared.is_ok())
    }

    /// One snapshot for all that `body` reads.
    pub(crate) fn read<T>(&self, agents: &[AgentId], limit: Duration, body: Body<'_, T>) -> Result<T> {
        self.retrying(true, || {
            let mut lease = self.connection()?;
            let begin = self.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY", agents, limit);
            let result = lease.get()?.begin(&begin).and_then(|()| body(lease.get()?));
            finish(lease, "COMMIT", result)
        })
    }

    /// `repeatable`: an idempotency key makes it safe to run again what may have been stored.
    pub(crate) fn write<T>(
        &self,
        agents: &[AgentId],
        repeatable: bool,
        counters: &Counters,
        rerun: bool,
        body: Body<'_, T>,
        news: &RefCell<Vec<News>>,
    ) -> Result<T> {
        self.retrying(repeatable, || {
            let mut lease = self.connection()?;
            let begin = self.begin("ISOLATION LEVEL READ COMMITTED", agents, self.statement_timeout);
            let result = lease.get()?.begin(&begin).and_then(|()| {
                let connection = lease.get()?;
                connection.lock(agents)?;
                if rerun {
                    connection.client.batch_execute("SAVEPOINT rehearsal")?;
                    let rehearsed = body(connection);
                    connection.client.batch_execute("ROLLBACK TO rehearsal")?;
                    rehearsed?;
                }
                body(connection)
            });
            let result = result.and_then(|done| self.faults.reach("write.before_commit").map(|()| done));
            finish(lease, &listen::commit(&news.borrow()), result).inspect(|_| counters.count_commit())
        })
    }

    /// Begins a transaction and says whose rows it may see. All settings are local: nothing stays on the connection.
    fn begin(&self, mode: &str, agents: &[AgentId], limit: Duration) -> String {
        let agents: Vec<String> = agents.iter().map(|agent| uuid(agent.id())).collect();
        format!(
            "BEGIN TRANSACTION {mode};
             SET LOCAL search_path = selfsame, public;
             SET LOCAL statement_timeout = {};
             SET LOCAL idle_in_transaction_session_timeout = {};
             SET LOCAL selfsame.agents = '{}'",
            limit.as_millis(),
            self.standstill.as_millis(),
            agents.join(",")
        )
    }

    fn connection(&self) -> Result<Lease<'_, PgConnection>> {
        loop {
            let mut lease = self.pool.take(|| PgConnection::open(&self.config))?;
            if !lease.get()?.client.is_closed() {
                return Ok(lease);
            }
            lease.discard();
        }
    }

    /// Deadlocks, serialization failures and lost connections are tried again; whatever else fails, fails.
    fn retrying<T>(&self, repeatable: bool, mut work: impl FnMut() -> Result<T>) -> Result<T> {
        for attempt in 1..TRIES {
            match work() {
                Err(StoreError::Unreachable(_)) => {}
                Err(StoreError::Unknown { .. }) if repeatable => {}
                other => return other,
            }
            self.pool.clear();
            std::thread::sleep(Duration::from_millis(20 << attempt));
        }
        work()
    }
}

/// Ends a transaction: commits what succeeded, rolls back what did not, closes a connection that cannot.
fn finish<T>(mut lease: Lease<'_, PgConnection>, commit: &str, result: Result<T>) -> Result<T> {
    let client = &mut lease.get()?.client;
    match result {
        Ok(done) => match client.batch_execute(commit) {
            Ok(()) => Ok(done),
            Err(error) => {
                let error = StoreError::from(error);
                lease.discard();
                Err(match error {
                    StoreError::Unreachable(cause) => StoreError::Unknown { cause },
                    other => other,
                })
            }
        },
        Err(error) => {
            if client.batch_execute("ROLLBACK").is_err() {
                lease.discard();
            }
            Err(error)
        }
    }
}
