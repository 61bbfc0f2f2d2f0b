//! why: all that a belief rests on.

use super::view::{ChangeView, ConflictView, ObservationView, rounded};
use crate::failure::Failure;
use crate::operations::{Context, Method, Operation, Profile, Route, Tool};
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::id::{EntityId, LessonId, MemoryId, ReflectionId};
use selfsame::key::Scope;
use selfsame::knowledge::{Components, Explanation, Piece, SourceRef, SourceSort, confidence};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write as _;

/// The operation.
pub struct Why;

/// Which belief.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WhyRequest {
    /// `obs_...`, a key, or `subject/slot` such as `Maya/database`.
    pub observation: String,
}

/// Why something is believed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WhyReply {
    /// What is believed.
    pub observation: ObservationView,
    /// What the confidence is made of.
    pub anatomy: ConfidenceView,
    /// What speaks for it, against it, and what belongs to it, each the first first.
    pub evidence: Vec<EvidenceView>,
    /// Pieces of evidence whose sources were forgotten.
    pub forgotten: u64,
    /// What was believed before, the latest first.
    pub before: Vec<ObservationView>,
    /// Every change of it, the first first.
    pub changes: Vec<ChangeView>,
    /// What is not settled, and what was.
    pub conflicts: Vec<ConflictView>,
}

/// A confidence, taken apart: the base and the parts add up to it, kept between 0 and 1.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConfidenceView {
    /// The version of the formula.
    pub formula: u32,
    /// What there is before anything is counted.
    pub base: f64,
    /// The parts.
    pub parts: Vec<ConfidencePartView>,
    /// What the parts were made from.
    pub inputs: Value,
}

/// A part of a confidence.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConfidencePartView {
    /// sourceCount, sourceDiversity, supportWeight, recencyWeight, operatorConfirmedBoost or contradictionWeight.
    pub part: String,
    /// How strong it is, 0 to 1.
    pub strength: f64,
    /// What it adds; what speaks against a belief takes away.
    pub added: f64,
}

impl From<&Components> for ConfidenceView {
    fn from(components: &Components) -> ConfidenceView {
        let part = |part: &confidence::Part| ConfidencePartView {
            part: part.name.to_owned(),
            strength: rounded(part.strength),
            added: rounded(part.added),
        };
        ConfidenceView {
            formula: components.formula,
            base: components.base(),
            parts: components.parts().iter().map(part).collect(),
            inputs: components.json()["inputs"].take(),
        }
    }
}

/// A piece of evidence.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceView {
    /// `evd_...`
    pub id: String,
    /// support, contradict or context.
    pub stance: String,
    /// The words that count.
    pub words: String,
    /// Whose words.
    pub author: String,
    /// In whose name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// When that was said.
    pub said_at: String,
    /// What it weighs.
    pub weight: f64,
    /// The row that says so: `mem_...`, `les_...`, `ref_...` or `ent_...`
    pub source: String,
    /// It is the operator's own judgement.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirms: bool,
    /// When it was withdrawn: it is kept, and does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdrawn_at: Option<String>,
}

impl From<&Piece> for EvidenceView {
    fn from(piece: &Piece) -> EvidenceView {
        let evidence = &piece.evidence;
        EvidenceView {
            id: evidence.id.to_string(),
            stance: evidence.stance.as_str().to_owned(),
            words: evidence.excerpt.clone(),
            author: piece.author.clone(),
            principal: piece.principal.clone(),
            said_at: evidence.piece.at.to_string(),
            weight: rounded(evidence.piece.weight),
            source: named(evidence.source),
            confirms: evidence.confirms,
            withdrawn_at: evidence.withdrawn_at.map(|at| at.to_string()),
        }
    }
}

fn named(source: SourceRef) -> String {
    match source.sort {
        SourceSort::Memory => MemoryId::of(source.id).to_string(),
        SourceSort::Lesson => LessonId::of(source.id).to_string(),
        SourceSort::Reflection => ReflectionId::of(source.id).to_string(),
        SourceSort::Entity => EntityId::of(source.id).to_string(),
    }
}

impl From<&Explanation> for WhyReply {
    fn from(why: &Explanation) -> WhyReply {
        WhyReply {
            observation: (&why.belief).into(),
            anatomy: (&why.belief.observation.standing.components).into(),
            evidence: why.evidence.iter().map(Into::into).collect(),
            forgotten: why.forgotten,
            before: why.before.iter().map(Into::into).collect(),
            changes: why.changes.iter().map(Into::into).collect(),
            conflicts: why.conflicts.iter().map(|conflict| ConflictView::of(conflict, &why.belief)).collect(),
        }
    }
}

impl Operation for Why {
    const NAME: &'static str = "why";
    const SUMMARY: &'static str = "Explain a belief: what its confidence is made of, each piece of evidence for and against it with \
         its words, and what was believed before.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route =
        Route { method: Method::Get, path: "/v1/agents/{agent}/observations/{observation}/why" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = WhyRequest;
    type Reply = WhyReply;

    fn run(context: &Context<'_>, request: WhyRequest) -> Result<WhyReply, Failure> {
        let access = context.access()?;
        let id = access.find_observation(&request.observation)?;
        match access.why(id)? {
            Some(why) => Ok((&why).into()),
            None => Err(Error::NoSuch { what: "observation", id: id.to_string() }.into()),
        }
    }

    fn tell(reply: &WhyReply) -> String {
        let mut text = reply.observation.line() + "\n";
        for evidence in &reply.evidence {
            let EvidenceView { stance, words, author, said_at, weight, source, .. } = evidence;
            let day = said_at.get(..10).unwrap_or(said_at);
            writeln!(text, "  {stance}: {words} [{source}, {author}, {day}, weight {weight}]")
                .unwrap_or_default();
        }
        for before in &reply.before {
            writeln!(text, "  before: {} [{}]", before.summary, before.id).unwrap_or_default();
        }
        text
    }
}
