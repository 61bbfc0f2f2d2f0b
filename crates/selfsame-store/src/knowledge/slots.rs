//! An agent's own list of questions.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::{Row, params};
use selfsame_core::id::AgentId;
use selfsame_core::knowledge::slot::Slot;
use selfsame_core::time::Time;

statements! {
    agent INSERT = "INSERT INTO knowledge_slots (agent_id, name, ordinal, joins, many, created_at)
        VALUES ($1, $2, $3, $4, $5, $6)";
    agent ALL = "SELECT name, ordinal, joins, many FROM knowledge_slots WHERE agent_id = $1 ORDER BY ordinal";
}

/// Adds a slot.
pub fn insert(writer: &mut Writer, agent: AgentId, slot: &Slot, now: Time) -> Result<()> {
    writer.execute(
        &INSERT,
        agent,
        params![&slot.name, slot.ordinal, slot.joins.as_deref(), slot.many, now],
    )?;
    Ok(())
}

/// All of them, the first first.
pub fn all(reader: &mut Reader, agent: AgentId) -> Result<Vec<Slot>> {
    let slot = |row: Row| {
        let mut fields = row.fields();
        Ok(Slot {
            name: fields.text()?,
            ordinal: fields.int()?,
            joins: fields.opt_text()?,
            many: fields.bool()?,
        })
    };
    reader.rows(&ALL, agent, &[])?.into_iter().map(slot).collect()
}
