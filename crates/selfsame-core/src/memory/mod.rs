//! What a memory is: one durable raw fact, with its type, its words and where they came from.
//!
//! Storing is the store's matter, retention and states follow in their own files; here is the shape, what may be
//! stored, and the seal over what never changes.

mod draft;
mod kind;

pub use draft::{BadDraft, Draft, MAX_TAG_BYTES, MAX_TAGS};
pub use kind::{MemoryKind, State};

use crate::id::{AgentId, EntityId, MemoryId};
use crate::json;
use crate::kept::Spoiled;
use crate::seal::{Intact, Seal, Sealer, sha256};
use crate::time::Time;
use crate::trust::{Provenance, StoredProvenance};

/// One durable raw fact, its seal checked.
#[derive(Clone, PartialEq, Debug)]
pub struct Memory {
    /// Its name.
    pub id: MemoryId,
    /// The mind it belongs to.
    pub agent: AgentId,
    /// The words.
    pub content: String,
    /// What sort of fact.
    pub kind: MemoryKind,
    /// Whom or what it is about.
    pub entity: Option<EntityId>,
    /// 0 to 1, set by the writer; popularity never raises it.
    pub importance: f64,
    /// Free labels, sorted, each once.
    pub tags: Vec<String>,
    /// A deadline.
    pub expires_at: Option<Time>,
    /// When it was stored.
    pub created_at: Time,
    /// Where it comes from.
    pub provenance: Provenance,
    /// Whether ordinary recall sees it.
    pub state: State,
    /// Exempt from decay and self-care.
    pub pinned: bool,
    /// When anything of it last changed.
    pub updated_at: Time,
}

impl Memory {
    /// A new memory as it will be stored: from a checked draft, with what only the engine knows.
    pub fn new(id: MemoryId, agent: AgentId, draft: Draft, provenance: Provenance, now: Time) -> Memory {
        Memory {
            id,
            agent,
            content: draft.content,
            kind: draft.kind,
            entity: draft.entity,
            importance: draft.importance,
            tags: draft.tags,
            expires_at: draft.expires_at,
            created_at: now,
            provenance,
            state: State::Active,
            pinned: draft.pinned,
            updated_at: now,
        }
    }

    /// Hash of the words alone: equal words, equal hash.
    pub fn content_hash(&self) -> [u8; 32] {
        sha256(&[self.content.as_bytes()])
    }

    /// The seal over everything that may not change.
    pub fn seal(&self) -> Seal {
        let fixed = Fixed {
            id: self.id,
            agent: self.agent,
            content: &self.content,
            kind: self.kind.as_str(),
            entity: self.entity,
            importance: self.importance,
            tags: &tags_json(&self.tags),
            expires_at: self.expires_at,
            created_at: self.created_at,
        };
        self.provenance.seal_into(fixed.sealer()).seal()
    }

    /// Believes a stored row, if its seal fits.
    pub fn restore(row: StoredMemory) -> Result<Memory, Spoiled> {
        let spoiled = |what| Spoiled { id: row.id.id(), name: format!("memory {}", row.id), what };
        let intact = row.check().map_err(|_| spoiled("its content does not fit its seal"))?;
        let kind = MemoryKind::parse(&row.kind).map_err(|_| spoiled("its type is unknown"))?;
        let state = State::parse(&row.state).map_err(|_| spoiled("its state is unknown"))?;
        let tags = serde_json::from_str(&row.tags).map_err(|_| spoiled("its tags cannot be read"))?;
        Ok(Memory {
            id: row.id,
            agent: row.agent,
            content: row.content,
            kind,
            entity: row.entity,
            importance: row.importance,
            tags,
            expires_at: row.expires_at,
            created_at: row.created_at,
            provenance: Provenance::restored(row.provenance, &intact),
            state,
            pinned: row.pinned,
            updated_at: row.updated_at,
        })
    }
}

/// The tags as stored.
pub fn tags_json(tags: &[String]) -> String {
    json::canonical(&tags.into())
}

/// A memory as it lies in the database, not believed yet.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the fields are the columns; Memory says what they mean")]
pub struct StoredMemory {
    pub id: MemoryId,
    pub agent: AgentId,
    pub content: String,
    pub kind: String,
    pub entity: Option<EntityId>,
    pub importance: f64,
    pub tags: String,
    pub expires_at: Option<Time>,
    pub created_at: Time,
    pub provenance: StoredProvenance,
    pub state: String,
    pub pinned: bool,
    pub updated_at: Time,
    pub row_hash: Vec<u8>,
}

impl StoredMemory {
    fn check(&self) -> Result<Intact, crate::seal::Damaged> {
        let fixed = Fixed {
            id: self.id,
            agent: self.agent,
            content: &self.content,
            kind: &self.kind,
            entity: self.entity,
            importance: self.importance,
            tags: &self.tags,
            expires_at: self.expires_at,
            created_at: self.created_at,
        };
        self.provenance.seal_into(fixed.sealer()).seal().check(&self.row_hash)
    }
}

/// The columns that never change, in the one order in which they are sealed.
struct Fixed<'a> {
    id: MemoryId,
    agent: AgentId,
    content: &'a str,
    kind: &'a str,
    entity: Option<EntityId>,
    importance: f64,
    tags: &'a str,
    expires_at: Option<Time>,
    created_at: Time,
}

impl Fixed<'_> {
    fn sealer(&self) -> Sealer {
        Sealer::new("memory_items")
            .id("agent_id", self.agent.id())
            .id("id", self.id.id())
            .text("content", self.content)
            .text("memory_type", self.kind)
            .opt_id("entity_id", self.entity.map(EntityId::id))
            .real("importance", self.importance)
            .text("tags", self.tags)
            .opt_time("expires_at", self.expires_at)
            .time("created_at", self.created_at)
    }
}
