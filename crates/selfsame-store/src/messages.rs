//! Messages: stored with their seal, read through it.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::provenance::{self, counted_believed, counted_columns, counted_sealed};
use crate::statement::statements;
use crate::summaries::Weight;
use crate::value::{Row, Value, params};
use selfsame_core::conversation::{Message, Role};
use selfsame_core::id::{AgentId, ConversationId, EntityId, Id, MessageId, PrincipalId};
use selfsame_core::kept::Kept;
use selfsame_core::time::Time;

macro_rules! columns {
    () => {
        concat!(
            "id, conversation_id, seq, role, speaker_id, content, created_at, archived_at, ",
            counted_columns!(),
            ", row_hash"
        )
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO messages (agent_id, id, conversation_id, seq, role, speaker_id, content,
            created_at, archived_at, ", counted_columns!(), ", row_hash)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, NULL, $9, $10, $11, $12, $13, $14, $15)");
    agent BY_ID = concat!("SELECT ", columns!(), " FROM messages WHERE agent_id = $1 AND id = $2");
    agent BY_IDS = concat!("SELECT ", columns!(), " FROM messages WHERE agent_id = $1 AND id IN ({list})");
    agent OF_PRINCIPAL = "SELECT id FROM messages WHERE agent_id = $1 AND principal_id = $2 AND id IN ({list})";
    agent AFTER = concat!("SELECT ", columns!(), " FROM messages
        WHERE agent_id = $1 AND conversation_id = $2 AND seq > $3 ORDER BY seq LIMIT $4");
    agent PAGE = concat!("SELECT ", columns!(), " FROM messages WHERE agent_id = $1 AND id > $2 ORDER BY id LIMIT $3");
    agent WEIGHT = "SELECT COUNT(*), COUNT(tokens), CAST(COALESCE(SUM(tokens), 0) AS {int}) FROM
        (SELECT tokens FROM messages WHERE agent_id = $1 AND archived_at IS NULL ORDER BY id DESC LIMIT $2) AS newest";
    agent ARCHIVE = "UPDATE messages SET archived_at = $2 WHERE agent_id = $1 AND archived_at IS NULL AND id IN ({list})";
    agent UNARCHIVED = "SELECT COUNT(*) FROM messages WHERE agent_id = $1 AND archived_at IS NULL";
}

/// Adds a message.
pub fn insert(writer: &mut Writer, message: &Kept<Message>) -> Result<()> {
    let mut bound = params![
        message.id.id(),
        message.conversation.id(),
        message.seq,
        message.role.as_str(),
        message.speaker.map(EntityId::id),
        &message.content,
        message.created_at,
    ]
    .to_vec();
    bound.extend(counted_sealed(message));
    writer.execute(&INSERT, message.agent, &bound)?;
    Ok(())
}

/// One message, whole; a damaged one is an error.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: MessageId) -> Result<Option<Kept<Message>>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(|row| message(agent, row)).transpose()
}

/// What of the asked-for is there; a damaged one comes as the error that it is.
pub fn by_ids(reader: &mut Reader, agent: AgentId, ids: &[MessageId]) -> Result<Vec<Result<Kept<Message>>>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(id.id())).collect();
    let rows = reader.rows_in(&BY_IDS, agent, &[], &list)?;
    Ok(rows.into_iter().map(|row| message(agent, row)).collect())
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

/// The messages of a conversation after a number, in their order; a damaged one comes as the error that it is.
pub fn after(
    reader: &mut Reader,
    agent: AgentId,
    conversation: ConversationId,
    seq: i64,
    limit: i64,
) -> Result<Vec<Result<Kept<Message>>>> {
    let rows = reader.rows(&AFTER, agent, params![conversation.id(), seq, limit])?;
    Ok(rows.into_iter().map(|row| message(agent, row)).collect())
}

/// The next messages after `after`, in the order of their ids.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    after: MessageId,
    limit: i64,
) -> Result<Vec<Result<Kept<Message>>>> {
    let rows = reader.rows(&PAGE, agent, params![after.id(), limit])?;
    Ok(rows.into_iter().map(|row| message(agent, row)).collect())
}

/// How many are not in the archive.
pub fn unarchived(reader: &mut Reader, agent: AgentId) -> Result<u64> {
    reader.row(&UNARCHIVED, agent, &[])?.map_or(Ok(0), |row| row.fields().count())
}

/// How much the newest of those have that are not in the archive.
pub fn weight(reader: &mut Reader, agent: AgentId, most: i64) -> Result<Weight> {
    Weight::of(reader.row(&WEIGHT, agent, params![most])?)
}

/// Moves messages to the archive; gives how many were not there.
pub fn archive(writer: &mut Writer, agent: AgentId, ids: &[MessageId], now: Time) -> Result<u64> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(id.id())).collect();
    writer.execute_in(&ARCHIVE, agent, params![now], &list)
}

fn message(agent: AgentId, row: Row) -> Result<Kept<Message>> {
    let mut fields = row.fields();
    let id = MessageId::of(fields.id()?);
    let conversation = ConversationId::of(fields.id()?);
    let seq = fields.int()?;
    let role = Role::parse(&fields.text()?)
        .map_err(|_| StoreError::Damaged(format!("the role of message {id} is unknown")))?;
    let message = Message {
        id,
        agent,
        conversation,
        seq,
        role,
        speaker: fields.opt_id()?.map(EntityId::of),
        content: fields.text()?,
        created_at: fields.time()?,
        archived_at: fields.opt_time()?,
    };
    counted_believed(message, &mut fields)
}
