//! Minds with many memories, loaded once and shared by the benchmarks of a run.

use crate::bulk;
use crate::corpus::Corpus;
use crate::report::output_folder;
use crate::watch::{Took, Whose, time};
use anyhow::{Context, Result, anyhow};
use selfsame::id::MemoryId;
use selfsame::memory::Draft;
use selfsame::{Access, Mind, Speaker};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::ScopedJoinHandle;
use tempfile::TempDir;

/// The agent that has them.
pub const AGENT: &str = "main";
/// Of the texts.
pub const SEED: u64 = 1;
/// Loading threads: they share their commits, so more threads are fewer fsyncs.
pub const LOADERS: usize = 64;

/// The loaded minds of this run, by size.
pub struct Shelf {
    folder: TempDir,
    loaded: BTreeMap<usize, Loaded>,
}

/// A folder with a mind in it, closed.
pub struct Loaded {
    /// Where.
    pub folder: PathBuf,
    /// What is in it.
    pub corpus: Corpus,
    /// What loading took.
    pub took: Took,
}

impl Shelf {
    /// An empty one, beside the reports: on the disk and not in memory, where an fsync would cost nothing.
    pub fn new() -> Result<Shelf> {
        let folder = tempfile::Builder::new()
            .prefix("data-")
            .tempdir_in(output_folder()?)
            .context("cannot make a folder for the data")?;
        Ok(Shelf { folder, loaded: BTreeMap::new() })
    }

    /// The mind with so many memories, loaded past the verb: for sizes at which remembering each would take longer than
    /// all benchmarks together. Rows and index are the same.
    pub fn bulk_loaded(&mut self, memories: usize) -> Result<&Loaded> {
        if !self.loaded.contains_key(&memories) {
            let loaded = bulk::load(&self.scratch(&format!("mind-{memories}")), memories)?;
            self.loaded.insert(memories, loaded);
        }
        self.loaded.get(&memories).context("it was just loaded")
    }

    /// A folder for whatever a benchmark needs.
    pub fn scratch(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The mind with so many memories, loaded through the library when it is first asked for.
    pub fn loaded(&mut self, memories: usize) -> Result<&Loaded> {
        if !self.loaded.contains_key(&memories) {
            let loaded = load(&self.scratch(&format!("mind-{memories}")), memories)?;
            self.loaded.insert(memories, loaded);
        }
        self.loaded.get(&memories).context("it was just loaded")
    }
}

fn load(folder: &Path, memories: usize) -> Result<Loaded> {
    let corpus = Corpus::new(memories, SEED);
    let mind = Mind::open(folder)?;
    let (loaded, took) = time(Whose::Process, || remember_all(&mind, &corpus.texts, LOADERS));
    loaded?;
    Ok(Loaded { folder: folder.to_owned(), corpus, took })
}

/// Remembers every text with so many threads; gives the ids in the order of the texts.
pub fn remember_all(mind: &Mind, texts: &[String], threads: usize) -> Result<Vec<MemoryId>> {
    mind.ensure_agent(AGENT)?;
    let share = texts.len().div_ceil(threads).max(1);
    let parts = std::thread::scope(|scope| {
        let running: Vec<_> =
            texts.chunks(share).map(|part| scope.spawn(move || remember_each(mind, part))).collect();
        let ended = running.into_iter().map(ScopedJoinHandle::join);
        ended
            .map(|part| part.unwrap_or_else(|_| Err(anyhow!("a writer panicked"))))
            .collect::<Result<Vec<_>>>()
    })?;
    Ok(parts.concat())
}

fn remember_each(mind: &Mind, texts: &[String]) -> Result<Vec<MemoryId>> {
    let access = operator(mind)?;
    texts.iter().map(|text| Ok(access.remember(Draft::new(text.as_str()), None)?.id)).collect()
}

/// The agent as its operator sees it.
pub fn operator(mind: &Mind) -> Result<Access<'_>> {
    Ok(mind.access(AGENT, Speaker::Operator)?)
}
