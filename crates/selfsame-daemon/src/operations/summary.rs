//! summary list, show: what self-care wrote, and what it was made from.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::wire::ProvenanceView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::id::{MemoryId, MessageId, SummaryId};
use selfsame::key::Scope;
use selfsame::summary::{Source, SourceKind, Summary, SummaryCard};
use serde::{Deserialize, Serialize};

/// Listed when the caller does not say.
const USUAL_LIMIT: u32 = 20;

/// A summary.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SummaryView {
    /// `sum_...`
    pub id: String,
    /// What it is of: memories or conversation.
    pub of: String,
    /// With whom, for a conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterpart: Option<String>,
    /// The theme that the agent chose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// What it is about.
    pub themes: Vec<String>,
    /// The words.
    pub content: String,
    /// What is carried on word by word.
    pub facts: Vec<String>,
    /// Who wrote it: agent, thinker, or extract (sentences were chosen, and nobody wrote them).
    pub written_by: String,
    /// How many memories or messages are in it, also through other summaries.
    pub rows: u32,
    /// The first of them.
    pub from: String,
    /// And the last.
    pub until: String,
    /// When it was written.
    pub created_at: String,
    /// The summary that has it now: `sum_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folded_into: Option<String>,
    /// How many things it was made from directly.
    pub source_count: usize,
    /// Where it comes from.
    #[serde(flatten)]
    pub provenance: ProvenanceView,
}

impl From<&SummaryCard> for SummaryView {
    fn from(card: &SummaryCard) -> SummaryView {
        let provenance = card.summary.provenance().into();
        let folded_into = card.summary.folded_into().map(|id| id.to_string());
        let source_count = card.sources.len();
        match &card.summary {
            Summary::Memories(row) => SummaryView {
                id: row.id.to_string(),
                of: "memories".into(),
                counterpart: None,
                focus: row.focus.clone(),
                themes: row.themes.clone(),
                content: row.content.clone(),
                facts: Vec::new(),
                written_by: row.written_by.as_str().into(),
                rows: row.memories,
                from: row.from.to_string(),
                until: row.until.to_string(),
                created_at: row.created_at.to_string(),
                folded_into,
                source_count,
                provenance,
            },
            Summary::Conversation(row) => SummaryView {
                id: row.id.to_string(),
                of: "conversation".into(),
                counterpart: card.counterpart.clone(),
                focus: None,
                themes: Vec::new(),
                content: row.content.clone(),
                facts: row.facts.clone(),
                written_by: row.written_by.as_str().into(),
                rows: row.messages,
                from: row.from.to_string(),
                until: row.until.to_string(),
                created_at: row.created_at.to_string(),
                folded_into,
                source_count,
                provenance,
            },
        }
    }
}

impl SummaryView {
    /// What it is, in a few words.
    pub fn standing(&self) -> String {
        let what = if self.of == "memories" { "memories" } else { "messages" };
        let nobody = if self.written_by == "extract" { ", extractive" } else { "" };
        format!("summary of {} {what}{nobody}", self.rows)
    }
}

/// Lists summaries.
pub struct ListSummaries;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListSummariesRequest {
    /// Also those that are in a later one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// At most (1 to 200; 20 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Summaries.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SummariesReply {
    /// The newest first.
    pub summaries: Vec<SummaryView>,
    /// What was left out because it is damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
}

impl Operation for ListSummaries {
    const NAME: &'static str = "summary_list";
    const SUMMARY: &'static str =
        "List what self-care folded: summaries of memories and of conversations, the newest first.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/summaries" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = ListSummariesRequest;
    type Reply = SummariesReply;

    fn run(context: &Context<'_>, request: ListSummariesRequest) -> Result<SummariesReply, Failure> {
        let limit = request.limit.unwrap_or(USUAL_LIMIT) as usize;
        let list = context.access()?.summaries(request.all, limit)?;
        let summaries = list.summaries.iter().map(SummaryView::from).collect();
        Ok(SummariesReply { summaries, damaged: list.damaged })
    }

    fn tell(reply: &SummariesReply) -> String {
        let line = |one: &SummaryView| format!("- {} [{}]", one.content, one.id);
        let lines: Vec<String> = reply.summaries.iter().map(line).collect();
        if lines.is_empty() { "There are no summaries.".into() } else { lines.join("\n") }
    }
}

/// Shows one summary.
pub struct ShowSummary;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SummaryRequest {
    /// `sum_...`
    pub id: String,
}

/// A summary with what it was made from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SummaryReply {
    /// The summary.
    #[serde(flatten)]
    pub summary: SummaryView,
    /// What it was made from: `mem_...`, `msg_...`, `sum_...`
    pub sources: Vec<String>,
}

impl Operation for ShowSummary {
    const NAME: &'static str = "summary_show";
    const SUMMARY: &'static str = "Read one summary by its id, with everything that it was made from.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/summaries/{id}" };
    const TOOL: Option<Tool> = None;
    type Request = SummaryRequest;
    type Reply = SummaryReply;

    fn run(context: &Context<'_>, request: SummaryRequest) -> Result<SummaryReply, Failure> {
        let id: SummaryId = request.id.parse().map_err(Error::from)?;
        match context.access()?.summary(id)? {
            Some(card) => Ok(SummaryReply {
                summary: (&card).into(),
                sources: card.sources.iter().map(source_id).collect(),
            }),
            None => Err(Error::NoSuch { what: "summary", id: request.id }.into()),
        }
    }

    fn tell(reply: &SummaryReply) -> String {
        reply.summary.content.clone()
    }
}

/// What a summary was made from, by its id.
pub(super) fn source_id((kind, id): &Source) -> String {
    match kind {
        SourceKind::Memory => MemoryId::of(*id).to_string(),
        SourceKind::Message => MessageId::of(*id).to_string(),
        SourceKind::Summary => SummaryId::of(*id).to_string(),
    }
}
