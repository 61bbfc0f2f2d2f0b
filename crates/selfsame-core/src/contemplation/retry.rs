//! What is done about a fault of a thinker: tried again with growing pauses, left for another day, or given up.

use super::fault::FaultKind;
use std::time::Duration;

/// The pauses after the first, the second and the third failure; after a fourth it is given up.
const PAUSES: [Duration; 3] = [Duration::from_secs(30), Duration::from_secs(120), Duration::from_secs(600)];
/// However long a server wants to be left alone.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);
/// Answers that make no sense are asked for so often in all.
const SENSELESS: u32 = 3;
/// Who refuses is asked so often in all.
const REFUSED: u32 = 2;

/// What happens next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Tried again after so long.
    Retry(Duration),
    /// Left until a new day's budget.
    Park,
    /// Given up.
    GiveUp,
}

/// What happens after the `attempts`-th attempt ended so. `wait` is how long the other side wants to be left alone, `jitter`
/// from 0 to 1 keeps many from coming back at once.
pub fn what_next(kind: FaultKind, attempts: u32, wait: Option<Duration>, jitter: f64) -> Next {
    let most = match kind {
        FaultKind::Budget => return Next::Park,
        FaultKind::Misconfigured => return Next::GiveUp,
        FaultKind::Unreadable | FaultKind::TooLarge | FaultKind::Restless => SENSELESS,
        FaultKind::Refused => REFUSED,
        FaultKind::Unreachable | FaultKind::TooSlow | FaultKind::Busy | FaultKind::Failed => 4,
    };
    if attempts >= most {
        return Next::GiveUp;
    }
    let place = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX).min(PAUSES.len() - 1);
    let pause = PAUSES[place].mul_f64(1.0 + 0.5 * jitter.clamp(0.0, 1.0));
    Next::Retry(wait.unwrap_or_default().min(LONGEST_WAIT).max(pause))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn what_may_pass_is_tried_four_times_with_growing_pauses() {
        let pauses: Vec<Next> = (1..=4).map(|n| what_next(FaultKind::Failed, n, None, 0.0)).collect();
        let retry = |n| Next::Retry(seconds(n));
        assert_eq!(pauses, [retry(30), retry(120), retry(600), Next::GiveUp]);
        assert_eq!(what_next(FaultKind::TooSlow, 1, None, 1.0), retry(45), "half as long again at most");
    }

    #[test]
    fn who_wants_to_be_left_alone_is_for_an_hour_at_most() {
        let busy = |wait| what_next(FaultKind::Busy, 1, Some(seconds(wait)), 0.0);
        assert_eq!(busy(5), Next::Retry(seconds(30)));
        assert_eq!(busy(300), Next::Retry(seconds(300)));
        assert_eq!(busy(31_536_000), Next::Retry(seconds(3600)));
    }

    #[test]
    fn what_only_a_person_can_change_is_not_asked_again() {
        assert_eq!(what_next(FaultKind::Misconfigured, 1, None, 0.0), Next::GiveUp);
        assert_eq!(what_next(FaultKind::Budget, 9, None, 0.0), Next::Park);
        assert_eq!(what_next(FaultKind::Refused, 2, None, 0.0), Next::GiveUp);
        let unreadable: Vec<bool> =
            (1..=3).map(|n| what_next(FaultKind::Unreadable, n, None, 0.0) == Next::GiveUp).collect();
        assert_eq!(unreadable, [false, false, true], "three tries");
    }
}
