//! What a memory is: one durable raw fact, with its type, its words and where they came from.
//!
//! Storing is the store's matter. Here is the shape, what may be stored, when two facts are one, and how they fade.

mod affect;
mod draft;
mod kind;
pub mod links;
pub mod retention;
pub mod sameness;

pub use affect::Affect;
pub use draft::{BadDraft, Draft, MAX_TAG_BYTES, MAX_TAGS, Stated};
pub use kind::{MemoryKind, State};

use crate::heartbeat::schedule;
use crate::id::{AgentId, EntityId, Id, MemoryId, PrincipalId};
use crate::json;
use crate::kept::{Kept, Words, row};
use crate::seal::{Sealer, sha256};
use crate::time::Time;
use crate::trust::{Author, Provenance};
use retention::{Decline, Hold, Standing, judge};

/// One durable raw fact that may be believed.
pub type Memory = Kept<Fact>;

/// What a memory says, and how it is held.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
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
    /// What it felt like.
    pub affect: Affect,
    /// Free labels, sorted, each once.
    pub tags: Vec<String>,
    /// A deadline.
    pub expires_at: Option<Time>,
    /// What it serves, answers, resolves, replaces.
    pub links: Links,
    /// When it was stored.
    pub created_at: Time,
    /// What changes of it.
    pub life: Life,
}

/// The memories that a memory refers to; made when it is stored, for good.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Links {
    /// The plan that it serves.
    pub goal: Option<MemoryId>,
    /// The question that it answers.
    pub answers: Option<MemoryId>,
    /// What is done with it.
    pub resolves: Option<MemoryId>,
    /// The memory of which it is the next edition.
    pub replaces: Option<MemoryId>,
}

/// What changes of a memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Life {
    /// Whether ordinary recall sees it.
    pub state: State,
    /// Exempt from decay and self-care.
    pub pinned: bool,
    /// How firmly it is held.
    pub hold: Hold,
    /// When it will fade.
    pub decline: Decline,
    /// The summary it was folded into.
    pub summarized_into: Option<Id>,
    /// Its next edition.
    pub replaced_by: Option<MemoryId>,
    /// When anything of it last changed.
    pub updated_at: Time,
}

impl Memory {
    /// A new memory as it will be stored: from a checked draft, with what only the engine knows.
    pub fn from_draft(
        id: MemoryId,
        agent: AgentId,
        draft: Draft,
        provenance: Provenance,
        now: Time,
    ) -> Memory {
        let life = Life {
            state: State::Active,
            pinned: draft.pinned,
            hold: Hold::new(draft.kind),
            decline: Decline::default(),
            summarized_into: None,
            replaced_by: None,
            updated_at: now,
        };
        let mut fact = Fact {
            id,
            agent,
            content: draft.content,
            kind: draft.kind,
            entity: draft.entity,
            importance: draft.importance,
            affect: draft.affect,
            tags: draft.tags,
            expires_at: draft.expires_at,
            links: Links {
                goal: draft.goal,
                answers: draft.answers,
                resolves: draft.resolves,
                replaces: None,
            },
            created_at: now,
            life,
        };
        fact.life.decline = fact.judged(now).1;
        Kept::new(fact, provenance)
    }
}

impl Memory {
    /// The principal whose heartbeat it feeds. What the agent knows of itself belongs to the operator; what tools,
    /// imports, links and the house brought feeds nobody's, and neither do the agent's own episodes.
    pub fn serves(&self, operator: PrincipalId) -> Option<PrincipalId> {
        let deliberate = matches!(self.provenance.author(), Author::Principal | Author::Agent);
        let feeds = deliberate && self.kind != MemoryKind::Episode;
        feeds.then(|| self.provenance.principal_id().unwrap_or(operator))
    }
}

impl Fact {
    /// Hash of the words alone: equal words, equal hash.
    pub fn content_hash(&self) -> [u8; 32] {
        sha256(&[self.content.as_bytes()])
    }

    /// The state it should have at `now`, and when that changes.
    pub fn judged(&self, now: Time) -> (State, Decline) {
        let Life { state, pinned, hold, summarized_into, replaced_by, .. } = &self.life;
        let standing = Standing {
            kind: self.kind,
            state: *state,
            pinned: *pinned,
            expires_at: self.expires_at,
            tags: &self.tags,
            put_away: summarized_into.is_some() || replaced_by.is_some(),
            created_at: self.created_at,
        };
        judge(&standing, hold, now)
    }

    /// How much of it is left, from 1 to 0.
    pub fn retention(&self, now: Time) -> f64 {
        self.life.hold.retention(self.created_at, now)
    }

    /// Whether it has the tag of a schedule.
    pub fn is_scheduled(&self) -> bool {
        self.tags.iter().any(|tag| tag.starts_with(schedule::TAG))
    }

    /// A plan or question that waits for something.
    pub fn is_open(&self) -> bool {
        matches!(self.kind, MemoryKind::Plan | MemoryKind::Question) && self.life.state.is_in_mind()
    }
}

impl Words for Fact {
    row!("memory_items", "memory");

    fn seal_into(&self, sealer: Sealer) -> Sealer {
        let Links { goal, answers, resolves, replaces } = self.links;
        sealer
            .text("content", &self.content)
            .text("memory_type", self.kind.as_str())
            .opt_id("entity_id", self.entity.map(EntityId::id))
            .real("importance", self.importance)
            .text("tags", &tags_json(&self.tags))
            .opt_time("expires_at", self.expires_at)
            .time("created_at", self.created_at)
            .opt_real("valence", self.affect.valence)
            .opt_real("arousal", self.affect.arousal)
            .opt_text("feeling", self.affect.feeling.as_deref())
            .opt_id("goal_id", goal.map(MemoryId::id))
            .opt_id("answers_id", answers.map(MemoryId::id))
            .opt_id("resolves_id", resolves.map(MemoryId::id))
            .opt_id("replaces_id", replaces.map(MemoryId::id))
    }
}

/// The tags as stored.
pub fn tags_json(tags: &[String]) -> String {
    json::canonical(&tags.into())
}
