//! The verb *forget*: a memory goes, with everything the index kept of it.

use crate::error::{Error, Result, StoreResult};
use crate::heartbeat::{due, told};
use crate::mind::Access;
use crate::sound::sound;
use crate::verify::PAGE;
use crate::{knowledge, lesson, linking};
use selfsame_core::contemplation::Episode;
use selfsame_core::event::Act;
use selfsame_core::id::{EpisodeId, ErasureId, Id, MemoryId};
use selfsame_core::knowledge::evidence::{SourceRef, SourceSort};
use selfsame_core::memory::Memory;
use selfsame_core::recall::indexed::indexed;
use selfsame_core::text::{TermCounts, terms};
use selfsame_core::time::civil::Date;
use selfsame_core::time::{Time, Zone};
use selfsame_store::contemplation::episodes;
use selfsame_store::erasures::{self, Buried, Erasure};
use selfsame_store::postings::{self, Kind};
use selfsame_store::{
    Idempotency, Replay, StoreError, Writer, events, inbox, memory, memory_life, monitors, vectors,
};
use std::collections::BTreeSet;

/// Fewer words are nobody's: they stand in many accounts that have nothing to do with what is forgotten.
const LEAST_WORDS: usize = 3;

/// What was forgotten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Forgotten {
    /// The act, under which the tombstones stand.
    pub erasure: ErasureId,
    /// Memories that went.
    pub memories: u64,
}

impl Access<'_> {
    /// One memory by its id, if it is there and the caller may see it.
    pub fn memory(&self, id: MemoryId) -> Result<Option<Memory>> {
        let found = self
            .mind
            .store
            .read(&self.caller, &[self.agent.id], |reader| memory::by_id(reader, self.agent.id, id))?;
        Ok(found.filter(|memory| memory.provenance.is_visible_to(&self.caller)))
    }

    /// What [`Access::forget`] would take away.
    pub fn forget_preview(&self, id: MemoryId) -> Result<Memory> {
        match self.memory(id)? {
            Some(memory) if memory.provenance.may_be_changed_by(&self.caller) => Ok(memory),
            Some(_) => Err(Error::Forbidden(
                "only the agent, its operator or who said it may have it forgotten".into(),
            )),
            None if self.is_forgotten(id)? => Err(Error::Gone(id)),
            None => Err(Error::NoSuch { what: "memory", id: id.to_string() }),
        }
    }

    /// Forgets one memory: its words, its place in the index, what was learned from it, and every account of a time of
    /// thinking that repeats it. Tombstones with nothing in them stay.
    pub fn forget(&self, id: MemoryId, key: Option<&Idempotency>) -> Result<Forgotten> {
        let zone = self.zone()?;
        let target = match self.forget_preview(id) {
            Ok(memory) => Target::of(&memory, &zone),
            // A repetition finds the memory gone and its stored reply waiting.
            Err(Error::Gone(_)) if key.is_some() => Target::unknown(id),
            // What it said and who said it can no longer be known: the operator decides, and the index is asked.
            Err(Error::Store(StoreError::Spoiled(_))) if self.caller.is_operator() => Target::unknown(id),
            Err(error) => return Err(error),
        };
        let now = self.mind.now();
        let erasure = Erasure {
            id: ErasureId::of(self.mind.mint.id(now)),
            agent: self.agent.id,
            reason: "forget by id".into(),
            at: now,
        };
        let mut days = BTreeSet::new();
        let forgotten = self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            days.clear();
            // Somebody was faster: there is nothing to do, and no act to record.
            if erasures::is_buried(writer, self.agent.id, id.id())? {
                return Ok(Forgotten { erasure: erasure.id, memories: 0 });
            }
            let erased = erasures::erase(writer, &erasure, |writer| {
                let forgetting = Forgetting { access: self, zone: &zone, now };
                let repeating = forgetting.repeating(writer, &target)?;
                let mut buried = forgetting.take_away(writer, &target, &mut days)?;
                if !buried.is_empty() {
                    for target in &repeating {
                        buried.extend(forgetting.take_away(writer, target, &mut days)?);
                    }
                }
                Ok(buried)
            })?;
            Ok(Forgotten { erasure: erasure.id, memories: u64::from(erased > 0) })
        })?;
        if forgotten.memories == 0 {
            return Err(Error::Gone(id));
        }
        for day in days {
            self.write_journal_if_it_may(day)?;
        }
        // What a reader holds up now is done by the next checkpoint; the memory is forgotten all the same.
        let _ = self.mind.store.compact();
        Ok(forgotten)
    }

    fn is_forgotten(&self, id: MemoryId) -> Result<bool> {
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            erasures::is_buried(reader, self.agent.id, id.id())
        })?)
    }
}

