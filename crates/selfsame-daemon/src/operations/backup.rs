//! backup: a verified copy, now.

use super::agent::NoRequest;
use super::{Context, Method, Operation, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::key::Scope;
use serde::{Deserialize, Serialize};

/// The operation.
pub struct MakeBackup;

/// The copy.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BackupReply {
    /// Where it is.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
    /// Agents in it.
    pub agents: u64,
    /// Memories in it, each with its seal checked.
    pub memories: u64,
}

impl Operation for MakeBackup {
    const NAME: &'static str = "backup";
    const SUMMARY: &'static str =
        "Make a copy of the database in its backups folder, and check every memory in it.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/backups" };
    const TOOL: Option<Tool> = None;
    type Request = NoRequest;
    type Reply = BackupReply;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<BackupReply, Failure> {
        let made = context.mind.backup_here()?;
        Ok(BackupReply {
            path: made.path.display().to_string(),
            sha256: made.sha256,
            bytes: made.bytes,
            agents: made.agents,
            memories: made.memories,
        })
    }

    fn tell(reply: &BackupReply) -> String {
        format!("copied {} memories to {}", reply.memories, reply.path)
    }
}
