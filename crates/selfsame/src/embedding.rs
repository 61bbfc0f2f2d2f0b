//! The duty that makes vectors: of what was stored while the model could not be asked at once, and of everything when the
//! model has changed. Batch by batch, each a transaction of its own: killed anywhere, the next run goes on.

use crate::error::{Result, StoreResult};
use crate::indexing;
use crate::meaning::pending_of;
use crate::mind::Mind;
use crate::ports::{Embedder, PortError, Purpose};
use crate::scheduler::{Effects, Job, Pace};
use crate::summary::{self, Summary};
use selfsame_core::conversation::Message;
use selfsame_core::id::{AgentId, Id, MemoryId, MessageId, ObservationId, SummaryId};
use selfsame_core::kept::Kept;
use selfsame_core::knowledge::Observation;
use selfsame_core::memory::Memory;
use selfsame_core::recall::meaning::TEXTS;
use selfsame_core::trust::Caller;
use selfsame_core::vector::Unit;
use selfsame_store::duties::Duty;
use selfsame_store::knowledge::observations;
use selfsame_store::postings::Kind;
use selfsame_store::vectors::{self, Generation};
use selfsame_store::{Reader, memory, messages, shelves};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// Texts that one run embeds, at most: then other duties have their turn.
const PER_RUN: usize = 6144;
/// Texts that are looked at for those without a vector, at a time.
const LOOKED_AT: i64 = 1024;
/// Vectors that are dropped in one transaction, at most.
const DROPPED: i64 = 1000;

/// Makes the vectors that are missing.
pub struct Embed;

impl Job for Embed {
    fn kind(&self) -> &'static str {
        "embed"
    }

    fn pace(&self) -> Pace {
        Pace::Slow
    }

    /// A model that does not answer is no failure of the duty: the next run asks again, and `status` says why nothing
    /// moves. A duty that is given up would have to be brought back by hand once the model is there.
    fn prepare(&self, mind: &Mind, _duty: &Duty) -> Result<Effects> {
        mind.embed_pending(PER_RUN).map(|_| Effects::none())
    }
}

/// What was done about missing vectors.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Embedded {
    /// Texts that have a vector now.
    pub texts: u64,
    /// Texts that still have none.
    pub pending: u64,
    /// Why, if the model did not answer.
    pub trouble: Option<String>,
}

impl Mind {
    /// Makes vectors that are missing, of so many texts at most; those of another model are dropped when the present one
    /// has them all.
    pub fn embed_pending(&self, most: usize) -> Result<Embedded> {
        let mut done = Embedded::default();
        let Some(model) = self.models.present.clone() else {
            return Ok(done);
        };
        for agent in self.agents()? {
            let work = Work { mind: self, agent: agent.id, model: model.as_ref() };
            work.run(most, &mut done)?;
        }
        Ok(done)
    }

    /// Drops every vector of every agent, whatever is wrong with it: those that are wanted are made again by the duty.
    /// Until then what has none is found by its words.
    pub fn drop_vectors(&self) -> Result<()> {
        for agent in self.agents()? {
            // What is not counted as well as what is.
            let stored = self.store.read(&Caller::agent(None), &[agent.id], |reader| {
                let there = vectors::counts(reader, agent.id)?.into_iter().map(|(generation, ..)| generation);
                let counted = vectors::stock(reader, agent.id)?.into_iter().map(|stock| stock.generation);
                Ok(there.chain(counted).collect::<BTreeSet<i64>>())
            })?;
            for generation in stored {
                self.drop_generation(agent.id, generation)?;
            }
        }
        Ok(())
    }

    /// Drops the vectors of an agent that are of one generation.
    fn drop_generation(&self, agent: AgentId, number: i64) -> Result<()> {
        let drop_some = || {
            self.store
                .background("embed", &[agent], |writer| vectors::drop_some(writer, agent, number, DROPPED))
        };
        while !self.is_closing() && drop_some()? {}
        self.store.let_go_of_vectors(agent, number);
        Ok(())
    }

