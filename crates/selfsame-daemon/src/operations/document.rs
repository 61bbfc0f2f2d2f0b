//! document show, set: what an operator tells an agent about itself.

use super::agent::outcome;
use super::{Context, Method, Operation, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::key::Scope;
use serde::{Deserialize, Serialize};

/// Shows a document.
pub struct ShowDocument;

/// Which one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DocumentRequest {
    /// Its name: `CONTEMPLATION.md`
    pub name: String,
}

/// A document as it holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DocumentView {
    /// Its name.
    pub name: String,
    /// Its text.
    pub content: String,
    /// When it was written; none: it is the one that ships.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

impl Operation for ShowDocument {
    const NAME: &'static str = "document_show";
    const SUMMARY: &'static str =
        "Show what the agent is told about itself, such as its style of contemplation.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/documents/{name}" };
    const TOOL: Option<Tool> = None;
    type Request = DocumentRequest;
    type Reply = DocumentView;

    fn run(context: &Context<'_>, request: DocumentRequest) -> Result<DocumentView, Failure> {
        let document = context.access()?.document(&request.name)?;
        Ok(DocumentView {
            name: document.name.to_owned(),
            content: document.content,
            updated_at: document.updated_at.map(|at| at.to_string()),
        })
    }

    fn tell(reply: &DocumentView) -> String {
        reply.content.clone()
    }
}

/// Writes a document.
pub struct SetDocument;

/// What it is to say.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetDocumentRequest {
    /// Its name: `CONTEMPLATION.md`
    pub name: String,
    /// Its whole text.
    pub content: String,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SetDocumentReply {
    /// Its name.
    pub name: String,
    /// `changed` or `unchanged`
    pub outcome: String,
}

impl Operation for SetDocument {
    const NAME: &'static str = "document_set";
    const SUMMARY: &'static str = "Write what the agent is told about itself. For its operator.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/documents/{name}" };
    const TOOL: Option<Tool> = None;
    type Request = SetDocumentRequest;
    type Reply = SetDocumentReply;

    fn run(context: &Context<'_>, request: SetDocumentRequest) -> Result<SetDocumentReply, Failure> {
        let SetDocumentRequest { name, content } = request;
        let set = context.access()?.set_document(&name, &content, context.idempotency()?.as_ref())?;
        Ok(SetDocumentReply { name, outcome: outcome(set.changed).into() })
    }

    fn tell(reply: &SetDocumentReply) -> String {
        format!("{} {}", reply.outcome, reply.name)
    }
}
