//! Of whom or what something is believed.

use super::key::segment;
use super::observation::ObservationKind;
use crate::entity::EntityKind;
use crate::id::EntityId;
use crate::word::words;

words! {
    /// What sort of subject.
    SubjectType, "subject type":
    /// A person, an organization or a place.
    Entity = "entity",
    /// Something that people work on.
    Project = "project",
    /// Something that people work with.
    Tool = "tool",
    /// The agent itself, or another.
    Agent = "agent",
    /// The world.
    Global = "global",
}

/// The subject id of the agent itself.
pub const SELF: &str = "self";
/// The subject id of the world.
pub const WORLD: &str = "world";

/// Of whom or what something is believed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Subject {
    /// What sort.
    pub sort: SubjectType,
    /// Which, as part of a key: an entity's id, a project's or a tool's name, `self`, `world`.
    pub id: String,
}

impl Subject {
    /// The agent itself.
    pub fn own() -> Subject {
        Subject { sort: SubjectType::Agent, id: SELF.to_owned() }
    }

    /// The world.
    pub fn world() -> Subject {
        Subject { sort: SubjectType::Global, id: WORLD.to_owned() }
    }

    /// A person, an organization or a place.
    pub fn entity(id: EntityId) -> Subject {
        Subject { sort: SubjectType::Entity, id: id.to_string() }
    }

    /// Somebody or something that is known. Projects and tools go by their names, so that they are the same thing whether
    /// or not anybody introduced them.
    pub fn known(id: EntityId, kind: EntityKind, name: &str) -> Subject {
        match kind {
            EntityKind::Person | EntityKind::Organization | EntityKind::Place => Subject::entity(id),
            EntityKind::Agent => Subject { sort: SubjectType::Agent, id: id.to_string() },
            EntityKind::Project => Subject::project(name),
            EntityKind::Tool => Subject::tool(name),
        }
    }

    /// A project by its name.
    pub fn project(name: &str) -> Subject {
        Subject { sort: SubjectType::Project, id: segment(name) }
    }

    /// A tool by its name.
    pub fn tool(name: &str) -> Subject {
        Subject { sort: SubjectType::Tool, id: segment(name) }
    }

    /// The kind that a claim about this subject has, if it was read as one of `read`: what is said of a project is its
    /// state, whatever the words.
    pub fn kind(&self, read: ObservationKind) -> ObservationKind {
        match (self.sort, read) {
            (SubjectType::Project, _) => ObservationKind::ProjectState,
            (SubjectType::Tool, _) => ObservationKind::ToolingState,
            (SubjectType::Global, _) => ObservationKind::WorldFact,
            (SubjectType::Agent, _) => ObservationKind::SelfModel,
            (SubjectType::Entity, ObservationKind::OperatorPreference) => ObservationKind::OperatorPreference,
            (SubjectType::Entity, _) => ObservationKind::RelationshipFact,
        }
    }
}
