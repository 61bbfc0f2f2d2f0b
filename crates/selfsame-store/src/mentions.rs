//! Which memories and messages name whom: links made when the words are stored.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::Value;
use selfsame_core::id::{AgentId, EntityId, Id};
use std::collections::BTreeMap;

statements! {
    agent INSERT = "INSERT INTO mentions (agent_id, entity_id, item_kind, item_id) VALUES {rows: $1, ?, ?, ?}
        ON CONFLICT (agent_id, entity_id, item_kind, item_id) DO NOTHING";
    agent COUNTS = "SELECT item_kind, COUNT(DISTINCT item_id) FROM mentions
        WHERE agent_id = $1 AND entity_id IN ({list}) GROUP BY item_kind";
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