    /// Whether whoever works in the background should come to an end.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    /// Asks long work in the background to come to an end; what is under way is finished.
    pub fn close_soon(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }
}

/// The vectors of one agent.
struct Work<'m> {
    mind: &'m Mind,
    agent: AgentId,
    model: &'m dyn Embedder,
}

impl Work<'_> {
    fn run(&self, most: usize, done: &mut Embedded) -> Result<()> {
        if !self.has_texts()? {
            return Ok(());
        }
        let generation = match self.mind.generation_of(self.model)? {
            Ok(generation) => generation,
            Err(error) => {
                done.trouble = Some(error.to_string());
                return Ok(());
            }
        };
        let mut through = true;
        if self.pending(&generation)? > 0 {
            for kind in self.kinds()? {
                through &= self.embed_kind(&generation, kind, most, done)?;
            }
        }
        done.pending += self.pending(&generation)?;
        if through { self.settle(&generation) } else { Ok(()) }
    }

    fn pending(&self, generation: &Generation) -> Result<u64> {
        let kinds = self.kinds()?;
        self.read(|reader| pending_of(reader, self.agent, generation.number, &kinds))
    }

    fn read<T>(&self, body: impl FnMut(&mut Reader) -> StoreResult<T>) -> Result<T> {
        Ok(self.mind.store.read(&Caller::agent(None), &[self.agent], body)?)
    }

    /// What has vectors: the kinds that every agent has, and what came by links.
    fn kinds(&self) -> Result<Vec<Kind>> {
        let shelves = self.read(|reader| shelves::all(reader, self.agent))?;
        Ok(vectors::KINDS.into_iter().chain(shelves).collect())
    }

    fn has_texts(&self) -> Result<bool> {
        let kinds = self.kinds()?;
        self.read(|reader| {
            let mut any = false;
            for kind in kinds.iter().copied() {
                any |= !indexing::page(reader, self.agent, kind, Id::NIL, 1)?.is_empty();
            }
            Ok(any)
        })
    }

    /// Goes through the texts of a kind; says whether it came to the end. What is damaged, and what the model refuses, has
    /// no vector then either.
    fn embed_kind(
        &self,
        generation: &Generation,
        kind: Kind,
        most: usize,
        done: &mut Embedded,
    ) -> Result<bool> {
        let batch = self.mind.settings.embedder.batch;
        let mut after = Id::NIL;
        loop {
            let (missing, last) = self.read(|reader| {
                vectors::missing(reader, self.agent, generation.number, kind, after, LOOKED_AT)
            })?;
            for items in missing.chunks(batch) {
                if done.texts as usize >= most || done.trouble.is_some() || self.mind.is_closing() {
                    return Ok(false);
                }
                let texts = self.read(|reader| texts_of(reader, self.agent, kind, items))?;
                self.embed_batch(generation, kind, &texts, done)?;
            }
            match last {
                Some(last) => after = last,
                None => return Ok(done.trouble.is_none()),
            }
        }
    }

    /// One text that the model refuses must not keep the others from theirs.
    fn embed_batch(
        &self,
        generation: &Generation,
        kind: Kind,
        texts: &[(Id, String)],
        done: &mut Embedded,
    ) -> Result<()> {
        let (kept, trouble) = match self.embed(generation, texts) {
            Ok(units) => (texts.iter().map(|(id, _)| *id).zip(units).collect(), None),
            Err(PortError::Passing(why)) => (Vec::new(), Some(why)),
            Err(PortError::Lasting(why)) => self.embed_one_by_one(generation, texts, why),
        };
        done.trouble = trouble.filter(|_| !texts.is_empty());
        done.texts += kept.len() as u64;
        self.keep(generation, kind, &kept)
    }

    /// Those that the model takes when it is asked for each alone; and what is wrong with it, if it is not the texts.
    fn embed_one_by_one(
        &self,
        generation: &Generation,
        texts: &[(Id, String)],
        why: String,
    ) -> (Vec<(Id, Unit)>, Option<String>) {
        let mut kept = Vec::new();
        for text in texts {
            match self.embed(generation, std::slice::from_ref(text)) {
                Ok(units) => kept.extend(units.into_iter().map(|unit| (text.0, unit))),
                Err(PortError::Lasting(_)) => {}
                Err(PortError::Passing(why)) => return (kept, Some(why)),
            }
        }
        // Where none is taken it may be that these few are all that is left, and never will be. One that was taken once
        // tells.
        let takes_any = |kept: &[_]| {
            let known = &TEXTS[..1];
            let models = &self.mind.models;
            !kept.is_empty()
                || models.embed(self.model, known, Purpose::Text, Some(generation.dimensions)).is_ok()
        };
        let trouble = (!takes_any(&kept)).then_some(why);
        (kept, trouble)
    }

    fn embed(
        &self,
        generation: &Generation,
        texts: &[(Id, String)],
    ) -> std::result::Result<Vec<Unit>, PortError> {
        let words: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
        self.mind.models.embed(self.model, &words, Purpose::Text, Some(generation.dimensions))
    }

    /// What was forgotten while the model was asked gets none.
    fn keep(&self, generation: &Generation, kind: Kind, kept: &[(Id, Unit)]) -> Result<()> {
        if kept.is_empty() {
            return Ok(());
        }
        let items: Vec<Id> = kept.iter().map(|(item, _)| *item).collect();
        Ok(self.mind.store.background("embed", &[self.agent], |writer| {
            let there = texts_of(writer, self.agent, kind, &items)?;
            for (item, unit) in kept.iter().filter(|(item, _)| there.iter().any(|(id, _)| id == item)) {
                vectors::insert(writer, self.agent, generation.number, kind, *item, unit)?;
            }
            Ok(())
        })?)
    }

    /// All have their vectors: from now on recall looks there, and those of other models go.
    fn settle(&self, generation: &Generation) -> Result<()> {
        let agent = self.agent;
        if self.read(|reader| vectors::in_use(reader, agent))? != Some(generation.number) {
            self.mind.store.background("embed", &[agent], |writer| {
                vectors::put_in_use(writer, agent, generation.number)
            })?;
        }
        let stock = self.read(|reader| vectors::stock(reader, agent))?;
        for old in stock.into_iter().filter(|stock| stock.generation != generation.number && stock.live > 0) {
            self.mind.drop_generation(agent, old.generation)?;
        }
        Ok(())
    }
}

