//! forget: take something away, with everything kept of it; and the proofs of what was taken away.

use super::reflection::LimitRequest;
use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::forget::{Cascade, Going, Item, LedgerEntry, Order, Proof, Staying, What};
use selfsame::id::{ErasureId, MemoryId};
use selfsame::key::Scope;
use selfsame::seal::hex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The operation.
pub struct Forget;

/// What to forget: exactly one of `id`, `entity`, `source`, `query` and `whole_agent`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetRequest {
    /// One thing by its id: `mem_...`, or that of a message, conversation, diary entry, to-do, calendar entry, soul entry,
    /// lesson, reflection, episode, candidate or nudge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Somebody or something, by name or `ent_...`, with all that speaks of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Whatever came by this: a message or conversation by id, or a file, call or run by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Whatever has all these words. Ask with `dry_run` first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The whole agent, for its operator. Ask with `dry_run` first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole_agent: bool,
    /// Also memories that say the same on their own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub everywhere: bool,
    /// Only say what would go.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The token of a dry run: exactly what it showed is forgotten, or nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// What went, or would go.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ForgetReply {
    /// `forgotten` or `would_forget`
    pub outcome: String,
    /// Memories that went, or would go.
    pub memories: u64,
    /// How many of each kind went, or would go.
    pub removed: BTreeMap<String, u64>,
    /// How many of each kind stay without the words, and are worked out again from what is left.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rewritten: BTreeMap<String, u64>,
    /// The act, under which its proof is found: `era_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erasure: Option<String>,
    /// What would go, one by one, in a dry run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub going: Vec<GoingView>,
    /// What says the same and would stay, in a dry run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub staying: Vec<GoingView>,
    /// The name of exactly this: give it back to have it forgotten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// One thing that would go, or stay.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GoingView {
    /// What it is.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// `named`, `derived` (made from it), `source` (it was made from this), `repeats` (its words), `rewritten`; or why it stays.
    pub why: String,
    /// What it says, if you may see that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
}

impl From<&Going> for GoingView {
    fn from(one: &Going) -> GoingView {
        view(one.item, one.why.as_str(), one.words.clone())
    }
}

impl From<&Staying> for GoingView {
    fn from(one: &Staying) -> GoingView {
        view(one.item, one.why, one.words.clone())
    }
}

fn view(item: Item, why: &str, words: Option<String>) -> GoingView {
    GoingView { kind: item.kind.as_str().into(), id: item.to_string(), why: why.into(), words }
}

impl ForgetRequest {
    fn order(&self, context: &Context<'_>) -> Result<Order, Failure> {
        let named = [&self.id, &self.entity, &self.source, &self.query].into_iter().flatten().count();
        if named + usize::from(self.whole_agent) != 1 {
            return Err(Failure::bad_request(
                "unclear",
                "name one thing to forget: id, entity, source, query or whole_agent",
            ));
        }
        let what = match self {
            ForgetRequest { id: Some(id), .. } => What::Item(item(id)?),
            ForgetRequest { entity: Some(name), .. } => {
                What::Entity(context.access()?.entity_to_forget(name)?)
            }
            ForgetRequest { source: Some(source), .. } => match Item::parse(source) {
                Some(item) => What::Item(item),
                None => What::Source(source.clone()),
            },
            ForgetRequest { query: Some(query), .. } => What::Query(query.clone()),
            _ => What::Agent,
        };
        Ok(Order { what, token: self.token.clone(), everywhere: self.everywhere })
    }
}

fn item(id: &str) -> Result<Item, Failure> {
    match Item::parse(id) {
        Some(item) => Ok(item),
        // Says what an id looks like.
        None => match id.parse::<MemoryId>() {
            Ok(_) => Err(Failure::bad_request("bad_id", "that id is of nothing that can be forgotten by it")),
            Err(error) => Err(Error::from(error).into()),
        },
    }
}

impl From<Cascade> for ForgetReply {
    fn from(shown: Cascade) -> ForgetReply {
        let memories = ["memory", "memory_items"].iter().find_map(|kind| shown.removed.get(*kind)).copied();
        ForgetReply {
            outcome: "would_forget".into(),
            memories: memories.unwrap_or(0),
            going: shown.going.iter().map(GoingView::from).collect(),
            staying: shown.staying.iter().map(GoingView::from).collect(),
            removed: shown.removed,
            rewritten: shown.rewritten,
            erasure: None,
            token: Some(shown.token),
        }
    }
}

