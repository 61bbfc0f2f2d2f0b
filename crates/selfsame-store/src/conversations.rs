//! Conversations and who takes part in them. Their messages are in `messages.rs`.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::id::{AgentId, ConversationId, EntityId, Id, PrincipalId};
use selfsame_core::time::Time;

macro_rules! columns {
    () => {
        "id, channel, title, principal_id, started_at, last_message_at, active_until, closed_at, last_seq, own_messages, \
         awaiting, sitting_at, wrote_at, conv_summarized_until"
    };
}

statements! {
    agent INSERT = "INSERT INTO conversations (agent_id, id, channel, title, principal_id, started_at, last_message_at,
            active_until, closed_at, last_seq, own_messages, conv_summarized_until)
        VALUES ($1, $2, $3, $4, $5, $6, NULL, $7, NULL, 0, 0, 0)";
    agent BY_ID = concat!("SELECT ", columns!(), " FROM conversations WHERE agent_id = $1 AND id = $2");
    agent BY_CHANNEL = concat!("SELECT ", columns!(), " FROM conversations WHERE agent_id = $1 AND channel = $2");
    agent PAGE = concat!("SELECT ", columns!(), " FROM conversations WHERE agent_id = $1 AND id < $2
        ORDER BY id DESC LIMIT $3");
    agent LATEST_OPEN = concat!("SELECT ", columns!(), " FROM conversations WHERE agent_id = $1 AND closed_at IS NULL
        AND last_message_at IS NOT NULL ORDER BY last_message_at DESC, id DESC LIMIT 1");
    agent LATEST_OPEN_WITH = concat!("SELECT ", columns!(), " FROM conversations WHERE agent_id = $1
        AND principal_id = $2 AND closed_at IS NULL AND last_message_at IS NOT NULL
        ORDER BY last_message_at DESC, id DESC LIMIT 1");
    agent CHANGE = "UPDATE conversations SET title = $3, active_until = $4, closed_at = $5
        WHERE agent_id = $1 AND id = $2";
    agent ADVANCE = "UPDATE conversations SET last_seq = $3, own_messages = $4, last_message_at = $5,
            awaiting = $6, sitting_at = $7, wrote_at = $8
        WHERE agent_id = $1 AND id = $2";
    agent UNFOLDED = concat!("SELECT ", columns!(), " FROM conversations WHERE agent_id = $1
        AND last_seq > conv_summarized_until ORDER BY id");
    agent FOLDED = "UPDATE conversations SET conv_summarized_until = $3
        WHERE agent_id = $1 AND id = $2 AND conv_summarized_until < $3";
    agent JOIN_IN = "INSERT INTO conversation_participants
            (agent_id, conversation_id, entity_id, messages, first_at, last_at, counted)
        VALUES ($1, $2, $3, 0, $4, $4, FALSE)
        ON CONFLICT (agent_id, conversation_id, entity_id) DO NOTHING";
    agent SPOKE = "UPDATE conversation_participants SET messages = messages + 1, last_at = $4
        WHERE agent_id = $1 AND conversation_id = $2 AND entity_id = $3";
    agent COUNT_IN = "UPDATE conversation_participants SET counted = TRUE
        WHERE agent_id = $1 AND conversation_id = $2 AND entity_id = $3";
    agent PARTICIPANTS = "SELECT entity_id, messages, last_at, counted FROM conversation_participants
        WHERE agent_id = $1 AND conversation_id = $2 ORDER BY first_at, entity_id";
    agent COUNTED = "SELECT COUNT(DISTINCT conversation_id) FROM conversation_participants
        WHERE agent_id = $1 AND counted AND entity_id IN ({list})";
}

/// A conversation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// The host's own name for it.
    pub channel: Option<String>,
    /// What it is about.
    pub title: Option<String>,
    /// With whom, if with a principal.
    pub principal: Option<PrincipalId>,
    /// When it began.
    pub started_at: Time,
    /// When something was last said.
    pub last_message_at: Option<Time>,
    /// The host says that a run is on until then.
    pub active_until: Option<Time>,
    /// When it was closed.
    pub closed_at: Option<Time>,
    /// The number of its last message.
    pub last_seq: i64,
    /// How often the agent itself spoke.
    pub own_messages: i64,
    /// The other side spoke last.
    pub awaiting: bool,
    /// When the present sitting began.
    pub sitting_at: Option<Time>,
    /// When the other side last spoke.
    pub wrote_at: Option<Time>,
    /// The number of the last message that is in a summary: a sequence number, not a time.
    pub summarized_until: i64,
}

/// Somebody who takes part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Participant {
    /// Who.
    pub entity: EntityId,
    /// How often it spoke.
    pub messages: i64,
    /// When last.
    pub last_at: Time,
    /// Whether it is in the relationship's interaction count.
    pub counted: bool,
}

/// Adds a conversation.
pub fn insert(writer: &mut Writer, agent: AgentId, conversation: &Conversation) -> Result<()> {
    let Conversation { id, channel, title, principal, started_at, active_until, .. } = conversation;
    writer.execute(
        &INSERT,
        agent,
        params![
            id.id(),
            channel.as_deref(),
            title.as_deref(),
            principal.map(PrincipalId::id),
            *started_at,
            *active_until
        ],
    )?;
    Ok(())
}

/// One conversation.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: ConversationId) -> Result<Option<Conversation>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(conversation).transpose()
}

