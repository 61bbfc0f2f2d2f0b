//! The folder in which a mind lives: its rights, its lock, the names of its files.
//!
//! One process owns the database at a time. The lock is the operating system's (it ends with the process, however that
//! ends), and the process id in the file only serves to name the owner.

use crate::error::Class;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The folder of what hooks could not file.
pub(crate) const HOOKS: &str = "hooks";

/// A data folder that is there and is ours alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataFolder(PathBuf);

/// What is wrong with the folder, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It is not there and was not to be made.
    #[error("there is no mind in {0:?}: run `selfsame init` first, or name another folder with --data")]
    Missing(PathBuf),
    /// It cannot be made or read.
    #[error(
        "the data folder {path:?} cannot be used ({cause}): choose another with --data, or mend its rights"
    )]
    Unusable {
        /// Where.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Others may read it.
    #[error("{path:?} can be read by other users (mode {mode:03o}): run `chmod {fix} {}`", path.display())]
    Open {
        /// Where.
        path: PathBuf,
        /// Its rights.
        mode: u32,
        /// What they should be.
        fix: &'static str,
    },
    /// Somebody else's.
    #[error("{0:?} belongs to another user: run selfsame as its owner, or choose another folder with --data")]
    Foreign(PathBuf),
    /// Another process has it.
    #[error("the data folder {path:?} is in use by process {owner}: stop it, or use the running daemon")]
    Busy {
        /// Where.
        path: PathBuf,
        /// The process, as far as it is known.
        owner: String,
    },
}

impl FolderError {
    pub(crate) fn class(&self) -> Class {
        match self {
            FolderError::Missing(_) => Class::NotFound,
            FolderError::Busy { .. } => Class::Busy,
            FolderError::Unusable { .. } | FolderError::Open { .. } | FolderError::Foreign(_) => {
                Class::Unusable
            }
        }
    }
}

impl DataFolder {
    /// Makes the folder if it is missing; refuses one that others can read.
    pub fn create(path: &Path) -> Result<DataFolder, FolderError> {
        let unusable = |cause| FolderError::Unusable { path: path.to_owned(), cause };
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(unusable)?;
        DataFolder::existing(path)
    }

    /// The folder, which must be there already.
    pub fn existing(path: &Path) -> Result<DataFolder, FolderError> {
        let unusable = |cause| FolderError::Unusable { path: path.to_owned(), cause };
        let metadata = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(FolderError::Missing(path.to_owned()));
            }
            other => other.map_err(unusable)?,
        };
        if !metadata.is_dir() {
            return Err(unusable(io::Error::other("it is a file")));
        }
        check_rights(path, &metadata, "700")?;
        Ok(DataFolder(path.to_owned()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The SQLite file.
    pub fn database(&self) -> PathBuf {
        self.0.join("selfsame.db")
    }

    /// The daemon's socket.
    pub fn socket(&self) -> PathBuf {
        self.0.join("selfsame.sock")
    }

    /// What a daemon says that was started in the background.
    pub fn daemon_log(&self) -> PathBuf {
        self.0.join("daemon.log")
    }

    /// What hooks say that could not do their work.
    pub fn hook_log(&self) -> PathBuf {
        self.0.join("hook.log")
    }

    /// The settings.
    pub fn config(&self) -> PathBuf {
        self.0.join("selfsame.toml")
    }

    /// The operator's key, made by `init`.
    pub fn key(&self) -> PathBuf {
        self.0.join("operator.key")
    }

    /// What forgotten words are hashed with: beside the database, never in it.
    pub fn erasure_key(&self) -> PathBuf {
        self.0.join("erasure.key")
    }

    /// Where the daily copies go.
    pub fn backups(&self) -> PathBuf {
        self.0.join("backups")
    }

    /// Where agents have files of their own: their journals.
    pub fn agents(&self) -> PathBuf {
        self.0.join("agents")
    }

    /// Where hooks keep what they could not file in time.
    pub fn hooks(&self) -> PathBuf {
        self.0.join(HOOKS)
    }

    /// Where the operator's own signals are.
    pub fn signals(&self) -> PathBuf {
        self.0.join("signals")
    }

    /// Where installed models are.
    pub fn models(&self) -> PathBuf {
        self.0.join("models")
    }

    /// Whether a database is in it. A folder that cannot be entered is an error, not an empty one.
    pub fn has_database(&self) -> Result<bool, FolderError> {
        self.database().try_exists().map_err(|cause| FolderError::Unusable { path: self.0.clone(), cause })
    }

    /// Makes the database file with the right rights before SQLite would make it with the wrong ones.
    pub(crate) fn prepare_database(&self) -> Result<PathBuf, FolderError> {
        let path = self.database();
        let unusable = |cause| FolderError::Unusable { path: path.clone(), cause };
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(unusable(error)),
            _ => {}
        }
        check_rights(&path, &fs::metadata(&path).map_err(unusable)?, "600")?;
        Ok(path)
    }

    /// Writes a file that only its owner can read.
    pub fn write_secret(path: &Path, text: &str) -> Result<(), FolderError> {
        DataFolder::write_secret_bytes(path, text.as_bytes())
    }

    /// The same for what is no text.
    pub fn write_secret_bytes(path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
        let unusable = |cause| FolderError::Unusable { path: path.to_owned(), cause };
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(path)
            .map_err(unusable)?;
        file.write_all(bytes).map_err(unusable)?;
        file.sync_all().map_err(unusable)
    }

    /// Takes the folder for this process, waiting up to `wait` for another to let go.
    #[expect(
        clippy::disallowed_methods,
        reason = "other processes let go in real time, whatever time the mind is in"
    )]
    pub fn lock(&self, wait: Duration) -> Result<FolderLock, FolderError> {
        let path = self.0.join("selfsame.lock");
        let unusable = |cause| FolderError::Unusable { path: path.clone(), cause };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(unusable)?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(cause)) => return Err(unusable(cause)),
                Err(TryLockError::WouldBlock) if began.elapsed() >= wait => {
                    return Err(FolderError::Busy { path: self.0.clone(), owner: owner(&mut file) });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
        sign(&mut file).map_err(unusable)?;
        Ok(FolderLock(file))
    }
}

/// The folder is this process's until this is dropped.
#[derive(Debug)]
pub struct FolderLock(
    #[expect(dead_code, reason = "held, not read: the lock ends when the file is closed")] File,
);

fn check_rights(path: &Path, metadata: &fs::Metadata, fix: &'static str) -> Result<(), FolderError> {
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(FolderError::Foreign(path.to_owned()));
    }
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(FolderError::Open { path: path.to_owned(), mode, fix });
    }
    Ok(())
}

fn sign(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{}", std::process::id())
}

fn owner(file: &mut File) -> String {
    let mut text = String::new();
    match file.rewind().and_then(|()| file.read_to_string(&mut text)) {
        Ok(_) if !text.trim().is_empty() => text.trim().to_owned(),
        _ => "unknown".into(),
    }
}
