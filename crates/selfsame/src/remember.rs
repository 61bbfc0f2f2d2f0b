//! The verb *remember*: one fact, stored for good.

use crate::error::{Error, Result};
use crate::mind::Access;
use selfsame_core::event::Act;
use selfsame_core::id::MemoryId;
use selfsame_core::memory::{Draft, Memory};
use selfsame_core::text::count_terms;
use selfsame_core::trust::Provenance;
use selfsame_store::postings::{self, Kind};
use selfsame_store::{Idempotency, Replay, StoreError, entities, events, memory};

/// What became of a fact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remembered {
    /// The memory that holds it now.
    pub id: MemoryId,
    /// What happened.
    pub outcome: Outcome,
}

/// What happened to a fact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is a new memory.
    Stored,
}

impl Outcome {
    /// As shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Outcome::Stored => "stored",
        }
    }
}

impl Access<'_> {
    /// Stores a fact. When this returns, it is on disk.
    pub fn remember(&self, draft: Draft, key: Option<&Idempotency>) -> Result<Remembered> {
        let draft = draft.check(self.mind.settings.memory.max_content_bytes)?;
        let words = count_terms(&draft.content);
        let provenance = Provenance::stated(&self.caller, draft.source.clone(), draft.privacy);
        let now = self.mind.now();
        let id = MemoryId::of(self.mind.mint.id(now));
        let memory = Memory::new(id, self.agent.id, draft, provenance, now);
        self.check_entity(&memory)?;
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            memory::insert(writer, &memory)?;
            postings::insert(writer, self.agent.id, Kind::Memory, id.id(), &words)?;
            let act = Act { act: "remembered", subject_kind: "memory", subject: id.id() };
            events::record(writer, self.agent.id, now, &[act])?;
            Ok(Remembered { id, outcome: Outcome::Stored })
        })?)
    }

    fn check_entity(&self, memory: &Memory) -> Result<()> {
        let Some(entity) = memory.entity else {
            return Ok(());
        };
        let known = self
            .mind
            .store
            .read(&self.caller, &[self.agent.id], |reader| entities::exists(reader, self.agent.id, entity))?;
        if known { Ok(()) } else { Err(Error::NoSuch { what: "entity", id: entity.to_string() }) }
    }
}

impl Replay for Remembered {
    fn encode(&self) -> String {
        format!("[\"{}\",\"{}\"]", self.id, self.outcome.as_str())
    }

    fn decode(stored: &str) -> std::result::Result<Remembered, StoreError> {
        let damaged = || StoreError::Damaged("a stored reply cannot be read".into());
        let (id, _outcome): (String, String) = serde_json::from_str(stored).map_err(|_| damaged())?;
        Ok(Remembered { id: id.parse().map_err(|_| damaged())?, outcome: Outcome::Stored })
    }
}
