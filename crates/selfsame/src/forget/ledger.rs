//! The ledger of what was forgotten: a file beside the backups with a line for each act, so that an older backup does not
//! bring back what was forgotten since. Ids and keyed hashes, no words.
//!
//! Every line carries a hash of itself and of the line before it: a changed or missing line is seen. A line is on the disk
//! before an act is acknowledged; what a process died over is written down when the mind is opened again.

use crate::clock::random_seed;
use crate::data_folder::{DataFolder, FolderError};
use crate::error::{Error, Result};
use selfsame_core::forgetting::{Item, ItemKind};
use selfsame_core::id::{AgentId, ErasureId, Id, RunId};
use selfsame_core::json::canonical;
use selfsame_core::seal::{hex, hmac_sha256, sha256, unhex};
use selfsame_core::time::Time;
use selfsame_store::erasures::{self, Buried, Proof};
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The file's name.
pub const NAME: &str = "erasures.log";
/// What the first line says.
const HEAD: &str = "what was forgotten; ids and keyed hashes, no words";

/// One act.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// What it took away, by counts.
    pub proof: Proof,
    /// What it took away, by ids; nothing of an agent that was forgotten whole.
    pub items: Vec<Buried>,
}

impl Entry {
    /// Whether the whole agent was forgotten.
    pub(super) fn is_of_agent(&self) -> bool {
        self.proof.how == super::BY_AGENT
    }

    /// Whether a neural link was taken back.
    pub(super) fn is_of_link(&self) -> bool {
        self.proof.how == super::BY_LINK
    }

    /// The import that was undone, if one was.
    pub(crate) fn import(&self) -> Option<RunId> {
        let run = self.items.iter().find(|one| one.kind == super::BY_IMPORT);
        run.filter(|_| self.proof.how == super::BY_IMPORT).map(|run| RunId::of(run.item))
    }

    pub(super) fn named(&self) -> Vec<Item> {
        let item = |one: &Buried| Some(Item { kind: ItemKind::parse(&one.kind)?, id: one.item });
        self.items.iter().filter_map(item).collect()
    }

    /// What stayed without its words.
    pub(super) fn reworded(&self) -> impl Iterator<Item = Item> + '_ {
        let of_kind = |(kind, which): (&String, &'_ erasures::Reworded)| {
            let kind = ItemKind::parse(kind);
            which.ids().filter_map(move |id| Some(Item { kind: kind?, id })).collect::<Vec<_>>()
        };
        self.proof.rewritten.iter().flat_map(of_kind)
    }

    fn to_json(&self) -> Value {
        let Proof { agent, erasure, at, actor, how, removed, rewritten, items_hash } = &self.proof;
        let item = |one: &Buried| {
            json!([one.kind, hex(&one.item.bytes()), one.words_hash.as_deref().map_or(String::new(), hex)])
        };
        json!({
            "agent": agent.to_string(),
            "erasure": erasure.to_string(),
            "at": at.to_string(),
            "by": actor,
            "how": how,
            "removed": removed,
            "rewritten": erasures::reworded_to_json(rewritten),
            "items_hash": hex(items_hash),
            "items": self.items.iter().map(item).collect::<Value>(),
        })
    }

    fn from_json(value: &Value) -> Option<Entry> {
        let text = |name: &str| value[name].as_str();
        let counts = |name: &str| serde_json::from_value(value[name].clone()).ok();
        let item = |one: &Value| {
            let id: [u8; 16] = unhex(one[1].as_str()?)?.try_into().ok()?;
            let hash = unhex(one[2].as_str()?)?;
            let words_hash = (!hash.is_empty()).then_some(hash);
            Some(Buried { kind: one[0].as_str()?.into(), item: Id::from_bytes(id), words_hash })
        };
        let proof = Proof {
            agent: text("agent")?.parse::<AgentId>().ok()?,
            erasure: text("erasure")?.parse::<ErasureId>().ok()?,
            at: text("at")?.parse::<Time>().ok()?,
            actor: text("by")?.into(),
            how: text("how")?.into(),
            removed: counts("removed")?,
            rewritten: erasures::reworded_from_json(&value["rewritten"])?,
            items_hash: unhex(text("items_hash")?)?,
        };
        Some(Entry { proof, items: value["items"].as_array()?.iter().map(item).collect::<Option<_>>()? })
    }
}

/// What was read of a ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Read {
    /// There is none.
    Missing,
    /// It is not what was written: the line, from 1.
    Damaged(usize),
    /// All of it.
    Whole(Vec<Entry>),
}

/// Reads the ledger in a folder. A last line that was not written to its end was never acknowledged, and is left out.
pub fn read(folder: &Path) -> Result<Read> {
    let path = folder.join(NAME);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Read::Missing),
        Err(cause) => return Err(FolderError::Unusable { path, cause }.into()),
    };
    let Ok(text) = std::str::from_utf8(whole_lines(&bytes)) else { return Ok(Read::Damaged(1)) };
    let mut entries = Vec::new();
    let mut chain = String::new();
    for (number, line) in text.lines().enumerate() {
        let parsed = line.split_once(' ').filter(|(hash, body)| *hash == link(&chain, body));
        let Some((hash, body)) = parsed else { return Ok(Read::Damaged(number + 1)) };
        chain = hash.to_owned();
        if number == 0 {
            continue;
        }
        let entry = serde_json::from_str(body).ok().and_then(|value| Entry::from_json(&value));
        match entry {
            Some(entry) => entries.push(entry),
            None => return Ok(Read::Damaged(number + 1)),
        }
    }
    Ok(if chain.is_empty() { Read::Damaged(1) } else { Read::Whole(entries) })
}

fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    &bytes[..end]
}

fn link(chain: &str, body: &str) -> String {
    hex(&sha256(&[chain.as_bytes(), b" ", body.as_bytes()])[..16])
}

/// The ledger of a mind, and the secret that what was forgotten is hashed with.
pub(crate) struct Ledger {
    /// Where it is; none for a mind without a folder.
    folder: Option<PathBuf>,
    secret: [u8; 32],
    writing: Mutex<()>,
}

impl Ledger {
    /// For a mind that has no folder of its own: nothing is written, and hashes are made with `seed`.
    pub(crate) fn nowhere(seed: &[u8; 32]) -> Ledger {
        Ledger { folder: None, secret: sha256(&[b"erasures", seed]), writing: Mutex::new(()) }
    }

    /// In a data folder: beside its backups, the secret in a file of its own.
    pub(crate) fn in_folder(folder: &DataFolder) -> Result<Ledger> {
        let path = folder.erasure_key();
        let secret = match fs::read_to_string(&path) {
            Ok(text) => unhex(text.trim()).and_then(|bytes| bytes.try_into().ok()).ok_or_else(|| {
                Error::Unfit(format!(
                    "{} is no key: put the old one back, or remove it and a new one is made",
                    path.display()
                ))
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let secret = random_seed()?;
                DataFolder::write_secret(&path, &format!("{}\n", hex(&secret)))?;
                secret
            }
            Err(cause) => return Err(FolderError::Unusable { path, cause }.into()),
        };
        let place = DataFolder::create(&folder.backups())?;
        let ledger = Ledger { folder: Some(place.path().to_owned()), secret, writing: Mutex::new(()) };
        if read(place.path())? == Read::Missing {
            ledger.begin()?;
        }
        Ok(ledger)
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// What something said, as nobody can read it.
    pub(super) fn words_hash(&self, kind: &str, words: &str) -> [u8; 32] {
        hmac_sha256(&self.secret, &[kind.as_bytes(), &[0], words.as_bytes()])
    }

    pub(crate) fn items_hash(&self, items: &[Buried]) -> [u8; 32] {
        let mut sorted = items.to_vec();
        sorted.sort();
        let line = |one: &Buried| {
            let hash = one.words_hash.as_deref().map_or(String::new(), hex);
            format!("{} {} {hash}\n", one.kind, hex(&one.item.bytes())).into_bytes()
        };
        hmac_sha256(&self.secret, &[&sorted.iter().flat_map(line).collect::<Vec<u8>>()])
    }

    /// What is written down; nothing where there is no place for it. A damaged one is set aside and begun anew: the
    /// database knows what it must say.
    pub(super) fn entries(&self, now: Time) -> Result<Vec<Entry>> {
        let Some(folder) = &self.folder else { return Ok(Vec::new()) };
        match read(folder)? {
            Read::Whole(entries) => Ok(entries),
            Read::Missing => self.begin().map(|()| Vec::new()),
            Read::Damaged(_) => {
                let aside =
                    folder.join(format!("{NAME}.damaged-{}", now.to_string().replace([':', '.'], "-")));
                fs::rename(folder.join(NAME), &aside).map_err(|cause| unusable(&aside, cause))?;
                self.begin().map(|()| Vec::new())
            }
        }
    }

    /// Adds what is not in it yet, and makes it durable.
    pub(super) fn add(&self, new: &[Entry]) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        add_to(folder, new)
    }

    fn begin(&self) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        add_to(folder, &[])
    }
}

/// Adds to the ledger in a folder, making it if it is missing, what is not in it yet.
pub(crate) fn add_to(folder: &Path, new: &[Entry]) -> Result<()> {
    let known: Vec<ErasureId> = match read(folder)? {
        Read::Whole(entries) => entries.iter().map(|entry| entry.proof.erasure).collect(),
        Read::Missing => Vec::new(),
        Read::Damaged(line) => return Err(damaged(folder, line)),
    };
    let path = folder.join(NAME);
    let there = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(cause) => return Err(unusable(&path, cause)),
    };
    let whole = whole_lines(&there);
    let last = String::from_utf8_lossy(whole);
    let mut chain = last
        .lines()
        .last()
        .and_then(|line| line.split_once(' '))
        .map_or(String::new(), |(hash, _)| hash.into());
    let mut text = String::new();
    let mut push = |body: String| {
        chain = link(&chain, &body);
        text.push_str(&format!("{chain} {body}\n"));
    };
    if whole.is_empty() {
        push(canonical(&json!({ "ledger": HEAD, "version": 1 })));
    }
    for entry in new.iter().filter(|entry| !known.contains(&entry.proof.erasure)) {
        push(canonical(&entry.to_json()));
    }
    if text.is_empty() {
        return Ok(());
    }
    let write = || -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).write(true).truncate(false).mode(0o600).open(&path)?;
        // What a killed process wrote half goes.
        file.set_len(whole.len() as u64)?;
        io::Seek::seek(&mut file, io::SeekFrom::End(0))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        File::open(folder)?.sync_all()
    };
    write().map_err(|cause| unusable(&path, cause))
}

/// Why a ledger cannot be gone by.
pub(crate) fn damaged(folder: &Path, line: usize) -> Error {
    Error::Unfit(format!(
        "the ledger of what was forgotten is damaged ({}, line {line}): what was forgotten since could come back; put a good \
         copy of it there, or say --accept-resurrection",
        folder.join(NAME).display()
    ))
}

fn unusable(path: &Path, cause: io::Error) -> Error {
    FolderError::Unusable { path: path.to_owned(), cause }.into()
}
