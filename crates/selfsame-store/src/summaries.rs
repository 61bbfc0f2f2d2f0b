//! Summaries of memories and of conversations, what each was made from, and batches on their way to become one.
//!
//! The words are in three columns of two tables (`content`, `facts`, `focus` with `themes`), and in the drafts of batches,
//! which live as long as somebody writes.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::memory::visible;
use crate::provenance::{self, counted_columns};
use crate::statement::statements;
use crate::value::{Fields, Row, Value, params};
use selfsame_core::care::{ConversationSummary, MemorySummary, Phase, What, WrittenBy};
use selfsame_core::id::{AgentId, BatchId, EntityId, Id, LinkId, SummaryId};
use selfsame_core::kept::Kept;
use selfsame_core::memory::tags_json;
use selfsame_core::time::Time;

macro_rules! of_memories {
    () => {
        concat!(
            "id, focus, themes, content, written_by, memories, depth, from_at, until_at, created_at, folded_into, ",
            counted_columns!(),
            ", row_hash"
        )
    };
}

macro_rules! of_conversations {
    () => {
        concat!(
            "id, counterpart_id, content, facts, written_by, messages, from_at, until_at, created_at, folded_into, ",
            counted_columns!(),
            ", row_hash"
        )
    };
}

macro_rules! of_batches {
    () => {
        "id, phase, what, focus, counterpart_id, sources, done, draft, written_by, created_at, expires_at"
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO character_memory_summaries (agent_id, ", of_memories!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)");
    agent BY_ID = concat!("SELECT ", of_memories!(), " FROM character_memory_summaries WHERE agent_id = $1 AND id = $2",
        visible!());
    agent HIDDEN_OR_NOT = concat!("SELECT ", of_memories!(), " FROM character_memory_summaries
        WHERE agent_id = $1 AND id = $2");
    agent BY_IDS = concat!("SELECT ", of_memories!(), " FROM character_memory_summaries
        WHERE agent_id = $1 AND id IN ({list})", visible!());
    agent SEEN = concat!("SELECT id FROM character_memory_summaries WHERE agent_id = $1 AND id IN ({list})", visible!());
    agent CURRENT = concat!("SELECT ", of_memories!(), " FROM character_memory_summaries
        WHERE agent_id = $1 AND folded_into IS NULL", visible!(), "ORDER BY id");
    agent NEWEST = concat!("SELECT ", of_memories!(), " FROM character_memory_summaries WHERE agent_id = $1 AND id < $2",
        visible!(), "ORDER BY id DESC LIMIT $3");
    agent PAGE = concat!("SELECT ", of_memories!(), " FROM character_memory_summaries WHERE agent_id = $1 AND id > $2
        ORDER BY id LIMIT $3");
    agent FOLD = "UPDATE character_memory_summaries SET folded_into = $2
        WHERE agent_id = $1 AND folded_into IS NULL AND id IN ({list})";
    agent DELETE = "DELETE FROM character_memory_summaries WHERE agent_id = $1 AND id = $2";
    agent COUNT = concat!("SELECT COUNT(*) FROM character_memory_summaries WHERE agent_id = $1 AND folded_into IS NULL",
        visible!());
    agent OF_LINK = "SELECT id FROM character_memory_summaries WHERE agent_id = $1 AND author = 'link' AND source_ref = $2
        ORDER BY id";
    agent IDS_AFTER = "SELECT id FROM character_memory_summaries WHERE agent_id = $1 AND id > $2 ORDER BY id LIMIT $3";
    agent UNFOLD = "UPDATE character_memory_summaries SET folded_into = NULL WHERE agent_id = $1 AND folded_into = $2";
    agent TOKENS = concat!("SELECT COUNT(*), COUNT(tokens), CAST(COALESCE(SUM(tokens), 0) AS {int})
        FROM character_memory_summaries WHERE agent_id = $1 AND folded_into IS NULL", visible!());

    agent INSERT_TALK = concat!("INSERT INTO conversation_summaries (agent_id, ", of_conversations!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)");
    agent TALK_BY_ID = concat!("SELECT ", of_conversations!(), " FROM conversation_summaries
        WHERE agent_id = $1 AND id = $2");
    agent TALKS_BY_IDS = concat!("SELECT ", of_conversations!(), " FROM conversation_summaries
        WHERE agent_id = $1 AND id IN ({list})");
    agent TALKS_SEEN = "SELECT id FROM conversation_summaries WHERE agent_id = $1 AND id IN ({list})";
    agent CURRENT_TALKS = concat!("SELECT ", of_conversations!(), " FROM conversation_summaries
        WHERE agent_id = $1 AND folded_into IS NULL ORDER BY id");
    agent NEWEST_TALKS = concat!("SELECT ", of_conversations!(), " FROM conversation_summaries
        WHERE agent_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3");
    agent TALK_PAGE = concat!("SELECT ", of_conversations!(), " FROM conversation_summaries
        WHERE agent_id = $1 AND id > $2 ORDER BY id LIMIT $3");
    agent FOLD_TALK = "UPDATE conversation_summaries SET folded_into = $2
        WHERE agent_id = $1 AND folded_into IS NULL AND id IN ({list})";
    agent DELETE_TALK = "DELETE FROM conversation_summaries WHERE agent_id = $1 AND id = $2";
    agent COUNT_TALKS = "SELECT COUNT(*) FROM conversation_summaries WHERE agent_id = $1 AND folded_into IS NULL";
    agent TALK_TOKENS = "SELECT COUNT(*), COUNT(tokens), CAST(COALESCE(SUM(tokens), 0) AS {int})
        FROM conversation_summaries WHERE agent_id = $1 AND folded_into IS NULL";

    agent ADD_SOURCES = "INSERT INTO summary_sources (agent_id, summary_id, item_kind, item_id)
        VALUES {rows: $1, ?, ?, ?}";
    agent SOURCES = "SELECT item_kind, item_id FROM summary_sources WHERE agent_id = $1 AND summary_id = $2
        AND item_kind <> 'origin' ORDER BY item_kind, item_id";
    agent ADD_ORIGIN = "INSERT INTO summary_sources (agent_id, summary_id, item_kind, item_id)
        VALUES ($1, $2, 'origin', $3)";
    agent COPIES_OF = "SELECT id FROM character_memory_summaries WHERE agent_id = $1 AND author = 'link' AND source_ref = $2
        AND id IN (SELECT summary_id FROM summary_sources WHERE agent_id = $1 AND item_kind = 'origin'
        AND item_id IN ({list})) ORDER BY id";
    agent OF_SOURCE = "SELECT summary_id FROM summary_sources WHERE agent_id = $1 AND item_kind = $2 AND item_id = $3
        ORDER BY summary_id";
    agent DROP_SOURCES = "DELETE FROM summary_sources WHERE agent_id = $1 AND summary_id = $2";

    agent INSERT_BATCH = concat!("INSERT INTO care_batches (agent_id, ", of_batches!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)");
    agent BATCHES = concat!("SELECT ", of_batches!(), " FROM care_batches WHERE agent_id = $1 ORDER BY id");
    agent GET_ON = "UPDATE care_batches SET done = $3, draft = $4, expires_at = $5 WHERE agent_id = $1 AND id = $2";
    agent DROP_BATCH = "DELETE FROM care_batches WHERE agent_id = $1 AND id = $2";
}

/// What a summary is made from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SourceKind {
    /// A memory.
    Memory,
    /// A message.
    Message,
    /// An earlier summary.
    Summary,
}

impl SourceKind {
    /// As stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            SourceKind::Memory => "memory",
            SourceKind::Message => "message",
            SourceKind::Summary => "summary",
        }
    }

    fn parse(word: &str) -> Result<SourceKind> {
        let all = [SourceKind::Memory, SourceKind::Message, SourceKind::Summary];
        let found = all.into_iter().find(|kind| kind.as_str() == word);
        found.ok_or_else(|| StoreError::Damaged("a source of a summary is of no known kind".into()))
    }
}

/// One thing that a summary was made from.
pub type Source = (SourceKind, Id);

/// Rows that are about to be folded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Batch {
    /// Its name.
    pub id: BatchId,
    /// What it is made of.
    pub phase: Phase,
    /// What the agent asked to have folded.
    pub what: What,
    /// The theme that it chose.
    pub focus: Option<String>,
    /// With whom, for conversations.
    pub counterpart: Option<EntityId>,
    /// Ids, in their order.
    pub sources: Vec<String>,
    /// So many of them are in the draft.
    pub done: usize,
    /// What was written of the parts so far.
    pub draft: Option<String>,
    /// Who writes.
    pub written_by: WrittenBy,
    /// Since when.
    pub created_at: Time,
    /// Until when the agent may take.
    pub expires_at: Time,
}

/// How many rows there are, and how many tokens they have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Weight {
    /// Rows.
    pub rows: u64,
    /// Of these, rows that an earlier version stored and nobody counted.
    pub uncounted: u64,
    /// Tokens of the others.
    pub tokens: u64,
}

impl Weight {
    pub(crate) fn of(row: Option<Row>) -> Result<Weight> {
        let Some(row) = row else { return Ok(Weight::default()) };
        let mut fields = row.fields();
        let (rows, counted) = (fields.count()?, fields.count()?);
        Ok(Weight { rows, uncounted: rows.saturating_sub(counted), tokens: fields.count()? })
    }
}

/// Adds a summary of memories, or of summaries.
pub fn insert(writer: &mut Writer, row: &Kept<MemorySummary>, sources: &[Source]) -> Result<()> {
    let mut bound = params![
        row.id.id(),
        row.focus.as_deref(),
        Value::Json(tags_json(&row.themes)),
        &row.content,
        row.written_by.as_str(),
        i64::from(row.memories),
        i64::from(row.depth),
        row.from,
        row.until,
        row.created_at,
        row.folded_into.map(SummaryId::id),
    ]
    .to_vec();
    bound.extend(provenance::counted_sealed(row));
    writer.execute(&INSERT, row.agent, &bound)?;
    add_sources(writer, row.agent, row.id, sources)
}

/// Adds a summary of a conversation.
pub fn insert_talk(writer: &mut Writer, row: &Kept<ConversationSummary>, sources: &[Source]) -> Result<()> {
    let mut bound = params![
        row.id.id(),
        row.counterpart.map(EntityId::id),
        &row.content,
        Value::Json(tags_json(&row.facts)),
        row.written_by.as_str(),
        i64::from(row.messages),
        row.from,
        row.until,
        row.created_at,
        row.folded_into.map(SummaryId::id),
    ]
    .to_vec();
    bound.extend(provenance::counted_sealed(row));
    writer.execute(&INSERT_TALK, row.agent, &bound)?;
    add_sources(writer, row.agent, row.id, sources)
}

fn add_sources(writer: &mut Writer, agent: AgentId, id: SummaryId, sources: &[Source]) -> Result<()> {
    let row = |(kind, item): &Source| vec![Value::Id(id.id()), kind.as_str().into(), Value::Id(*item)];
    let rows: Vec<Vec<Value>> = sources.iter().map(row).collect();
    writer.insert_all(&ADD_SOURCES, agent, &rows).map(drop)
}

/// What a summary was made from.
pub fn sources(reader: &mut Reader, agent: AgentId, id: SummaryId) -> Result<Vec<Source>> {
    let source = |row: Row| {
        let mut fields = row.fields();
        Ok((SourceKind::parse(&fields.text()?)?, fields.id()?))
    };
    reader.rows(&SOURCES, agent, params![id.id()])?.into_iter().map(source).collect()
}

/// The summaries, of either sort, that were made from something; not those that were made from them in turn.
pub fn of_source(reader: &mut Reader, agent: AgentId, (kind, item): Source) -> Result<Vec<SummaryId>> {
    let rows = reader.rows(&OF_SOURCE, agent, params![kind.as_str(), item])?;
    rows.into_iter().map(|row| Ok(SummaryId::of(row.fields().id()?))).collect()
}

/// Takes a summary of either sort away, with what it was made from; says whether there was one. An erasure must be open.
pub fn delete(writer: &mut Writer, agent: AgentId, id: SummaryId) -> Result<bool> {
    writer.execute(&DROP_SOURCES, agent, params![id.id()])?;
    let mut gone = 0;
    for statement in [&DELETE, &DELETE_TALK] {
        gone += writer.execute(statement, agent, params![id.id()])?;
    }
    Ok(gone > 0)
}

/// The summaries of memories that came by a neural link, seen or not.
pub fn of_link(reader: &mut Reader, agent: AgentId, link: LinkId) -> Result<Vec<SummaryId>> {
    let rows = reader.rows(&OF_LINK, agent, params![link.to_string()])?;
    rows.into_iter().map(|row| Ok(SummaryId::of(row.fields().id()?))).collect()
}

/// The next summaries of memories after one, seen or not.
pub fn ids_after(reader: &mut Reader, agent: AgentId, after: Id, limit: i64) -> Result<Vec<SummaryId>> {
    let rows = reader.rows(&IDS_AFTER, agent, params![after, limit])?;
    rows.into_iter().map(|row| Ok(SummaryId::of(row.fields().id()?))).collect()
}

/// Notes which summary of the giver a copy was made of: with it, it goes.
pub fn add_origin(writer: &mut Writer, agent: AgentId, id: SummaryId, origin: SummaryId) -> Result<()> {
    writer.execute(&ADD_ORIGIN, agent, params![id.id(), origin.id()]).map(drop)
}

/// What came by a link as the copy of one of these summaries of the giver, seen or not.
pub fn copies_of(
    reader: &mut Reader,
    agent: AgentId,
    link: LinkId,
    origins: &[SummaryId],
) -> Result<Vec<SummaryId>> {
    let rows = reader.rows_in(&COPIES_OF, agent, params![link.to_string()], &values(origins))?;
    rows.into_iter().map(|row| Ok(SummaryId::of(row.fields().id()?))).collect()
}

/// Summaries of memories that were in another are in none again.
pub fn unfold(writer: &mut Writer, agent: AgentId, from: SummaryId) -> Result<()> {
    writer.execute(&UNFOLD, agent, params![from.id()]).map(drop)
}

/// One summary of memories.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: SummaryId) -> Result<Option<Kept<MemorySummary>>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(|row| of_memories(agent, row)).transpose()
}

/// One summary of memories, also one that nobody sees yet or any more.
pub fn by_id_hidden_or_not(
    reader: &mut Reader,
    agent: AgentId,
    id: SummaryId,
) -> Result<Option<Kept<MemorySummary>>> {
    reader.row(&HIDDEN_OR_NOT, agent, params![id.id()])?.map(|row| of_memories(agent, row)).transpose()
}

/// One summary of a conversation.
pub fn talk_by_id(
    reader: &mut Reader,
    agent: AgentId,
    id: SummaryId,
) -> Result<Option<Kept<ConversationSummary>>> {
    reader.row(&TALK_BY_ID, agent, params![id.id()])?.map(|row| of_talk(agent, row)).transpose()
}

/// These summaries of memories, as far as they are there and seen; a damaged one comes as the error that it is.
pub fn by_ids(
    reader: &mut Reader,
    agent: AgentId,
    ids: &[SummaryId],
) -> Result<Vec<Result<Kept<MemorySummary>>>> {
    let rows = reader.rows_in(&BY_IDS, agent, &[], &values(ids))?;
    Ok(rows.into_iter().map(|row| of_memories(agent, row)).collect())
}

/// These summaries of conversations, as far as they are there; a damaged one comes as the error that it is.
pub fn talks_by_ids(
    reader: &mut Reader,
    agent: AgentId,
    ids: &[SummaryId],
) -> Result<Vec<Result<Kept<ConversationSummary>>>> {
    let rows = reader.rows_in(&TALKS_BY_IDS, agent, &[], &values(ids))?;
    Ok(rows.into_iter().map(|row| of_talk(agent, row)).collect())
}

/// Which of these are seen at all, of either sort: those that a link brought are not before it is shown.
pub fn seen(reader: &mut Reader, agent: AgentId, ids: &[SummaryId]) -> Result<Vec<SummaryId>> {
    let mut seen = Vec::new();
    for statement in [&SEEN, &TALKS_SEEN] {
        for row in reader.rows_in(statement, agent, &[], &values(ids))? {
            seen.push(SummaryId::of(row.fields().id()?));
        }
    }
    Ok(seen)
}

fn values(ids: &[SummaryId]) -> Vec<Value> {
    ids.iter().map(|id| Value::Id(id.id())).collect()
}

/// The summaries of memories that are in no other, the oldest first; a damaged one comes as the error that it is.
pub fn current(reader: &mut Reader, agent: AgentId) -> Result<Vec<Result<Kept<MemorySummary>>>> {
    Ok(reader.rows(&CURRENT, agent, &[])?.into_iter().map(|row| of_memories(agent, row)).collect())
}

/// The summaries of conversations that are in no other: one for each counterpart.
pub fn current_talks(reader: &mut Reader, agent: AgentId) -> Result<Vec<Result<Kept<ConversationSummary>>>> {
    Ok(reader.rows(&CURRENT_TALKS, agent, &[])?.into_iter().map(|row| of_talk(agent, row)).collect())
}

/// Summaries of memories before an id, the newest first.
pub fn newest(
    reader: &mut Reader,
    agent: AgentId,
    before: Id,
    limit: i64,
) -> Result<Vec<Result<Kept<MemorySummary>>>> {
    let rows = reader.rows(&NEWEST, agent, params![before, limit])?;
    Ok(rows.into_iter().map(|row| of_memories(agent, row)).collect())
}

/// Summaries of conversations before an id, the newest first.
pub fn newest_talks(
    reader: &mut Reader,
    agent: AgentId,
    before: Id,
    limit: i64,
) -> Result<Vec<Result<Kept<ConversationSummary>>>> {
    let rows = reader.rows(&NEWEST_TALKS, agent, params![before, limit])?;
    Ok(rows.into_iter().map(|row| of_talk(agent, row)).collect())
}

/// The next summaries of memories after an id.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    after: Id,
    limit: i64,
) -> Result<Vec<Result<Kept<MemorySummary>>>> {
    let rows = reader.rows(&PAGE, agent, params![after, limit])?;
    Ok(rows.into_iter().map(|row| of_memories(agent, row)).collect())
}

/// The next summaries of conversations after an id.
pub fn talk_page(
    reader: &mut Reader,
    agent: AgentId,
    after: Id,
    limit: i64,
) -> Result<Vec<Result<Kept<ConversationSummary>>>> {
    let rows = reader.rows(&TALK_PAGE, agent, params![after, limit])?;
    Ok(rows.into_iter().map(|row| of_talk(agent, row)).collect())
}

/// Says of summaries of memories that they are in another; gives how many were in none.
pub fn fold(writer: &mut Writer, agent: AgentId, into: SummaryId, ids: &[SummaryId]) -> Result<u64> {
    folded(writer, &FOLD, agent, into, ids)
}

/// Says of summaries of conversations that they are in another; gives how many were in none.
pub fn fold_talk(writer: &mut Writer, agent: AgentId, into: SummaryId, ids: &[SummaryId]) -> Result<u64> {
    folded(writer, &FOLD_TALK, agent, into, ids)
}

fn folded(
    writer: &mut Writer,
    statement: &crate::statement::Statement,
    agent: AgentId,
    into: SummaryId,
    ids: &[SummaryId],
) -> Result<u64> {
    writer.execute_in(statement, agent, params![into.id()], &values(ids))
}

/// How many there are that are in no other: of memories, and of conversations.
pub fn count(reader: &mut Reader, agent: AgentId) -> Result<u64> {
    let mut all = 0;
    for statement in [&COUNT, &COUNT_TALKS] {
        all += reader.row(statement, agent, &[])?.map_or(Ok(0), |row| row.fields().count())?;
    }
    Ok(all)
}

/// How much those have that are in no other.
pub fn weight(reader: &mut Reader, agent: AgentId) -> Result<Weight> {
    let memories = Weight::of(reader.row(&TOKENS, agent, &[])?)?;
    let talks = Weight::of(reader.row(&TALK_TOKENS, agent, &[])?)?;
    Ok(Weight {
        rows: memories.rows + talks.rows,
        uncounted: memories.uncounted + talks.uncounted,
        tokens: memories.tokens + talks.tokens,
    })
}

/// Adds a batch.
pub fn insert_batch(writer: &mut Writer, agent: AgentId, batch: &Batch) -> Result<()> {
    let bound = params![
        batch.id.id(),
        batch.phase.as_str(),
        batch.what.as_str(),
        batch.focus.as_deref(),
        batch.counterpart.map(EntityId::id),
        Value::Json(tags_json(&batch.sources)),
        batch.done as i64,
        batch.draft.as_deref(),
        batch.written_by.as_str(),
        batch.created_at,
        batch.expires_at,
    ];
    writer.execute(&INSERT_BATCH, agent, bound).map(drop)
}

/// Every batch that somebody may be at.
pub fn batches(reader: &mut Reader, agent: AgentId) -> Result<Vec<Batch>> {
    reader.rows(&BATCHES, agent, &[])?.into_iter().map(batch).collect()
}

/// Keeps what was written of some parts.
pub fn get_on(
    writer: &mut Writer,
    agent: AgentId,
    id: BatchId,
    done: usize,
    draft: &str,
    expires_at: Time,
) -> Result<()> {
    writer.execute(&GET_ON, agent, params![id.id(), done as i64, draft, expires_at]).map(drop)
}

/// A batch is done or given up; says whether there was one.
pub fn drop_batch(writer: &mut Writer, agent: AgentId, id: BatchId) -> Result<bool> {
    Ok(writer.execute(&DROP_BATCH, agent, params![id.id()])? > 0)
}

fn of_memories(agent: AgentId, row: Row) -> Result<Kept<MemorySummary>> {
    let mut fields = row.fields();
    let id = SummaryId::of(fields.id()?);
    let summary = MemorySummary {
        id,
        agent,
        focus: fields.opt_text()?,
        themes: list(&mut fields, id)?,
        content: fields.text()?,
        written_by: writer(&mut fields, id)?,
        memories: u32::try_from(fields.count()?).unwrap_or(u32::MAX),
        depth: u32::try_from(fields.count()?).unwrap_or(u32::MAX),
        from: fields.time()?,
        until: fields.time()?,
        created_at: fields.time()?,
        folded_into: fields.opt_id()?.map(SummaryId::of),
    };
    provenance::counted_believed(summary, &mut fields)
}

fn of_talk(agent: AgentId, row: Row) -> Result<Kept<ConversationSummary>> {
    let mut fields = row.fields();
    let id = SummaryId::of(fields.id()?);
    let summary = ConversationSummary {
        id,
        agent,
        counterpart: fields.opt_id()?.map(EntityId::of),
        content: fields.text()?,
        facts: list(&mut fields, id)?,
        written_by: writer(&mut fields, id)?,
        messages: u32::try_from(fields.count()?).unwrap_or(u32::MAX),
        from: fields.time()?,
        until: fields.time()?,
        created_at: fields.time()?,
        folded_into: fields.opt_id()?.map(SummaryId::of),
    };
    provenance::counted_believed(summary, &mut fields)
}

fn batch(row: Row) -> Result<Batch> {
    let mut fields = row.fields();
    let id = BatchId::of(fields.id()?);
    Ok(Batch {
        id,
        phase: Phase::parse(&fields.text()?).map_err(|_| unreadable(&id))?,
        what: What::parse(&fields.text()?).map_err(|_| unreadable(&id))?,
        focus: fields.opt_text()?,
        counterpart: fields.opt_id()?.map(EntityId::of),
        sources: list(&mut fields, id)?,
        done: usize::try_from(fields.count()?).unwrap_or(usize::MAX),
        draft: fields.opt_text()?,
        written_by: writer(&mut fields, id)?,
        created_at: fields.time()?,
        expires_at: fields.time()?,
    })
}

fn list(fields: &mut Fields, id: impl std::fmt::Display) -> Result<Vec<String>> {
    serde_json::from_str(&fields.json()?).map_err(|_| unreadable(&id))
}

fn writer(fields: &mut Fields, id: impl std::fmt::Display) -> Result<WrittenBy> {
    WrittenBy::parse(&fields.text()?).map_err(|_| unreadable(&id))
}

fn unreadable(id: &impl std::fmt::Display) -> StoreError {
    StoreError::Damaged(format!("a column of {id} cannot be read"))
}