/// What these items say, those that are there and whole.
fn texts_of(reader: &mut Reader, agent: AgentId, kind: Kind, items: &[Id]) -> StoreResult<Vec<(Id, String)>> {
    let of_memory = |memory: Memory| (memory.id.id(), memory.content.clone());
    let of_message = |message: Kept<Message>| (message.id.id(), message.content.clone());
    let of_summary = |row: Summary| (row.id().id(), row.meant_text().to_owned());
    let of_observation = |row: Kept<Observation>| (row.id.id(), row.summary.clone());
    Ok(match kind {
        Kind::Memory | Kind::Linked(_) => {
            let ids: Vec<MemoryId> = items.iter().copied().map(MemoryId::of).collect();
            memory::by_ids(reader, agent, &ids)?.into_iter().flatten().map(of_memory).collect()
        }
        Kind::Message => {
            let ids: Vec<MessageId> = items.iter().copied().map(MessageId::of).collect();
            messages::by_ids(reader, agent, &ids)?.into_iter().flatten().map(of_message).collect()
        }
        Kind::Observation => {
            let ids: Vec<ObservationId> = items.iter().copied().map(ObservationId::of).collect();
            let rows = observations::by_ids(reader, agent, &ids)?;
            rows.into_iter().flatten().map(of_observation).collect()
        }
        Kind::Summary => {
            let ids: Vec<SummaryId> = items.iter().copied().map(SummaryId::of).collect();
            summary::by_ids(reader, agent, &ids)?.into_iter().flatten().map(of_summary).collect()
        }
        Kind::Open | Kind::Diary => Vec::new(),
    })
}
