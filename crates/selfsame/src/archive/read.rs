//! The verb *import*, of an archive of ours: everything is checked in a store in memory first; then it is put into the house
//! in one transaction. Refused is refused whole.

use super::manifest::{Manifest, NAME, Packed, Part};
use crate::agent::check_name;
use crate::error::{Error, Result};
use crate::forget::{LedgerEntry, LedgerRead, damaged, read_ledger};
use crate::mind::{Mind, Opening};
use crate::progress::{Count, Unit};
use selfsame_core::id::AgentId;
use selfsame_core::seal::hex;
use selfsame_core::trust::Caller;
use selfsame_store::agents::Agent;
use selfsame_store::tables::Table;
use selfsame_store::{
    Durability, Options, Store, StoreError, Writer, agents, arrivals, baggage, erasures, schema,
};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read, Seek, SeekFrom};
use std::time::Duration;
use zip::ZipArchive;

/// Rows that are put at a time.
const BATCH: usize = 500;
/// Small parts may be as dense as they like.
const DENSE_FROM: u64 = 1 << 20;

/// What an archive may be at most: what is larger is refused before it is unpacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes, unpacked.
    pub bytes: u64,
    /// Files in it.
    pub files: u64,
    /// How many times larger a part may get when it is unpacked.
    pub ratio: u64,
    /// Bytes of one row.
    pub line: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { bytes: 4 << 30, files: 20_000, ratio: 200, line: 16 << 20 }
    }
}

/// What came of an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrived {
    /// Who came, or would come.
    pub agents: Vec<ArrivedAgent>,
    /// The schema of the program that wrote it.
    pub schema: i64,
    /// Acts of forgetting in this house that came after it was packed: what they took away did not come back.
    pub forgotten: u64,
}

/// An agent that came in an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrivedAgent {
    /// Its id, which it keeps.
    pub id: AgentId,
    /// Its name here.
    pub name: String,
    /// Its memories.
    pub memories: u64,
    /// All its rows.
    pub rows: u64,
    /// An agent of that name was here and had nothing: this one took its place.
    pub replaces_empty: bool,
}

impl Mind {
    /// Reads an archive in. Every agent in it must be new here, and its name free, or that of an agent that has nothing yet;
    /// `name` gives the one agent of an archive another name. With `dry_run` all is checked and nothing is changed.
    pub fn import_archive(
        &self,
        source: impl Read + Seek,
        name: Option<&str>,
        dry_run: bool,
        limits: Limits,
    ) -> Result<Arrived> {
        let mut archive = Archive::open(source, limits)?;
        if name.is_some() && archive.manifest.agents.len() != 1 {
            return Err(refused("it holds several agents: another name can be given to one only"));
        }
        let staged = self.staged(&mut archive, name)?;
        let ids: Vec<AgentId> = archive.manifest.agents.iter().map(|agent| agent.id).collect();
        let named: Vec<(AgentId, String)> = archive
            .manifest
            .agents
            .iter()
            .map(|agent| (agent.id, name.unwrap_or(&agent.name).to_owned()))
            .collect();
        let displaced = self.room_for(&named)?;
        let written = self.forgotten_here(&ids)?;
        let forgotten = staged.forget_what_was_forgotten(&written)?;
        if !dry_run {
            let count = self.watch.count("moving in", Unit::Rows, || Ok(archive.rows()))?;
            let passed = |rows| count.add(rows);
            arrivals::arrive(&staged.store, &self.store, &ids, &displaced, &passed)?;
            // The ledger and the database say the same of them from now on.
            for entry in &written {
                let proof = &entry.proof;
                self.store.background("import", &[proof.agent], |writer| erasures::prove(writer, proof))?;
            }
        }
        let arrived = |(agent, (id, name)): (&Packed, (AgentId, String))| ArrivedAgent {
            id,
            replaces_empty: displaced.contains_key(&name),
            name,
            memories: agent.rows("memory_items"),
            rows: agent.parts.iter().map(|part| part.rows).sum(),
        };
        let agents = archive.manifest.agents.iter().zip(named).map(arrived).collect();
        Ok(Arrived { agents, schema: archive.manifest.schema, forgotten })
    }

    /// What the ledger of this house says of these agents.
    fn forgotten_here(&self, agents: &[AgentId]) -> Result<Vec<LedgerEntry>> {
        let Some(folder) = self.ledger.folder() else { return Ok(Vec::new()) };
        match read_ledger(folder)? {
            LedgerRead::Whole(all) => {
                Ok(all.into_iter().filter(|entry| agents.contains(&entry.proof.agent)).collect())
            }
            LedgerRead::Missing => Ok(Vec::new()),
            LedgerRead::Damaged(line) => Err(damaged(folder, line)),
        }
    }

