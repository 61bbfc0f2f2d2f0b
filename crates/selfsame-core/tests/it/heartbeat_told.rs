//! What becomes of what was said, what holds everything back, and how a word is kept.

use crate::heartbeat_kit::at;
use selfsame_core::heartbeat::state::Held;
use selfsame_core::heartbeat::{Account, FellDue, NudgeKind, NudgeState, Promise};
use selfsame_core::todo::TodoStatus;

#[test]
fn what_was_answered_stays_answered_when_it_arrives() {
    let arrive = |state: NudgeState| (state.is_wanted(), state.once_delivered());
    for state in [NudgeState::Waiting, NudgeState::Delivered, NudgeState::Missed, NudgeState::Failed] {
        assert_eq!(arrive(state), (true, NudgeState::Delivered), "{state:?}");
    }
    for state in [NudgeState::Observed, NudgeState::Answered, NudgeState::Dismissed, NudgeState::Vetoed] {
        assert_eq!(arrive(state), (false, state), "{state:?}");
    }
}

#[test]
fn what_was_due_is_missed_and_the_rest_could_not_be_said() {
    let ends = NudgeKind::ALL.iter().map(|kind| (*kind, NudgeState::once_given_up(*kind)));
    for (kind, end) in ends {
        let is_due = [NudgeKind::Reminder, NudgeKind::Deadline].contains(&kind);
        assert_eq!(end, if is_due { NudgeState::Missed } else { NudgeState::Failed }, "{kind:?}");
    }
}

#[test]
fn what_was_missed_is_over_and_still_unseen() {
    for state in NudgeState::ALL {
        assert!(state.is_unseen(false, false), "{state:?} is open and reached nobody");
        assert!(!state.is_unseen(true, false) && !state.is_unseen(true, true), "{state:?} reached somebody");
        assert_eq!(state.is_unseen(false, true), *state == NudgeState::Missed, "{state:?} is over");
    }
}

#[test]
fn the_house_goes_before_the_principal_and_for_good_before_a_while() {
    let now = at("2026-11-16T12:00:00Z");
    let (later, over) = (Some(at("2026-11-16T13:00:00Z")), Some(now));
    let snoozed = later.map(Held::Snoozed);
    for (paused, muted, until, held) in [
        (false, false, None, None),
        (false, false, over, None),
        (false, false, later, snoozed),
        (false, true, later, Some(Held::Muted)),
        (false, true, None, Some(Held::Muted)),
        (true, false, later, Some(Held::Paused)),
        (true, true, later, Some(Held::Paused)),
        (true, false, None, Some(Held::Paused)),
    ] {
        assert_eq!(
            Held::of(paused, muted, until, now),
            held,
            "paused {paused}, muted {muted}, until {until:?}"
        );
    }
}

#[test]
fn a_promise_is_kept_up_to_its_moment() {
    let due = at("2026-11-16T12:00:00Z");
    assert_eq!(Promise::done(due, due), Promise::Kept);
    assert_eq!(Promise::done(due, at("2026-11-16T12:00:01Z")), Promise::Broken);
    assert_eq!([false, true].map(Promise::given_up), [Promise::Missed, Promise::MissedMuted]);
}

#[test]
fn an_account_counts_what_was_kept_and_what_was_heard() {
    let due_at = at("2026-11-16T12:00:00Z");
    let todo = |status, finished_at| FellDue { status, due_at, finished_at };
    let (in_time, too_late) = (Some(due_at), Some(at("2026-11-16T12:00:01Z")));
    let todos = [
        todo(TodoStatus::Done, in_time),
        todo(TodoStatus::Done, too_late),
        todo(TodoStatus::Done, None),
        todo(TodoStatus::Pending, None),
        todo(TodoStatus::InProgress, in_time),
    ];
    let promises = [Promise::Kept, Promise::Kept, Promise::Broken, Promise::Missed, Promise::MissedMuted];
    let nudges = [
        (NudgeState::Delivered, 3),
        (NudgeState::Answered, 2),
        (NudgeState::Dismissed, 1),
        (NudgeState::Missed, 4),
        (NudgeState::Waiting, 50),
        (NudgeState::Observed, 60),
        (NudgeState::Failed, 70),
    ];
    let account = Account::of(&promises, &todos, &nudges);
    assert_eq!(account, Account { kept: 3, broken: 7, missed: 4, delivered: 6, answered: 2 });
    assert_eq!(Account::of(&[], &[], &[]), Account::default());
}
