//! feedback and retract: what somebody makes of a belief, and a source that is taken back.

use super::view::{level, rounded};
use crate::failure::Failure;
use crate::operations::{Context, Method, Operation, Profile, Route, Tool};
use schemars::JsonSchema;
use selfsame::key::Scope;
use selfsame::knowledge::{Fallen, Judgement, Retraction};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Takes somebody's judgement of a belief.
pub struct GiveFeedback;

/// A judgement.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GiveFeedbackRequest {
    /// `obs_...`, a key, or `subject/slot` such as `Maya/database`.
    pub observation: String,
    /// confirm (it is so), correct (it is not so, but `text` is), useful (an answer that used it satisfied) or wrong (it is
    /// not so).
    pub judgement: String,
    /// With `correct`: how it is, as a sentence or as the bare answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What came of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GiveFeedbackReply {
    /// The memory of the act: `mem_...`
    pub memory: String,
    /// What is believed about the question now; absent: nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observation: Option<String>,
    /// How far.
    pub confidence: f64,
    /// The same in a word.
    pub level: String,
    /// Whether another belief took the place of the one that was judged.
    pub replaced: bool,
}

impl Operation for GiveFeedback {
    const NAME: &'static str = "feedback";
    const SUMMARY: &'static str =
        "Judge a belief: confirm it, correct it, say that it was useful, or that it is wrong.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/feedback" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = GiveFeedbackRequest;
    type Reply = GiveFeedbackReply;

    fn run(context: &Context<'_>, request: GiveFeedbackRequest) -> Result<GiveFeedbackReply, Failure> {
        let access = context.access()?;
        let judgement = Judgement::read(&request.judgement, request.text)?;
        let id = access.find_observation(&request.observation)?;
        let given = access.feedback(id, &judgement, context.idempotency()?.as_ref())?;
        Ok(GiveFeedbackReply {
            memory: given.memory.to_string(),
            observation: given.observation.map(|id| id.to_string()),
            confidence: rounded(given.confidence),
            level: level(given.confidence),
            replaced: given.observation.is_some_and(|now| now != id),
        })
    }

    fn tell(reply: &GiveFeedbackReply) -> String {
        let GiveFeedbackReply { memory, observation, confidence, level, .. } = reply;
        match observation {
            Some(now) => format!("noted as {memory}; believed now: {now}, {level} ({confidence})"),
            None => format!("noted as {memory}; nothing is believed about it any more"),
        }
    }
}

/// Takes a source back.
pub struct Retract;

/// A source.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetractRequest {
    /// A memory, lesson, reflection, entity, message, conversation or principal by its id, or the name of a document that
    /// things came from.
    pub source: String,
    /// Only say what would fall.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// What a retraction does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RetractReply {
    /// Nothing was done: this is what would be.
    pub dry_run: bool,
    /// Beliefs that rested on it alone.
    pub fallen: Vec<FallenView>,
    /// Beliefs that rest on something else too, and stay.
    pub standing: Vec<String>,
}

/// A belief that falls.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FallenView {
    /// The question.
    pub key: String,
    /// What was believed.
    pub summary: String,
    /// What is believed instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
}

impl From<Fallen> for FallenView {
    fn from(fallen: Fallen) -> FallenView {
        let Fallen { key, summary, instead } = fallen;
        FallenView { key, summary, instead }
    }
}

impl Operation for Retract {
    const NAME: &'static str = "retract";
    const SUMMARY: &'static str = "Take a source back: beliefs that rested on it alone fall, what others say too stays. With dry_run it \
         only says what would fall.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/retract" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: true, idempotent: true });
    type Request = RetractRequest;
    type Reply = RetractReply;

    fn run(context: &Context<'_>, request: RetractRequest) -> Result<RetractReply, Failure> {
        let RetractRequest { source, dry_run } = request;
        let retraction = Retraction { source, dry_run };
        let retracted = context.access()?.retract(&retraction, context.idempotency()?.as_ref())?;
        Ok(RetractReply {
            dry_run,
            fallen: retracted.fallen.into_iter().map(FallenView::from).collect(),
            standing: retracted.standing,
        })
    }

    fn tell(reply: &RetractReply) -> String {
        let (fall, stay) = if reply.dry_run { ("would fall", "would stay") } else { ("fell", "stays") };
        let mut text = String::new();
        for fallen in &reply.fallen {
            writeln!(text, "{fall}: {}", fallen.summary).unwrap_or_default();
            if let Some(instead) = &fallen.instead {
                writeln!(text, "  believed instead: {instead}").unwrap_or_default();
            }
        }
        for standing in &reply.standing {
            writeln!(text, "{stay}: {standing}").unwrap_or_default();
        }
        if text.is_empty() { "no belief rested on it".into() } else { text }
    }
}