    /// The archive as a store in memory: put there with the schema it was written with, brought to the present one, indexed,
    /// and looked through as `verify` does.
    fn staged<R: Read + Seek>(&self, archive: &mut Archive<R>, name: Option<&str>) -> Result<Mind> {
        let options = Options {
            statement_timeout: Duration::from_secs(3600),
            durability: Durability::None,
            ..Options::default()
        };
        let now = self.now();
        let store = Store::open_in_memory_at(archive.manifest.schema, options, now)?;
        let count = self.watch.count("reading", Unit::Rows, || Ok(archive.rows()))?;
        archive.put_into(&store, &count)?;
        store.migrate_on(now)?;
        if let Some(name) = name {
            check_name(name)?;
            let id = archive.manifest.agents[0].id;
            store.system_write(|writer| agents::rename(writer, id, name))?;
        }
        let opening = Opening::default().clock(std::sync::Arc::clone(&self.clock));
        let mind = opening.watched(self.watch.clone()).over(store, None)?;
        let agents = mind.agents()?;
        let count = mind.count_to_verify("checking", &agents)?;
        for agent in agents {
            check_name(&agent.name)?;
            if let Some(problem) = mind.verify_one(&agent, &count)?.1.first() {
                return Err(refused(&format!("agent {}: {problem}", agent.name)));
            }
        }
        Ok(mind)
    }

    /// The agents that have nothing yet and whose names are wanted. Refuses if somebody is in the way.
    fn room_for(&self, named: &[(AgentId, String)]) -> Result<BTreeMap<String, Agent>> {
        let mut displaced = BTreeMap::new();
        for (id, name) in named {
            let (same, namesake) = self
                .store
                .system(|reader| Ok((agents::by_id(reader, *id)?, agents::by_name(reader, name)?)))?;
            if let Some(same) = same {
                return Err(taken(format!(
                    "agent {id} lives here already, as {:?}: an agent has one home. To bring an earlier state of it \
                     back, use `selfsame restore`; to keep both, import into another data folder",
                    same.name
                )));
            }
            let Some(namesake) = namesake else { continue };
            let caller = Caller::operator(namesake.operator);
            let empty = self
                .store
                .read(&caller, &[namesake.id], |reader| arrivals::has_nothing(reader, namesake.id))?;
            if !empty {
                return Err(taken(format!(
                    "there is an agent {name:?} here, and it is not empty: give the one in the archive another name \
                     with --rename"
                )));
            }
            displaced.insert(name.clone(), namesake);
        }
        Ok(displaced)
    }
}

/// An archive whose manifest was read.
struct Archive<R> {
    zip: ZipArchive<R>,
    manifest: Manifest,
    limits: Limits,
    /// Bytes that may still be unpacked.
    left: u64,
}

impl<R: Read + Seek> Archive<R> {
    fn open(mut source: R, limits: Limits) -> Result<Archive<R>> {
        let declared =
            declared_files(&mut source).ok_or_else(|| refused("it is no zip file, or its end is missing"))?;
        if declared > limits.files {
            return Err(refused(&format!("it says it has {declared} files, more than {}", limits.files)));
        }
        let mut zip = ZipArchive::new(source).map_err(|_| refused("it is no zip file that can be read"))?;
        if zip.len() as u64 != declared {
            return Err(refused("a file is in it twice, or its list of files is wrong"));
        }
        if zip.has_overlapping_files().unwrap_or(true) {
            return Err(refused("its files lie over each other"));
        }
        let left = limits.bytes;
        let mut archive = Archive { zip, manifest: Manifest { schema: 0, agents: Vec::new() }, limits, left };
        archive.manifest = archive.read_manifest()?;
        archive.check_names()?;
        Ok(archive)
    }

    fn read_manifest(&mut self) -> Result<Manifest> {
        let mut text = String::new();
        let most = self.limits.line;
        self.part(NAME)?
            .take(most + 1)
            .read_to_string(&mut text)
            .map_err(|_| refused("its manifest cannot be read"))?;
        if text.len() as u64 > most {
            return Err(refused("its manifest is too large"));
        }
        Manifest::parse(&text).map_err(|what| refused(&what))
    }

    /// Nothing is in it but what the manifest names, and the manifest names every table once and no other.
    fn check_names(&self) -> Result<()> {
        let tables: Vec<&str> = carried_at(self.manifest.schema).map(|table| table.name).collect();
        let mut expected = BTreeSet::from([NAME.to_owned()]);
        for agent in &self.manifest.agents {
            check_name(&agent.name).map_err(|_| refused("it has an agent whose name cannot be one"))?;
            if !agent.parts.iter().map(|part| part.table.as_str()).eq(tables.iter().copied()) {
                return Err(refused("its manifest does not name every table of its schema once, in order"));
            }
            let places = agent.parts.iter().map(|part| agent.place(&part.table));
            if !places.into_iter().all(|place| expected.insert(place)) {
                return Err(refused("its manifest names an agent twice"));
            }
        }
        let there: Option<BTreeSet<String>> =
            self.zip.file_names().map(|name| name.ok().map(std::borrow::Cow::into_owned)).collect();
        match there {
            Some(there) if there == expected => Ok(()),
            _ => Err(refused("its files are not those that its manifest names")),
        }
    }

