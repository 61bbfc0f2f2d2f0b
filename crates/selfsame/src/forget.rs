//! The verb *forget*: a memory goes, with everything the index kept of it.

use crate::error::{Error, Result};
use crate::heartbeat::{due, told};
use crate::knowledge;
use crate::lesson;
use crate::linking;
use crate::mind::Access;
use selfsame_core::event::Act;
use selfsame_core::id::{ErasureId, MemoryId};
use selfsame_core::knowledge::evidence::{SourceRef, SourceSort};
use selfsame_core::memory::Memory;
use selfsame_core::recall::indexed::indexed;
use selfsame_core::text::TermCounts;
use selfsame_store::erasures::{self, Erasure};
use selfsame_store::postings::{self, Kind};
use selfsame_store::{
    Idempotency, Replay, StoreError, events, inbox, memory, memory_life, monitors, vectors,
};

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

    /// Forgets one memory: its words, its place in the index. A tombstone with nothing in it stays.
    pub fn forget(&self, id: MemoryId, key: Option<&Idempotency>) -> Result<Forgotten> {
        let zone = self.zone()?;
        let (content, words, answers) = match self.forget_preview(id) {
            Ok(memory) => {
                let indexed = indexed(&memory.content, zone.date(memory.created_at));
                (memory.content.clone(), indexed.words, memory.links.answers)
            }
            // A repetition finds the memory gone and its stored reply waiting.
            Err(Error::Gone(_)) if key.is_some() => (String::new(), TermCounts::default(), None),
            // What it said and who said it can no longer be known: the operator decides, and the index is asked.
            Err(Error::Store(StoreError::Spoiled(_))) if self.caller.is_operator() => {
                (String::new(), TermCounts::default(), None)
            }
            Err(error) => return Err(error),
        };
        let now = self.mind.now();
        let erasure = Erasure {
            id: ErasureId::of(self.mind.mint.id(now)),
            agent: self.agent.id,
            reason: "forget by id".into(),
            at: now,
        };
        let forgotten = self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            // Somebody was faster: there is nothing to do, and no act to record.
            if erasures::is_buried(writer, self.agent.id, id.id())? {
                return Ok(Forgotten { erasure: erasure.id, memories: 0 });
            }
            let erased = erasures::erase(writer, &erasure, |writer| {
                let source = SourceRef { sort: SourceSort::Memory, id: id.id() };
                told::forget_memory(writer, self.agent.id, id)?;
                knowledge::forget(writer, self.mind, &self.agent, &zone, source, now)?;
                let taught = lesson::forget_what_it_taught(writer, self.mind, &self.agent, &zone, id, now)?;
                memory_life::delete(writer, self.agent.id, id.id())?;
                monitors::delete(writer, self.agent.id, id)?;
                due::forget(writer, self.agent.id, id)?;
                if !memory::delete(writer, self.agent.id, id)? {
                    return Ok(Vec::new());
                }
                if let Some(question) = answers {
                    memory::unanswered(writer, self.agent.id, question)?;
                }
                // The candidate that it was made of holds the same words.
                let candidates = inbox::delete_of(writer, self.agent.id, id)?;
                postings::remove(writer, self.agent.id, Kind::Memory, id.id(), &words)?;
                vectors::remove(writer, self.agent.id, Kind::Memory, id.id())?;
                linking::close(writer, self.agent.id, id, &content)?;
                let act = Act { act: "forgotten", subject_kind: "memory", subject: id.id() };
                events::record(writer, self.agent.id, now, &[act])?;
                let buried = candidates.into_iter().map(|candidate| ("candidate", candidate.id()));
                Ok(std::iter::once(("memory", id.id())).chain(buried).chain(taught).collect())
            })?;
            Ok(Forgotten { erasure: erasure.id, memories: u64::from(erased > 0) })
        })?;
        if forgotten.memories == 0 {
            return Err(Error::Gone(id));
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