impl Operation for Forget {
    const NAME: &'static str = "forget";
    const SUMMARY: &'static str = "Forget for good, by id, entity, source or query: the words, their place in the index, and whatever was made from them or repeats them. There is no undo; try dry_run first. A query needs the token of its dry run.";
    const SCOPE: Scope = Scope::Write;
    /// Nothing of it: what is to be forgotten is named as it stands, a secret too, and the token of a dry run is no secret.
    const STORES: bool = false;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/forget" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: false, destructive: true, idempotent: true });
    type Request = ForgetRequest;
    type Reply = ForgetReply;

    fn run(context: &Context<'_>, request: ForgetRequest) -> Result<ForgetReply, Failure> {
        let order = request.order(context)?;
        let access = context.access()?;
        if request.dry_run {
            return Ok(access.forget_what(&order)?.into());
        }
        let forgotten = access.forget_all(&order, context.idempotency()?.as_ref())?;
        Ok(ForgetReply {
            outcome: "forgotten".into(),
            memories: forgotten.memories,
            removed: forgotten.removed,
            rewritten: forgotten.rewritten,
            erasure: Some(forgotten.erasure.to_string()),
            going: Vec::new(),
            staying: Vec::new(),
            token: None,
        })
    }

    fn tell(reply: &ForgetReply) -> String {
        let word = if reply.erasure.is_some() { "Forgotten" } else { "Would forget" };
        let mut lines = vec![format!("{word}: {}", told(&reply.removed))];
        if !reply.rewritten.is_empty() {
            lines.push(format!("Without these words stay: {}", told(&reply.rewritten)));
        }
        for one in &reply.going {
            let words = one.words.as_deref().unwrap_or("(not yours to see)");
            lines.push(format!("- {} {} ({}): {words}", one.kind, one.id, one.why));
        }
        for one in &reply.staying {
            lines.push(format!("- stays: {} {} ({})", one.kind, one.id, one.why));
        }
        if let Some(token) = &reply.token {
            lines.push(format!("token {token}"));
        }
        lines.join("\n")
    }
}

/// Counts in words: `2 memory, 1 message`.
pub fn told(counts: &BTreeMap<String, u64>) -> String {
    let words: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    if words.is_empty() { "nothing".into() } else { words.join(", ") }
}

/// An act of forgetting.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ErasureView {
    /// Its id.
    pub id: String,
    /// Whose memory.
    pub agent: String,
    /// When.
    pub at: String,
    /// By whom.
    pub by: String,
    /// What it was named by.
    pub how: String,
    /// How many of each kind went.
    pub removed: BTreeMap<String, u64>,
    /// How many of each kind stayed without the words.
    pub rewritten: BTreeMap<String, u64>,
    /// A hash over all that went, keyed with the secret of the data folder.
    pub items_hash: String,
}

impl From<&Proof> for ErasureView {
    fn from(proof: &Proof) -> ErasureView {
        ErasureView {
            id: proof.erasure.to_string(),
            agent: proof.agent.to_string(),
            at: proof.at.to_string(),
            by: proof.actor.clone(),
            how: proof.how.clone(),
            removed: proof.removed.clone(),
            rewritten: proof.rewritten.iter().map(|(kind, which)| (kind.clone(), which.count())).collect(),
            items_hash: hex(&proof.items_hash),
        }
    }
}

/// Something that went.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GoneView {
    /// What it was.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// What it said, hashed with the secret of the data folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words_hash: Option<String>,
}

/// The proof of an act.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProofReply {
    /// The act.
    pub erasure: ErasureView,
    /// What went, one by one.
    pub items: Vec<GoneView>,
    /// Copies of the database that were made before and still have it; restoring one forgets it again.
    pub copies: Vec<String>,
}

fn proof_reply(context: &Context<'_>, entry: &LedgerEntry) -> Result<ProofReply, Failure> {
    let item = |one: &selfsame::forget::Buried| GoneView {
        kind: one.kind.clone(),
        id: selfsame::forget::ItemKind::parse(&one.kind)
            .map_or_else(|| hex(&one.item.bytes()), |kind| kind.shown(one.item)),
        words_hash: one.words_hash.as_deref().map(hex),
    };
    let copies = context.mind.copies_with(entry)?;
    Ok(ProofReply {
        erasure: (&entry.proof).into(),
        items: entry.items.iter().map(item).collect(),
        copies: copies.iter().map(|path| path.display().to_string()).collect(),
    })
}

