//! Something large that is made when it is first wanted and dropped when it was not wanted for a while.

use super::EmbedError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often within the time of rest it is looked whether somebody came: it is dropped a quarter late at most.
const LOOKS: u32 = 4;

type Make<T> = Box<dyn Fn() -> Result<T, EmbedError> + Send + Sync>;

/// The thing, or the way to make it.
pub(super) struct Idle<T> {
    make: Make<T>,
    rest: Duration,
    slot: Arc<Slot<T>>,
}

struct Slot<T> {
    held: Mutex<Option<Held<T>>>,
    /// Raised with each use, so that the watcher sees that there was one without asking for the time.
    uses: AtomicU64,
}

struct Held<T> {
    thing: Arc<T>,
    /// Dropped with the thing: the watcher ends then.
    _watched: Sender<()>,
}

impl<T> Slot<T> {
    fn held(&self) -> MutexGuard<'_, Option<Held<T>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send + Sync + 'static> Idle<T> {
    pub(super) fn new(
        rest: Duration,
        make: impl Fn() -> Result<T, EmbedError> + Send + Sync + 'static,
    ) -> Idle<T> {
        let slot = Slot { held: Mutex::new(None), uses: AtomicU64::new(0) };
        Idle { make: Box::new(make), rest, slot: Arc::new(slot) }
    }

    /// The thing; whoever comes while it is being made waits for it.
    pub(super) fn get(&self) -> Result<Arc<T>, EmbedError> {
        self.slot.uses.fetch_add(1, Ordering::Relaxed);
        let mut held = self.slot.held();
        if let Some(held) = held.as_ref() {
            return Ok(Arc::clone(&held.thing));
        }
        let thing = Arc::new((self.make)()?);
        *held = Some(Held { thing: Arc::clone(&thing), _watched: self.watch() });
        Ok(thing)
    }

    pub(super) fn is_there(&self) -> bool {
        self.slot.held().is_some()
    }

    /// A thread that drops the thing after its rest. If there is none to be had, the thing simply stays.
    fn watch(&self) -> Sender<()> {
        let (watched, ended) = mpsc::channel();
        let (slot, look) = (Arc::downgrade(&self.slot), self.rest / LOOKS);
        let watch = move || {
            let (mut seen, mut quiet) = (None, 0);
            while ended.recv_timeout(look) == Err(RecvTimeoutError::Timeout) {
                let Some(slot) = slot.upgrade() else { return };
                let uses = slot.uses.load(Ordering::Relaxed);
                quiet = if seen == Some(uses) { quiet + 1 } else { 0 };
                seen = Some(uses);
                if quiet >= LOOKS {
                    *slot.held() = None;
                    return;
                }
            }
        };
        let _ = std::thread::Builder::new().name("selfsame-idle".into()).spawn(watch);
        watched
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    fn counting(rest: Duration) -> (Idle<usize>, Arc<AtomicUsize>) {
        let made = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&made);
        (Idle::new(rest, move || Ok(counter.fetch_add(1, Ordering::SeqCst))), made)
    }

    #[test]
    fn it_is_made_once_for_all_who_come_at_once() {
        let (idle, made) = counting(Duration::from_secs(3600));
        assert!(!idle.is_there());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert_eq!(*idle.get().unwrap(), 0));
            }
        });
        assert_eq!((made.load(Ordering::SeqCst), idle.is_there()), (1, true));
    }

    #[test]
    fn it_goes_after_its_rest_and_is_made_again() {
        let (idle, made) = counting(Duration::from_millis(8));
        let kept = idle.get().unwrap();
        while idle.is_there() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!((*kept, *idle.get().unwrap()), (0, 1), "who holds it keeps it; the next one gets another");
        assert_eq!(made.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn what_cannot_be_made_is_tried_again() {
        let tries = AtomicUsize::new(0);
        let idle = Idle::new(Duration::from_secs(3600), move || match tries.fetch_add(1, Ordering::SeqCst) {
            0 => Err(EmbedError::Nowhere),
            try_number => Ok(try_number),
        });
        assert!(idle.get().is_err());
        assert_eq!(*idle.get().unwrap(), 1);
    }
}
