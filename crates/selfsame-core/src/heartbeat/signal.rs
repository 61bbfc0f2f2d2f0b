//! What a scan finds.

use crate::id::Id;
use crate::seal::sha256;
use crate::time::Time;
use crate::word::words;
use std::collections::BTreeSet;

words! {
    /// How much a signal presses, the least first.
    Tier, "tier":
    /// Worth knowing.
    Low = "low",
    /// Worth a word in the day.
    Normal = "normal",
    /// Worth interrupting.
    Elevated = "elevated",
    /// Due now.
    Immediate = "immediate",
}

words! {
    /// What a finding points at.
    RefKind, "kind of thing found":
    /// A memory.
    Memory = "memory",
    /// A schedule's due moment.
    Schedule = "schedule",
    /// An observation that is contested.
    Observation = "observation",
    /// A conversation.
    Conversation = "conversation",
    /// Somebody or something known.
    Entity = "entity",
    /// A to-do.
    Todo = "todo",
    /// The principal as a whole: a count, a mood, a habit.
    Principal = "principal",
}

/// The names that the decision knows. Others are judged by tier and weight alone.
pub mod names {
    /// A schedule is due.
    pub const SCHEDULED: &str = "scheduled";
    /// A rung of a deadline's ladder is reached.
    pub const DEADLINE: &str = "deadline";
    /// Much was stored since the last act.
    pub const MEMORY_VELOCITY: &str = "memory_velocity";
    /// A plan stands still.
    pub const GOAL_PROGRESS: &str = "goal_progress";
    /// Somebody has not been heard of.
    pub const RELATIONSHIP: &str = "relationship";
    /// A mood changed.
    pub const SENTIMENT: &str = "sentiment";
    /// Something got better.
    pub const POSITIVE_DELTA: &str = "positive_delta";
}

/// A kind of signal, as the header of its file declares it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Signal {
    /// Its name: that of its file.
    pub name: String,
    /// How much it presses.
    pub tier: Tier,
    /// What it adds to the sum, however often it is found.
    pub weight: u32,
    /// What it is, in a line.
    pub meaning: String,
    /// Whether it speaks of a whole and not of single things: a count, a mood. It is told apart by its status alone.
    pub aggregate: bool,
}

/// One thing that a scan found.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Finding {
    /// What sort of thing.
    pub kind: RefKind,
    /// Which.
    pub id: Id,
    /// Whom or what it is about, if that is known: what repetition is judged by.
    pub topic: Option<Id>,
    /// Its words, for who is told. Receipts do not keep them.
    pub label: String,
    /// When it is or was due.
    pub due_at: Option<Time>,
    /// Where it stands, in a word of ours: a rung, a bucket, `stalled`.
    pub status: String,
}

impl Finding {
    /// What repetition is judged by.
    pub fn subject(&self) -> Id {
        self.topic.unwrap_or(self.id)
    }
}

/// Findings that a receipt lists for one signal, at most.
pub const MAX_LISTED: usize = 50;

/// What one scan found, as the decision sees it and a receipt keeps it: all counted, at most [`MAX_LISTED`] listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sighting {
    /// Which signal.
    pub signal: Signal,
    /// How many were found.
    pub count: usize,
    /// A hash over all that was found, listed or not.
    pub digest: [u8; 32],
    /// Those that are listed: what was not surfaced lately first, then what is due first, then by id.
    pub listed: Vec<Finding>,
}

impl Sighting {
    /// Of all that a scan found; nothing if that is nothing. What is not in `surfaced` is listed first, so that whatever
    /// is fresh is seen by the decision unless more than a receipt holds are.
    pub fn of(signal: Signal, mut findings: Vec<Finding>, surfaced: &BTreeSet<Id>) -> Option<Sighting> {
        findings.sort_by(|a, b| a.id.cmp(&b.id).then_with(|| a.status.cmp(&b.status)));
        findings.dedup_by(|a, b| a.id == b.id && a.status == b.status);
        let digest = digest(&signal, &findings);
        let count = findings.len();
        findings.sort_by_key(|finding| {
            (surfaced.contains(&finding.subject()), finding.due_at.unwrap_or(Time::MAX), finding.id)
        });
        findings.truncate(MAX_LISTED);
        (count > 0).then_some(Sighting { signal, count, digest, listed: findings })
    }
}

/// A hash over (signal, id, status) of findings in the order of their ids; of an aggregate over (signal, status).
fn digest(signal: &Signal, findings: &[Finding]) -> [u8; 32] {
    let mut bytes = Vec::new();
    let mut part = |part: &[u8]| {
        bytes.extend((part.len() as u64).to_be_bytes());
        bytes.extend(part);
    };
    part(signal.name.as_bytes());
    for finding in findings {
        if !signal.aggregate {
            part(&finding.id.bytes());
        }
        part(finding.status.as_bytes());
    }
    sha256(&[&bytes])
}
