//! Memories: stored with their seal, read through it; and what changes in the course of their life.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::provenance::{self, counted_columns};
use crate::statement::statements;
use crate::summaries::Weight;
use crate::value::{Fields, Row, Value, params};
use selfsame_core::id::{AgentId, EntityId, Id, LinkId, MemoryId, PrincipalId};
use selfsame_core::kept::Spoiled;
use selfsame_core::memory::retention::{Decline, Hold};
use selfsame_core::memory::sameness::Prints;
use selfsame_core::memory::{Affect, Fact, Life, Links, Memory, MemoryKind, State, tags_json};
use selfsame_core::text::ANALYSER_VERSION;
use selfsame_core::time::Time;

macro_rules! columns {
    () => {
        concat!(
            "id, content, memory_type, entity_id, importance, tags, expires_at, created_at, valence, arousal, feeling, \
             goal_id, answers_id, resolves_id, replaces_id, state, pinned, stability, recall_count, last_recalled_at, \
             fades_at, stale_at, archive_at, next_state_at, summarized_into, replaced_by, updated_at, ",
            counted_columns!(),
            ", row_hash"
        )
    };
}

/// Of what came by links, what may be seen: nothing that is still being copied, and nothing that is being taken away.
macro_rules! visible {
    () => {
        " AND NOT (author = 'link' AND source_ref IN (SELECT source_ref FROM links WHERE agent_id = $1 AND hidden)) "
    };
}
pub(crate) use visible;

