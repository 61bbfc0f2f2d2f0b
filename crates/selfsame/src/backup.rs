//! The verbs *backup* and *restore*: a copy that was opened and checked before it counts, and the way back.
//!
//! A backup is a database file and a manifest beside it. It is written under another name, made durable, opened,
//! verified, hashed, and only then given its name: a half-made one is never taken for a backup.

use crate::data_folder::DataFolder;
use crate::error::{Error, Result};
use crate::forget::{LEDGER_NAME, LedgerEntry, LedgerRead, add_to, damaged, read_ledger};
use crate::mind::{Mind, Opening};
use selfsame_core::seal::hex;
use selfsame_core::time::Time;
use selfsame_store::{Options, Store, StoreError};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::Duration;

/// The newest backups are kept whatever their age.
const KEEP_NEWEST: usize = 7;
/// Beyond them, one a week is kept for so many weeks.
const KEEP_WEEKS: usize = 4;
/// Microseconds in a week.
const WEEK: i64 = 7 * 86_400 * 1_000_000;

/// What is known of a backup.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Backup {
    /// The database file.
    pub path: PathBuf,
    /// When it was made.
    pub made_at: Time,
    /// The program that made it.
    pub version: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
    /// Agents in it.
    pub agents: u64,
    /// Memories in it, each with its seal checked.
    pub memories: u64,
}

impl Mind {
    /// Makes a verified copy in `folder` and removes copies that are no longer needed.
    pub fn backup(&self, folder: &Path) -> Result<Backup> {
        let _alone = self.copying.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = DataFolder::create(folder)?;
        let now = self.now();
        let name = format!("selfsame-{}.db", now.to_string().replace([':', '.'], "-"));
        let (path, unfinished) =
            (folder.path().join(&name), folder.path().join(format!("{name}.unfinished")));
        let made = self.copy_and_check(&path, &unfinished, now);
        if made.is_err() {
            remove_with_companions(&unfinished);
        }
        let made = made?;
        // Whoever takes the copy elsewhere takes along what was forgotten: it is what a restore goes by.
        add_to(folder.path(), &self.erasure_entries()?)?;
        for old in no_longer_needed(&backups_in(folder.path())?) {
            // Still there next time, if it cannot be removed now.
            let _ = fs::remove_file(manifest_path(&old)).and_then(|()| fs::remove_file(&old));
        }
        Ok(made)
    }

    /// Makes a verified copy in the data folder's own place for them.
    pub fn backup_here(&self) -> Result<Backup> {
        match &self.backups {
            Some(folder) => self.backup(&folder.clone()),
            // Says how a server's database is backed up.
            None => Err(self.store.copy_to(Path::new("-")).err().map_or_else(
                || Error::Forbidden("this mind has no data folder: name one".into()),
                Error::from,
            )),
        }
    }

    /// Makes a copy, checks all of it, opens it as a mind of its own for `look`, and removes it.
    pub(crate) fn with_checked_copy<T>(&self, look: impl FnOnce(&Mind) -> Result<T>) -> Result<T> {
        let _alone = self.copying.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(folder) = &self.backups else {
            return Err(Error::Forbidden("this mind has no data folder to make a copy in".into()));
        };
        let folder = DataFolder::create(folder)?;
        remove_unfinished(folder.path());
        // Under a name that whoever copies next sweeps away, should this process be killed.
        let path = folder.path().join("probe.db.unfinished");
        let looked = (|| {
            self.store.copy_to(&path)?;
            restrict(&path)?;
            check_copy(&path, self.now())?;
            let store = Store::open_sqlite(&path, Options::default(), self.now())?;
            look(&Opening::default().over(store, None)?)
        })();
        remove_with_companions(&path);
        looked
    }

    fn copy_and_check(&self, path: &Path, unfinished: &Path, now: Time) -> Result<Backup> {
        remove_unfinished(path.parent().unwrap_or(Path::new(".")));
        self.store.copy_to(unfinished)?;
        let (agents, memories) = check_copy(unfinished, now)?;
        restrict(unfinished)?;
        File::open(unfinished)
            .and_then(|file| file.sync_all())
            .map_err(|cause| unusable(unfinished, cause))?;
        let (sha256, bytes) = digest(unfinished)?;
        let backup = Backup {
            path: path.to_owned(),
            made_at: now,
            version: env!("CARGO_PKG_VERSION").into(),
            sha256,
            bytes,
            agents,
            memories,
        };
        DataFolder::write_secret(&manifest_path(path), &backup.manifest())?;
        fs::rename(unfinished, path).map_err(|cause| unusable(path, cause))?;
        sync_folder_of(path)?;
        Ok(backup)
    }
}

