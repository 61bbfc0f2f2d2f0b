//! What only forgetting asks and does: which rows belong to what is forgotten, and how a row of each layer goes. The schema
//! refuses all of it unless an erasure is open.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::{Statement, statements};
use crate::value::{Value, params};
use selfsame_core::id::{
    AgentId, CalendarId, CandidateId, ConversationId, DiaryId, EntityId, Id, MessageId, PrincipalId, SoulId,
    TodoId,
};
use selfsame_core::time::Time;

statements! {
    agent DIARY = "DELETE FROM diary_entries WHERE agent_id = $1 AND id = $2";
    agent TODO = "DELETE FROM todos WHERE agent_id = $1 AND id = $2";
    agent SOUL = "DELETE FROM soul_entries WHERE agent_id = $1 AND id = $2";
    agent EXCEPTIONS = "DELETE FROM calendar_exceptions WHERE agent_id = $1 AND event_id = $2";
    agent CALENDAR = "DELETE FROM calendar_events WHERE agent_id = $1 AND id = $2";
    agent CANDIDATE = "DELETE FROM inbox_candidates WHERE agent_id = $1 AND id = $2";
    agent MENTIONS_IN = "DELETE FROM mentions WHERE agent_id = $1 AND item_kind = 'message' AND item_id = $2";
    agent MESSAGE = "DELETE FROM messages WHERE agent_id = $1 AND id = $2";
    agent PARTICIPANTS = "DELETE FROM conversation_participants WHERE agent_id = $1 AND conversation_id = $2";
    agent SITTINGS = "DELETE FROM threads WHERE agent_id = $1 AND source_id = $2";
    agent CONVERSATION = "DELETE FROM conversations WHERE agent_id = $1 AND id = $2";
    agent UNTITLE = "UPDATE conversations SET title = NULL, channel = NULL WHERE agent_id = $1 AND id = $2";
    agent UNPROFILE = "UPDATE entities SET profile_summary = NULL, profile_by = NULL, profile_sources = NULL
        WHERE agent_id = $1 AND id = $2";
    agent HISTORY = "DELETE FROM relationship_history WHERE agent_id = $1 AND entity_id = $2";
    agent RELATIONSHIP = "DELETE FROM relationships WHERE agent_id = $1 AND entity_id = $2";
    agent UNRATIONALE = "UPDATE relationships SET rationale = $3, relationship_notes = NULL, emotional_tone = NULL
        WHERE agent_id = $1 AND entity_id = $2";
    agent NAMES = "DELETE FROM entity_names WHERE agent_id = $1 AND entity_id = $2";
    agent MENTIONS_OF = "DELETE FROM mentions WHERE agent_id = $1 AND entity_id = $2";
    agent TOPIC_DAYS = "DELETE FROM topic_days WHERE agent_id = $1 AND topic_id = $2";
    agent TOPIC_HABITS = "DELETE FROM topic_habits WHERE agent_id = $1 AND topic_id = $2";
    agent TAKES_PART = "DELETE FROM conversation_participants WHERE agent_id = $1 AND entity_id = $2";
    agent MARKS = "DELETE FROM heartbeat_marks WHERE agent_id = $1 AND ref_id = $2";
    agent ENTITY = "DELETE FROM entities WHERE agent_id = $1 AND id = $2";
    agent NAMELESS = "UPDATE entities SET name = $3, agent_ref = NULL WHERE agent_id = $1 AND id = $2";
    agent NAMELESS_PRINCIPAL = "UPDATE principals SET name = $3 WHERE agent_id = $1 AND entity_id = $2";
    agent PRINCIPALS_OF = "SELECT id, operator FROM principals WHERE agent_id = $1 AND entity_id = $2";
    global REVOKE_KEYS = "UPDATE keys SET revoked_at = $3 WHERE agent_id = $1 AND principal_id = $2 AND revoked_at IS NULL";
    agent SOURCE_ROWS = "DELETE FROM memory_sources WHERE agent_id = $1 AND source_ref = $2";
    agent CONFLICT = "DELETE FROM knowledge_conflicts WHERE agent_id = $1 AND id = $2";
    agent SLOTS_UNUSED = "DELETE FROM knowledge_slots WHERE agent_id = $1 AND name = $2";
    agent KEYS_IN_USE = "SELECT canonical_key FROM knowledge_claims WHERE agent_id = $1
        UNION SELECT canonical_key FROM knowledge_observations WHERE agent_id = $1";

    agent MEMORIES_ABOUT = "SELECT id FROM memory_items WHERE agent_id = $1 AND entity_id = $2
        UNION SELECT item_id FROM mentions WHERE agent_id = $1 AND entity_id = $2 AND item_kind <> 'message'";
    agent MESSAGES_ABOUT = "SELECT id FROM messages WHERE agent_id = $1 AND speaker_id = $2
        UNION SELECT item_id FROM mentions WHERE agent_id = $1 AND entity_id = $2 AND item_kind = 'message'";
    agent CANDIDATES_ABOUT = "SELECT id FROM inbox_candidates WHERE agent_id = $1 AND entity_id = $2";
    agent BELIEFS_ABOUT = "SELECT id FROM knowledge_observations WHERE agent_id = $1 AND subject_id = $2";
    agent MESSAGES_OF = "SELECT id FROM messages WHERE agent_id = $1 AND conversation_id = $2";
    agent CANDIDATES_OF = "SELECT id FROM inbox_candidates WHERE agent_id = $1 AND conversation_id = $2";
    agent CANDIDATES_OF_MEMORY = "SELECT id FROM inbox_candidates WHERE agent_id = $1 AND memory_id = $2";
    agent PROFILES_FROM = "SELECT id FROM entities WHERE agent_id = $1 AND CAST(profile_sources AS TEXT) LIKE $2";
    agent CAME_BY_MEMORIES = "SELECT id FROM memory_items WHERE agent_id = $1 AND source_ref = $2";
    agent CAME_BY_MESSAGES = "SELECT id FROM messages WHERE agent_id = $1 AND source_ref = $2";
    agent CAME_BY_CANDIDATES = "SELECT id FROM inbox_candidates WHERE agent_id = $1 AND source_ref = $2";
    agent IMPORTED_MEMORIES = "SELECT id, source_ref FROM memory_items WHERE agent_id = $1 AND author = 'import'
        AND source_ref IS NOT NULL";
    agent IMPORTED_CANDIDATES = "SELECT id, source_ref FROM inbox_candidates WHERE agent_id = $1 AND author = 'import'
        AND source_ref IS NOT NULL";
    agent CAME_BY_LESSONS = "SELECT id FROM lessons WHERE agent_id = $1 AND source_ref = $2";
    agent CAME_BY_DIARY = "SELECT id FROM diary_entries WHERE agent_id = $1 AND source_ref = $2";
}

