//! One memory: looked at with its history, pinned, closed, edited. The types that a memory is made of are here too.

use crate::error::{Error, Result, check_limit};
use crate::heartbeat::due::Plan;
use crate::life::{self, carry_on};
use crate::mind::Access;
use crate::remember::{NewMemory, Remembered, is_lent};
use selfsame_core::event::Act;
use selfsame_core::id::{EntityId, Id, MemoryId};
use selfsame_core::trust::Privacy;
pub use selfsame_store::memory_life::{FurtherSource, Pair, StateChange};
use selfsame_store::{Idempotency, StoreError, events, memory, memory_life};

pub use selfsame_core::memory::*;

/// Memories in one list, at most.
pub const MAX_LIMIT: usize = 1000;
/// Rows that are read for one list, at most: a filter that fits nothing must not read a whole life.
const MOST_READ: usize = 20_000;

/// A memory with all that is known about it.
#[derive(Clone, PartialEq, Debug)]
pub struct Portrait {
    /// The memory.
    pub memory: Memory,
    /// How much of it is left, from 1 to 0.
    pub retention: f64,
    /// Its changes of state.
    pub states: Vec<StateChange>,
    /// Who else said it.
    pub further_sources: Vec<FurtherSource>,
    /// What it is at odds with.
    pub pairs: Vec<Pair>,
}

/// Which memories to list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Which {
    /// Of this type.
    pub kind: Option<MemoryKind>,
    /// In this state; those in mind (active or stale) if not given.
    pub state: Option<State>,
    /// With this label.
    pub tag: Option<String>,
    /// About this entity.
    pub entity: Option<EntityId>,
    /// Older than this one.
    pub before: Option<MemoryId>,
}

/// What is to change in a next edition; what is not given stays.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Edit {
    /// The words.
    pub content: Option<String>,
    /// What sort of fact.
    pub kind: Option<MemoryKind>,
    /// 0 to 1.
    pub importance: Option<f64>,
    /// Free labels.
    pub tags: Option<Vec<String>>,
    /// Where the new words come from.
    pub source: Option<String>,
}

