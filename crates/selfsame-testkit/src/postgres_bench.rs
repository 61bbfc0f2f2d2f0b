//! A fresh database per test on the test server, cloned from one that was migrated once.
//!
//! Migrating takes a second, cloning a few hundredths. Each test process has a template of its own, so that a change to
//! the schema is never tested against yesterday's; templates and databases of processes that died are swept away by
//! the next one.

use crate::raw::Raw;
use postgres::config::Host;
use postgres::{Client, Config, NoTls};
use selfsame::time::Time;
use selfsame_store::{Options, PostgresUrl, Store};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

/// The application's role: owns nothing, bypasses nothing.
pub const APPLICATION_ROLE: &str = "selfsame_app_test";
/// Its password, for servers that ask.
pub const APPLICATION_PASSWORD: &str = "selfsame";
/// Every database that tests make begins with this.
const PREFIX: &str = "selfsame_test_";
/// "selftest", as a number: held by whoever makes roles and templates.
const LOCK: i64 = 0x7365_6c66_7465_7374;

/// The test server.
pub struct Server {
    url: String,
}

impl Server {
    /// The server with pgvector.
    pub fn with_vectors() -> Server {
        Server::named("SELFSAME_TEST_PG")
    }

    /// The server without.
    pub fn bare() -> Server {
        Server::named("SELFSAME_TEST_PG_BARE")
    }

    fn named(variable: &str) -> Server {
        match std::env::var(variable) {
            Ok(url) => Server { url },
            Err(_) => panic!(
                "{variable} is not set, so there is no PostgreSQL to test with: run `cargo xtask test`, or \
                 `cargo xtask pg` in another terminal and export what it prints"
            ),
        }
    }

    /// The address of one of its databases, for a role.
    pub fn url(&self, role: &str, password: &str, database: &str) -> String {
        let config = self.config();
        let host = match config.get_hosts().first() {
            Some(Host::Tcp(host)) => host.clone(),
            _ => panic!("the test server must be named with a host: {}", self.url),
        };
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let password = if password.is_empty() { String::new() } else { format!(":{password}") };
        format!("postgres://{role}{password}@{host}:{port}/{database}")
    }

    /// The address of one of its databases, for the superuser.
    pub fn superuser_url(&self, database: &str) -> String {
        let config = self.config();
        let password = String::from_utf8_lossy(config.get_password().unwrap_or_default()).into_owned();
        self.url(config.get_user().unwrap_or("postgres"), &password, database)
    }

    /// Both addresses of a database: the application's and the owner's.
    pub fn urls(&self, database: &str) -> PostgresUrl {
        PostgresUrl {
            application: self.url(APPLICATION_ROLE, APPLICATION_PASSWORD, database),
            owner: Some(self.superuser_url(database)),
        }
    }

    /// The superuser, in the database that every server has.
    pub fn superuser(&self) -> Raw {
        Raw::Postgres(connect(&self.url))
    }

    /// A fresh and empty database, which goes when this is dropped.
    pub fn empty_database(&self) -> Database {
        self.make_database("template1", false)
    }

    /// A fresh database with the present schema and no rows.
    pub fn migrated_database(&self) -> Database {
        static TEMPLATE: OnceLock<String> = OnceLock::new();
        let template = TEMPLATE.get_or_init(|| self.make_template());
        self.make_database(template, true)
    }

    /// Makes a role that can log in, if it is missing; `rights` as CREATE ROLE has them.
    pub fn ensure_role(&self, name: &str, rights: &str) {
        self.locked(|client| {
            let there = client.query_opt("SELECT 1 FROM pg_roles WHERE rolname = $1", &[&name]).unwrap();
            if there.is_none() {
                let sql = format!("CREATE ROLE {name} LOGIN PASSWORD '{APPLICATION_PASSWORD}' {rights}");
                client.batch_execute(&sql).unwrap();
            }
        });
    }

    fn make_database(&self, template: &str, migrated: bool) -> Database {
        self.ensure_application_role();
        let name = unique_name();
        connect(&self.url).batch_execute(&format!("CREATE DATABASE {name} TEMPLATE {template}")).unwrap();
        Database { server: Server { url: self.url.clone() }, name, migrated }
    }

    fn ensure_application_role(&self) {
        static DONE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
        let mut done = DONE.lock().unwrap();
        if !done.contains(&self.url) {
            self.ensure_role(APPLICATION_ROLE, "NOSUPERUSER NOBYPASSRLS");
            done.insert(self.url.clone());
        }
    }

    fn make_template(&self) -> String {
        self.sweep();
        let template = self.empty_database();
        Store::open_postgres(&self.urls(&template.name), Options::default(), Time::from_micros(0)).unwrap();
        let name = template.name.clone();
        // It stays for the life of the process; the next process sweeps it away.
        std::mem::forget(template);
        name
    }

    /// Drops what processes left that are no more.
    fn sweep(&self) {
        self.locked(|client| {
            let pattern = format!("{PREFIX}%");
            let names =
                client.query("SELECT datname FROM pg_database WHERE datname LIKE $1", &[&pattern]).unwrap();
            for row in names {
                let name: String = row.get(0);
                let process = name[PREFIX.len()..].split('_').next().unwrap_or_default();
                if !Path::new("/proc").join(process).exists() {
                    client.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).unwrap();
                }
            }
        });
    }

    /// Runs `work` while no other test process does such a thing.
    fn locked(&self, work: impl FnOnce(&mut Client)) {
        let mut client = connect(&self.url);
        client.batch_execute(&format!("SELECT pg_advisory_lock({LOCK})")).unwrap();
        work(&mut client);
    }

    fn config(&self) -> Config {
        self.url.parse().unwrap_or_else(|error| panic!("{error}: {}", self.url))
    }
}

/// A database of its own, which goes when this is dropped.
pub struct Database {
    server: Server,
    name: String,
    migrated: bool,
}

impl Database {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it had the tables from the start.
    pub(crate) fn is_migrated(&self) -> bool {
        self.migrated
    }

    /// Its server.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Both addresses.
    pub fn urls(&self) -> PostgresUrl {
        self.server.urls(&self.name)
    }

    /// The superuser, who owns the tables.
    pub fn owner(&self) -> Raw {
        self.raw(&self.server.superuser_url(&self.name))
    }

    /// The application's role.
    pub fn application(&self) -> Raw {
        self.raw(&self.urls().application)
    }

    fn raw(&self, url: &str) -> Raw {
        let mut client = connect(url);
        client.batch_execute("SET search_path = selfsame, public").unwrap();
        Raw::Postgres(client)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let dropped = connect(&self.server.url)
            .batch_execute(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
        if let Err(error) = dropped {
            // Another panic would hide the first; the sweep of the next process finds it.
            eprintln!("{} was not dropped: {error}", self.name);
        }
    }
}

fn unique_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{PREFIX}{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn connect(url: &str) -> Client {
    Client::connect(url, NoTls).unwrap_or_else(|error| {
        panic!("the test server does not answer ({error}): run `cargo xtask test`, or `cargo xtask pg` again")
    })
}
