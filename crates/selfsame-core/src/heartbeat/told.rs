//! What can come of something that was said unasked.

use crate::word::words;

words! {
    /// What came of it.
    NudgeState, "state of a nudge":
    /// Recorded for the agent's own eyes.
    Observed = "observed",
    /// On its way, or on the list.
    Waiting = "waiting",
    /// It reached somebody.
    Delivered = "delivered",
    /// Somebody answered.
    Answered = "answered",
    /// Somebody waved it away.
    Dismissed = "dismissed",
    /// Nobody fetched it in time. It stays on the list.
    Missed = "missed",
    /// No channel took it.
    Failed = "failed",
    /// A thinker held it back.
    Vetoed = "vetoed",
}

impl NudgeState {
    /// Whether it stands on the list of who is to see it.
    pub const fn is_listed(self) -> bool {
        matches!(self, NudgeState::Waiting | NudgeState::Delivered | NudgeState::Missed)
    }

    /// The states in which it stands on the list.
    pub const LISTED: &'static [NudgeState] =
        &[NudgeState::Waiting, NudgeState::Delivered, NudgeState::Missed];
}
