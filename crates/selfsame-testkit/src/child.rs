//! A test that runs itself again as another process, so that this process can die without taking the test along.

use crate::bench::Bench;
use selfsame::time::Time;
use selfsame::{Engine, StoreOptions};
use selfsame_store::{PostgresUrl, Store, StoreError};
use std::path::Path;
use std::process::{Command, ExitStatus};

const DATABASE: &str = "SELFSAME_TEST_CHILD_DATABASE";
const ERRAND: &str = "SELFSAME_TEST_CHILD_ERRAND";

/// What a child is sent to do, and on which database.
#[derive(Clone, Debug)]
pub struct Errand {
    /// In the words of the test that sent it.
    pub what: String,
    database: String,
}

impl Errand {
    /// What this process was sent to do; nothing if it is no child.
    pub fn given() -> Option<Errand> {
        let what = std::env::var(ERRAND).ok()?;
        Some(Errand { what, database: std::env::var(DATABASE).ok()? })
    }

    /// Runs `test` (its whole name) as a child on the bench's database, and waits for its end.
    pub fn send(bench: &Bench, test: &str, what: &str) -> ExitStatus {
        let database = match bench.engine() {
            Engine::Sqlite => bench.file().to_string_lossy().into_owned(),
            Engine::Postgres => {
                let urls = bench.urls();
                format!("{} {}", urls.application, urls.owner.unwrap_or_default())
            }
        };
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test])
            .env(DATABASE, database)
            .env(ERRAND, what)
            .output();
        child.unwrap().status
    }

    /// Opens the database.
    pub fn open(&self, options: StoreOptions, now: Time) -> Result<Store, StoreError> {
        match self.database.split_once(' ') {
            Some((application, owner)) => {
                let url = PostgresUrl { application: application.into(), owner: Some(owner.into()) };
                Store::open_postgres(&url, options, now)
            }
            None => Store::open_sqlite(Path::new(&self.database), options, now),
        }
    }
}
