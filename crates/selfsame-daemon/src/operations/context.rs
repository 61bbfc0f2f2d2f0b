//! context: what an agent should have in mind, within a budget of tokens.

use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::context::{MindContext, Occasion, Section, Shown};
use selfsame::key::Scope;
use serde::{Deserialize, Serialize};

/// The operation.
pub struct AssembleContext;

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextRequest {
    /// What it is about, such as the last message; without it, what matters most is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Who is present: a principal, by name or id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// Tokens that it may have, at most (1 to 1000000; 4000 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u32>,
}

/// A context, and what it is made of.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ContextReply {
    /// The text, for a prompt. Everything stored is quoted in it.
    pub text: String,
    /// How many tokens it has.
    pub tokens: usize,
    /// How many it could have had.
    pub budget: usize,
    /// What it is made of, in the order of the text; also the sections that show nothing.
    pub sections: Vec<SectionView>,
    /// What was left out because it is damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
}

/// A section of a context.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SectionView {
    /// soul, notes, observations, lessons, memories, summaries, people, conversation, diary, todos or calendar.
    pub section: String,
    /// How many tokens it has.
    pub tokens: usize,
    /// How many it could have had: its share, and what the section before left.
    pub room: usize,
    /// How many items did not fit.
    pub left_out: usize,
    /// What it shows, in the order of the text.
    pub items: Vec<ItemView>,
}

/// Something that a context shows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ItemView {
    /// Its id.
    pub id: String,
    /// When, by whom, of what sort.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The words that are shown.
    pub words: String,
    /// These are not all of its words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
    /// How far it is believed, 0 to 1, where somebody said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<f64>,
}

impl Operation for AssembleContext {
    const NAME: &'static str = "context";
    const SUMMARY: &'static str = "Get what to have in mind before answering, as one text within a budget of tokens: soul, \
         beliefs, lessons, memories about the query, people present, recent conversation, diary, to-dos, calendar.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/context" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Core, read_only: true, destructive: false, idempotent: true });
    type Request = ContextRequest;
    type Reply = ContextReply;

    fn run(context: &Context<'_>, request: ContextRequest) -> Result<ContextReply, Failure> {
        let occasion = Occasion {
            principal: request.principal,
            query: request.query,
            budget_tokens: request.budget_tokens.map(|tokens| tokens as usize),
        };
        Ok(reply(context.access()?.context(&occasion)?))
    }

    fn tell(reply: &ContextReply) -> String {
        match reply.text.is_empty() {
            true => "Nothing to have in mind yet.".into(),
            false => reply.text.clone(),
        }
    }
}

fn reply(context: MindContext) -> ContextReply {
    let MindContext { text, tokens, budget, sections, damaged } = context;
    ContextReply { text, tokens, budget, sections: sections.into_iter().map(section).collect(), damaged }
}

fn section(section: Section) -> SectionView {
    let Section { kind, items, room, tokens, left_out } = section;
    let item = |Shown { id, about, words, shortened, trust }| ItemView { id, about, words, shortened, trust };
    SectionView {
        section: kind.as_str().to_owned(),
        tokens,
        room,
        left_out,
        items: items.into_iter().map(item).collect(),
    }
}
