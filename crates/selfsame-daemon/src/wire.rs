//! What crosses the wire: serialisable twins of the engine's types. What is here is promised.

use schemars::JsonSchema;
use selfsame::agent::{Agent, AgentCard};
use selfsame::id::{MemoryId, SummaryId};
use selfsame::key::Key;
use selfsame::memory::Memory;
use selfsame::principal::Principal;
use selfsame::trust::Provenance;
use serde::{Deserialize, Serialize};

/// Where a row comes from: who said it, how far that is believed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProvenanceView {
    /// Whose words: principal, agent, tool, import, link or system.
    pub author: String,
    /// How far it is believed, from who said it.
    pub trust: f64,
    /// In whose name or conversation it was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// Message, tool call or file it came by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Seen by its principal and the operator only.
    pub private: bool,
}

impl From<&Provenance> for ProvenanceView {
    fn from(provenance: &Provenance) -> ProvenanceView {
        ProvenanceView {
            author: provenance.author().as_str().to_owned(),
            trust: provenance.trust().value(),
            principal: provenance.principal_id().map(|id| id.to_string()),
            source: provenance.source().map(str::to_owned),
            private: provenance.is_private(),
        }
    }
}

/// A memory, as people and agents see it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MemoryView {
    /// `mem_...`
    pub id: String,
    /// The words.
    pub content: String,
    /// identity, preference, relationship, knowledge, skill, event, plan, question, context, episode, ephemeral or
    /// activity.
    #[serde(rename = "type")]
    pub kind: String,
    /// 0 to 1.
    pub importance: f64,
    /// Free labels.
    pub tags: Vec<String>,
    /// Whom or what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// A deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// What it felt like: -2 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valence: Option<f64>,
    /// How strongly: 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arousal: Option<f64>,
    /// The feeling in a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feeling: Option<String>,
    /// The plan that it serves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The question that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
    /// What is done with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolves: Option<String>,
    /// The memory of which it is the next edition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// Its next edition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// The summary that it was folded into: `sum_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summarized_into: Option<String>,
    /// When it was stored.
    pub created_at: String,
    /// active, stale, archived or resolved.
    pub state: String,
    /// Exempt from decay.
    pub pinned: bool,
    /// Where it comes from.
    #[serde(flatten)]
    pub provenance: ProvenanceView,
}

impl From<&Memory> for MemoryView {
    fn from(memory: &Memory) -> MemoryView {
        let shown = |id: Option<MemoryId>| id.map(|id| id.to_string());
        MemoryView {
            id: memory.id.to_string(),
            content: memory.content.clone(),
            kind: memory.kind.as_str().to_owned(),
            importance: memory.importance,
            tags: memory.tags.clone(),
            entity: memory.entity.map(|id| id.to_string()),
            expires_at: memory.expires_at.map(|time| time.to_string()),
            valence: memory.affect.valence,
            arousal: memory.affect.arousal,
            feeling: memory.affect.feeling.clone(),
            goal: shown(memory.links.goal),
            answers: shown(memory.links.answers),
            resolves: shown(memory.links.resolves),
            replaces: shown(memory.links.replaces),
            replaced_by: shown(memory.life.replaced_by),
            summarized_into: memory.life.summarized_into.map(|id| SummaryId::of(id).to_string()),
            created_at: memory.created_at.to_string(),
            state: memory.life.state.as_str().to_owned(),
            pinned: memory.life.pinned,
            provenance: (&memory.provenance).into(),
        }
    }
}

/// An agent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentView {
    /// `agt_...`
    pub id: String,
    /// Its name.
    pub name: String,
    /// IANA zone of its days.
    pub zone: String,
    /// When it was made.
    pub created_at: String,
    /// It is one of the family, which thinks as often as `contemplation.family_every` says.
    pub family: bool,
    /// Where it lives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}

impl From<&Agent> for AgentView {
    fn from(agent: &Agent) -> AgentView {
        AgentView {
            id: agent.id.to_string(),
            name: agent.name.clone(),
            zone: agent.zone.clone(),
            created_at: agent.created_at.to_string(),
            family: agent.family,
            home: agent.home.clone(),
            location: agent.location.clone(),
        }
    }
}

/// An agent with what it has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentCardView {
    /// The agent.
    #[serde(flatten)]
    pub agent: AgentView,
    /// How many memories it has.
    pub memories: u64,
    /// Whom it serves.
    pub principals: Vec<PrincipalView>,
    /// How many summaries stand for what was folded.
    pub summaries: u64,
    /// It has so much unarchived that self-care is advised.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_self_care: bool,
}

impl From<&AgentCard> for AgentCardView {
    fn from(card: &AgentCard) -> AgentCardView {
        AgentCardView {
            agent: (&card.agent).into(),
            memories: card.memories,
            summaries: card.summaries,
            principals: card.principals.iter().map(PrincipalView::from).collect(),
            needs_self_care: card.needs_self_care,
        }
    }
}

impl From<&Principal> for PrincipalView {
    fn from(principal: &Principal) -> PrincipalView {
        PrincipalView {
            id: principal.id.to_string(),
            name: principal.name.clone(),
            operator: principal.operator,
            zone: principal.zone.clone(),
        }
    }
}

/// Somebody whom an agent serves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PrincipalView {
    /// `pri_...`
    pub id: String,
    /// The name.
    pub name: String,
    /// Whether its word outranks evidence.
    pub operator: bool,
    /// IANA zone of its days.
    pub zone: String,
}

/// A key, without its secret.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KeyView {
    /// `key_...`
    pub id: String,
    /// What it is for.
    pub name: String,
    /// The agent it opens; absent: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// In whose name or conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// operator, principal, agent or host.
    pub speaks_as: String,
    /// read, write, admin.
    pub scopes: Vec<String>,
    /// When it was made.
    pub created_at: String,
    /// When it was revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
}

impl From<&Key> for KeyView {
    fn from(key: &Key) -> KeyView {
        KeyView {
            id: key.id.to_string(),
            name: key.name.clone(),
            agent: key.agent.map(|id| id.to_string()),
            principal: key.principal.map(|id| id.to_string()),
            speaks_as: key.speaks_as.clone(),
            scopes: key.scopes.split(',').map(str::to_owned).collect(),
            created_at: key.created_at.to_string(),
            revoked_at: key.revoked_at.map(|time| time.to_string()),
        }
    }
}
