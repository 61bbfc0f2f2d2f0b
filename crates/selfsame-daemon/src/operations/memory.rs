//! memory: one memory with its history, and what may be done to it; the list of them.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::operations::remember::RememberReply;
use crate::wire::MemoryView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::id::MemoryId;
use selfsame::key::Scope;
use selfsame::memory::{Edit, MemoryKind, Portrait, State, Which};
use serde::{Deserialize, Serialize};

/// One memory, whole.
pub struct GetMemory;
/// The list.
pub struct ListMemories;
/// A next edition.
pub struct EditMemory;
/// Exempt from decay.
pub struct PinMemory;
/// Done.
pub struct ResolveMemory;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryRequest {
    /// `mem_...`
    pub id: String,
}

/// A memory with all that is known about it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PortraitView {
    /// The memory.
    #[serde(flatten)]
    pub memory: MemoryView,
    /// How much of it is left, from 1 to 0.
    pub retention: f64,
    /// Days it would take to fade to about a third, unrecalled.
    pub stability_days: f64,
    /// Days on which it was recalled.
    pub recall_count: u32,
    /// The last recall that counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_recalled_at: Option<String>,
    /// When it will be stale; absent: it does not fade.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_at: Option<String>,
    /// When it will be archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive_at: Option<String>,
    /// How many sources say so.
    pub sources: u64,
    /// Who else said it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_sources: Vec<SourceView>,
    /// What it is at odds with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at_odds_with: Vec<OddsView>,
    /// Its changes of state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<StateView>,
}

/// Somebody else who said it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SourceView {
    /// Whose words.
    pub author: String,
    /// Message, tool call or file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// In whose name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// When.
    pub at: String,
}

/// A memory that cannot be true together with it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OddsView {
    /// `mem_...`
    pub id: String,
    /// negation, number or order.
    pub how: String,
}

/// A change of state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StateView {
    /// When.
    pub at: String,
    /// active, stale, archived or resolved.
    pub state: String,
    /// Why.
    pub reason: String,
}

impl From<&Portrait> for PortraitView {
    fn from(portrait: &Portrait) -> PortraitView {
        let memory = &portrait.memory;
        let life = &memory.life;
        let other =
            |pair: &selfsame::memory::Pair| if pair.memory == memory.id { pair.other } else { pair.memory };
        PortraitView {
            memory: memory.into(),
            // What a person can tell apart; the exact number changes with every microsecond.
            retention: (portrait.retention * 1e4).round() / 1e4,
            stability_days: life.hold.stability,
            recall_count: life.hold.recall_count,
            last_recalled_at: life.hold.last_recalled_at.map(|time| time.to_string()),
            stale_at: life.decline.stale_at.map(|time| time.to_string()),
            archive_at: life.decline.archive_at.map(|time| time.to_string()),
            sources: portrait.further_sources.len() as u64 + 1,
            further_sources: portrait
                .further_sources
                .iter()
                .map(|source| SourceView {
                    author: source.author.clone(),
                    source: source.source.clone(),
                    principal: source.principal.map(|id| id.to_string()),
                    at: source.at.to_string(),
                })
                .collect(),
            at_odds_with: portrait
                .pairs
                .iter()
                .map(|pair| OddsView { id: other(pair).to_string(), how: pair.how.clone() })
                .collect(),
            history: portrait
                .states
                .iter()
                .map(|change| StateView {
                    at: change.at.to_string(),
                    state: change.state.clone(),
                    reason: change.reason.clone(),
                })
                .collect(),
        }
    }
}

impl Operation for GetMemory {
    const NAME: &'static str = "memory";
    const SUMMARY: &'static str =
        "Read one memory by its id: its words, how firmly it is held, its history, who else said it.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/memories/{id}" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = MemoryRequest;
    type Reply = PortraitView;

    fn run(context: &Context<'_>, request: MemoryRequest) -> Result<PortraitView, Failure> {
        let id: MemoryId = request.id.parse().map_err(Error::from)?;
        match context.access()?.portrait(id)? {
            Some(portrait) => Ok((&portrait).into()),
            None => Err(Error::NoSuch { what: "memory", id: request.id }.into()),
        }
    }

    fn tell(reply: &PortraitView) -> String {
        reply.memory.content.clone()
    }
}

/// Which ones.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListMemoriesRequest {
    /// Of this type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// In this state: active, stale, archived or resolved; active and stale if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// With this label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// About this entity: `ent_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Older than this one: `mem_...`, the last of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// How many, at most (1 to 1000; 20 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// The memories, the newest first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListMemoriesReply {
    /// The newest first.
    pub memories: Vec<MemoryView>,
}

