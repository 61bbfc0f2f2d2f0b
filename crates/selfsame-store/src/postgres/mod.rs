//! How PostgreSQL speaks the waist: a pool of connections, each used from plain threads only.
//!
//! The synchronous client runs a small runtime of its own and panics on an async worker; the daemon therefore calls the
//! engine from threads that are no workers. A transaction names its agents with a local setting, and row-level security
//! shows it those agents' rows and no others.

use crate::db::Connection;
use crate::dialect::{self, Engine};
use crate::error::{Result, StoreError};
use crate::faults::Faults;
use crate::migrate::{self, Applied, Migration, Schema};
use crate::pool::{Lease, Pool};
use crate::statement::Statement;
use crate::store::{Counters, Options, PostgresUrl};
use crate::value::{Row, Value};
use ::postgres::config::Host;
use ::postgres::error::SqlState;
use ::postgres::types::private::BytesMut;
use ::postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use ::postgres::{Client, Config, NoTls};
use selfsame_core::id::{AgentId, Id};
use selfsame_core::time::Time;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// The oldest server that is supported, as `server_version_num` spells it.
const OLDEST_SERVER: i64 = 150_000;
/// How often a write is tried when others get in its way.
const TRIES: usize = 5;
/// "selfsame migrate", as a number for the advisory lock.
const MIGRATION_LOCK: i64 = 0x5345_4c46_4d49_4752;
/// Microseconds from the Unix epoch to PostgreSQL's, 2000-01-01.
const EPOCH: i64 = 946_684_800_000_000;

