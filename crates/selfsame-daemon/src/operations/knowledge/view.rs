//! Beliefs as they cross the wire.

use schemars::JsonSchema;
use selfsame::knowledge::{Belief, Change, Conflict, Level};
use serde::{Deserialize, Serialize};

/// Something that is believed, as it stands at the moment that was asked for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ObservationView {
    /// `obs_...`
    pub id: String,
    /// What people call it: `subject/slot`. It is understood wherever an observation is asked for.
    pub name: String,
    /// The belief, in a sentence.
    pub summary: String,
    /// operator_preference, project_state, tooling_state, relationship_fact, self_model or world_fact.
    pub kind: String,
    /// Of whom or what, by name.
    pub subject: String,
    /// entity, project, tool, agent or global.
    pub subject_type: String,
    /// The question that it answers.
    pub key: String,
    /// The answer, as it is compared.
    pub value: String,
    /// How far it is believed, 0 to 1.
    pub confidence: f64,
    /// The same in a word: high (from 0.8), medium (from 0.6) or low.
    pub level: String,
    /// How current it is, 1 to 0.
    pub freshness: f64,
    /// active, stale, superseded or invalidated.
    pub status: String,
    /// Another answer was given, and which is right is not settled.
    pub contested: bool,
    /// The operator confirmed it.
    pub confirmed: bool,
    /// Independent sources that speak for it.
    pub sources: u32,
    /// Independent sources that speak against it.
    pub against: u32,
    /// When it was last said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_supported_at: Option<String>,
    /// When it will be looked at again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revalidation_due_at: Option<String>,
    /// The belief whose place it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// When it was formed.
    pub created_at: String,
}

/// What a person can tell apart; the exact number changes with every microsecond.
pub(crate) fn rounded(number: f64) -> f64 {
    // What takes nothing away would else be -0.
    (number * 1e4).round() / 1e4 + 0.0
}

/// A confidence in a word.
pub(super) fn level(confidence: f64) -> String {
    Level::of(confidence).as_str().to_owned()
}

impl From<&Belief> for ObservationView {
    fn from(belief: &Belief) -> ObservationView {
        let row = &belief.observation;
        ObservationView {
            id: row.id.to_string(),
            name: belief.name(),
            summary: row.phrasing.clone().unwrap_or_else(|| row.summary.clone()),
            kind: row.kind.as_str().to_owned(),
            subject: belief.subject.clone(),
            subject_type: row.subject.sort.as_str().to_owned(),
            key: row.key.clone(),
            value: row.value.clone(),
            confidence: rounded(belief.confidence),
            level: level(belief.confidence),
            freshness: rounded(belief.freshness),
            status: belief.status.as_str().to_owned(),
            contested: belief.contested,
            confirmed: belief.confirmed,
            sources: belief.sources,
            against: belief.against,
            last_supported_at: belief.last_supported_at.map(|at| at.to_string()),
            revalidation_due_at: row.standing.due_at.map(|at| at.to_string()),
            supersedes: row.supersedes.map(|id| id.to_string()),
            created_at: row.created_at.to_string(),
        }
    }
}

impl ObservationView {
    /// How far it can be relied on, in words.
    pub fn standing(&self) -> String {
        let ObservationView { level, status, sources, against, .. } = self;
        let status = if status == "active" { String::new() } else { format!(", {status}") };
        let contested = if self.contested { ", contested" } else { "" };
        format!("believed, {level} confidence, {sources} for and {against} against{status}{contested}")
    }

    /// In a line, for a model that reads.
    pub(super) fn line(&self) -> String {
        let ObservationView { summary, id, name, .. } = self;
        let day = self.last_supported_at.as_deref().unwrap_or(&self.created_at).get(..10).unwrap_or_default();
        format!("- {summary} [{id}, {name}, {}, last said {day}]", self.standing())
    }
}

/// A question with two answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConflictView {
    /// `cfl_...`
    pub id: String,
    /// What is believed: `obs_...`
    pub observation: String,
    /// What people call it.
    pub name: String,
    /// In a sentence.
    pub summary: String,
    /// The answer that is believed, as it is compared.
    pub value: String,
    /// The other answer; the same one, where it is only denied.
    pub rival: String,
    /// Since when.
    pub raised_at: String,
    /// When it was settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled_at: Option<String>,
    /// How it was settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled_how: Option<String>,
}

impl ConflictView {
    pub(super) fn of(conflict: &Conflict, belief: &Belief) -> ConflictView {
        ConflictView {
            id: conflict.id.to_string(),
            observation: conflict.observation.to_string(),
            name: belief.name(),
            summary: belief.observation.summary.clone(),
            value: belief.observation.value.clone(),
            rival: conflict.rival.clone(),
            raised_at: conflict.raised_at.to_string(),
            settled_at: conflict.settled_at.map(|at| at.to_string()),
            settled_how: conflict.settled_how.clone(),
        }
    }

    pub(super) fn line(&self) -> String {
        let ConflictView { name, summary, value, rival, observation, .. } = self;
        let against = if value == rival { "that it is so".to_owned() } else { rival.clone() };
        let verb = if value == rival { "denied" } else { "also said" };
        format!("- {name}: {summary} [{observation}]; {verb}: {against}")
    }
}

/// A change of how a belief stands.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangeView {
    /// When.
    pub at: String,
    /// How it stood before; absent: it was formed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// How it stands since.
    pub to: String,
    /// How far it is believed since.
    pub confidence: f64,
    /// Why.
    pub reason: String,
}

impl From<&Change> for ChangeView {
    fn from(change: &Change) -> ChangeView {
        ChangeView {
            at: change.at.to_string(),
            from: change.from.map(|status| status.as_str().to_owned()),
            to: change.to.as_str().to_owned(),
            confidence: rounded(change.confidence),
            reason: change.reason.clone(),
        }
    }
}
