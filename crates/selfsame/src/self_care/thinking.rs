//! Self-care by whoever thinks for the agent: a piece of work for each part of a batch. What it brought is written with its
//! end, and the next batch follows.

use super::fold::Trusted;
use super::{FOLDING, Planner, draft_of};
use crate::error::{Result, StoreResult};
use crate::mind::Access;
use crate::ports::{Fault, FaultKind};
use crate::progress::Unit;
use crate::work::{Brief, Reply};
use selfsame_core::contemplation::WorkKind;
use selfsame_core::id::{BatchId, WorkId};
use selfsame_core::time::Time;
use selfsame_store::summaries::{self, Batch};
use selfsame_store::work::items::{NewWork, WorkItem};
use selfsame_store::{StoreError, Writer};

impl Access<'_> {
    /// Puts a batch into the queue.
    pub(super) fn queue_batch(&self, new: NewWork, batch: &Batch, now: Time) -> Result<WorkId> {
        let agent = self.agent.id;
        let new = NewWork { about: vec![batch.id.to_string()], ..new };
        self.mind.store.background("self-care", &[agent], |writer| {
            summaries::insert_batch(writer, agent, batch)?;
            self.queue(writer, &new, now)
        })?;
        Ok(new.id)
    }

    /// What a thinker is shown of a batch: all of it may be quoted where nobody watches, or it would not be here.
    pub(crate) fn brief_to_summarize(&self, item: &WorkItem) -> Result<Brief> {
        let nothing = Brief {
            instructions: "There is nothing to summarize any more: answer with one word.".into(),
            material: String::new(),
            quoted: Vec::new(),
            trust: 1.0,
            max_tokens: 10,
        };
        let Some(batch) = self.batch_of_work(item)? else { return Ok(nothing) };
        let Some((material, part)) = self.next_part(&batch)? else { return Ok(nothing) };
        if !material.is_quotable() {
            return Ok(nothing);
        }
        let trust = material.provenance().iter().map(|one| one.trust().value()).fold(1.0, f64::min);
        let most = self.mind.settings.self_care.summary_tokens;
        Ok(Brief {
            instructions: part.instructions,
            material: part.material,
            quoted: vec![batch.id.to_string()],
            trust,
            max_tokens: u32::try_from(most * 2).unwrap_or(u32::MAX),
        })
    }

    /// Takes a thinker's summary of a part, or says what is wrong with it.
    pub(crate) fn finish_summary(
        &self,
        item: &WorkItem,
        reply: &Reply<'_>,
    ) -> Result<std::result::Result<(), Fault>> {
        let batch = self.batch_of_work(item)?;
        // Who was shown nothing has nothing to say.
        let Some(batch) = batch.filter(|batch| reply.quoted.contains(&batch.id.to_string())) else {
            return self.leave_batch(item, reply).map(Ok);
        };
        let written = match self.read_summary(reply.text) {
            Ok(written) => written,
            Err(told) => return Ok(Err(Fault::new(FaultKind::Unreadable, told))),
        };
        let Some((_, part)) = self.next_part(&batch)? else {
            self.leave_batch(item, reply)?;
            return self.care_on(&batch).map(Ok);
        };
        let (agent, now) = (self.agent.id, self.mind.now());
        if part.until < batch.sources.len() {
            let next = NewWork {
                id: WorkId::of(self.mind.mint.id(now)),
                kind: WorkKind::Summarize,
                thinker: item.thinker.clone(),
                about: item.about.clone(),
                cycle: None,
                seed: 0,
            };
            let (draft, until) = (draft_of(&written), now.saturating_add(self.care().lease));
            self.mind.store.background("self-care", &[agent], |writer| {
                self.settle_done(writer, item, reply.model, now)?;
                summaries::get_on(writer, agent, batch.id, part.until, &draft, until)?;
                self.queue(writer, &next, now)
            })?;
            return Ok(Ok(()));
        }
        let fold = self.fold(&batch, written, Trusted::Thinker(reply.trust))?;
        self.mind.unread.note(agent, now);
        let folded = self.mind.store.background("self-care", &[agent], |writer| {
            self.settle_done(writer, item, reply.model, now)?;
            summaries::drop_batch(writer, agent, batch.id)?;
            // What was changed meanwhile is looked at again with the next batch.
            fold.write(writer)
        })?;
        self.mind.left_out.note(fold.id, folded);
        self.mind.store.reach("care.folded")?;
        self.care_on(&batch).map(Ok)
    }

    /// Nobody could write it: nothing has changed.
    pub(crate) fn summarize_no_more(&self, writer: &mut Writer, item: &WorkItem) -> StoreResult<()> {
        for id in batches_of(item) {
            summaries::drop_batch(writer, self.agent.id, id)?;
        }
        Ok(())
    }

    fn leave_batch(&self, item: &WorkItem, reply: &Reply<'_>) -> Result<()> {
        let now = self.mind.now();
        Ok(self.mind.store.background("self-care", &[self.agent.id], |writer| {
            self.settle_done(writer, item, reply.model, now)?;
            self.summarize_no_more(writer, item)
        })?)
    }

    /// The next batch of the same.
    fn care_on(&self, batch: &Batch) -> Result<()> {
        let planner = Planner::new(self, batch.focus.clone(), batch.what)?;
        let count = self.mind.watch.count_up(FOLDING, Unit::Texts);
        self.advance(&planner, &count).map(drop)
    }

    fn batch_of_work(&self, item: &WorkItem) -> Result<Option<Batch>> {
        let agent = self.agent.id;
        let read = |reader: &mut selfsame_store::Reader| -> std::result::Result<_, StoreError> {
            summaries::batches(reader, agent)
        };
        let all = self.mind.store.read(&self.caller, &[agent], read)?;
        let ids = batches_of(item);
        Ok(all.into_iter().find(|batch| ids.contains(&batch.id)))
    }
}

fn batches_of(item: &WorkItem) -> Vec<BatchId> {
    item.about.iter().filter_map(|id| id.parse().ok()).collect()
}
