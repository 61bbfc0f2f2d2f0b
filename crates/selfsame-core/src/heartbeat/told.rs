//! What can come of something that was said unasked.

use super::nudge::NudgeKind;
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

    /// Whether it should still go out. What was missed or given up goes out when somebody brings its duty back: late is
    /// better than never.
    pub const fn is_wanted(self) -> bool {
        match self {
            NudgeState::Waiting | NudgeState::Delivered | NudgeState::Missed | NudgeState::Failed => true,
            NudgeState::Observed | NudgeState::Answered | NudgeState::Dismissed | NudgeState::Vetoed => false,
        }
    }

    /// What it is once it reached somebody: what was answered or waved away meanwhile stays so.
    pub const fn once_delivered(self) -> NudgeState {
        if self.is_wanted() { NudgeState::Delivered } else { self }
    }

    /// What it is once nobody will get it: what was due is missed, and stays on the list; the rest could not be said.
    pub const fn once_given_up(kind: NudgeKind) -> NudgeState {
        match kind {
            NudgeKind::Reminder | NudgeKind::Deadline => NudgeState::Missed,
            NudgeKind::Introduction | NudgeKind::Suggestion => NudgeState::Failed,
        }
    }

    /// Whether nobody has it yet, neither whom it is for nor the agent itself. What was missed is over, and unseen.
    pub const fn is_unseen(self, is_delivered: bool, is_closed: bool) -> bool {
        !is_delivered && (!is_closed || matches!(self, NudgeState::Missed))
    }

    /// The states in which it stands on the list.
    pub const LISTED: &'static [NudgeState] =
        &[NudgeState::Waiting, NudgeState::Delivered, NudgeState::Missed];
}
