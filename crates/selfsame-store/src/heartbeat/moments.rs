//! When something is known to happen for somebody: asked at every tick, so in one statement.

use crate::db::Reader;
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::params;
use selfsame_core::id::{AgentId, PrincipalId};
use selfsame_core::time::Time;

statements! {
    agent KNOWN = "SELECT
        (SELECT MIN(next_due_at) FROM schedules WHERE agent_id = $1 AND serves_id = $2 AND next_due_at > $3),
        (SELECT MIN(next_rung_at) FROM deadlines WHERE agent_id = $1 AND serves_id = $2 AND next_rung_at > $3),
        (SELECT MIN(next_rung_at) FROM deadlines WHERE agent_id = $1 AND serves_id = $2 AND next_rung_at <= $3),
        (SELECT MIN(grace_until) FROM nudges WHERE agent_id = $1 AND principal_id = $2 AND state = 'waiting'
            AND kind IN ('reminder', 'deadline'))";
}

/// What is known to happen for somebody, seen from a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Known {
    /// The next schedule falls due after it.
    pub schedule: Option<Time>,
    /// The next rung of a deadline is reached after it.
    pub rung: Option<Time>,
    /// Whether deadlines have reached a rung by it, or are to be given up.
    pub reached: bool,
    /// The grace of the first waiting reminder ends.
    pub grace: Option<Time>,
}

/// What is known of somebody at a moment.
pub fn known(reader: &mut Reader, agent: AgentId, principal: PrincipalId, now: Time) -> Result<Known> {
    let Some(row) = reader.row(&KNOWN, agent, params![principal.id(), now])? else {
        return Err(StoreError::Failed("no moment was looked up".into()));
    };
    let mut fields = row.fields();
    Ok(Known {
        schedule: fields.opt_time()?,
        rung: fields.opt_time()?,
        reached: fields.opt_time()?.is_some(),
        grace: fields.opt_time()?,
    })
}
