//! The verb *export*: minds into an archive, all rows from one moment.

use super::manifest::{Manifest, NAME, Packed, Part};
use crate::error::{Error, Result, StoreResult};
use crate::mind::Mind;
use crate::progress::{Count, Unit};
use selfsame_core::id::AgentId;
use selfsame_core::seal::hex;
use selfsame_core::trust::Caller;
use selfsame_store::agents::Agent;
use selfsame_store::tables::Table;
use selfsame_store::{Reader, StoreError, baggage, migrate};
use sha2::{Digest as _, Sha256};
use std::io::{Cursor, Write as _};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// An archive, ready to be written down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its SHA-256.
    pub sha256: String,
    /// What is in it.
    pub manifest: Manifest,
}

type Archive = ZipWriter<Cursor<Vec<u8>>>;

impl Mind {
    /// Packs the agents of these names, or all of them, into an archive. For the operator.
    pub fn export(&self, names: &[&str]) -> Result<Exported> {
        let mut agents = match names {
            [] => self.agents()?,
            names => names.iter().map(|name| self.require_agent(name)).collect::<Result<Vec<_>>>()?,
        };
        agents.sort_by_key(|agent| agent.id);
        agents.dedup_by_key(|agent| agent.id);
        if agents.is_empty() {
            return Err(Error::Unfit("there is no agent to export: `selfsame init` makes one".into()));
        }
        let ids: Vec<AgentId> = agents.iter().map(|agent| agent.id).collect();
        let count = self.watch.count("writing down", Unit::Rows, || {
            Ok(self.store.read(&Caller::agent(None), &ids, |reader| rows_of(reader, &ids))?)
        })?;
        let (bytes, manifest) =
            self.store.read(&Caller::agent(None), &ids, |reader| packed(reader, &agents, &count))?;
        let sha256 = hex(&Sha256::digest(&bytes));
        Ok(Exported { bytes, sha256, manifest })
    }
}

/// How many rows an archive of these agents has.
fn rows_of(reader: &mut Reader, agents: &[AgentId]) -> StoreResult<u64> {
    let mut rows = 0;
    for table in baggage::carried() {
        for agent in agents {
            rows += baggage::count_of(reader, table, Some(*agent))?;
        }
    }
    Ok(rows)
}

fn packed(reader: &mut Reader, agents: &[Agent], count: &Count) -> StoreResult<(Vec<u8>, Manifest)> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let mut manifest = Manifest { schema: migrate::latest(), agents: Vec::new() };
    for agent in agents {
        let mut one = Packed { id: agent.id, name: agent.name.clone(), parts: Vec::new() };
        for table in baggage::carried() {
            begin(&mut archive, &one.place(table.name))?;
            one.parts.push(pack_table(reader, &mut archive, table, agent.id, count)?);
        }
        manifest.agents.push(one);
    }
    begin(&mut archive, NAME)?;
    archive.write_all(manifest.to_text().as_bytes()).map_err(|error| failed(&error))?;
    let bytes = archive.finish().map_err(|error| failed(&error))?.into_inner();
    Ok((bytes, manifest))
}

fn pack_table(
    reader: &mut Reader,
    archive: &mut Archive,
    table: &'static Table,
    agent: AgentId,
    count: &Count,
) -> StoreResult<Part> {
    let (mut hasher, mut bytes) = (Sha256::new(), 0);
    let rows = baggage::lines_of(reader, table, Some(agent), &mut |line| {
        let line = format!("{line}\n");
        count.add(1);
        hasher.update(line.as_bytes());
        bytes += line.len() as u64;
        archive.write_all(line.as_bytes()).map_err(|error| failed(&error))
    })?;
    Ok(Part { table: table.name.to_owned(), rows, bytes, sha256: hex(&hasher.finalize()) })
}

/// The next file of the archive: without a time, so that equal minds give equal bytes.
fn begin(archive: &mut Archive, name: &str) -> StoreResult<()> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::DEFAULT)
        .unix_permissions(0o600)
        .large_file(true);
    archive.start_file(name, options).map_err(|error| failed(&error))
}

fn failed(error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Failed(format!("the archive cannot be written: {error}"))
}