/// How a backup is put back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Restoring {
    /// How long another process is waited for.
    pub wait: Duration,
    /// Although it cannot be known what was forgotten since: what was may come back.
    pub accept_resurrection: bool,
}

/// Puts a backup in the place of the folder's database, which is kept beside it under another name. The folder must not
/// be in use. What was forgotten since the backup was made is forgotten again before it takes that place.
pub fn restore(folder: &DataFolder, backup: &Path, how: Restoring, now: Time) -> Result<Backup> {
    let known = check(backup)?;
    let lock = folder.lock(how.wait)?;
    let forgotten = forgotten_since(folder, backup, how.accept_resurrection, now)?;
    let arriving = folder.path().join("selfsame.db.restoring");
    remove_with_companions(&arriving);
    fs::copy(backup, &arriving).map_err(|cause| unusable(&arriving, cause))?;
    restrict(&arriving)?;
    check_copy(&arriving, now)?;
    forget_again(&arriving, &forgotten, now)?;
    File::open(&arriving).and_then(|file| file.sync_all()).map_err(|cause| unusable(&arriving, cause))?;
    let ledgers = DataFolder::create(&folder.backups())?;
    if how.accept_resurrection && matches!(read_ledger(ledgers.path())?, LedgerRead::Damaged(_)) {
        let (there, aside) = (ledgers.path().join(LEDGER_NAME), ledgers.path().join("erasures.log.damaged"));
        fs::rename(&there, &aside).map_err(|cause| unusable(&there, cause))?;
    }
    add_to(ledgers.path(), &forgotten)?;
    set_aside(folder, now)?;
    fs::rename(&arriving, folder.database()).map_err(|cause| unusable(&folder.database(), cause))?;
    sync_folder_of(&folder.database())?;
    drop(lock);
    Ok(known)
}

/// What was forgotten, as the ledgers beside the backup and in the folder say, and the database that is replaced.
fn forgotten_since(folder: &DataFolder, backup: &Path, accept: bool, now: Time) -> Result<Vec<LedgerEntry>> {
    let beside = backup.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (mut entries, mut is_known) = (Vec::new(), false);
    for place in [beside, &folder.backups()] {
        match read_ledger(place)? {
            LedgerRead::Whole(all) => {
                is_known = true;
                entries.extend(all);
            }
            LedgerRead::Damaged(line) if !accept => return Err(damaged(place, line)),
            LedgerRead::Damaged(_) | LedgerRead::Missing => {}
        }
    }
    if !is_known && !accept {
        return Err(Error::Unfit(format!(
            "there is no ledger of what was forgotten ({LEDGER_NAME}) beside the backup nor in {}: what was forgotten since \
             could come back; put the ledger there, or say --accept-resurrection",
            folder.backups().display()
        )));
    }
    // One that is damaged says nothing more than the ledgers do.
    if folder.database().exists()
        && let Ok(store) = Store::open_sqlite(&folder.database(), Options::default(), now)
        && let Ok(all) = Opening::default().over(store, None).and_then(|mind| mind.erasure_entries())
    {
        entries.extend(all);
    }
    let mut seen = BTreeSet::new();
    entries.retain(|entry| seen.insert(entry.proof.erasure));
    entries.sort_by_key(|entry| (entry.proof.at, entry.proof.erasure));
    Ok(entries)
}

/// Forgets in a copy what was forgotten since it was made, and leaves no log beside it.
fn forget_again(path: &Path, forgotten: &[LedgerEntry], now: Time) -> Result<()> {
    let store = Store::open_sqlite(path, Options::default(), now)?;
    Opening::default().over(store, None)?.forget_again(forgotten).map(drop)
}

/// A backup whose file fits its manifest.
pub fn check(backup: &Path) -> Result<Backup> {
    let known = read_manifest(backup)?;
    match digest(backup)? {
        (sha256, _) if sha256 == known.sha256 => Ok(known),
        _ => Err(spoiled(backup, "its content does not fit its manifest")),
    }
}

/// The backups in a folder, oldest first. What has no manifest is no backup.
pub fn backups_in(folder: &Path) -> Result<Vec<Backup>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(|cause| unusable(folder, cause))?,
    };
    let mut found: Vec<Backup> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "db"))
        .filter_map(|path| read_manifest(&path).ok())
        .collect();
    found.sort_by_key(|backup| backup.made_at);
    Ok(found)
}

