//! Lessons, each with what it was learned from.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::provenance::{self, counted_columns};
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::id::{AgentId, EpisodeId, Id, LessonId, MemoryId, ObservationId};
use selfsame_core::kept::Kept;
use selfsame_core::lesson::{Lesson, LessonKind};
use selfsame_core::memory::tags_json;
use selfsame_core::time::Time;

macro_rules! columns {
    () => {
        concat!(
            "id, lesson_type, context, action, outcome, lesson, correction, tags, tools, created_at, confidence, \
             occurrences, last_seen_at, updated_at, judged_at, merged_into, proposed_id, ",
            counted_columns!(),
            ", row_hash"
        )
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO lessons (agent_id, ", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
            $23, $24, $25)");
    agent ADD_SOURCES = "INSERT INTO lesson_sources (agent_id, lesson_id, item_kind, item_id)
        VALUES {rows: $1, ?, ?, ?} ON CONFLICT (agent_id, lesson_id, item_kind, item_id) DO NOTHING";
    agent SOURCES = "SELECT item_id FROM lesson_sources WHERE agent_id = $1 AND lesson_id = $2
        AND item_kind = $3 ORDER BY item_id";
    agent COUNT_SOURCES = "SELECT COUNT(*) FROM lesson_sources WHERE agent_id = $1 AND lesson_id = $2";
    agent OF_SOURCE = "SELECT lesson_id FROM lesson_sources WHERE agent_id = $1 AND item_kind = $2 AND item_id = $3
        ORDER BY lesson_id";
    agent DROP_SOURCE = "DELETE FROM lesson_sources WHERE agent_id = $1 AND lesson_id = $2 AND item_kind = $3
        AND item_id = $4";
    agent SEE = "INSERT INTO lesson_sightings (agent_id, lesson_id, episode_id, day, seen_at)
        VALUES {rows: $1, ?, ?, ?, ?} ON CONFLICT (agent_id, lesson_id, episode_id) DO NOTHING";
    agent SIGHTINGS = "SELECT episode_id, day, seen_at FROM lesson_sightings WHERE agent_id = $1 AND lesson_id = $2
        ORDER BY episode_id";
    agent DAYS = "SELECT DISTINCT day FROM lesson_sightings WHERE agent_id = $1 AND lesson_id = $2 ORDER BY day";
    agent DROP_SIGHTING = "DELETE FROM lesson_sightings WHERE agent_id = $1 AND lesson_id = $2 AND episode_id = $3";
    agent DROP_SIGHTINGS = "DELETE FROM lesson_sightings WHERE agent_id = $1 AND lesson_id = $2";
    agent DROP_SOURCES = "DELETE FROM lesson_sources WHERE agent_id = $1 AND lesson_id = $2";
    agent DELETE = "DELETE FROM lessons WHERE agent_id = $1 AND id = $2";
    agent JUDGE = "UPDATE lessons SET confidence = $3, judged_at = $4, occurrences = $5, last_seen_at = $6,
            updated_at = $7
        WHERE agent_id = $1 AND id = $2";
    agent KEEP_ONLY_THE_LESSON = "UPDATE lessons SET context = NULL, action = NULL, outcome = NULL, row_hash = $3
        WHERE agent_id = $1 AND id = $2";
    agent MERGE = "UPDATE lessons SET merged_into = $3, updated_at = $4 WHERE agent_id = $1 AND id = $2";
    agent PROPOSE = "UPDATE lessons SET proposed_id = $3, updated_at = $4 WHERE agent_id = $1 AND id = $2";
    agent BY_ID = concat!("SELECT ", columns!(), " FROM lessons WHERE agent_id = $1 AND id = $2");
    agent SUREST = concat!("SELECT ", columns!(), " FROM lessons WHERE agent_id = $1 AND merged_into IS NULL
        ORDER BY confidence DESC, id DESC LIMIT $2");
    agent PAGE = concat!("SELECT ", columns!(), " FROM lessons WHERE agent_id = $1 AND id > $2
        ORDER BY id LIMIT $3");
}

/// A lesson with the memories it was learned from.
const MEMORY: &str = "memory";
/// Or the episodes.
const EPISODE: &str = "episode";

/// Adds a lesson with the memories it was learned from.
pub fn insert(writer: &mut Writer, row: &Kept<Lesson>, sources: &[MemoryId]) -> Result<()> {
    insert_row(writer, row)?;
    add_sources(writer, row.agent, row.id, MEMORY, sources.iter().map(|id| id.id()))
}

/// Adds a lesson with the episodes it was drawn from.
pub fn insert_drawn(writer: &mut Writer, row: &Kept<Lesson>, sources: &[EpisodeId]) -> Result<()> {
    insert_row(writer, row)?;
    add_episodes(writer, row.agent, row.id, sources)
}

/// Adds episodes that a lesson was drawn from again; those that it has already stay as they are.
pub fn add_episodes(writer: &mut Writer, agent: AgentId, id: LessonId, sources: &[EpisodeId]) -> Result<()> {
    add_sources(writer, agent, id, EPISODE, sources.iter().map(|id| id.id()))
}

fn insert_row(writer: &mut Writer, row: &Kept<Lesson>) -> Result<()> {
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
        row.judged_at,
        row.merged_into.map(LessonId::id),
        row.proposed.map(ObservationId::id),
    ]
    .to_vec();
    bound.extend(provenance::counted_sealed(row));
    writer.execute(&INSERT, row.agent, &bound)?;
    Ok(())
}

fn add_sources(
    writer: &mut Writer,
    agent: AgentId,
    id: LessonId,
    kind: &'static str,
    sources: impl Iterator<Item = Id>,
) -> Result<()> {
    let rows: Vec<Vec<Value>> =
        sources.map(|source| vec![Value::Id(id.id()), kind.into(), Value::Id(source)]).collect();
    writer.insert_all(&ADD_SOURCES, agent, &rows).map(drop)
}

/// The memories that a lesson was learned from.
pub fn sources(reader: &mut Reader, agent: AgentId, id: LessonId) -> Result<Vec<MemoryId>> {
    Ok(sources_of(reader, agent, id, MEMORY)?.into_iter().map(MemoryId::of).collect())
}

/// The episodes that a lesson was drawn from.
pub fn episodes(reader: &mut Reader, agent: AgentId, id: LessonId) -> Result<Vec<EpisodeId>> {
    Ok(sources_of(reader, agent, id, EPISODE)?.into_iter().map(EpisodeId::of).collect())
}

fn sources_of(reader: &mut Reader, agent: AgentId, id: LessonId, kind: &str) -> Result<Vec<Id>> {
    let rows = reader.rows(&SOURCES, agent, params![id.id(), kind])?;
    rows.into_iter().map(|row| row.fields().id()).collect()
}

/// The lessons that were drawn from an episode, among others or from it alone.
pub fn of_episode(reader: &mut Reader, agent: AgentId, episode: EpisodeId) -> Result<Vec<LessonId>> {
    of_source(reader, agent, EPISODE, episode.id())
}

/// The same of a memory.
pub fn of_memory(reader: &mut Reader, agent: AgentId, memory: MemoryId) -> Result<Vec<LessonId>> {
    of_source(reader, agent, MEMORY, memory.id())
}

fn of_source(reader: &mut Reader, agent: AgentId, kind: &str, item: Id) -> Result<Vec<LessonId>> {
    let rows = reader.rows(&OF_SOURCE, agent, params![kind, item])?;
    rows.into_iter().map(|row| Ok(LessonId::of(row.fields().id()?))).collect()
}

/// Takes an episode away from what a lesson was drawn from; gives how many sources of either kind are left.
pub fn drop_episode(writer: &mut Writer, agent: AgentId, id: LessonId, episode: EpisodeId) -> Result<u64> {
    writer.execute(&DROP_SIGHTING, agent, params![id.id(), episode.id()])?;
    drop_source(writer, agent, id, EPISODE, episode.id())
}

/// The same of a memory.
pub fn drop_memory(writer: &mut Writer, agent: AgentId, id: LessonId, memory: MemoryId) -> Result<u64> {
    drop_source(writer, agent, id, MEMORY, memory.id())
}

fn drop_source(writer: &mut Writer, agent: AgentId, id: LessonId, kind: &str, item: Id) -> Result<u64> {
    writer.execute(&DROP_SOURCE, agent, params![id.id(), kind, item])?;
    writer.row(&COUNT_SOURCES, agent, params![id.id()])?.map_or(Ok(0), |row| row.fields().count())
}

/// Takes a lesson away with all that hangs on it. An erasure must be open.
pub fn delete(writer: &mut Writer, agent: AgentId, id: LessonId) -> Result<()> {
    for statement in [&DROP_SIGHTINGS, &DROP_SOURCES, &DELETE] {
        writer.execute(statement, agent, params![id.id()])?;
    }
    Ok(())
}

/// Takes away what a lesson says beside itself: the situation, what was done and what came of it may be in the words of a
/// source that was forgotten. An erasure must be open.
pub fn keep_only_the_lesson(writer: &mut Writer, agent: AgentId, id: LessonId) -> Result<()> {
    let Some(mut row) = by_id(writer, agent, id)? else {
        return Ok(());
    };
    (row.context, row.action, row.outcome) = (None, None, None);
    writer.execute(&KEEP_ONLY_THE_LESSON, agent, params![id.id(), row.seal().bytes()]).map(drop)
}

/// Notes where and on which day a lesson was seen; gives how many of the episodes are new to it.
pub fn see(
    writer: &mut Writer,
    agent: AgentId,
    id: LessonId,
    seen: &[(EpisodeId, String, Time)],
) -> Result<u64> {
    let row = |(episode, day, at): &(EpisodeId, String, Time)| {
        vec![Value::Id(id.id()), Value::Id(episode.id()), day.as_str().into(), (*at).into()]
    };
    writer.insert_all(&SEE, agent, &seen.iter().map(row).collect::<Vec<_>>())
}

fn sightings(reader: &mut Reader, agent: AgentId, id: LessonId) -> Result<Vec<(EpisodeId, String, Time)>> {
    let rows = reader.rows(&SIGHTINGS, agent, params![id.id()])?;
    rows.into_iter()
        .map(|row| {
            let mut fields = row.fields();
            Ok((EpisodeId::of(fields.id()?), fields.text()?, fields.time()?))
        })
        .collect()
}

/// The days on which a lesson was seen, in their order.
pub fn days(reader: &mut Reader, agent: AgentId, id: LessonId) -> Result<Vec<String>> {
    reader.rows(&DAYS, agent, params![id.id()])?.into_iter().map(|row| row.fields().text()).collect()
}

/// Writes down how sure a lesson is, how often and when it was last seen: what changes of it.
pub fn judge(writer: &mut Writer, lesson: &Lesson) -> Result<()> {
    let Lesson { id, agent, confidence, judged_at, occurrences, last_seen_at, updated_at, .. } = lesson;
    let bound = params![id.id(), *confidence, *judged_at, *occurrences, *last_seen_at, *updated_at];
    writer.execute(&JUDGE, *agent, bound).map(drop)
}

/// Lets a lesson go on in another: where it was seen and what it was drawn from is the other's too.
pub fn merge(writer: &mut Writer, agent: AgentId, from: LessonId, into: LessonId, now: Time) -> Result<()> {
    for kind in [MEMORY, EPISODE] {
        let sources = sources_of(writer, agent, from, kind)?;
        add_sources(writer, agent, into, kind, sources.into_iter())?;
    }
    let seen = sightings(writer, agent, from)?;
    see(writer, agent, into, &seen)?;
    writer.execute(&MERGE, agent, params![from.id(), into.id(), now]).map(drop)
}

/// Notes as which belief a lesson was proposed.
pub fn propose(
    writer: &mut Writer,
    agent: AgentId,
    id: LessonId,
    belief: ObservationId,
    now: Time,
) -> Result<()> {
    writer.execute(&PROPOSE, agent, params![id.id(), belief.id(), now]).map(drop)
}

/// One lesson.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: LessonId) -> Result<Option<Kept<Lesson>>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(|row| believed(agent, row)).transpose()
}

/// Those that stand for themselves, the surest first as they were last judged, and of equally sure ones the newest; a
/// damaged one comes as the error that it is.
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
    let mut lesson = Lesson {
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
        judged_at: Time::MIN,
        merged_into: None,
        proposed: None,
    };
    // One that was never judged is as sure as it was when it was last seen.
    lesson.judged_at = fields.opt_time()?.unwrap_or(lesson.last_seen_at);
    lesson.merged_into = fields.opt_id()?.map(LessonId::of);
    lesson.proposed = fields.opt_id()?.map(ObservationId::of);
    provenance::counted_believed(lesson, &mut fields)
}
