//! What thinking may cost in a day.

use super::fault::{Fault, FaultKind};
use crate::time::show_duration;
use std::time::Duration;

/// An agent's allowance for one of its days.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Purse {
    /// Tokens.
    pub tokens: u64,
    /// Time.
    pub time: Duration,
}

impl Purse {
    /// Why nothing more may be begun after so much was spent today, if so.
    pub fn overdrawn(&self, tokens: u64, time: Duration) -> Option<Fault> {
        let told = if tokens >= self.tokens {
            format!("today's {} tokens are spent: raise thinker.daily_tokens if that is too few", self.tokens)
        } else if time >= self.time {
            let time = show_duration(self.time);
            format!("today's {time} of thinking are spent: raise thinker.daily_time if that is too little")
        } else {
            return None;
        };
        Some(Fault::new(FaultKind::Budget, told))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_token_and_the_last_moment_empty_it() {
        let purse = Purse { tokens: 100, time: Duration::from_secs(60) };
        let told =
            |tokens, seconds| purse.overdrawn(tokens, Duration::from_secs(seconds)).map(|fault| fault.told);
        assert_eq!(told(99, 59), None);
        assert!(told(100, 0).unwrap().starts_with("today's 100 tokens"));
        assert!(told(0, 60).unwrap().starts_with("today's 1m of thinking"));
        let nothing = Purse { tokens: 0, time: Duration::ZERO };
        assert!(nothing.overdrawn(0, Duration::ZERO).is_some(), "who may spend nothing begins nothing");
    }
}
