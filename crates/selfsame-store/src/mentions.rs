//! Which memories and messages name whom, and which memories are about whom: links made when the words are stored.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::id::{AgentId, EntityId, Id};
use std::collections::BTreeMap;

statements! {
    agent INSERT = "INSERT INTO mentions (agent_id, entity_id, item_kind, item_id) VALUES {rows: $1, ?, ?, ?}
        ON CONFLICT (agent_id, entity_id, item_kind, item_id) DO NOTHING";
    agent COUNTS = "SELECT item_kind, COUNT(DISTINCT item_id) FROM mentions
        WHERE agent_id = $1 AND entity_id IN ({list}) GROUP BY item_kind";
    agent AMONG = "SELECT item_id FROM mentions
        WHERE agent_id = $1 AND entity_id = $2 AND item_kind = $3 AND item_id IN ({list})";
    agent NEWEST = "SELECT item_id FROM mentions WHERE agent_id = $1 AND entity_id = $2 AND item_kind = $3
        ORDER BY item_id DESC LIMIT $4";
}

/// Links something that was said to whom it names. `item_kind` is `memory` or `message`.
pub fn insert(
    writer: &mut Writer,
    agent: AgentId,
    item_kind: &str,
    item: Id,
    entities: &[EntityId],
) -> Result<()> {
    let rows: Vec<Vec<Value>> =
        entities.iter().map(|entity| vec![entity.id().into(), item_kind.into(), item.into()]).collect();
    writer.insert_all(&INSERT, agent, &rows)?;
    Ok(())
}

/// How many items of each kind name one of these.
pub fn counts(reader: &mut Reader, agent: AgentId, entities: &[EntityId]) -> Result<BTreeMap<String, u64>> {
    let list: Vec<Value> = entities.iter().map(|entity| Value::Id(entity.id())).collect();
    let mut counts = BTreeMap::new();
    for row in reader.rows_in(&COUNTS, agent, &[], &list)? {
        let mut fields = row.fields();
        let kind = fields.text()?;
        *counts.entry(kind).or_default() += fields.count()?;
    }
    Ok(counts)
}

/// Which of these items name it.
pub fn among(
    reader: &mut Reader,
    agent: AgentId,
    entity: EntityId,
    item_kind: &str,
    items: &[Id],
) -> Result<Vec<Id>> {
    let list: Vec<Value> = items.iter().map(|item| Value::Id(*item)).collect();
    ids(reader.rows_in(&AMONG, agent, params![entity.id(), item_kind], &list)?)
}

/// The items that name it, the newest first.
pub fn newest(
    reader: &mut Reader,
    agent: AgentId,
    entity: EntityId,
    item_kind: &str,
    limit: i64,
) -> Result<Vec<Id>> {
    ids(reader.rows(&NEWEST, agent, params![entity.id(), item_kind, limit])?)
}

fn ids(rows: Vec<Row>) -> Result<Vec<Id>> {
    rows.into_iter().map(|row| row.fields().id()).collect()
}
