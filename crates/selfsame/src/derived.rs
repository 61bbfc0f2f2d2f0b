//! What reflections and lessons share: they are made from memories, and are no better than those.

use crate::error::{Error, Result};
use crate::mind::Access;
use selfsame_core::id::MemoryId;
use selfsame_core::reflection::MAX_SOURCES;
use selfsame_core::trust::{Lineage, Privacy, Provenance};
use selfsame_store::memory;

impl Access<'_> {
    /// The provenance of what the caller made from these memories: all of them must be there, none private, and the
    /// caller's own word counts as one of the sources, so that nobody writes what is believed more than he is.
    pub(crate) fn derived_from(&self, sources: &[MemoryId]) -> Result<Provenance> {
        if sources.is_empty() {
            return Err(Error::Unfit(
                "sources: name at least one memory that this was made from (mem_...)".into(),
            ));
        }
        if sources.len() > MAX_SOURCES {
            let given = sources.len() as u64;
            return Err(Error::Range { field: "sources", least: 1, most: MAX_SOURCES as u64, given });
        }
        let found = self
            .mind
            .store
            .read(&self.caller, &[self.agent.id], |reader| memory::by_ids(reader, self.agent.id, sources))?
            .into_iter()
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let mut lineage = Lineage::of(&Provenance::stated(&self.caller, None, Privacy::Shared))?;
        for id in sources {
            let source = found.iter().find(|memory| memory.id == *id);
            let Some(source) = source.filter(|memory| memory.provenance.is_visible_to(&self.caller)) else {
                return Err(Error::NoSuch { what: "memory", id: id.to_string() });
            };
            lineage = lineage.and(&source.provenance)?;
        }
        Ok(Provenance::derived(&lineage, None))
    }
}

/// The ids in order, each once.
pub(crate) fn each_once(mut ids: Vec<MemoryId>) -> Vec<MemoryId> {
    ids.sort();
    ids.dedup();
    ids
}