statements! {
    agent INSERT = concat!("INSERT INTO memory_items (agent_id, ", columns!(), ", content_hash, analyser, words_hash,
            gist_hash, serves_id, touched_at, worked_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
            $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42)");
    agent BY_ID = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND id = $2", visible!());
    agent BY_IDS = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND id IN ({list})", visible!());
    agent OF_PRINCIPAL = "SELECT id FROM memory_items WHERE agent_id = $1 AND principal_id = $2 AND id IN ({list})";
    agent PAGE = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND id > $2
        AND NOT (author = 'link' AND source_ref IN (SELECT source_ref FROM links WHERE agent_id = $1))
        ORDER BY id LIMIT $3");
    agent SHELF_PAGE = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND author = 'link'
        AND source_ref = $2 AND id > $3 ORDER BY id LIMIT $4");
    agent BANK_PAGE = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND id > $2 AND id <= $3",
        visible!(), "ORDER BY id LIMIT $4");
    agent LAST_ID = "SELECT id FROM memory_items WHERE agent_id = $1 ORDER BY id DESC LIMIT 1";
    agent OPEN_PAGE = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND id > $2
        AND NOT (author = 'link' AND source_ref IN (SELECT source_ref FROM links WHERE agent_id = $1))
        AND memory_type IN ('plan', 'question') AND state IN ('active', 'stale') AND words_hash IS NOT NULL
        ORDER BY id LIMIT $3");
    agent SCHEDULED_PAGE = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND id > $2
        AND serves_id IS NOT NULL AND state IN ('active', 'stale') AND CAST(tags AS TEXT) LIKE '%\"cron:%'
        ORDER BY id LIMIT $3");
    agent DATED_PAGE = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND id > $2
        AND serves_id IS NOT NULL AND state <> 'resolved' AND replaced_by IS NULL AND expires_at > $4
        ORDER BY id LIMIT $3");
    agent UNREAD = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND words_hash IS NULL
        LIMIT $2");
    agent NEWEST = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND id < $2",
        visible!(), "ORDER BY id DESC LIMIT $3");
    agent OF_WORDS = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND words_hash = $2
        AND replaced_by IS NULL AND summarized_into IS NULL AND state <> 'resolved'", visible!(), "ORDER BY id");
    // By its words: the index of what came by a link holds all of it, and a link would be looked through once for each of its
    // memories. What is joined to something is found by no index.
    agent OF_WORDS_ON_SHELF = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND words_hash = $2
        AND author || '' = 'link' AND source_ref || '' = $3 ORDER BY id");
    agent BY_ID_SEEN_OR_NOT = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND id = $2");
    agent OF_GIST = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND gist_hash = $2
        AND words_hash <> $3 AND state IN ('active', 'stale')", visible!(), "ORDER BY id DESC LIMIT $4");
    agent DUE = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND next_state_at <= $2",
        visible!(), "ORDER BY next_state_at, id LIMIT $3");
    agent OF_SOURCE = concat!("SELECT id FROM memory_items WHERE agent_id = $1 AND source_ref = $2", visible!(),
        "ORDER BY id");
    agent SAID_BY = "SELECT id FROM memory_items WHERE agent_id = $1 AND principal_id = $2 AND author = 'principal'
        ORDER BY id";
    agent IDS_AFTER = "SELECT id FROM memory_items WHERE agent_id = $1 AND id > $2 ORDER BY id LIMIT $3";
    agent IN_MIND = concat!("SELECT ", columns!(), " FROM memory_items WHERE agent_id = $1 AND id > $2
        AND state IN ('active', 'stale')", visible!(), "ORDER BY id LIMIT $3");
    agent WEIGHT = concat!("SELECT COUNT(*), COUNT(tokens), CAST(COALESCE(SUM(tokens), 0) AS {int}) FROM
        (SELECT tokens FROM memory_items WHERE agent_id = $1 AND state IN ('active', 'stale')",
            visible!(), "ORDER BY id DESC LIMIT $2) AS newest");
    agent COUNT = concat!("SELECT COUNT(*) FROM memory_items WHERE agent_id = $1", visible!());
    agent LIVE = "UPDATE memory_items SET state = $3, pinned = $4, stability = $5, recall_count = $6,
            last_recalled_at = $7, fades_at = $8, stale_at = $9, archive_at = $10, next_state_at = $11,
            summarized_into = $12, replaced_by = $13, updated_at = $14
        WHERE agent_id = $1 AND id = $2";
    agent COMPARABLE = "UPDATE memory_items SET words_hash = $3, gist_hash = $4
        WHERE agent_id = $1 AND id = $2 AND words_hash IS NULL";
    agent TOUCH = "UPDATE memory_items SET touched_at = $3 WHERE agent_id = $1 AND id = $2";
    agent WORKED_ON = "UPDATE memory_items SET touched_at = $3, worked_at = $3 WHERE agent_id = $1 AND id = $2";
    agent ANSWERED = "UPDATE memory_items SET worked_at = $3 WHERE agent_id = $1 AND id = $2";
    agent NEWEST_ANSWER = concat!("SELECT created_at FROM memory_items WHERE agent_id = $1 AND answers_id = $2",
        visible!(), "ORDER BY created_at DESC LIMIT 1");
    agent LEAVE_ALONE = "UPDATE memory_items SET next_state_at = NULL WHERE agent_id = $1 AND id = $2";
    agent DELETE = "DELETE FROM memory_items WHERE agent_id = $1 AND id = $2";
}

/// Adds a memory; `prints` are those of its words, `serves` is whose heartbeat it feeds.
pub fn insert(
    writer: &mut Writer,
    memory: &Memory,
    prints: &Prints,
    serves: Option<PrincipalId>,
) -> Result<()> {
    let Links { goal, answers, resolves, replaces } = memory.links;
    let bare = |link: Option<MemoryId>| link.map(MemoryId::id);
    let mut bound: Vec<Value> = params![
        memory.id.id(),
        &memory.content,
        memory.kind.as_str(),
        memory.entity.map(EntityId::id),
        memory.importance,
        Value::Json(tags_json(&memory.tags)),
        memory.expires_at,
        memory.created_at,
        memory.affect.valence,
        memory.affect.arousal,
        memory.affect.feeling.as_deref(),
        bare(goal),
        bare(answers),
        bare(resolves),
        bare(replaces),
    ]
    .to_vec();
    bound.extend(life_values(&memory.life));
    bound.extend(provenance::counted_sealed(memory));
    bound.extend(
        params![
            &memory.content_hash(),
            ANALYSER_VERSION,
            &prints.words,
            &prints.gist,
            serves.map(PrincipalId::id),
            memory.created_at,
            (memory.kind == MemoryKind::Plan).then_some(memory.created_at),
        ]
        .iter()
        .cloned(),
    );
    writer.execute(&INSERT, memory.agent, &bound)?;
    Ok(())
}

/// What changes of a memory, in the order of its columns.
fn life_values(life: &Life) -> [Value; 12] {
    let Hold { stability, recall_count, last_recalled_at } = life.hold;
    let Decline { fades_at, stale_at, archive_at, next_state_at } = life.decline;
    [
        life.state.as_str().into(),
        life.pinned.into(),
        stability.into(),
        recall_count.into(),
        last_recalled_at.into(),
        fades_at.into(),
        stale_at.into(),
        archive_at.into(),
        next_state_at.into(),
        life.summarized_into.into(),
        life.replaced_by.map(MemoryId::id).into(),
        life.updated_at.into(),
    ]
}

/// Stores how a memory goes on.
pub fn live_on(writer: &mut Writer, memory: &Memory) -> Result<()> {
    let bound: Vec<Value> = std::iter::once(memory.id.id().into()).chain(life_values(&memory.life)).collect();
    writer.execute(&LIVE, memory.agent, &bound)?;
    Ok(())
}

/// Something was done about a memory: it was said again, or worked on. To be recalled is no touch.
pub fn touch(writer: &mut Writer, agent: AgentId, id: MemoryId, now: Time) -> Result<()> {
    writer.execute(&TOUCH, agent, params![id.id(), now]).map(drop)
}

/// Something was done for a plan: that is a touch, too.
pub fn worked_on(writer: &mut Writer, agent: AgentId, plan: MemoryId, now: Time) -> Result<()> {
    writer.execute(&WORKED_ON, agent, params![plan.id(), now]).map(drop)
}

/// A question has something that answers it.
pub fn answered(writer: &mut Writer, agent: AgentId, question: MemoryId, now: Time) -> Result<()> {
    writer.execute(&ANSWERED, agent, params![question.id(), now]).map(drop)
}

/// An answer to a question is gone: it waits again, unless there is another.
pub fn unanswered(writer: &mut Writer, agent: AgentId, question: MemoryId) -> Result<()> {
    let newest = writer.row(&NEWEST_ANSWER, agent, params![question.id()])?;
    let newest = newest.map(|row| row.fields().time()).transpose()?;
    writer.execute(&ANSWERED, agent, params![question.id(), newest]).map(drop)
}

/// Memories that an earlier version stored, before words were compared; in no order.
pub fn unread(reader: &mut Reader, agent: AgentId, limit: i64) -> Result<Vec<Result<Memory>>> {
    Ok(each_believed(agent, reader.rows(&UNREAD, agent, params![limit])?))
}

/// Makes a memory of an earlier version comparable with new ones.
pub fn make_comparable(writer: &mut Writer, memory: &Memory) -> Result<()> {
    let Prints { words, gist } = Prints::of(&memory.content);
    writer.execute(&COMPARABLE, memory.agent, params![memory.id.id(), &words, &gist])?;
    Ok(())
}

/// Sees to it that a damaged row of an earlier version is not read again and again: it is comparable with nothing.
pub fn give_up_comparing(writer: &mut Writer, agent: AgentId, id: Id) -> Result<()> {
    writer.execute(&COMPARABLE, agent, params![id, &[0u8; 32], &[0u8; 32]])?;
    Ok(())
}

/// Sees to it that decay does not look at a row again.
pub fn leave_alone(writer: &mut Writer, agent: AgentId, id: Id) -> Result<()> {
    writer.execute(&LEAVE_ALONE, agent, params![id])?;
    Ok(())
}

/// One memory, whole; damaged ones are an error.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: MemoryId) -> Result<Option<Memory>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(|row| believed(agent, row)).transpose()
}

