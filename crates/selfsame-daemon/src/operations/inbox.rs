//! inbox capture, list, review: what was said and may be worth remembering.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::wire::ProvenanceView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::inbox::{Candidate, Decision, Reviewed, Status, Verdict};
use selfsame::kept::Kept;
use selfsame::key::Scope;
use selfsame::memory::MemoryKind;
use selfsame::trust::Privacy;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Listed when the caller does not say.
const USUAL_LIMIT: u32 = 50;

const HOW_TO_REVIEW: &str = "Decide on each with decisions [{id, decision}]: promote (it becomes a memory in the words of who said it), \
                             merge with `into` (a memory says it already) or reject with a reason. What nobody decides on expires.";

/// Something that was said and may be worth remembering.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CandidateView {
    /// `can_...`
    pub id: String,
    /// preference, directive, correction, relationship, decision, commitment, emotion, identity, question or fact.
    pub candidate_type: String,
    /// The words, as they were said.
    pub content: String,
    /// How sure the rule is, 0 to 1.
    pub confidence: f64,
    /// The rule that found it.
    pub cue: String,
    /// The type of memory it would be.
    pub memory_type: String,
    /// How much that would matter, 0 to 1.
    pub importance: f64,
    /// pending, promoted, merged, rejected or expired.
    pub status: String,
    /// Where it was said: `cnv_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// In which message: `msg_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When it was filed.
    pub created_at: String,
    /// When it is gone if nobody decides.
    pub expires_at: String,
    /// When it was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
    /// By whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The memory that it became, or that said it already: `mem_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Where it comes from.
    #[serde(flatten)]
    pub provenance: ProvenanceView,
}

impl From<&Kept<Candidate>> for CandidateView {
    fn from(candidate: &Kept<Candidate>) -> CandidateView {
        CandidateView {
            id: candidate.id.to_string(),
            candidate_type: candidate.kind.as_str().to_owned(),
            content: candidate.content.clone(),
            confidence: candidate.confidence,
            cue: candidate.cue.clone(),
            memory_type: candidate.memory_kind.as_str().to_owned(),
            importance: candidate.importance,
            status: candidate.status.as_str().to_owned(),
            conversation: candidate.conversation.map(|id| id.to_string()),
            message: candidate.message.map(|id| id.to_string()),
            created_at: candidate.created_at.to_string(),
            expires_at: candidate.expires_at.to_string(),
            decided_at: candidate.decided_at.map(|time| time.to_string()),
            decided_by: candidate.decided_by.clone(),
            reason: candidate.reason.clone(),
            memory: candidate.memory.map(|id| id.to_string()),
            provenance: (&candidate.provenance).into(),
        }
    }
}

/// Files what a principal says.
pub struct CaptureText;

/// What was said.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaptureRequest {
    /// A principal's own words, as they were said.
    pub text: String,
    /// Only the principal who said it and the operator may see what comes of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

/// Candidates.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CandidatesReply {
    /// As they stand now.
    pub candidates: Vec<CandidateView>,
}

impl Operation for CaptureText {
    const NAME: &'static str = "inbox_capture";
    const SUMMARY: &'static str = "File what a principal says: what was asked to be remembered becomes a memory at once, the rest waits for review.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/inbox" };
    // The agent's own words are never captured: there is nothing here for a model to call.
    const TOOL: Option<Tool> = None;
    type Request = CaptureRequest;
    type Reply = CandidatesReply;

    fn run(context: &Context<'_>, request: CaptureRequest) -> Result<CandidatesReply, Failure> {
        let privacy = if request.private { Privacy::Private } else { Privacy::Shared };
        let captured = context.access()?.capture(&request.text, privacy, context.idempotency()?.as_ref())?;
        Ok(CandidatesReply { candidates: captured.candidates.iter().map(CandidateView::from).collect() })
    }

    fn tell(reply: &CandidatesReply) -> String {
        told(&reply.candidates, "Nothing in it is worth remembering.")
    }
}

/// Lists candidates.
pub struct ListInbox;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInboxRequest {
    /// pending (if not given), promoted, merged, rejected or expired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Candidates, at most (1 to 1000; 50 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

impl Operation for ListInbox {
    const NAME: &'static str = "inbox_list";
    const SUMMARY: &'static str = "List what was said and may be worth remembering, the oldest first.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/inbox" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = ListInboxRequest;
    type Reply = CandidatesReply;

