//! Soul entries: added, marked as removed, never changed.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::provenance::{counted_believed, counted_columns, counted_sealed};
use crate::statement::statements;
use crate::value::{Fields, Row, Value, params};
use selfsame_core::id::{AgentId, Id, SoulId};
use selfsame_core::kept::Kept;
use selfsame_core::soul::{Removal, SoulEntry, SoulKind};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, kind, content, reason, created_at, removed_at, removed_reason, removed_by, ",
            counted_columns!(),
            ", row_hash FROM soul_entries WHERE agent_id = $1 AND ",
            $rest
        )
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO soul_entries (agent_id, id, kind, content, reason, created_at, ",
        counted_columns!(), ", row_hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)");
    agent BY_ID = select!("id = $2");
    agent ACTIVE = select!("removed_at IS NULL ORDER BY id");
    agent PAGE = select!("id > $2 ORDER BY id LIMIT $3");
    agent REMOVE = "UPDATE soul_entries SET removed_at = $3, removed_reason = $4, removed_by = $5
        WHERE agent_id = $1 AND id = $2 AND removed_at IS NULL";
}

/// Adds an entry.
pub fn insert(writer: &mut Writer, entry: &Kept<SoulEntry>) -> Result<()> {
    let mut bound: Vec<Value> =
        params![entry.id.id(), entry.kind.as_str(), &entry.content, &entry.reason, entry.created_at].to_vec();
    bound.extend(counted_sealed(entry));
    writer.execute(&INSERT, entry.agent, &bound)?;
    Ok(())
}

/// One entry, removed or not.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: SoulId) -> Result<Option<Kept<SoulEntry>>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(|row| entry(agent, row)).transpose()
}

/// What the agent is now, in the order of addition; a damaged entry comes as the error that it is.
pub fn active(reader: &mut Reader, agent: AgentId) -> Result<Vec<Result<Kept<SoulEntry>>>> {
    Ok(reader.rows(&ACTIVE, agent, &[])?.into_iter().map(|row| entry(agent, row)).collect())
}

/// The next entries after an id, removed ones too; a damaged one comes as the error that it is.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    after: Id,
    limit: i64,
) -> Result<Vec<Result<Kept<SoulEntry>>>> {
    let rows = reader.rows(&PAGE, agent, params![after, limit])?;
    Ok(rows.into_iter().map(|row| entry(agent, row)).collect())
}

/// Marks an entry as removed; false if it was already.
pub fn remove(writer: &mut Writer, agent: AgentId, id: SoulId, removal: &Removal) -> Result<bool> {
    let Removal { at, reason, by } = removal;
    Ok(writer.execute(&REMOVE, agent, params![id.id(), *at, reason, by])? > 0)
}

fn entry(agent: AgentId, row: Row) -> Result<Kept<SoulEntry>> {
    let mut fields = row.fields();
    let id = SoulId::of(fields.id()?);
    let kind = fields.text()?;
    let words = SoulEntry {
        id,
        agent,
        kind: SoulKind::parse(&kind)
            .map_err(|_| StoreError::Damaged("a kind of soul entry is unknown".into()))?,
        content: fields.text()?,
        reason: fields.text()?,
        created_at: fields.time()?,
        removed: removal(&mut fields)?,
    };
    counted_believed(words, &mut fields)
}

fn removal(fields: &mut Fields) -> Result<Option<Removal>> {
    let (at, reason, by) = (fields.opt_time()?, fields.opt_text()?, fields.opt_text()?);
    Ok(at.map(|at| Removal { at, reason: reason.unwrap_or_default(), by: by.unwrap_or_default() }))
}
