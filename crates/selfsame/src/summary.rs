//! Summaries: listed and shown with what they were made from. Self-care writes them.

use crate::error::{Result, StoreResult, check_limit};
use crate::indexing;
use crate::mind::Access;
use crate::sound::sound;
use selfsame_core::id::{AgentId, EntityId, Id, SummaryId};
use selfsame_core::kept::Kept;
use selfsame_core::recall::indexed::{Indexed, told_of};
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::Provenance;
use selfsame_store::postings::{self, Kind};
use selfsame_store::{Reader, StoreError, Writer, entities, summaries, vectors};

pub use selfsame_core::care::{ConversationSummary, MemorySummary, WrittenBy, without_label};
pub use selfsame_store::summaries::{Source, SourceKind};

/// Summaries in one answer, at most.
const MAX_LIMIT: usize = 200;

/// A summary of either sort.
#[derive(Clone, PartialEq, Debug)]
pub enum Summary {
    /// What many memories come to.
    Memories(Kept<MemorySummary>),
    /// How it went with somebody.
    Conversation(Kept<ConversationSummary>),
}

impl Summary {
    /// Its id.
    pub fn id(&self) -> SummaryId {
        match self {
            Summary::Memories(row) => row.id,
            Summary::Conversation(row) => row.id,
        }
    }

    /// When it was written.
    pub fn created_at(&self) -> Time {
        match self {
            Summary::Memories(row) => row.created_at,
            Summary::Conversation(row) => row.created_at,
        }
    }

    /// The summary that it was folded into.
    pub fn folded_into(&self) -> Option<SummaryId> {
        match self {
            Summary::Memories(row) => row.folded_into,
            Summary::Conversation(row) => row.folded_into,
        }
    }

    /// Where it comes from.
    pub fn provenance(&self) -> &Provenance {
        match self {
            Summary::Memories(row) => &row.provenance,
            Summary::Conversation(row) => &row.provenance,
        }
    }

    /// The words as they were written, without what is carried on beside them.
    pub fn content(&self) -> &str {
        match self {
            Summary::Memories(row) => &row.content,
            Summary::Conversation(row) => &row.content,
        }
    }

    /// The words by which it is found.
    pub fn indexed_text(&self) -> String {
        match self {
            Summary::Memories(row) => row.indexed_text(),
            Summary::Conversation(row) => row.indexed_text(),
        }
    }

    /// What it means: what is carried on beside the prose are details.
    pub(crate) fn meant_text(&self) -> &str {
        let written_by = match self {
            Summary::Memories(row) => row.written_by,
            Summary::Conversation(row) => row.written_by,
        };
        without_label(self.content(), written_by)
    }

    /// What the index has of it, in an agent's zone.
    pub(crate) fn indexed(&self, zone: &Zone) -> Indexed {
        let (from, until) = self.period();
        told_of(&self.indexed_text(), zone.date(from), zone.date(until))
    }

    /// When the first of what is in it was stored or said, and the last.
    pub fn period(&self) -> (Time, Time) {
        match self {
            Summary::Memories(row) => (row.from, row.until),
            Summary::Conversation(row) => (row.from, row.until),
        }
    }

    /// With whom it was, if it is of a conversation.
    pub fn counterpart(&self) -> Option<EntityId> {
        self.of_conversation().and_then(|row| row.counterpart)
    }

    /// The summary of memories that it is, if it is one.
    pub fn of_memories(&self) -> Option<&Kept<MemorySummary>> {
        match self {
            Summary::Memories(row) => Some(row),
            Summary::Conversation(_) => None,
        }
    }

    /// The summary of a conversation that it is, if it is one.
    pub fn of_conversation(&self) -> Option<&Kept<ConversationSummary>> {
        match self {
            Summary::Conversation(row) => Some(row),
            Summary::Memories(_) => None,
        }
    }
}

/// A summary with what it was made from.
#[derive(Clone, PartialEq, Debug)]
pub struct SummaryCard {
    /// The summary.
    pub summary: Summary,
    /// With whom, for a conversation.
    pub counterpart: Option<String>,
    /// What it was made from.
    pub sources: Vec<Source>,
}

/// Summaries, and what was left out because it is damaged.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SummaryList {
    /// The newest first.
    pub summaries: Vec<SummaryCard>,
    /// By name.
    pub damaged: Vec<String>,
}