impl Operation for ListMemories {
    const NAME: &'static str = "memory_list";
    const SUMMARY: &'static str = "List memories, the newest first, by type, state, label or entity.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/memories" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = ListMemoriesRequest;
    type Reply = ListMemoriesReply;

    fn run(context: &Context<'_>, request: ListMemoriesRequest) -> Result<ListMemoriesReply, Failure> {
        let which = Which {
            kind: request.kind.map(|kind| MemoryKind::parse(&kind)).transpose().map_err(Error::from)?,
            state: request.state.map(|state| State::parse(&state)).transpose().map_err(Error::from)?,
            tag: request.tag,
            entity: request.entity.map(|id| id.parse()).transpose().map_err(Error::from)?,
            before: request.before.map(|id| id.parse()).transpose().map_err(Error::from)?,
        };
        let memories = context.access()?.memories(&which, request.limit.unwrap_or(20) as usize)?;
        Ok(ListMemoriesReply { memories: memories.iter().map(Into::into).collect() })
    }

    fn tell(reply: &ListMemoriesReply) -> String {
        if reply.memories.is_empty() {
            return "No memory fits.".into();
        }
        let line = |memory: &MemoryView| format!("- {} [{}, {}]", memory.content, memory.id, memory.kind);
        reply.memories.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// What is to change; what is not given stays.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EditMemoryRequest {
    /// `mem_...`
    pub id: String,
    /// The words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// What sort of fact.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<f64>,
    /// Free labels, instead of the old ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// Where the new words come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl Operation for EditMemory {
    const NAME: &'static str = "memory_edit";
    const SUMMARY: &'static str =
        "Store a next edition of a memory; the old one is archived and stays readable as history.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/memories/{id}/edit" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = EditMemoryRequest;
    type Reply = RememberReply;

    fn run(context: &Context<'_>, request: EditMemoryRequest) -> Result<RememberReply, Failure> {
        let id: MemoryId = request.id.parse().map_err(Error::from)?;
        let edit = Edit {
            content: request.content,
            kind: request.kind.map(|kind| MemoryKind::parse(&kind)).transpose().map_err(Error::from)?,
            importance: request.importance,
            tags: request.tags,
            source: request.source,
        };
        Ok(context.access()?.edit(id, edit, context.idempotency()?.as_ref())?.into())
    }

    fn tell(reply: &RememberReply) -> String {
        format!("{} {}", reply.outcome, reply.id)
    }
}

/// Which, and whether.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinMemoryRequest {
    /// `mem_...`
    pub id: String,
    /// true (if not given): it does not fade; false: it fades again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
}

/// What is so now.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangeReply {
    /// `mem_...`
    pub id: String,
    /// What it is now: pinned, unpinned or resolved.
    pub is: String,
    /// Whether it was not so before.
    pub changed: bool,
}

impl Operation for PinMemory {
    const NAME: &'static str = "memory_pin";
    const SUMMARY: &'static str = "Exempt a memory from fading and from being summarized, or end that.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/memories/{id}/pin" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: true });
    type Request = PinMemoryRequest;
    type Reply = ChangeReply;

    fn run(context: &Context<'_>, request: PinMemoryRequest) -> Result<ChangeReply, Failure> {
        let id: MemoryId = request.id.parse().map_err(Error::from)?;
        let pinned = request.pinned.unwrap_or(true);
        let changed = context.access()?.pin(id, pinned)?;
        Ok(ChangeReply { id: request.id, is: if pinned { "pinned" } else { "unpinned" }.into(), changed })
    }

    fn tell(reply: &ChangeReply) -> String {
        told(reply)
    }
}

impl Operation for ResolveMemory {
    const NAME: &'static str = "memory_resolve";
    const SUMMARY: &'static str = "Mark a plan, an activity or a question as done.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/memories/{id}/resolve" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: true });
    type Request = MemoryRequest;
    type Reply = ChangeReply;

    fn run(context: &Context<'_>, request: MemoryRequest) -> Result<ChangeReply, Failure> {
        let id: MemoryId = request.id.parse().map_err(Error::from)?;
        let changed = context.access()?.resolve(id)?;
        Ok(ChangeReply { id: request.id, is: "resolved".into(), changed })
    }

    fn tell(reply: &ChangeReply) -> String {
        told(reply)
    }
}

fn told(reply: &ChangeReply) -> String {
    let already = if reply.changed { "" } else { " already" };
    format!("{} is {}{already}", reply.id, reply.is)
}
