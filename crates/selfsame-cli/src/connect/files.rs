//! Other programs' files: read, changed with a copy beside them, and put back as they were.
//!
//! What was done is on record in the data folder, by the hashes of each file before and after. Whoever undoes puts the copy back
//! byte for byte if the file is still as we left it; if somebody changed it since, only what is ours is taken out of it.

use selfsame::DataFolder;
use selfsame::seal::{hex, sha256};
use selfsame_daemon::Failure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Ends the name of a copy.
const COPY: &str = "before-selfsame";
/// Settings are small: what is larger is none.
const MAX_BYTES: u64 = 32 << 20;

/// A file as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    /// Under which name it is known.
    pub(super) path: PathBuf,
    /// Its text; none if there is no file.
    pub(super) text: Option<String>,
}

impl Found {
    /// Reads a file, and makes sure that it could be changed.
    pub(super) fn read(path: &Path) -> Result<Found, Failure> {
        let path = path.to_owned();
        let metadata = match fs::metadata(&path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Found::missing(path),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(unusable(&path, "what should be its folder is a file"));
            }
            Err(error) => return Err(unusable(&path, &error.to_string())),
        };
        if !metadata.is_file() {
            return Err(unusable(&path, "it is no file"));
        }
        if metadata.len() > MAX_BYTES {
            return Err(unusable(&path, "it is too large to be settings"));
        }
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(unusable(&path, "it belongs to another user"));
        }
        if metadata.permissions().mode() & 0o200 == 0 {
            return Err(unusable(&path, "it is read-only: `chmod u+w` it if it may be changed"));
        }
        let bytes = fs::read(&path).map_err(|error| unusable(&path, &error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| unusable(&path, "it is no UTF-8 text"))?;
        Ok(Found { path, text: Some(text) })
    }

    fn missing(path: PathBuf) -> Result<Found, Failure> {
        if fs::symlink_metadata(&path).is_ok() {
            return Err(unusable(&path, "it is a link to nowhere: make its target or remove it"));
        }
        // The nearest folder that is there decides whether it can be made.
        let folder = path.ancestors().skip(1).find_map(|folder| Some((folder, fs::metadata(folder).ok()?)));
        match folder {
            Some((folder, metadata)) if !metadata.is_dir() => Err(unusable(folder, "it is no folder")),
            Some((folder, metadata)) if metadata.permissions().mode() & 0o200 == 0 => {
                Err(unusable(folder, "the folder is read-only: `chmod u+w` it if it may be changed"))
            }
            _ => Ok(Found { path, text: None }),
        }
    }

    pub(super) fn hash(&self) -> String {
        hash(self.text.as_deref().unwrap_or_default())
    }
}

pub(super) fn hash(text: &str) -> String {
    hex(&sha256(&[text.as_bytes()]))
}

/// What was done to other programs' files, by path.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) files: BTreeMap<PathBuf, Done>,
}

/// What was done to one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Done {
    /// For which program.
    pub(super) client: String,
    /// As what it was left.
    pub(super) after: String,
    /// The copy of how it was; none if there was no file.
    pub(super) copy: Option<PathBuf>,
    /// Folders that were made for it, the outermost first.
    #[serde(default)]
    pub(super) folders: Vec<PathBuf>,
}

impl Record {
    fn place(data: &Path) -> PathBuf {
        data.join("connections.json")
    }

    /// As it stands; empty if there is none yet.
    pub(super) fn read(data: &Path) -> Result<Record, Failure> {
        let path = Record::place(data);
        match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Record::default()),
            Err(error) => Err(unusable(&path, &error.to_string())),
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| unusable(&path, &error.to_string())),
        }
    }

    pub(super) fn write(&self, data: &Path) -> Result<(), Failure> {
        let path = Record::place(data);
        if self.files.is_empty() {
            let _ = fs::remove_file(path);
            return Ok(());
        }
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        write(&path, &text, 0o600).map_err(|error| unusable(&path, &error.to_string()))
    }
}

/// Changes a file; the copy of how it was is made first. `pristine` is how it would be without us.
pub(super) fn change(found: &Found, after: &str, pristine: &str) -> Result<Done, Failure> {
    let path = &found.path;
    let failed = |error: io::Error| unusable(path, &error.to_string());
    let mode = fs::metadata(path).map_or(0o600, |metadata| metadata.permissions().mode() & 0o777);
    let mut folders = Vec::new();
    let copy = match found.text {
        None => {
            folders = make_folders(path).map_err(failed)?;
            None
        }
        Some(_) => {
            let copy = copy_of(path);
            write(&copy, pristine, 0o600).map_err(failed)?;
            Some(copy)
        }
    };
    write(path, after, mode).map_err(failed)?;
    Ok(Done { client: String::new(), after: hash(after), copy, folders })
}

/// Writes over a file that was changed before, without another copy.
pub(super) fn overwrite(path: &Path, text: &str) -> Result<(), Failure> {
    let mode = fs::metadata(path).map_or(0o600, |metadata| metadata.permissions().mode() & 0o777);
    write(path, text, mode).map_err(|error| unusable(path, &error.to_string()))
}

/// Puts a file back as it was, byte for byte.
pub(super) fn put_back(path: &Path, done: &Done) -> Result<(), Failure> {
    let failed = |error: io::Error| unusable(path, &error.to_string());
    match &done.copy {
        None => {
            fs::remove_file(path).map_err(failed)?;
            remove_folders(done);
        }
        Some(copy) => {
            let text = fs::read_to_string(copy).map_err(failed)?;
            overwrite(path, &text)?;
            let _ = fs::remove_file(copy);
        }
    }
    Ok(())
}

/// The copy and the folders that are needed no more.
pub(super) fn tidy(done: &Done) {
    if let Some(copy) = &done.copy {
        let _ = fs::remove_file(copy);
    }
}

/// Those that we made, if nothing else has come into them.
fn remove_folders(done: &Done) {
    for folder in done.folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

pub(super) fn copy_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{COPY}"));
    path.with_file_name(name)
}

fn make_folders(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut made: Vec<PathBuf> =
        path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
    made.reverse();
    for folder in &made {
        fs::create_dir(folder)?;
        fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    }
    Ok(made)
}

/// Whole or not at all, also if the machine stops in the middle. What is a link stays one: its target is written.
fn write(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let target = if path.exists() { fs::canonicalize(path)? } else { path.to_owned() };
    let folder = target.parent().ok_or_else(|| io::Error::other("it has no folder"))?;
    let mut file = tempfile::Builder::new().prefix(".selfsame-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(Permissions::from_mode(mode))?;
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

fn unusable(path: &Path, why: &str) -> Failure {
    Failure::bad_request("bad_client_file", format!("{} is left as it is: {why}", path.display()))
}

/// The folder that holds the record must be there before anything is changed.
pub(super) fn require_mind(folder: &DataFolder) -> Result<(), Failure> {
    match folder.key().exists() {
        true => Ok(()),
        false => Err(selfsame::Error::from(selfsame::FolderError::Missing(folder.path().to_owned())).into()),
    }
}
