//! The decision: whether to speak up, in seven steps and one before them.
//!
//! Each step is a small function that looks at what is still open, drops what may not pass, and leaves its trace. What is
//! forced (a critical deadline) is set aside by its step and told whatever the others say; what is open is judged on. The
//! matter ends where nothing is open any more, or after the last step.
//!
//! No step lets less through because there is more to see: each judges a signal by itself, or a sum or a shortest
//! cooldown that more signals can only bring nearer. So more signals never turn an act into silence.

mod case;
mod confluence;
mod entry;
mod filters;
mod repetition;

use super::decision::{Decision, Verdict};
use super::rules::Rules;
use super::signal::Sighting;
use super::state::State;
use crate::time::Time;
use case::Case;

/// A step gives the verdict if the matter ends with it.
type Step = fn(&mut Case<'_>) -> Option<Verdict>;

const STEPS: [Step; 8] = [
    entry::held,
    entry::first_contact,
    entry::critical_deadline,
    filters::time_of_day,
    filters::conversation,
    confluence::confluence,
    repetition::novelty,
    repetition::topic,
];

/// Whether to speak up, of what, and why. Equal inputs give equal decisions; the order of the sightings says nothing.
pub fn decide(rules: &Rules, state: &State, sightings: &[Sighting], now: Time) -> Decision {
    let mut case = Case::open(rules, state, sightings, now);
    let ended = STEPS.iter().find_map(|step| step(&mut case));
    let verdict = ended.unwrap_or_else(|| case.told());
    case.close(verdict)
}
