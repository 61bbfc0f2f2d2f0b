//! reflection add, list, show: interpreted summaries of a period.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::wire::ProvenanceView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::id::{MemoryId, ReflectionId};
use selfsame::key::Scope;
use selfsame::reflection::{NewReflection, ReflectionCard};
use serde::{Deserialize, Serialize};

/// Listed when the caller does not say.
const USUAL_LIMIT: u32 = 20;

/// What a period meant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReflectionView {
    /// `ref_...`
    pub id: String,
    /// The words.
    pub content: String,
    /// The period begins.
    pub from: String,
    /// And ends.
    pub until: String,
    /// When it was written.
    pub created_at: String,
    /// The memories and episodes it was made from: `mem_...`, `epi_...`
    pub sources: Vec<String>,
    /// Where it comes from.
    #[serde(flatten)]
    pub provenance: ProvenanceView,
}

impl From<&ReflectionCard> for ReflectionView {
    fn from(card: &ReflectionCard) -> ReflectionView {
        let reflection = &card.reflection;
        ReflectionView {
            id: reflection.id.to_string(),
            content: reflection.content.clone(),
            from: reflection.from.to_string(),
            until: reflection.until.to_string(),
            created_at: reflection.created_at.to_string(),
            sources: {
                let memories = card.sources.iter().map(ToString::to_string);
                memories.chain(card.episodes.iter().map(ToString::to_string)).collect()
            },
            provenance: (&reflection.provenance).into(),
        }
    }
}

/// Writes a reflection.
pub struct AddReflection;

/// A reflection to be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddReflectionRequest {
    /// What the period meant.
    pub content: String,
    /// The period begins, such as 2026-03-01T00:00:00Z.
    pub from: String,
    /// And ends.
    pub until: String,
    /// The memories it is made from: `mem_...`; at least one, none of them private.
    pub sources: Vec<String>,
}

/// What was written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AddedReply {
    /// Its id.
    pub id: String,
}

impl Operation for AddReflection {
    const NAME: &'static str = "reflection_add";
    const SUMMARY: &'static str = "Write down what a period meant, with the memories that it is made from.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/reflections" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = AddReflectionRequest;
    type Reply = AddedReply;

    fn run(context: &Context<'_>, request: AddReflectionRequest) -> Result<AddedReply, Failure> {
        let new = NewReflection {
            content: request.content,
            from: request.from.parse().map_err(Error::from)?,
            until: request.until.parse().map_err(Error::from)?,
            sources: memories(&request.sources)?,
        };
        let reflected = context.access()?.reflect(new, context.idempotency()?.as_ref())?;
        Ok(AddedReply { id: reflected.id.to_string() })
    }

    fn tell(reply: &AddedReply) -> String {
        format!("written {}", reply.id)
    }
}

/// Lists reflections.
pub struct ListReflections;

/// How many.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitRequest {
    /// At most (1 to 200; 20 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

impl LimitRequest {
    pub(super) fn limit(&self) -> usize {
        self.limit.unwrap_or(USUAL_LIMIT) as usize
    }
}

/// Reflections.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReflectionsReply {
    /// The newest first.
    pub reflections: Vec<ReflectionView>,
}

impl Operation for ListReflections {
    const NAME: &'static str = "reflection_list";
    const SUMMARY: &'static str = "List what past periods meant, the newest first.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/reflections" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = LimitRequest;
    type Reply = ReflectionsReply;

    fn run(context: &Context<'_>, request: LimitRequest) -> Result<ReflectionsReply, Failure> {
        let cards = context.access()?.reflections(request.limit())?;
        Ok(ReflectionsReply { reflections: cards.iter().map(ReflectionView::from).collect() })
    }

    fn tell(reply: &ReflectionsReply) -> String {
        let line = |one: &ReflectionView| format!("- {} [{}]", one.content, one.id);
        let lines: Vec<String> = reply.reflections.iter().map(line).collect();
        if lines.is_empty() { "There are no reflections.".into() } else { lines.join("\n") }
    }
}

/// Shows one reflection.
pub struct ShowReflection;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReflectionRequest {
    /// `ref_...`
    pub id: String,
}

impl Operation for ShowReflection {
    const NAME: &'static str = "reflection_show";
    const SUMMARY: &'static str = "Read one reflection by its id, with what it was made from.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/reflections/{id}" };
    const TOOL: Option<Tool> = None;
    type Request = ReflectionRequest;
    type Reply = ReflectionView;

    fn run(context: &Context<'_>, request: ReflectionRequest) -> Result<ReflectionView, Failure> {
        let access = context.access()?;
        let id: ReflectionId = request.id.parse().map_err(Error::from)?;
        match access.reflection(id)? {
            Some(card) => Ok((&card).into()),
            None => Err(Error::NoSuch { what: "reflection", id: request.id }.into()),
        }
    }

    fn tell(reply: &ReflectionView) -> String {
        reply.content.clone()
    }
}

/// The ids of memories, as they are given.
pub(super) fn memories(ids: &[String]) -> Result<Vec<MemoryId>, Error> {
    ids.iter().map(|id| Ok(id.parse()?)).collect()
}
