//! What a stored row says: its words, who speaks, and each independent time that it was said.

use crate::error::StoreResult;
use crate::sound::sound;
use selfsame_core::event::Event;
use selfsame_core::id::{
    AgentId, ConversationId, EntityId, Id, LessonId, MemoryId, MessageId, PrincipalId, ReflectionId,
};
use selfsame_core::knowledge::decide::Voucher;
use selfsame_core::knowledge::evidence::{Base, Origin, SourceRef, SourceSort, is_raw};
use selfsame_core::memory::Memory;
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::{Author, Caller, Lineage, Privacy, Provenance};
use selfsame_store::agents::Agent;
use selfsame_store::entities::{Entity, Profile};
use selfsame_store::memory_life::FurtherSource;
use selfsame_store::{Reader, StoreError, entities, lessons, memory, memory_life, messages, reflections};
use std::collections::BTreeMap;

/// A row with what its claims need to know of it.
pub(crate) struct Source {
    /// Which.
    pub(crate) row: SourceRef,
    /// Its words.
    pub(crate) text: String,
    /// Who says "I" in it.
    pub(crate) speaker: Speaker,
    /// In whose name or conversation.
    pub(crate) principal: Option<PrincipalId>,
    /// Whom it is about, if the row itself says so.
    pub(crate) about: Option<EntityId>,
    /// Each independent time that it was said, the first first.
    pub(crate) sayings: Vec<Saying>,
    /// The earlier edition whose place it took, if it says something else.
    pub(crate) corrects: Option<MemoryId>,
    /// How far it is believed.
    pub(crate) provenance: Provenance,
}

/// Who says "I".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Speaker {
    /// The agent itself.
    Agent,
    /// Somebody whom it serves.
    Principal(PrincipalId),
    /// Nobody who could be named.
    Nobody,
}

/// One independent time that something was said.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Saying {
    pub(crate) origins: Vec<Origin>,
    pub(crate) weight: f64,
    pub(crate) voucher: Voucher,
    pub(crate) at: Time,
}

/// Reads rows as sources. Remembers which conversation a message belongs to.
pub(crate) struct Sources<'a> {
    agent: &'a Agent,
    zone: &'a Zone,
    /// Memories that were read together, with who else said them.
    ahead: BTreeMap<MemoryId, (Memory, Vec<FurtherSource>)>,
    conversations: BTreeMap<MessageId, Option<ConversationId>>,
}

