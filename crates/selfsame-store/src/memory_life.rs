//! What happened to a memory after it was stored: changes of state, further sources, what it is at odds with.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::postings::Kind;
use crate::statement::statements;
use crate::value::{Fields, Row, Value, params};
use selfsame_core::id::{AgentId, Id, LinkId, MemoryId, PrincipalId};
use selfsame_core::memory::State;
use selfsame_core::memory::sameness::Odds;
use selfsame_core::seal::sha256;
use selfsame_core::time::civil::Date;
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::{Author, Provenance};
use std::collections::BTreeMap;

statements! {
    agent INSERT_EVENTS = "INSERT INTO memory_events (agent_id, memory_id, at, state, reason)
        VALUES {rows: $1, ?, ?, ?, ?}";
    agent EVENTS = "SELECT at, state, reason FROM memory_events WHERE agent_id = $1 AND memory_id = $2
        ORDER BY at, reason";
    agent STATES_BY = "SELECT memory_id, state FROM memory_events
        WHERE agent_id = $1 AND at <= $2 AND memory_id IN ({list}) ORDER BY memory_id, at, reason";
    agent INSERT_SOURCE = "INSERT INTO memory_sources (agent_id, memory_id, source_key, author, source_ref,
            principal_id, link_id, at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (agent_id, memory_id, source_key) DO NOTHING";
    agent WHOLE_SOURCES = "SELECT source_key, author, source_ref, principal_id, link_id, at FROM memory_sources
        WHERE agent_id = $1 AND memory_id = $2 ORDER BY source_key";
    agent INSERT_SOURCES = "INSERT INTO memory_sources (agent_id, memory_id, source_key, author, source_ref,
            principal_id, link_id, at)
        VALUES {rows: $1, ?, ?, ?, ?, ?, ?, ?}";
    agent SOURCES = "SELECT author, source_ref, principal_id, at FROM memory_sources
        WHERE agent_id = $1 AND memory_id = $2
            AND NOT (link_id IS NOT NULL AND link_id IN (SELECT id FROM links WHERE agent_id = $1 AND hidden))
        ORDER BY at, source_key";
    agent SOURCES_OF = "SELECT memory_id, author, source_ref, principal_id, at FROM memory_sources
        WHERE agent_id = $1 AND memory_id IN ({list})
            AND NOT (link_id IS NOT NULL AND link_id IN (SELECT id FROM links WHERE agent_id = $1 AND hidden))
        ORDER BY memory_id, at, source_key";
    agent OF_LINK = "SELECT memory_id FROM memory_sources WHERE agent_id = $1 AND link_id = $2
        ORDER BY memory_id LIMIT $3";
    agent DELETE_OF_LINK = "DELETE FROM memory_sources WHERE agent_id = $1 AND link_id = $2 AND memory_id IN ({list})";
    agent INSERT_PAIRS = "INSERT INTO memory_pairs (agent_id, memory_id, other_id, how, found_at)
        VALUES {rows: $1, ?, ?, ?, ?}";
    agent PAIRS_OF_LATER = "SELECT memory_id, other_id, how, found_at, settled_at FROM memory_pairs
        WHERE agent_id = $1 AND memory_id = $2";
    agent PAIRS_OF_EARLIER = "SELECT memory_id, other_id, how, found_at, settled_at FROM memory_pairs
        WHERE agent_id = $1 AND other_id = $2";
    agent DELETE_EVENTS = "DELETE FROM memory_events WHERE agent_id = $1 AND memory_id = $2";
    agent DELETE_SOURCES = "DELETE FROM memory_sources WHERE agent_id = $1 AND memory_id = $2";
    agent DELETE_PAIRS_OF_LATER = "DELETE FROM memory_pairs WHERE agent_id = $1 AND memory_id = $2";
    agent DELETE_PAIRS_OF_EARLIER = "DELETE FROM memory_pairs WHERE agent_id = $1 AND other_id = $2";
    agent DELETE_MENTIONS = "DELETE FROM mentions WHERE agent_id = $1 AND item_kind = $3 AND item_id = $2";
}

/// A change of state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateChange {
    /// When.
    pub at: Time,
    /// To what, as a word.
    pub state: String,
    /// Why, in a word of ours.
    pub reason: String,
}

