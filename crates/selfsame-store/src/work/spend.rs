//! What thinking cost, by the days of the agent's zone.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::{Row, params};
use selfsame_core::id::AgentId;

statements! {
    agent ADD = "INSERT INTO thinker_spend (agent_id, day, tokens, exchanges, millis) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (agent_id, day) DO UPDATE SET tokens = thinker_spend.tokens + $3,
            exchanges = thinker_spend.exchanges + $4, millis = thinker_spend.millis + $5";
    agent OF = "SELECT tokens, exchanges, millis FROM thinker_spend WHERE agent_id = $1 AND day = $2";
}

/// What a day cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spend {
    /// Tokens, asked and answered.
    pub tokens: i64,
    /// Exchanges with a model, program or host.
    pub exchanges: i64,
    /// Time that thinkers took, in milliseconds.
    pub millis: i64,
}

/// Adds to a day.
pub fn add(writer: &mut Writer, agent: AgentId, day: &str, spend: Spend) -> Result<()> {
    let Spend { tokens, exchanges, millis } = spend;
    writer.execute(&ADD, agent, params![day, tokens, exchanges, millis]).map(drop)
}

/// What a day cost.
pub fn of(reader: &mut Reader, agent: AgentId, day: &str) -> Result<Spend> {
    let read = |row: Row| {
        let mut fields = row.fields();
        Ok(Spend { tokens: fields.int()?, exchanges: fields.int()?, millis: fields.int()? })
    };
    reader.row(&OF, agent, params![day])?.map_or(Ok(Spend::default()), read)
}