pub(crate) struct Server {
    config: Config,
    pool: Pool<PgConnection>,
    statement_timeout: Duration,
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
            faults: options.faults.clone(),
        };
        let mut lease = server.connection()?;
        // Before the owner makes anything: a role that is refused leaves the database as it was.
        check_role(&mut lease.get()?.client)?;
        Server::migrate(url, migrate::latest(), &options.faults, now)?;
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
        connection.begin(&self.begin("READ ONLY", &[]))?;
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

    /// The server's clock.
    pub(crate) fn time(&self) -> Result<Time> {
        let mut lease = self.connection()?;
        let row = lease.get()?.client.query_one("SELECT clock_timestamp()", &[])?;
        match row.try_get(0)? {
            Value::Time(time) => Ok(time),
            _ => Err(StoreError::Failed("the server's clock cannot be read".into())),
        }
    }

    /// One snapshot for all that `body` reads.
    pub(crate) fn read<T>(&self, agents: &[AgentId], body: Body<'_, T>) -> Result<T> {
        self.retrying(true, || {
            let mut lease = self.connection()?;
            let begin = self.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY", agents);
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
    ) -> Result<T> {
        self.retrying(repeatable, || {
            let mut lease = self.connection()?;
            let begin = self.begin("ISOLATION LEVEL READ COMMITTED", agents);
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
            // A transaction in which a statement failed commits without a word and stores nothing; the query before it
            // makes the server say so.
            finish(lease, "SELECT 1; COMMIT", result).inspect(|_| counters.count_commit())
        })
    }

    /// Begins a transaction and says whose rows it may see. All settings are local: nothing stays on the connection.
    fn begin(&self, mode: &str, agents: &[AgentId]) -> String {
        let agents: Vec<String> = agents.iter().map(|agent| uuid(agent.id())).collect();
        format!(
            "BEGIN TRANSACTION {mode};
             SET LOCAL search_path = selfsame, public;
             SET LOCAL statement_timeout = {};
             SET LOCAL selfsame.agents = '{}'",
            self.statement_timeout.as_millis(),
            agents.join(",")
        )
    }

    fn connection(&self) -> Result<Lease<'_, PgConnection>> {
        loop {
            let mut lease = self
                .pool
                .take(|| Ok(PgConnection { client: connect(&self.config)?, cache: BTreeMap::new() }))?;
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

/// One connection, with the statements it has prepared.
struct PgConnection {
    client: Client,
    cache: BTreeMap<Arc<str>, ::postgres::Statement>,
}

impl PgConnection {
    fn begin(&mut self, begin: &str) -> Result<()> {
        self.client.batch_execute(begin).map_err(StoreError::from)
    }

    /// Writes are serial per agent; several agents are locked in one order, so no two writes wait for each other.
    fn lock(&mut self, agents: &[AgentId]) -> Result<()> {
        let Some(sql) = dialect::lock_agent(Engine::Postgres) else {
            return Ok(());
        };
        let statement = self.prepared(&Arc::from(sql))?;
        for agent in agents {
            self.client.query(&statement, &[&Value::Id(agent.id())])?;
        }
        Ok(())
    }

    fn prepared(&mut self, sql: &Arc<str>) -> Result<::postgres::Statement> {
        if let Some(statement) = self.cache.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql)?;
        self.cache.insert(Arc::clone(sql), statement.clone());
        Ok(statement)
    }
}

impl Connection for PgConnection {
    fn engine(&self) -> Engine {
        Engine::Postgres
    }

    fn query(&mut self, statement: &Statement, repeats: usize, params: &[Value]) -> Result<Vec<Row>> {
        let prepared =
            self.prepared(&statement.sql(Engine::Postgres, repeats)).map_err(|e| about(statement, e))?;
        let rows = self
            .client
            .query(&prepared, &bound(params))
            .map_err(|e| about(statement, StoreError::from(e)))?;
        rows.iter().map(row).collect()
    }

    fn execute(&mut self, statement: &Statement, repeats: usize, params: &[Value]) -> Result<u64> {
        let prepared =
            self.prepared(&statement.sql(Engine::Postgres, repeats)).map_err(|e| about(statement, e))?;
        self.client.execute(&prepared, &bound(params)).map_err(|e| about(statement, StoreError::from(e)))
    }
}

fn bound(params: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    params.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn row(row: &::postgres::Row) -> Result<Row> {
    let values: std::result::Result<Vec<Value>, _> = (0..row.len()).map(|index| row.try_get(index)).collect();
    Ok(Row(values?))
}

/// The owner of the tables: connects, migrates, opens them to the application, and goes.
struct Owner {
    client: Client,
    application_role: String,
}

impl Owner {
    fn connect(url: &str, application_role: String) -> Result<Owner> {
        Ok(Owner { client: connect(&parse(url, "database.owner_url")?)?, application_role })
    }

    fn check_server(&mut self) -> Result<()> {
        let version = number(&mut self.client, "SELECT current_setting('server_version_num')::bigint")?;
        if version < OLDEST_SERVER {
            return Err(StoreError::Unusable(format!(
                "the PostgreSQL server is version {}, and 15 is the oldest supported: use a newer server",
                version / 10_000
            )));
        }
        Ok(())
    }

    /// What this role makes it owns, so the application may be neither it nor a member of it.
    fn check_application(&mut self) -> Result<()> {
        let member = "SELECT pg_has_role($1::text::name, current_user, 'MEMBER')";
        let row = self.client.query_one(member, &[&self.application_role])?;
        if row.get(0) { Err(owns_tables()) } else { Ok(()) }
    }

    fn prepare_schema(&mut self) -> Result<()> {
        let there = number(
            &mut self.client,
            "SELECT COUNT(*) FROM pg_available_extensions WHERE name = 'vector'
                AND (string_to_array(default_version, '.')::int[] >= ARRAY[0, 8])",
        )?;
        if there == 0 {
            return Err(StoreError::Unusable(
                "the PostgreSQL server has no pgvector 0.8: install it there (Debian: apt-get install \
                 postgresql-17-pgvector, with the server's own number), then start again"
                    .into(),
            ));
        }
        self.client
            // One after the other: "if not exists" does not help two who both saw that it does not.
            .batch_execute(&format!(
                "BEGIN; SELECT pg_advisory_xact_lock({MIGRATION_LOCK}); CREATE SCHEMA IF NOT EXISTS selfsame;
                 CREATE EXTENSION IF NOT EXISTS vector SCHEMA public; COMMIT"
            ))
            .map_err(|error| {
                StoreError::Unusable(format!(
                    "the owner role may not make the schema or the extension ({}): run as a superuser of that \
                     database: CREATE EXTENSION vector; CREATE SCHEMA selfsame AUTHORIZATION <owner role>;",
                    chain(&error)
                ))
            })
    }

    /// Grants and policies, again: the application may have been given another role since.
    fn open_to_application(&mut self, version: i64) -> Result<()> {
        let role = dialect::quote_identifier(&self.application_role);
        let sql = migrate::rules(version, Engine::Postgres, Some(&self.application_role));
        self.client
            .batch_execute(&format!(
                "BEGIN; SELECT pg_advisory_xact_lock({MIGRATION_LOCK}); SET LOCAL search_path = selfsame, public;
                 GRANT USAGE ON SCHEMA selfsame TO {role}; GRANT SELECT ON schema_migrations TO {role}; {sql} COMMIT"
            ))
            .map_err(StoreError::from)
    }
}

impl Schema for Owner {
    fn engine(&self) -> Engine {
        Engine::Postgres
    }

    /// Ten daemons may start at once on an empty database: one migrates, the others wait and find it done.
    fn begin_alone(&mut self) -> Result<()> {
        self.client
            .batch_execute(&format!(
                "BEGIN; SELECT pg_advisory_xact_lock({MIGRATION_LOCK}); SET LOCAL search_path = selfsame, public"
            ))
            .map_err(StoreError::from)
    }

    fn batch(&mut self, sql: &str) -> Result<()> {
        self.client.batch_execute(sql).map_err(StoreError::from)
    }

    fn applied(&mut self) -> Result<Vec<Applied>> {
        applied(&mut self.client)
    }

    fn record(&mut self, migration: &Migration, checksum: &[u8; 32], now: Time) -> Result<()> {
        let values: [Value; 4] =
            [migration.version.into(), migration.name.into(), checksum.into(), now.into()];
        self.client
            .execute(
                "INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)",
                &bound(&values),
            )
            .map(drop)
            .map_err(StoreError::from)
    }

    fn application_role(&self) -> Option<String> {
        Some(self.application_role.clone())
    }
}

fn applied(client: &mut Client) -> Result<Vec<Applied>> {
    let sql = "SELECT version, checksum FROM selfsame.schema_migrations ORDER BY version";
    let rows = client.query(sql, &[])?;
    Ok(rows.iter().map(|row| Applied { version: row.get(0), checksum: row.get(1) }).collect())
}

/// The application's role must be bound by row-level security, and the schema must be the one this program knows.
fn check_role(client: &mut Client) -> Result<()> {
    let stands_above = number(
        client,
        "SELECT COUNT(*) FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)",
    )?;
    if stands_above > 0 {
        return Err(StoreError::Unusable(
            "the database role of database.url is a superuser or bypasses row-level security, so nothing would keep \
             agents apart: make a plain role (CREATE ROLE selfsame_app LOGIN PASSWORD '...' NOSUPERUSER NOBYPASSRLS) \
             and name it in database.url; the other role may stay in database.owner_url"
                .into(),
        ));
    }
    Ok(())
}

/// The schema must be the one this program knows, and not the application's own.
fn check_schema(client: &mut Client) -> Result<()> {
    let missing = number(client, "SELECT COUNT(*) FROM pg_namespace WHERE nspname = 'selfsame'")? == 0;
    let closed =
        missing || number(client, "SELECT has_schema_privilege('selfsame', 'USAGE')::int::bigint")? == 0;
    if closed {
        return Err(needs_owner("the database has no tables of selfsame that this role may use"));
    }
    let owned = number(
        client,
        "SELECT COUNT(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = 'selfsame' AND pg_has_role(c.relowner, 'MEMBER')",
    )?;
    if owned > 0 {
        return Err(owns_tables());
    }
    let steps = applied(client)?;
    migrate::check(&steps, migrate::MIGRATIONS)?;
    if (steps.len() as i64) < migrate::latest() {
        return Err(needs_owner("the database is of an older version"));
    }
    Ok(())
}

fn owns_tables() -> StoreError {
    StoreError::Unusable(
        "the database role of database.url owns the tables and could switch row-level security off: make a second \
         role (CREATE ROLE selfsame_app LOGIN PASSWORD '...'), name it in database.url, and name the present one in \
         database.owner_url"
            .into(),
    )
}

fn needs_owner(what: &str) -> StoreError {
    StoreError::Unusable(format!(
        "{what}: name the role that owns (or shall own) them once, with --db-owner or database.owner_url, and the \
         tables are made, migrated and opened to the application's role"
    ))
}

fn number(client: &mut Client, sql: &str) -> Result<i64> {
    Ok(client.query_one(sql, &[])?.get(0))
}

fn parse(url: &str, setting: &str) -> Result<Config> {
    let mut config: Config = url.parse().map_err(|_| {
        StoreError::Unusable(format!(
            "{setting} is no PostgreSQL address: write postgres://user:password@host:5432/database"
        ))
    })?;
    if config.get_user().is_none() {
        return Err(StoreError::Unusable(format!(
            "{setting} names no role: write postgres://user:password@host:5432/database"
        )));
    }
    config.application_name("selfsame");
    config.connect_timeout(Duration::from_secs(5));
    config.keepalives_idle(Duration::from_secs(10));
    config.tcp_user_timeout(Duration::from_secs(15));
    Ok(config)
}

fn connect(config: &Config) -> Result<Client> {
    config.connect(NoTls).map_err(|error| {
        let place: Vec<String> = config.get_hosts().iter().map(host_name).collect();
        StoreError::Unreachable(format!(
            "no connection to PostgreSQL as {:?} at {} ({}): check the address, the password and that the server runs",
            config.get_user().unwrap_or_default(),
            place.join(", "),
            chain(&error)
        ))
    })
}

fn host_name(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    }
}

/// An error with what caused it, on one line.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string().replace('\n', " ");
    let mut cause = error.source();
    while let Some(error) = cause {
        write!(text, ": {}", error.to_string().replace('\n', " ")).unwrap_or_default();
        cause = error.source();
    }
    text
}

fn about(statement: &Statement, error: StoreError) -> StoreError {
    match error {
        StoreError::Failed(what) => StoreError::Failed(format!("{what} (in {})", statement.name)),
        other => other,
    }
}

/// A PostgreSQL error in our words.
impl From<::postgres::Error> for StoreError {
    fn from(error: ::postgres::Error) -> StoreError {
        let Some(said) = error.as_db_error() else {
            return if error.is_closed() || is_io(&error) {
                StoreError::Unreachable(chain(&error))
            } else {
                StoreError::Failed(chain(&error))
            };
        };
        let message = said.message().to_owned();
        let code = said.code();
        let lost = [
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
            SqlState::TOO_MANY_CONNECTIONS,
            SqlState::CONNECTION_FAILURE,
        ];
        let refused = [
            SqlState::CHECK_VIOLATION,
            SqlState::FOREIGN_KEY_VIOLATION,
            SqlState::NOT_NULL_VIOLATION,
            SqlState::INSUFFICIENT_PRIVILEGE,
        ];
        if lost.contains(code) {
            StoreError::Unreachable(message)
        } else if *code == SqlState::UNIQUE_VIOLATION {
            StoreError::Duplicate(message)
        } else if refused.contains(code) {
            StoreError::Refused(message)
        } else if *code == SqlState::QUERY_CANCELED {
            StoreError::TimedOut
        } else if *code == SqlState::DISK_FULL {
            StoreError::Full
        } else {
            StoreError::Failed(message)
        }
    }
}

fn is_io(error: &::postgres::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.is::<std::io::Error>() {
            return true;
        }
        cause = error.source();
    }
    false
}

