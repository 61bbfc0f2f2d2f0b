//! A claim: what a text says about a subject, as an answer to a question. However it was read, it is the same type.

use super::key::{canonical, segment};
use super::observation::ObservationKind;
use super::slot::{self, Nature};
use super::subject::{SELF, Subject, WORLD};
use crate::entity::EntityKind;
use crate::id::EntityId;
use crate::memory::Stated;
use crate::word::words;

words! {
    /// Who read a claim out of a text, the most authoritative first.
    Reader, "reader":
    /// The caller said so itself.
    Explicit = "explicit",
    /// A thinker.
    Thinker = "thinker",
    /// The rules for common English forms.
    Rules = "rules",
    /// It only has the words of something that is believed.
    Topical = "topical",
    /// Somebody's judgement of a belief.
    Feedback = "feedback",
}

words! {
    /// What a claim says of its value.
    Says, "stance of a claim":
    /// It is so.
    Holds = "holds",
    /// It is not so.
    Denies = "denies",
    /// It belongs to it, and says neither.
    Touches = "touches",
}

/// Of whom a text speaks, as far as the text alone can say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum About {
    /// Who says it: "I", "my".
    Speaker,
    /// Whom the agent serves, whoever says it: "the user", "the operator".
    Operator,
    /// The agent itself, whoever says it: "the agent", "memory recall".
    Agent,
    /// Somebody or something that is known.
    Known(EntityId),
    /// Somebody or something by a name, and what it must be if nobody knows it.
    Named {
        /// As written.
        name: String,
        /// What the words take it for.
        likely: EntityKind,
    },
    /// The world; the topic is part of the slot.
    World,
}

/// What a text says, before it is known who is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Of whom or what.
    pub about: About,
    /// What sort of belief, if the subject does not settle it.
    pub kind: ObservationKind,
    /// The question.
    pub slot: String,
    /// Whether values coexist in it; a slot that is known goes by what is known of it.
    pub many: bool,
    /// The answer, as written.
    pub value: String,
    /// Whether it is so.
    pub says: Says,
    /// The value that it takes the place of, as written: "switched from A to B".
    pub replaces: Option<String>,
    /// The sentence that says so.
    pub sentence: String,
}

impl Reading {
    /// What somebody stated in so many words, as if it were read out of a sentence.
    pub fn stated(stated: &Stated, sentence: &str) -> Reading {
        let about = match stated.subject.as_str() {
            SELF => About::Agent,
            WORLD => About::World,
            name => match name.parse::<EntityId>() {
                Ok(id) => About::Known(id),
                Err(_) => About::Named { name: name.to_owned(), likely: likely(stated.kind) },
            },
        };
        Reading {
            about,
            kind: stated.kind.unwrap_or_else(|| kind_of(&stated.slot)),
            slot: stated.slot.clone(),
            many: false,
            value: stated.value.clone(),
            says: if stated.denied { Says::Denies } else { Says::Holds },
            replaces: stated.replaces.clone(),
            sentence: sentence.to_owned(),
        }
    }
}

/// What sort of belief an answer to a question is, if nobody says: so that what is stated and what is read meet.
fn kind_of(slot: &str) -> ObservationKind {
    match slot::seeded(&segment(slot)).map(|known| known.nature) {
        Some(Nature::Taste) => ObservationKind::OperatorPreference,
        _ => ObservationKind::RelationshipFact,
    }
}

/// What somebody is of whom nothing is known but what kind of thing is said.
const fn likely(kind: Option<ObservationKind>) -> EntityKind {
    match kind {
        Some(ObservationKind::ProjectState) => EntityKind::Project,
        Some(ObservationKind::ToolingState) => EntityKind::Tool,
        _ => EntityKind::Person,
    }
}

/// What a text says about a subject.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Of whom or what.
    pub subject: Subject,
    /// What sort of belief.
    pub kind: ObservationKind,
    /// The question, by its settled name.
    pub slot: String,
    /// Whether values coexist in it.
    pub many: bool,
    /// The answer, as it is compared.
    pub value: String,
    /// Whether it is so.
    pub says: Says,
    /// The value that it takes the place of, as it is compared.
    pub replaces: Option<String>,
    /// The sentence that says so, in the third person.
    pub sentence: String,
    /// Who read it.
    pub reader: Reader,
}

impl Claim {
    /// The name of its question.
    pub fn key(&self) -> String {
        canonical(&self.subject, self.kind, &self.slot, self.many.then_some(&self.value))
    }
}

/// What one text says, in the order in which it is judged. Who ends one value and names another in the same text ("I left
/// Globex, I work at Initech now") says that the one replaces the other: so the belief is superseded and not given up.
pub fn in_one_breath(mut claims: Vec<Claim>) -> Vec<Claim> {
    // Most texts end nothing.
    if claims.iter().all(|claim| claim.says != Says::Denies) {
        return claims;
    }
    let said = claims.clone();
    let beside = |claim: &Claim, says: Says| {
        let differs = |other: &&Claim| other.value != claim.value && other.key() == claim.key();
        said.iter().filter(|other| other.says == says).find(differs).map(|other| other.value.clone())
    };
    for claim in claims.iter_mut().filter(|claim| claim.says == Says::Holds && claim.replaces.is_none()) {
        claim.replaces = beside(claim, Says::Denies);
    }
    claims.sort_by_cached_key(|claim| claim.says == Says::Denies && beside(claim, Says::Holds).is_some());
    claims
}
