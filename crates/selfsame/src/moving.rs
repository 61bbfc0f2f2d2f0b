//! The verb *move*: a whole house to another engine or folder, with all its agents, keys and duties.
//!
//! The old house stays as it is, marked: whoever opens it is told where it went, and its schema takes no write. Killed
//! anywhere, the move is begun again with the same words and goes on.

use crate::data_folder::{DataFolder, FolderError, FolderLock};
use crate::error::{Error, Result};
use crate::forget::{LedgerRead, add_to, damaged, read_ledger};
use crate::progress::{Unit, Watch};
use selfsame_core::time::Time;
use selfsame_store::house::{self, Mark};
use selfsame_store::{Options, PostgresUrl, Store, StoreError};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, fs, io};

/// What the second half of a move is.
const COMPARING: &str = "holding against each other";

/// Where a house can move to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A data folder, with a database file in it.
    Folder(PathBuf),
    /// A PostgreSQL server: the application's role, and the owner's, if the tables are to be made.
    Server(String, Option<String>),
}

impl Place {
    /// A folder, or the address of a server.
    pub fn parse(to: &str, owner: Option<&str>) -> Place {
        match to.starts_with("postgres://") || to.starts_with("postgresql://") {
            true => Place::Server(to.to_owned(), owner.map(str::to_owned)),
            false => Place::Folder(to.into()),
        }
    }

    /// Opens the store there and nothing on it, making what is missing.
    pub fn open(&self, now: Time) -> Result<(Store, Option<FolderLock>)> {
        match self {
            Place::Folder(path) => {
                let folder = DataFolder::create(path)?;
                let lock = folder.lock(Duration::from_secs(5))?;
                let file = folder.prepare_database()?;
                Ok((Store::open_sqlite(&file, Options::default(), now)?, Some(lock)))
            }
            Place::Server(application, owner) => {
                let url = PostgresUrl { application: application.clone(), owner: owner.clone() };
                Ok((Store::open_postgres(&url, Options::default(), now)?, None))
            }
        }
    }
}

impl fmt::Display for Place {
    /// Without any password: it is written down in the house that is left.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Folder(path) => write!(f, "{}", path.display()),
            Place::Server(url, _) => {
                let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
                let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
                write!(f, "the PostgreSQL server at {}", host.split('?').next().unwrap_or(host))
            }
        }
    }
}

/// What was moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    /// Agents.
    pub agents: u64,
    /// Tables that were compared.
    pub tables: u64,
    /// Rows that were compared, each with its twin.
    pub rows: u64,
}

/// Moves the house in `from` into `to`, which is empty or was begun to be moved into. `place` says where that is, without
/// any secret. Nobody else may have either of them open.
pub fn move_house(from: &Store, to: &Store, place: &str, now: Time, watch: &Watch) -> Result<Moved> {
    let rows = |what| watch.count(what, Unit::Rows, || Ok(from.rows_to_move()?));
    let agents = from.system(selfsame_store::agents::all)?.len() as u64;
    if let Some(gone) = from.system(|reader| house::mark(reader, Mark::Left))? {
        // Killed at the very last step: all that is missing is that the other knows.
        if from.is_arriving_in(to)? {
            let comparing = rows(COMPARING)?;
            let compared = from.compare(to, &|rows| comparing.add(rows))?;
            to.finish_arriving()?;
            return Ok(Moved { agents, tables: compared.tables, rows: compared.rows });
        }
        return Err(moved_to(&gone));
    }
    if agents == 0 {
        return Err(Error::Unfit("there is no agent to move: `selfsame init` makes one".into()));
    }
    if from.system(|reader| house::is_at_work(reader, now))? {
        return Err(Error::Unfit(
            "somebody is at work in this house (a background duty holds a lease): stop `selfsame serve`, wait a minute, \
             and move then"
                .into(),
        ));
    }
    // Asked first: who is refused there has not left here.
    to.begin_arriving(&from.house_name()?, now)?;
    from.begin_leaving(place, now)?;
    let copying = rows("copying")?;
    from.move_to(to, &|rows| copying.add(rows))?;
    let comparing = rows(COMPARING)?;
    let compared = from.compare(to, &|rows| comparing.add(rows))?;
    from.finish_leaving(to, place, now)?;
    Ok(Moved { agents, tables: compared.tables, rows: compared.rows })
}

/// Brings what is a file and not a row to the folder that a house moved into: the operator's key, so that it opens the same
/// doors, and the ledger of what was forgotten with the key of its hashes, so that no older backup brings it back there.
pub fn bring_files(from: &DataFolder, to: &DataFolder) -> Result<()> {
    bring(&from.key(), &to.key())?;
    let entries = match read_ledger(&from.backups())? {
        LedgerRead::Whole(entries) => entries,
        LedgerRead::Missing => Vec::new(),
        LedgerRead::Damaged(line) => return Err(damaged(&from.backups(), line)),
    };
    let is_begun = |read| matches!(read, LedgerRead::Whole(there) if !there.is_empty());
    // A key that nothing was hashed with yet gives way to the one that the moved tombstones were made with.
    if !is_begun(read_ledger(&to.backups())?) && from.erasure_key().exists() {
        let _ = fs::remove_file(to.erasure_key());
    }
    bring(&from.erasure_key(), &to.erasure_key())?;
    let place = DataFolder::create(&to.backups())?;
    add_to(place.path(), &entries)
}

fn bring(from: &Path, to: &Path) -> Result<()> {
    match fs::read_to_string(from) {
        Ok(text) if !to.exists() => Ok(DataFolder::write_secret(to, &text)?),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(cause) => Err(FolderError::Unusable { path: from.to_owned(), cause }.into()),
    }
}

/// Lives in a house again that was left, or that was being left. What is in the other one is left alone.
pub fn stay(store: &Store) -> Result<()> {
    Ok(store.stay()?)
}

/// Refuses to open a house that nobody should live in.
pub(crate) fn check_home(store: &Store) -> Result<()> {
    let (left, leaving, arriving) = store.system(|reader| {
        Ok((
            house::mark(reader, Mark::Left)?,
            house::mark(reader, Mark::Leaving)?,
            house::mark(reader, Mark::Arriving)?,
        ))
    })?;
    if let Some(place) = left {
        return Err(moved_to(&place));
    }
    if let Some(place) = leaving {
        return Err(unusable(format!(
            "a move to {place} was begun and not finished: run `selfsame move --to` again, or `selfsame move --stay`"
        )));
    }
    match arriving {
        Some(_) => Err(unusable(
            "another house is moving in here and has not arrived: run its `selfsame move --to` again".into(),
        )),
        None => Ok(()),
    }
}

fn moved_to(place: &str) -> Error {
    unusable(format!(
        "this house moved to {place}: use that one. To live here again all the same, `selfsame move --stay`"
    ))
}

fn unusable(what: String) -> Error {
    StoreError::Unusable(what).into()
}
