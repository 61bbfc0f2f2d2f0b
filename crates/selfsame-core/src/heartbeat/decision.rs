//! What came of a tick, and the trace that says why.

use super::rules::Period;
use super::signal::{Sighting, Tier};
use crate::id::Id;
use crate::time::Time;
use crate::word::words;
use std::time::Duration;

words! {
    /// The steps, in their order.
    StepName, "step of the decision":
    /// Muted, snoozed or paused: before all others.
    Held = "held",
    /// They have hardly met.
    FirstContact = "first_contact",
    /// A deadline within the hour.
    CriticalDeadline = "critical_deadline",
    /// What the time of day lets through.
    TimeOfDay = "time_of_day",
    /// What a conversation lets through.
    Conversation = "conversation",
    /// Whether it is enough.
    Confluence = "confluence",
    /// Whether it is new, and not too soon.
    Novelty = "novelty",
    /// Whether it was just spoken of.
    Topic = "topic",
}

impl StepName {
    /// Its number: the seven of the decision, and zero for what comes before them.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// What is done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Speak up.
    Act {
        /// The step that forced it, or the last one.
        step: StepName,
        /// Why, in words of ours: counts and names of signals, and no moment, so that ticks that say the same are known.
        reason: String,
    },
    /// Be silent.
    Suppress {
        /// The step that held it back.
        step: StepName,
        /// Why, likewise.
        reason: String,
    },
}

impl Verdict {
    /// Whether it speaks up.
    pub const fn is_act(&self) -> bool {
        matches!(self, Verdict::Act { .. })
    }

    /// The step that decided.
    pub const fn step(&self) -> StepName {
        match self {
            Verdict::Act { step, .. } | Verdict::Suppress { step, .. } => *step,
        }
    }

    /// Why.
    pub fn reason(&self) -> &str {
        match self {
            Verdict::Act { reason, .. } | Verdict::Suppress { reason, .. } => reason,
        }
    }
}

/// A signal as a step saw it: its name and how many of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Which signal.
    pub signal: String,
    /// How many findings.
    pub count: usize,
}

/// What one step saw, dropped and said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepTrace {
    /// Which step.
    pub step: StepName,
    /// What came in.
    pub saw: Vec<Seen>,
    /// What did not go on.
    pub dropped: Vec<Seen>,
    /// What it found, in words of ours.
    pub note: String,
    /// What would have changed it, if it stopped here.
    pub unless: Option<String>,
}

/// What came of a tick.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// What is done.
    pub verdict: Verdict,
    /// Every step that was taken, in order.
    pub trace: Vec<StepTrace>,
    /// The part of the day.
    pub period: Period,
    /// What is told: what passed every step; empty when silent.
    pub surfaced: Vec<Sighting>,
    /// The fingerprint of what reached the sixth step, or was forced before it: of the part that a cooldown can hold, if
    /// there is one, so that a reminder beside it does not make old news new.
    pub fingerprint: Option<[u8; 32]>,
    /// The highest tier that is told.
    pub tier: Option<Tier>,
    /// The sum of weights at the fifth step.
    pub score: u32,
    /// The cooldown that was asked for at the sixth step.
    pub cooldown: Option<Duration>,
    /// When the cooldown ends that holds something back.
    pub held_until: Option<Time>,
}

impl Decision {
    /// The topics that are told, each once, but for those of schedules and deadlines, which no cooldown follows.
    pub fn topics(&self) -> Vec<Id> {
        let marked = self.surfaced.iter().filter(|sighting| !sighting.signal.is_told_once());
        let subjects = |sighting: &Sighting| -> Vec<Id> {
            sighting.listed.iter().map(|finding| sighting.signal.subject(finding)).collect()
        };
        let mut topics: Vec<Id> = marked.flat_map(subjects).collect();
        topics.sort();
        topics.dedup();
        topics
    }

    /// Whether a cooldown follows: more is told than what is immediate.
    pub fn starts_cooldown(&self) -> bool {
        self.surfaced.iter().any(|sighting| sighting.signal.tier != Tier::Immediate)
    }
}