fn uuid(id: Id) -> String {
    let hex = selfsame_core::seal::hex(&id.bytes());
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

type Encoded = std::result::Result<IsNull, Box<dyn Error + Sync + Send>>;

/// A value in the native binary form of the column or parameter that it is for.
impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Encoded {
        match (self, ty) {
            (Value::Null, _) => return Ok(IsNull::Yes),
            (Value::Int(number), &Type::INT8) => number.to_sql(ty, out)?,
            (Value::Int(number), &Type::INT4) => i32::try_from(*number)?.to_sql(ty, out)?,
            (Value::Real(number), &Type::FLOAT8) => (number + 0.0).to_sql(ty, out)?,
            (Value::Bool(yes), &Type::BOOL) => yes.to_sql(ty, out)?,
            (Value::Text(text), &Type::TEXT | &Type::VARCHAR | &Type::NAME) => text.to_sql(ty, out)?,
            (Value::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(ty, out)?,
            (Value::Id(id), &Type::UUID) => put(out, &id.bytes()),
            (Value::Time(time), &Type::TIMESTAMPTZ) => put(out, &(time.micros() - EPOCH).to_be_bytes()),
            (Value::Json(text), &Type::JSONB) => {
                put(out, &[1]); // jsonb's version
                put(out, text.as_bytes())
            }
            (Value::Vector(numbers), ty) if ty.name() == "vector" => {
                put(out, &u16::try_from(numbers.len())?.to_be_bytes());
                put(out, &[0, 0]);
                numbers.iter().fold(IsNull::No, |_, number| put(out, &number.to_be_bytes()))
            }
            (value, ty) => return Err(format!("a {value:?} does not fit a {ty}").into()),
        };
        Ok(IsNull::No)
    }

    fn accepts(_ty: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

fn put(out: &mut BytesMut, bytes: &[u8]) -> IsNull {
    out.extend_from_slice(bytes);
    IsNull::No
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> std::result::Result<Value, Box<dyn Error + Sync + Send>> {
        Ok(match *ty {
            Type::INT8 => Value::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Value::Int(i32::from_sql(ty, raw)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(ty, raw)?),
            Type::BOOL => Value::Bool(bool::from_sql(ty, raw)?),
            Type::TEXT | Type::VARCHAR | Type::NAME => Value::Text(String::from_sql(ty, raw)?),
            Type::BYTEA => Value::Bytes(raw.to_vec()),
            Type::UUID => Value::Id(Id::from_bytes(raw.try_into()?)),
            Type::TIMESTAMPTZ => {
                let micros = i64::from_be_bytes(raw.try_into()?);
                Value::Time(Time::from_micros(micros.checked_add(EPOCH).ok_or("a moment out of range")?))
            }
            // jsonb gives its own order of keys and spaces: back to the one spelling that everything above knows.
            Type::JSONB => {
                let value: serde_json::Value = serde_json::from_slice(raw.get(1..).unwrap_or_default())?;
                Value::Json(selfsame_core::json::canonical(&value))
            }
            _ if ty.name() == "vector" => Value::Vector(
                raw.get(4..)
                    .unwrap_or_default()
                    .chunks_exact(4)
                    .map(|four| f32::from_be_bytes([four[0], four[1], four[2], four[3]]))
                    .collect(),
            ),
            _ => return Err(format!("a column of type {ty} is not known to the waist").into()),
        })
    }

    fn from_sql_null(_ty: &Type) -> std::result::Result<Value, Box<dyn Error + Sync + Send>> {
        Ok(Value::Null)
    }

    fn accepts(_ty: &Type) -> bool {
        true
    }
}