/// Somebody else who said it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FurtherSource {
    /// Whose words.
    pub author: String,
    /// Message, tool call or file.
    pub source: Option<String>,
    /// In whose name.
    pub principal: Option<PrincipalId>,
    /// When.
    pub at: Time,
}

/// Two memories that cannot both be true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The later one.
    pub memory: MemoryId,
    /// The earlier one.
    pub other: MemoryId,
    /// How they are at odds, in a word of ours.
    pub how: String,
    /// When it was seen.
    pub found_at: Time,
    /// When it was settled.
    pub settled_at: Option<Time>,
}

/// What makes two sources the same: author, principal and where it came by; of what was said directly, the day. Somebody
/// who says the same on another day says it again, and not only twice.
pub fn source_key(provenance: &Provenance, day: Date) -> [u8; 32] {
    let principal = provenance.principal_id().map(|id| id.id().bytes()).unwrap_or_default();
    let source = provenance.source();
    let day = day.to_string();
    sha256(&[
        provenance.author().as_str().as_bytes(),
        &[0],
        &principal,
        &[u8::from(source.is_some())],
        source.unwrap_or(&day).as_bytes(),
    ])
}

/// Notes changes of state.
pub fn note_states(
    writer: &mut Writer,
    agent: AgentId,
    at: Time,
    changes: &[(MemoryId, State, &'static str)],
) -> Result<()> {
    let rows: Vec<Vec<Value>> = changes
        .iter()
        .map(|(id, state, reason)| vec![id.id().into(), at.into(), state.as_str().into(), (*reason).into()])
        .collect();
    writer.insert_all(&INSERT_EVENTS, agent, &rows)?;
    Ok(())
}

/// The changes of state of a memory, the oldest first.
pub fn states(reader: &mut Reader, agent: AgentId, id: MemoryId) -> Result<Vec<StateChange>> {
    let change = |row: Row| {
        let mut fields = row.fields();
        Ok(StateChange { at: fields.time()?, state: fields.text()?, reason: fields.text()? })
    };
    reader.rows(&EVENTS, agent, params![id.id()])?.into_iter().map(change).collect()
}

/// The state of each of these memories at a moment; those that had not changed by then are left out.
pub fn states_at(
    reader: &mut Reader,
    agent: AgentId,
    ids: &[MemoryId],
    then: Time,
) -> Result<BTreeMap<MemoryId, State>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(id.id())).collect();
    let mut states = BTreeMap::new();
    for row in reader.rows_in(&STATES_BY, agent, params![then], &list)? {
        let mut fields = row.fields();
        let id = MemoryId::of(fields.id()?);
        let state = State::parse(&fields.text()?)
            .map_err(|_| StoreError::Damaged(format!("a state in the history of memory {id} is unknown")))?;
        // The latest comes last.
        states.insert(id, state);
    }
    Ok(states)
}

/// Adds a source to a memory; says whether it is one more.
pub fn add_source(
    writer: &mut Writer,
    agent: AgentId,
    id: MemoryId,
    provenance: &Provenance,
    zone: &Zone,
    at: Time,
) -> Result<bool> {
    let added = writer.execute(
        &INSERT_SOURCE,
        agent,
        params![
            id.id(),
            &source_key(provenance, zone.date(at)),
            provenance.author().as_str(),
            provenance.source(),
            provenance.principal_id().map(PrincipalId::id),
            link_of(provenance).map(LinkId::id),
            at,
        ],
    )?;
    Ok(added > 0)
}

/// The link that something came by, if it did.
pub fn link_of(provenance: &Provenance) -> Option<LinkId> {
    let source = provenance.source().filter(|_| provenance.author() == Author::Link);
    source.and_then(|source| source.parse().ok())
}

/// Some of the memories that a link is a further source of, in the order of their ids.
pub fn sourced_by_link(
    reader: &mut Reader,
    agent: AgentId,
    link: LinkId,
    limit: i64,
) -> Result<Vec<MemoryId>> {
    let rows = reader.rows(&OF_LINK, agent, params![link.id(), limit])?;
    rows.into_iter().map(|row| Ok(MemoryId::of(row.fields().id()?))).collect()
}

/// A link says these no more. The schema refuses unless an erasure is open.
pub fn drop_link_sources(
    writer: &mut Writer,
    agent: AgentId,
    link: LinkId,
    memories: &[MemoryId],
) -> Result<u64> {
    let list: Vec<Value> = memories.iter().map(|id| Value::Id(id.id())).collect();
    writer.execute_in(&DELETE_OF_LINK, agent, params![link.id()], &list)
}

