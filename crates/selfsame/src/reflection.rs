//! Reflections: written with their sources, listed, shown.

use crate::derived::each_once;
use crate::error::{Error, Result, StoreResult, check_field, check_limit};
use crate::mind::Access;
use crate::sound::all_sound;
use selfsame_core::event::Act;
use selfsame_core::id::{EpisodeId, MemoryId, ReflectionId};
use selfsame_core::kept::Kept;
use selfsame_core::reflection::MAX_CONTENT_BYTES;
use selfsame_core::time::Time;
use selfsame_core::tokens::count;
use selfsame_store::{Idempotency, Reader, Replay, StoreError, events, reflections};

pub use selfsame_core::reflection::Reflection;

/// Reflections in one answer, at most.
const MAX_LIMIT: usize = 200;

/// A reflection to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewReflection {
    /// The words.
    pub content: String,
    /// The period begins.
    pub from: Time,
    /// And ends.
    pub until: Time,
    /// The memories it is made from.
    pub sources: Vec<MemoryId>,
}

/// A reflection with what it was made from.
#[derive(Clone, PartialEq, Debug)]
pub struct ReflectionCard {
    /// The reflection.
    pub reflection: Kept<Reflection>,
    /// The memories.
    pub sources: Vec<MemoryId>,
    /// The episodes.
    pub episodes: Vec<EpisodeId>,
}

/// A reflection was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reflected {
    /// Which.
    pub id: ReflectionId,
}

impl Access<'_> {
    /// Writes a reflection. It is believed as far as the least of its sources, and as its writer.
    pub fn reflect(&self, new: NewReflection, key: Option<&Idempotency>) -> Result<Reflected> {
        let new = self.without_secrets(new);
        check_field("content", &new.content, MAX_CONTENT_BYTES)?;
        if new.until < new.from {
            return Err(Error::Unfit("until: the period ends before it begins; swap from and until".into()));
        }
        let sources = each_once(new.sources);
        let provenance = self.derived_from(&sources)?;
        let now = self.mind.now();
        self.mind.unread.note(self.agent.id, now);
        let id = ReflectionId::of(self.mind.mint.id(now));
        let NewReflection { content, from, until, .. } = new;
        let tokens = count(&content);
        let row = Kept::new(
            Reflection { id, agent: self.agent.id, from, until, content, created_at: now },
            provenance,
        )
        .counted(tokens);
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            reflections::insert(writer, &row, &sources)?;
            let act = Act { act: "reflected", subject_kind: "reflection", subject: id.id() };
            events::record(writer, self.agent.id, now, &[act])?;
            Ok(Reflected { id })
        })?)
    }

    /// The newest reflections.
    pub fn reflections(&self, limit: usize) -> Result<Vec<ReflectionCard>> {
        check_limit(limit, MAX_LIMIT)?;
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let mut rows = all_sound(reflections::newest(reader, self.agent.id, limit as i64)?)?;
            rows.retain(|reflection| reflection.provenance.is_visible_to(&self.caller));
            let card = |reflection: Kept<Reflection>| self.reflection_card(reader, reflection);
            rows.into_iter().map(card).collect()
        })?)
    }

    /// One reflection, if it is there.
    pub fn reflection(&self, id: ReflectionId) -> Result<Option<ReflectionCard>> {
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let found = reflections::by_id(reader, self.agent.id, id)?;
            let seen = found.filter(|reflection| reflection.provenance.is_visible_to(&self.caller));
            seen.map(|reflection| self.reflection_card(reader, reflection)).transpose()
        })?)
    }

    fn reflection_card(
        &self,
        reader: &mut Reader,
        reflection: Kept<Reflection>,
    ) -> StoreResult<ReflectionCard> {
        let (agent, id) = (self.agent.id, reflection.id);
        let sources = reflections::sources(reader, agent, id)?;
        Ok(ReflectionCard { reflection, sources, episodes: reflections::episodes(reader, agent, id)? })
    }
}

impl Replay for Reflected {
    fn encode(&self) -> String {
        format!("\"{}\"", self.id)
    }

    fn decode(stored: &str) -> std::result::Result<Reflected, StoreError> {
        let damaged = StoreError::unreadable_reply;
        Ok(Reflected { id: stored.trim_matches('"').parse().map_err(|_| damaged())? })
    }
}
