//! What would go: from what is named to all that was made from it or repeats it. Nothing is changed here; the same trace is
//! what a dry run shows and what the act takes away.

use crate::error::{Error, Result, StoreResult};
use crate::mind::Access;
use selfsame_core::entity::{candidate_names, mentioned, name_key};
use selfsame_core::forgetting::{Item, ItemKind, Phrases, Wanted, says_what_only_they_said};
use selfsame_core::heartbeat::schedule::{Source, SourceKind};
use selfsame_core::id::{
    CalendarId, CandidateId, ConversationId, EntityId, EpisodeId, Id, LessonId, MemoryId, MessageId, NudgeId,
    ObservationId, ReflectionId, RunId, SoulId, SummaryId, TodoId,
};
use selfsame_core::inbox::Status;
use selfsame_core::knowledge::evidence::{SourceRef, SourceSort};
use selfsame_core::link::edition_of;
use selfsame_core::trust::Provenance;
use selfsame_store::contemplation::episodes;
use selfsame_store::erasures::Reworded;
use selfsame_store::heartbeat::nudges;
use selfsame_store::knowledge::{evidence, observations};
use selfsame_store::summaries::{Batch, SourceKind as FoldedKind};
use selfsame_store::words::{self, Fate};
use selfsame_store::work::items::WorkItem;
use selfsame_store::{
    Reader, StoreError, calendar, conversations, diary, entities, import_runs, inbox, lessons, memory,
    messages, reflections, schedules, soul, summaries, taken, todos, work,
};
use std::collections::{BTreeMap, BTreeSet};

/// Why something goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// It was named, or found by what was named.
    Named,
    /// It was made from what goes.
    Derived,
    /// What goes was made from it.
    Source,
    /// It repeats the words of what goes.
    Repeats,
    /// It stays, without the words of what goes, and is worked out again from what is left.
    Rewritten,
}

impl Why {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Why::Named => "named",
            Why::Derived => "derived",
            Why::Source => "source",
            Why::Repeats => "repeats",
            Why::Rewritten => "rewritten",
        }
    }

    /// Whether what was made from it goes too, and what repeats it.
    const fn goes_on(self) -> bool {
        matches!(self, Why::Named | Why::Derived)
    }
}

/// What a row says, and whose it is as far as it says so.
pub(super) struct Spoken {
    pub(super) words: String,
    pub(super) provenance: Option<Provenance>,
}

/// What goes, and what was found and stays.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Trace {
    pub(crate) going: BTreeMap<Item, Why>,
    pub(super) staying: BTreeMap<Item, &'static str>,
}

impl Trace {
    /// What goes, without what stays with other words.
    pub(crate) fn leaving(&self) -> Vec<Item> {
        self.going.iter().filter(|(_, why)| **why != Why::Rewritten).map(|(item, _)| *item).collect()
    }

    /// What stays with other words, as the proof of the act keeps it.
    pub(super) fn reworded(&self) -> BTreeMap<String, Reworded> {
        let mut kinds: BTreeMap<String, BTreeSet<Id>> = BTreeMap::new();
        for (item, _) in self.going.iter().filter(|(_, why)| **why == Why::Rewritten) {
            kinds.entry(item.kind.as_str().to_owned()).or_default().insert(item.id);
        }
        kinds.into_iter().map(|(kind, ids)| (kind, Reworded::Which(ids))).collect()
    }

    /// Adds what is to stay with other words again, unless it goes.
    pub(super) fn reword_again(&mut self, items: impl Iterator<Item = Item>) {
        for item in items {
            self.going.entry(item).or_insert(Why::Rewritten);
        }
    }
}