/// What of the asked-for is there, in no order; a damaged one comes as the error that it is.
pub fn by_ids(reader: &mut Reader, agent: AgentId, ids: &[MemoryId]) -> Result<Vec<Result<Memory>>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(id.id())).collect();
    Ok(each_believed(agent, reader.rows_in(&BY_IDS, agent, &[], &list)?))
}

/// Which of these are in the name of a principal, as the rows say: their seals are not looked at.
pub fn of_principal(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    ids: &[Id],
) -> Result<Vec<Id>> {
    provenance::of_principal(reader, &OF_PRINCIPAL, agent, principal, ids)
}

/// The next memories after `after` that came by no link, in the order of their ids.
pub fn page(reader: &mut Reader, agent: AgentId, after: MemoryId, limit: i64) -> Result<Vec<Result<Memory>>> {
    Ok(each_believed(agent, reader.rows(&PAGE, agent, params![after.id(), limit])?))
}

/// The next memories that came by a link, seen or not, in the order of their ids.
pub fn shelf_page(
    reader: &mut Reader,
    agent: AgentId,
    link: LinkId,
    after: MemoryId,
    limit: i64,
) -> Result<Vec<Result<Memory>>> {
    let bound = params![link.to_string(), after.id(), limit];
    Ok(each_believed(agent, reader.rows(&SHELF_PAGE, agent, bound)?))
}