impl<'a> Sources<'a> {
    pub(crate) fn new(agent: &'a Agent, zone: &'a Zone) -> Sources<'a> {
        Sources { agent, zone, ahead: BTreeMap::new(), conversations: BTreeMap::new() }
    }

    /// Reads the memories that events tell of in a few statements. What is not read ahead is read when its turn comes.
    pub(crate) fn read_ahead(&mut self, reader: &mut Reader, events: &[Event]) -> StoreResult<()> {
        let told = events.iter().filter_map(subject).filter(|row| row.sort == SourceSort::Memory);
        let ids: Vec<MemoryId> = told.map(|row| MemoryId::of(row.id)).collect();
        let mut further = memory_life::sources_of(reader, self.agent.id, &ids)?;
        let (memories, _) = sound(memory::by_ids(reader, self.agent.id, &ids)?)?;
        for memory in memories {
            let said_too = further.remove(&memory.id).unwrap_or_default();
            self.ahead.insert(memory.id, (memory, said_too));
        }
        Ok(())
    }

    /// The row that an event tells of, if it can be a source and is still there. Private rows feed nothing, and a
    /// damaged one is `verify`'s to name.
    pub(crate) fn told_of(&mut self, reader: &mut Reader, event: &Event) -> StoreResult<Option<Source>> {
        let Some(row) = subject(event) else {
            return Ok(None);
        };
        match self.read(reader, row, event.at) {
            Err(StoreError::Spoiled(_)) => Ok(None),
            read => Ok(read?.filter(|source| !source.provenance.is_private()).map(|source| {
                // Who said it again later has an event of its own.
                let sayings = source.sayings.iter().filter(|saying| saying.at <= event.at).cloned().collect();
                Source { sayings, ..source }
            })),
        }
    }

    /// A row as a source; `told_at` is when it was stored, where it does not say so itself.
    fn read(&mut self, reader: &mut Reader, row: SourceRef, told_at: Time) -> StoreResult<Option<Source>> {
        match row.sort {
            SourceSort::Memory => {
                let id = MemoryId::of(row.id);
                if let Some((memory, further)) = self.ahead.remove(&id) {
                    return is_raw(&memory).then(|| self.said(reader, &memory, further)).transpose();
                }
                let found = memory::by_id(reader, self.agent.id, id)?;
                found.filter(is_raw).map(|memory| self.memory(reader, &memory)).transpose()
            }
            SourceSort::Lesson => self.lesson(reader, LessonId::of(row.id)),
            SourceSort::Reflection => self.reflection(reader, ReflectionId::of(row.id)),
            SourceSort::Entity => self.profile(reader, EntityId::of(row.id), told_at),
        }
    }

    /// A memory, as often as independent sources have said it.
    pub(crate) fn memory(&mut self, reader: &mut Reader, memory: &Memory) -> StoreResult<Source> {
        let further = memory_life::sources(reader, self.agent.id, memory.id)?;
        self.said(reader, memory, further)
    }

    fn said(
        &mut self,
        reader: &mut Reader,
        memory: &Memory,
        further: Vec<FurtherSource>,
    ) -> StoreResult<Source> {
        let provenance = &memory.provenance;
        let base = Base::Memory(memory.importance).weight();
        let first = Said {
            author: provenance.author(),
            source: provenance.source(),
            principal: provenance.principal_id(),
            at: memory.created_at,
        };
        let mut sayings = vec![self.saying(reader, &first, base * provenance.trust().value())?];
        for further in further {
            let Some(author) = Author::parse(&further.author) else { continue };
            let (source, principal) = (further.source.as_deref(), further.principal);
            let said = Said { author, source, principal, at: further.at };
            let trust = author.usual_trust(principal == Some(self.agent.operator)).value();
            sayings.push(self.saying(reader, &said, base * trust)?);
        }
        let replaced = memory.links.replaces.map(|old| memory::by_id(reader, self.agent.id, old));
        let replaced = replaced.transpose()?.flatten().filter(|old| old.content != memory.content);
        Ok(Source {
            row: SourceRef { sort: SourceSort::Memory, id: memory.id.id() },
            text: memory.content.clone(),
            speaker: speaker(provenance),
            principal: provenance.principal_id(),
            about: memory.entity,
            sayings,
            corrects: replaced.map(|old| old.id),
            provenance: provenance.clone(),
        })
    }

    fn lesson(&mut self, reader: &mut Reader, id: LessonId) -> StoreResult<Option<Source>> {
        let Some(lesson) = lessons::by_id(reader, self.agent.id, id)? else {
            return Ok(None);
        };
        let raw = lessons::sources(reader, self.agent.id, id)?;
        let saying = Saying {
            origins: self.origins_of(reader, &raw)?,
            weight: Base::Lesson(lesson.confidence).weight() * lesson.provenance.trust().value(),
            voucher: Voucher::Other,
            at: lesson.created_at,
        };
        let row = SourceRef { sort: SourceSort::Lesson, id: id.id() };
        Ok(derived(row, lesson.words.lesson, saying, lesson.provenance))
    }

    fn reflection(&mut self, reader: &mut Reader, id: ReflectionId) -> StoreResult<Option<Source>> {
        let Some(reflection) = reflections::by_id(reader, self.agent.id, id)? else {
            return Ok(None);
        };
        let raw = reflections::sources(reader, self.agent.id, id)?;
        let saying = Saying {
            origins: self.origins_of(reader, &raw)?,
            weight: Base::Reflection.weight() * reflection.provenance.trust().value(),
            voucher: Voucher::Other,
            at: reflection.created_at,
        };
        let row = SourceRef { sort: SourceSort::Reflection, id: id.id() };
        Ok(derived(row, reflection.words.content, saying, reflection.provenance))
    }

    /// A profile: with the voices of what it was derived from; or else whoever wrote it says it.
    fn profile(&mut self, reader: &mut Reader, id: EntityId, at: Time) -> StoreResult<Option<Source>> {
        let Some(entity) = entities::by_ids(reader, self.agent.id, &[id])?.into_iter().next() else {
            return Ok(None);
        };
        let Some(profile) = entity.profile else {
            return Ok(None);
        };
        let caller = writer_of(&profile.by);
        let provenance = provenance_of_profile(reader, self.agent.id, &profile)?;
        let raw: Vec<MemoryId> = profile.sources.iter().filter_map(|id| id.parse().ok()).collect();
        let mut saying = Saying {
            origins: self.origins_of(reader, &raw)?,
            weight: Base::Entity.weight() * provenance.trust().value(),
            voucher: Voucher::Other,
            at,
        };
        if profile.sources.is_empty() {
            saying.origins = vec![Origin::day(caller.author(), caller.principal_id(), self.zone.date(at))];
            saying.voucher = self.voucher(caller.author(), caller.principal_id());
        }
        if saying.origins.is_empty() {
            return Ok(None);
        }
        Ok(Some(Source {
            row: SourceRef { sort: SourceSort::Entity, id: id.id() },
            text: profile.summary,
            speaker: Speaker::Nobody,
            principal: caller.principal_id(),
            about: Some(id),
            sayings: vec![saying],
            corrects: None,
            provenance,
        }))
    }

    /// The independent sources behind raw rows, each once.
    fn origins_of(&mut self, reader: &mut Reader, raw: &[MemoryId]) -> StoreResult<Vec<Origin>> {
        let mut origins = Vec::new();
        for memory in memory::by_ids(reader, self.agent.id, raw)?.into_iter().flatten().filter(is_raw) {
            let source = self.memory(reader, &memory)?;
            origins.extend(source.sayings.into_iter().flat_map(|saying| saying.origins));
        }
        origins.sort();
        origins.dedup();
        Ok(origins)
    }

    fn saying(&mut self, reader: &mut Reader, said: &Said<'_>, weight: f64) -> StoreResult<Saying> {
        let origin = self.origin(reader, said)?;
        let voucher = self.voucher(said.author, said.principal);
        Ok(Saying { origins: vec![origin], weight, voucher, at: said.at })
    }

    fn origin(&mut self, reader: &mut Reader, said: &Said<'_>) -> StoreResult<Origin> {
        let Some(source) = said.source else {
            return Ok(Origin::day(said.author, said.principal, self.zone.date(said.at)));
        };
        let conversation = match source.parse::<MessageId>() {
            Ok(message) => self.conversation_of(reader, message)?,
            Err(_) => None,
        };
        Ok(conversation.map_or_else(|| Origin::document(source), Origin::conversation))
    }

    fn conversation_of(
        &mut self,
        reader: &mut Reader,
        message: MessageId,
    ) -> StoreResult<Option<ConversationId>> {
        if let Some(known) = self.conversations.get(&message) {
            return Ok(*known);
        }
        let found = messages::by_ids(reader, self.agent.id, &[message])?.into_iter().flatten().next();
        let conversation = found.map(|message| message.conversation);
        self.conversations.insert(message, conversation);
        Ok(conversation)
    }

    fn voucher(&self, author: Author, principal: Option<PrincipalId>) -> Voucher {
        match author {
            Author::Principal if principal == Some(self.agent.operator) => Voucher::Operator,
            Author::Principal => Voucher::Principal,
            _ => Voucher::Other,
        }
    }
}

