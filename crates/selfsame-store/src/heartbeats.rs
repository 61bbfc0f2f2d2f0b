//! Whose heart is to beat, and when. Global: the scheduler looks before it knows whose it is.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::params;
use selfsame_core::id::{AgentId, PrincipalId};
use selfsame_core::time::Time;

statements! {
    global ENSURE = "INSERT INTO heartbeats (agent_id, principal_id, next_at, token, failures)
        VALUES ($1, $2, $3, 0, 0) ON CONFLICT (agent_id, principal_id) DO NOTHING";
    global WAKE_BY = "UPDATE heartbeats SET next_at = $3
        WHERE agent_id = $1 AND principal_id = $2 AND next_at > $3";
    global NEXT_AT = "SELECT next_at FROM heartbeats WHERE agent_id = $1 AND principal_id = $2";
}

/// Sees to it that a principal's heart beats, for the first time at `first_at`; says whether it did not yet.
pub fn ensure(writer: &mut Writer, agent: AgentId, principal: PrincipalId, first_at: Time) -> Result<bool> {
    Ok(writer.global_execute(&ENSURE, params![agent.id(), principal.id(), first_at])? > 0)
}

/// Sees to it that a principal's heart beats at `moment` at the latest.
pub fn wake_by(writer: &mut Writer, agent: AgentId, principal: PrincipalId, moment: Time) -> Result<()> {
    writer.global_execute(&WAKE_BY, params![agent.id(), principal.id(), moment]).map(drop)
}

/// When a principal's heart beats next; none if it has not begun to.
pub fn next_at(reader: &mut Reader, agent: AgentId, principal: PrincipalId) -> Result<Option<Time>> {
    let rows = reader.global_rows(&NEXT_AT, params![agent.id(), principal.id()])?;
    rows.into_iter().next().map(|row| row.fields().time()).transpose()
}
