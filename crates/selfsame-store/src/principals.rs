//! Whom an agent serves.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::{Row, params};
use selfsame_core::id::{AgentId, EntityId, PrincipalId};
use selfsame_core::time::Time;

statements! {
    agent INSERT = "INSERT INTO principals (agent_id, id, entity_id, name, operator, zone, created_at)
                    VALUES ($1, $2, $3, $4, $5, $6, $7)";
    agent ALL = "SELECT id, entity_id, name, operator, zone, created_at FROM principals WHERE agent_id = $1
                 ORDER BY name";
    agent ZONE = "SELECT zone FROM principals WHERE agent_id = $1 AND id = $2";
    agent BY_ID = "SELECT id, entity_id, name, operator, zone, created_at FROM principals
                   WHERE agent_id = $1 AND id = $2";
    agent CHANGE = "UPDATE principals SET name = $3, zone = $4 WHERE agent_id = $1 AND id = $2";
}

/// Somebody whom the agent serves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Principal {
    /// Its id.
    pub id: PrincipalId,
    /// The entity it is.
    pub entity: EntityId,
    /// The name it goes by; unique for its agent.
    pub name: String,
    /// Whether its word outranks evidence.
    pub operator: bool,
    /// IANA zone of its days.
    pub zone: String,
    /// When it was added.
    pub created_at: Time,
}

/// Adds a principal.
pub fn insert(writer: &mut Writer, agent: AgentId, principal: &Principal) -> Result<()> {
    let Principal { id, entity, name, operator, zone, created_at } = principal;
    let bound = params![id.id(), entity.id(), name, *operator, zone, *created_at];
    writer.execute(&INSERT, agent, bound).map(drop).map_err(|error| taken(error, name))
}

/// Gives a principal another name or zone.
pub fn change(writer: &mut Writer, agent: AgentId, id: PrincipalId, name: &str, zone: &str) -> Result<()> {
    writer.execute(&CHANGE, agent, params![id.id(), name, zone]).map(drop).map_err(|error| taken(error, name))
}

fn taken(error: StoreError, name: &str) -> StoreError {
    match error {
        StoreError::Duplicate(_) => StoreError::Taken { what: "principal", name: name.to_owned() },
        other => other,
    }
}

/// One of those whom the agent serves.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: PrincipalId) -> Result<Option<Principal>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(principal).transpose()
}

/// Everybody whom the agent serves, by name.
pub fn all(reader: &mut Reader, agent: AgentId) -> Result<Vec<Principal>> {
    reader.rows(&ALL, agent, &[])?.into_iter().map(principal).collect()
}

/// The zone of a principal's days, if there is such a principal.
pub fn zone(reader: &mut Reader, agent: AgentId, id: PrincipalId) -> Result<Option<String>> {
    reader.row(&ZONE, agent, params![id.id()])?.map(|row| row.fields().text()).transpose()
}

fn principal(row: Row) -> Result<Principal> {
    let mut fields = row.fields();
    Ok(Principal {
        id: PrincipalId::of(fields.id()?),
        entity: EntityId::of(fields.id()?),
        name: fields.text()?,
        operator: fields.bool()?,
        zone: fields.text()?,
        created_at: fields.time()?,
    })
}
