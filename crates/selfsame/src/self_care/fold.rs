//! One batch becomes one summary: the row, its links, the archive and the watermark, in the caller's transaction.

use super::plan::{Material, Talk, reload, watermarks};
use super::{Batch, lines};
use crate::error::StoreResult;
use crate::life::carry_on;
use crate::meaning::Meaning;
use crate::mind::Access;
use crate::summary::{self, Summary};
use selfsame_core::care::reply::Written;
use selfsame_core::care::{ConversationSummary, MemorySummary, facts};
use selfsame_core::event::Act;
use selfsame_core::id::{MessageId, SummaryId};
use selfsame_core::kept::Kept;
use selfsame_core::memory::Memory;
use selfsame_core::time::{Time, Zone};
use selfsame_core::tokens::count;
use selfsame_core::trust::{Lineage, Privacy, Provenance};
use selfsame_store::postings::Kind;
use selfsame_store::summaries::{self, Source, SourceKind};
use selfsame_store::{StoreError, Writer, conversations, events, messages};

/// Whose word a summary is, besides that of its sources.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Trusted {
    /// Nobody's: its sentences are those of its sources.
    Sources,
    /// The caller's, who wrote it.
    Caller,
    /// A thinker's, who read nothing that is believed less than this.
    Thinker(f64),
}

/// A batch with the text that it becomes.
pub(super) struct Fold<'f> {
    pub(super) access: &'f Access<'f>,
    pub(super) id: SummaryId,
    pub(super) batch: &'f Batch,
    pub(super) written: Written,
    pub(super) trusted: Trusted,
    pub(super) meaning: Meaning,
    pub(super) zone: Zone,
    pub(super) now: Time,
}

