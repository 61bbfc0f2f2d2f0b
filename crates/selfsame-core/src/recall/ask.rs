//! How a question may be put: what weighs most, and what an answer must be.

use crate::id::{EntityId, PrincipalId};
use crate::memory::{Fact, MemoryKind, State};
use crate::time::Time;
use crate::trust::Provenance;
use crate::word::words;

words! {
    /// What weighs most in an answer, besides that it fits.
    Mode, "mode":
    /// A little of everything.
    Balanced = "balanced",
    /// What is new.
    Recent = "recent",
    /// What matters.
    Important = "important",
    /// What is old counts as much as what is new, and what was put away is looked through too.
    Historical = "historical",
    /// The best answers, in the order in which they happened.
    Timeline = "timeline",
    /// What somebody likes, wants and does not want.
    Preferences = "preferences",
    /// Who somebody is.
    Identity = "identity",
}

#[expect(clippy::derivable_impls, reason = "the macro that declares words has no default")]
impl Default for Mode {
    fn default() -> Mode {
        Mode::Balanced
    }
}

words! {
    /// Where an answer may come from.
    Layer, "layer":
    /// What was remembered.
    Memory = "memory",
    /// What was said in conversations.
    Message = "message",
    /// What is believed because of it.
    Observation = "observation",
    /// What self-care made of what it put away.
    Summary = "summary",
}

/// What an answer must be. What is not given is not asked for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Filter {
    /// From these layers; all of them if none is named.
    pub layers: Vec<Layer>,
    /// About or by this entity, or mentioning it.
    pub entity: Option<EntityId>,
    /// In the name of this principal.
    pub principal: Option<PrincipalId>,
    /// Of one of these types; then only memories.
    pub kinds: Vec<MemoryKind>,
    /// With all of these labels; then only memories.
    pub tags: Vec<String>,
    /// Not before.
    pub from: Option<Time>,
    /// Not after.
    pub until: Option<Time>,
    /// In one of these states; those in mind if none is named. A message has no state but is archived or not.
    pub states: Vec<State>,
    /// Believed at least so far.
    pub min_trust: Option<f64>,
}

/// What a filter asks of a row.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// When it was stored or said.
    pub at: Time,
    /// Whose words.
    pub provenance: &'a Provenance,
    /// Its state at the moment that is asked about; a message is active until it is archived.
    pub state: State,
    /// It is about or by the entity that is asked for, or mentions it.
    pub concerns_entity: bool,
    /// The memory, if it is one.
    pub fact: Option<&'a Fact>,
}

impl Filter {
    /// Whether an answer may be this. Who may see it at all is not asked here.
    pub fn takes(&self, mode: Mode, row: &Row<'_>) -> bool {
        self.takes_state(mode, row.state)
            && self.takes_fact(row.fact)
            && (self.entity.is_none() || row.concerns_entity)
            && self.from.is_none_or(|from| row.at >= from)
            && self.until.is_none_or(|until| row.at <= until)
            && self.principal.is_none_or(|principal| row.provenance.principal_id() == Some(principal))
            && self.min_trust.is_none_or(|trust| row.provenance.trust().value() >= trust)
    }

    /// What was put away is found by who looks back, or asks for it.
    fn takes_state(&self, mode: Mode, state: State) -> bool {
        let looks_back = matches!(mode, Mode::Historical | Mode::Timeline);
        match self.states.as_slice() {
            [] => looks_back || state.is_in_mind(),
            states => states.contains(&state),
        }
    }

    /// A message has neither type nor labels.
    fn takes_fact(&self, fact: Option<&Fact>) -> bool {
        let of_kind = |fact: &Fact| self.kinds.is_empty() || self.kinds.contains(&fact.kind);
        let labelled = |fact: &Fact| self.tags.iter().all(|tag| fact.tags.contains(tag));
        match fact {
            Some(fact) => of_kind(fact) && labelled(fact),
            None => self.kinds.is_empty() && self.tags.is_empty(),
        }
    }
}
