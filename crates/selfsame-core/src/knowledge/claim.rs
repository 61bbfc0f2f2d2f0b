//! A claim: what a text says about a subject, as an answer to a question. However it was read, it is the same type.

use super::key::canonical;
use super::observation::ObservationKind;
use super::subject::Subject;
use crate::entity::EntityKind;
use crate::id::EntityId;
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
