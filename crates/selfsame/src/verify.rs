//! The verb *verify*: everything stored is looked at, and what does not fit is named.

use crate::error::Result;
use crate::mind::Mind;
use selfsame_core::event::GENESIS;
use selfsame_core::id::{AgentId, Id, MemoryId};
use selfsame_core::memory::Memory;
use selfsame_core::recall::Corpus;
use selfsame_core::text::count_terms;
use selfsame_core::trust::Caller;
use selfsame_store::agents::Agent;
use selfsame_store::postings::{self, ItemTotals, Kind};
use selfsame_store::{Reader, StoreError, erasures, events, memory};
use std::collections::BTreeMap;

/// Memories read at a time.
const PAGE: i64 = 500;

/// What was looked at, and what was found wrong.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Agents.
    pub agents: u64,
    /// Memories whose seal was checked.
    pub memories: u64,
    /// What does not fit, in words.
    pub problems: Vec<String>,
}

impl Mind {
    /// Checks the database's own structure, every seal, and the index against the texts it was made from.
    pub fn verify(&self) -> Result<Report> {
        let mut report = Report { problems: self.store.integrity()?, ..Report::default() };
        for agent in self.agents()? {
            report.agents += 1;
            let caller = Caller::operator(agent.operator);
            let (memories, problems) =
                self.store.read(&caller, &[agent.id], |reader| verify_agent(reader, &agent))?;
            report.memories += memories;
            report
                .problems
                .extend(problems.into_iter().map(|problem| format!("agent {}: {problem}", agent.name)));
        }
        Ok(report)
    }
}

fn verify_agent(reader: &mut Reader, agent: &Agent) -> std::result::Result<(u64, Vec<String>), StoreError> {
    let mut problems = Vec::new();
    let mut indexed = postings::item_totals(reader, agent.id, Kind::Memory)?;
    let words = indexed.values().filter_map(|item| item.len).sum();
    let mut seen = 0;
    let mut after = MemoryId::of(Id::NIL);
    loop {
        let page = memory::page(reader, agent.id, after, PAGE)?;
        let Some(last) = page.last().map(last_id) else {
            break;
        };
        seen += page.len() as u64;
        for read in page {
            match read {
                Ok(memory) => problems.extend(check_index(&memory, &mut indexed)),
                Err(StoreError::Spoiled(spoiled)) => {
                    indexed.remove(&spoiled.id.id());
                    problems.push(spoiled.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        after = last?;
    }
    problems.extend(
        indexed.keys().map(|item| format!("the index has {}, which is not there", MemoryId::of(*item))),
    );
    problems.extend(check_statistics(reader, agent.id, Corpus { docs: seen, words })?);
    problems.extend(check_events(reader, agent.id)?);
    if erasures::left_open(reader, agent.id)? > 0 {
        problems.push("an erasure was left open: the guards of this agent's rows stand aside".into());
    }
    Ok((seen, problems))
}

fn last_id(read: &std::result::Result<Memory, StoreError>) -> std::result::Result<MemoryId, StoreError> {
    match read {
        Ok(memory) => Ok(memory.id),
        Err(StoreError::Spoiled(spoiled)) => Ok(spoiled.id),
        Err(error) => Err(StoreError::Damaged(error.to_string())),
    }
}

fn check_index(memory: &Memory, indexed: &mut BTreeMap<Id, ItemTotals>) -> Option<String> {
    let words = count_terms(&memory.content);
    let expected = ItemTotals {
        terms: words.counts.len() as u64,
        words: u64::from(words.len),
        len: Some(u64::from(words.len)),
    };
    match indexed.remove(&memory.id.id()) {
        Some(found) if found == expected => None,
        None if expected.terms == 0 => None,
        _ => Some(format!("the index does not fit {}", memory.id)),
    }
}

/// Walks the chain of events: nothing left out, nothing changed, and it ends where the head says.
fn check_events(reader: &mut Reader, agent: AgentId) -> std::result::Result<Vec<String>, StoreError> {
    let head = events::head(reader, agent)?;
    let (mut seq, mut hash) = (0, GENESIS);
    loop {
        let page = events::after(reader, agent, seq, PAGE)?;
        if page.is_empty() {
            break;
        }
        for (event, stored) in page {
            if event.seq != seq + 1 {
                return Ok(vec![format!("the log of events has a hole: after {seq} comes {}", event.seq)]);
            }
            hash = event.hash(agent, &hash);
            seq = event.seq;
            if hash != stored {
                return Ok(vec![format!("the log of events was changed at or before number {seq}")]);
            }
        }
    }
    if (head.seq, head.hash) != (seq, hash) {
        return Ok(vec![format!("the log of events ends at {seq}, but its head says {}", head.seq)]);
    }
    Ok(Vec::new())
}

fn check_statistics(
    reader: &mut Reader,
    agent: AgentId,
    seen: Corpus,
) -> std::result::Result<Vec<String>, StoreError> {
    let mut problems = Vec::new();
    let (counted, stored) = postings::term_totals(reader, agent, Kind::Memory)?;
    if counted != stored {
        problems.push("the statistics of words do not fit the index".into());
    }
    let corpus = postings::corpus(reader, agent, Kind::Memory)?;
    if corpus != seen {
        problems.push(format!(
            "the statistics count {} words in {} memories where {} in {} are",
            corpus.words, corpus.docs, seen.words, seen.docs
        ));
    }
    Ok(problems)
}
