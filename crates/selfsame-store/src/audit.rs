//! What the junk meter reads: every memory, every text, and beliefs that nothing supports.

use crate::db::Reader;
use crate::error::Result;
use crate::statement::{Statement, statements};
use crate::value::{Row, params};
use selfsame_core::id::{AgentId, Id};
use selfsame_core::time::Time;

statements! {
    agent MEMORIES = "SELECT id, content, created_at, recall_count, state FROM memory_items
        WHERE agent_id = $1 AND id > $2 ORDER BY id LIMIT 500";
    agent MESSAGES = "SELECT id, content FROM messages WHERE agent_id = $1 AND id > $2 ORDER BY id LIMIT 500";
    agent DIARY = "SELECT id, content FROM diary_entries WHERE agent_id = $1 AND id > $2 ORDER BY id LIMIT 500";
    agent CANDIDATES = "SELECT id, content FROM inbox_candidates WHERE agent_id = $1 AND id > $2
        AND status = 'pending' ORDER BY id LIMIT 500";
    agent UNSUPPORTED = "SELECT id FROM knowledge_observations WHERE agent_id = $1 AND status IN ('active', 'stale')
        AND NOT EXISTS (SELECT 1 FROM observation_evidence
            WHERE agent_id = $1 AND observation_id = knowledge_observations.id
            AND stance = 'support' AND withdrawn_at IS NULL)
        ORDER BY id";
    agent BELIEFS = "SELECT COUNT(*) FROM knowledge_observations
        WHERE agent_id = $1 AND status IN ('active', 'stale')";
}

/// A memory, as far as the meter looks at it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Its id.
    pub id: Id,
    /// Its words.
    pub content: String,
    /// When it was stored.
    pub created_at: Time,
    /// How often it was recalled.
    pub recalled: u64,
    /// Its state.
    pub state: String,
}

/// The layers besides memories whose texts are looked through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "they are the layers' names")]
pub enum Layer {
    Messages,
    Diary,
    Inbox,
}

impl Layer {
    /// All of them.
    pub const ALL: [Layer; 3] = [Layer::Messages, Layer::Diary, Layer::Inbox];

    fn statement(self) -> &'static Statement {
        match self {
            Layer::Messages => &MESSAGES,
            Layer::Diary => &DIARY,
            Layer::Inbox => &CANDIDATES,
        }
    }
}

/// Shows every memory, the oldest first.
pub fn memories(reader: &mut Reader, agent: AgentId, see: &mut dyn FnMut(Seen)) -> Result<()> {
    pages(reader, agent, &MEMORIES, &mut |row| {
        let mut fields = row.fields();
        let id = fields.id()?;
        let (content, created_at) = (fields.text()?, fields.time()?);
        see(Seen { id, content, created_at, recalled: fields.count()?, state: fields.text()? });
        Ok(id)
    })
}

/// Shows every text of a layer.
pub fn texts(reader: &mut Reader, agent: AgentId, layer: Layer, see: &mut dyn FnMut(Id, &str)) -> Result<()> {
    pages(reader, agent, layer.statement(), &mut |row| {
        let mut fields = row.fields();
        let id = fields.id()?;
        see(id, &fields.text()?);
        Ok(id)
    })
}

fn pages(
    reader: &mut Reader,
    agent: AgentId,
    statement: &Statement,
    see: &mut dyn FnMut(Row) -> Result<Id>,
) -> Result<()> {
    let mut after = Id::NIL;
    loop {
        reader.next_page();
        let rows = reader.rows(statement, agent, params![after])?;
        if rows.is_empty() {
            return Ok(());
        }
        for row in rows {
            after = see(row)?;
        }
    }
}

/// The beliefs that nothing supports; and how many there are in all.
pub fn unsupported(reader: &mut Reader, agent: AgentId) -> Result<(Vec<Id>, u64)> {
    let ids = reader.rows(&UNSUPPORTED, agent, &[])?.into_iter().map(|row| row.fields().id());
    let all = ids.collect::<Result<Vec<_>>>()?;
    let beliefs = reader.row(&BELIEFS, agent, &[])?.map_or(Ok(0), |row| row.fields().count())?;
    Ok((all, beliefs))
}
