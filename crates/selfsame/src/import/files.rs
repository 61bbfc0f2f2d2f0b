//! What is given to an import: a file, a folder or a zip, looked at before it is read.

use crate::error::{Error, Result};
use selfsame_core::foreign::File;
use std::fs;
use std::io::{Cursor, Read, Seek};
use std::path::Path;
use zip::ZipArchive;

/// Files that are read, at most.
pub const MOST_FILES: usize = 20_000;
/// Bytes that are read, at most, unpacked.
pub const MOST_BYTES: u64 = 512 << 20;
/// How many times larger a file of a zip may get when it is unpacked; small ones may be as dense as they like.
const MOST_DENSE: u64 = 200;
const DENSE_FROM: u64 = 1 << 20;

/// What was given.
#[derive(Debug)]
pub enum Cargo {
    /// An archive of ours.
    Archive,
    /// Files of another system.
    Foreign(Vec<File>),
}

/// Looks at a path. Links are not followed, and what is hidden is left alone.
pub fn unpack(path: &Path) -> Result<Cargo> {
    let metadata = fs::metadata(path).map_err(|cause| unreadable(path, &cause))?;
    if metadata.is_dir() {
        let mut files = Files::default();
        files.walk(path, path)?;
        return Ok(Cargo::Foreign(files.found));
    }
    if metadata.len() > MOST_BYTES && !is_zip(path)? {
        return Err(too_much());
    }
    if is_zip(path)? {
        let file = fs::File::open(path).map_err(|cause| unreadable(path, &cause))?;
        return unpack_zip(file);
    }
    let mut files = Files::default();
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    files.add(name, &fs::read(path).map_err(|cause| unreadable(path, &cause))?)?;
    Ok(Cargo::Foreign(files.found))
}

/// Looks at bytes that were sent under a name.
pub fn unpack_bytes(name: &str, bytes: Vec<u8>) -> Result<Cargo> {
    if bytes.starts_with(b"PK\x03\x04") {
        return unpack_zip(Cursor::new(bytes));
    }
    let mut files = Files::default();
    files.add(name.to_owned(), &bytes)?;
    Ok(Cargo::Foreign(files.found))
}

fn unpack_zip(source: impl Read + Seek) -> Result<Cargo> {
    let refused = |what: &str| Error::Unfit(format!("the zip was refused: {what}; nothing was changed"));
    let mut zip = ZipArchive::new(source).map_err(|_| refused("it cannot be read"))?;
    if zip.len() > MOST_FILES {
        return Err(refused("it has too many files"));
    }
    let names = zip
        .file_names()
        .map(|name| name.map(std::borrow::Cow::into_owned))
        .collect::<std::result::Result<Vec<_>, _>>();
    let names = names.map_err(|_| refused("it has a file without a name"))?;
    let is_ours = |name: &String| name.starts_with("agents/") && name.ends_with("/memory_items.jsonl");
    if names.iter().any(|name| name == "manifest.json") && names.iter().any(is_ours) {
        return Ok(Cargo::Archive);
    }
    if let Some(name) = names.iter().find(|name| leads_elsewhere(name)) {
        let shown: String = name.chars().take(80).collect();
        return Err(refused(&format!("{shown:?} in it is a path that leads elsewhere")));
    }
    let mut files = Files::default();
    let mut spans: Vec<(u64, u64)> = Vec::new();
    for (index, name) in names.into_iter().enumerate() {
        let file = zip.by_index(index).map_err(|_| refused("a file of it cannot be read"))?;
        if file.is_dir() || !is_wanted(&name) {
            continue;
        }
        if file.is_symlink() || file.encrypted() {
            return Err(refused("it has a file that is no plain one"));
        }
        let (packed, unpacked) = (file.compressed_size().max(1), file.size());
        if unpacked > DENSE_FROM && unpacked / packed > MOST_DENSE {
            return Err(refused("a file grows too much when it is unpacked"));
        }
        spans.push((file.header_start(), file.header_start().saturating_add(file.compressed_size())));
        let mut bytes = Vec::new();
        let most = MOST_BYTES.saturating_sub(files.bytes);
        file.take(most + 1).read_to_end(&mut bytes).map_err(|_| refused("a file of it cannot be read"))?;
        files.add(name, &bytes)?;
    }
    spans.sort_unstable();
    if spans.windows(2).any(|pair| pair[1].0 == pair[0].0 || pair[1].0 < pair[0].1) {
        return Err(refused("files of it lie upon each other"));
    }
    Ok(Cargo::Foreign(files.found))
}

/// Whether a name is no path below where it would be unpacked, by the rules of any system. Nothing is written under it, but
/// it is shown and kept as the source; and who packs such a name means no good.
fn leads_elsewhere(name: &str) -> bool {
    let is_drive =
        name.as_bytes().get(1) == Some(&b':') && name.starts_with(|c: char| c.is_ascii_alphabetic());
    is_drive || name.starts_with(['/', '\\']) || name.split(['/', '\\']).any(|part| part == "..")
}

#[derive(Default)]
struct Files {
    found: Vec<File>,
    bytes: u64,
}

impl Files {
    fn walk(&mut self, root: &Path, folder: &Path) -> Result<()> {
        let entries = fs::read_dir(folder).map_err(|cause| unreadable(folder, &cause))?;
        let mut paths: Vec<_> =
            entries.collect::<std::io::Result<Vec<_>>>().map_err(|cause| unreadable(folder, &cause))?;
        paths.sort_by_key(fs::DirEntry::file_name);
        for entry in paths {
            let (path, kind) = (entry.path(), entry.file_type().map_err(|cause| unreadable(folder, &cause))?);
            if entry.file_name().to_string_lossy().starts_with('.') || kind.is_symlink() {
                continue;
            }
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            if kind.is_dir() {
                self.walk(root, &path)?;
            } else if kind.is_file() && is_wanted(&name) {
                let size = entry.metadata().map_err(|cause| unreadable(&path, &cause))?.len();
                if self.bytes + size > MOST_BYTES {
                    return Err(too_much());
                }
                self.add(name, &fs::read(&path).map_err(|cause| unreadable(&path, &cause))?)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, name: String, bytes: &[u8]) -> Result<()> {
        self.bytes += bytes.len() as u64;
        if self.found.len() >= MOST_FILES || self.bytes > MOST_BYTES {
            return Err(too_much());
        }
        // What is no text is shown as far as it can be; the words in it are looked at all the same.
        self.found.push(File { name, text: String::from_utf8_lossy(bytes).into_owned() });
        Ok(())
    }
}

fn is_wanted(name: &str) -> bool {
    let name = name.to_lowercase();
    [".md", ".markdown", ".txt", ".json", ".jsonl"].iter().any(|ending| name.ends_with(ending))
}

fn is_zip(path: &Path) -> Result<bool> {
    let mut begin = Vec::new();
    let file = fs::File::open(path).map_err(|cause| unreadable(path, &cause))?;
    file.take(4).read_to_end(&mut begin).map_err(|cause| unreadable(path, &cause))?;
    Ok(begin == b"PK\x03\x04")
}

fn unreadable(path: &Path, cause: &std::io::Error) -> Error {
    Error::Unfit(format!("{} cannot be read ({cause}): name a file or folder that is there", path.display()))
}

fn too_much() -> Error {
    Error::Unfit(format!(
        "it is more than one import takes ({MOST_FILES} files, {} MiB): import a part of it",
        MOST_BYTES >> 20
    ))
}