/// What is named.
pub(super) enum Roots<'r> {
    /// These, as far as they are there.
    Items(&'r [Item]),
    /// Whatever came by this message, call, file or run.
    Source(&'r str),
    /// Whatever has all these words.
    Query(&'r Wanted),
}

/// Where words that repeat what goes are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// Wherever words are; memories that say the same on their own stay.
    Everything,
    /// Those too.
    Everywhere,
    /// In accounts of times of thinking alone: for what comes and goes in great numbers.
    Accounts,
}

/// Follows what is named to all that goes with it.
pub(super) fn trace(
    access: &Access<'_>,
    reader: &mut Reader,
    roots: &Roots<'_>,
    reach: Reach,
) -> StoreResult<Trace> {
    let mut tracer = Tracer {
        access,
        trace: Trace::default(),
        queue: Vec::new(),
        lessons: BTreeSet::new(),
        runs: BTreeSet::new(),
        open_work: None,
        batches: None,
    };
    match roots {
        Roots::Items(items) => items.iter().for_each(|item| tracer.take(*item, Why::Named)),
        Roots::Source(source) => {
            tracer.came_by(reader, source, Why::Named)?;
            tracer.was_imported_from(reader, source)?;
        }
        Roots::Query(wanted) => tracer.find(reader, wanted)?,
    }
    tracer.follow(reader)?;
    tracer.look_for_repetitions(reader, reach)?;
    tracer.follow(reader)?;
    Ok(tracer.trace)
}

struct Tracer<'t> {
    access: &'t Access<'t>,
    trace: Trace,
    queue: Vec<Item>,
    /// Lessons that have a source that goes.
    lessons: BTreeSet<Id>,
    /// Runs of reading in that brought something that goes.
    runs: BTreeSet<RunId>,
    /// Work that waits or is being done, asked for once.
    open_work: Option<Vec<WorkItem>>,
    /// What is being folded, asked for once.
    batches: Option<Vec<Batch>>,
}

