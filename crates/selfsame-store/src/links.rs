//! Neural links: a row on each side, and what became of each memory that went through.
//!
//! What a link brought is hidden by its row alone: one statement shows all of it, and one hides it again.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::{Fields, Row, Value, params};
use selfsame_core::id::{AgentId, Id, LinkId, MemoryId, SummaryId};
use selfsame_core::link::{LinkState, Side};
use selfsame_core::time::Time;
use std::collections::BTreeMap;

macro_rules! columns {
    () => {
        "id, side, other_id, state, onward, requested_at, expires_at, answered_at, accepted_at, ended_at, until_id, \
         copied_until, summaries_until, told_until, copied, merged, unfinished"
    };
}

statements! {
    agent INSERT = "INSERT INTO links (agent_id, id, side, other_id, source_ref, state, hidden, unfinished, onward,
            requested_at, expires_at, copied, merged)
        VALUES ($1, $2, $3, $4, $5, 'requested', FALSE, TRUE, FALSE, $6, $7, 0, 0)";
    agent BY_ID = concat!("SELECT ", columns!(), " FROM links WHERE agent_id = $1 AND id = $2");
    agent OPEN_BETWEEN = concat!("SELECT ", columns!(), " FROM links WHERE agent_id = $1 AND side = $2 AND other_id = $3
        AND state = 'requested' ORDER BY id");
    agent BEFORE = concat!("SELECT ", columns!(), " FROM links WHERE agent_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3");
    agent REQUESTED = concat!("SELECT ", columns!(), " FROM links WHERE agent_id = $1 AND side = 'gives'
        AND state = 'requested' AND expires_at > $2 ORDER BY id");
    agent UNFINISHED = concat!("SELECT ", columns!(), " FROM links WHERE agent_id = $1 AND unfinished ORDER BY id");
    agent GIVEN = concat!("SELECT ", columns!(), " FROM links WHERE agent_id = $1 AND side = 'gives'
        AND state IN ('copying', 'accepted') ORDER BY id");
    agent MOVE_ON = "UPDATE links SET state = $3, hidden = $4, unfinished = $5, answered_at = COALESCE(answered_at, $6),
            accepted_at = COALESCE(accepted_at, $7), ended_at = COALESCE(ended_at, $8)
        WHERE agent_id = $1 AND id = $2";
    agent BEGIN_COPY = "UPDATE links SET onward = $3, until_id = $4 WHERE agent_id = $1 AND id = $2";
    agent COPIED = "UPDATE links SET copied_until = $3, copied = copied + $4, merged = merged + $5
        WHERE agent_id = $1 AND id = $2";
    agent SUMMED_UP = "UPDATE links SET summaries_until = $3 WHERE agent_id = $1 AND id = $2";
    agent TOLD = "UPDATE links SET told_until = $3, unfinished = $4 WHERE agent_id = $1 AND id = $2";
    agent ONWARD = "SELECT source_ref FROM links WHERE agent_id = $1 AND side = 'receives' AND state = 'accepted' AND onward";
    agent SEEN_SINCE = "SELECT id, accepted_at FROM links WHERE agent_id = $1 AND side = 'receives'
        AND accepted_at IS NOT NULL";
    agent INSERT_ITEMS = "INSERT INTO link_items (agent_id, link_id, origin_id, memory_id, merged)
        VALUES {rows: $1, ?, ?, ?, ?} ON CONFLICT (agent_id, link_id, origin_id) DO NOTHING";
    agent ITEMS = "SELECT origin_id, memory_id, merged FROM link_items WHERE agent_id = $1 AND link_id = $2
        AND origin_id > $3 ORDER BY origin_id LIMIT $4";
    agent ITEMS_OF = "SELECT origin_id, memory_id, merged FROM link_items WHERE agent_id = $1 AND link_id = $2
        AND origin_id IN ({list}) ORDER BY origin_id";
    agent ITEMS_ON = "SELECT link_id, origin_id, merged FROM link_items WHERE agent_id = $1 AND memory_id = $2
        ORDER BY link_id, origin_id";
    agent REPOINT = "UPDATE link_items SET memory_id = $4, merged = $5
        WHERE agent_id = $1 AND link_id = $2 AND memory_id = $3";
    agent DROP_ITEMS = "DELETE FROM link_items WHERE agent_id = $1 AND link_id = $2 AND origin_id IN ({list})";
}

/// A link, as one side keeps it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Link {
    /// Its id, the same on both sides.
    pub id: LinkId,
    /// Which side this is.
    pub side: Side,
    /// The agent on the other side.
    pub other: AgentId,
    /// How far it is.
    pub state: LinkState,
    /// Whether what it brings may be given on.
    pub onward: bool,
    /// When it was asked for.
    pub requested_at: Time,
    /// Until when it may be answered.
    pub expires_at: Time,
    /// When it was.
    pub answered_at: Option<Time>,
    /// Since when what it brought is seen.
    pub accepted_at: Option<Time>,
    /// When it was declined, ran out, or was revoked.
    pub ended_at: Option<Time>,
    /// The last memory of the giver that goes through it.
    pub until: Option<MemoryId>,
    /// How far they were copied.
    pub copied_until: Option<MemoryId>,
    /// How far the giver's summaries were copied.
    pub summaries_until: Option<SummaryId>,
    /// How far the log tells of them.
    pub told_until: Option<MemoryId>,
    /// Memories that are new to the receiver.
    pub copied: u64,
    /// Memories that it knew.
    pub merged: u64,
    /// Whether something is still to be done about it.
    pub unfinished: bool,
}

/// What became of one memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Item {
    /// The giver's memory.
    pub origin: MemoryId,
    /// The receiver's.
    pub memory: MemoryId,
    /// Whether the receiver knew it.
    pub merged: bool,
}

