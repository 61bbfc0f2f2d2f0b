//! What self-care leaves alone: whatever somebody still waits for, counts on or wants to see as it is.

use crate::heartbeat::schedule;
use crate::memory::{Memory, MemoryKind};
use crate::monitor;
use crate::time::Time;
use crate::word::words;

/// The label of what somebody promised.
const PROMISE: &str = "promise";

words! {
    /// Why a row is not folded.
    Held, "reason to keep a memory":
    /// Somebody wants it as it is.
    Pinned = "pinned",
    /// A plan or a question that waits.
    Open = "open",
    /// Somebody gave their word.
    Promised = "promised",
    /// It will be brought up.
    Scheduled = "scheduled",
    /// Its deadline lies ahead.
    Due = "due",
    /// Somebody looks after it.
    Monitored = "monitored",
    /// It feeds no summary.
    Private = "private",
    /// A message that was said just now, or in a conversation that goes on.
    Recent = "recent",
    /// Too few of its kind for a summary of their own.
    Few = "few",
}

/// Why a memory that is in mind may not be folded; none if it may. `is_monitored`: somebody looks after it by a call of its
/// own, which no label tells.
pub fn held(memory: &Memory, is_monitored: bool, now: Time) -> Option<Held> {
    let labelled = |begin: &str| memory.tags.iter().any(|tag| tag.starts_with(begin));
    let held = [
        (memory.life.pinned, Held::Pinned),
        (matches!(memory.kind, MemoryKind::Plan | MemoryKind::Question), Held::Open),
        (memory.tags.iter().any(|tag| tag == PROMISE), Held::Promised),
        (labelled(schedule::TAG), Held::Scheduled),
        (memory.expires_at.is_some_and(|due| due > now), Held::Due),
        (is_monitored || labelled(monitor::TAG), Held::Monitored),
        (memory.provenance.is_private(), Held::Private),
    ];
    held.into_iter().find(|(holds, _)| *holds).map(|(_, why)| why)
}