impl Tracer<'_> {
    fn take(&mut self, item: Item, why: Why) {
        let known = self.trace.going.get(&item).copied();
        let is_more = match known {
            None => true,
            Some(known) => why.goes_on() && !known.goes_on() && !is_only_rewritten(item.kind),
        };
        if is_more {
            let why = if is_only_rewritten(item.kind) { Why::Rewritten } else { why };
            self.trace.going.insert(item, why);
            self.trace.staying.remove(&item);
            self.queue.push(item);
        }
    }

    fn take_all(&mut self, kind: ItemKind, ids: impl IntoIterator<Item = Id>, why: Why) {
        ids.into_iter().for_each(|id| self.take(Item { kind, id }, why));
    }

    fn take_words(&mut self, items: Vec<(&'static str, Id)>, why: Why) {
        for (word, id) in items {
            if let Some(kind) = ItemKind::parse(word) {
                self.take(Item { kind, id }, why);
            }
        }
    }

    fn came_by(&mut self, reader: &mut Reader, source: &str, why: Why) -> StoreResult<()> {
        let found = taken::came_by(reader, self.access.agent.id, source)?;
        self.take_words(found, why);
        Ok(())
    }

    /// Until nothing new is found.
    fn follow(&mut self, reader: &mut Reader) -> StoreResult<()> {
        loop {
            while let Some(item) = self.queue.pop() {
                self.follow_one(reader, item)?;
            }
            self.settle_lessons(reader)?;
            self.settle_runs(reader)?;
            if self.queue.is_empty() {
                return Ok(());
            }
        }
    }

    fn follow_one(&mut self, reader: &mut Reader, item: Item) -> StoreResult<()> {
        let agent = self.access.agent.id;
        self.spoken_of(reader, item)?;
        let folded = match item.kind {
            ItemKind::Memory => Some(FoldedKind::Memory),
            ItemKind::Message => Some(FoldedKind::Message),
            ItemKind::Summary => Some(FoldedKind::Summary),
            _ => None,
        };
        if let Some(kind) = folded {
            let summaries = summaries::of_source(reader, agent, (kind, item.id))?;
            self.take_all(ItemKind::Summary, summaries.into_iter().map(SummaryId::id), Why::Derived);
        }
        if self.trace.going.get(&item) == Some(&Why::Source) {
            return Ok(());
        }
        match item.kind {
            ItemKind::Memory => self.follow_memory(reader, MemoryId::of(item.id))?,
            ItemKind::Message => {
                let candidates = inbox::of_message(reader, agent, MessageId::of(item.id))?;
                self.take_all(ItemKind::Candidate, candidates.iter().map(|one| one.id.id()), Why::Derived);
            }
            ItemKind::Conversation => {
                let found = taken::of_conversation(reader, agent, ConversationId::of(item.id))?;
                self.take_words(found, Why::Derived);
            }
            ItemKind::Candidate => self.follow_candidate(reader, CandidateId::of(item.id))?,
            ItemKind::Episode => {
                let id = EpisodeId::of(item.id);
                self.lessons.extend(lessons::of_episode(reader, agent, id)?.iter().map(|one| one.id()));
                let looking_back = reflections::of_episode(reader, agent, id)?;
                self.take_all(ItemKind::Reflection, looking_back.iter().map(|one| one.id()), Why::Derived);
                if let Some(episode) = readable(episodes::by_id(reader, agent, id))? {
                    self.take(Item { kind: ItemKind::Memory, id: episode.memory.id() }, Why::Derived);
                }
            }
            ItemKind::Lesson => self.beliefs_of(reader, SourceSort::Lesson, item.id)?,
            ItemKind::Reflection => self.beliefs_of(reader, SourceSort::Reflection, item.id)?,
            ItemKind::Entity => self.follow_entity(reader, EntityId::of(item.id))?,
            _ => {}
        }
        if !is_only_rewritten(item.kind) {
            self.came_by(reader, &item.to_string(), Why::Derived)?;
            let profiles = taken::profiles_from(reader, agent, &item.to_string())?;
            self.take_all(ItemKind::Profile, profiles, Why::Rewritten);
        }
        Ok(())
    }

    /// What was said of it unasked goes, and work whose prompt quotes it is not wanted any more.
    fn spoken_of(&mut self, reader: &mut Reader, item: Item) -> StoreResult<()> {
        let agent = self.access.agent.id;
        let mut spoken_of = nudges::about(reader, agent, item.id)?;
        let source = match item.kind {
            ItemKind::Memory => Some(SourceKind::Memory),
            ItemKind::Todo => Some(SourceKind::Todo),
            ItemKind::Calendar => Some(SourceKind::Calendar),
            _ => None,
        };
        if let Some(kind) = source
            && let Some(row) = schedules::by_source(reader, agent, Source { kind, id: item.id })?
        {
            spoken_of.extend(nudges::about(reader, agent, row.id.id())?);
        }
        self.take_all(ItemKind::Nudge, spoken_of.into_iter().map(NudgeId::id), Why::Derived);
        let name = item.to_string();
        if self.open_work.is_none() {
            self.open_work = Some(work::items::open(reader, agent)?);
        }
        let open = self.open_work.iter().flatten();
        let quoting = open.filter(|one| one.about.contains(&name) || one.quoted.contains(&name));
        let quoting: Vec<Id> = quoting.map(|one| one.id.id()).collect();
        self.take_all(ItemKind::Work, quoting, Why::Rewritten);
        if self.batches.is_none() {
            self.batches = Some(summaries::batches(reader, agent)?);
        }
        let folding = self.batches.iter().flatten().filter(|batch| batch.sources.contains(&name));
        let folding: Vec<Id> = folding.map(|batch| batch.id.id()).collect();
        self.take_all(ItemKind::Batch, folding, Why::Derived);
        Ok(())
    }

    fn follow_memory(&mut self, reader: &mut Reader, id: MemoryId) -> StoreResult<()> {
        let agent = self.access.agent.id;
        self.beliefs_of(reader, SourceSort::Memory, id.id())?;
        self.lessons.extend(lessons::of_memory(reader, agent, id)?.iter().map(|one| one.id()));
        let looking_back = reflections::of_memory(reader, agent, id)?;
        self.take_all(ItemKind::Reflection, looking_back.iter().map(|one| one.id()), Why::Derived);
        let told = episodes::of_memory(reader, agent, id)?;
        self.take_all(ItemKind::Episode, told.iter().map(|(one, _)| one.id()), Why::Derived);
        for candidate in taken::candidates_of(reader, agent, id.id())? {
            let row = readable(inbox::by_id(reader, agent, CandidateId::of(candidate)))?;
            let message = row.and_then(|row| row.message);
            self.take_all(ItemKind::Message, message.map(MessageId::id), Why::Source);
            // Reached from its memory: what else became of its message is not meant.
            self.take(Item { kind: ItemKind::Candidate, id: candidate }, Why::Derived);
        }
        let Some(row) = readable(memory::by_id_hidden_or_not(reader, agent, id))? else { return Ok(()) };
        self.take_all(ItemKind::Memory, row.links.replaces.map(MemoryId::id), Why::Derived);
        if let Some(next) = row.life.replaced_by
            && let Some(edition) = readable(memory::by_id_hidden_or_not(reader, agent, next))?
        {
            // Who says it too, in their own name, says it on their own; and so does who was told what another agent had given.
            let whose = |row: &Provenance| (row.author(), row.principal_id());
            let item = Item { kind: ItemKind::Memory, id: next.id() };
            match whose(&edition.provenance) == whose(&row.provenance) && edition_of(&row).is_none() {
                true => self.take(item, Why::Derived),
                false if self.trace.going.contains_key(&item) => {}
                false => drop(self.trace.staying.insert(item, "it says the same on its own")),
            }
        }
        if let Some(message) = row.provenance.source().and_then(|source| source.parse::<MessageId>().ok())
            && messages::by_id(reader, agent, message).is_ok_and(|found| found.is_some())
        {
            self.take(Item { kind: ItemKind::Message, id: message.id() }, Why::Source);
        }
        Ok(())
    }

    /// What a run brought out of this file; or all of it, if the run is named, or what it read.
    fn was_imported_from(&mut self, reader: &mut Reader, source: &str) -> StoreResult<()> {
        let agent = self.access.agent.id;
        let runs = import_runs::all(reader, agent)?;
        let runs = runs.into_iter().filter(|run| run.source == source || run.id.to_string() == source);
        let runs: BTreeSet<RunId> = runs.map(|run| run.id).collect();
        self.take_all(ItemKind::Run, runs.iter().map(|run| run.id()), Why::Rewritten);
        let is_meant = |from: &Imported<'_>| {
            let place = from.place.strip_prefix(source);
            // The rest says where in the file.
            runs.contains(&from.run) || place.is_some_and(|rest| rest.is_empty() || rest.starts_with(", "))
        };
        for (word, id, from) in taken::imported(reader, agent)? {
            if Imported::parse(&from).as_ref().is_some_and(is_meant) {
                self.take_words(vec![(word, id)], Why::Named);
            }
        }
        Ok(())
    }

    /// What a run read keeps its name as long as something of it is left.
    fn settle_runs(&mut self, reader: &mut Reader) -> StoreResult<()> {
        let agent = self.access.agent.id;
        for run in self.runs.clone() {
            let mut left = false;
            for id in import_runs::candidates(reader, agent, run)? {
                let item = Item { kind: ItemKind::Candidate, id: id.id() };
                left |= !self.trace.going.contains_key(&item) && inbox::by_id(reader, agent, id)?.is_some();
            }
            if !left {
                self.take(Item { kind: ItemKind::Run, id: run.id() }, Why::Rewritten);
            }
        }
        Ok(())
    }

    fn follow_candidate(&mut self, reader: &mut Reader, id: CandidateId) -> StoreResult<()> {
        let row = readable(inbox::by_id(reader, self.access.agent.id, id))?;
        let from = row.as_ref().and_then(|row| row.provenance.source()).and_then(Imported::parse);
        self.runs.extend(from.map(|from| from.run));
        // What it was merged into was there before it.
        let made = row.filter(|row| row.status == Status::Promoted).and_then(|row| row.memory);
        self.take_all(ItemKind::Memory, made.map(MemoryId::id), Why::Derived);
        Ok(())
    }

    fn beliefs_of(&mut self, reader: &mut Reader, sort: SourceSort, id: Id) -> StoreResult<()> {
        let cited = evidence::of_source(reader, self.access.agent.id, SourceRef { sort, id })?;
        self.take_all(ItemKind::Observation, cited.iter().map(|one| one.observation.id()), Why::Rewritten);
        Ok(())
    }

    /// All that speaks of somebody, by name too where nobody noted it.
    fn follow_entity(&mut self, reader: &mut Reader, id: EntityId) -> StoreResult<()> {
        let agent = self.access.agent.id;
        let family = entities::family(reader, agent, id)?;
        self.take_all(ItemKind::Entity, family.iter().map(|one| one.id()), Why::Derived);
        for one in &family {
            let found = taken::about(reader, agent, *one)?;
            self.take_words(found, Why::Derived);
            self.beliefs_of(reader, SourceSort::Entity, one.id())?;
        }
        let beliefs: Vec<Id> = self
            .trace
            .going
            .keys()
            .filter(|item| item.kind == ItemKind::Observation)
            .map(|item| item.id)
            .collect();
        for belief in beliefs {
            self.rest_of_beliefs_about(reader, ObservationId::of(belief), &family)?;
        }
        let names = entities::names(reader, agent, &family)?;
        let known: BTreeMap<String, Vec<EntityId>> =
            names.values().flatten().map(|(name, _)| (name_key(name), vec![id])).collect();
        let names_them = |text: &str| !mentioned(&candidate_names(text), &known).is_empty();
        self.search(reader, |text| names_them(text) || names_them(&without_endings(text)), Why::Derived)
    }

    /// What is believed of somebody rests on what goes, all of it.
    fn rest_of_beliefs_about(
        &mut self,
        reader: &mut Reader,
        id: ObservationId,
        family: &[EntityId],
    ) -> StoreResult<()> {
        let agent = self.access.agent.id;
        let Some(row) = readable(observations::by_id(reader, agent, id))? else { return Ok(()) };
        if !family.iter().any(|one| one.to_string() == row.subject.id) {
            return Ok(());
        }
        for piece in evidence::of(reader, agent, id)? {
            let kind = match piece.source.sort {
                SourceSort::Memory => ItemKind::Memory,
                SourceSort::Lesson => ItemKind::Lesson,
                SourceSort::Reflection => ItemKind::Reflection,
                SourceSort::Entity => continue,
            };
            self.take(Item { kind, id: piece.source.id }, Why::Derived);
        }
        Ok(())
    }

    /// Whatever has the words of a query, as far as the caller may have it forgotten.
    fn find(&mut self, reader: &mut Reader, wanted: &Wanted) -> StoreResult<()> {
        self.search(reader, |text| wanted.are_in(text), Why::Named)
    }

    /// What repeats the words of what goes. A memory or a soul that says the same on its own is not meant by it.
    fn look_for_repetitions(&mut self, reader: &mut Reader, reach: Reach) -> StoreResult<()> {
        let has_words = |kind: ItemKind| {
            use ItemKind as K;
            matches!(kind, K::Memory | K::Message | K::Candidate | K::Diary | K::Todo | K::Calendar | K::Soul)
        };
        let followed: Vec<Item> = self
            .trace
            .going
            .iter()
            .filter(|(item, why)| why.goes_on() && has_words(item.kind))
            .map(|(item, _)| *item)
            .collect();
        let mut texts = Vec::with_capacity(followed.len());
        for item in followed {
            texts.extend(spoken(self.access, reader, item)?.map(|spoken| spoken.words));
        }
        let phrases = Phrases::of(texts.iter().map(String::as_str));
        if phrases.is_empty() {
            return Ok(());
        }
        let why = if reach == Reach::Everywhere { Why::Derived } else { Why::Repeats };
        self.search_in(reader, reach, |text| phrases.are_in(text), why)
    }

    /// Takes what `is_meant`, wherever words are.
    fn search(
        &mut self,
        reader: &mut Reader,
        is_meant: impl FnMut(&str) -> bool,
        why: Why,
    ) -> StoreResult<()> {
        self.search_in(reader, Reach::Everything, is_meant, why)
    }

    fn search_in(
        &mut self,
        reader: &mut Reader,
        reach: Reach,
        mut is_meant: impl FnMut(&str) -> bool,
        why: Why,
    ) -> StoreResult<()> {
        let is_reached = |table: &str| reach != Reach::Accounts || table == "episodes";
        for place in words::with_words().filter(|place| is_reached(place.table)) {
            let (Fate::Item(word, _) | Fate::Kept(word, _)) = place.fate else { continue };
            let found = words::search(reader, self.access.agent.id, place, &mut is_meant)?;
            let Some(kind) = ItemKind::parse(word) else { continue };
            for id in found.into_iter().filter_map(|said| said.item) {
                let item = Item { kind, id };
                if !self.trace.going.contains_key(&item) {
                    self.judge(reader, item, why)?;
                }
            }
        }
        Ok(())
    }

    /// Whether what was found by its words goes.
    fn judge(&mut self, reader: &mut Reader, item: Item, why: Why) -> StoreResult<()> {
        match item.kind {
            // What is believed says what its evidence says: it is worked out again if that goes.
            ItemKind::Observation => return Ok(()),
            ItemKind::Soul => {
                self.trace.staying.insert(item, "the soul is forgotten by id alone");
                return Ok(());
            }
            ItemKind::Memory if why == Why::Repeats => {
                self.trace.staying.insert(item, "it says the same on its own");
                return Ok(());
            }
            _ => {}
        }
        // Their own words are theirs; what the house made of them is nobody's.
        let is_said = matches!(
            item.kind,
            ItemKind::Memory
                | ItemKind::Message
                | ItemKind::Candidate
                | ItemKind::Diary
                | ItemKind::Todo
                | ItemKind::Calendar
        );
        let provenance = spoken(self.access, reader, item)?.and_then(|spoken| spoken.provenance);
        let caller = &self.access.caller;
        let may = |row: &Provenance| row.may_be_changed_by(caller) && row.is_visible_to(caller);
        if is_said && !provenance.as_ref().is_none_or(may) {
            if provenance.is_some_and(|row| row.is_visible_to(caller)) {
                self.trace.staying.insert(item, "somebody else said it");
            }
            return Ok(());
        }
        self.take(item, why);
        Ok(())
    }

    /// A lesson goes if nothing is left that it was learned from, or if it tells what only they told.
    fn settle_lessons(&mut self, reader: &mut Reader) -> StoreResult<()> {
        let agent = self.access.agent.id;
        let lessons = self.lessons.clone();
        for id in lessons {
            let item = Item { kind: ItemKind::Lesson, id };
            if self.trace.going.get(&item).is_some_and(|why| *why != Why::Rewritten) {
                continue;
            }
            let lesson = LessonId::of(id);
            let memories =
                lessons::sources(reader, agent, lesson)?.into_iter().map(|one| (ItemKind::Memory, one.id()));
            let told = lessons::episodes(reader, agent, lesson)?
                .into_iter()
                .map(|one| (ItemKind::Episode, one.id()));
            let sources: Vec<Item> = memories.chain(told).map(|(kind, id)| Item { kind, id }).collect();
            let (going, left): (Vec<Item>, Vec<Item>) =
                sources.into_iter().partition(|source| self.trace.going.contains_key(source));
            if left.is_empty() || self.tells_of(reader, item, &going, &left)? {
                self.trace.going.remove(&item);
                self.take(item, Why::Derived);
            } else {
                self.trace.going.insert(item, Why::Rewritten);
            }
        }
        Ok(())
    }

    fn tells_of(
        &self,
        reader: &mut Reader,
        lesson: Item,
        going: &[Item],
        left: &[Item],
    ) -> StoreResult<bool> {
        let mut texts = |items: &[Item]| -> StoreResult<Vec<String>> {
            let read =
                items.iter().map(|item| Ok(spoken(self.access, reader, *item)?.map(|spoken| spoken.words)));
            Ok(read.collect::<StoreResult<Vec<_>>>()?.into_iter().flatten().collect())
        };
        let (going, left, own) = (texts(going)?, texts(left)?, texts(&[lesson])?);
        let borrowed = |texts: &[String]| texts.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
        Ok(says_what_only_they_said(&borrowed(&own), &[&borrowed(&going)], &[&borrowed(&left)]))
    }
}

