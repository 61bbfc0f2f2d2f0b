//! Time and chance, as the machine gives them: the one file in which the engine may ask for either.

use crate::error::{Error, Result};
use selfsame_core::time::{Clock, Ticker, Time};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The machine's clock, made strictly increasing: a step back repeats no moment.
#[derive(Debug, Default)]
pub struct SystemClock(Ticker);

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is where the injected clock gets its time"
    )]
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let micros = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
        self.0.tick(Time::checked(micros).unwrap_or(Time::MAX))
    }
}

/// A clock that stands still until it is moved: a year passes in one call. It ticks on by a microsecond each time it is
/// read, as every clock here does, so that no two moments are equal.
#[derive(Debug)]
pub struct ManualClock {
    set: Mutex<Time>,
    ticker: Ticker,
}

impl ManualClock {
    /// A clock that shows `start`.
    pub fn at(start: Time) -> ManualClock {
        ManualClock {
            set: Mutex::new(start),
            ticker: Ticker::default(),
        }
    }

    /// Moves it forward.
    pub fn advance(&self, by: Duration) {
        let mut set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        *set = set.saturating_add(by);
    }

    /// Sets it, forward or back; what it shows never goes back.
    pub fn set(&self, to: Time) {
        *self.set.lock().unwrap_or_else(PoisonError::into_inner) = to;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Time {
        let set = *self.set.lock().unwrap_or_else(PoisonError::into_inner);
        self.ticker.tick(set)
    }
}

/// Thirty-two bytes that nobody can guess.
#[expect(
    clippy::disallowed_methods,
    reason = "this is where the id mint gets its chance"
)]
pub(crate) fn random_seed() -> Result<[u8; 32]> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| Error::NoChance(error.to_string()))?;
    Ok(seed)
}