/// The next memories of all that an agent has, up to one of them, in the order of their ids.
pub fn bank_page(
    reader: &mut Reader,
    agent: AgentId,
    after: MemoryId,
    until: MemoryId,
    limit: i64,
) -> Result<Vec<Result<Memory>>> {
    Ok(each_believed(agent, reader.rows(&BANK_PAGE, agent, params![after.id(), until.id(), limit])?))
}

/// The greatest id of a memory.
pub fn last_id(reader: &mut Reader, agent: AgentId) -> Result<Option<MemoryId>> {
    reader.row(&LAST_ID, agent, &[])?.map(|row| Ok(MemoryId::of(row.fields().id()?))).transpose()
}

/// The next plans and questions that are open and the agent's own, in the order of their ids; without those still unread.
pub fn open_page(
    reader: &mut Reader,
    agent: AgentId,
    after: MemoryId,
    limit: i64,
) -> Result<Vec<Result<Memory>>> {
    Ok(each_believed(agent, reader.rows(&OPEN_PAGE, agent, params![after.id(), limit])?))
}

/// The next memories in mind that serve somebody and have a tag of a schedule, in the order of their ids. Goes through
/// all of them: it is asked once.
pub fn scheduled_page(
    reader: &mut Reader,
    agent: AgentId,
    after: Id,
    limit: i64,
) -> Result<Vec<Result<Memory>>> {
    Ok(each_believed(agent, reader.rows(&SCHEDULED_PAGE, agent, params![after, limit])?))
}

/// The next memories that serve somebody, are not done, and have a deadline later than `later_than`, in the order of
/// their ids. Goes through all of them: it is asked once.
pub fn dated_page(
    reader: &mut Reader,
    agent: AgentId,
    after: Id,
    limit: i64,
    later_than: Time,
) -> Result<Vec<Result<Memory>>> {
    Ok(each_believed(agent, reader.rows(&DATED_PAGE, agent, params![after, limit, later_than])?))
}

/// The memories before `before`, the newest first.
pub fn newest(reader: &mut Reader, agent: AgentId, before: Id, limit: i64) -> Result<Vec<Result<Memory>>> {
    Ok(each_believed(agent, reader.rows(&NEWEST, agent, params![before, limit])?))
}

/// The memories that have these words in this order, without those that were put away or are done.
pub fn of_words(reader: &mut Reader, agent: AgentId, words: &[u8; 32]) -> Result<Vec<Result<Memory>>> {
    Ok(each_believed(agent, reader.rows(&OF_WORDS, agent, params![words])?))
}

/// The memories that have these words in this order and came by a link, seen or not.
pub fn of_words_on_shelf(
    reader: &mut Reader,
    agent: AgentId,
    words: &[u8; 32],
    link: LinkId,
) -> Result<Vec<Result<Memory>>> {
    Ok(each_believed(agent, reader.rows(&OF_WORDS_ON_SHELF, agent, params![words, link.to_string()])?))
}

/// One memory, though it may be hidden with its link: for whoever takes it away.
pub fn by_id_hidden_or_not(reader: &mut Reader, agent: AgentId, id: MemoryId) -> Result<Option<Memory>> {
    reader.row(&BY_ID_SEEN_OR_NOT, agent, params![id.id()])?.map(|row| believed(agent, row)).transpose()
}

/// The newest memories that say the same but for negations, numbers and order.
pub fn of_gist(
    reader: &mut Reader,
    agent: AgentId,
    gist: &[u8; 32],
    words: &[u8; 32],
    limit: i64,
) -> Result<Vec<Result<Memory>>> {
    Ok(each_believed(agent, reader.rows(&OF_GIST, agent, params![gist, words, limit])?))
}

/// The memories whose state changes at `now` or should have before, the longest due first.
pub fn due(reader: &mut Reader, agent: AgentId, now: Time, limit: i64) -> Result<Vec<Result<Memory>>> {
    Ok(each_believed(agent, reader.rows(&DUE, agent, params![now, limit])?))
}

