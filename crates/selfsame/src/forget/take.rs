//! How each kind of thing goes. An erasure is open; what the trace named is taken away in an order in which the rows can go.

use super::trace::{Trace, Why, spoken};
use crate::error::StoreResult;
use crate::heartbeat::due;
use crate::mind::Access;
use crate::{indexing, knowledge, link, linking};
use selfsame_core::event::Act;
use selfsame_core::forgetting::{Item, ItemKind};
use selfsame_core::heartbeat::schedule::{Source, SourceKind};
use selfsame_core::id::{
    BatchId, CalendarId, CandidateId, ConversationId, DiaryId, EntityId, EpisodeId, LessonId, MemoryId,
    MessageId, NudgeId, ObservationId, ReflectionId, RunId, SoulId, SummaryId, TodoId, WorkId,
};
use selfsame_core::knowledge::evidence::{SourceRef, SourceSort};
use selfsame_core::recall::indexed::indexed;
use selfsame_core::text::{TermCounts, count_terms};
use selfsame_core::time::civil::Date;
use selfsame_core::time::{Time, Zone};
use selfsame_store::contemplation::episodes;
use selfsame_store::erasures::Buried;
use selfsame_store::heartbeat::{nudges, standing};
use selfsame_store::postings::{self, Kind};
use selfsame_store::{
    Reader, StoreError, Writer, diary, events, import_runs, lessons, memory, memory_life, messages, monitors,
    reflections, schedules, summaries, taken, vectors, work,
};
use std::collections::BTreeSet;

/// What stands for words that were forgotten.
pub(crate) const FORGOTTEN: &str = "[forgotten]";

/// An act of forgetting, in its transaction.
pub(crate) struct Taking<'t> {
    pub(crate) access: &'t Access<'t>,
    pub(crate) zone: &'t Zone,
    pub(crate) now: Time,
    /// The days whose journals tell of what goes.
    pub(crate) days: BTreeSet<Date>,
}

