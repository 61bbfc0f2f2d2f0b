//! receipt list and show: what every tick saw and said.

use super::view::{ReceiptView, StepView};
use crate::failure::Failure;
use crate::operations::{Context, Method, Operation, Profile, Route, Tool};
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::heartbeat::ReceiptCard;
use selfsame::id::ReceiptId;
use selfsame::key::Scope;
use selfsame::seal::hex;
use serde::{Deserialize, Serialize};

/// Listed when the caller does not say.
const USUAL_LIMIT: u32 = 20;

/// Lists receipts.
pub struct ListReceipts;

/// Which receipts.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ListReceiptsRequest {
    /// For whom: a name or `pri_...`; who asks, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// Only those before this moment, such as `today` or `yesterday 18:00`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Only those of ticks that spoke up.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub acts: bool,
    /// How many, at most (1 to 500; 20 if not given).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Receipts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListReceiptsReply {
    /// The IANA zone of whom they are about.
    pub zone: String,
    /// The newest first.
    pub receipts: Vec<ReceiptView>,
}

impl Operation for ListReceipts {
    const NAME: &'static str = "receipt_list";
    const SUMMARY: &'static str =
        "List what the heartbeat saw and said, silent ticks included, the newest first.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/receipts" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = ListReceiptsRequest;
    type Reply = ListReceiptsReply;

    fn run(context: &Context<'_>, request: ListReceiptsRequest) -> Result<ListReceiptsReply, Failure> {
        let access = context.access()?;
        let whose = request.principal.as_deref();
        let before = request.before.map(|written| access.heartbeat_moment(whose, &written)).transpose()?;
        let limit = request.limit.unwrap_or(USUAL_LIMIT) as usize;
        let found = access.receipts(whose, before, request.acts, limit)?;
        let said = access.said_in(&found)?;
        let view = |receipt| {
            ReceiptCard::as_written(receipt)
                .map(|card| ReceiptView::from(&card).with(said.get(&card.receipt.id).copied()))
        };
        let zone = access.heartbeat_status(whose)?.principal.zone;
        Ok(ListReceiptsReply { zone, receipts: found.into_iter().map(view).collect::<Result<_, _>>()? })
    }

    fn tell(reply: &ListReceiptsReply) -> String {
        if reply.receipts.is_empty() {
            return "No heart has beaten yet.".into();
        }
        reply.receipts.iter().map(ReceiptView::line).collect::<Vec<_>>().join("\n")
    }
}

/// Shows one receipt.
pub struct ShowReceipt;

/// Which receipt.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowReceiptRequest {
    /// `rcp_...`
    pub id: String,
}

/// A receipt with every step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShowReceiptReply {
    /// The receipt.
    #[serde(flatten)]
    pub receipt: ReceiptView,
    /// quiet, morning, working, evening or late_night, by the principal's clock.
    pub period: String,
    /// The sum of the weights at the fifth step.
    pub score: u32,
    /// Every step that was taken.
    pub steps: Vec<StepView>,
    /// SHA-256 of the rules that held.
    pub settings: String,
}

impl Operation for ShowReceipt {
    const NAME: &'static str = "receipt_show";
    const SUMMARY: &'static str = "Show what one tick saw and every step of its decision, judged again.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/receipts/{id}" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = ShowReceiptRequest;
    type Reply = ShowReceiptReply;

    fn run(context: &Context<'_>, request: ShowReceiptRequest) -> Result<ShowReceiptReply, Failure> {
        let id: ReceiptId = request.id.parse().map_err(Error::from)?;
        let access = context.access()?;
        let card = access.receipt(id)?;
        let said = access.said_in(std::slice::from_ref(&card.receipt))?.remove(&id);
        Ok(ShowReceiptReply {
            receipt: ReceiptView::from(&card).with(said),
            period: card.decision.period.as_str().into(),
            score: card.decision.score,
            steps: card.decision.trace.iter().map(StepView::from).collect(),
            settings: hex(&card.receipt.settings_hash),
        })
    }

    fn tell(reply: &ShowReceiptReply) -> String {
        let mut text = reply.receipt.line();
        for StepView { number, step, note, unless, .. } in &reply.steps {
            text += &format!("\n  {number} {step}: {note}");
            if let Some(unless) = unless {
                text += &format!(" (unless {unless})");
            }
        }
        text
    }
}
