//! A fault at the n-th passing of a named point.

use selfsame::{Fault, Faults};
use selfsame_store::faults::POINTS;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A fault that waits at one point until it is armed.
#[derive(Clone, Debug)]
pub struct Trap {
    point: &'static str,
    fault: Fault,
    /// Passings until it springs; zero means that it is not armed.
    left: Arc<AtomicU64>,
}

impl Trap {
    /// Makes the operation fail at `point`, once armed.
    pub fn fail(point: &'static str) -> Trap {
        Trap::new(point, Fault::Fail)
    }

    /// Ends the process at `point`, once armed.
    pub fn die(point: &'static str) -> Trap {
        Trap::new(point, Fault::Die)
    }

    fn new(point: &'static str, fault: Fault) -> Trap {
        assert!(POINTS.contains(&point), "there is no point {point}; there are {POINTS:?}");
        Trap { point, fault, left: Arc::default() }
    }

    /// Springs at the n-th passing from now, and only then.
    #[must_use]
    pub fn armed(self, nth: u64) -> Trap {
        self.arm(nth);
        self
    }

    /// Springs at the n-th passing from now, and only then.
    pub fn arm(&self, nth: u64) {
        self.left.store(nth, Ordering::SeqCst);
    }

    /// As the store takes it.
    pub fn faults(&self) -> Faults {
        let trap = self.clone();
        Faults::planned(move |point| (point == trap.point && trap.springs()).then_some(trap.fault))
    }

    fn springs(&self) -> bool {
        let before = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        before == Ok(1)
    }
}

#[cfg(test)]
mod tests {
    use super::Trap;

    #[test]
    fn it_springs_at_the_nth_passing_and_not_again() {
        let trap = Trap::fail("write.begun");
        assert!(!trap.springs(), "it was not armed");
        trap.arm(3);
        let sprung: Vec<bool> = (0..5).map(|_| trap.springs()).collect();
        assert_eq!(sprung, [false, false, true, false, false]);
    }

    #[test]
    #[should_panic(expected = "there is no point write.begn")]
    fn a_point_that_is_not_there_is_a_mistake_of_the_test() {
        Trap::fail("write.begn");
    }
}
