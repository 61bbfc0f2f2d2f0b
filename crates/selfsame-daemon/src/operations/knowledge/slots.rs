//! slots: the questions that beliefs answer.

use crate::failure::Failure;
use crate::operations::{Context, Method, Operation, Route, Tool};
use schemars::JsonSchema;
use selfsame::key::Scope;
use selfsame::knowledge::Registered;
use serde::{Deserialize, Serialize};

/// Lists the questions.
pub struct Slots;

/// Which of them.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SlotsRequest {
    /// Only those that came up in what this agent was told.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub own: bool,
}

/// The questions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SlotsReply {
    /// Those that are known from the start, then those that came up, in that order.
    pub slots: Vec<SlotView>,
}

/// A question that claims can answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SlotView {
    /// Its name, as in `subject/slot`.
    pub name: String,
    /// taste (what somebody likes and works with), relation (who somebody is to somebody) or fact (anything else).
    pub nature: String,
    /// Whether values coexist in it; else one is so at a time.
    pub many: bool,
    /// Whether it came up in what this agent was told; else it is known from the start.
    pub own: bool,
    /// Other names of the same question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<String>,
}

impl From<Registered> for SlotView {
    fn from(slot: Registered) -> SlotView {
        let Registered { name, synonyms, many, nature, is_own } = slot;
        SlotView { name, nature: nature.as_str().to_owned(), many, own: is_own, synonyms }
    }
}

impl Operation for Slots {
    const NAME: &'static str = "slots";
    const SUMMARY: &'static str =
        "List the questions that beliefs answer, by all their names, and whether values coexist in them.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/slots" };
    const TOOL: Option<Tool> = None;
    type Request = SlotsRequest;
    type Reply = SlotsReply;

    fn run(context: &Context<'_>, request: SlotsRequest) -> Result<SlotsReply, Failure> {
        let slots = context.access()?.slots(request.own)?;
        Ok(SlotsReply { slots: slots.into_iter().map(SlotView::from).collect() })
    }

    fn tell(reply: &SlotsReply) -> String {
        reply.slots.iter().map(|slot| format!("- {} ({})\n", slot.name, slot.nature)).collect()
    }
}