/// A text without the folders and the endings of file names in it: `people/Zoe.md` names somebody.
fn without_endings(text: &str) -> String {
    let is_ending = |ending: &str| ending.len() <= 5 && ending.chars().all(char::is_alphanumeric);
    let stem = |word: &'_ str| -> String {
        let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        word.rsplit_once('.')
            .filter(|(_, ending)| is_ending(ending))
            .map_or(word, |(stem, _)| stem)
            .to_owned()
    };
    text.split([' ', '\n', '\t', '/', '\\']).map(stem).collect::<Vec<_>>().join(" ")
}

/// Where something says that it was read in: by which run, and from where.
struct Imported<'s> {
    run: RunId,
    place: &'s str,
}

impl Imported<'_> {
    fn parse(source: &str) -> Option<Imported<'_>> {
        let (run, place) = source.split_once(' ')?;
        Some(Imported { run: run.parse().ok()?, place })
    }
}

/// Whether such a thing stays, without its words.
fn is_only_rewritten(kind: ItemKind) -> bool {
    use ItemKind as K;
    matches!(kind, K::Observation | K::Profile | K::Relationship | K::Title | K::Run | K::Work)
}

/// A row that can be read; a damaged one says nothing and is followed no further.
fn readable<T>(read: StoreResult<Option<T>>) -> StoreResult<Option<T>> {
    match read {
        Err(StoreError::Spoiled(_) | StoreError::Damaged(_)) => Ok(None),
        other => other,
    }
}

