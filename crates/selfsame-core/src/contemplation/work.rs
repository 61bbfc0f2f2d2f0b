//! Pieces of work for a thinker: done by a model, by a program, or by the agent that comes and asks for them.

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
