//! Whoever just failed is left alone for a moment, so that nobody waits for it in vain.

use selfsame::ports::{Fault, FaultKind, PortError};
use selfsame::time::Time;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long, if the server does not say.
const PAUSE: Duration = Duration::from_secs(5);
/// And how long at most if it does: whoever asks for a day may be back before.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// So many failures in a row, and a thinker is left alone for a while.
const FAILURES: u32 = 5;

/// Until when a server is left alone, and why.
pub(crate) struct Pause<E = PortError> {
    until: Mutex<Option<(Time, E)>>,
}

impl<E> Default for Pause<E> {
    fn default() -> Pause<E> {
        Pause { until: Mutex::new(None) }
    }
}

impl<E: Clone> Pause<E> {
    /// Why it is left alone, if it is.
    pub(crate) fn reason(&self, now: Time) -> Option<E> {
        let until = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.as_ref().filter(|(until, _)| now < *until).map(|(_, why)| why.clone())
    }

    /// It failed, and asked for so much time if it said anything.
    pub(crate) fn begin(&self, now: Time, wait: Option<Duration>, why: E) {
        let until = now.saturating_add(wait.unwrap_or(PAUSE).clamp(PAUSE, LONGEST_PAUSE));
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = Some((until, why));
    }

    /// It works.
    pub(crate) fn end(&self) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Why it is left alone, if it is. If the pause is over, whoever asks may try, and for all others it goes on meanwhile.
    fn reason_or_try(&self, now: Time) -> Option<E> {
        let mut held = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        let (until, why) = held.as_mut()?;
        if now < *until {
            return Some(why.clone());
        }
        *until = now.saturating_add(LONGEST_PAUSE);
        None
    }
}

/// Leaves a thinker alone that failed several times in a row. After a while one may try whether it works again.
#[derive(Default)]
pub(crate) struct Breaker {
    in_a_row: AtomicU32,
    pause: Pause<Fault>,
}

impl Breaker {
    /// Refuses while it is left alone.
    pub(crate) fn admit(&self, now: Time) -> Result<(), Fault> {
        self.pause.reason_or_try(now).map_or(Ok(()), Err)
    }

    /// Keeps in mind how it went.
    pub(crate) fn note<T>(&self, now: Time, went: &Result<T, Fault>) {
        match went.as_ref().err().filter(|fault| is_its_own(fault.kind)) {
            None => {
                self.in_a_row.store(0, Ordering::Relaxed);
                self.pause.end();
            }
            Some(fault) => {
                if self.in_a_row.fetch_add(1, Ordering::Relaxed) + 1 >= FAILURES {
                    self.pause.begin(now, Some(fault.wait.unwrap_or(LONGEST_PAUSE)), left_alone(fault));
                }
            }
        }
    }
}

/// Whether such a fault says that the thinker does not work, and not that this prompt came to nothing, or that whoever asks has
/// a wrong key or name for it: others who ask there may have right ones.
fn is_its_own(kind: FaultKind) -> bool {
    !matches!(kind, FaultKind::Refused | FaultKind::Restless | FaultKind::Budget | FaultKind::Misconfigured)
}

/// Of the same kind, so that whoever is refused does the same about it.
fn left_alone(fault: &Fault) -> Fault {
    let told =
        format!("it failed several times in a row and is left alone for a minute; last: {}", fault.told);
    Fault { kind: fault.kind, told, wait: Some(fault.wait.unwrap_or(LONGEST_PAUSE)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Time = Time::from_micros(1_800_000_000_000_000);

    fn at(seconds: u64) -> Time {
        START.saturating_add(Duration::from_secs(seconds))
    }

    fn fails(breaker: &Breaker, now: Time, kind: FaultKind) {
        breaker.note::<()>(now, &Err(Fault::new(kind, "no")));
    }

    fn broken() -> Breaker {
        let breaker = Breaker::default();
        (0..FAILURES).for_each(|second| fails(&breaker, at(second.into()), FaultKind::Failed));
        breaker
    }

    #[test]
    fn failures_in_a_row_make_a_pause() {
        let breaker = Breaker::default();
        for second in 0..FAILURES {
            assert_eq!(breaker.admit(at(second.into())), Ok(()));
            fails(&breaker, at(second.into()), FaultKind::Failed);
        }
        let refused = breaker.admit(at(10)).unwrap_err();
        assert_eq!((refused.kind, refused.wait), (FaultKind::Failed, Some(LONGEST_PAUSE)));
        assert_eq!(refused.told, "it failed several times in a row and is left alone for a minute; last: no");
    }

    #[test]
    fn after_the_pause_one_may_try() {
        let breaker = broken();
        assert!(breaker.admit(at(63)).is_err());
        assert_eq!(breaker.admit(at(64)), Ok(()));
        assert!(breaker.admit(at(65)).is_err(), "one is trying");
        fails(&breaker, at(66), FaultKind::TooSlow);
        assert!(breaker.admit(at(125)).is_err(), "it went wrong again");
        assert_eq!(breaker.admit(at(126)), Ok(()));
        breaker.note(at(127), &Ok(()));
        assert_eq!(breaker.admit(at(127)), Ok(()));
        fails(&breaker, at(128), FaultKind::Failed);
        assert_eq!(breaker.admit(at(128)), Ok(()), "counted from the beginning");
    }

    #[test]
    fn an_answer_in_between_breaks_the_row() {
        let breaker = Breaker::default();
        for second in 0..20 {
            match second % 3 {
                0 => breaker.note(at(second), &Ok(())),
                // It works, though nothing came of it.
                1 => fails(&breaker, at(second), FaultKind::Refused),
                _ => fails(&breaker, at(second), FaultKind::Unreachable),
            }
            assert_eq!(breaker.admit(at(second)), Ok(()));
        }
    }
}
