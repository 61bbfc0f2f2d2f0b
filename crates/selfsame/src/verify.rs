//! The verb *verify*: everything stored is looked at, and what does not fit is named.

use crate::error::{Result, StoreResult};
use crate::mind::Mind;
use selfsame_core::event::GENESIS;
use selfsame_core::id::{AgentId, CandidateId, ChangeId, Id, LessonId, MemoryId, MessageId, ReflectionId};
use selfsame_core::kept::{Kept, Words};
use selfsame_core::memory::Memory;
use selfsame_core::memory::sameness::content_terms;
use selfsame_core::recall::Corpus;
use selfsame_core::text::{TermCounts, count_terms};
use selfsame_core::trust::Caller;
use selfsame_store::agents::Agent;
use selfsame_store::postings::{self, ItemTotals, Kind};
use selfsame_store::{
    Reader, StoreError, calendar, diary, erasures, events, inbox, lessons, memory, messages, reflections,
    relationships, soul, todos,
};
use std::collections::BTreeMap;

/// Rows read at a time.
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

fn verify_agent(reader: &mut Reader, agent: &Agent) -> StoreResult<(u64, Vec<String>)> {
    let (memories, mut problems) = verify_layer(reader, agent.id, Some(Kind::Memory), |reader, after| {
        let page = memory::page(reader, agent.id, MemoryId::of(after), PAGE)?;
        Ok(page
            .into_iter()
            .map(|read| read.map(|memory| Looked::at(memory.id.id(), &memory.content)))
            .collect())
    })?;
    let (_, open) = verify_layer(reader, agent.id, Some(Kind::Open), |reader, after| {
        let page = memory::open_page(reader, agent.id, MemoryId::of(after), PAGE)?;
        let looked = |memory: Memory| Looked { id: memory.id.id(), words: content_terms(&memory.content) };
        Ok(page.into_iter().map(|read| read.map(looked)).collect())
    })?;
    problems.extend(open);
    problems.extend(verify_kept(reader, agent.id, |reader, after| {
        inbox::page(reader, agent.id, CandidateId::of(after), PAGE)
    })?);
    problems.extend(verify_kept(reader, agent.id, |reader, after| {
        reflections::page(reader, agent.id, ReflectionId::of(after), PAGE)
    })?);
    problems.extend(verify_kept(reader, agent.id, |reader, after| {
        lessons::page(reader, agent.id, LessonId::of(after), PAGE)
    })?);
    problems.extend(verify_other_layers(reader, agent.id)?);
    problems.extend(verify_messages(reader, agent.id)?);
    problems.extend(verify_relationships(reader, agent.id)?);
    problems.extend(check_events(reader, agent.id)?);
    if erasures::left_open(reader, agent.id)? > 0 {
        problems.push("an erasure was left open: the guards of this agent's rows stand aside".into());
    }
    Ok((memories, problems))
}

/// Looks at every row of a layer that is not indexed.
fn verify_kept<T: Words>(
    reader: &mut Reader,
    agent: AgentId,
    mut page_after: impl FnMut(&mut Reader, Id) -> StoreResult<Vec<StoreResult<Kept<T>>>>,
) -> StoreResult<Vec<String>> {
    let (_, problems) = verify_layer(reader, agent, None, |reader, after| {
        let page = page_after(reader, after)?;
        Ok(page.into_iter().map(|read| read.map(|row| Looked::at(row.id(), ""))).collect())
    })?;
    Ok(problems)
}

/// Soul, diary and tasks: their seals, and the index of what is searched.
fn verify_other_layers(reader: &mut Reader, agent: AgentId) -> StoreResult<Vec<String>> {
    let mut problems = Vec::new();
    problems.extend(verify_kept(reader, agent, |reader, after| soul::page(reader, agent, after, PAGE))?);
    problems.extend(verify_kept(reader, agent, |reader, after| todos::page(reader, agent, after, PAGE))?);
    problems.extend(verify_kept(reader, agent, |reader, after| calendar::page(reader, agent, after, PAGE))?);
    let (_, diary) = verify_layer(reader, agent, Some(Kind::Diary), |reader, after| {
        let page = diary::page(reader, agent, after, PAGE)?;
        Ok(page.into_iter().map(|read| read.map(|entry| Looked::at(entry.id.id(), &entry.text))).collect())
    })?;
    problems.extend(diary);
    Ok(problems)
}

