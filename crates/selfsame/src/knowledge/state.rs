//! Claims that are made in so many words: by the caller of *remember*, or by a thinker that read a memory. They are judged
//! at once, and the rules do not read the text.

use super::book::Withdrawn;
use super::consolidate::Keeping;
use super::desk::Desk;
use super::source::Sources;
use crate::error::{Error, Result, StoreResult, check_field, check_limit};
use crate::mind::Access;
use selfsame_core::id::{EntityId, MemoryId, ObservationId};
use selfsame_core::knowledge::claim::{Reader as ReadBy, Reading};
use selfsame_core::knowledge::observation::MAX_PHRASING_BYTES;
use selfsame_core::memory::Stated;
use selfsame_core::time::Zone;
use selfsame_core::trust::{Author, PrivateSource};
use selfsame_store::knowledge::claims::{self, Claimed};
use selfsame_store::knowledge::observations;
use selfsame_store::{Idempotency, StoreError, Writer, entities, memory};

/// Claims that can be made of one memory, at most.
const MAX_CLAIMS: usize = 32;

impl Access<'_> {
    /// Enters what was stated of a memory that was just stored. Private words feed nothing.
    pub(crate) fn state(
        &self,
        writer: &mut Writer,
        id: MemoryId,
        stated: &Stated,
        zone: &Zone,
    ) -> StoreResult<()> {
        self.enter_stated(writer, id, std::slice::from_ref(stated), ReadBy::Explicit, zone).map(drop)
    }

    /// Takes in what a thinker read out of a memory, in place of what the rules did; gives how many claims are new. What
    /// the writer of the memory stated itself goes before both.
    pub fn take_reading(&self, id: MemoryId, stated: &[Stated], key: Option<&Idempotency>) -> Result<u64> {
        if self.caller.author() != Author::Agent && !self.caller.is_operator() {
            return Err(Error::Forbidden("only the agent or its operator reads its memories".into()));
        }
        check_limit(stated.len(), MAX_CLAIMS)?;
        let stated = &self.without_secrets(stated.to_vec())[..];
        stated.iter().try_for_each(|one| one.check().map_err(Error::from))?;
        self.check_subjects(stated)?;
        match self.memory(id)? {
            None => return Err(Error::NoSuch { what: "memory", id: id.to_string() }),
            Some(memory) if memory.provenance.is_private() => return Err(PrivateSource.into()),
            Some(_) => {}
        }
        self.consolidate()?;
        let zone = self.zone()?;
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            self.enter_stated(writer, id, stated, ReadBy::Thinker, &zone)
        })?)
    }

    /// A thinker's words for a belief; it takes them once.
    pub fn phrase(&self, id: ObservationId, words: &str) -> Result<bool> {
        let words = &*self.masked(words);
        check_field("phrasing", words, MAX_PHRASING_BYTES)?;
        let agent = self.agent.id;
        let there =
            self.mind.store.read(&self.caller, &[agent], |reader| observations::by_id(reader, agent, id))?;
        if there.is_none() {
            return Err(Error::NoSuch { what: "observation", id: id.to_string() });
        }
        Ok(self
            .mind
            .store
            .write(&self.caller, &[agent], None, |writer| observations::phrase(writer, agent, id, words))?)
    }

    /// Whoever is named by an id is known.
    fn check_subjects(&self, stated: &[Stated]) -> Result<()> {
        let agent = self.agent.id;
        for one in stated {
            let Ok(id) = one.subject.parse::<EntityId>() else { continue };
            let known =
                self.mind.store.read(&self.caller, &[agent], |reader| entities::exists(reader, agent, id))?;
            if !known {
                return Err(Error::NoSuch { what: "entity", id: id.to_string() });
            }
        }
        Ok(())
    }

    fn enter_stated(
        &self,
        writer: &mut Writer,
        id: MemoryId,
        stated: &[Stated],
        reader: ReadBy,
        zone: &Zone,
    ) -> StoreResult<u64> {
        let Some(memory) = memory::by_id(writer, self.agent.id, id)? else {
            return Err(StoreError::Damaged("a memory that was just there is gone".into()));
        };
        let known = claims::of_source(writer, self.agent.id, id.id())?;
        let is_settled = known.iter().any(|claim| claim.reader <= reader);
        if memory.provenance.is_private() || is_settled {
            return Ok(0);
        }
        let source = Sources::new(&self.agent, zone).memory(writer, &memory)?;
        let mut desk = Desk::new(self.mind, &self.agent);
        let mut keeping = Keeping::begin(writer, self.mind, &self.agent, zone)?;
        let mut claimed = Vec::new();
        for one in stated {
            let reading = Reading::stated(one, &memory.content);
            if let Some(claim) = desk.claim(writer, &source, &reading, reader)? {
                claimed.extend(keeping.claimed(&source, &claim));
            }
        }
        let same = |one: &Claimed, other: &Claimed| {
            (&one.key, &one.voice.value, one.voice.says) == (&other.key, &other.voice.value, other.voice.says)
        };
        if known.iter().all(|old| claimed.iter().any(|new| same(old, new))) {
            claimed.retain(|new| !known.iter().any(|old| same(old, new)));
        } else {
            let now = self.mind.now();
            keeping.withdraw_for_good(writer, &Withdrawn::Row(source.row), "read_again", now)?;
        }
        let entered = claimed.len() as u64;
        keeping.enter(writer, &claimed)?;
        keeping.finish(writer)?;
        Ok(entered)
    }
}
