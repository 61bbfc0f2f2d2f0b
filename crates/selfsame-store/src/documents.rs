//! What agents are told about themselves by their operators, each text under its name.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::params;
use selfsame_core::id::AgentId;
use selfsame_core::time::Time;

statements! {
    agent BY_NAME = "SELECT content, updated_at FROM agent_documents WHERE agent_id = $1 AND name = $2";
    agent PUT = "INSERT INTO agent_documents (agent_id, name, content, updated_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (agent_id, name) DO UPDATE SET content = excluded.content, updated_at = excluded.updated_at";
}

/// The text of that name, and when it was written; none if nobody wrote one.
pub fn by_name(reader: &mut Reader, agent: AgentId, name: &str) -> Result<Option<(String, Time)>> {
    let row = reader.row(&BY_NAME, agent, params![name])?;
    row.map(|row| {
        let mut fields = row.fields();
        Ok((fields.text()?, fields.time()?))
    })
    .transpose()
}

/// Writes the text of that name, in place of the one before.
pub fn put(writer: &mut Writer, agent: AgentId, name: &str, content: &str, now: Time) -> Result<()> {
    writer.execute(&PUT, agent, params![name, content, now]).map(drop)
}
