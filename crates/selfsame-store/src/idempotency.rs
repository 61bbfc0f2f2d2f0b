//! Replies stored with their effects, so that a repeated request has one effect and one answer.

use crate::Value;
use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::params;
use selfsame_core::id::{AgentId, Id};
use selfsame_core::time::Time;

statements! {
    global FIND = "SELECT request_hash, reply FROM idempotency WHERE scope = $1 AND idempotency_key = $2";
    global STORE = "INSERT INTO idempotency (scope, idempotency_key, agent_id, request_hash, reply, created_at)
                    VALUES ($1, $2, $3, $4, $5, $6)";
    global SWEEP = "DELETE FROM idempotency WHERE created_at < $1";
}

/// What a caller sends along so that a request can be repeated safely.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Idempotency {
    /// The caller's own word for this request.
    pub key: String,
    /// Hash of what is asked: the same key with another request is a mistake.
    pub request: [u8; 32],
    /// When.
    pub at: Time,
}

/// A reply that can be stored and given again. Ids and our own words only: content would outlive its erasure here.
pub trait Replay: Sized {
    /// As canonical JSON.
    fn encode(&self) -> String;
    /// From what was stored.
    fn decode(stored: &str) -> Result<Self>;
}

impl Replay for () {
    fn encode(&self) -> String {
        "null".into()
    }

    fn decode(_stored: &str) -> Result<()> {
        Ok(())
    }
}

/// How many.
impl Replay for u64 {
    fn encode(&self) -> String {
        self.to_string()
    }

    fn decode(stored: &str) -> Result<u64> {
        stored.parse().map_err(|_| StoreError::unreadable_reply())
    }
}

/// Whether something changed.
impl Replay for bool {
    fn encode(&self) -> String {
        self.to_string()
    }

    fn decode(stored: &str) -> Result<bool> {
        stored.parse().map_err(|_| StoreError::unreadable_reply())
    }
}

/// Removes the replies of requests made before `before`; says how many.
pub fn sweep(writer: &mut Writer, before: Time) -> Result<u64> {
    writer.global_execute(&SWEEP, params![before])
}

pub(crate) fn find(reader: &mut Reader, scope: &str, key: &Idempotency) -> Result<Option<String>> {
    let Some(row) = reader.global_rows(&FIND, params![scope, &key.key])?.into_iter().next() else {
        return Ok(None);
    };
    let mut fields = row.fields();
    if fields.bytes()? != key.request {
        return Err(StoreError::KeyReused);
    }
    Ok(Some(fields.json()?))
}

pub(crate) fn store(
    writer: &mut Writer,
    scope: &str,
    key: &Idempotency,
    agent: Option<AgentId>,
    reply: &str,
) -> Result<()> {
    let agent = agent.map_or(Id::NIL, AgentId::id);
    let reply = Value::Json(reply.to_owned());
    writer.global_execute(&STORE, params![scope, &key.key, agent, &key.request, reply, key.at])?;
    Ok(())
}
