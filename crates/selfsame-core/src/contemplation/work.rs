//! Pieces of work for a thinker: done by a model, by a program, or by the agent that comes and asks for them.

use crate::time::Time;
use crate::word::words;

words! {
    /// What is to be done.
    WorkKind, "kind of work":
    /// Think, with a review of the inbox.
    Contemplate = "contemplate",
    /// Decide on what waits in the inbox.
    ReviewInbox = "review_inbox",
    /// Find what episodes teach.
    ExtractLessons = "extract_lessons",
    /// Write a summary.
    Summarize = "summarize",
    /// Put a belief into words.
    PhraseClaim = "phrase_claim",
    /// Find better words for what is about to be said, or hold it back.
    PhraseNudge = "phrase_nudge",
}

words! {
    /// Where it stands.
    WorkState, "state of work":
    /// Waits for somebody.
    Ready = "ready",
    /// Somebody is at it.
    Leased = "leased",
    /// Waits for a new day's budget.
    Parked = "parked",
    /// Done.
    Done = "done",
    /// Tried too often.
    Dead = "dead",
    /// Not wanted any more.
    Cancelled = "cancelled",
}

impl WorkState {
    /// Somebody is at it, or will be.
    pub fn is_open(self) -> bool {
        matches!(self, WorkState::Ready | WorkState::Leased | WorkState::Parked)
    }
}

/// Whether a piece of work is one that thinking stands back for: other work that waits for somebody. What waited before
/// `since` is waited for no more, and neither is what has to wait for another day's budget.
pub fn keeps_from_thinking(kind: WorkKind, state: WorkState, created_at: Time, since: Time) -> bool {
    state == WorkState::Ready && kind != WorkKind::Contemplate && created_at > since
}