/// Notes a request on one side.
pub fn insert(writer: &mut Writer, agent: AgentId, link: &Link) -> Result<()> {
    let bound = params![
        link.id.id(),
        link.side.as_str(),
        link.other.id(),
        link.id.to_string(),
        link.requested_at,
        link.expires_at,
    ];
    writer.execute(&INSERT, agent, bound).map(drop)
}

/// One link, if this side has it.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: LinkId) -> Result<Option<Link>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(link).transpose()
}

/// Requests between two that nobody has answered, run out or not.
pub fn open_between(reader: &mut Reader, agent: AgentId, side: Side, other: AgentId) -> Result<Vec<Link>> {
    each(reader.rows(&OPEN_BETWEEN, agent, params![side.as_str(), other.id()])?)
}

/// The links before one of them, the newest first.
pub fn before(reader: &mut Reader, agent: AgentId, before: LinkId, limit: i64) -> Result<Vec<Link>> {
    each(reader.rows(&BEFORE, agent, params![before.id(), limit])?)
}

/// Requests that an agent may answer at `now`.
pub fn requested(reader: &mut Reader, agent: AgentId, now: Time) -> Result<Vec<Link>> {
    each(reader.rows(&REQUESTED, agent, params![now])?)
}

/// Links about which something is still to be done.
pub fn unfinished(reader: &mut Reader, agent: AgentId) -> Result<Vec<Link>> {
    each(reader.rows(&UNFINISHED, agent, &[])?)
}

/// Links through which an agent has given what it had, or is giving it.
pub fn given(reader: &mut Reader, agent: AgentId) -> Result<Vec<Link>> {
    each(reader.rows(&GIVEN, agent, &[])?)
}

/// Writes how far a link is now. This is what shows all that it brought, and what hides it.
pub fn move_on(
    writer: &mut Writer,
    agent: AgentId,
    id: LinkId,
    state: LinkState,
    unfinished: bool,
    now: Time,
) -> Result<()> {
    let answered = (!matches!(state, LinkState::Requested | LinkState::Expired)).then_some(now);
    let accepted = (state == LinkState::Accepted).then_some(now);
    let ended = state.is_over().then_some(now);
    let bound = params![id.id(), state.as_str(), state.is_hidden(), unfinished, answered, accepted, ended];
    writer.execute(&MOVE_ON, agent, bound).map(drop)
}

/// Notes what is to be copied, and on which terms.
pub fn begin_copy(
    writer: &mut Writer,
    agent: AgentId,
    id: LinkId,
    onward: bool,
    until: Option<MemoryId>,
) -> Result<()> {
    writer.execute(&BEGIN_COPY, agent, params![id.id(), onward, until.map(MemoryId::id)]).map(drop)
}

/// Notes how far it was copied.
pub fn copied(
    writer: &mut Writer,
    agent: AgentId,
    id: LinkId,
    until: MemoryId,
    copied: i64,
    merged: i64,
) -> Result<()> {
    writer.execute(&COPIED, agent, params![id.id(), until.id(), copied, merged]).map(drop)
}

/// Notes how far the giver's summaries were copied.
pub fn summed_up(writer: &mut Writer, agent: AgentId, id: LinkId, until: SummaryId) -> Result<()> {
    writer.execute(&SUMMED_UP, agent, params![id.id(), until.id()]).map(drop)
}

/// Notes how far the log tells of it.
pub fn told(writer: &mut Writer, agent: AgentId, id: LinkId, until: MemoryId, more: bool) -> Result<()> {
    writer.execute(&TOLD, agent, params![id.id(), until.id(), more]).map(drop)
}

/// The links, as copies name them, whose copies may be given on.
pub fn onward(reader: &mut Reader, agent: AgentId) -> Result<Vec<String>> {
    reader.rows(&ONWARD, agent, &[])?.into_iter().map(|row| row.fields().text()).collect()
}

