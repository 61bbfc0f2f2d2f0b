//! What speaks for and against a belief, and what it weighs. Ten copies of one message weigh as one: what counts is the
//! independent source, not the row.

use crate::id::{ConversationId, Id, PrincipalId};
use crate::memory::{Memory, MemoryKind};
use crate::seal::sha256;
use crate::time::Time;
use crate::trust::Author;
use crate::word::words;
use jiff::civil::Date;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

words! {
    /// What evidence can be.
    SourceSort, "sort of evidence":
    /// A raw fact.
    Memory = "memory",
    /// What was learned.
    Lesson = "lesson",
    /// A summary of a period.
    Reflection = "reflection",
    /// A profile.
    Entity = "entity",
}

/// The row that says something.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourceRef {
    /// What it is.
    pub sort: SourceSort,
    /// Which.
    pub id: Id,
}

/// Whether a memory is raw: somebody's own words about how things are. What is made up or only planned is no evidence.
pub fn is_raw(memory: &Memory) -> bool {
    let is_of_the_world =
        !matches!(memory.kind, MemoryKind::Plan | MemoryKind::Question | MemoryKind::Episode);
    is_of_the_world && memory.provenance.author() != Author::System
}

/// An independent source: a conversation, a document, or one author's day.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Origin(pub [u8; 16]);

impl Origin {
    /// What was said in one conversation is one source.
    pub fn conversation(id: ConversationId) -> Origin {
        Origin::of(&[b"conversation", &id.id().bytes()])
    }

    /// So is what came from one document, tool call or link.
    pub fn document(source: &str) -> Origin {
        Origin::of(&[b"document", source.as_bytes()])
    }

    /// Of what somebody said directly, one day is one source.
    pub fn day(author: Author, principal: Option<PrincipalId>, day: Date) -> Origin {
        let principal = principal.map(|id| id.id().bytes()).unwrap_or_default();
        Origin::of(&[b"day", author.as_str().as_bytes(), &principal, day.to_string().as_bytes()])
    }

    fn of(parts: &[&[u8]]) -> Origin {
        let hash = sha256(parts);
        let mut short = [0; 16];
        short.copy_from_slice(&hash[..16]);
        Origin(short)
    }
}

/// What a source weighs by what it is, before trust.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Base {
    /// A memory of this importance.
    Memory(f64),
    /// A lesson of this confidence.
    Lesson(f64),
    /// A reflection.
    Reflection,
    /// A profile.
    Entity,
    /// An answer that served.
    Useful,
}

/// What the operator's confirmation multiplies a weight by.
pub const CONFIRMED: f64 = 1.5;

impl Base {
    /// As a number.
    pub fn weight(self) -> f64 {
        match self {
            Base::Memory(importance) => 1.0 + 1.5 * importance.clamp(0.0, 1.0),
            Base::Lesson(confidence) => (3.0 * confidence).clamp(1.0, 3.0),
            Base::Reflection | Base::Entity => 1.0,
            Base::Useful => 0.25,
        }
    }
}

/// One thing that speaks for or against something.
#[derive(Clone, PartialEq, Debug)]
pub struct Piece {
    /// What it is.
    pub sort: SourceSort,
    /// The independent sources behind it. What is derived has those of the raw rows it was made from, and its weight is
    /// shared among them: it adds nothing to a source that has spoken already.
    pub origins: Vec<Origin>,
    /// What it weighs.
    pub weight: f64,
    /// When it was said.
    pub at: Time,
}

/// What pieces of evidence come to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tally {
    /// Independent sources.
    pub sources: u32,
    /// Sorts of source.
    pub sorts: u32,
    /// What they weigh, each source once.
    pub weight: f64,
}

/// How the weight of what was said falls with time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fading {
    /// The moment of weighing.
    pub now: Time,
    /// After this long it is half.
    pub half_life: Duration,
}

impl Fading {
    fn left(&self, at: Time) -> f64 {
        libm::exp2(-self.now.since(at).as_secs_f64() / self.half_life.as_secs_f64())
    }
}

/// Weighs pieces of evidence: of each independent source the heaviest, as it weighs today if it fades. What is derived
/// speaks only for sources that say nothing themselves.
pub fn tally<'p>(pieces: impl IntoIterator<Item = &'p Piece>, fading: Option<Fading>) -> Tally {
    let mut sorts = BTreeSet::new();
    let mut raw: BTreeMap<Origin, f64> = BTreeMap::new();
    let mut derived: BTreeMap<Origin, f64> = BTreeMap::new();
    for piece in pieces {
        sorts.insert(piece.sort);
        let left = fading.map_or(1.0, |fading| fading.left(piece.at));
        let share = piece.weight * left / piece.origins.len().max(1) as f64;
        let heaviest = if piece.sort == SourceSort::Memory { &mut raw } else { &mut derived };
        for origin in &piece.origins {
            let weight = heaviest.entry(*origin).or_default();
            *weight = weight.max(share);
        }
    }
    derived.retain(|origin, _| !raw.contains_key(origin));
    // The sum of nothing is -0, which is another number when it is written down.
    let weight = raw.values().chain(derived.values()).sum::<f64>() + 0.0;
    Tally { sources: (raw.len() + derived.len()) as u32, sorts: sorts.len() as u32, weight }
}