    /// A file of it, if it is a plain one that is not too large.
    fn part(&mut self, name: &str) -> Result<impl Read + use<'_, R>> {
        let (left, ratio) = (self.left, self.limits.ratio);
        let file =
            self.zip.by_name(name).map_err(|_| refused(&format!("{name} is missing or cannot be read")))?;
        if file.is_symlink() || file.is_dir() || file.encrypted() {
            return Err(refused(&format!("{name} is no plain file")));
        }
        let (packed, unpacked) = (file.compressed_size().max(1), file.size());
        if unpacked > left {
            return Err(refused("it is too large when it is unpacked"));
        }
        if unpacked > DENSE_FROM && unpacked / packed > ratio {
            return Err(refused(&format!("{name} grows more than {ratio} times when it is unpacked")));
        }
        Ok(file)
    }

    /// How many rows it says it has.
    fn rows(&self) -> u64 {
        self.manifest.agents.iter().flat_map(|agent| &agent.parts).map(|part| part.rows).sum()
    }

    /// Puts all rows into a store that has the schema of the archive and nothing else.
    fn put_into(&mut self, store: &Store, count: &Count) -> Result<()> {
        let tables = schema::at(self.manifest.schema);
        // Table by table: an agent's rows may speak of another agent.
        for table in carried_at(self.manifest.schema) {
            for agent in self.manifest.agents.clone() {
                let place = agent.place(table.name);
                let part = agent.parts.iter().find(|part| part.table == table.name);
                let part = part.ok_or_else(|| refused("a table is missing"))?;
                let (line, left) = (self.limits.line, self.left);
                let file = self.part(&place)?;
                let mut put = |lines: &[String]| {
                    count.add(lines.len() as u64);
                    store.write(&Caller::agent(None), &[agent.id], None, |writer: &mut Writer| {
                        baggage::put_lines(writer, table, &tables, agent.id, lines)
                    })
                };
                let used = put_part(file, part, &place, line.min(left), &mut put)?;
                self.left = self.left.saturating_sub(used);
            }
        }
        Ok(())
    }
}

/// Reads the lines of a part, puts them batch by batch, and holds what was read against the manifest.
fn put_part(
    file: impl Read,
    part: &Part,
    place: &str,
    longest: u64,
    put: &mut dyn FnMut(&[String]) -> std::result::Result<(), StoreError>,
) -> Result<u64> {
    // Not a byte more than the manifest says: whatever the zip says about itself.
    let mut lines = BufReader::new(file.take(part.bytes + 1));
    let (mut hasher, mut rows, mut bytes) = (Sha256::new(), 0, 0);
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        let mut line = String::new();
        let read = (&mut lines).take(longest + 1).read_line(&mut line);
        let read = read.map_err(|_| refused(&format!("{place} cannot be read")))? as u64;
        if read > longest {
            return Err(refused(&format!("{place} has a row that is too long")));
        }
        hasher.update(line.as_bytes());
        bytes += read;
        if read > 0 {
            rows += 1;
            batch.push(line.trim_end_matches('\n').to_owned());
        }
        if batch.len() == BATCH || (read == 0 && !batch.is_empty()) {
            put(&batch).map_err(|error| refused(&format!("{place}: {error}")))?;
            batch.clear();
        }
        if read == 0 {
            break;
        }
    }
    if (rows, bytes, hex(&hasher.finalize())) != (part.rows, part.bytes, part.sha256.clone()) {
        return Err(refused(&format!("{place} does not fit its checksum in the manifest")));
    }
    Ok(bytes)
}

fn carried_at(schema: i64) -> impl Iterator<Item = &'static Table> {
    baggage::carried().filter(move |table| table.since <= schema)
}

/// How many files a zip says it has, without reading the list of them.
fn declared_files(source: &mut (impl Read + Seek)) -> Option<u64> {
    const END: usize = 22;
    const LONGEST_COMMENT: u64 = 65_535;
    let size = source.seek(SeekFrom::End(0)).ok()?;
    let tail_from = size.saturating_sub(END as u64 + LONGEST_COMMENT);
    let tail = bytes_at(source, tail_from, usize::try_from(size - tail_from).ok()?)?;
    let end = tail.windows(END).rposition(|window| window.starts_with(b"PK\x05\x06"))?;
    let few = u64::from(u16::from_le_bytes([tail[end + 10], tail[end + 11]]));
    // A zip of more says so in a second end, whose place stands just before the first.
    let Some(locator) = end.checked_sub(20).map(|from| &tail[from..end]) else { return Some(few) };
    if !locator.starts_with(b"PK\x06\x07") {
        return Some(few);
    }
    let at = u64::from_le_bytes(locator[8..16].try_into().ok()?);
    let second = bytes_at(source, at, 56)?;
    let is_one = second.starts_with(b"PK\x06\x06");
    is_one.then(|| second[32..40].try_into().ok().map(u64::from_le_bytes))?
}

fn bytes_at(source: &mut (impl Read + Seek), at: u64, count: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; count];
    source.seek(SeekFrom::Start(at)).ok()?;
    source.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

fn refused(what: &str) -> Error {
    Error::Unfit(format!("the archive was refused: {what}; nothing was changed"))
}

fn taken(what: String) -> Error {
    Error::Store(StoreError::Conflict(what))
}
