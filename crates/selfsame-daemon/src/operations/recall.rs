//! recall: find what answers a question.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::wire::MemoryView;
use schemars::JsonSchema;
use selfsame::key::Scope;
use selfsame::recall::{Hit, Question, Recalled};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The operation.
pub struct Recall;

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecallRequest {
    /// The question, or just words.
    pub query: String,
    /// Answers, at most (1 to 1000; 10 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// What was found; possibly nothing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecallReply {
    /// The best first.
    pub hits: Vec<HitView>,
    /// The words that were looked for, as they are indexed.
    pub words: Vec<String>,
    /// Why there is nothing, when there is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Memories that were left out because they are damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
}

/// One answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HitView {
    /// The memory.
    #[serde(flatten)]
    pub memory: MemoryView,
    /// Its score.
    pub score: f64,
    /// Why: what each word added.
    pub why: Vec<WordView>,
}

/// What a word added to a score.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WordView {
    /// The word, as it is indexed.
    pub word: String,
    /// How often it is in the memory.
    pub times: u32,
    /// In how many memories it is.
    pub in_memories: u64,
    /// What it added.
    pub score: f64,
}

impl Operation for Recall {
    const NAME: &'static str = "recall";
    const SUMMARY: &'static str =
        "Find stored memories that answer a question. Finds nothing rather than something unrelated.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/recall" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Core, read_only: true, destructive: false, idempotent: true });
    type Request = RecallRequest;
    type Reply = RecallReply;

    fn run(context: &Context<'_>, request: RecallRequest) -> Result<RecallReply, Failure> {
        let limit = request.limit.map(|limit| limit as usize);
        let question = Question { limit, ..Question::new(request.query) };
        Ok(reply(context.access()?.recall(&question)?))
    }

    fn tell(reply: &RecallReply) -> String {
        if reply.hits.is_empty() {
            return format!("Nothing found: {}.", reply.note.as_deref().unwrap_or("no memory fits"));
        }
        let mut text = String::new();
        for hit in &reply.hits {
            let MemoryView { id, content, provenance, created_at, .. } = &hit.memory;
            let author = &provenance.author;
            writeln!(text, "- {content} [{id}, {author}, {}]", &created_at[..10.min(created_at.len())])
                .unwrap_or_default();
        }
        text
    }
}

fn reply(recalled: Recalled) -> RecallReply {
    RecallReply {
        hits: recalled.hits.iter().filter_map(hit).collect(),
        words: recalled.words,
        note: recalled.why_empty.map(str::to_owned),
        damaged: recalled.damaged.iter().map(ToString::to_string).collect(),
    }
}

fn hit(hit: &Hit) -> Option<HitView> {
    let why = hit.matches.iter().map(|word| WordView {
        word: word.term.clone(),
        times: word.tf,
        in_memories: word.df,
        score: word.score,
    });
    let memory = hit.found.memory()?.into();
    Some(HitView { memory, score: hit.score, why: why.collect() })
}
