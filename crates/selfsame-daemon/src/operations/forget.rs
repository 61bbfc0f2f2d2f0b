//! forget: take a memory away, with everything kept of it.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::wire::MemoryView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::id::MemoryId;
use selfsame::key::Scope;
use serde::{Deserialize, Serialize};

/// The operation.
pub struct Forget;

/// What to forget.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetRequest {
    /// The memory: `mem_...`
    pub id: String,
    /// Only say what would go.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// What went, or would go.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ForgetReply {
    /// `forgotten` or `would_forget`
    pub outcome: String,
    /// Memories that went, or would go.
    pub memories: u64,
    /// The act, under which the tombstones stand: `era_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erasure: Option<String>,
    /// What would go, in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryView>,
}

impl Operation for Forget {
    const NAME: &'static str = "forget";
    const SUMMARY: &'static str = "Forget one memory by its id, for good: its words, its place in the index. There is no undo; try dry_run first.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/forget" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: true, idempotent: true });
    type Request = ForgetRequest;
    type Reply = ForgetReply;

    fn run(context: &Context<'_>, request: ForgetRequest) -> Result<ForgetReply, Failure> {
        let id: MemoryId = request.id.parse().map_err(Error::from)?;
        let access = context.access()?;
        if request.dry_run {
            let memory = access.forget_preview(id)?;
            return Ok(ForgetReply {
                outcome: "would_forget".into(),
                memories: 1,
                erasure: None,
                memory: Some((&memory).into()),
            });
        }
        let forgotten = access.forget(id, context.idempotency()?.as_ref())?;
        Ok(ForgetReply {
            outcome: "forgotten".into(),
            memories: forgotten.memories,
            erasure: Some(forgotten.erasure.to_string()),
            memory: None,
        })
    }

    fn tell(reply: &ForgetReply) -> String {
        match &reply.memory {
            Some(memory) => format!("Would forget {}: {}", memory.id, memory.content),
            None => format!("Forgotten: {} memory", reply.memories),
        }
    }
}
