//! soul, add_to_soul, remove_from_soul: what the agent is at heart.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::wire::ProvenanceView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::id::SoulId;
use selfsame::kept::Kept;
use selfsame::key::Scope;
use selfsame::soul::{SoulEntry, SoulKind};
use serde::{Deserialize, Serialize};

/// Adds a truth.
pub struct AddToSoul;

/// What to add.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddToSoulRequest {
    /// An existential truth in the first person; not a fact.
    pub content: String,
    /// belief (default), value, fear or conviction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Why it is part of you now.
    pub reason: String,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SoulReply {
    /// `sou_...`
    pub id: String,
    /// `added`, `removed` or `already_removed`
    pub outcome: String,
}

impl Operation for AddToSoul {
    const NAME: &'static str = "add_to_soul";
    const SUMMARY: &'static str = "Add one existential truth to your soul: a belief, value, fear or conviction, with the reason. Deliberate and rare; facts belong in memory.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/soul" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = AddToSoulRequest;
    type Reply = SoulReply;

    fn run(context: &Context<'_>, request: AddToSoulRequest) -> Result<SoulReply, Failure> {
        let kind =
            request.kind.as_deref().map_or(Ok(SoulKind::Belief), SoulKind::parse).map_err(Error::from)?;
        let key = context.idempotency()?;
        let added = context.access()?.add_to_soul(kind, &request.content, &request.reason, key.as_ref())?;
        Ok(SoulReply { id: added.id.to_string(), outcome: "added".into() })
    }

    fn tell(reply: &SoulReply) -> String {
        format!("{} {}", reply.outcome, reply.id)
    }
}

/// Removes a truth.
pub struct RemoveFromSoul;

/// What to remove.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveFromSoulRequest {
    /// `sou_...`
    pub id: String,
    /// Why it is no longer part of you.
    pub reason: String,
}

impl Operation for RemoveFromSoul {
    const NAME: &'static str = "remove_from_soul";
    const SUMMARY: &'static str =
        "Remove one entry from your soul, with the reason. It stays in the soul's history.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/soul/{id}/remove" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: true, idempotent: true });
    type Request = RemoveFromSoulRequest;
    type Reply = SoulReply;

    fn run(context: &Context<'_>, request: RemoveFromSoulRequest) -> Result<SoulReply, Failure> {
        let id: SoulId = request.id.parse().map_err(Error::from)?;
        let removed =
            context.access()?.remove_from_soul(id, &request.reason, context.idempotency()?.as_ref())?;
        let outcome = if removed.now { "removed" } else { "already_removed" };
        Ok(SoulReply { id: removed.id.to_string(), outcome: outcome.into() })
    }

    fn tell(reply: &SoulReply) -> String {
        format!("{} {}", reply.outcome, reply.id)
    }
}

/// Lists the soul.
pub struct ListSoul;

/// Which entries.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListSoulRequest {
    /// Also what was removed, with when, why and by whom.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub history: bool,
}

/// The soul.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListSoulReply {
    /// In the order of addition.
    pub entries: Vec<SoulView>,
}

/// One entry.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SoulView {
    /// `sou_...`
    pub id: String,
    /// belief, value, fear or conviction.
    pub kind: String,
    /// The words.
    pub content: String,
    /// Why it was added.
    pub reason: String,
    /// When it was added.
    pub created_at: String,
    /// Where it comes from.
    #[serde(flatten)]
    pub provenance: ProvenanceView,
    /// Its end, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<RemovalView>,
}

/// The end of an entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RemovalView {
    /// When.
    pub at: String,
    /// Why.
    pub reason: String,
    /// Who did it.
    pub by: String,
}

impl From<&Kept<SoulEntry>> for SoulView {
    fn from(entry: &Kept<SoulEntry>) -> SoulView {
        SoulView {
            id: entry.id.to_string(),
            kind: entry.kind.as_str().to_owned(),
            content: entry.content.clone(),
            reason: entry.reason.clone(),
            created_at: entry.created_at.to_string(),
            provenance: (&entry.provenance).into(),
            removed: entry.removed.as_ref().map(|removal| RemovalView {
                at: removal.at.to_string(),
                reason: removal.reason.clone(),
                by: removal.by.clone(),
            }),
        }
    }
}

impl Operation for ListSoul {
    const NAME: &'static str = "soul";
    const SUMMARY: &'static str = "Read your soul: beliefs, values, fears and convictions, oldest first.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/soul" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = ListSoulRequest;
    type Reply = ListSoulReply;

    fn run(context: &Context<'_>, request: ListSoulRequest) -> Result<ListSoulReply, Failure> {
        let entries = context.access()?.soul(request.history)?;
        Ok(ListSoulReply { entries: entries.iter().map(SoulView::from).collect() })
    }

    fn tell(reply: &ListSoulReply) -> String {
        if reply.entries.is_empty() {
            return "The soul has no entries yet.".into();
        }
        let line = |entry: &SoulView| {
            let end = entry.removed.as_ref().map(|removal| format!(" (removed: {})", removal.reason));
            format!("[{}] {}: {}{}\n", entry.id, entry.kind, entry.content, end.unwrap_or_default())
        };
        reply.entries.iter().map(line).collect()
    }
}
