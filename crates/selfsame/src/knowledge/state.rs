//! A claim that the caller of *remember* makes in so many words. It is judged at once, and the rules do not read the text.

use super::consolidate::Keeping;
use super::desk::Desk;
use super::source::Sources;
use crate::error::StoreResult;
use crate::mind::Access;
use selfsame_core::entity::EntityKind;
use selfsame_core::id::MemoryId;
use selfsame_core::knowledge::ObservationKind;
use selfsame_core::knowledge::claim::{About, Reader as ReadBy, Reading, Says};
use selfsame_core::knowledge::subject::{SELF, WORLD};
use selfsame_core::memory::Stated;
use selfsame_core::time::Zone;
use selfsame_store::knowledge::claims;
use selfsame_store::{StoreError, Writer, memory};

impl Access<'_> {
    /// Enters what was stated of a memory that was just stored. Private words feed nothing.
    pub(crate) fn state(
        &self,
        writer: &mut Writer,
        id: MemoryId,
        stated: &Stated,
        zone: &Zone,
    ) -> StoreResult<()> {
        let Some(memory) = memory::by_id(writer, self.agent.id, id)? else {
            return Err(StoreError::Damaged("a memory that was just stored is not there".into()));
        };
        let known = claims::of_source(writer, self.agent.id, id.id())?;
        if memory.provenance.is_private() || !known.is_empty() {
            return Ok(());
        }
        let source = Sources::new(&self.agent, zone).memory(writer, &memory)?;
        let mut desk = Desk::new(self.mind, &self.agent);
        let reading = reading(stated, &memory.content);
        let mut keeping = Keeping::begin(writer, self.mind, &self.agent, zone)?;
        if let Some(claim) = desk.claim(writer, &source, &reading, ReadBy::Explicit)? {
            let claimed = keeping.claimed(&source, &claim);
            keeping.enter(writer, &claimed)?;
        }
        keeping.finish(writer).map(drop)
    }
}

fn reading(stated: &Stated, sentence: &str) -> Reading {
    let about = match stated.subject.as_str() {
        SELF => About::Agent,
        WORLD => About::World,
        name => About::Named { name: name.to_owned(), likely: likely(stated.kind) },
    };
    Reading {
        about,
        kind: stated.kind.unwrap_or(ObservationKind::RelationshipFact),
        slot: stated.slot.clone(),
        many: false,
        value: stated.value.clone(),
        says: if stated.denied { Says::Denies } else { Says::Holds },
        replaces: stated.replaces.clone(),
        sentence: sentence.to_owned(),
    }
}

/// What somebody is of whom nothing is known but what kind of thing is said.
const fn likely(kind: Option<ObservationKind>) -> EntityKind {
    match kind {
        Some(ObservationKind::ProjectState) => EntityKind::Project,
        Some(ObservationKind::ToolingState) => EntityKind::Tool,
        _ => EntityKind::Person,
    }
}
