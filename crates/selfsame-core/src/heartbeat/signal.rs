//! What a scan finds.

use crate::id::{ConversationId, EntityId, Id, MemoryId, ObservationId, PrincipalId, ScheduleId, TodoId};
use crate::seal::sha256;
use crate::time::{Time, parse_duration};
use crate::word::words;
use std::collections::BTreeSet;
use std::time::Duration;

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

impl RefKind {
    /// The id with the prefix that people know it by.
    pub fn show(self, id: Id) -> String {
        match self {
            RefKind::Memory => MemoryId::of(id).to_string(),
            RefKind::Schedule => ScheduleId::of(id).to_string(),
            RefKind::Observation => ObservationId::of(id).to_string(),
            RefKind::Conversation => ConversationId::of(id).to_string(),
            RefKind::Entity => EntityId::of(id).to_string(),
            RefKind::Todo => TodoId::of(id).to_string(),
            RefKind::Principal => PrincipalId::of(id).to_string(),
        }
    }
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

impl Signal {
    /// Whether each of its moments is told once, by the books of schedules and deadlines: no cooldown holds it, and it
    /// leaves no mark. An immediate signal of the operator's own has no such books: without a mark it would be told at
    /// every tick for as long as it is found.
    pub fn is_told_once(&self) -> bool {
        self.tier == Tier::Immediate && [names::SCHEDULED, names::DEADLINE].contains(&self.name.as_str())
    }

    /// What repetition is judged by. What speaks of the principal as a whole has a subject for each signal: a mood is
    /// not a repetition of a count.
    pub fn subject(&self, finding: &Finding) -> Id {
        if finding.kind != RefKind::Principal || finding.topic.is_some() {
            return finding.subject();
        }
        let hash = sha256(&[self.name.as_bytes(), &finding.id.bytes()]);
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash[..16]);
        Id::from_bytes(bytes)
    }

    /// Of deadlines, how soon: the rungs nearest to the moment first, overdue ones last. Fifty overdue ones must not hide
    /// one that is due.
    fn presses(&self, finding: &Finding) -> Duration {
        let rung = if self.name == names::DEADLINE { rung_before(&finding.status) } else { None };
        rung.unwrap_or(Duration::MAX)
    }
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
    /// What it is about: its topic, else itself. What repetition is judged by is [`Signal::subject`].
    pub fn subject(&self) -> Id {
        self.topic.unwrap_or(self.id)
    }
}

/// How long before its deadline a rung of the ladder stands: `4h` four hours, `due` none. Nothing for what is overdue,
/// and for words that are no rungs.
pub fn rung_before(status: &str) -> Option<Duration> {
    match status {
        "due" => Some(Duration::ZERO),
        other => parse_duration(other).ok(),
    }
}

/// Findings that a receipt lists for one signal, at most.
pub const MAX_LISTED: usize = 50;
/// Findings that are counted for one signal, at most: beyond, more is not another state, and no scan looks further. So
/// that nothing new is overlooked, what is new comes first in the order of a scan.
pub const MAX_COUNTED: usize = 100;

/// What one scan found, as the decision sees it and a receipt keeps it: counted up to [`MAX_COUNTED`], at most
/// [`MAX_LISTED`] listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sighting {
    /// Which signal.
    pub signal: Signal,
    /// How many were found; [`MAX_COUNTED`] are that many or more.
    pub count: usize,
    /// A hash over what was found, listed or not; where more was found than is counted, over the newest of it.
    pub digest: [u8; 32],
    /// Those that are listed: what was not surfaced lately first, of deadlines the critical ones first, then what is due
    /// first, then by id.
    pub listed: Vec<Finding>,
}

impl Sighting {
    /// Of what a scan found first; nothing if that is nothing. What is not in `surfaced` is listed first, so that whatever
    /// is fresh is seen by the decision unless more than a receipt holds are. `fresh` is what was looked for beyond the
    /// first because they [may hide](may_hide_fresh) it.
    pub fn of(
        signal: Signal,
        mut first: Vec<Finding>,
        fresh: Vec<Finding>,
        surfaced: &BTreeSet<Id>,
    ) -> Option<Sighting> {
        sort_and_dedup(&mut first);
        let digest = digest(&signal, &first);
        let count = first.len().min(MAX_COUNTED);
        let mut listed = first;
        if !fresh.is_empty() {
            listed.extend(fresh);
            sort_and_dedup(&mut listed);
        }
        listed.sort_by_cached_key(|finding| {
            let told = surfaced.contains(&signal.subject(finding));
            (told, signal.presses(finding), finding.due_at.unwrap_or(Time::MAX), finding.id)
        });
        listed.truncate(MAX_LISTED);
        (count > 0).then_some(Sighting { signal, count, digest, listed })
    }

    /// The part of it whose findings are kept; nothing if none is. The order of the list puts alike beside alike, so what
    /// is not listed goes the way of the last that is.
    pub(super) fn part(&self, keep: impl Fn(&Finding) -> bool) -> Option<Sighting> {
        let listed: Vec<Finding> = self.listed.iter().filter(|finding| keep(finding)).cloned().collect();
        let unlisted = self.count.saturating_sub(self.listed.len());
        let with_unlisted = unlisted > 0 && self.listed.last().is_none_or(keep);
        let count = listed.len() + if with_unlisted { unlisted } else { 0 };
        let digest = if count == self.count { self.digest } else { self.digest_of(&listed, with_unlisted) };
        (count > 0).then(|| Sighting { signal: self.signal.clone(), count, digest, listed })
    }

    /// Of what is all listed, the hash that it would have had alone; else one that changes with the whole.
    fn digest_of(&self, listed: &[Finding], with_unlisted: bool) -> [u8; 32] {
        let mut sorted = listed.to_vec();
        sort_and_dedup(&mut sorted);
        let digest = digest(&self.signal, &sorted);
        if with_unlisted { sha256(&[&self.digest, &digest]) } else { digest }
    }
}

/// Whether a scan may have passed over what is fresh: it found as much as it counts, and of that so much was told lately
/// that the rest does not fill a list. Then it is asked again for the others.
pub fn may_hide_fresh(signal: &Signal, first: &[Finding], surfaced: &BTreeSet<Id>) -> bool {
    let fresh = first.iter().filter(|finding| !surfaced.contains(&signal.subject(finding)));
    first.len() >= MAX_COUNTED && fresh.count() < MAX_LISTED
}

/// By id and status, each once.
fn sort_and_dedup(findings: &mut Vec<Finding>) {
    findings.sort_by(|a, b| a.id.cmp(&b.id).then_with(|| a.status.cmp(&b.status)));
    findings.dedup_by(|a, b| a.id == b.id && a.status == b.status);
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

/// A hash over all sightings: (signal, digest), in the order of the names.
pub fn fingerprint<'a>(sightings: impl IntoIterator<Item = &'a Sighting>) -> [u8; 32] {
    let mut parts: Vec<(&str, [u8; 32])> =
        sightings.into_iter().map(|sighting| (sighting.signal.name.as_str(), sighting.digest)).collect();
    parts.sort();
    let mut bytes = Vec::new();
    for (name, digest) in parts {
        bytes.extend((name.len() as u64).to_be_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend(digest);
    }
    sha256(&[&bytes])
}