fn verify_messages(reader: &mut Reader, agent: AgentId) -> StoreResult<Vec<String>> {
    let (_, problems) = verify_layer(reader, agent, Some(Kind::Message), |reader, after| {
        let page = messages::page(reader, agent, MessageId::of(after), PAGE)?;
        let looked = page.into_iter().map(|read| read.map(|kept| Looked::at(kept.id.id(), &kept.content)));
        Ok(looked.collect())
    })?;
    Ok(problems)
}

fn verify_relationships(reader: &mut Reader, agent: AgentId) -> StoreResult<Vec<String>> {
    let (_, problems) = verify_layer(reader, agent, None, |reader, after| {
        let page = relationships::history_page(reader, agent, ChangeId::of(after), PAGE)?;
        Ok(page.into_iter().map(|read| read.map(|kept| Looked::at(kept.id.id(), ""))).collect())
    })?;
    Ok(problems)
}

/// A row whose seal fits, with the words that the index should have of it.
struct Looked {
    id: Id,
    words: TermCounts,
}

impl Looked {
    fn at(id: Id, text: &str) -> Looked {
        Looked { id, words: count_terms(text) }
    }
}

/// Looks at every row of a layer, by pages in the order of their ids, and holds the index against them.
fn verify_layer(
    reader: &mut Reader,
    agent: AgentId,
    indexed_as: Option<Kind>,
    mut page_after: impl FnMut(&mut Reader, Id) -> StoreResult<Vec<StoreResult<Looked>>>,
) -> StoreResult<(u64, Vec<String>)> {
    let mut problems = Vec::new();
    let mut indexed = match indexed_as {
        Some(kind) => postings::item_totals(reader, agent, kind)?,
        None => BTreeMap::new(),
    };
    let mut seen = Corpus { docs: 0, words: indexed.values().filter_map(|item| item.len).sum() };
    let mut after = Id::NIL;
    loop {
        let page = page_after(reader, after)?;
        if page.is_empty() {
            break;
        }
        for read in page {
            match read {
                Ok(looked) => {
                    after = looked.id;
                    // A plan without a content word cannot be found by one, and is not in the index of what is open.
                    let left_out = indexed_as == Some(Kind::Open) && looked.words.counts.is_empty();
                    seen.docs += u64::from(!left_out);
                    problems.extend(indexed_as.and_then(|kind| check_index(kind, &looked, &mut indexed)));
                }
                Err(StoreError::Spoiled(spoiled)) => {
                    after = spoiled.id;
                    seen.docs += 1;
                    indexed.remove(&spoiled.id);
                    problems.push(spoiled.to_string());
                }
                Err(error) => return Err(error),
            }
        }
    }
    if let Some(kind) = indexed_as {
        let gone = |item: &Id| format!("the index has {}, which is not there", kind.shown(*item));
        problems.extend(indexed.keys().map(gone));
        problems.extend(check_statistics(reader, agent, kind, seen)?);
    }
    Ok((seen.docs, problems))
}

fn check_index(kind: Kind, looked: &Looked, indexed: &mut BTreeMap<Id, ItemTotals>) -> Option<String> {
    let words = &looked.words;
    let expected = ItemTotals {
        terms: words.counts.len() as u64,
        words: u64::from(words.len),
        len: Some(u64::from(words.len)),
    };
    match indexed.remove(&looked.id) {
        Some(found) if found == expected => None,
        None if expected.terms == 0 => None,
        _ => Some(format!("the index does not fit {}", kind.shown(looked.id))),
    }
}

/// Walks the chain of events: nothing left out, nothing changed, and it ends where the head says.
fn check_events(reader: &mut Reader, agent: AgentId) -> StoreResult<Vec<String>> {
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
    kind: Kind,
    seen: Corpus,
) -> StoreResult<Vec<String>> {
    let mut problems = Vec::new();
    let (counted, stored) = postings::term_totals(reader, agent, kind)?;
    if counted != stored {
        problems.push(format!("the statistics of words do not fit the index of {}", kind.plural()));
    }
    let corpus = postings::corpus(reader, agent, kind)?;
    if corpus != seen {
        problems.push(format!(
            "the statistics count {} words in {} {kinds} where {} in {} are",
            corpus.words,
            corpus.docs,
            seen.words,
            seen.docs,
            kinds = kind.plural()
        ));
    }
    Ok(problems)
}
