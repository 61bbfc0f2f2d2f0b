//! backup: a verified copy, now.

use super::{Context, Method, Operation, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::key::Scope;
use serde::{Deserialize, Serialize};

/// The operation.
pub struct MakeBackup;

/// How.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupRequest {
    /// Then remove older copies that still have what was forgotten since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub purge: bool,
}

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
    /// Older copies that were removed because they had what was forgotten since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub purged: Vec<String>,
}

impl Operation for MakeBackup {
    const NAME: &'static str = "backup";
    const SUMMARY: &'static str = "Make a copy of the database in its backups folder, and check every memory in it; with purge, remove older copies that still have what was forgotten since.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/backups" };
    const TOOL: Option<Tool> = None;
    type Request = BackupRequest;
    type Reply = BackupReply;

    fn run(context: &Context<'_>, request: BackupRequest) -> Result<BackupReply, Failure> {
        let made = context.mind.backup_here()?;
        let purged = if request.purge { context.mind.purge_copies(&made)? } else { Vec::new() };
        Ok(BackupReply {
            path: made.path.display().to_string(),
            sha256: made.sha256,
            bytes: made.bytes,
            agents: made.agents,
            memories: made.memories,
            purged: purged.iter().map(|path| path.display().to_string()).collect(),
        })
    }

    fn tell(reply: &BackupReply) -> String {
        format!("copied {} memories to {}", reply.memories, reply.path)
    }
}
