//! recall: find what answers a question.

use super::conversation::MessageView;
use super::knowledge::ObservationView;
use super::summary::{SummaryView, source_id};
use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::wire::MemoryView;
use schemars::JsonSchema;
use selfsame::key::Scope;
use selfsame::recall::{Found, Hit, Recalled, Written};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Sources of a summary that are named in an answer, at most: it may have hundreds.
const SOURCES_NAMED: usize = 20;

/// The operation.
pub struct Recall;

/// What is asked.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RecallRequest {
    /// The question, or just words.
    pub query: String,
    /// Answers, at most (1 to 1000; 10 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Answers to pass over: the `next_offset` of the page before.
    #[serde(skip_serializing_if = "is_zero")]
    pub offset: u32,
    /// What weighs most: balanced, recent, important, historical, timeline, preferences or identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Only from these layers: memory, message, observation, summary.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<String>,
    /// Only about, by or mentioning this entity (id or name).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Only in the name of this principal (id or name).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// Only memories of these types.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// Only memories with all of these labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Not before: a date or RFC 3339 time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Not after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Only in these states: active, stale, archived, resolved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<String>,
    /// Only what is believed at least so far (0 to 1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_trust: Option<f64>,
    /// Answer from what was known at this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// Give the best there is, even where there is likely no answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub anyway: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(offset: &u32) -> bool {
    *offset == 0
}

/// What was found; possibly nothing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecallReply {
    /// The best first; in the order of time in the mode `timeline`.
    pub hits: Vec<HitView>,
    /// The words that were looked for, as they are indexed.
    pub words: Vec<String>,
    /// How likely there is an answer at all, from 0 to 1.
    pub confidence: f64,
    /// Why there is nothing, when there is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u32>,
    /// What was left out because it is damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
    /// The model by which meaning was compared, beside words; none: words alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Texts that the model has not read yet: they are found by their words alone.
    #[serde(default, skip_serializing_if = "is_none_pending")]
    pub pending_vectors: u64,
    /// Why meaning was not compared, although there is a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_trouble: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_none_pending(pending: &u64) -> bool {
    *pending == 0
}

/// One answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HitView {
    /// Where it is from: memory, message, observation or summary.
    pub layer: String,
    /// What was found.
    #[serde(flatten)]
    pub found: FoundView,
    /// How well it answers: its fit times its factor.
    pub score: f64,
    /// How well it fits, from 0 to 1.
    pub fit: f64,
    /// What its age, importance, retention and trust make of that; of an observation, its kind, confidence and freshness.
    pub factor: f64,
    /// What the fit is the sum of, the largest part first.
    pub why: Vec<PartView>,
    /// Which of the words it has itself.
    pub words: Vec<WordView>,
    /// What is believed because of this memory, among others: `obs_...`
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<String>,
    /// A belief that is sure and current, and fits about as well as the best, comes before all else, whatever its score.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leads: bool,
}

/// A memory, a message, an observation or a summary.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FoundView {
    /// A memory.
    Memory(Box<MemoryView>),
    /// Something that was said in a conversation.
    Message(Box<SaidView>),
    /// Something that is believed.
    Observation(Box<ObservationView>),
    /// What self-care made of what it put away.
    Summary(Box<SummedUpView>),
}

/// A summary, and the first of what it was made from; `summary show` has all of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SummedUpView {
    /// The summary.
    #[serde(flatten)]
    pub summary: SummaryView,
    /// Memories, messages or earlier summaries, by id; `source_count` says how many there are.
    pub sources: Vec<String>,
}

/// A message, and where it was said.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SaidView {
    /// `cnv_...`
    pub conversation: String,
    /// The message.
    #[serde(flatten)]
    pub message: MessageView,
}

/// What a part added to a fit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PartView {
    /// words, coverage, nearby, passage, sitting, answers, person, own_words, day, speaks_of_day, moment, statement, phrase
    /// or quoted.
    pub part: String,
    /// How strong it is, from 0 to 1.
    pub strength: f64,
    /// What it added.
    pub added: f64,
}

/// A word of the question in an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WordView {
    /// The word, as it is indexed.
    pub word: String,
    /// How often it is there.
    pub times: u32,
    /// In how many texts it is.
    pub in_texts: u64,
}

impl FoundView {
    /// Its id.
    pub fn id(&self) -> &str {
        match self {
            FoundView::Memory(memory) => &memory.id,
            FoundView::Message(said) => &said.message.id,
            FoundView::Observation(belief) => &belief.id,
            FoundView::Summary(found) => &found.summary.id,
        }
    }

    /// Its words.
    pub fn content(&self) -> &str {
        match self {
            FoundView::Memory(memory) => &memory.content,
            FoundView::Message(said) => &said.message.content,
            FoundView::Observation(belief) => &belief.summary,
            FoundView::Summary(found) => &found.summary.content,
        }
    }