impl Taking<'_> {
    /// Takes away all of a trace; gives what is buried.
    pub(crate) fn take_all(&mut self, writer: &mut Writer, trace: &Trace) -> StoreResult<Vec<Buried>> {
        let mut buried = Vec::new();
        for (item, why) in &trace.going {
            if *why != Why::Rewritten {
                buried.push(self.tombstone(writer, *item)?);
            }
        }
        let touched = self.let_beliefs_go(writer, trace)?;
        for kind in ItemKind::ALL {
            for (item, why) in trace.going.iter().filter(|(item, _)| item.kind == *kind) {
                match why {
                    Why::Rewritten => self.rewrite(writer, *item, trace)?,
                    _ => self.take(writer, *item)?,
                }
            }
        }
        for item in trace.going.keys() {
            taken::further_source(writer, self.access.agent.id, &item.to_string())?;
        }
        knowledge::tidy_questions(writer, self.access.agent.id, &touched)?;
        // Whom it knew from what went alone, it does not know any more.
        link::fall::who_was_only_read_of(writer, self.access.agent.id)?;
        Ok(buried)
    }

    /// What stays of it: that it was there, and what it said as nobody can read it.
    fn tombstone(&self, reader: &mut Reader, item: Item) -> StoreResult<Buried> {
        let said = spoken(self.access, reader, item)?.map(|spoken| spoken.words);
        let hash = said.map(|words| self.access.mind.words_hash(item.kind.as_str(), &words).to_vec());
        Ok(Buried { kind: item.kind.as_str().into(), item: item.id, words_hash: hash })
    }

    /// Takes what goes out of all beliefs, while it is still there to be asked; gives the questions that it spoke to.
    fn let_beliefs_go(&self, writer: &mut Writer, trace: &Trace) -> StoreResult<BTreeSet<String>> {
        let Taking { access, zone, now, .. } = self;
        let mut touched = BTreeSet::new();
        for (item, why) in &trace.going {
            let sort = match item.kind {
                ItemKind::Memory => SourceSort::Memory,
                ItemKind::Lesson if *why != Why::Rewritten => SourceSort::Lesson,
                ItemKind::Reflection => SourceSort::Reflection,
                ItemKind::Entity | ItemKind::Profile => SourceSort::Entity,
                _ => continue,
            };
            let source = SourceRef { sort, id: item.id };
            touched.extend(knowledge::forget(writer, access.mind, &access.agent, zone, source, *now)?);
        }
        Ok(touched)
    }

    /// What stays keeps none of the words.
    fn rewrite(&self, writer: &mut Writer, item: Item, trace: &Trace) -> StoreResult<()> {
        let agent = self.access.agent.id;
        match item.kind {
            ItemKind::Lesson => {
                let id = LessonId::of(item.id);
                let goes = |kind, id| trace.going.contains_key(&Item { kind, id });
                for source in lessons::sources(writer, agent, id)? {
                    if goes(ItemKind::Memory, source.id()) {
                        lessons::drop_memory(writer, agent, id, source)?;
                    }
                }
                for source in lessons::episodes(writer, agent, id)? {
                    if goes(ItemKind::Episode, source.id()) {
                        lessons::drop_episode(writer, agent, id, source)?;
                    }
                }
                lessons::keep_only_the_lesson(writer, agent, id)
            }
            // Worked out again while their sources went.
            ItemKind::Observation => standing::forget_topic(writer, agent, ObservationId::of(item.id).id()),
            ItemKind::Profile => taken::profile(writer, agent, EntityId::of(item.id)),
            ItemKind::Relationship => taken::relationship(writer, agent, EntityId::of(item.id), FORGOTTEN),
            ItemKind::Title => taken::title(writer, agent, ConversationId::of(item.id)),
            ItemKind::Run => import_runs::unname(writer, agent, RunId::of(item.id), FORGOTTEN),
            ItemKind::Work => {
                let reason = "what it is about was forgotten";
                work::items::cancel(writer, agent, WorkId::of(item.id), reason, self.now).map(drop)
            }
            _ => Ok(()),
        }
    }

    fn take(&mut self, writer: &mut Writer, item: Item) -> StoreResult<()> {
        let (agent, id) = (self.access.agent.id, item.id);
        match item.kind {
            ItemKind::Memory => self.take_memory(writer, MemoryId::of(id))?,
            ItemKind::Message => self.take_message(writer, MessageId::of(id))?,
            ItemKind::Diary => self.take_entry(writer, DiaryId::of(id))?,
            ItemKind::Episode => self.take_episode(writer, EpisodeId::of(id))?,
            ItemKind::Candidate => taken::candidate(writer, agent, CandidateId::of(id))?,
            ItemKind::Conversation => taken::conversation(writer, agent, ConversationId::of(id))?,
            ItemKind::Todo => {
                schedules::delete(writer, agent, Source { kind: SourceKind::Todo, id })?;
                taken::todo(writer, agent, TodoId::of(id))?;
            }
            ItemKind::Calendar => {
                schedules::delete(writer, agent, Source { kind: SourceKind::Calendar, id })?;
                taken::calendar(writer, agent, CalendarId::of(id))?;
            }
            ItemKind::Summary => {
                link::summaries::undo(writer, agent, vec![SummaryId::of(id)], (self.zone, self.now))?;
            }
            ItemKind::Batch => drop(summaries::drop_batch(writer, agent, BatchId::of(id))?),
            ItemKind::Soul => taken::soul(writer, agent, SoulId::of(id))?,
            ItemKind::Lesson => lessons::delete(writer, agent, LessonId::of(id))?,
            ItemKind::Reflection => reflections::delete(writer, agent, ReflectionId::of(id))?,
            ItemKind::Nudge => nudges::delete(writer, agent, NudgeId::of(id))?,
            ItemKind::Entity => taken::entity(writer, agent, EntityId::of(id), FORGOTTEN, self.now)?,
            ItemKind::Observation
            | ItemKind::Profile
            | ItemKind::Relationship
            | ItemKind::Title
            | ItemKind::Run
            | ItemKind::Work => {}
        }
        standing::forget_topic(writer, agent, id)?;
        let act = Act { act: "forgotten", subject_kind: item.kind.as_str(), subject: id };
        events::record(writer, agent, self.now, &[act]).map(drop)
    }

    fn take_memory(&self, writer: &mut Writer, id: MemoryId) -> StoreResult<()> {
        let agent = self.access.agent.id;
        // A damaged row says nothing: the index is asked for what it has of it.
        let row = match memory::by_id_hidden_or_not(writer, agent, id) {
            Err(StoreError::Spoiled(_)) => None,
            other => other?,
        };
        let content = row.as_ref().map_or("", |row| row.content.as_str());
        let words = match &row {
            Some(row) => indexed(content, self.zone.date(row.created_at)).words,
            None => TermCounts::default(),
        };
        let kind = row.as_ref().map_or(Kind::Memory, indexing::kind_of);
        memory_life::delete(writer, agent, kind, id.id())?;
        monitors::delete(writer, agent, id)?;
        due::forget(writer, agent, id)?;
        memory::delete(writer, agent, id)?;
        if let Some(question) = row.as_ref().and_then(|row| row.links.answers) {
            memory::unanswered(writer, agent, question)?;
        }
        postings::remove(writer, agent, kind, id.id(), &words)?;
        vectors::remove(writer, agent, kind, id.id())?;
        linking::close(writer, agent, id, content)
    }

    fn take_message(&self, writer: &mut Writer, id: MessageId) -> StoreResult<()> {
        let agent = self.access.agent.id;
        let row = match messages::by_id(writer, agent, id) {
            Err(StoreError::Spoiled(_)) => None,
            other => other?,
        };
        let words = row.map(|row| indexed(&row.content, self.zone.date(row.created_at)).words);
        postings::remove(writer, agent, Kind::Message, id.id(), &words.unwrap_or_default())?;
        vectors::remove(writer, agent, Kind::Message, id.id())?;
        taken::message(writer, agent, id)
    }

    fn take_entry(&self, writer: &mut Writer, id: DiaryId) -> StoreResult<()> {
        let agent = self.access.agent.id;
        let row = diary::by_ids(writer, agent, &[id.id()])?.into_iter().next().and_then(Result::ok);
        let words = row.map(|row| count_terms(&row.text));
        postings::remove(writer, agent, Kind::Diary, id.id(), &words.unwrap_or_default())?;
        vectors::remove(writer, agent, Kind::Diary, id.id())?;
        taken::diary(writer, agent, id)
    }

    fn take_episode(&mut self, writer: &mut Writer, id: EpisodeId) -> StoreResult<()> {
        let agent = self.access.agent.id;
        self.days.insert(self.zone.date(id.id().minted_at()));
        if let Ok(Some(row)) = episodes::by_id(writer, agent, id) {
            self.days.insert(self.zone.date(row.created_at));
        }
        episodes::delete(writer, agent, id)
    }
}