impl Access<'_> {
    /// The newest summaries; those that are in others too, if `all`.
    pub fn summaries(&self, all: bool, limit: usize) -> Result<SummaryList> {
        check_limit(limit, MAX_LIMIT)?;
        let agent = self.agent.id;
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let (memories, talks) = match all {
                true => {
                    let (last, most) = (Id::from_bytes([0xff; 16]), limit as i64);
                    let memories = summaries::newest(reader, agent, last, most)?;
                    (memories, summaries::newest_talks(reader, agent, last, most)?)
                }
                false => (summaries::current(reader, agent)?, summaries::current_talks(reader, agent)?),
            };
            let ((memories, mut damaged), (talks, more)) = (sound(memories)?, sound(talks)?);
            damaged.extend(more);
            let memories = memories.into_iter().map(Summary::Memories);
            let mut found: Vec<Summary> =
                memories.chain(talks.into_iter().map(Summary::Conversation)).collect();
            found.retain(|summary| summary.provenance().is_visible_to(&self.caller));
            found.sort_by_key(|summary| std::cmp::Reverse(summary.id()));
            found.truncate(limit);
            let cards = found.into_iter().map(|summary| self.summary_card(reader, summary));
            Ok(SummaryList { summaries: cards.collect::<StoreResult<_>>()?, damaged })
        })?)
    }

    /// One summary, if it is there.
    pub fn summary(&self, id: SummaryId) -> Result<Option<SummaryCard>> {
        let agent = self.agent.id;
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let found = by_ids(reader, agent, &[id])?.pop().transpose()?;
            let seen = found.filter(|summary| summary.provenance().is_visible_to(&self.caller));
            seen.map(|summary| self.summary_card(reader, summary)).transpose()
        })?)
    }

    /// Those that were written since a moment, the oldest first.
    pub(crate) fn summaries_since(&self, since: Time) -> Result<Vec<SummaryCard>> {
        let mut list = self.summaries(true, MAX_LIMIT)?.summaries;
        list.retain(|card| card.summary.created_at() >= since);
        list.reverse();
        Ok(list)
    }

    pub(crate) fn summary_card(&self, reader: &mut Reader, summary: Summary) -> StoreResult<SummaryCard> {
        let agent = self.agent.id;
        let counterpart = summary.counterpart();
        let counterpart =
            counterpart.map(|who| entities::survivor(reader, agent, who)).transpose()?.flatten();
        let sources = summaries::sources(reader, agent, summary.id())?;
        Ok(SummaryCard { counterpart: counterpart.map(|entity| entity.name), sources, summary })
    }
}

/// These summaries of either sort, as far as they are there and seen, in the order of their ids.
pub(crate) fn by_ids(
    reader: &mut Reader,
    agent: AgentId,
    ids: &[SummaryId],
) -> StoreResult<Vec<StoreResult<Summary>>> {
    let of_memories = summaries::by_ids(reader, agent, ids)?;
    Ok(in_order(of_memories, summaries::talks_by_ids(reader, agent, ids)?))
}

/// The next summaries of either sort after an id, seen or not.
pub(crate) fn page(
    reader: &mut Reader,
    agent: AgentId,
    after: Id,
    limit: i64,
) -> StoreResult<Vec<StoreResult<Summary>>> {
    let of_memories = summaries::page(reader, agent, after, limit)?;
    let mut page = in_order(of_memories, summaries::talk_page(reader, agent, after, limit)?);
    page.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(page)
}

fn in_order(
    of_memories: Vec<StoreResult<Kept<MemorySummary>>>,
    of_talks: Vec<StoreResult<Kept<ConversationSummary>>>,
) -> Vec<StoreResult<Summary>> {
    let memories = of_memories.into_iter().map(|row| row.map(Summary::Memories));
    let mut all: Vec<StoreResult<Summary>> =
        memories.chain(of_talks.into_iter().map(|row| row.map(Summary::Conversation))).collect();
    all.sort_by_key(|row| match row {
        Ok(summary) => summary.id().id(),
        Err(StoreError::Spoiled(spoiled)) => spoiled.id,
        // It ends whatever is under way.
        Err(_) => Id::NIL,
    });
    all
}

/// Has a summary found by its words, from the transaction on that writes it.
pub(crate) fn index(writer: &mut Writer, agent: AgentId, summary: &Summary, zone: &Zone) -> StoreResult<()> {
    let indexed = summary.indexed(zone);
    postings::insert(writer, agent, Kind::Summary, &indexing::of_summary(summary, &indexed)).map(drop)
}

/// Takes what the index has of a summary away. A damaged row says nothing: then the index itself is asked.
pub(crate) fn unindex(writer: &mut Writer, agent: AgentId, id: SummaryId, zone: &Zone) -> StoreResult<()> {
    let read = |writer: &mut Writer| -> StoreResult<Option<Summary>> {
        Ok(match summaries::by_id_hidden_or_not(writer, agent, id)? {
            Some(row) => Some(Summary::Memories(row)),
            None => summaries::talk_by_id(writer, agent, id)?.map(Summary::Conversation),
        })
    };
    let row = match read(writer) {
        Err(StoreError::Spoiled(_)) => None,
        other => other?,
    };
    let words = row.map(|row| row.indexed(zone).words).unwrap_or_default();
    postings::remove(writer, agent, Kind::Summary, id.id(), &words)?;
    vectors::remove(writer, agent, Kind::Summary, id.id()).map(drop)
}