    fn run(context: &Context<'_>, request: ListInboxRequest) -> Result<CandidatesReply, Failure> {
        let status =
            request.status.map_or(Ok(Status::Pending), |word| Status::parse(&word)).map_err(Error::from)?;
        let found = context.access()?.inbox(status, request.limit.unwrap_or(USUAL_LIMIT) as usize)?;
        Ok(CandidatesReply { candidates: found.iter().map(CandidateView::from).collect() })
    }

    fn tell(reply: &CandidatesReply) -> String {
        told(&reply.candidates, "There is nothing of that status in the inbox.")
    }
}

/// Decides on candidates.
pub struct ReviewInbox;

/// What is decided. Without decisions the pending ones are listed.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewRequest {
    /// One for each candidate; either all are fit, or nothing is changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<DecisionRequest>,
    /// Let the rules decide on everything that is pending.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_rules: bool,
}

/// A decision on one candidate.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionRequest {
    /// The candidate: `can_...`
    pub id: String,
    /// promote, merge or reject.
    pub decision: String,
    /// For merge: the memory that says it already, `mem_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub into: Option<String>,
    /// For promote: another type of memory than the hint.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// For promote: another importance than the hint, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<f64>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What came of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReviewReply {
    /// What was decided on, as it stands now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviewed: Vec<ReviewedView>,
    /// What is pending, when nothing was decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<CandidateView>,
    /// What to do with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
}

/// A candidate that was decided on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReviewedView {
    /// promoted, merged, rejected; or already, if that had been decided before.
    pub outcome: String,
    /// The candidate.
    #[serde(flatten)]
    pub candidate: CandidateView,
}

impl From<&Reviewed> for ReviewedView {
    fn from(reviewed: &Reviewed) -> ReviewedView {
        let candidate = CandidateView::from(&reviewed.candidate);
        let outcome = if reviewed.already { "already".to_owned() } else { candidate.status.clone() };
        ReviewedView { outcome, candidate }
    }
}

impl Operation for ReviewInbox {
    const NAME: &'static str = "inbox_review";
    const SUMMARY: &'static str = "Decide what of what was said becomes memory: promote, merge or reject. Without decisions it lists what is pending.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/inbox/review" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: true });
    type Request = ReviewRequest;
    type Reply = ReviewReply;

    fn run(context: &Context<'_>, request: ReviewRequest) -> Result<ReviewReply, Failure> {
        let access = context.access()?;
        if request.by_rules && !request.decisions.is_empty() {
            return Err(Error::Unfit(
                "by_rules decides by itself: leave out the decisions, or by_rules".into(),
            )
            .into());
        }
        if request.by_rules {
            return Ok(decided(&access.review_inbox_by_rules()?));
        }
        if request.decisions.is_empty() {
            let pending = access.inbox(Status::Pending, USUAL_LIMIT as usize)?;
            return Ok(ReviewReply {
                reviewed: Vec::new(),
                pending: pending.iter().map(CandidateView::from).collect(),
                instructions: Some(HOW_TO_REVIEW.to_owned()),
            });
        }
        let decisions: Vec<Decision> =
            request.decisions.into_iter().map(decision).collect::<Result<_, Error>>()?;
        Ok(decided(&access.review_inbox(&decisions)?))
    }

    fn tell(reply: &ReviewReply) -> String {
        let Some(instructions) = &reply.instructions else {
            let line = |one: &ReviewedView| format!("{} {}", one.outcome, one.candidate.id);
            let lines: Vec<String> = reply.reviewed.iter().map(line).collect();
            return if lines.is_empty() { "Nothing was decided.".into() } else { lines.join("\n") };
        };
        match reply.pending.is_empty() {
            true => "Nothing waits for a decision.".into(),
            false => format!("{}{instructions}", told(&reply.pending, "")),
        }
    }
}

fn decision(request: DecisionRequest) -> Result<Decision, Error> {
    let mut decision = Decision::new(request.id.parse()?, Verdict::parse(&request.decision)?);
    decision.into = request.into.map(|id| id.parse()).transpose()?;
    decision.kind = request.kind.map(|kind| MemoryKind::parse(&kind)).transpose()?;
    decision.importance = request.importance;
    decision.reason = request.reason;
    Ok(decision)
}

fn decided(reviewed: &[Reviewed]) -> ReviewReply {
    let reviewed = reviewed.iter().map(ReviewedView::from).collect();
    ReviewReply { reviewed, pending: Vec::new(), instructions: None }
}

fn told(candidates: &[CandidateView], nothing: &str) -> String {
    let mut text = String::new();
    for CandidateView { id, candidate_type, content, status, .. } in candidates {
        writeln!(text, "- {content} [{id}, {candidate_type}, {status}]").unwrap_or_default();
    }
    if text.is_empty() { nothing.to_owned() } else { text }
}