    /// When it was stored, said, last supported or written.
    pub fn at(&self) -> &str {
        match self {
            FoundView::Memory(memory) => &memory.created_at,
            FoundView::Message(said) => &said.message.at,
            FoundView::Observation(belief) => belief.last_supported_at.as_ref().unwrap_or(&belief.created_at),
            FoundView::Summary(found) => &found.summary.created_at,
        }
    }

    /// Its words, and where they are from, for a model that reads.
    pub fn line(&self) -> String {
        let (content, id, day) = (self.content(), self.id(), day(self.at()));
        let by = match self {
            FoundView::Memory(memory) => memory.provenance.author.clone(),
            FoundView::Message(said) => said.message.role.clone(),
            FoundView::Observation(belief) => belief.standing(),
            FoundView::Summary(found) => found.summary.standing(),
        };
        format!("- {content} [{id}, {by}, {day}]")
    }

    /// The memory, if it is one.
    pub fn memory(&self) -> Option<&MemoryView> {
        match self {
            FoundView::Memory(memory) => Some(memory),
            FoundView::Message(_) | FoundView::Observation(_) | FoundView::Summary(_) => None,
        }
    }
}

impl Operation for Recall {
    const NAME: &'static str = "recall";
    const SUMMARY: &'static str = "Find what is believed, remembered or was said and answers a question. Finds nothing rather than something unrelated.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/recall" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Core, read_only: true, destructive: false, idempotent: true });
    type Request = RecallRequest;
    type Reply = RecallReply;

    fn run(context: &Context<'_>, request: RecallRequest) -> Result<RecallReply, Failure> {
        let access = context.access()?;
        let question = access.read_question(written(request))?;
        Ok(reply(access.recall(&question)?))
    }

    fn tell(reply: &RecallReply) -> String {
        if reply.hits.is_empty() {
            return format!("Nothing found: {}.", reply.note.as_deref().unwrap_or("nothing fits"));
        }
        let mut text = String::new();
        for hit in &reply.hits {
            writeln!(text, "{}", hit.found.line()).unwrap_or_default();
        }
        if let Some(offset) = reply.next_offset {
            writeln!(text, "There is more: ask again with offset {offset}.").unwrap_or_default();
        }
        text
    }
}

fn day(at: &str) -> &str {
    &at[..10.min(at.len())]
}

fn written(request: RecallRequest) -> Written {
    Written {
        text: request.query,
        limit: request.limit.map(|limit| limit as usize),
        offset: request.offset as usize,
        mode: request.mode,
        layers: request.layers,
        entity: request.entity,
        principal: request.principal,
        kinds: request.types,
        tags: request.tags,
        from: request.from,
        until: request.until,
        states: request.states,
        min_trust: request.min_trust,
        as_of: request.as_of,
        anyway: request.anyway,
    }
}

fn reply(recalled: Recalled) -> RecallReply {
    RecallReply {
        hits: recalled.hits.iter().map(hit).collect(),
        words: recalled.words,
        confidence: recalled.confidence,
        note: recalled.why_empty,
        next_offset: recalled.next_offset.and_then(|offset| u32::try_from(offset).ok()),
        damaged: recalled.damaged,
        model: recalled.by_meaning.model,
        pending_vectors: recalled.by_meaning.pending,
        model_trouble: recalled.by_meaning.trouble,
    }
}

fn hit(hit: &Hit) -> HitView {
    let part = |part: &selfsame::recall::Part| PartView {
        part: part.name.to_owned(),
        strength: part.strength,
        added: part.added,
    };
    let word = |found: &selfsame::recall::WordFound| WordView {
        word: found.word.clone(),
        times: found.times,
        in_texts: found.in_texts,
    };
    let (layer, found) = match &hit.found {
        Found::Memory(memory) => ("memory", FoundView::Memory(Box::new(memory.as_ref().into()))),
        Found::Message(message) => {
            let conversation = message.conversation.to_string();
            ("message", FoundView::Message(Box::new(SaidView { conversation, message: message.into() })))
        }
        Found::Observation(belief) => {
            ("observation", FoundView::Observation(Box::new(belief.as_ref().into())))
        }
        Found::Summary(card) => {
            let sources = card.sources.iter().take(SOURCES_NAMED).map(source_id).collect();
            let summary = card.as_ref().into();
            ("summary", FoundView::Summary(Box::new(SummedUpView { summary, sources })))
        }
    };
    HitView {
        layer: layer.to_owned(),
        found,
        score: hit.score,
        fit: hit.fit,
        factor: hit.factor,
        why: hit.parts.iter().map(part).collect(),
        words: hit.words.iter().map(word).collect(),
        supports: hit.supports.iter().map(ToString::to_string).collect(),
        leads: hit.leads,
    }
}
