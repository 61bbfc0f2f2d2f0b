//! Which slots were done, in few words: a wrong clock that is put right again must not make one of them be done twice.

use super::Rhythm;
use crate::time::Time;
use std::fmt;

/// So many stretches are kept; a stretch ends where slots were passed over or the clock jumped. The lowest go first.
const KEPT: usize = 32;

/// Stretches of slots, each without a gap.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spans(Vec<(Time, Time)>);

impl Spans {
    /// From its stored form; what cannot be read is nothing.
    pub fn parse(text: &str) -> Spans {
        let time = |text: &str| text.parse().ok().and_then(Time::checked);
        let span = |text: &str| {
            let (from, to) = text.split_once("..")?;
            Some((time(from)?, time(to)?))
        };
        Spans(text.split(' ').filter_map(span).collect())
    }

    /// Whether the slot was done.
    pub fn contain(&self, slot: Time) -> bool {
        self.0.iter().any(|(from, to)| *from <= slot && slot <= *to)
    }

    /// With a slot more.
    #[must_use]
    pub fn with(mut self, rhythm: &Rhythm, slot: Time) -> Spans {
        if self.contain(slot) {
            return self;
        }
        self.0.push((slot, slot));
        self.0.sort();
        self.0.dedup_by(|later, earlier| {
            let joins = rhythm.slot_after(earlier.1) == Some(later.0);
            if joins {
                earlier.1 = later.1;
            }
            joins
        });
        self.0.drain(..self.0.len().saturating_sub(KEPT));
        self
    }
}

/// The form that is stored: `from..to` in microseconds, with spaces between.
impl fmt::Display for Spans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (from, to)) in self.0.iter().enumerate() {
            let space = if place == 0 { "" } else { " " };
            write!(f, "{space}{}..{}", from.micros(), to.micros())?;
        }
        Ok(())
    }
}
