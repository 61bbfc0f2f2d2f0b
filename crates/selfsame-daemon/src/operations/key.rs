//! key create, list, revoke: administration.

use super::agent::NoRequest;
use super::{Context, Method, Operation, Route, Tool};
use crate::failure::Failure;
use crate::wire::KeyView;
use schemars::JsonSchema;
use selfsame::id::KeyId;
use selfsame::key::{KeyRequest, Scope, SpeaksAs};
use selfsame::{Error, Mind};
use serde::{Deserialize, Serialize};

/// Makes a key.
pub struct CreateKey;

/// A key to be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateKeyRequest {
    /// What it is for.
    pub name: String,
    /// The agent it opens, by name or id; all if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// operator, principal, agent or host.
    pub speaks_as: String,
    /// Which principal (`pri_...` or its name), for `principal` and `host`; the operator if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// read, write, admin.
    pub scopes: Vec<String>,
}

/// The key, shown this once.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CreateKeyReply {
    /// The whole key: `ssk_...`
    pub secret: String,
    /// What is stored of it.
    #[serde(flatten)]
    pub key: KeyView,
}

impl Operation for CreateKey {
    const NAME: &'static str = "key_create";
    const SUMMARY: &'static str = "Make a key. The reply is the only place where it is ever shown.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/keys" };
    const TOOL: Option<Tool> = None;
    type Request = CreateKeyRequest;
    type Reply = CreateKeyReply;

    fn run(context: &Context<'_>, request: CreateKeyRequest) -> Result<CreateKeyReply, Failure> {
        let made = context.mind.create_key(&key_request(context.mind, request)?)?;
        Ok(CreateKeyReply { key: (&made.key).into(), secret: made.secret })
    }

    fn tell(reply: &CreateKeyReply) -> String {
        format!("made {}", reply.key.id)
    }
}

fn key_request(mind: &Mind, request: CreateKeyRequest) -> Result<KeyRequest, Error> {
    let principal = match (request.principal, &request.agent) {
        (Some(named), Some(agent)) => Some(mind.principal_called(&mind.require_agent(agent)?, &named)?.id),
        (named, _) => named.map(|id| id.parse()).transpose()?,
    };
    Ok(KeyRequest {
        name: request.name,
        agent: request.agent,
        speaks_as: SpeaksAs::parse(&request.speaks_as)?,
        principal,
        scopes: request.scopes.iter().map(|scope| Scope::parse(scope)).collect::<Result<_, _>>()?,
    })
}

/// Lists the keys.
pub struct ListKeys;

/// The keys, oldest first, without their secrets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListKeysReply {
    /// All of them, revoked ones too.
    pub keys: Vec<KeyView>,
}

impl Operation for ListKeys {
    const NAME: &'static str = "key_list";
    const SUMMARY: &'static str = "List the keys, without their secrets.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/keys" };
    const TOOL: Option<Tool> = None;
    type Request = NoRequest;
    type Reply = ListKeysReply;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<ListKeysReply, Failure> {
        Ok(ListKeysReply { keys: context.mind.keys()?.iter().map(KeyView::from).collect() })
    }

    fn tell(reply: &ListKeysReply) -> String {
        format!("{} keys", reply.keys.len())
    }
}

/// Revokes a key.
pub struct RevokeKey;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RevokeKeyRequest {
    /// `key_...`
    pub id: String,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RevokeKeyReply {
    /// `key_...`
    pub id: String,
    /// `revoked`, or `already_revoked`
    pub outcome: String,
}

impl Operation for RevokeKey {
    const NAME: &'static str = "key_revoke";
    const SUMMARY: &'static str = "Revoke a key, at once and for good.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Delete, path: "/v1/keys/{id}" };
    const TOOL: Option<Tool> = None;
    type Request = RevokeKeyRequest;
    type Reply = RevokeKeyReply;

    fn run(context: &Context<'_>, request: RevokeKeyRequest) -> Result<RevokeKeyReply, Failure> {
        let id: KeyId = request.id.parse().map_err(Error::from)?;
        if !context.mind.keys()?.iter().any(|key| key.id == id) {
            return Err(Error::NoSuch { what: "key", id: request.id }.into());
        }
        let outcome = if context.mind.revoke_key(id)? { "revoked" } else { "already_revoked" };
        Ok(RevokeKeyReply { id: request.id, outcome: outcome.into() })
    }

    fn tell(reply: &RevokeKeyReply) -> String {
        format!("{} {}", reply.outcome, reply.id)
    }
}