/// Gives the further sources of a memory to its next edition as well.
pub fn inherit_sources(writer: &mut Writer, agent: AgentId, from: MemoryId, to: MemoryId) -> Result<()> {
    let rows = writer.rows(&WHOLE_SOURCES, agent, params![from.id()])?;
    let copy = |row: Row| {
        let mut fields = row.fields();
        Ok(vec![
            to.id().into(),
            Value::Bytes(fields.bytes()?),
            fields.text()?.into(),
            fields.opt_text()?.into(),
            fields.opt_id()?.into(),
            fields.opt_id()?.into(),
            fields.time()?.into(),
        ])
    };
    let copies = rows.into_iter().map(copy).collect::<Result<Vec<_>>>()?;
    writer.insert_all(&INSERT_SOURCES, agent, &copies)?;
    Ok(())
}

/// Who else said it, the first of them first.
pub fn sources(reader: &mut Reader, agent: AgentId, id: MemoryId) -> Result<Vec<FurtherSource>> {
    reader
        .rows(&SOURCES, agent, params![id.id()])?
        .into_iter()
        .map(|row| further_source(&mut row.fields()))
        .collect()
}

/// Who else said each of some memories; those that nobody else said are not there.
pub fn sources_of(
    reader: &mut Reader,
    agent: AgentId,
    ids: &[MemoryId],
) -> Result<BTreeMap<MemoryId, Vec<FurtherSource>>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(id.id())).collect();
    let mut found: BTreeMap<MemoryId, Vec<FurtherSource>> = BTreeMap::new();
    for row in reader.rows_in(&SOURCES_OF, agent, &[], &list)? {
        let mut fields = row.fields();
        let memory = MemoryId::of(fields.id()?);
        found.entry(memory).or_default().push(further_source(&mut fields)?);
    }
    Ok(found)
}

fn further_source(fields: &mut Fields) -> Result<FurtherSource> {
    Ok(FurtherSource {
        author: fields.text()?,
        source: fields.opt_text()?,
        principal: fields.opt_id()?.map(PrincipalId::of),
        at: fields.time()?,
    })
}

/// Notes that a memory is at odds with earlier ones.
pub fn pair(
    writer: &mut Writer,
    agent: AgentId,
    id: MemoryId,
    others: &[(MemoryId, Odds)],
    now: Time,
) -> Result<()> {
    let rows: Vec<Vec<Value>> = others
        .iter()
        .map(|(other, how)| vec![id.id().into(), other.id().into(), how.as_str().into(), now.into()])
        .collect();
    writer.insert_all(&INSERT_PAIRS, agent, &rows)?;
    Ok(())
}

/// What a memory is at odds with, the oldest first.
pub fn pairs(reader: &mut Reader, agent: AgentId, id: MemoryId) -> Result<Vec<Pair>> {
    let pair = |row: Row| {
        let mut fields = row.fields();
        Ok(Pair {
            memory: MemoryId::of(fields.id()?),
            other: MemoryId::of(fields.id()?),
            how: fields.text()?,
            found_at: fields.time()?,
            settled_at: fields.opt_time()?,
        })
    };
    let mut rows = reader.rows(&PAIRS_OF_LATER, agent, params![id.id()])?;
    rows.extend(reader.rows(&PAIRS_OF_EARLIER, agent, params![id.id()])?);
    let mut pairs = rows.into_iter().map(pair).collect::<Result<Vec<_>>>()?;
    pairs.sort_by_key(|pair| (pair.found_at, pair.memory, pair.other));
    Ok(pairs)
}

/// Removes all of it, with a memory that is forgotten. The schema refuses unless an erasure is open.
pub fn delete(writer: &mut Writer, agent: AgentId, kind: Kind, id: Id) -> Result<()> {
    let all = [&DELETE_EVENTS, &DELETE_SOURCES, &DELETE_PAIRS_OF_LATER, &DELETE_PAIRS_OF_EARLIER];
    for statement in all {
        writer.execute(statement, agent, params![id])?;
    }
    writer.execute(&DELETE_MENTIONS, agent, params![id, kind.as_str()])?;
    Ok(())
}