impl Access<'_> {
    /// A memory with its history, if it is there and the caller may see it.
    pub fn portrait(&self, id: MemoryId) -> Result<Option<Portrait>> {
        let Some(memory) = self.memory(id)? else {
            return Ok(None);
        };
        let now = self.mind.now();
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            Ok(Some(Portrait {
                retention: memory.retention(now),
                states: memory_life::states(reader, self.agent.id, id)?,
                further_sources: memory_life::sources(reader, self.agent.id, id)?,
                pairs: memory_life::pairs(reader, self.agent.id, id)?,
                memory: memory.clone(),
            }))
        })?)
    }

    /// The memories that fit, the newest first.
    pub fn memories(&self, which: &Which, limit: usize) -> Result<Vec<Memory>> {
        check_limit(limit, MAX_LIMIT)?;
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let mut before = which.before.map_or(Id::from_bytes([0xff; 16]), MemoryId::id);
            let (mut found, mut read) = (Vec::new(), 0);
            while found.len() < limit && read < MOST_READ {
                let page = memory::newest(reader, self.agent.id, before, 200)?;
                if page.is_empty() {
                    break;
                }
                read += page.len();
                for read in page {
                    match read {
                        Ok(memory) => {
                            before = memory.id.id();
                            if which.fits(&memory) && memory.provenance.is_visible_to(&self.caller) {
                                found.push(memory);
                            }
                        }
                        Err(StoreError::Spoiled(spoiled)) => before = spoiled.id,
                        Err(error) => return Err(error),
                    }
                }
            }
            found.truncate(limit);
            Ok(found)
        })?)
    }

    /// Exempts a memory from decay, or ends that; says whether anything changed.
    pub fn pin(&self, id: MemoryId, pinned: bool) -> Result<bool> {
        self.require_own(id)?;
        let now = self.mind.now();
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], None, |writer| {
            let Some(before) = memory::by_id(writer, self.agent.id, id)? else {
                return Ok(false);
            };
            if before.life.pinned == pinned {
                return Ok(false);
            }
            let mut after = before.clone();
            after.life.pinned = pinned;
            carry_on(writer, &before, after, if pinned { "pinned" } else { "unpinned" }, now)?;
            let act = if pinned { "pinned" } else { "unpinned" };
            let act = Act { act, subject_kind: "memory", subject: id.id() };
            events::record(writer, self.agent.id, now, &[act])?;
            Ok(true)
        })?)
    }

    /// Marks a plan, activity or question as done; says whether it was not yet.
    pub fn resolve(&self, id: MemoryId) -> Result<bool> {
        let memory = self.require_own(id)?;
        if !matches!(memory.kind, MemoryKind::Plan | MemoryKind::Activity | MemoryKind::Question) {
            return Err(Error::Unfit(format!(
                "{id} is of type {}: only a plan, an activity or a question can be resolved",
                memory.kind.as_str()
            )));
        }
        let now = self.mind.now();
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], None, |writer| {
            life::resolve(writer, self.agent.id, id, now)
        })?)
    }

    /// Stores a next edition of a memory; the old one is archived and stays readable.
    pub fn edit(&self, id: MemoryId, edit: Edit, key: Option<&Idempotency>) -> Result<Remembered> {
        let old = self.require_own(id)?;
        // A repetition finds its own edition there and its stored reply waiting.
        if let Some(next) = old.life.replaced_by.filter(|_| key.is_none()) {
            return Err(Error::Unfit(format!("{id} has a next edition already: edit {next}")));
        }
        let new = self.prepare_edition(edit, &old)?;
        self.check_references(&new.memory)?;
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            match memory::by_id(writer, self.agent.id, id)? {
                Some(old) if old.life.replaced_by.is_none() => new.take_the_place_of(writer, &old),
                _ => Err(StoreError::Duplicate(format!("{id} was edited by somebody else a moment ago"))),
            }
        })?)
    }

    /// A next edition, on its way into the store. Its schedule goes on unless the tags are given, and then they say it.
    fn prepare_edition(&self, edit: Edit, old: &Memory) -> Result<NewMemory> {
        let tags_given = edit.tags.is_some();
        // Other words from elsewhere are no edition of what another agent gave; anything else of it is taken back with it.
        let is_on_its_own = edit.content.is_some() && edit.source.is_some();
        let mut draft = edit.applied_to(old);
        if is_lent(old) && !is_on_its_own {
            draft.source = Some(old.id.to_string());
        }
        let new = self.prepare(draft)?;
        let plan = match new.memory.is_scheduled() {
            true if tags_given => return Ok(new),
            false if tags_given => Plan::Drop,
            _ => Plan::Keep,
        };
        Ok(new.with_plan(plan))
    }

    /// A memory that the caller may change.
    fn require_own(&self, id: MemoryId) -> Result<Memory> {
        match self.memory(id)? {
            Some(memory) if memory.provenance.may_be_changed_by(&self.caller) => Ok(memory),
            Some(_) => Err(Error::Forbidden(
                "only the agent, its operator or who said it may change a memory".into(),
            )),
            None => Err(Error::NoSuch { what: "memory", id: id.to_string() }),
        }
    }
}

impl Which {
    fn fits(&self, memory: &Memory) -> bool {
        let in_state = match self.state {
            Some(state) => memory.life.state == state,
            None => memory.life.state.is_in_mind(),
        };
        in_state
            && self.kind.is_none_or(|kind| memory.kind == kind)
            && self.tag.as_ref().is_none_or(|tag| memory.tags.contains(tag))
            && self.entity.is_none_or(|entity| memory.entity == Some(entity))
    }
}

impl Edit {
    fn applied_to(self, old: &Memory) -> Draft {
        let mut draft = Draft::new(self.content.unwrap_or_else(|| old.content.clone()));
        draft.kind = self.kind.unwrap_or(old.kind);
        draft.importance = self.importance.unwrap_or(old.importance);
        draft.tags = self.tags.unwrap_or_else(|| old.tags.clone());
        draft.source = self.source.or_else(|| old.provenance.source().map(str::to_owned));
        draft.entity = old.entity;
        draft.affect = old.affect.clone();
        draft.expires_at = old.expires_at;
        draft.pinned = old.life.pinned;
        draft.goal = old.links.goal;
        draft.answers = old.links.answers;
        draft.resolves = old.links.resolves;
        draft.privacy = if old.provenance.is_private() { Privacy::Private } else { Privacy::Shared };
        draft
    }
}
