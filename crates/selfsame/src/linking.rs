//! Finds the open plan that an activity serves, or the open question that a fact answers, when the writer did not say.
//!
//! What is open has an index of its own, of content words alone: it is small, however much is remembered.

use crate::indexing;
use selfsame_core::id::{AgentId, MemoryId};
use selfsame_core::memory::links::{counterpart, fit};
use selfsame_core::memory::sameness::content_terms;
use selfsame_core::memory::{Memory, MemoryKind};
use selfsame_core::recall::Spot;
use selfsame_core::text::TermCounts;
use selfsame_store::postings::{self, Kind};
use selfsame_store::{Reader, StoreError, Writer, indexed_texts, memory};
use std::collections::BTreeMap;

/// Words that are looked up, at most: the rarest say most.
const LOOKED_UP: usize = 16;
/// Open memories with one word that are looked at, at most; the newest.
const PER_WORD: u64 = 256;
/// Candidates that are read, at most.
const READ: usize = 8;

/// A plan or question is open.
pub(crate) fn open(writer: &mut Writer, memory: &Memory) -> Result<(), StoreError> {
    let about = content_terms(&memory.content);
    // What another agent plans or asks is nothing that this one's doings belong to.
    if about.counts.is_empty() || indexing::kind_of(memory) != Kind::Memory {
        return Ok(());
    }
    postings::insert(writer, memory.agent, Kind::Open, &indexing::of_open(memory, &about)).map(drop)
}

/// It is open no more, if it was. Without its content, which may be damaged, the index itself is asked for its words.
pub(crate) fn close(
    writer: &mut Writer,
    agent: AgentId,
    id: MemoryId,
    content: &str,
) -> Result<(), StoreError> {
    postings::remove(writer, agent, Kind::Open, id.id(), &content_terms(content)).map(drop)
}

/// Links a new memory to what it most likely belongs to. Private words are linked to nothing.
pub(crate) fn guess(reader: &mut Reader, new: &mut Memory, about: &TermCounts) -> Result<(), StoreError> {
    let Some(kind) = counterpart(new.kind) else {
        return Ok(());
    };
    let said = match kind {
        MemoryKind::Plan => new.links.goal,
        _ => new.links.answers,
    };
    if said.is_some() || new.provenance.is_private() {
        return Ok(());
    }
    let found = best(reader, new.agent, kind, about)?;
    match kind {
        MemoryKind::Plan => new.links.goal = found,
        _ => new.links.answers = found,
    }
    Ok(())
}

fn best(
    reader: &mut Reader,
    agent: AgentId,
    kind: MemoryKind,
    about: &TermCounts,
) -> Result<Option<MemoryId>, StoreError> {
    let candidates = sharing(reader, agent, about)?;
    let spots: Vec<Spot> = candidates.keys().copied().collect();
    let texts = indexed_texts::texts_at(reader, agent, Kind::Open, &spots)?;
    let spot_of: BTreeMap<MemoryId, Spot> =
        texts.into_iter().map(|(spot, text)| (MemoryId::of(text.item), spot)).collect();
    let ids: Vec<MemoryId> = spot_of.keys().copied().collect();
    let mut best: Option<(f64, MemoryId)> = None;
    for open in memory::by_ids(reader, agent, &ids)?.into_iter().flatten() {
        let Some(Shared { words, of }) = spot_of.get(&open.id).and_then(|spot| candidates.get(spot)) else {
            continue;
        };
        let share = fit(&open, *words, *of).filter(|_| open.kind == kind && !open.provenance.is_private());
        // Equal fits go to the older one.
        if let Some(share) = share
            && best.is_none_or(|(most, id)| share > most || (share >= most && open.id < id))
        {
            best = Some((share, open.id));
        }
    }
    Ok(best.map(|(_, id)| id))
}

#[derive(Clone, Copy, Default)]
struct Shared {
    words: u32,
    of: u32,
}

/// The open memories that share the most words.
fn sharing(
    reader: &mut Reader,
    agent: AgentId,
    about: &TermCounts,
) -> Result<BTreeMap<Spot, Shared>, StoreError> {
    let terms: Vec<String> = about.counts.keys().cloned().collect();
    let mut known: Vec<(u64, String)> = postings::frequencies(reader, agent, Kind::Open, &terms)?
        .into_iter()
        .map(|(term, texts)| (texts, term))
        .collect();
    known.sort();
    let mut shared: BTreeMap<Spot, Shared> = BTreeMap::new();
    for (texts, term) in known.iter().take(LOOKED_UP) {
        for posting in postings::of_term(reader, agent, Kind::Open, term, *texts, PER_WORD)?.postings {
            let counted = shared.entry(posting.spot).or_default();
            *counted = Shared { words: counted.words + 1, of: posting.len.into() };
        }
    }
    let mut most: Vec<(Spot, Shared)> = shared.into_iter().collect();
    most.sort_by_key(|(spot, shared)| (std::cmp::Reverse(shared.words), *spot));
    most.truncate(READ);
    Ok(most.into_iter().collect())
}
