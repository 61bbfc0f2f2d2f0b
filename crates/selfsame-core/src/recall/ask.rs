//! How a question may be put: what weighs most, and what an answer must be.

use crate::id::{EntityId, PrincipalId};
use crate::memory::{MemoryKind, State};
use crate::time::Time;
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
