//! The verb *verify*: everything stored is looked at, and what does not fit is named.

use crate::error::{Result, StoreResult};
use crate::mind::Mind;
use crate::progress::{Count, Unit};
use crate::verify_index::verify_indexed;
use crate::verify_knowledge::verify_knowledge;
use crate::verify_vectors::verify_vectors;
use selfsame_core::event::GENESIS;
use selfsame_core::id::{AgentId, CandidateId, ChangeId, EpisodeId, Id, LessonId, ReflectionId};
use selfsame_core::kept::{Kept, Words};
use selfsame_core::time::Zone;
use selfsame_core::trust::Caller;
use selfsame_store::agents::Agent;
use selfsame_store::contemplation::episodes;
use selfsame_store::postings::{self, Kind};
use selfsame_store::{
    Reader, StoreError, calendar, erasures, events, inbox, lessons, reflections, relationships, shelves,
    soul, todos,
};

/// Rows read at a time.
pub(crate) const PAGE: i64 = 500;

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
    /// Checks the database's own structure, every seal, and the index and the vectors against the texts they were made from.
    pub fn verify(&self) -> Result<Report> {
        let mut report = Report { problems: self.store.integrity()?, ..Report::default() };
        let agents = self.agents()?;
        let count = self.count_to_verify("checking", &agents)?;
        for agent in agents {
            report.agents += 1;
            let (memories, problems) = self.verify_one(&agent, &count)?;
            report.memories += memories;
            report
                .problems
                .extend(problems.into_iter().map(|problem| format!("agent {}: {problem}", agent.name)));
        }
        Ok(report)
    }

    /// Looks at everything of one agent; gives how many memories it has, and what does not fit.
    pub(crate) fn verify_one(&self, agent: &Agent, count: &Count) -> Result<(u64, Vec<String>)> {
        let caller = Caller::operator(agent.operator);
        Ok(self.store.read(&caller, &[agent.id], |reader| verify_agent(reader, agent, count))?)
    }

    /// What there is to be looked at: what should be in the index, and the log of events.
    pub(crate) fn count_to_verify(&self, what: &'static str, agents: &[Agent]) -> Result<Count> {
        self.watch.count(what, Unit::Rows, || {
            let mut rows = 0;
            for agent in agents {
                rows += self.store.read(&Caller::operator(agent.operator), &[agent.id], |reader| {
                    let mut rows = u64::try_from(events::head(reader, agent.id)?.seq).unwrap_or_default();
                    for kind in Kind::ALL.into_iter().chain(shelves::all(reader, agent.id)?) {
                        rows += postings::corpus(reader, agent.id, kind)?.docs;
                    }
                    Ok(rows)
                })?;
            }
            Ok(rows)
        })
    }
}

fn verify_agent(reader: &mut Reader, agent: &Agent, count: &Count) -> StoreResult<(u64, Vec<String>)> {
    let zone = Zone::parse(&agent.zone).map_err(|error| StoreError::Damaged(error.to_string()))?;
    let mut problems = Vec::new();
    let mut memories = 0;
    let shown = shelves::shown(reader, agent.id)?;
    for kind in Kind::ALL.into_iter().chain(shelves::all(reader, agent.id)?) {
        let (rows, found) = verify_indexed(reader, agent.id, kind, &zone, count)?;
        memories += if kind == Kind::Memory || shown.contains(&kind) { rows } else { 0 };
        problems.extend(found);
    }
    problems.extend(verify_vectors(reader, agent.id)?);
    problems.extend(verify_knowledge(reader, agent.id)?);
    problems.extend(verify_other_layers(reader, agent.id)?);
    problems.extend(check_events(reader, agent.id, count)?);
    if erasures::left_open(reader, agent.id)? > 0 {
        problems.push("an erasure was left open: the guards of this agent's rows stand aside".into());
    }
    Ok((memories, problems))
}

/// The layers that are not indexed: their seals.
fn verify_other_layers(reader: &mut Reader, agent: AgentId) -> StoreResult<Vec<String>> {
    let mut problems =
        verify_kept(reader, |reader, after| inbox::page(reader, agent, CandidateId::of(after), PAGE))?;
    problems.extend(verify_kept(reader, |reader, after| {
        reflections::page(reader, agent, ReflectionId::of(after), PAGE)
    })?);
    problems.extend(verify_kept(reader, |reader, after| {
        lessons::page(reader, agent, LessonId::of(after), PAGE)
    })?);
    problems.extend(verify_kept(reader, |reader, after| {
        episodes::after(reader, agent, EpisodeId::of(after), PAGE)
    })?);
    problems.extend(verify_kept(reader, |reader, after| soul::page(reader, agent, after, PAGE))?);
    problems.extend(verify_kept(reader, |reader, after| todos::page(reader, agent, after, PAGE))?);
    problems.extend(verify_kept(reader, |reader, after| calendar::page(reader, agent, after, PAGE))?);
    problems.extend(verify_kept(reader, |reader, after| {
        relationships::history_page(reader, agent, ChangeId::of(after), PAGE)
    })?);
    Ok(problems)
}

/// Looks at every row of a layer that is not indexed.
fn verify_kept<T: Words>(
    reader: &mut Reader,
    mut page_after: impl FnMut(&mut Reader, Id) -> StoreResult<Vec<StoreResult<Kept<T>>>>,
) -> StoreResult<Vec<String>> {
    let mut problems = Vec::new();
    let mut after = Id::NIL;
    loop {
        let page = page_after(reader, after)?;
        if page.is_empty() {
            return Ok(problems);
        }
        for read in page {
            match read {
                Ok(row) => after = row.id(),
                Err(StoreError::Spoiled(spoiled)) => {
                    after = spoiled.id;
                    problems.push(spoiled.to_string());
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// Walks the chain of events: nothing left out, nothing changed, and it ends where the head says.
fn check_events(reader: &mut Reader, agent: AgentId, count: &Count) -> StoreResult<Vec<String>> {
    let head = events::head(reader, agent)?;
    let (mut seq, mut hash) = (0, GENESIS);
    loop {
        let page = events::after(reader, agent, seq, PAGE)?;
        if page.is_empty() {
            break;
        }
        count.add(page.len() as u64);
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
