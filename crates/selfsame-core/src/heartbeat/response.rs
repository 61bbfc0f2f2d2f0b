//! What being ignored does: who does not answer is asked less often.

use super::rules::Responses;
use super::told::NudgeState;
use crate::time::Time;

/// Of nudges that were delivered, each with its state and when that was: how many count, and how many of those were
/// answered. One that was delivered just now has not been ignored yet.
pub fn counted(rules: &Responses, delivered: &[(NudgeState, Time)], now: Time) -> (u32, u32) {
    let is_open =
        |state: NudgeState, at: Time| state == NudgeState::Delivered && now.since(at) < rules.answer_within;
    let closed = || delivered.iter().filter(|(state, at)| !is_open(*state, *at));
    let answered = closed().filter(|(state, _)| *state == NudgeState::Answered).count();
    (closed().count() as u32, answered as u32)
}

/// How much longer cooldowns are for a principal who answered so many of the nudges that count.
///
/// Which ones count is settled by who counts them: delivered ones, of the last few, of the last weeks, none of quiet hours.
pub fn factor(rules: &Responses, delivered: u32, answered: u32) -> f64 {
    if delivered == 0 || delivered < rules.least {
        return 1.0;
    }
    // The quotient is the float nearest to the share, as is the setting it is held against: 3 of 10 is not below 0.3.
    let rate = f64::from(answered) / f64::from(delivered);
    if rate < rules.ignored_below {
        rules.ignored_factor
    } else if rate < rules.selective_below {
        rules.selective_factor
    } else {
        1.0
    }
}
