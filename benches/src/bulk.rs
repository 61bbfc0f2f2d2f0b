//! A mind of any size in minutes: rows by the store, their index built in memory and written in the order of its keys.
//!
//! What comes out is what remembering each would have made, as far as recall sees it; `verify` says so for small sizes.

use crate::corpus::Corpus;
use crate::mind::{AGENT, Loaded, SEED, operator};
use crate::watch::{Whose, time};
use anyhow::{Result, ensure};
use rusqlite::{Connection, params};
use selfsame::Mind;
use selfsame::id::{Id, MemoryId};
use selfsame::memory::{Draft, Memory};
use selfsame::time::Zone;
use selfsame::trust::{Privacy, Provenance};
use selfsame_core::id::Mint;
use selfsame_core::memory::sameness::Prints;
use selfsame_core::recall::indexed::{Indexed, indexed};
use selfsame_core::text::INDEX_VERSION;
use selfsame_store::memory;
use selfsame_store::postings::ENTRIES_PER_BLOCK;
use std::collections::BTreeMap;
use std::path::Path;

/// Rows in a transaction.
const ROWS: usize = 200;
/// Up to so many memories the result is verified.
const VERIFIED: usize = 10_000;

/// Makes a folder with a mind that has so many memories.
pub fn load(folder: &Path, memories: usize) -> Result<Loaded> {
    let corpus = Corpus::new(memories, SEED);
    let (loaded, took) = time(Whose::Process, || fill(folder, &corpus.texts));
    loaded?;
    if memories <= VERIFIED {
        let problems = Mind::open(folder)?.verify()?.problems;
        ensure!(problems.is_empty(), "what was loaded past the verb is not as it should be: {problems:?}");
    }
    Ok(Loaded { folder: folder.to_owned(), corpus, took })
}

fn fill(folder: &Path, texts: &[String]) -> Result<()> {
    let mut index = Index::default();
    let agent = {
        let mind = Mind::open(folder)?;
        mind.ensure_agent(AGENT)?;
        store_rows(&mind, texts, &mut index)?;
        operator(&mind)?.agent().id.id()
    };
    index.write(&folder.join("selfsame.db"), agent)
}

fn store_rows(mind: &Mind, texts: &[String], index: &mut Index) -> Result<()> {
    let access = operator(mind)?;
    let (agent, caller, zone) = (access.agent().id, *access.caller(), Zone::parse(&access.agent().zone)?);
    let mint = Mint::new([7; 32]);
    for part in texts.chunks(ROWS) {
        let fresh = |text: &String| {
            let now = mind.now();
            let provenance = Provenance::stated(&caller, None, Privacy::Shared);
            let id = MemoryId::of(mint.id(now));
            Memory::from_draft(id, agent, Draft::new(text.as_str()), provenance, now)
        };
        let memories: Vec<Memory> = part.iter().map(fresh).collect();
        mind.store().write(&caller, &[agent], None, |writer| {
            memories.iter().try_for_each(|one| {
                let serves = one.serves(access.agent().operator);
                memory::insert(writer, one, &Prints::of(&one.content), serves)
            })
        })?;
        for memory in &memories {
            index.add(memory, &indexed(&memory.content, zone.date(memory.created_at)));
        }
    }
    Ok(())
}

/// The index of memories, as it will be written.
#[derive(Default)]
struct Index {
    /// The postings of each word: twelve bytes each, in their order.
    postings: BTreeMap<String, Vec<u8>>,
    texts: Vec<Told>,
    words: u64,
}

/// What the index is told of a text.
struct Told {
    item: Id,
    len: u32,
    said_at: i64,
    marks: u8,
    blocks: Vec<u8>,
}

const ENTRY_BYTES: usize = 12;
const BLOCK_BYTES: usize = ENTRY_BYTES * ENTRIES_PER_BLOCK as usize;

impl Index {
    fn add(&mut self, memory: &Memory, indexed: &Indexed) {
        let thread = self.texts.len() as u32;
        let short = |count: u32| u16::try_from(count).unwrap_or(u16::MAX);
        let mut blocks = Vec::new();
        for (term, tf) in &indexed.words.counts {
            let entries = self.postings.entry(term.clone()).or_default();
            blocks.extend(((entries.len() / BLOCK_BYTES) as u32).to_le_bytes());
            entries.extend(thread.to_le_bytes());
            entries.extend(0u32.to_le_bytes());
            entries.extend(short(*tf).to_le_bytes());
            entries.extend(short(indexed.words.len).to_le_bytes());
        }
        self.words += u64::from(indexed.words.len);
        self.texts.push(Told {
            item: memory.id.id(),
            len: indexed.words.len,
            said_at: memory.created_at.micros(),
            marks: indexed.marks.bits(),
            blocks,
        });
    }

    fn write(&self, database: &Path, agent: Id) -> Result<()> {
        let mut connection = Connection::open(database)?;
        let agent = agent.bytes();
        let all = connection.transaction()?;
        {
            let mut block = all.prepare("INSERT INTO postings VALUES (?1, 'memory', ?2, ?3, ?4)")?;
            let mut word = all.prepare("INSERT INTO term_stats VALUES (?1, 'memory', ?2, ?3, ?3)")?;
            for (term, entries) in &self.postings {
                for (number, entries) in entries.chunks(BLOCK_BYTES).enumerate() {
                    block.execute(params![agent, term, number as i64, entries])?;
                }
                word.execute(params![agent, term, (entries.len() / ENTRY_BYTES) as i64])?;
            }
            let mut told = all.prepare(
                "INSERT INTO indexed_texts (agent_id, kind, spot, item_id, len, said_at, speaker_id, marks, blocks)
                 VALUES (?1, 'memory', ?2, ?3, ?4, ?5, NULL, ?6, ?7)",
            )?;
            for (thread, text) in self.texts.iter().enumerate() {
                let spot = (thread as i64) << 32;
                told.execute(params![
                    agent,
                    spot,
                    text.item.bytes(),
                    text.len,
                    text.said_at,
                    text.marks,
                    text.blocks
                ])?;
            }
        }
        all.execute(
            "INSERT INTO corpus_stats (agent_id, kind, docs, words, next_thread, version)
             VALUES (?1, 'memory', ?2, ?3, ?2, ?4)",
            params![agent, self.texts.len() as i64, self.words as i64, INDEX_VERSION],
        )?;
        Ok(all.commit()?)
    }
}
