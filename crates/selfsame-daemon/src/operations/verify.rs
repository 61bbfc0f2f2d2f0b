//! verify: look at everything stored, name what does not fit.

use super::agent::NoRequest;
use super::{Context, Method, Operation, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::key::Scope;
use serde::{Deserialize, Serialize};

/// The operation.
pub struct Verify;

/// What was looked at, and what was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct VerifyReply {
    /// Whether everything fits.
    pub ok: bool,
    /// Agents looked at.
    pub agents: u64,
    /// Memories whose seal was checked.
    pub memories: u64,
    /// What does not fit.
    pub problems: Vec<String>,
}

impl Operation for Verify {
    const NAME: &'static str = "verify";
    const SUMMARY: &'static str =
        "Check the database, the seal of every memory, and the index against the texts.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/verify" };
    const TOOL: Option<Tool> = None;
    type Request = NoRequest;
    type Reply = VerifyReply;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<VerifyReply, Failure> {
        let report = context.mind.verify()?;
        Ok(VerifyReply {
            ok: report.problems.is_empty(),
            agents: report.agents,
            memories: report.memories,
            problems: report.problems,
        })
    }

    fn tell(reply: &VerifyReply) -> String {
        if reply.ok { "everything fits".into() } else { reply.problems.join("\n") }
    }
}