/// The rows that came by this message, call, file or run, by the kind of item that they are.
pub fn came_by(reader: &mut Reader, agent: AgentId, source: &str) -> Result<Vec<(&'static str, Id)>> {
    let layers: [(&'static str, &Statement); 5] = [
        ("memory", &CAME_BY_MEMORIES),
        ("message", &CAME_BY_MESSAGES),
        ("candidate", &CAME_BY_CANDIDATES),
        ("lesson", &CAME_BY_LESSONS),
        ("diary", &CAME_BY_DIARY),
    ];
    let mut found = Vec::new();
    for (kind, statement) in layers {
        let rows = reader.rows(statement, agent, params![source])?;
        found.extend(ids(rows)?.into_iter().map(|id| (kind, id)));
    }
    Ok(found)
}

/// What runs of reading in brought, with where each says that it comes from, by the kind of item that it is.
pub fn imported(reader: &mut Reader, agent: AgentId) -> Result<Vec<(&'static str, Id, String)>> {
    let layers = [("memory", &IMPORTED_MEMORIES), ("candidate", &IMPORTED_CANDIDATES)];
    let mut found = Vec::new();
    for (kind, statement) in layers {
        for row in reader.rows(statement, agent, &[])? {
            let mut fields = row.fields();
            found.push((kind, fields.id()?, fields.text()?));
        }
    }
    Ok(found)
}

/// What speaks of somebody, by the kind of item that it is.
pub fn about(reader: &mut Reader, agent: AgentId, entity: EntityId) -> Result<Vec<(&'static str, Id)>> {
    let layers: [(&'static str, &Statement, Value); 4] = [
        ("memory", &MEMORIES_ABOUT, entity.id().into()),
        ("message", &MESSAGES_ABOUT, entity.id().into()),
        ("candidate", &CANDIDATES_ABOUT, entity.id().into()),
        ("observation", &BELIEFS_ABOUT, entity.to_string().into()),
    ];
    let mut found = Vec::new();
    for (kind, statement, of) in layers {
        let rows = reader.rows(statement, agent, &[of])?;
        found.extend(ids(rows)?.into_iter().map(|id| (kind, id)));
    }
    Ok(found)
}

/// The messages and candidates of a conversation.
pub fn of_conversation(
    reader: &mut Reader,
    agent: AgentId,
    id: ConversationId,
) -> Result<Vec<(&'static str, Id)>> {
    let messages = ids(reader.rows(&MESSAGES_OF, agent, params![id.id()])?)?;
    let candidates = ids(reader.rows(&CANDIDATES_OF, agent, params![id.id()])?)?;
    let messages = messages.into_iter().map(|id| ("message", id));
    Ok(messages.chain(candidates.into_iter().map(|id| ("candidate", id))).collect())
}

/// The candidates that a memory was made of.
pub fn candidates_of(reader: &mut Reader, agent: AgentId, memory: Id) -> Result<Vec<Id>> {
    ids(reader.rows(&CANDIDATES_OF_MEMORY, agent, params![memory])?)
}

/// Whose profiles were made from this, among others.
pub fn profiles_from(reader: &mut Reader, agent: AgentId, source: &str) -> Result<Vec<Id>> {
    ids(reader.rows(&PROFILES_FROM, agent, params![format!("%\"{source}\"%")])?)
}

fn ids(rows: Vec<crate::value::Row>) -> Result<Vec<Id>> {
    rows.into_iter().map(|row| row.fields().id()).collect()
}

fn run(writer: &mut Writer, agent: AgentId, statements: &[&Statement], id: Id) -> Result<()> {
    for statement in statements {
        writer.execute(statement, agent, params![id])?;
    }
    Ok(())
}

/// An entry of the diary goes.
pub fn diary(writer: &mut Writer, agent: AgentId, id: DiaryId) -> Result<()> {
    run(writer, agent, &[&DIARY], id.id())
}

/// A to-do goes.
pub fn todo(writer: &mut Writer, agent: AgentId, id: TodoId) -> Result<()> {
    run(writer, agent, &[&TODO], id.id())
}

/// An entry of the calendar goes.
pub fn calendar(writer: &mut Writer, agent: AgentId, id: CalendarId) -> Result<()> {
    run(writer, agent, &[&EXCEPTIONS, &CALENDAR], id.id())
}

/// Something the agent was at heart goes.
pub fn soul(writer: &mut Writer, agent: AgentId, id: SoulId) -> Result<()> {
    run(writer, agent, &[&SOUL], id.id())
}

/// A candidate goes.
pub fn candidate(writer: &mut Writer, agent: AgentId, id: CandidateId) -> Result<()> {
    run(writer, agent, &[&CANDIDATE], id.id())
}

/// A message goes; its place in the numbering of its conversation stays empty.
pub fn message(writer: &mut Writer, agent: AgentId, id: MessageId) -> Result<()> {
    run(writer, agent, &[&MENTIONS_IN, &MESSAGE], id.id())
}

/// A conversation goes, after its messages.
pub fn conversation(writer: &mut Writer, agent: AgentId, id: ConversationId) -> Result<()> {
    run(writer, agent, &[&PARTICIPANTS, &SITTINGS, &CONVERSATION], id.id())
}

/// A conversation keeps neither title nor channel.
pub fn title(writer: &mut Writer, agent: AgentId, id: ConversationId) -> Result<()> {
    run(writer, agent, &[&UNTITLE], id.id())
}

/// Somebody's profile goes.
pub fn profile(writer: &mut Writer, agent: AgentId, id: EntityId) -> Result<()> {
    run(writer, agent, &[&UNPROFILE], id.id())
}

/// Why the agent stands to somebody as it does is forgotten; how it stands to them stays.
pub fn relationship(writer: &mut Writer, agent: AgentId, id: EntityId, instead: &str) -> Result<()> {
    run(writer, agent, &[&HISTORY], id.id())?;
    writer.execute(&UNRATIONALE, agent, params![id.id(), instead]).map(drop)
}

/// Somebody goes, after all that speaks of them. Who has a place of their own (a principal) keeps that, without a name and
/// without keys.
pub fn entity(writer: &mut Writer, agent: AgentId, id: EntityId, instead: &str, now: Time) -> Result<()> {
    let principals = principals_of(writer, agent, id)?;
    run(
        writer,
        agent,
        &[&NAMES, &MENTIONS_OF, &TOPIC_DAYS, &TOPIC_HABITS, &TAKES_PART, &MARKS, &HISTORY, &RELATIONSHIP],
        id.id(),
    )?;
    run(writer, agent, &[&UNPROFILE], id.id())?;
    if principals.is_empty() {
        return run(writer, agent, &[&ENTITY], id.id());
    }
    writer.execute(&NAMELESS, agent, params![id.id(), instead])?;
    for (principal, _) in principals {
        let name = format!("{instead} {principal}");
        writer.execute(&NAMELESS_PRINCIPAL, agent, params![id.id(), name])?;
        writer.global_execute(&REVOKE_KEYS, params![agent.id(), principal.id(), now])?;
    }
    Ok(())
}

/// The principals that somebody is, and whether each is the operator.
pub fn principals_of(reader: &mut Reader, agent: AgentId, id: EntityId) -> Result<Vec<(PrincipalId, bool)>> {
    let rows = reader.rows(&PRINCIPALS_OF, agent, params![id.id()])?;
    let one = |row: crate::value::Row| {
        let mut fields = row.fields();
        Ok((PrincipalId::of(fields.id()?), fields.bool()?))
    };
    rows.into_iter().map(one).collect()
}

/// That it was also said there is forgotten.
pub fn further_source(writer: &mut Writer, agent: AgentId, source: &str) -> Result<u64> {
    writer.execute(&SOURCE_ROWS, agent, params![source])
}

/// A conflict goes.
pub fn conflict(writer: &mut Writer, agent: AgentId, id: Id) -> Result<()> {
    run(writer, agent, &[&CONFLICT], id)
}

/// An agent's own question goes.
pub fn slot(writer: &mut Writer, agent: AgentId, name: &str) -> Result<()> {
    writer.execute(&SLOTS_UNUSED, agent, params![name]).map(drop)
}

/// The keys of all claims and beliefs.
pub fn keys_in_use(reader: &mut Reader, agent: AgentId) -> Result<Vec<String>> {
    reader.rows(&KEYS_IN_USE, agent, &[])?.into_iter().map(|row| row.fields().text()).collect()
}
