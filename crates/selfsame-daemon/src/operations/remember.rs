//! remember: store one fact.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::key::Scope;
use selfsame::memory::{Draft, MemoryKind};
use selfsame::trust::Privacy;
use serde::{Deserialize, Serialize};

/// The operation.
pub struct Remember;

/// What to remember. Who said it and how far it is trusted follow from the key, not from here.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberRequest {
    /// The fact, in words that will still make sense in a year.
    pub content: String,
    /// identity, preference, relationship, knowledge (default), skill, event, plan, question, context, episode,
    /// ephemeral or activity.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// 0 to 1; 0.5 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<f64>,
    /// Free labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whom or what it is about: `ent_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// A deadline, such as 2026-12-24T18:00:00Z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Exempt it from decay.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Only the principal who said it and the operator may see it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// Message, tool call or file it came by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RememberReply {
    /// The memory: `mem_...`
    pub id: String,
    /// `stored`
    pub outcome: String,
}

impl Operation for Remember {
    const NAME: &'static str = "remember";
    const SUMMARY: &'static str = "Store one fact for good: something learned, promised, preferred or that happened. One fact per call.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/memories" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Core, read_only: false, destructive: false, idempotent: false });
    type Request = RememberRequest;
    type Reply = RememberReply;

    fn run(context: &Context<'_>, request: RememberRequest) -> Result<RememberReply, Failure> {
        let draft = draft(request)?;
        let remembered = context.access()?.remember(draft, context.idempotency()?.as_ref())?;
        Ok(RememberReply { id: remembered.id.to_string(), outcome: remembered.outcome.as_str().to_owned() })
    }

    fn tell(reply: &RememberReply) -> String {
        format!("{} {}", reply.outcome, reply.id)
    }
}

fn draft(request: RememberRequest) -> Result<Draft, selfsame::Error> {
    let mut draft = Draft::new(request.content);
    if let Some(kind) = request.kind {
        draft.kind = MemoryKind::parse(&kind)?;
    }
    if let Some(importance) = request.importance {
        draft.importance = importance;
    }
    draft.tags = request.tags;
    draft.entity = request.entity.map(|id| id.parse()).transpose()?;
    draft.expires_at = request.expires_at.map(|time| time.parse()).transpose()?;
    draft.pinned = request.pinned;
    draft.privacy = if request.private { Privacy::Private } else { Privacy::Shared };
    draft.source = request.source;
    Ok(draft)
}
