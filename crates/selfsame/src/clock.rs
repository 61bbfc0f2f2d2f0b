//! Time and chance, as the machine gives them: the one file in which the engine may ask for either.

use crate::error::{Error, Result};
use selfsame_core::time::{Clock, Ticker, Time};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often a server is asked for its time before it is believed.
const QUESTIONS: usize = 3;

/// The machine's clock, made strictly increasing. A step forward is followed; after a step back it goes on from where it
/// was at the pace of the monotonic clock, so that nothing is repeated and nothing waits for the wall to catch up.
#[derive(Debug, Default)]
pub struct SystemClock {
    last: Mutex<Option<(Time, Instant)>>,
    /// Microseconds to add to the machine's time: what a database server's clock is ahead of it.
    offset: AtomicI64,
}

impl SystemClock {
    /// From now on agrees with a server's clock, which `ask` reads: several daemons that share a database must agree on
    /// when a lease ends. The server is taken to have looked in the middle of the question, so the question that took the
    /// least time counts: the first may have had to connect, and any may have waited for a busy machine.
    pub fn agree_with(&self, mut ask: impl FnMut() -> Result<Time>) -> Result<()> {
        let mut best: Option<(i64, i64)> = None;
        for _ in 0..QUESTIONS {
            let before = wall().micros();
            let server = ask()?.micros();
            let took = wall().micros().saturating_sub(before);
            let measured = (took, server.saturating_sub(before.saturating_add(took / 2)));
            best = best.filter(|best| best.0 <= took).or(Some(measured));
        }
        if let Some((_, offset)) = best {
            self.offset.store(offset, Ordering::Relaxed);
        }
        Ok(())
    }

    /// How far the machine's own clock is from the server's.
    pub fn skew(&self) -> Duration {
        Duration::from_micros(self.offset.load(Ordering::Relaxed).unsigned_abs())
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is where the injected clock gets its time")]
    fn now(&self) -> Time {
        let raw = Time::from_micros(wall().micros().saturating_add(self.offset.load(Ordering::Relaxed)));
        let instant = Instant::now();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = match *last {
            None => raw,
            Some((before, at)) => {
                let steady = before.saturating_add(instant.saturating_duration_since(at));
                raw.max(steady).max(before.saturating_add(Duration::from_micros(1)))
            }
        };
        *last = Some((now, instant));
        now
    }
}

#[expect(clippy::disallowed_methods, reason = "this is where the injected clock gets its time")]
fn wall() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let micros = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
    Time::checked(micros).unwrap_or(Time::MAX)
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
        ManualClock { set: Mutex::new(start), ticker: Ticker::default() }
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
#[expect(clippy::disallowed_methods, reason = "this is where the id mint gets its chance")]
pub(crate) fn random_seed() -> Result<[u8; 32]> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(|error| Error::NoChance(error.to_string()))?;
    Ok(seed)
}