fn tell_proof(reply: &ProofReply) -> String {
    let ErasureView { id, at, by, removed, .. } = &reply.erasure;
    format!(
        "{id}: {} went on {at}, by {by}; {} older copies have it still",
        told(removed),
        reply.copies.len()
    )
}

/// Lists acts of forgetting.
pub struct ListErasures;

/// The acts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ErasuresReply {
    /// The newest first.
    pub erasures: Vec<ErasureView>,
}

impl Operation for ListErasures {
    const NAME: &'static str = "erasure_list";
    const SUMMARY: &'static str = "List what was forgotten when, by counts; the newest first.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/erasures" };
    const TOOL: Option<Tool> = None;
    type Request = LimitRequest;
    type Reply = ErasuresReply;

    fn run(context: &Context<'_>, request: LimitRequest) -> Result<ErasuresReply, Failure> {
        let proofs = context.access()?.erasures(request.limit())?;
        Ok(ErasuresReply { erasures: proofs.iter().map(ErasureView::from).collect() })
    }

    fn tell(reply: &ErasuresReply) -> String {
        let line = |one: &ErasureView| format!("- {} {}: {}", one.at, one.id, told(&one.removed));
        let lines: Vec<String> = reply.erasures.iter().map(line).collect();
        if lines.is_empty() { "Nothing was forgotten.".into() } else { lines.join("\n") }
    }
}

/// Shows the proof of an act.
pub struct ShowErasure;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErasureRequest {
    /// `era_...`
    pub id: String,
}

impl Operation for ShowErasure {
    const NAME: &'static str = "erasure";
    const SUMMARY: &'static str =
        "Show the proof of an act of forgetting: what went, when, by whom, and which copies still have it.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/erasures/{id}" };
    const TOOL: Option<Tool> = None;
    type Request = ErasureRequest;
    type Reply = ProofReply;

    fn run(context: &Context<'_>, request: ErasureRequest) -> Result<ProofReply, Failure> {
        let id: ErasureId = request.id.parse().map_err(Error::from)?;
        match context.access()?.erasure(id)? {
            Some(entry) => proof_reply(context, &entry),
            None => Err(Error::NoSuch { what: "erasure", id: request.id }.into()),
        }
    }

    fn tell(reply: &ProofReply) -> String {
        tell_proof(reply)
    }
}

/// Shows the proof of an act, of whichever agent: also of one that was forgotten whole.
pub struct ShowProof;

impl Operation for ShowProof {
    const NAME: &'static str = "erasure_proof";
    const SUMMARY: &'static str =
        "Show the proof of an act of forgetting of any agent, also of one that was forgotten whole.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/erasures/{id}" };
    const TOOL: Option<Tool> = None;
    type Request = ErasureRequest;
    type Reply = ProofReply;

    fn run(context: &Context<'_>, request: ErasureRequest) -> Result<ProofReply, Failure> {
        let id: ErasureId = request.id.parse().map_err(Error::from)?;
        match context.mind.proof(id)? {
            Some(entry) => proof_reply(context, &entry),
            None => Err(Error::NoSuch { what: "erasure", id: request.id }.into()),
        }
    }

    fn tell(reply: &ProofReply) -> String {
        tell_proof(reply)
    }
}

/// Looks where a text still is.
pub struct CheckForgotten;

/// The text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckForgottenRequest {
    /// Any words.
    pub text: String,
}

/// Where it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckForgottenReply {
    /// Whether it is nowhere.
    pub gone: bool,
    /// Tables, with how many rows of each have it.
    pub rows: BTreeMap<String, u64>,
    /// Files of the data folder that have its bytes.
    pub files: Vec<String>,
}

impl Operation for CheckForgotten {
    const NAME: &'static str = "forget_check";
    const SUMMARY: &'static str = "Look through every table of the agent and every file of the data folder for a text. For the operator.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/forget/check" };
    const TOOL: Option<Tool> = None;
    type Request = CheckForgottenRequest;
    type Reply = CheckForgottenReply;

    fn run(context: &Context<'_>, request: CheckForgottenRequest) -> Result<CheckForgottenReply, Failure> {
        let found = context.access()?.whereabouts(&request.text)?;
        Ok(CheckForgottenReply {
            gone: found.rows.is_empty() && found.files.is_empty(),
            files: found.files.iter().map(|path| path.display().to_string()).collect(),
            rows: found.rows,
        })
    }

    fn tell(reply: &CheckForgottenReply) -> String {
        match reply.gone {
            true => "It is nowhere.".into(),
            false => format!("It is in {} and in {} files", told(&reply.rows), reply.files.len()),
        }
    }
}
