//! What is done about a fault of a thinker: tried again with growing pauses, left for another day, or given up.

use super::fault::{Fault, FaultKind};
use crate::id::Id;
use crate::seal::sha256;
use std::time::Duration;

/// The pauses after the first, the second and the third failure; after a fourth it is given up.
const PAUSES: [Duration; 3] = [Duration::from_secs(30), Duration::from_secs(120), Duration::from_secs(600)];
/// However long a server wants to be left alone.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);
/// Answers that make no sense are asked for so often in all.
const SENSELESS: u32 = 3;
/// Who refuses is asked so often in all.
const REFUSED: u32 = 2;
/// Processes may die over a piece of work, and agents go away with it, so often.
const MOST_ATTEMPTS: u32 = 6;

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

/// What is wrong with a piece of work before its `attempts`-th attempt is made: too many were begun and never ended.
pub fn worn_out(attempts: u32) -> Option<Fault> {
    let told = "every attempt ended without an answer: whoever was at it did not come back";
    (attempts > MOST_ATTEMPTS).then(|| Fault::new(FaultKind::Failed, told))
}

/// What happens after the `attempts`-th attempt at a piece of work ended so. `readable_within` is how often an answer that can
/// be read is asked for, where that is a setting.
pub fn what_next(fault: &Fault, work: Id, attempts: u32, readable_within: Option<u32>) -> Next {
    let most = match fault.kind {
        FaultKind::Budget => return Next::Park,
        FaultKind::Misconfigured => return Next::GiveUp,
        FaultKind::Unreadable => readable_within.unwrap_or(SENSELESS),
        FaultKind::TooLarge | FaultKind::Restless => SENSELESS,
        FaultKind::Refused => REFUSED,
        FaultKind::Unreachable | FaultKind::TooSlow | FaultKind::Busy | FaultKind::Failed => 4,
    };
    if attempts >= most.min(MOST_ATTEMPTS) {
        return Next::GiveUp;
    }
    let place = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX).min(PAUSES.len() - 1);
    let pause = PAUSES[place] + PAUSES[place] / 2 * dice(work, attempts) / 65_536;
    Next::Retry(fault.wait.unwrap_or_default().min(LONGEST_WAIT).max(pause))
}

/// From 0 to 65,535, fixed by work and attempt: many that failed together do not come back together, and a replay waits as long
/// as the first run.
fn dice(work: Id, attempts: u32) -> u32 {
    let dice = sha256(&[&work.bytes(), &attempts.to_be_bytes()]);
    u32::from(u16::from_be_bytes([dice[0], dice[1]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(kind: FaultKind, attempts: u32) -> Next {
        what_next(&Fault::new(kind, "so"), Id::NIL, attempts, None)
    }

    fn pause(next: Next) -> u64 {
        match next {
            Next::Retry(pause) => pause.as_secs(),
            other => panic!("not tried again but {other:?}"),
        }
    }

    #[test]
    fn what_may_pass_is_tried_four_times_with_growing_pauses() {
        let pauses: Vec<u64> = (1..=3).map(|n| pause(next(FaultKind::Failed, n))).collect();
        assert!((30..45).contains(&pauses[0]) && (120..180).contains(&pauses[1]), "{pauses:?}");
        assert!((600..900).contains(&pauses[2]), "{pauses:?}");
        assert_eq!(next(FaultKind::TooSlow, 4), Next::GiveUp);
    }

    #[test]
    fn many_that_failed_together_do_not_come_back_together() {
        let failed = Fault::new(FaultKind::Failed, "so");
        let ids = (0..50_u8).map(|n| Id::from_bytes([n; 16]));
        let pauses: std::collections::BTreeSet<Duration> = ids
            .map(|id| match what_next(&failed, id, 1, None) {
                Next::Retry(pause) => pause,
                other => panic!("not tried again but {other:?}"),
            })
            .collect();
        assert!(pauses.len() > 40, "{} different pauses", pauses.len());
        assert_eq!(what_next(&failed, Id::NIL, 1, None), what_next(&failed, Id::NIL, 1, None));
    }

    #[test]
    fn who_wants_to_be_left_alone_is_for_an_hour_at_most() {
        let busy = |wait| {
            let fault = Fault { wait: Some(Duration::from_secs(wait)), ..Fault::new(FaultKind::Busy, "so") };
            pause(what_next(&fault, Id::NIL, 1, None))
        };
        assert!((30..45).contains(&busy(5)));
        assert_eq!((busy(300), busy(31_536_000)), (300, 3600));
    }

    #[test]
    fn what_only_a_person_can_change_is_not_asked_again() {
        assert_eq!(next(FaultKind::Misconfigured, 1), Next::GiveUp);
        assert_eq!(next(FaultKind::Budget, 9), Next::Park);
        assert_eq!(next(FaultKind::Refused, 2), Next::GiveUp);
        let given_up = |most| {
            let unreadable = Fault::new(FaultKind::Unreadable, "so");
            (1..=7).position(|n| what_next(&unreadable, Id::NIL, n, most) == Next::GiveUp).map(|n| n + 1)
        };
        assert_eq!((given_up(None), given_up(Some(1)), given_up(Some(5))), (Some(3), Some(1), Some(5)));
        assert_eq!(given_up(Some(100)), Some(6), "nothing is tried for ever");
    }

    #[test]
    fn what_six_died_over_is_not_begun_a_seventh_time() {
        assert_eq!((1..=6).find_map(worn_out), None);
        assert!(worn_out(7).is_some());
    }
}
