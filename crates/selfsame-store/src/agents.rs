//! Agents and their head rows.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::{Row, params};
use selfsame_core::id::{AgentId, PrincipalId};
use selfsame_core::time::Time;

statements! {
    global INSERT = "INSERT INTO agents (id, name, zone, operator_id, created_at, family, home, location)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    agent INSERT_HEAD = "INSERT INTO agent_heads (agent_id, seq, audit_head) VALUES ($1, 0, $2)";
    global BY_NAME = "SELECT id, name, zone, operator_id, created_at, family, home, location FROM agents WHERE name = $1";
    global BY_ID = "SELECT id, name, zone, operator_id, created_at, family, home, location FROM agents WHERE id = $1";
    global ALL = "SELECT id, name, zone, operator_id, created_at, family, home, location FROM agents ORDER BY name";
    global WITHOUT_HEART = "SELECT id, name, zone, operator_id, created_at, family, home, location FROM agents
        WHERE NOT EXISTS (SELECT 1 FROM heartbeats WHERE agent_id = agents.id AND principal_id = agents.operator_id)
        ORDER BY name";
    global SET_PLACES = "UPDATE agents SET home = $2, location = $3 WHERE id = $1";
    global RENAME = "UPDATE agents SET name = $2 WHERE id = $1";
    global SET_FAMILY = "UPDATE agents SET family = $2 WHERE id = $1";
}

/// The owner of a mind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Agent {
    /// Its id.
    pub id: AgentId,
    /// The name people call it by; unique.
    pub name: String,
    /// IANA zone of its days.
    pub zone: String,
    /// The principal whose word outranks evidence.
    pub operator: PrincipalId,
    /// When it was made.
    pub created_at: Time,
    /// One of the family, which thinks in a rhythm of its own.
    pub family: bool,
    /// Where it lives, if it lives anywhere.
    pub home: Option<String>,
    /// Where it is, if somebody said so.
    pub location: Option<String>,
}

/// Adds an agent with its head row. The transaction must be open for it.
pub fn insert(writer: &mut Writer, agent: &Agent) -> Result<()> {
    let Agent { id, name, zone, operator, created_at, family, home, location } = agent;
    let places = (home.as_deref(), location.as_deref());
    writer
        .global_execute(
            &INSERT,
            params![id.id(), name, zone, operator.id(), *created_at, *family, places.0, places.1],
        )
        .map_err(|error| match error {
            StoreError::Duplicate(_) => StoreError::Taken { what: "agent", name: name.clone() },
            other => other,
        })?;
    writer.execute(&INSERT_HEAD, *id, params![&[0u8; 32]])?;
    Ok(())
}

/// Says whether an agent is one of the family. The transaction must be open for it.
pub fn set_family(writer: &mut Writer, agent: AgentId, family: bool) -> Result<()> {
    writer.global_execute(&SET_FAMILY, params![agent.id(), family]).map(drop)
}

/// Says where an agent lives and where it is. The transaction must be open for it.
pub fn set_places(
    writer: &mut Writer,
    agent: AgentId,
    home: Option<&str>,
    location: Option<&str>,
) -> Result<()> {
    writer.global_execute(&SET_PLACES, params![agent.id(), home, location]).map(drop)
}

/// Gives an agent another name.
pub fn rename(writer: &mut Writer, agent: AgentId, name: &str) -> Result<()> {
    writer.global_execute(&RENAME, params![agent.id(), name]).map(drop)
}

/// The agent of that name.
pub fn by_name(reader: &mut Reader, name: &str) -> Result<Option<Agent>> {
    reader.global_rows(&BY_NAME, params![name])?.into_iter().next().map(agent).transpose()
}

/// The agent of that id.
pub fn by_id(reader: &mut Reader, id: AgentId) -> Result<Option<Agent>> {
    reader.global_rows(&BY_ID, params![id.id()])?.into_iter().next().map(agent).transpose()
}

/// Every agent, by name.
pub fn all(reader: &mut Reader) -> Result<Vec<Agent>> {
    reader.global_rows(&ALL, &[])?.into_iter().map(agent).collect()
}

/// Agents that were made before there was a heartbeat, and whose operator's does not beat yet; by name.
pub fn without_heart(reader: &mut Reader) -> Result<Vec<Agent>> {
    reader.global_rows(&WITHOUT_HEART, &[])?.into_iter().map(agent).collect()
}

fn agent(row: Row) -> Result<Agent> {
    let mut fields = row.fields();
    Ok(Agent {
        id: AgentId::of(fields.id()?),
        name: fields.text()?,
        zone: fields.text()?,
        operator: PrincipalId::of(fields.id()?),
        created_at: fields.time()?,
        family: fields.bool()?,
        home: fields.opt_text()?,
        location: fields.opt_text()?,
    })
}