/// A memory that goes, with what has to be known of it.
struct Target {
    id: MemoryId,
    content: String,
    words: TermCounts,
    answers: Option<MemoryId>,
}

impl Target {
    fn of(memory: &Memory, zone: &Zone) -> Target {
        let words = indexed(&memory.content, zone.date(memory.created_at)).words;
        Target { id: memory.id, content: memory.content.clone(), words, answers: memory.links.answers }
    }

    /// One of which only the id is left to know.
    fn unknown(id: MemoryId) -> Target {
        Target { id, content: String::new(), words: TermCounts::default(), answers: None }
    }
}

/// An act of forgetting, in its transaction.
struct Forgetting<'f> {
    access: &'f Access<'f>,
    zone: &'f Zone,
    now: Time,
}

impl Forgetting<'_> {
    /// Takes a memory away with all that is kept of it; gives what went, and notes the days whose journals tell of it.
    fn take_away(
        &self,
        writer: &mut Writer,
        target: &Target,
        days: &mut BTreeSet<Date>,
    ) -> StoreResult<Vec<Buried>> {
        let Forgetting { access, zone, now } = *self;
        let (mind, agent, id) = (access.mind, &access.agent, target.id);
        let source = SourceRef { sort: SourceSort::Memory, id: id.id() };
        told::forget_memory(writer, agent.id, id)?;
        knowledge::forget(writer, mind, agent, zone, source, now)?;
        let taught = lesson::forget_what_it_taught(writer, mind, agent, zone, id, now)?;
        memory_life::delete(writer, agent.id, id.id())?;
        monitors::delete(writer, agent.id, id)?;
        due::forget(writer, agent.id, id)?;
        if !memory::delete(writer, agent.id, id)? {
            return Ok(Vec::new());
        }
        let mut buried = vec![("memory", id.id())];
        for (episode, created_at) in episodes::of_memory(writer, agent.id, id)? {
            episodes::delete(writer, agent.id, episode)?;
            days.insert(zone.date(created_at));
            buried.push(("episode", episode.id()));
        }
        if let Some(question) = target.answers {
            memory::unanswered(writer, agent.id, question)?;
        }
        // The candidate that it was made of holds the same words.
        let candidates = inbox::delete_of(writer, agent.id, id)?;
        postings::remove(writer, agent.id, Kind::Memory, id.id(), &target.words)?;
        vectors::remove(writer, agent.id, Kind::Memory, id.id())?;
        linking::close(writer, agent.id, id, &target.content)?;
        let act = Act { act: "forgotten", subject_kind: "memory", subject: id.id() };
        events::record(writer, agent.id, now, &[act])?;
        buried.extend(candidates.into_iter().map(|candidate| ("candidate", candidate.id())));
        buried.extend(taught);
        Ok(buried)
    }

    /// The memories of times of thinking whose accounts have the words of what is forgotten, whoever showed them to whom.
    fn repeating(&self, writer: &mut Writer, target: &Target) -> StoreResult<Vec<Target>> {
        let (agent, words) = (self.access.agent.id, terms(&target.content));
        let (mut found, mut after) = (Vec::new(), EpisodeId::of(Id::NIL));
        if words.len() < LEAST_WORDS {
            return Ok(found);
        }
        loop {
            let page = episodes::after(writer, agent, after, PAGE)?;
            let Some(last) = page.last() else { return Ok(found) };
            after = match last {
                Ok(row) => row.id,
                Err(StoreError::Spoiled(spoiled)) => EpisodeId::of(spoiled.id),
                Err(_) => return Err(StoreError::Damaged("the episodes cannot be read".into())),
            };
            for episode in sound(page)?.0.iter().filter(|row| row.memory != target.id && tells(row, &words)) {
                if let Some(memory) = memory::by_id(writer, agent, episode.memory)? {
                    found.push(Target::of(&memory, self.zone));
                }
            }
        }
    }
}

/// Whether an episode has these words in it, one after the other.
fn tells(episode: &Episode, words: &[String]) -> bool {
    let account = episode.captured.account.to_json().to_string();
    [&episode.said, &account].into_iter().any(|text| terms(text).windows(words.len()).any(|run| run == words))
}

impl Replay for Forgotten {
    fn encode(&self) -> String {
        format!("[\"{}\",{}]", self.erasure, self.memories)
    }

    fn decode(stored: &str) -> std::result::Result<Forgotten, StoreError> {
        let damaged = StoreError::unreadable_reply;
        let (erasure, memories): (String, u64) = serde_json::from_str(stored).map_err(|_| damaged())?;
        Ok(Forgotten { erasure: erasure.parse().map_err(|_| damaged())?, memories })
    }
}
