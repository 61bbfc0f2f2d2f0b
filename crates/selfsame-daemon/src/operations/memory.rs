//! memory: one memory by its id.

use super::{Context, Method, Operation, Route, Tool};
use crate::failure::Failure;
use crate::wire::MemoryView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::id::MemoryId;
use selfsame::key::Scope;
use serde::{Deserialize, Serialize};

/// The operation.
pub struct GetMemory;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryRequest {
    /// `mem_...`
    pub id: String,
}

impl Operation for GetMemory {
    const NAME: &'static str = "memory";
    const SUMMARY: &'static str = "Read one memory by its id.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/memories/{id}" };
    const TOOL: Option<Tool> = None;
    type Request = MemoryRequest;
    type Reply = MemoryView;

    fn run(context: &Context<'_>, request: MemoryRequest) -> Result<MemoryView, Failure> {
        let id: MemoryId = request.id.parse().map_err(Error::from)?;
        match context.access()?.memory(id)? {
            Some(memory) => Ok((&memory).into()),
            None => Err(Error::NoSuch { what: "memory", id: request.id }.into()),
        }
    }

    fn tell(reply: &MemoryView) -> String {
        reply.content.clone()
    }
}
