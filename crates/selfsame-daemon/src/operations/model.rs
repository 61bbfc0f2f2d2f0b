//! model embed: let the model read what it has not read yet, now instead of in the background.

use super::{Context, Method, Operation, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::key::Scope;
use serde::{Deserialize, Serialize};

/// Texts that are read in one request if nobody says otherwise.
const USUALLY: u32 = 256;
/// Texts that are read in one request, at most: whoever asks does not wait for hours.
const AT_MOST: u32 = 4096;

/// The operation.
pub struct EmbedTexts;

/// What is to be read.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmbedRequest {
    /// Texts that are read in this request, about; 256 if not given, 4096 at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// Drop every vector first, so that all are made anew.
    #[serde(default)]
    pub anew: bool,
}

/// How far it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EmbedReply {
    /// The model; absent: there is none, and nothing was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Texts that were read in this request.
    pub texts: u64,
    /// Texts that are still to be read.
    pub pending: u64,
    /// Why the model did not answer, if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl Operation for EmbedTexts {
    const NAME: &'static str = "model_embed";
    const SUMMARY: &'static str =
        "Let the model read what it has not read yet, some texts at a time; or everything anew.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/model/embed" };
    const TOOL: Option<Tool> = None;
    type Request = EmbedRequest;
    type Reply = EmbedReply;

    fn run(context: &Context<'_>, request: EmbedRequest) -> Result<EmbedReply, Failure> {
        let mind = context.mind;
        let Some(model) = mind.embedder().map(|model| model.model().to_owned()) else {
            return Ok(EmbedReply { model: None, texts: 0, pending: 0, trouble: None });
        };
        if request.anew {
            mind.drop_vectors()?;
        }
        let done = mind.embed_pending(request.most.unwrap_or(USUALLY).min(AT_MOST) as usize)?;
        Ok(EmbedReply { model: Some(model), texts: done.texts, pending: done.pending, trouble: done.trouble })
    }

    fn tell(reply: &EmbedReply) -> String {
        match (&reply.model, &reply.trouble) {
            (None, _) => "there is no model".into(),
            (_, Some(trouble)) => trouble.clone(),
            _ => format!("{} texts were read, {} are still to be", reply.texts, reply.pending),
        }
    }
}
