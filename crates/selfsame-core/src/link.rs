//! The neural link: one agent asks for another's memory, and the other gives it or does not.
//!
//! Here is what a link can be, what travels through it, and what a copy is. Copying, hiding and taking away are the
//! engine's matter.

use crate::heartbeat::schedule;
use crate::id::{AgentId, EntityId, LinkId, MemoryId};
use crate::memory::{Fact, Life, Links, Memory};
use crate::monitor;
use crate::time::Time;
use crate::trust::{Author, PrivateSource, Provenance};

/// Which side of a link an agent is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// It asked.
    Receives,
    /// It was asked.
    Gives,
}

impl Side {
    /// As stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Side::Receives => "receives",
            Side::Gives => "gives",
        }
    }

    /// From its stored name.
    pub fn parse(name: &str) -> Option<Side> {
        [Side::Receives, Side::Gives].into_iter().find(|side| side.as_str() == name)
    }
}

/// How far a link is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkState {
    /// It was asked for.
    Requested,
    /// The other side said no.
    Declined,
    /// Nobody answered in time.
    Expired,
    /// The other side said yes; what it has is being copied, and not seen yet.
    Copying,
    /// All of it is there.
    Accepted,
    /// The giver took it back; it is not seen any more, and being taken away.
    Falling,
    /// Nothing of it is left.
    Revoked,
}

impl LinkState {
    /// Every state.
    pub const ALL: [LinkState; 7] = [
        LinkState::Requested,
        LinkState::Declined,
        LinkState::Expired,
        LinkState::Copying,
        LinkState::Accepted,
        LinkState::Falling,
        LinkState::Revoked,
    ];

    /// As stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            LinkState::Requested => "requested",
            LinkState::Declined => "declined",
            LinkState::Expired => "expired",
            LinkState::Copying => "copying",
            LinkState::Accepted => "accepted",
            LinkState::Falling => "falling",
            LinkState::Revoked => "revoked",
        }
    }

    /// From its stored name.
    pub fn parse(name: &str) -> Option<LinkState> {
        LinkState::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Whether what came by it is kept from everybody's eyes.
    pub const fn is_hidden(self) -> bool {
        matches!(self, LinkState::Copying | LinkState::Falling)
    }

    /// Whether nothing comes by it, now or later.
    pub const fn is_over(self) -> bool {
        matches!(self, LinkState::Declined | LinkState::Expired | LinkState::Falling | LinkState::Revoked)
    }
}

/// Whether a memory of the giver goes through a link: nothing that it may not give, and no edition that has a next one.
/// `onward` are the links by which the giver got what it may give on, as their copies name them.
pub fn travels(memory: &Memory, onward: &[String]) -> bool {
    may_be_given(&memory.provenance, onward) && memory.life.replaced_by.is_none()
}

/// Whether a summary of the giver goes through a link: it says what it was made from, so all of that must be the giver's to
/// give. `made_of` are its own provenance and those of the memories and summaries in it.
pub fn summary_travels<'p>(mut made_of: impl Iterator<Item = &'p Provenance>, onward: &[String]) -> bool {
    made_of.all(|provenance| may_be_given(provenance, onward))
}

/// What a memory is an edition of, if that came by a link, or is itself such an edition: it says so by its source. Whoever
/// changed it, its words are the giver's.
pub fn edition_of(memory: &Memory) -> Option<MemoryId> {
    let source = memory.provenance.source()?.parse().ok();
    source.filter(|source| memory.links.replaces == Some(*source))
}

/// Nothing private, and of what came by links only what may be given on.
pub fn may_be_given(provenance: &Provenance, onward: &[String]) -> bool {
    let is_own = match (provenance.author(), provenance.source()) {
        (Author::Link, Some(source)) => onward.iter().any(|link| link == source),
        (Author::Link, None) => false,
        _ => true,
    };
    is_own && !provenance.is_private()
}

/// What a copy is told that its original does not know.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arrival {
    /// Its id.
    pub id: MemoryId,
    /// Who receives it.
    pub receiver: AgentId,
    /// By which link.
    pub link: LinkId,
    /// Whom it is about, as the receiver knows them.
    pub entity: Option<EntityId>,
    /// What it refers to among what came with it.
    pub links: Links,
    /// When it arrives.
    pub now: Time,
}

/// The copy of a memory: the same words, said when the original was said, believed no further than an agent's own word. It
/// brings up nothing, pins nothing and monitors nothing: only the receiver and whom it serves decide on that.
pub fn copied(original: &Memory, arrival: Arrival) -> Result<Memory, PrivateSource> {
    let Arrival { id, receiver, link, entity, links, now } = arrival;
    let provenance = Provenance::linked(&original.provenance, link.to_string())?;
    let is_free = |tag: &&String| !tag.starts_with(schedule::TAG) && !tag.starts_with(monitor::TAG);
    let life = Life {
        pinned: false,
        summarized_into: None,
        replaced_by: None,
        updated_at: now,
        ..original.life.clone()
    };
    let mut fact = Fact {
        id,
        agent: receiver,
        entity,
        links,
        tags: original.tags.iter().filter(is_free).cloned().collect(),
        life,
        ..original.words.clone()
    };
    (fact.life.state, fact.life.decline) = fact.judged(now);
    Ok(Memory { words: fact, provenance, tokens: original.tokens })
}
