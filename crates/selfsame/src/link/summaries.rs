//! Summaries and the link: those of the giver are copied after its memories, and those that the receiver made of what it was
//! given are taken back to what they were made from.

use super::Both;
use super::copy::{lent_as, refused};
use crate::error::{Result, StoreResult};
use crate::life::carry_on;
use crate::mind::Mind;
use crate::summary::{self, Summary};
use selfsame_core::care::MemorySummary;
use selfsame_core::id::{AgentId, Id, MemoryId, SummaryId};
use selfsame_core::kept::Kept;
use selfsame_core::link::summary_travels;
use selfsame_core::memory::{Memory, State};
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::{Caller, Provenance};
use selfsame_store::agents::Agent;
use selfsame_store::erasures::Buried;
use selfsame_store::links::{self, Link};
use selfsame_store::summaries::{self, Source, SourceKind};
use selfsame_store::{Reader, StoreError, Writer, memory};
use std::collections::BTreeSet;

impl Mind {
    /// Copies the giver's next summary of memories, if it travels, with what of its sources came along; says whether there
    /// was one.
    pub(super) fn copy_a_summary(&self, receiver: &Agent, link: &Link) -> Result<bool> {
        let giver = link.other;
        let after = link.summaries_until.unwrap_or(SummaryId::of(Id::NIL));
        let next = self.store.read(&Caller::agent(None), &[giver], |reader| {
            let all = summaries::current(reader, giver)?.into_iter().flatten();
            Ok(all.into_iter().find(|row| row.id > after && !row.provenance.is_private()))
        })?;
        let Some(row) = next else { return Ok(false) };
        let zone = Zone::parse(&receiver.zone)?;
        let (now, both) = (self.now(), Both { mine: receiver.id, other: giver });
        let id = SummaryId::of(self.mint.id(row.created_at));
        let provenance = Provenance::linked(&row.provenance, link.id.to_string()).map_err(refused)?;
        self.give_step(&both.agents(), |writer| {
            let there = links::by_id(writer, receiver.id, link.id)?;
            let is_next =
                |there: &Link| there.state == link.state && there.summaries_until == link.summaries_until;
            if !there.as_ref().is_some_and(is_next) {
                return Ok(());
            }
            links::summed_up(writer, receiver.id, link.id, row.id)?;
            // It was folded or forgotten meanwhile, or is not the giver's to give.
            if summaries::by_id(writer, giver, row.id)?.is_none() {
                return Ok(());
            }
            let Some(folded) = MadeOf::all(writer, giver, row.id)? else { return Ok(()) };
            let onward = links::onward(writer, giver)?;
            if !summary_travels(folded.provenance.iter().chain([&row.provenance]), &onward) {
                return Ok(());
            }
            let came: Vec<MemoryId> = links::items_of(writer, receiver.id, link.id, &folded.memories)?
                .into_iter()
                .filter(|item| !item.merged)
                .map(|item| item.memory)
                .collect();
            let sources: Vec<Source> = came.iter().map(|id| (SourceKind::Memory, id.id())).collect();
            let copy = MemorySummary { id, agent: receiver.id, folded_into: None, ..row.words.clone() };
            let copy = Kept { tokens: row.tokens, ..Kept::new(copy, provenance.clone()) };
            summaries::insert(writer, &copy, &sources)?;
            summaries::add_origin(writer, receiver.id, id, row.id)?;
            summary::index(writer, receiver.id, &Summary::Memories(copy), &zone)?;
            came.iter().try_for_each(|memory| fold(writer, receiver.id, *memory, id, now))
        })?;
        Ok(true)
    }
}

/// What a summary was made from, also by way of other summaries.
#[derive(Default)]
struct MadeOf {
    memories: Vec<MemoryId>,
    /// Where all of it comes from, the summaries in between too.
    provenance: Vec<Provenance>,
}

impl MadeOf {
    /// All of it; nothing if some of it is gone or damaged, so that nobody knows whose it is.
    fn all(reader: &mut Reader, agent: AgentId, id: SummaryId) -> StoreResult<Option<MadeOf>> {
        let (mut made, mut open) = (MadeOf::default(), vec![id]);
        while let Some(id) = open.pop() {
            for (kind, item) in summaries::sources(reader, agent, id)? {
                match kind {
                    SourceKind::Memory => made.memories.push(MemoryId::of(item)),
                    SourceKind::Summary => {
                        let between = SummaryId::of(item);
                        match summaries::by_id(reader, agent, between) {
                            Ok(Some(row)) => made.provenance.push(row.provenance),
                            Ok(None) | Err(StoreError::Spoiled(_)) => return Ok(None),
                            Err(other) => return Err(other),
                        }
                        open.push(between);
                    }
                    SourceKind::Message => {}
                }
            }
        }
        let rows = memory::by_ids(reader, agent, &made.memories)?;
        let readable: Vec<Memory> = rows.into_iter().flatten().collect();
        let is_whole = readable.len() == made.memories.len();
        for row in readable {
            made.provenance.extend(lent_as(reader, &row)?);
            made.provenance.push(row.provenance);
        }
        Ok(is_whole.then_some(made))
    }
}

/// A copy is in the archive, as its original is.
fn fold(
    writer: &mut Writer,
    agent: AgentId,
    memory: MemoryId,
    into: SummaryId,
    now: Time,
) -> StoreResult<()> {
    let Some(mut copy) = memory::by_id_hidden_or_not(writer, agent, memory)? else { return Ok(()) };
    copy.life.summarized_into = Some(into.id());
    (copy.life.state, copy.life.decline) = copy.judged(now);
    memory::live_on(writer, &copy)
}

/// Takes these summaries away, and those that were made from them.
pub(crate) fn undo(
    writer: &mut Writer,
    agent: AgentId,
    mut open: Vec<SummaryId>,
    (zone, now): (&Zone, Time),
) -> StoreResult<Vec<Buried>> {
    let mut gone = BTreeSet::new();
    while let Some(id) = open.pop() {
        open.extend(summaries::of_source(writer, agent, (SourceKind::Summary, id.id()))?);
        for (kind, item) in summaries::sources(writer, agent, id)? {
            if kind == SourceKind::Memory {
                bring_back(writer, agent, MemoryId::of(item), id, now)?;
            }
        }
        summaries::unfold(writer, agent, id)?;
        summary::unindex(writer, agent, id, zone)?;
        if summaries::delete(writer, agent, id)? {
            gone.insert(id);
        }
    }
    let buried = |id: SummaryId| Buried { kind: "summary".into(), item: id.id(), words_hash: None };
    Ok(gone.into_iter().map(buried).collect())
}

fn bring_back(
    writer: &mut Writer,
    agent: AgentId,
    memory: MemoryId,
    from: SummaryId,
    now: Time,
) -> StoreResult<()> {
    let Some(before) = memory::by_id(writer, agent, memory)? else { return Ok(()) };
    if before.life.summarized_into != Some(from.id()) {
        return Ok(());
    }
    let mut after = before.clone();
    after.life.summarized_into = None;
    // It was put away for the summary alone: how it stands is judged by what is left of it.
    after.life.state = State::Active;
    carry_on(writer, &before, after, "unfolded", now).map(drop)
}
