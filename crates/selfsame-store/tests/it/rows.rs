//! Rows for the other tests: memories, and a mind with something in every table.

use selfsame_core::id::{AgentId, Id, MemoryId, PrincipalId};
use selfsame_core::memory::sameness::Prints;
use selfsame_core::memory::{Draft, Memory};
use selfsame_core::recall::Marks;
use selfsame_core::recall::indexed::{Indexed, indexed};
use selfsame_core::text::TermCounts;
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::{Caller, Privacy, Provenance};
use selfsame_store::agents::Agent;
use selfsame_store::postings::{self, Kind, Standing, Text};
use selfsame_store::{Idempotency, Result, Store, Writer, memory};
use selfsame_testkit::Bench;
use selfsame_testkit::selfsame::Speaker;

/// In the name of an agent's operator.
pub fn operator(agent: &Agent) -> Caller {
    Caller::operator(agent.operator)
}

/// A memory that is not stored yet.
pub fn memory(bench: &Bench, agent: &Agent, content: &str) -> Memory {
    let provenance = Provenance::stated(&operator(agent), Some("a test".into()), Privacy::Shared);
    let id = MemoryId::of(bench.fresh_id());
    Memory::from_draft(id, agent.id, Draft::new(content), provenance, id.id().minted_at())
}

/// Stores a memory with its place in the index.
pub fn insert(writer: &mut Writer, memory: &Memory) -> Result<()> {
    memory::insert(writer, memory, &Prints::of(&memory.content), None)?;
    let zone = Zone::parse("UTC").expect("UTC is known");
    let Indexed { words, marks } = indexed(&memory.content, zone.date(memory.created_at));
    let text = Text { said_at: memory.created_at, marks, ..alone(memory.id.id(), &words) };
    postings::insert(writer, memory.agent, Kind::Memory, &text).map(drop)
}

/// A text that stands alone, said at no moment in particular.
pub fn alone(item: Id, words: &TermCounts) -> Text<'_> {
    Text {
        item,
        standing: Standing::Alone,
        said_at: Time::from_micros(0),
        speaker: None,
        words,
        marks: Marks::default(),
    }
}

/// Stores a memory in a write of its own.
pub fn store(store: &Store, agent: &Agent, memory: &Memory) -> Result<()> {
    store.write(&operator(agent), &[agent.id], None, |writer| insert(writer, memory))
}

/// How many memories are stored.
pub fn count(store: &Store, agent: &Agent) -> u64 {
    store.read(&operator(agent), &[agent.id], |reader| memory::count(reader, agent.id)).unwrap()
}

/// A key for a request.
pub fn key(name: &str, request: u8) -> Idempotency {
    Idempotency { key: name.into(), request: [request; 32], at: Time::from_micros(0) }
}

/// An agent with rows in every table that agents have rows in; gives one memory that is there.
pub fn furnished(bench: &Bench, name: &str) -> (Agent, MemoryId) {
    let agent = bench.agent(name);
    let access = bench.access(name, Speaker::Operator);
    let gone = access.remember(Draft::new("the moon is made of cheese"), None).unwrap();
    access.forget(gone.id, None).unwrap();
    let there = access.remember(Draft::new("the moon is made of rock"), Some(&key(name, 1))).unwrap();
    (agent, there.id)
}

/// The id of nobody's agent.
pub fn stranger(bench: &Bench) -> AgentId {
    AgentId::of(bench.fresh_id())
}

/// The id of nobody's principal.
pub fn nobody(bench: &Bench) -> PrincipalId {
    PrincipalId::of(bench.fresh_id())
}