/// Which of the backups, oldest first, neither the newest nor the weekly rule keeps.
fn no_longer_needed(backups: &[Backup]) -> Vec<PathBuf> {
    let older = &backups[..backups.len().saturating_sub(KEEP_NEWEST)];
    // The last of each week stays, for the most recent weeks.
    let mut weekly: BTreeMap<i64, &Path> = BTreeMap::new();
    for backup in older {
        weekly.insert(backup.made_at.micros().div_euclid(WEEK), &backup.path);
    }
    let kept: Vec<&Path> = weekly.into_values().rev().take(KEEP_WEEKS).collect();
    older.iter().map(|backup| backup.path.clone()).filter(|path| !kept.contains(&path.as_path())).collect()
}

/// Opens the copy as a mind of its own and looks at everything in it.
fn check_copy(path: &Path, now: Time) -> Result<(u64, u64)> {
    let store = Store::open_sqlite(path, Options::default(), now)?;
    let report = Opening::default().over(store, None)?.verify()?;
    match report.problems.first() {
        None => Ok((report.agents, report.memories)),
        Some(problem) => Err(spoiled(path, problem)),
    }
}

/// The database that a restore replaces stays, under a name that says when. It also keeps its own name until the new one
/// takes that over in one step: killed at any point, the folder has the old database or the new one.
fn set_aside(folder: &DataFolder, now: Time) -> Result<()> {
    let old = folder.database();
    if !old.exists() {
        return Ok(());
    }
    // Closed well, it has no log beside it. A damaged one cannot be, and its log moves with it.
    drop(Store::open_sqlite(&old, Options::default(), now));
    let aside =
        folder.path().join(format!("selfsame.db.before-{}", now.to_string().replace([':', '.'], "-")));
    fs::hard_link(&old, &aside).map_err(|cause| unusable(&aside, cause))?;
    for suffix in ["-wal", "-shm"] {
        let (from, to) = (with_suffix(&old, suffix), with_suffix(&aside, suffix));
        if from.exists() {
            fs::rename(&from, &to).map_err(|cause| unusable(&from, cause))?;
        }
    }
    Ok(())
}

impl Backup {
    fn manifest(&self) -> String {
        let value = serde_json::json!({
            "made_at": self.made_at.to_string(),
            "version": self.version,
            "sha256": self.sha256,
            "bytes": self.bytes,
            "agents": self.agents,
            "memories": self.memories,
        });
        format!("{value:#}\n")
    }
}

fn read_manifest(path: &Path) -> Result<Backup> {
    let manifest = manifest_path(path);
    let text = fs::read_to_string(&manifest).map_err(|cause| unreadable(&manifest, &cause))?;
    let bad = || spoiled(&manifest, "it is no manifest of a backup");
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|_| bad())?;
    let text = |name: &str| value[name].as_str().map(str::to_owned).ok_or_else(bad);
    let number = |name: &str| value[name].as_u64().ok_or_else(bad);
    Ok(Backup {
        path: path.to_owned(),
        made_at: text("made_at")?.parse()?,
        version: text("version")?,
        sha256: text("sha256")?,
        bytes: number("bytes")?,
        agents: number("agents")?,
        memories: number("memories")?,
    })
}

fn digest(path: &Path) -> Result<(String, u64)> {
    let mut file = File::open(path).map_err(|cause| unreadable(path, &cause))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer).map_err(|cause| unreadable(path, &cause))? {
            0 => return Ok((hex(&hasher.finalize()), bytes)),
            count => {
                hasher.update(&buffer[..count]);
                bytes += count as u64;
            }
        }
    }
}

fn manifest_path(path: &Path) -> PathBuf {
    with_suffix(path, ".json")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Copies that a killed process left half made: they are of no use, and may hold what has been forgotten since.
fn remove_unfinished(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().contains(".db.unfinished") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Removes a copy with its manifest; one that cannot be removed is named again next time.
pub(crate) fn remove_copy(path: &Path) {
    let _ = fs::remove_file(manifest_path(path));
    remove_with_companions(path);
}

fn remove_with_companions(path: &Path) {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = fs::remove_file(with_suffix(path, suffix));
    }
}

fn restrict(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(|cause| unusable(path, cause))
}

/// A new name is durable when its folder is.
fn sync_folder_of(path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    File::open(folder).and_then(|file| file.sync_all()).map_err(|cause| unusable(folder, cause))
}

fn unusable(path: &Path, cause: io::Error) -> Error {
    crate::data_folder::FolderError::Unusable { path: path.to_owned(), cause }.into()
}

fn unreadable(path: &Path, cause: &io::Error) -> Error {
    spoiled(path, &format!("it cannot be read ({cause})"))
}

fn spoiled(path: &Path, what: &str) -> Error {
    StoreError::Unusable(format!("{} cannot be used: {what}", path.display())).into()
}