/// The conversation that a host calls so.
pub fn by_channel(reader: &mut Reader, agent: AgentId, channel: &str) -> Result<Option<Conversation>> {
    reader.row(&BY_CHANNEL, agent, params![channel])?.map(conversation).transpose()
}

/// The conversations that began before another one, the newest first.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    before: Option<ConversationId>,
    limit: i64,
) -> Result<Vec<Conversation>> {
    let before = before.map_or(Id::from_bytes([0xff; 16]), ConversationId::id);
    reader.rows(&PAGE, agent, params![before, limit])?.into_iter().map(conversation).collect()
}

/// The open conversation, of a principal or of anybody, in which something was said last.
pub fn latest_open(
    reader: &mut Reader,
    agent: AgentId,
    principal: Option<PrincipalId>,
) -> Result<Option<Conversation>> {
    let row = match principal {
        Some(principal) => reader.row(&LATEST_OPEN_WITH, agent, params![principal.id()])?,
        None => reader.row(&LATEST_OPEN, agent, &[])?,
    };
    row.map(conversation).transpose()
}

/// Stores its title, its run and whether it is closed.
pub fn change(writer: &mut Writer, agent: AgentId, conversation: &Conversation) -> Result<()> {
    let Conversation { id, title, active_until, closed_at, .. } = conversation;
    writer.execute(&CHANGE, agent, params![id.id(), title.as_deref(), *active_until, *closed_at])?;
    Ok(())
}

/// Stores how far it has come.
pub fn advance(writer: &mut Writer, agent: AgentId, conversation: &Conversation) -> Result<()> {
    let Conversation { id, last_seq, own_messages, last_message_at, awaiting, sitting_at, wrote_at, .. } =
        conversation;
    let bound =
        params![id.id(), *last_seq, *own_messages, *last_message_at, *awaiting, *sitting_at, *wrote_at,];
    writer.execute(&ADVANCE, agent, bound)?;
    Ok(())
}

/// Those in which something was said since they were last folded.
pub fn unfolded(reader: &mut Reader, agent: AgentId) -> Result<Vec<Conversation>> {
    reader.rows(&UNFOLDED, agent, &[])?.into_iter().map(conversation).collect()
}

/// All up to a number is in a summary; says whether that is further than before.
pub fn folded(writer: &mut Writer, agent: AgentId, id: ConversationId, until: i64) -> Result<bool> {
    Ok(writer.execute(&FOLDED, agent, params![id.id(), until])? > 0)
}

/// Somebody takes part from now on, if not before.
pub fn join_in(
    writer: &mut Writer,
    agent: AgentId,
    id: ConversationId,
    entity: EntityId,
    at: Time,
) -> Result<()> {
    writer.execute(&JOIN_IN, agent, params![id.id(), entity.id(), at])?;
    Ok(())
}

/// A participant said something.
pub fn spoke(
    writer: &mut Writer,
    agent: AgentId,
    id: ConversationId,
    entity: EntityId,
    at: Time,
) -> Result<()> {
    writer.execute(&SPOKE, agent, params![id.id(), entity.id(), at])?;
    Ok(())
}

/// The conversation is in the relationship's interaction count.
pub fn count_in(writer: &mut Writer, agent: AgentId, id: ConversationId, entity: EntityId) -> Result<()> {
    writer.execute(&COUNT_IN, agent, params![id.id(), entity.id()])?;
    Ok(())
}

/// Who takes part, in the order in which they came.
pub fn participants(reader: &mut Reader, agent: AgentId, id: ConversationId) -> Result<Vec<Participant>> {
    reader.rows(&PARTICIPANTS, agent, params![id.id()])?.into_iter().map(participant).collect()
}

/// In how many conversations both the agent and one of these spoke.
pub fn counted(reader: &mut Reader, agent: AgentId, entities: &[EntityId]) -> Result<u64> {
    let list: Vec<Value> = entities.iter().map(|entity| Value::Id(entity.id())).collect();
    reader.rows_in(&COUNTED, agent, &[], &list)?.into_iter().map(|row| row.fields().count()).sum()
}

fn participant(row: Row) -> Result<Participant> {
    let mut fields = row.fields();
    Ok(Participant {
        entity: EntityId::of(fields.id()?),
        messages: fields.int()?,
        last_at: fields.time()?,
        counted: fields.bool()?,
    })
}

fn conversation(row: Row) -> Result<Conversation> {
    let mut fields = row.fields();
    Ok(Conversation {
        id: ConversationId::of(fields.id()?),
        channel: fields.opt_text()?,
        title: fields.opt_text()?,
        principal: fields.opt_id()?.map(PrincipalId::of),
        started_at: fields.time()?,
        last_message_at: fields.opt_time()?,
        active_until: fields.opt_time()?,
        closed_at: fields.opt_time()?,
        last_seq: fields.int()?,
        own_messages: fields.int()?,
        awaiting: fields.bool()?,
        sitting_at: fields.opt_time()?,
        wrote_at: fields.opt_time()?,
        summarized_until: fields.int()?,
    })
}
