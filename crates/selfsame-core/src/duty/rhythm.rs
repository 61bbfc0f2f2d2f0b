//! When a duty is due.

use crate::time::{BadDuration, Time, UnknownZone, Zone, parse_duration, show_duration};
use jiff::civil;
use std::fmt;
use std::time::Duration;

/// How a duty repeats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rhythm {
    /// One slot, at the moment it was made for.
    Once,
    /// Slots at whole multiples of the period since the epoch.
    Every(Duration),
    /// One slot a day, by the local clock of a zone.
    Daily {
        /// The wall time.
        at: civil::Time,
        /// Whose wall.
        zone: Zone,
    },
}

/// The slot to do, and how many before it are given up because nobody was there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Due {
    /// The slot.
    pub slot: Time,
    /// Slots before this one that nobody did.
    pub passed_over: u64,
}

impl Rhythm {
    /// The first slot strictly after `after`; none when there is no more.
    pub fn slot_after(&self, after: Time) -> Option<Time> {
        match self {
            Rhythm::Once => None,
            Rhythm::Every(period) => {
                let period = micros(*period);
                let next = after.micros().div_euclid(period).checked_add(1)?.checked_mul(period)?;
                Time::checked(next)
            }
            Rhythm::Daily { at, zone } => Some(zone.next_daily(*at, after)).filter(|slot| *slot < Time::MAX),
        }
    }

    /// What to do now when `slot` is due: that slot or, if others have passed since, the latest of them. The others are
    /// passed over: after a month of sleep there is one run, not thirty.
    pub fn catch_up(&self, slot: Time, now: Time) -> Due {
        let latest = self.latest_until(now, slot);
        Due { slot: latest, passed_over: self.count_between(slot, latest) }
    }

    /// The latest slot that is not after `now`; `known` is one such.
    fn latest_until(&self, now: Time, known: Time) -> Time {
        match self {
            Rhythm::Once => known,
            Rhythm::Every(period) => {
                let period = micros(*period);
                Time::from_micros(now.micros().div_euclid(period) * period).max(known)
            }
            Rhythm::Daily { .. } => {
                // Three days back there is a slot in any zone, even one that left out a date.
                let mut latest = known.max(now.saturating_sub(Duration::from_secs(3 * 86_400)));
                let mut found = known;
                while let Some(slot) = self.slot_after(latest).filter(|slot| *slot <= now) {
                    latest = slot;
                    found = slot;
                }
                found
            }
        }
    }

    /// How many slots lie from `first` (a slot) up to but not including `last` (a slot).
    fn count_between(&self, first: Time, last: Time) -> u64 {
        match self {
            Rhythm::Once => 0,
            Rhythm::Every(period) => {
                u64::try_from((last.micros() - first.micros()) / micros(*period)).unwrap_or(0)
            }
            Rhythm::Daily { .. } => {
                let mut count = 0;
                let mut slot = first;
                while slot < last {
                    count += 1;
                    match self.slot_after(slot) {
                        Some(next) => slot = next,
                        None => break,
                    }
                }
                count
            }
        }
    }

    /// About how far its slots are apart: what "late" is measured by.
    pub fn period(&self) -> Option<Duration> {
        match self {
            Rhythm::Once => None,
            Rhythm::Every(period) => Some(*period),
            Rhythm::Daily { .. } => Some(Duration::from_secs(86_400)),
        }
    }

    /// From its stored form: `once`, `every 15m`, `daily 03:30 Europe/Berlin`.
    pub fn parse(text: &str) -> Result<Rhythm, BadRhythm> {
        let bad = || BadRhythm::Form(text.chars().take(80).collect());
        let words: Vec<&str> = text.split(' ').collect();
        match words.as_slice() {
            ["once"] => Ok(Rhythm::Once),
            ["every", period] => match parse_duration(period)? {
                period if period < Duration::from_secs(1) => Err(bad()),
                period => Ok(Rhythm::Every(period)),
            },
            ["daily", at, zone] => Ok(Rhythm::Daily {
                at: civil::Time::strptime("%H:%M", at).map_err(|_| bad())?,
                zone: Zone::parse(zone)?,
            }),
            _ => Err(bad()),
        }
    }
}

impl fmt::Display for Rhythm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rhythm::Once => f.write_str("once"),
            Rhythm::Every(period) => write!(f, "every {}", show_duration(*period)),
            Rhythm::Daily { at, zone } => write!(f, "daily {} {}", at.strftime("%H:%M"), zone.name()),
        }
    }
}

/// A rhythm that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRhythm {
    /// It has another form.
    #[error("{0:?} is no rhythm: write once, every 15m (a second or more), or daily 03:30 Europe/Berlin")]
    Form(String),
    /// Its period.
    #[error(transparent)]
    Duration(#[from] BadDuration),
    /// Its zone.
    #[error(transparent)]
    Zone(#[from] UnknownZone),
}

/// Never zero: a period of nothing would be due for ever.
fn micros(period: Duration) -> i64 {
    i64::try_from(period.as_micros()).unwrap_or(i64::MAX).max(1)
}
