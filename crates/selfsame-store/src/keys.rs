//! Keys to the daemon: their hashes, never themselves.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::news::News;
use crate::statement::statements;
use crate::value::{Row, params};
use selfsame_core::id::{AgentId, KeyId, PrincipalId};
use selfsame_core::time::Time;

statements! {
    global INSERT = "INSERT INTO keys
        (id, name, agent_id, principal_id, speaks_as, scopes, secret_hash, created_at, revoked_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    global BY_ID = "SELECT id, name, agent_id, principal_id, speaks_as, scopes, secret_hash, created_at, revoked_at
        FROM keys WHERE id = $1";
    global ALL = "SELECT id, name, agent_id, principal_id, speaks_as, scopes, secret_hash, created_at, revoked_at
        FROM keys ORDER BY id";
    global REVOKE = "UPDATE keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";
}

/// A stored key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// Its id, which is also the public part of the key.
    pub id: KeyId,
    /// What it is for, in its owner's words.
    pub name: String,
    /// The agent it opens; none opens all.
    pub agent: Option<AgentId>,
    /// In whose name or conversation it speaks.
    pub principal: Option<PrincipalId>,
    /// `operator`, `principal`, `agent` or `host`.
    pub speaks_as: String,
    /// Sorted words out of `read`, `write`, `admin`, with commas.
    pub scopes: String,
    /// Hash of the secret part.
    pub secret_hash: Vec<u8>,
    /// When it was made.
    pub created_at: Time,
    /// When it was revoked.
    pub revoked_at: Option<Time>,
}

/// Adds a key.
pub fn insert(writer: &mut Writer, key: &Key) -> Result<()> {
    writer.global_execute(
        &INSERT,
        params![
            key.id.id(),
            &key.name,
            key.agent.map(AgentId::id),
            key.principal.map(PrincipalId::id),
            &key.speaks_as,
            &key.scopes,
            key.secret_hash.as_slice(),
            key.created_at,
            key.revoked_at,
        ],
    )?;
    Ok(())
}

/// The key of that id.
pub fn by_id(reader: &mut Reader, id: KeyId) -> Result<Option<Key>> {
    reader.global_rows(&BY_ID, params![id.id()])?.into_iter().next().map(key).transpose()
}

/// Every key, oldest first.
pub fn all(reader: &mut Reader) -> Result<Vec<Key>> {
    reader.global_rows(&ALL, &[])?.into_iter().map(key).collect()
}

/// Revokes a key; says whether there was one to revoke.
pub fn revoke(writer: &mut Writer, id: KeyId, now: Time) -> Result<bool> {
    writer.tell(News::Keys);
    Ok(writer.global_execute(&REVOKE, params![id.id(), now])? > 0)
}

fn key(row: Row) -> Result<Key> {
    let mut fields = row.fields();
    Ok(Key {
        id: KeyId::of(fields.id()?),
        name: fields.text()?,
        agent: fields.opt_id()?.map(AgentId::of),
        principal: fields.opt_id()?.map(PrincipalId::of),
        speaks_as: fields.text()?,
        scopes: fields.text()?,
        secret_hash: fields.bytes()?,
        created_at: fields.time()?,
        revoked_at: fields.opt_time()?,
    })
}