/// Since when what came by each link is seen.
pub fn seen_since(reader: &mut Reader, agent: AgentId) -> Result<BTreeMap<LinkId, Time>> {
    let rows = reader.rows(&SEEN_SINCE, agent, &[])?;
    rows.into_iter()
        .map(|row| {
            let mut fields = row.fields();
            Ok((LinkId::of(fields.id()?), fields.time()?))
        })
        .collect()
}

/// Notes what became of some memories.
pub fn insert_items(writer: &mut Writer, agent: AgentId, id: LinkId, items: &[Item]) -> Result<()> {
    let rows: Vec<Vec<Value>> = items
        .iter()
        .map(|item| {
            vec![id.id().into(), item.origin.id().into(), item.memory.id().into(), item.merged.into()]
        })
        .collect();
    writer.insert_all(&INSERT_ITEMS, agent, &rows).map(drop)
}

/// What became of the next memories of the giver after one, in the order of their ids.
pub fn items(
    reader: &mut Reader,
    agent: AgentId,
    id: LinkId,
    after: MemoryId,
    limit: i64,
) -> Result<Vec<Item>> {
    each_item(reader.rows(&ITEMS, agent, params![id.id(), after.id(), limit])?)
}

/// What became of these memories of the giver.
pub fn items_of(reader: &mut Reader, agent: AgentId, id: LinkId, origins: &[MemoryId]) -> Result<Vec<Item>> {
    each_item(reader.rows_in(&ITEMS_OF, agent, params![id.id()], &listed(origins))?)
}

/// By which links a memory of the receiver came, or is said too.
pub fn items_on(reader: &mut Reader, agent: AgentId, memory: MemoryId) -> Result<Vec<(LinkId, Item)>> {
    let rows = reader.rows(&ITEMS_ON, agent, params![memory.id()])?;
    rows.into_iter()
        .map(|row| {
            let mut fields = row.fields();
            let (link, origin) = (LinkId::of(fields.id()?), MemoryId::of(fields.id()?));
            Ok((link, Item { origin, memory, merged: fields.bool()? }))
        })
        .collect()
}

/// What a link says of one memory of the receiver it says of another from now on.
pub fn repoint(
    writer: &mut Writer,
    agent: AgentId,
    id: LinkId,
    from: MemoryId,
    to: MemoryId,
    merged: bool,
) -> Result<()> {
    writer.execute(&REPOINT, agent, params![id.id(), from.id(), to.id(), merged]).map(drop)
}

/// These memories of the giver went through no more.
pub fn drop_items(writer: &mut Writer, agent: AgentId, id: LinkId, origins: &[MemoryId]) -> Result<()> {
    writer.execute_in(&DROP_ITEMS, agent, params![id.id()], &listed(origins)).map(drop)
}

fn listed(ids: &[MemoryId]) -> Vec<Value> {
    ids.iter().map(|id| Value::Id(id.id())).collect()
}

fn each(rows: Vec<Row>) -> Result<Vec<Link>> {
    rows.into_iter().map(link).collect()
}

fn each_item(rows: Vec<Row>) -> Result<Vec<Item>> {
    rows.into_iter()
        .map(|row| {
            let mut fields = row.fields();
            Ok(Item {
                origin: MemoryId::of(fields.id()?),
                memory: MemoryId::of(fields.id()?),
                merged: fields.bool()?,
            })
        })
        .collect()
}

fn link(row: Row) -> Result<Link> {
    let mut fields = row.fields();
    let unknown = |what: &str| StoreError::Damaged(format!("the {what} of a neural link is unknown"));
    let memory = |fields: &mut Fields| -> Result<Option<MemoryId>> { Ok(fields.opt_id()?.map(MemoryId::of)) };
    Ok(Link {
        id: LinkId::of(fields.id()?),
        side: Side::parse(&fields.text()?).ok_or_else(|| unknown("side"))?,
        other: AgentId::of(fields.id()?),
        state: LinkState::parse(&fields.text()?).ok_or_else(|| unknown("state"))?,
        onward: fields.bool()?,
        requested_at: fields.time()?,
        expires_at: fields.time()?,
        answered_at: fields.opt_time()?,
        accepted_at: fields.opt_time()?,
        ended_at: fields.opt_time()?,
        until: memory(&mut fields)?,
        copied_until: memory(&mut fields)?,
        summaries_until: fields.opt_id()?.map(SummaryId::of),
        told_until: memory(&mut fields)?,
        copied: fields.count()?,
        merged: fields.count()?,
        unfinished: fields.bool()?,
    })
}

/// The greatest id that there is: everything is before it.
pub const NEWEST: LinkId = LinkId::of(Id::from_bytes([0xff; 16]));