/// The row that an event tells of, if such rows can be sources.
pub(crate) fn subject(event: &Event) -> Option<SourceRef> {
    let sort = match (event.subject_kind.as_str(), event.act.as_str()) {
        ("memory", "remembered" | "reinforced") => SourceSort::Memory,
        ("lesson", "learned") => SourceSort::Lesson,
        ("reflection", "reflected") => SourceSort::Reflection,
        ("entity", "profiled") => SourceSort::Entity,
        _ => return None,
    };
    Some(SourceRef { sort, id: event.subject })
}

/// What was made from memories speaks with their voices, and is no source of its own.
fn derived(row: SourceRef, text: String, saying: Saying, provenance: Provenance) -> Option<Source> {
    (!saying.origins.is_empty()).then(|| Source {
        row,
        text,
        speaker: Speaker::Agent,
        principal: provenance.principal_id(),
        about: None,
        sayings: vec![saying],
        corrects: None,
        provenance,
    })
}

/// Who said something, where and when.
struct Said<'s> {
    author: Author,
    source: Option<&'s str>,
    principal: Option<PrincipalId>,
    at: Time,
}

fn speaker(provenance: &Provenance) -> Speaker {
    match (provenance.author(), provenance.principal_id()) {
        (Author::Principal, Some(principal)) => Speaker::Principal(principal),
        (Author::Agent, _) => Speaker::Agent,
        _ => Speaker::Nobody,
    }
}

