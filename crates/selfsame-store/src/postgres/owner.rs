//! The role that owns the tables: makes, migrates and opens them. And what an application's role must be, and find.

use super::connection::{bound, connect, parse};
use super::errors::chain;
use crate::dialect::{self, Engine};
use crate::error::{Result, StoreError};
use crate::migrate::{self, Applied, Migration, Schema};
use crate::value::Value;
use ::postgres::Client;
use selfsame_core::time::Time;

/// The oldest server that is supported, as `server_version_num` spells it.
const OLDEST_SERVER: i64 = 150_000;
/// "selfsame migrate", as a number for the advisory lock.
const MIGRATION_LOCK: i64 = 0x5345_4c46_4d49_4752;

/// The owner of the tables: connects, migrates, opens them to the application, and goes.
pub(super) struct Owner {
    client: Client,
    application_role: String,
}

impl Owner {
    pub(super) fn connect(url: &str, application_role: String) -> Result<Owner> {
        Ok(Owner { client: connect(&parse(url, "database.owner_url")?)?, application_role })
    }

    pub(super) fn check_server(&mut self) -> Result<()> {
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
    pub(super) fn check_application(&mut self) -> Result<()> {
        let member = "SELECT pg_has_role($1::text::name, current_user, 'MEMBER')";
        let row = self.client.query_one(member, &[&self.application_role])?;
        if row.get(0) { Err(owns_tables()) } else { Ok(()) }
    }

    pub(super) fn prepare_schema(&mut self) -> Result<()> {
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
    pub(super) fn open_to_application(&mut self, version: i64) -> Result<()> {
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
pub(super) fn check_role(client: &mut Client) -> Result<()> {
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
pub(super) fn check_schema(client: &mut Client) -> Result<()> {
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