/// What an item says, if it is there and can be read.
pub(super) fn spoken(access: &Access<'_>, reader: &mut Reader, item: Item) -> StoreResult<Option<Spoken>> {
    let (agent, id) = (access.agent.id, item.id);
    let with =
        |words: String, provenance: &Provenance| Spoken { words, provenance: Some(provenance.clone()) };
    let lines = |parts: &[Option<&str>]| parts.iter().flatten().copied().collect::<Vec<_>>().join("\n");
    Ok(match item.kind {
        ItemKind::Memory => readable(memory::by_id_hidden_or_not(reader, agent, MemoryId::of(id)))?
            .map(|row| with(row.content.clone(), &row.provenance)),
        ItemKind::Message => readable(messages::by_id(reader, agent, MessageId::of(id)))?
            .map(|row| with(row.content.clone(), &row.provenance)),
        ItemKind::Candidate => readable(inbox::by_id(reader, agent, CandidateId::of(id)))?
            .map(|row| with(row.content.clone(), &row.provenance)),
        ItemKind::Diary => {
            let rows = diary::by_ids(reader, agent, &[id])?;
            let row = readable(rows.into_iter().next().transpose())?;
            row.map(|row| with(row.text.clone(), &row.provenance))
        }
        ItemKind::Todo => readable(todos::by_id(reader, agent, TodoId::of(id)))?
            .map(|row| with(lines(&[Some(&row.title), row.description.as_deref()]), &row.provenance)),
        ItemKind::Calendar => readable(calendar::by_id(reader, agent, CalendarId::of(id)))?.map(|row| {
            let parts = [Some(row.title.as_str()), row.description.as_deref(), row.location.as_deref()];
            with(lines(&parts), &row.provenance)
        }),
        ItemKind::Soul => readable(soul::by_id(reader, agent, SoulId::of(id)))?
            .map(|row| with(row.content.clone(), &row.provenance)),
        ItemKind::Lesson => readable(lessons::by_id(reader, agent, LessonId::of(id)))?.map(|row| {
            let parts = [Some(row.lesson.as_str()), row.correction.as_deref()];
            let words = lines(&parts) + "\n" + &row.tags.join("\n");
            with(words, &row.provenance)
        }),
        ItemKind::Reflection => readable(reflections::by_id(reader, agent, ReflectionId::of(id)))?
            .map(|row| with(row.content.clone(), &row.provenance)),
        ItemKind::Episode => readable(episodes::by_id(reader, agent, EpisodeId::of(id)))?
            .map(|row| with(row.said.clone(), &row.provenance)),
        ItemKind::Observation => readable(observations::by_id(reader, agent, ObservationId::of(id)))?
            .map(|row| with(row.summary.clone(), &row.provenance)),
        ItemKind::Nudge => readable(nudges::by_id(reader, agent, NudgeId::of(id)))?
            .map(|row| Spoken { words: row.what, provenance: None }),
        ItemKind::Conversation | ItemKind::Title => {
            conversations::by_id(reader, agent, ConversationId::of(id))?
                .map(|row| Spoken { words: row.title.unwrap_or_default(), provenance: None })
        }
        ItemKind::Entity | ItemKind::Profile | ItemKind::Relationship => {
            entities::by_ids(reader, agent, &[EntityId::of(id)])?
                .into_iter()
                .next()
                .map(|row| Spoken { words: row.name, provenance: None })
        }
        ItemKind::Summary => {
            let of_memories = readable(summaries::by_id(reader, agent, SummaryId::of(id)))?;
            let of_talk = readable(summaries::talk_by_id(reader, agent, SummaryId::of(id)))?;
            let of_memories = of_memories.map(|row| with(row.content.clone(), &row.provenance));
            of_memories.or_else(|| of_talk.map(|row| with(row.content.clone(), &row.provenance)))
        }
        ItemKind::Run => import_runs::by_id(reader, agent, RunId::of(id))?
            .map(|row| Spoken { words: row.source, provenance: None }),
        ItemKind::Work | ItemKind::Batch => None,
    })
}

