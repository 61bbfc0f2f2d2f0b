//! What is said, by template.

use super::StepName;
use super::decision::Decision;
use super::signal::{Tier, names};
use super::told::NudgeKind;
use crate::json::canonical;
use crate::time::{Time, Zone};

/// Who speaks to whom, and when.
pub struct Telling<'t> {
    /// The agent's name.
    pub agent: &'t str,
    /// The principal's.
    pub principal: &'t str,
    /// The principal's clock.
    pub zone: &'t Zone,
    /// The moment.
    pub now: Time,
}

/// What is said.
pub struct Said {
    /// What sort.
    pub kind: NudgeKind,
    /// How much it presses.
    pub urgency: Tier,
    /// What.
    pub what: String,
    /// Why.
    pub why: Vec<(String, String)>,
    /// What could be done.
    pub actions: Vec<String>,
}

impl Said {
    /// As JSON.
    pub fn why_json(&self) -> String {
        let pairs: Vec<serde_json::Value> = self
            .why
            .iter()
            .map(|(signal, words)| serde_json::json!({"signal": signal, "words": words}))
            .collect();
        canonical(&pairs.into())
    }

    /// As JSON.
    pub fn actions_json(&self) -> String {
        canonical(&self.actions.clone().into())
    }
}

/// Words for a decision that acts.
pub fn phrase(decision: &Decision, telling: &Telling) -> Said {
    let labels: Vec<&str> = decision
        .surfaced
        .iter()
        .flat_map(|one| one.listed.iter().map(|found| found.label.as_str()))
        .collect();
    let has = |name: &str| decision.surfaced.iter().any(|one| one.signal.name == name);
    let kind = if decision.verdict.step() == StepName::FirstContact {
        NudgeKind::Introduction
    } else if has(names::SCHEDULED) {
        NudgeKind::Reminder
    } else if has(names::DEADLINE) {
        NudgeKind::Deadline
    } else {
        NudgeKind::Suggestion
    };
    let what = match kind {
        NudgeKind::Introduction => format!("{}, I am {}.", telling.principal, telling.agent),
        _ => labels.join("; "),
    };
    Said {
        kind,
        urgency: decision.tier.unwrap_or(Tier::Normal),
        what,
        why: decision
            .surfaced
            .iter()
            .map(|one| (one.signal.name.clone(), one.signal.meaning.clone()))
            .collect(),
        actions: Vec::new(),
    }
}
