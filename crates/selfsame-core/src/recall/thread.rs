//! Where a text stands among others: its thread and its place there.
//!
//! What is said in one sitting belongs together: a turn is understood by its neighbours. Which texts those are is judged
//! here; the numbers are given out in the transaction that stores a text.

use crate::time::Time;
use std::time::Duration;

/// After a longer silence the same conversation is another sitting.
pub const SITTING_PAUSE: Duration = Duration::from_secs(4 * 60 * 60);
/// Texts of one sitting, at most: a channel that never falls silent is cut into pieces that can be looked at whole.
pub const MAX_SITTING: u32 = 512;

/// Where a text stands: in which thread, and at which place there. Identifies an indexed text of one kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Spot {
    /// The thread; numbered from 0 in the order in which they began.
    pub thread: u32,
    /// The place there, from 0 in filing order; 0 for a text that stands alone.
    pub place: u32,
}

impl Spot {
    /// Threads, at most: a spot has to fit into a number with a sign.
    pub const MAX_THREADS: u32 = 1 << 31;

    /// The spot as one number, in the same order.
    pub const fn number(self) -> i64 {
        ((self.thread as i64) << 32) | self.place as i64
    }

    /// The spot of a number.
    pub const fn of_number(number: i64) -> Spot {
        Spot { thread: (number >> 32) as u32, place: number as u32 }
    }
}

/// The newest thread of a source, as far as it has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sitting {
    /// Its number.
    pub thread: u32,
    /// Places that are taken.
    pub places: u32,
    /// When its last text was said.
    pub last_at: Time,
}

impl Sitting {
    /// One that begins with a text said then.
    pub const fn begun(thread: u32, said_at: Time) -> Sitting {
        Sitting { thread, places: 1, last_at: said_at }
    }

    /// The same with one text more, if it still belongs to it: said within the pause, before or after, and not too many.
    pub fn joined(self, said_at: Time) -> Option<Sitting> {
        let away = said_at.since(self.last_at).max(self.last_at.since(said_at));
        let goes_on = away <= SITTING_PAUSE && self.places < MAX_SITTING;
        goes_on.then_some(Sitting { places: self.places + 1, last_at: said_at, ..self })
    }

    /// Where its last text stands.
    pub const fn last_spot(self) -> Spot {
        Spot { thread: self.thread, place: self.places.saturating_sub(1) }
    }
}