/// Whether the caller may have this forgotten; the error says why not.
pub(super) fn may_name(access: &Access<'_>, reader: &mut Reader, item: Item) -> Result<()> {
    let caller = &access.caller;
    let found = spoken(access, reader, item)?;
    let missing = || Error::NoSuch { what: noun(item.kind), id: item.to_string() };
    let by_operator = match item.kind {
        ItemKind::Entity => taken::principals_of(reader, access.agent.id, EntityId::of(item.id))?,
        _ => Vec::new(),
    };
    if by_operator.iter().any(|(_, is_operator)| *is_operator) {
        return Err(Error::Unfit(
            "the operator is not forgotten by name: forget the whole agent, or what they said".into(),
        ));
    }
    match found {
        None => Err(missing()),
        Some(Spoken { provenance: Some(row), .. }) if !row.is_visible_to(caller) => Err(missing()),
        Some(Spoken { provenance: Some(row), .. }) if row.may_be_changed_by(caller) => Ok(()),
        Some(Spoken { provenance: None, .. }) if caller.is_operator() || is_agents_own(access) => Ok(()),
        Some(_) => Err(Error::Forbidden(super::NOT_THEIRS.into())),
    }
}

/// Whether the agent itself asks.
fn is_agents_own(access: &Access<'_>) -> bool {
    access.caller.author() == selfsame_core::trust::Author::Agent
}

/// What people call such a thing.
pub(super) fn noun(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Todo => "to-do",
        ItemKind::Calendar => "calendar entry",
        ItemKind::Soul => "soul entry",
        ItemKind::Diary => "diary entry",
        other => other.as_str(),
    }
}