/// Where a row that is evidence comes from, if it is still there.
pub(crate) fn provenance_of(reader: &mut Reader, agent: &Agent, row: SourceRef) -> StoreResult<Provenance> {
    let own = || Provenance::stated(&Caller::agent(None), None, Privacy::Shared);
    let id: Id = row.id;
    let found = match row.sort {
        // What is being taken away is evidence until it is gone.
        SourceSort::Memory => {
            memory::by_id_hidden_or_not(reader, agent.id, MemoryId::of(id))?.map(|row| row.provenance)
        }
        SourceSort::Lesson => lessons::by_id(reader, agent.id, LessonId::of(id))?.map(|row| row.provenance),
        SourceSort::Reflection => {
            reflections::by_id(reader, agent.id, ReflectionId::of(id))?.map(|row| row.provenance)
        }
        SourceSort::Entity => match entities::by_ids(reader, agent.id, &[EntityId::of(id)])?.pop() {
            Some(Entity { profile: Some(profile), .. }) => {
                Some(provenance_of_profile(reader, agent.id, &profile)?)
            }
            _ => None,
        },
    };
    Ok(found.unwrap_or_else(own))
}

/// How far a profile is believed: like who wrote it, and no further than the least of what it was derived from. What is not
/// there any more says nothing.
pub(crate) fn provenance_of_profile(
    reader: &mut Reader,
    agent: AgentId,
    profile: &Profile,
) -> StoreResult<Provenance> {
    let stated = Provenance::stated(&writer_of(&profile.by), None, Privacy::Shared);
    let mut least = stated.trust().value();
    for source in &profile.sources {
        let found = match (source.parse::<MemoryId>(), source.parse::<MessageId>()) {
            (Ok(id), _) => memory::by_id(reader, agent, id)?.map(|row| row.provenance),
            (_, Ok(id)) => messages::by_id(reader, agent, id)?.map(|row| row.provenance),
            _ => None,
        };
        if let Some(Ok(lineage)) = found.as_ref().map(Lineage::of) {
            least = least.min(lineage.trust().value());
        }
    }
    Ok(stated.lowered_to(least))
}

/// Who wrote a profile, from the word that stands for a caller.
fn writer_of(by: &str) -> Caller {
    let (voice, principal) = by.split_once(':').unwrap_or((by, ""));
    match (voice, principal.parse::<PrincipalId>()) {
        ("operator", Ok(principal)) => Caller::operator(principal),
        ("principal", Ok(principal)) => Caller::principal(principal),
        ("tool", principal) => Caller::tool(principal.ok()),
        ("import", principal) => Caller::import(principal.ok()),
        (_, principal) => Caller::agent(principal.ok()),
    }
}
