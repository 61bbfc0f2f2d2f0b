//! remember: store one fact.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::id::MemoryId;
use selfsame::key::Scope;
use selfsame::knowledge::ObservationKind;
use selfsame::memory::{Affect, Draft, MemoryKind, Stated};
use selfsame::remember::Remembered;
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
    /// What it felt like: -2 (terrible) to 2 (wonderful).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valence: Option<f64>,
    /// How strongly: 0 (calm) to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arousal: Option<f64>,
    /// The feeling in a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feeling: Option<String>,
    /// Free labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The plan that it serves: `mem_...`; guessed from shared words if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The question that it answers: `mem_...`; guessed if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
    /// The plan, activity or question that is done with it: `mem_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolves: Option<String>,
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
    /// What it says, in its parts, where that is known better than its words tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimRequest>,
}

/// What a memory says: the answer to a question about somebody or something.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimRequest {
    /// Of whom or what: a name, `self` or `world`.
    pub subject: String,
    /// operator_preference, project_state, tooling_state, relationship_fact, self_model or world_fact; what the subject
    /// suggests if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The question, such as `database` or `employer`.
    pub slot: String,
    /// The answer.
    pub value: String,
    /// It is not so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub denied: bool,
    /// The answer that it takes the place of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RememberReply {
    /// The memory: `mem_...`
    pub id: String,
    /// `stored`; `reinforced` (known, one source more); `known` (from this source already); `revised` (a next edition)
    pub outcome: String,
    /// The memory of which it is the next edition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// The plan that it serves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The question that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
    /// Earlier memories that cannot be true together with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at_odds_with: Vec<String>,
}

impl From<Remembered> for RememberReply {
    fn from(remembered: Remembered) -> RememberReply {
        let shown = |id: Option<MemoryId>| id.map(|id| id.to_string());
        RememberReply {
            id: remembered.id.to_string(),
            outcome: remembered.outcome.as_str().to_owned(),
            replaces: shown(remembered.replaces),
            goal: shown(remembered.goal),
            answers: shown(remembered.answers),
            at_odds_with: remembered.at_odds_with.iter().map(ToString::to_string).collect(),
        }
    }
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
        Ok(context.access()?.remember(draft, context.idempotency()?.as_ref())?.into())
    }

    fn tell(reply: &RememberReply) -> String {
        let mut told = format!("{} {}", reply.outcome, reply.id);
        if !reply.at_odds_with.is_empty() {
            told += &format!("; at odds with {}", reply.at_odds_with.join(", "));
        }
        told
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
    draft.affect = Affect { valence: request.valence, arousal: request.arousal, feeling: request.feeling };
    draft.tags = request.tags;
    draft.goal = request.goal.map(|id| id.parse()).transpose()?;
    draft.answers = request.answers.map(|id| id.parse()).transpose()?;
    draft.resolves = request.resolves.map(|id| id.parse()).transpose()?;
    draft.entity = request.entity.map(|id| id.parse()).transpose()?;
    draft.expires_at = request.expires_at.map(|time| time.parse()).transpose()?;
    draft.pinned = request.pinned;
    draft.privacy = if request.private { Privacy::Private } else { Privacy::Shared };
    draft.source = request.source;
    draft.claim = request.claim.map(stated).transpose()?;
    Ok(draft)
}

fn stated(claim: ClaimRequest) -> Result<Stated, selfsame::Error> {
    let ClaimRequest { subject, kind, slot, value, denied, replaces } = claim;
    let kind = kind.map(|kind| ObservationKind::parse(&kind)).transpose()?;
    Ok(Stated { subject, kind, slot, value, denied, replaces })
}