impl Fold<'_> {
    /// Writes all of it, and gives how many facts found no place among what is carried on; none, and nothing written, if
    /// what the batch is about has changed.
    pub(super) fn write(&self, writer: &mut Writer) -> StoreResult<Option<usize>> {
        let Some(material) = reload(writer, self.access, self.batch, self.now)? else { return Ok(None) };
        let provenance = self.provenance(&material)?;
        let left_out = match &material {
            Material::Memories(rows) => self.memories(writer, rows, provenance).map(|()| 0)?,
            Material::Talk(talk) => self.talk(writer, talk, provenance)?,
            Material::Summaries(rows) => self.summaries(writer, rows, provenance).map(|()| 0)?,
        };
        let act = Act { act: "summarized", subject_kind: "summary", subject: self.id.id() };
        events::record(writer, self.access.agent.id, self.now, &[act])?;
        self.access.mind.store.reach("care.folding")?;
        Ok(Some(left_out))
    }

    /// Believed as far as the least of what it was made from, and as whoever wrote it.
    fn provenance(&self, material: &Material) -> StoreResult<Provenance> {
        let private = |_| StoreError::BadValue("a private row feeds no summary".into());
        let own = Provenance::stated(&self.access.caller, None, Privacy::Shared);
        let mut sources = material.provenance();
        if self.trusted == Trusted::Caller {
            sources.push(&own);
        }
        let (first, rest) =
            sources.split_first().ok_or_else(|| StoreError::BadValue("a summary of nothing".into()))?;
        let mut lineage = Lineage::of(first).map_err(private)?;
        for source in rest {
            lineage = lineage.and(source).map_err(private)?;
        }
        let derived = Provenance::derived(&lineage, None);
        Ok(match self.trusted {
            Trusted::Thinker(read) => derived.lowered_to(read),
            Trusted::Sources | Trusted::Caller => derived,
        })
    }

    fn memories(&self, writer: &mut Writer, rows: &[Memory], provenance: Provenance) -> StoreResult<()> {
        let times = rows.iter().map(|row| row.created_at);
        let summary = MemorySummary {
            memories: u32::try_from(rows.len()).unwrap_or(u32::MAX),
            depth: 1,
            ..self.memory_summary(times.clone().min(), times.max())
        };
        let sources: Vec<Source> = rows.iter().map(|row| (SourceKind::Memory, row.id.id())).collect();
        self.insert(writer, summary, provenance, &sources)?;
        for before in rows {
            let mut after = before.clone();
            after.life.summarized_into = Some(self.id.id());
            carry_on(writer, before, after, "folded", self.now)?;
        }
        Ok(())
    }

    fn summaries(
        &self,
        writer: &mut Writer,
        rows: &[Kept<MemorySummary>],
        provenance: Provenance,
    ) -> StoreResult<()> {
        let (from, until) = (rows.iter().map(|row| row.from).min(), rows.iter().map(|row| row.until).max());
        let deepest = rows.iter().map(|row| row.depth).max().unwrap_or_default();
        let summary = MemorySummary {
            memories: rows.iter().map(|row| row.memories).fold(0, u32::saturating_add),
            depth: deepest.saturating_add(1),
            ..self.memory_summary(from, until)
        };
        let sources: Vec<Source> = rows.iter().map(|row| (SourceKind::Summary, row.id.id())).collect();
        self.insert(writer, summary, provenance, &sources)?;
        let ids: Vec<SummaryId> = rows.iter().map(|row| row.id).collect();
        summaries::fold(writer, self.access.agent.id, self.id, &ids).map(drop)
    }

    fn memory_summary(&self, from: Option<Time>, until: Option<Time>) -> MemorySummary {
        MemorySummary {
            id: self.id,
            agent: self.access.agent.id,
            focus: self.batch.focus.clone(),
            themes: self.written.themes.clone(),
            content: self.written.content.clone(),
            written_by: self.batch.written_by,
            memories: 0,
            depth: 1,
            from: from.unwrap_or(self.now),
            until: until.unwrap_or(self.now),
            created_at: self.now,
            folded_into: None,
        }
    }

    fn insert(
        &self,
        writer: &mut Writer,
        summary: MemorySummary,
        provenance: Provenance,
        sources: &[Source],
    ) -> StoreResult<()> {
        let tokens = count(&summary.content);
        let row = Kept::new(summary, provenance).counted(tokens);
        summaries::insert(writer, &row, sources)?;
        self.index(writer, &Summary::Memories(row))
    }

    /// What was folded is found by what it became, from now on.
    fn index(&self, writer: &mut Writer, summary: &Summary) -> StoreResult<()> {
        let agent = self.access.agent.id;
        summary::index(writer, agent, summary, &self.zone)?;
        self.meaning.keep(writer, agent, Kind::Summary, self.id.id())
    }

    /// The next summary with somebody, which has the one before in it, and all that is carried on word by word.
    fn talk(&self, writer: &mut Writer, talk: &Talk, provenance: Provenance) -> StoreResult<usize> {
        let (agent, most) = (self.access.agent.id, self.access.care().facts);
        let names = lines::names(writer, self.access, talk)?;
        let before = talk.before.as_ref();
        let carried: &[String] = before.map_or(&[], |before| &before.facts);
        let said = talk.told().map(|message| names.said(message, &self.zone));
        let carried = facts::carry_on(carried, said, most);
        let carried = facts::also(carried, &self.written.facts, most);
        let told = talk.messages.iter().map(|message| message.created_at);
        let summary = ConversationSummary {
            id: self.id,
            agent,
            counterpart: talk.counterpart,
            content: self.written.content.clone(),
            facts: carried.facts,
            written_by: self.batch.written_by,
            messages: before
                .map_or(0, |before| before.messages)
                .saturating_add(u32::try_from(talk.messages.len()).unwrap_or(u32::MAX)),
            from: before.map(|before| before.from).into_iter().chain(told.clone()).min().unwrap_or(self.now),
            until: told.max().unwrap_or(self.now),
            created_at: self.now,
            folded_into: None,
        };
        let mut sources: Vec<Source> = talk.told().map(|row| (SourceKind::Message, row.id.id())).collect();
        sources.extend(before.map(|before| (SourceKind::Summary, before.id.id())));
        let tokens = count(&summary.whole());
        let row = Kept::new(summary, provenance).counted(tokens);
        summaries::insert_talk(writer, &row, &sources)?;
        self.index(writer, &Summary::Conversation(row))?;
        let earlier: Vec<SummaryId> = before.map(|before| before.id).into_iter().collect();
        summaries::fold_talk(writer, agent, self.id, &earlier)?;
        let ids: Vec<MessageId> = talk.messages.iter().map(|message| message.id).collect();
        messages::archive(writer, agent, &ids, self.now)?;
        for (conversation, until) in watermarks(&talk.messages) {
            conversations::folded(writer, agent, conversation, until)?;
        }
        Ok(carried.left_out)
    }
}
