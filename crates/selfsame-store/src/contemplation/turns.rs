//! When each agent is to think next, and what the next time must know of the last ones.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::memory::visible;
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::id::AgentId;
use selfsame_core::seal::{hex, unhex};
use selfsame_core::time::Time;

macro_rules! columns {
    () => {
        "agent_id, next_at, last_at, streak, signatures, drawn, held_since"
    };
}

statements! {
    global ENSURE = "INSERT INTO contemplations (agent_id, next_at, streak, signatures, drawn)
        VALUES ($1, $2, 0, $3, $3) ON CONFLICT (agent_id) DO NOTHING";
    global WITHOUT = "SELECT id FROM agents WHERE NOT EXISTS
        (SELECT 1 FROM contemplations WHERE contemplations.agent_id = agents.id) ORDER BY id";
    global OF = concat!("SELECT ", columns!(), " FROM contemplations WHERE agent_id = $1");
    global DUE = "SELECT agent_id FROM contemplations WHERE next_at <= $1 ORDER BY next_at, agent_id LIMIT $2";
    global NEXT = "SELECT MIN(next_at) FROM contemplations";
    global SET = "UPDATE contemplations SET next_at = $2, last_at = $3, streak = $4, signatures = $5, drawn = $6,
            held_since = $7
        WHERE agent_id = $1";
    agent LATEST_MEMORIES = concat!("SELECT memory_type, created_at FROM memory_items WHERE agent_id = $1", visible!(),
        "ORDER BY id DESC LIMIT $2");
    agent NEW_MESSAGE = "SELECT 1 FROM conversations WHERE agent_id = $1 AND last_message_at > $2 LIMIT 1";
    agent RUN_IS_ON = "SELECT 1 FROM conversations WHERE agent_id = $1 AND active_until > $2 LIMIT 1";
    agent LAST_WROTE = "SELECT MAX(wrote_at) FROM conversations WHERE agent_id = $1";
}

/// Memories that are looked at for something new, at most.
const LATEST: i64 = 16;

/// Whose turn, and what it must know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turns {
    /// Whose.
    pub agent: AgentId,
    /// When it is looked at next.
    pub next_at: Time,
    /// When the last time of thinking began.
    pub last_at: Option<Time>,
    /// Successful ones in a row.
    pub streak: u32,
    /// What the last ones said, the newest last.
    pub signatures: Vec<[u8; 32]>,
    /// The cards that were drawn last, the newest last.
    pub drawn: Vec<u32>,
    /// It repeats itself, and holds until something is newer than this.
    pub held_since: Option<Time>,
}

/// Sees to it that an agent has turns.
pub fn ensure(writer: &mut Writer, agent: AgentId, first_at: Time) -> Result<()> {
    writer.global_execute(&ENSURE, params![agent.id(), first_at, Value::Json("[]".into())]).map(drop)
}

/// The agents that have none yet.
pub fn without(reader: &mut Reader) -> Result<Vec<AgentId>> {
    reader.global_rows(&WITHOUT, &[])?.into_iter().map(|row| Ok(AgentId::of(row.fields().id()?))).collect()
}

/// An agent's turns.
pub fn of(reader: &mut Reader, agent: AgentId) -> Result<Option<Turns>> {
    reader.global_rows(&OF, params![agent.id()])?.into_iter().next().map(turns).transpose()
}

/// Whose turn has come, those who wait the longest first.
pub fn due(reader: &mut Reader, now: Time, limit: i64) -> Result<Vec<AgentId>> {
    let rows = reader.global_rows(&DUE, params![now, limit])?;
    rows.into_iter().map(|row| Ok(AgentId::of(row.fields().id()?))).collect()
}

/// When the next turn comes.
pub fn next_moment(reader: &mut Reader) -> Result<Option<Time>> {
    reader.global_rows(&NEXT, &[])?.into_iter().next().map_or(Ok(None), |row| row.fields().opt_time())
}

/// Writes what the next turn must know.
pub fn set(writer: &mut Writer, turns: &Turns) -> Result<()> {
    let Turns { agent, next_at, last_at, streak, signatures, drawn, held_since } = turns;
    let signatures: Vec<String> = signatures.iter().map(|signature| hex(signature)).collect();
    let bound = params![
        agent.id(),
        *next_at,
        *last_at,
        i64::from(*streak),
        Value::Json(serde_json::Value::from(signatures).to_string()),
        Value::Json(serde_json::Value::from(drawn.clone()).to_string()),
        *held_since,
    ];
    writer.global_execute(&SET, bound).map(drop)
}

/// Whether something is in memory that is newer than this: a memory that is no episode, or a message. Looks at the latest
/// memories only, as an agent that holds makes no episodes that could hide a newer one.
pub fn is_anything_newer(reader: &mut Reader, agent: AgentId, than: Time) -> Result<bool> {
    for row in reader.rows(&LATEST_MEMORIES, agent, params![LATEST])? {
        let mut fields = row.fields();
        if fields.text()? != "episode" && fields.time()? > than {
            return Ok(true);
        }
    }
    Ok(reader.row(&NEW_MESSAGE, agent, params![than])?.is_some())
}

/// Whether a host says that it is running the agent.
pub fn is_run_on(reader: &mut Reader, agent: AgentId, now: Time) -> Result<bool> {
    Ok(reader.row(&RUN_IS_ON, agent, params![now])?.is_some())
}

/// When somebody last wrote to the agent.
pub fn last_wrote(reader: &mut Reader, agent: AgentId) -> Result<Option<Time>> {
    reader.row(&LAST_WROTE, agent, &[])?.map_or(Ok(None), |row| row.fields().opt_time())
}

fn turns(row: Row) -> Result<Turns> {
    let damaged = || StoreError::Damaged("the turns of an agent cannot be read".into());
    let mut fields = row.fields();
    let agent = AgentId::of(fields.id()?);
    let (next_at, last_at) = (fields.time()?, fields.opt_time()?);
    let streak = u32::try_from(fields.count()?).unwrap_or(u32::MAX);
    let signatures: Vec<String> = serde_json::from_str(&fields.json()?).map_err(|_| damaged())?;
    let signature = |text: &String| unhex(text).and_then(|bytes| bytes.try_into().ok()).ok_or_else(damaged);
    Ok(Turns {
        agent,
        next_at,
        last_at,
        streak,
        signatures: signatures.iter().map(signature).collect::<Result<_>>()?,
        drawn: serde_json::from_str(&fields.json()?).map_err(|_| damaged())?,
        held_since: fields.opt_time()?,
    })
}