/// The memories that came by this message, call or document. Goes through all of them: few ask for it.
pub fn of_source(reader: &mut Reader, agent: AgentId, source: &str) -> Result<Vec<MemoryId>> {
    ids(reader.rows(&OF_SOURCE, agent, params![source])?)
}

/// The memories of a principal's own words. Goes through all of them: few ask for it.
pub fn said_by(reader: &mut Reader, agent: AgentId, principal: PrincipalId) -> Result<Vec<MemoryId>> {
    ids(reader.rows(&SAID_BY, agent, params![principal.id()])?)
}

/// The ids of the next memories after `after`, in their order.
pub fn ids_after(reader: &mut Reader, agent: AgentId, after: MemoryId, limit: i64) -> Result<Vec<MemoryId>> {
    ids(reader.rows(&IDS_AFTER, agent, params![after.id(), limit])?)
}

fn ids(rows: Vec<Row>) -> Result<Vec<MemoryId>> {
    rows.into_iter().map(|row| Ok(MemoryId::of(row.fields().id()?))).collect()
}

/// The next memories in mind after `after`, in the order of their ids.
pub fn in_mind(reader: &mut Reader, agent: AgentId, after: Id, limit: i64) -> Result<Vec<Result<Memory>>> {
    Ok(each_believed(agent, reader.rows(&IN_MIND, agent, params![after, limit])?))
}

/// How much the newest of those in mind have.
pub fn weight(reader: &mut Reader, agent: AgentId, most: i64) -> Result<Weight> {
    Weight::of(reader.row(&WEIGHT, agent, params![most])?)
}

/// How many the agent has.
pub fn count(reader: &mut Reader, agent: AgentId) -> Result<u64> {
    reader.row(&COUNT, agent, &[])?.map_or(Ok(0), |row| row.fields().count())
}

/// Removes a memory. The schema refuses unless an erasure is open.
pub fn delete(writer: &mut Writer, agent: AgentId, id: MemoryId) -> Result<bool> {
    Ok(writer.execute(&DELETE, agent, params![id.id()])? > 0)
}

fn each_believed(agent: AgentId, rows: Vec<Row>) -> Vec<Result<Memory>> {
    rows.into_iter().map(|row| believed(agent, row)).collect()
}

fn believed(agent: AgentId, row: Row) -> Result<Memory> {
    let mut fields = row.fields();
    let id = MemoryId::of(fields.id()?);
    let spoiled = |what| Spoiled { id: id.id(), name: format!("memory {id}"), what };
    let link = |id: Option<Id>| id.map(MemoryId::of);
    let fact = Fact {
        id,
        agent,
        content: fields.text()?,
        kind: MemoryKind::parse(&fields.text()?).map_err(|_| spoiled("its type is unknown"))?,
        entity: fields.opt_id()?.map(EntityId::of),
        importance: fields.real()?,
        tags: serde_json::from_str(&fields.json()?).map_err(|_| spoiled("its tags cannot be read"))?,
        expires_at: fields.opt_time()?,
        created_at: fields.time()?,
        affect: Affect {
            valence: fields.opt_real()?,
            arousal: fields.opt_real()?,
            feeling: fields.opt_text()?,
        },
        links: Links {
            goal: link(fields.opt_id()?),
            answers: link(fields.opt_id()?),
            resolves: link(fields.opt_id()?),
            replaces: link(fields.opt_id()?),
        },
        life: life(&mut fields, spoiled)?,
    };
    provenance::counted_believed(fact, &mut fields)
}

fn life(fields: &mut Fields, spoiled: impl Fn(&'static str) -> Spoiled) -> Result<Life> {
    Ok(Life {
        state: State::parse(&fields.text()?).map_err(|_| spoiled("its state is unknown"))?,
        pinned: fields.bool()?,
        hold: Hold {
            stability: fields.real()?,
            recall_count: u32::try_from(fields.count()?).unwrap_or(u32::MAX),
            last_recalled_at: fields.opt_time()?,
        },
        decline: Decline {
            fades_at: fields.opt_time()?,
            stale_at: fields.opt_time()?,
            archive_at: fields.opt_time()?,
            next_state_at: fields.opt_time()?,
        },
        summarized_into: fields.opt_id()?,
        replaced_by: fields.opt_id()?.map(MemoryId::of),
        updated_at: fields.time()?,
    })
}
