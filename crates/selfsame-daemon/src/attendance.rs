//! Who is connected, so that a daemon that was started by need can end when nobody needs it any more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The connections of a daemon, counted.
#[derive(Clone)]
pub(crate) struct Attendance(Arc<Mutex<Count>>);

struct Count {
    here: usize,
    /// When the last one came or went.
    since: Instant,
}

/// Somebody is connected until this is dropped.
pub(crate) struct Present(Attendance);

impl Attendance {
    pub(crate) fn new() -> Attendance {
        Attendance(Arc::new(Mutex::new(Count { here: 0, since: Instant::now() })))
    }

    /// Somebody comes.
    pub(crate) fn enter(&self) -> Present {
        let mut count = self.count();
        count.here += 1;
        count.since = Instant::now();
        Present(self.clone())
    }

    /// Done when nobody was here for so long. Who watches a stream of events has left the connections behind and is counted
    /// by `watched`.
    pub(crate) async fn empty_for(&self, time: Duration, watched: impl Fn() -> bool) {
        loop {
            match self.rest(time) {
                Some(rest) => tokio::time::sleep(rest).await,
                None if watched() => tokio::time::sleep(time).await,
                None => return,
            }
        }
    }

    /// How long it takes until nobody was here for so long, if nobody comes; none when it is so far.
    fn rest(&self, time: Duration) -> Option<Duration> {
        let count = self.count();
        match count.here {
            0 => time.checked_sub(count.since.elapsed()).filter(|rest| !rest.is_zero()),
            _ => Some(time),
        }
    }

    fn count(&self) -> MutexGuard<'_, Count> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        let mut count = self.0.count();
        count.here -= 1;
        count.since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn who_is_here_holds_the_end_off() {
        let attendance = Attendance::new();
        assert_eq!(attendance.rest(Duration::ZERO), None, "nobody came yet");
        assert!(attendance.rest(LONG).is_some_and(|rest| rest <= LONG));
        let (one, other) = (attendance.enter(), attendance.enter());
        assert_eq!(attendance.rest(Duration::from_nanos(1)), Some(Duration::from_nanos(1)));
        drop(one);
        assert_eq!(attendance.rest(LONG), Some(LONG), "one is still here");
        drop(other);
        assert!(attendance.rest(LONG).is_some(), "it is counted from when the last one went");
        assert_eq!(attendance.rest(Duration::ZERO), None);
    }
}
