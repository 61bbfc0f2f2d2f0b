//! Receipts: what a tick was given and what came of it, as JSON that can be judged again.
//!
//! They keep ids, counts, hashes and words of ours; never the words of what was found. What is forgotten does not live on
//! in them.

mod node;
mod read;
mod write;

pub use node::BadReceipt;

use super::decide::decide;
use super::decision::Decision;
use super::rules::Rules;
use super::signal::{Sighting, fingerprint};
use super::state::State;
use crate::json::canonical;
use crate::seal::sha256;
use crate::time::Time;
use node::Node;

/// What a decision is made from.
#[derive(Clone, PartialEq, Debug)]
pub struct Inputs {
    /// What the operator set.
    pub rules: Rules,
    /// What was known of the principal; of what was surfaced before, as much as matters for these sightings.
    pub state: State,
    /// What was found, without its words.
    pub sightings: Vec<Sighting>,
    /// When.
    pub now: Time,
}

/// The canonical JSON of what a decision is made from.
pub fn inputs(rules: &Rules, state: &State, sightings: &[Sighting], now: Time) -> String {
    canonical(&write::inputs(rules, state, sightings, now))
}

/// Reads what [`inputs`] wrote, in whatever spelling a database gives it back.
pub fn read_inputs(text: &str) -> Result<Inputs, BadReceipt> {
    read::inputs(&Node::root(&node::json(text)?))
}

/// The canonical JSON of a decision.
pub fn outcome(decision: &Decision) -> String {
    canonical(&write::decision(decision))
}

/// Reads what [`outcome`] wrote, in whatever spelling a database gives it back.
pub fn read_outcome(text: &str) -> Result<Decision, BadReceipt> {
    read::decision(&Node::root(&node::json(text)?))
}

/// Judges again. Its [`outcome`] is that of the first time, to the byte.
pub fn replay(inputs: &str) -> Result<Decision, BadReceipt> {
    let Inputs { rules, state, sightings, now } = read_inputs(inputs)?;
    Ok(decide(&rules, &state, &sightings, now))
}

/// A hash of the rules: which settings a receipt was made under.
pub fn rules_hash(rules: &Rules) -> [u8; 32] {
    sha256(&[canonical(&write::rules(rules)).as_bytes()])
}

/// Equal for ticks that saw the same and said the same under the same rules, whenever that was: reasons name no moment.
pub fn sameness(rules_hash: &[u8; 32], sightings: &[Sighting], decision: &Decision) -> [u8; 32] {
    sameness_of(rules_hash, sightings, decision)
}

/// The same as the first receipts have it, with the rules written out.
pub fn first_sameness(rules: &Rules, sightings: &[Sighting], decision: &Decision) -> [u8; 32] {
    sameness_of(canonical(&write::rules(rules)).as_bytes(), sightings, decision)
}

fn sameness_of(rules: &[u8], sightings: &[Sighting], decision: &Decision) -> [u8; 32] {
    let saw = fingerprint(sightings);
    let said = (decision.verdict.is_act(), decision.verdict.step().number());
    sha256(&[&saw, &[u8::from(said.0), said.1], rules, decision.verdict.reason().as_bytes()])
}
