//! Lessons, each with what it was learned from.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::provenance::{self, counted_columns};
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::id::{AgentId, LessonId, MemoryId};
use selfsame_core::kept::Kept;
use selfsame_core::lesson::{Lesson, LessonKind};
use selfsame_core::memory::tags_json;

macro_rules! columns {
    () => {
        concat!(
            "id, lesson_type, context, action, outcome, lesson, correction, tags, tools, created_at, confidence, \
             occurrences, last_seen_at, updated_at, ",
            counted_columns!(),
            ", row_hash"
        )
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO lessons (agent_id, ", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)");
    agent ADD_SOURCES = "INSERT INTO lesson_sources (agent_id, lesson_id, item_kind, item_id)
        VALUES {rows: $1, ?, ?, ?}";
    agent SOURCES = "SELECT item_id FROM lesson_sources WHERE agent_id = $1 AND lesson_id = $2
        AND item_kind = 'memory' ORDER BY item_id";
    agent BY_ID = concat!("SELECT ", columns!(), " FROM lessons WHERE agent_id = $1 AND id = $2");
    agent SUREST = concat!("SELECT ", columns!(), " FROM lessons WHERE agent_id = $1
        ORDER BY confidence DESC, id DESC LIMIT $2");
    agent PAGE = concat!("SELECT ", columns!(), " FROM lessons WHERE agent_id = $1 AND id > $2
        ORDER BY id LIMIT $3");
}

/// Adds a lesson with the memories it was learned from.
pub fn insert(writer: &mut Writer, row: &Kept<Lesson>, sources: &[MemoryId]) -> Result<()> {
    let mut bound = params![
        row.id.id(),
        row.kind.as_str(),
        row.context.as_deref(),
        row.action.as_deref(),
        row.outcome.as_deref(),
        &row.lesson,
        row.correction.as_deref(),
        Value::Json(tags_json(&row.tags)),
        Value::Json(tags_json(&row.tools)),
        row.created_at,
        row.confidence,
        row.occurrences,
        row.last_seen_at,
        row.updated_at,
    ]
    .to_vec();
    bound.extend(provenance::counted_sealed(row));
    writer.execute(&INSERT, row.agent, &bound)?;
    let source = |memory: &MemoryId| vec![Value::Id(row.id.id()), "memory".into(), Value::Id(memory.id())];
    writer.insert_all(&ADD_SOURCES, row.agent, &sources.iter().map(source).collect::<Vec<_>>())?;
    Ok(())
}

/// The memories that a lesson was learned from.
pub fn sources(reader: &mut Reader, agent: AgentId, id: LessonId) -> Result<Vec<MemoryId>> {
    let rows = reader.rows(&SOURCES, agent, params![id.id()])?;
    rows.into_iter().map(|row| Ok(MemoryId::of(row.fields().id()?))).collect()
}

/// One lesson.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: LessonId) -> Result<Option<Kept<Lesson>>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(|row| believed(agent, row)).transpose()
}

/// The surest first, and of equally sure ones the newest; a damaged one comes as the error that it is.
pub fn surest(reader: &mut Reader, agent: AgentId, limit: i64) -> Result<Vec<Result<Kept<Lesson>>>> {
    let rows = reader.rows(&SUREST, agent, params![limit])?;
    Ok(rows.into_iter().map(|row| believed(agent, row)).collect())
}

/// The next after `after`, in the order of their ids; a damaged one comes as the error that it is.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    after: LessonId,
    limit: i64,
) -> Result<Vec<Result<Kept<Lesson>>>> {
    let rows = reader.rows(&PAGE, agent, params![after.id(), limit])?;
    Ok(rows.into_iter().map(|row| believed(agent, row)).collect())
}

fn believed(agent: AgentId, row: Row) -> Result<Kept<Lesson>> {
    let mut fields = row.fields();
    let id = LessonId::of(fields.id()?);
    let damaged = |what: &str| StoreError::Damaged(format!("the {what} of lesson {id} cannot be read"));
    let list = |text: String, what: &str| serde_json::from_str(&text).map_err(|_| damaged(what));
    let lesson = Lesson {
        id,
        agent,
        kind: LessonKind::parse(&fields.text()?).map_err(|_| damaged("type"))?,
        context: fields.opt_text()?,
        action: fields.opt_text()?,
        outcome: fields.opt_text()?,
        lesson: fields.text()?,
        correction: fields.opt_text()?,
        tags: list(fields.json()?, "tags")?,
        tools: list(fields.json()?, "tools")?,
        created_at: fields.time()?,
        confidence: fields.real()?,
        occurrences: fields.int()?,
        last_seen_at: fields.time()?,
        updated_at: fields.time()?,
    };
    provenance::counted_believed(lesson, &mut fields)
}
