//! Whoever just failed is left alone for a moment, so that nobody waits for it in vain.

use selfsame::ports::PortError;
use selfsame::time::Time;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long, if the server does not say.
const PAUSE: Duration = Duration::from_secs(5);
/// And how long at most if it does: whoever asks for a day may be back before.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Until when a server is left alone, and why.
#[derive(Default)]
pub(crate) struct Pause {
    until: Mutex<Option<(Time, PortError)>>,
}

impl Pause {
    /// Why it is left alone, if it is.
    pub(crate) fn reason(&self, now: Time) -> Option<PortError> {
        let until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.as_ref().filter(|(until, _)| now < *until).map(|(_, why)| why.clone())
    }

    /// It failed, and asked for so much time if it said anything.
    pub(crate) fn begin(&self, now: Time, wait: Option<Duration>, why: PortError) {
        let until = now.saturating_add(wait.unwrap_or(PAUSE).clamp(PAUSE, LONGEST_PAUSE));
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = Some((until, why));
    }

    /// It works.
    pub(crate) fn end(&self) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
