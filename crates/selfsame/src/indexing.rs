//! What the index is told of each sort of row: its words, where it stands, when it was said, by whom.
//!
//! Said once, for the verb that stores a row, for building an index anew, and for checking it.

use crate::error::StoreResult;
use crate::summary::{self, Summary};
use selfsame_core::conversation::Message;
use selfsame_core::diary::DiaryEntry;
use selfsame_core::id::{AgentId, Id, MemoryId, MessageId, ObservationId};
use selfsame_core::kept::Kept;
use selfsame_core::knowledge::Observation;
use selfsame_core::memory::Memory;
use selfsame_core::memory::sameness::content_terms;
use selfsame_core::recall::Marks;
use selfsame_core::recall::indexed::{Indexed, indexed};
use selfsame_core::text::{TermCounts, count_terms};
use selfsame_core::time::Zone;
use selfsame_store::knowledge::observations;
use selfsame_store::postings::{Kind, Standing, Text};
use selfsame_store::{Reader, diary, memory, memory_life, messages};

/// Where a memory is indexed: with the agent's own, or on the shelf of the link that it came by.
pub(crate) fn kind_of(memory: &Memory) -> Kind {
    memory_life::link_of(&memory.provenance).map_or(Kind::Memory, Kind::Linked)
}

/// A memory stands alone. The index is told whom it is about.
pub(crate) fn of_memory<'w>(memory: &Memory, indexed: &'w Indexed) -> Text<'w> {
    let Indexed { words, marks } = indexed;
    let marks = marks.of_private(memory.provenance.is_private());
    Text { speaker: memory.entity, marks, ..of_open(memory, words) }
}

/// The plan or question that a memory may be, by its content words.
pub(crate) fn of_open<'w>(memory: &Memory, words: &'w TermCounts) -> Text<'w> {
    Text {
        item: memory.id.id(),
        standing: Standing::Alone,
        said_at: memory.created_at,
        speaker: None,
        words,
        marks: Marks::default(),
    }
}

/// An entry of the diary stands alone.
pub(crate) fn of_entry<'w>(entry: &DiaryEntry, words: &'w TermCounts) -> Text<'w> {
    Text {
        item: entry.id.id(),
        standing: Standing::Alone,
        said_at: entry.created_at,
        speaker: None,
        words,
        marks: Marks::default(),
    }
}

/// A message stands among the others of its conversation.
pub(crate) fn of_message<'w>(message: &Kept<Message>, indexed: &'w Indexed) -> Text<'w> {
    Text {
        item: message.id.id(),
        standing: Standing::InRun { source: message.conversation.id() },
        said_at: message.created_at,
        speaker: message.speaker,
        words: &indexed.words,
        marks: indexed.marks.of_private(message.provenance.is_private()),
    }
}

/// A belief stands alone. The index is told of whom it is.
pub(crate) fn of_observation<'w>(observation: &Observation, words: &'w TermCounts) -> Text<'w> {
    Text {
        item: observation.id.id(),
        standing: Standing::Alone,
        said_at: observation.created_at,
        speaker: observation.subject.id.parse().ok(),
        words,
        marks: Marks::default(),
    }
}

/// A summary stands alone. The index is told with whom it was.
pub(crate) fn of_summary<'w>(summary: &Summary, indexed: &'w Indexed) -> Text<'w> {
    Text {
        item: summary.id().id(),
        standing: Standing::Alone,
        said_at: summary.created_at(),
        speaker: summary.counterpart(),
        words: &indexed.words,
        marks: indexed.marks,
    }
}

/// A row that is there and may have to be in the index.
pub(crate) enum Indexable {
    Memory(Memory),
    Open(Memory),
    Entry(Kept<DiaryEntry>),
    Message(Kept<Message>),
    Observation(Kept<Observation>),
    Summary(Summary),
}

impl Indexable {
    /// What the index has of it, in an agent's zone: "yesterday" is a day there.
    pub(crate) fn indexed(&self, zone: &Zone) -> Indexed {
        let by_words = |words| Indexed { words, marks: Marks::default() };
        match self {
            Indexable::Memory(memory) => indexed(&memory.content, zone.date(memory.created_at)),
            Indexable::Open(memory) => by_words(content_terms(&memory.content)),
            Indexable::Entry(entry) => by_words(count_terms(&entry.text)),
            Indexable::Message(message) => indexed(&message.content, zone.date(message.created_at)),
            Indexable::Observation(observation) => by_words(count_terms(&observation.indexed_text())),
            Indexable::Summary(summary) => summary.indexed(zone),
        }
    }

    /// What the index is told; nothing of a plan without a content word, which no word could find, and nothing of what is
    /// not believed any more.
    pub(crate) fn text<'w>(&self, indexed: &'w Indexed) -> Option<Text<'w>> {
        let words = &indexed.words;
        match self {
            Indexable::Memory(memory) => Some(of_memory(memory, indexed)),
            Indexable::Open(memory) => (!words.counts.is_empty()).then(|| of_open(memory, words)),
            Indexable::Entry(entry) => Some(of_entry(entry, words)),
            Indexable::Message(message) => Some(of_message(message, indexed)),
            Indexable::Observation(observation) => {
                observation.standing.status.is_held().then(|| of_observation(observation, words))
            }
            Indexable::Summary(summary) => Some(of_summary(summary, indexed)),
        }
    }

    pub(crate) fn id(&self) -> Id {
        match self {
            Indexable::Memory(memory) | Indexable::Open(memory) => memory.id.id(),
            Indexable::Entry(entry) => entry.id.id(),
            Indexable::Message(message) => message.id.id(),
            Indexable::Observation(observation) => observation.id.id(),
            Indexable::Summary(summary) => summary.id().id(),
        }
    }
}

/// The next rows of a kind after an id, in the order of their ids, which is that of their filing.
pub(crate) fn page(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    after: Id,
    limit: i64,
) -> StoreResult<Vec<StoreResult<Indexable>>> {
    fn each<T>(rows: Vec<StoreResult<T>>, as_one: fn(T) -> Indexable) -> Vec<StoreResult<Indexable>> {
        rows.into_iter().map(|row| row.map(as_one)).collect()
    }
    Ok(match kind {
        Kind::Memory => each(memory::page(reader, agent, MemoryId::of(after), limit)?, Indexable::Memory),
        Kind::Linked(link) => {
            each(memory::shelf_page(reader, agent, link, MemoryId::of(after), limit)?, Indexable::Memory)
        }
        Kind::Open => each(memory::open_page(reader, agent, MemoryId::of(after), limit)?, Indexable::Open),
        Kind::Diary => each(diary::page(reader, agent, after, limit)?, Indexable::Entry),
        Kind::Message => {
            each(messages::page(reader, agent, MessageId::of(after), limit)?, Indexable::Message)
        }
        Kind::Observation => {
            each(observations::page(reader, agent, ObservationId::of(after), limit)?, Indexable::Observation)
        }
        Kind::Summary => each(summary::page(reader, agent, after, limit)?, Indexable::Summary),
    })
}
