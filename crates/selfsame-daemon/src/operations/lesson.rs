//! lesson add, list, show, judge: what was learned from what was done.

use super::knowledge::rounded;
use super::reflection::{AddedReply, LimitRequest, memories};
use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::wire::ProvenanceView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::id::LessonId;
use selfsame::key::Scope;
use selfsame::lesson::{Judgement, LessonCard, LessonKind, NewLesson};
use serde::{Deserialize, Serialize};

/// What was learned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LessonView {
    /// `les_...`
    pub id: String,
    /// mistake, success, workaround or discovery.
    #[serde(rename = "type")]
    pub kind: String,
    /// What follows.
    pub lesson: String,
    /// In which situation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// What was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// What to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correction: Option<String>,
    /// Free labels.
    pub tags: Vec<String>,
    /// The tools it is about.
    pub tools: Vec<String>,
    /// How sure it is now, 0 to 1: it fades by half in `lessons.half_life` unless it is seen again.
    pub confidence: f64,
    /// How often it was seen.
    pub occurrences: i64,
    /// When it was last seen.
    pub last_seen_at: String,
    /// When it was learned.
    pub created_at: String,
    /// The memories and episodes it was learned from: `mem_...`, `epi_...`
    pub sources: Vec<String>,
    /// Another lesson that says the same, and goes on in its place: `les_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<String>,
    /// The belief that it was proposed as: `obs_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposed: Option<String>,
    /// Where it comes from.
    #[serde(flatten)]
    pub provenance: ProvenanceView,
}

impl From<&LessonCard> for LessonView {
    fn from(card: &LessonCard) -> LessonView {
        let lesson = &card.lesson;
        LessonView {
            id: lesson.id.to_string(),
            kind: lesson.kind.as_str().to_owned(),
            lesson: lesson.lesson.clone(),
            context: lesson.context.clone(),
            action: lesson.action.clone(),
            outcome: lesson.outcome.clone(),
            correction: lesson.correction.clone(),
            tags: lesson.tags.clone(),
            tools: lesson.tools.clone(),
            confidence: rounded(card.confidence),
            occurrences: lesson.occurrences,
            last_seen_at: lesson.last_seen_at.to_string(),
            created_at: lesson.created_at.to_string(),
            sources: {
                let memories = card.sources.iter().map(ToString::to_string);
                memories.chain(card.episodes.iter().map(ToString::to_string)).collect()
            },
            merged_into: lesson.merged_into.map(|id| id.to_string()),
            proposed: lesson.proposed.map(|id| id.to_string()),
            provenance: (&lesson.provenance).into(),
        }
    }
}

/// Writes a lesson.
pub struct AddLesson;

/// A lesson to be.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddLessonRequest {
    /// mistake, success, workaround or discovery.
    #[serde(rename = "type")]
    pub kind: String,
    /// What follows, in words that will still make sense in a year.
    pub lesson: String,
    /// In which situation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// What was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// What to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correction: Option<String>,
    /// Free labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The tools it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The memories it was learned from: `mem_...`; at least one, none of them private.
    pub sources: Vec<String>,
}

impl Operation for AddLesson {
    const NAME: &'static str = "lesson_add";
    const SUMMARY: &'static str =
        "Write down what was learned from what was done, with the memories that it was learned from.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/lessons" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = AddLessonRequest;
    type Reply = AddedReply;

    fn run(context: &Context<'_>, request: AddLessonRequest) -> Result<AddedReply, Failure> {
        let kind = LessonKind::parse(&request.kind).map_err(Error::from)?;
        let new = NewLesson {
            context: request.context,
            action: request.action,
            outcome: request.outcome,
            correction: request.correction,
            tags: request.tags,
            tools: request.tools,
            ..NewLesson::new(kind, request.lesson, memories(&request.sources)?)
        };
        let learned = context.access()?.learn(new, context.idempotency()?.as_ref())?;
        Ok(AddedReply { id: learned.id.to_string() })
    }

    fn tell(reply: &AddedReply) -> String {
        format!("written {}", reply.id)
    }
}

/// Lists lessons.
pub struct ListLessons;

/// Lessons.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LessonsReply {
    /// The surest first.
    pub lessons: Vec<LessonView>,
}

impl Operation for ListLessons {
    const NAME: &'static str = "lesson_list";
    const SUMMARY: &'static str = "List what was learned from what was done, the surest first.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/lessons" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = LimitRequest;
    type Reply = LessonsReply;

    fn run(context: &Context<'_>, request: LimitRequest) -> Result<LessonsReply, Failure> {
        let cards = context.access()?.lessons(request.limit())?;
        Ok(LessonsReply { lessons: cards.iter().map(LessonView::from).collect() })
    }

    fn tell(reply: &LessonsReply) -> String {
        let line = |one: &LessonView| {
            format!("- {} [{}, {}, confidence {}]", one.lesson, one.id, one.kind, one.confidence)
        };
        let lines: Vec<String> = reply.lessons.iter().map(line).collect();
        if lines.is_empty() { "There are no lessons.".into() } else { lines.join("\n") }
    }
}

/// Shows one lesson.
pub struct ShowLesson;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LessonRequest {
    /// `les_...`
    pub id: String,
}

impl Operation for ShowLesson {
    const NAME: &'static str = "lesson_show";
    const SUMMARY: &'static str = "Read one lesson by its id, with what it was learned from.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/lessons/{id}" };
    const TOOL: Option<Tool> = None;
    type Request = LessonRequest;
    type Reply = LessonView;

    fn run(context: &Context<'_>, request: LessonRequest) -> Result<LessonView, Failure> {
        let access = context.access()?;
        let id: LessonId = request.id.parse().map_err(Error::from)?;
        match access.lesson(id)? {
            Some(card) => Ok((&card).into()),
            None => Err(Error::NoSuch { what: "lesson", id: request.id }.into()),
        }
    }

    fn tell(reply: &LessonView) -> String {
        reply.lesson.clone()
    }
}

/// Takes somebody's judgement of a lesson.
pub struct JudgeLesson;

/// A judgement.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JudgeLessonRequest {
    /// `les_...`
    pub id: String,
    /// up (it is right), down (it is not) or unhelpful (it may be right, but did not help). An agent leaves up to others.
    pub judgement: String,
}

/// What came of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct JudgeLessonReply {
    /// `les_...`
    pub id: String,
    /// How sure it is now, 0 to 1.
    pub confidence: f64,
}

impl Operation for JudgeLesson {
    const NAME: &'static str = "lesson_judge";
    const SUMMARY: &'static str = "Judge a lesson: up if it is right, down if it is not, unhelpful if it did not help. That makes it surer or less sure.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/lessons/{id}/judge" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent: false });
    type Request = JudgeLessonRequest;
    type Reply = JudgeLessonReply;

    fn run(context: &Context<'_>, request: JudgeLessonRequest) -> Result<JudgeLessonReply, Failure> {
        let id: LessonId = request.id.parse().map_err(Error::from)?;
        let judgement = Judgement::parse(&request.judgement).map_err(Error::from)?;
        let judged = context.access()?.judge_lesson(id, judgement, context.idempotency()?.as_ref())?;
        Ok(JudgeLessonReply { id: judged.id.to_string(), confidence: rounded(judged.confidence) })
    }

    fn tell(reply: &JudgeLessonReply) -> String {
        format!("noted: the confidence of {} is {} now", reply.id, reply.confidence)
    }
}
