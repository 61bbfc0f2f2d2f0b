//! What an observation is: its words for kinds, states and stances, and its row.

use super::confidence::Components;
use super::key::Question;
use super::subject::Subject;
use crate::id::{AgentId, ObservationId};
use crate::kept::{Words, row};
use crate::memory::tags_json;
use crate::seal::Sealer;
use crate::time::Time;
use crate::word::words;
use std::time::Duration;

/// Bytes in a thinker's words for a belief, at most.
pub const MAX_PHRASING_BYTES: usize = 2 * 1024;

const DAY: Duration = Duration::from_secs(24 * 3600);

words! {
    /// What sort of belief.
    ObservationKind, "kind of observation":
    /// What somebody likes, and how they work.
    OperatorPreference = "operator_preference",
    /// How things stand with a project.
    ProjectState = "project_state",
    /// How a tool is set up.
    ToolingState = "tooling_state",
    /// What is so with a person, an organization or a place.
    RelationshipFact = "relationship_fact",
    /// How the agent itself behaves.
    SelfModel = "self_model",
    /// What is so in the world.
    WorldFact = "world_fact",
}

impl ObservationKind {
    /// How long it is taken for current without anybody saying it again. Also the half-life of what was said.
    pub const fn cadence(self) -> Duration {
        DAY.saturating_mul(match self {
            ObservationKind::OperatorPreference => 30,
            ObservationKind::ProjectState => 7,
            ObservationKind::ToolingState => 3,
            ObservationKind::RelationshipFact => 60,
            ObservationKind::SelfModel => 14,
            ObservationKind::WorldFact => 90,
        })
    }

    /// How high it ranks among equally good answers.
    pub const fn rank(self) -> f64 {
        match self {
            ObservationKind::OperatorPreference => 1.0,
            ObservationKind::ProjectState => 0.95,
            ObservationKind::ToolingState => 0.9,
            ObservationKind::RelationshipFact => 0.85,
            ObservationKind::SelfModel => 0.8,
            ObservationKind::WorldFact => 0.75,
        }
    }
}

words! {
    /// How a belief stands.
    Status, "status of an observation":
    /// It is believed.
    Active = "active",
    /// It was, and nobody has said so for long.
    Stale = "stale",
    /// Another belief took its place.
    Superseded = "superseded",
    /// What speaks against it outweighs what speaks for it.
    Invalidated = "invalidated",
}

impl Status {
    /// Whether it is still the answer to its question.
    pub const fn is_held(self) -> bool {
        matches!(self, Status::Active | Status::Stale)
    }
}

words! {
    /// How a piece of evidence stands to a belief.
    Stance, "stance":
    /// It speaks for it.
    Support = "support",
    /// It speaks against it.
    Contradict = "contradict",
    /// It belongs to it, and speaks neither for nor against.
    Context = "context",
}

/// What an agent believes. Its words never change: another belief is another row.
#[derive(Clone, PartialEq, Debug)]
pub struct Observation {
    /// Its name.
    pub id: ObservationId,
    /// The mind it belongs to.
    pub agent: AgentId,
    /// What sort.
    pub kind: ObservationKind,
    /// Of whom or what.
    pub subject: Subject,
    /// The question that it answers.
    pub key: String,
    /// The answer, as it is compared.
    pub value: String,
    /// The belief, in a sentence.
    pub summary: String,
    /// More of it.
    pub detail: Option<String>,
    /// Free labels, sorted, each once.
    pub tags: Vec<String>,
    /// The belief whose place it took.
    pub supersedes: Option<ObservationId>,
    /// When it was formed.
    pub created_at: Time,
    /// The belief in other words, if a thinker found better ones.
    pub phrasing: Option<String>,
    /// What changes of it.
    pub standing: Standing,
}

/// What changes of an observation.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// How it stands.
    pub status: Status,
    /// How far it is believed, with what that is made of.
    pub components: Components,
    /// How current it was when that was last looked at.
    pub freshness: f64,
    /// When it has to be looked at next; none: when something new is said.
    pub due_at: Option<Time>,
    /// When it was first and last said.
    pub first_supported_at: Option<Time>,
    /// When it was last said.
    pub last_supported_at: Option<Time>,
    /// When something last spoke against it.
    pub last_contradicted_at: Option<Time>,
    /// When anything of it last changed.
    pub updated_at: Time,
}

impl Standing {
    /// How far it is believed, 0 to 1.
    pub fn confidence(&self) -> f64 {
        self.components.confidence()
    }
}

impl Observation {
    /// The words that it is found by: what it says, and the question that it answers.
    pub fn indexed_text(&self) -> String {
        let detail = self.detail.as_deref().unwrap_or_default();
        let slot = Question::parse(&self.key).map(|question| question.slot.replace(['_', '-'], " "));
        let slot = slot.unwrap_or_default();
        let mut text = format!("{} {} {slot} {detail}", self.summary, self.value);
        for tag in &self.tags {
            text.push(' ');
            text += tag;
        }
        text
    }
}

impl Words for Observation {
    row!("knowledge_observations", "observation");

    fn seal_into(&self, sealer: Sealer) -> Sealer {
        sealer
            .text("kind", self.kind.as_str())
            .text("subject_type", self.subject.sort.as_str())
            .text("subject_id", &self.subject.id)
            .text("canonical_key", &self.key)
            .text("value", &self.value)
            .text("summary", &self.summary)
            .opt_text("detail", self.detail.as_deref())
            .text("tags", &tags_json(&self.tags))
            .opt_id("supersedes_observation_id", self.supersedes.map(ObservationId::id))
            .time("created_at", self.created_at)
    }
}
