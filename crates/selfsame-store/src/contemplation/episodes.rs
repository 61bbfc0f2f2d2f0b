//! Episodes: what times of thinking brought.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::provenance::{self, counted_columns};
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::contemplation::{Account, Captured, Episode, Parse, ToolClaim};
use selfsame_core::id::{AgentId, CycleId, EpisodeId, Id, MemoryId};
use selfsame_core::json::canonical;
use selfsame_core::kept::{Kept, Spoiled};
use selfsame_core::time::Time;

macro_rules! columns {
    () => {
        concat!(
            "id, cycle_id, memory_id, episode_type, body, said, parse, repairs, successful, why_not, thinker, model, \
             tokens_spent, millis, seed, signature, began_at, created_at, tools, ",
            counted_columns!(),
            ", row_hash"
        )
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO episodes (agent_id, ", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
            $23, $24, $25, $26, $27)");
    agent BY_ID = concat!("SELECT ", columns!(), " FROM episodes WHERE agent_id = $1 AND id = $2");
    agent NEWEST = concat!("SELECT ", columns!(), " FROM episodes WHERE agent_id = $1 AND id < $2
        ORDER BY id DESC LIMIT $3");
    agent AFTER = concat!("SELECT ", columns!(), " FROM episodes WHERE agent_id = $1 AND id > $2
        ORDER BY id LIMIT $3");
    agent BETWEEN = concat!("SELECT ", columns!(), " FROM episodes WHERE agent_id = $1 AND created_at >= $2
        AND created_at < $3 ORDER BY created_at, id");
    agent OF_MEMORY = "SELECT id, created_at FROM episodes WHERE agent_id = $1 AND memory_id = $2 ORDER BY id";
    agent DELETE = "DELETE FROM episodes WHERE agent_id = $1 AND id = $2";
    agent COUNT_AFTER = "SELECT COUNT(*) FROM episodes WHERE agent_id = $1 AND id > $2";
    agent IN_LIST = concat!("SELECT ", columns!(), " FROM episodes WHERE agent_id = $1 AND id IN ({list})
        ORDER BY id");
}

/// Adds an episode.
pub fn insert(writer: &mut Writer, row: &Kept<Episode>) -> Result<()> {
    let captured = &row.captured;
    let repairs = serde_json::Value::from(captured.repairs.clone());
    let mut bound = params![
        row.id.id(),
        row.cycle.id(),
        row.memory.id(),
        captured.account.kind.as_str(),
        Value::Json(canonical(&captured.account.to_json())),
        &row.said,
        captured.parse.as_str(),
        Value::Json(canonical(&repairs)),
        row.successful,
        row.why_not.as_deref(),
        &row.thinker,
        row.model.as_deref(),
        row.tokens_spent,
        row.millis,
        row.seed,
        row.signature.as_slice(),
        row.began_at,
        row.created_at,
        row.tools_kept().map(Value::Json),
    ]
    .to_vec();
    bound.extend(provenance::counted_sealed(row));
    writer.execute(&INSERT, row.agent, &bound).map(drop)
}

/// One of them.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: EpisodeId) -> Result<Option<Kept<Episode>>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(|row| believed(agent, row)).transpose()
}

/// These, in the order of their ids; a damaged one comes as the error that it is.
pub fn by_ids(reader: &mut Reader, agent: AgentId, ids: &[EpisodeId]) -> Result<Vec<Result<Kept<Episode>>>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(id.id())).collect();
    let rows = reader.rows_in(&IN_LIST, agent, &[], &list)?;
    Ok(rows.into_iter().map(|row| believed(agent, row)).collect())
}

/// The newest before `before`, the newest first; a damaged one comes as the error that it is.
pub fn newest(
    reader: &mut Reader,
    agent: AgentId,
    before: Id,
    limit: i64,
) -> Result<Vec<Result<Kept<Episode>>>> {
    let rows = reader.rows(&NEWEST, agent, params![before, limit])?;
    Ok(rows.into_iter().map(|row| believed(agent, row)).collect())
}

/// Those that came after `after`, the oldest first; a damaged one comes as the error that it is.
pub fn after(
    reader: &mut Reader,
    agent: AgentId,
    after: EpisodeId,
    limit: i64,
) -> Result<Vec<Result<Kept<Episode>>>> {
    let rows = reader.rows(&AFTER, agent, params![after.id(), limit])?;
    Ok(rows.into_iter().map(|row| believed(agent, row)).collect())
}

/// How many came after `after`.
pub fn count_after(reader: &mut Reader, agent: AgentId, after: EpisodeId) -> Result<u64> {
    reader.row(&COUNT_AFTER, agent, params![after.id()])?.map_or(Ok(0), |row| row.fields().count())
}

/// Those of a span, the oldest first; a damaged one comes as the error that it is.
pub fn between(
    reader: &mut Reader,
    agent: AgentId,
    from: Time,
    until: Time,
) -> Result<Vec<Result<Kept<Episode>>>> {
    let rows = reader.rows(&BETWEEN, agent, params![from, until])?;
    Ok(rows.into_iter().map(|row| believed(agent, row)).collect())
}

/// The episodes that became this memory, and when.
pub fn of_memory(reader: &mut Reader, agent: AgentId, memory: MemoryId) -> Result<Vec<(EpisodeId, Time)>> {
    let rows = reader.rows(&OF_MEMORY, agent, params![memory.id()])?;
    let read = |row: Row| {
        let mut fields = row.fields();
        Ok((EpisodeId::of(fields.id()?), fields.time()?))
    };
    rows.into_iter().map(read).collect()
}

/// Takes an episode away. An erasure must be open.
pub fn delete(writer: &mut Writer, agent: AgentId, id: EpisodeId) -> Result<()> {
    writer.execute(&DELETE, agent, params![id.id()]).map(drop)
}

fn claims(kept: &str) -> Option<Vec<ToolClaim>> {
    let kept: serde_json::Value = serde_json::from_str(kept).ok()?;
    kept.as_array()?.iter().map(ToolClaim::from_json).collect()
}

fn believed(agent: AgentId, row: Row) -> Result<Kept<Episode>> {
    let mut fields = row.fields();
    let id = EpisodeId::of(fields.id()?);
    let damaged = |what| Spoiled { id: id.id(), name: format!("episode {id}"), what };
    let (cycle, memory) = (CycleId::of(fields.id()?), MemoryId::of(fields.id()?));
    let _kind = fields.text()?;
    let account = serde_json::from_str(&fields.json()?).ok().and_then(|body| Account::from_json(&body));
    let account = account.ok_or_else(|| damaged("its account cannot be read"))?;
    let said = fields.text()?;
    let parse = Parse::parse(&fields.text()?).map_err(|_| damaged("how it was read is unknown"))?;
    let repairs = serde_json::from_str(&fields.json()?).map_err(|_| damaged("its repairs cannot be read"))?;
    let mut episode = Episode {
        id,
        agent,
        cycle,
        memory,
        captured: Captured { account, parse, repairs },
        said,
        successful: fields.bool()?,
        why_not: fields.opt_text()?,
        tools: Vec::new(),
        thinker: fields.text()?,
        model: fields.opt_text()?,
        tokens_spent: fields.int()?,
        millis: fields.int()?,
        seed: fields.int()?,
        signature: fields.bytes()?.try_into().map_err(|_| damaged("its signature cannot be read"))?,
        began_at: fields.time()?,
        created_at: fields.time()?,
    };
    if let Some(kept) = fields.opt_json()? {
        episode.tools = claims(&kept).ok_or_else(|| damaged("its tools cannot be read"))?;
    }
    provenance::counted_believed(episode, &mut fields)
}
