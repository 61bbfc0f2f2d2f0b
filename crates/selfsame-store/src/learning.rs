//! How far an agent has learned from its episodes.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::statements;
use crate::value::{Row, params};
use selfsame_core::id::{AgentId, EpisodeId};

statements! {
    agent OF = "SELECT episode_id, reflected_on FROM learning WHERE agent_id = $1";
    agent KEEP = "INSERT INTO learning (agent_id, episode_id, reflected_on) VALUES ($1, $2, $3)
        ON CONFLICT (agent_id) DO UPDATE SET episode_id = $2, reflected_on = $3";
}

/// How far an agent has learned.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Learning {
    /// The last episode that was learned from.
    pub episode: Option<EpisodeId>,
    /// The last day that has a reflection, as `2026-12-24` in the agent's zone.
    pub reflected_on: Option<String>,
}

/// How far it is.
pub fn of(reader: &mut Reader, agent: AgentId) -> Result<Learning> {
    let read = |row: Row| {
        let mut fields = row.fields();
        Ok(Learning { episode: fields.opt_id()?.map(EpisodeId::of), reflected_on: fields.opt_text()? })
    };
    reader.row(&OF, agent, &[])?.map_or(Ok(Learning::default()), read)
}

/// Writes down how far it is.
pub fn keep(writer: &mut Writer, agent: AgentId, learning: &Learning) -> Result<()> {
    let Learning { episode, reflected_on } = learning;
    writer.execute(&KEEP, agent, params![episode.map(EpisodeId::id), reflected_on.as_deref()]).map(drop)
}
