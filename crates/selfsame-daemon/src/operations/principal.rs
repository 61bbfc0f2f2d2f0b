//! principal add, list, set: whom an agent serves, said by its operator.

use super::agent::NoRequest;
use super::{Context, Method, Operation, Route, Tool};
use crate::failure::Failure;
use crate::wire::PrincipalView;
use schemars::JsonSchema;
use selfsame::key::Scope;
use serde::{Deserialize, Serialize};

/// What became of a principal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PrincipalReply {
    /// `pri_...`
    pub id: String,
    /// `added` or `changed`
    pub outcome: String,
}

/// Adds a principal.
pub struct AddPrincipal;

/// Somebody to serve.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddPrincipalRequest {
    /// The name it goes by.
    pub name: String,
    /// IANA zone of its days; the agent's if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

impl Operation for AddPrincipal {
    const NAME: &'static str = "principal_add";
    const SUMMARY: &'static str =
        "Add somebody whom the agent serves, and the person that it is. For its operator.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/principals" };
    const TOOL: Option<Tool> = None;
    type Request = AddPrincipalRequest;
    type Reply = PrincipalReply;

    fn run(context: &Context<'_>, request: AddPrincipalRequest) -> Result<PrincipalReply, Failure> {
        let key = context.idempotency()?;
        let added = context.access()?.principal_add(&request.name, request.zone.as_deref(), key.as_ref())?;
        Ok(PrincipalReply { id: added.id.to_string(), outcome: "added".into() })
    }

    fn tell(reply: &PrincipalReply) -> String {
        format!("{} {}", reply.outcome, reply.id)
    }
}

/// Lists the principals.
pub struct ListPrincipals;

/// Whom the agent serves, by name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListPrincipalsReply {
    /// All of them.
    pub principals: Vec<PrincipalView>,
}

impl Operation for ListPrincipals {
    const NAME: &'static str = "principal_list";
    const SUMMARY: &'static str = "List whom the agent serves.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/principals" };
    const TOOL: Option<Tool> = None;
    type Request = NoRequest;
    type Reply = ListPrincipalsReply;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<ListPrincipalsReply, Failure> {
        let principals = context.access()?.principal_list()?;
        Ok(ListPrincipalsReply { principals: principals.iter().map(PrincipalView::from).collect() })
    }

    fn tell(reply: &ListPrincipalsReply) -> String {
        reply.principals.iter().map(|principal| principal.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// Changes a principal.
pub struct SetPrincipal;

/// What is to be different.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetPrincipalRequest {
    /// Which: `pri_...` or its name.
    pub principal: String,
    /// Another name; the old one stays an alias of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Another IANA zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

impl Operation for SetPrincipal {
    const NAME: &'static str = "principal_set";
    const SUMMARY: &'static str = "Give a principal another name or zone. For the agent's operator.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/principals/{principal}" };
    const TOOL: Option<Tool> = None;
    type Request = SetPrincipalRequest;
    type Reply = PrincipalReply;

    fn run(context: &Context<'_>, request: SetPrincipalRequest) -> Result<PrincipalReply, Failure> {
        let SetPrincipalRequest { principal, name, zone } = request;
        let key = context.idempotency()?;
        let access = context.access()?;
        let changed = access.principal_set(&principal, name.as_deref(), zone.as_deref(), key.as_ref())?;
        Ok(PrincipalReply { id: changed.id.to_string(), outcome: "changed".into() })
    }

    fn tell(reply: &PrincipalReply) -> String {
        format!("{} {}", reply.outcome, reply.id)
    }
}
