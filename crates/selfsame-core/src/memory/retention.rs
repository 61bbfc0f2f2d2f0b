//! How a memory fades: retention falls with time, recalling it makes it last longer, and its state follows.
//!
//! retention = exp(-days / (stability * (1 + 0.5 ln(1 + recalls)))), counted from the last recall that counted, or from
//! the beginning. The moments at which it will fall to given levels are known in advance and stored, so that jobs and
//! scans only compare times.

use super::{MemoryKind, State};
use crate::heartbeat::schedule;
use crate::time::{Time, Zone};
use std::time::Duration;

/// Below this an important memory is worth a word before it is too late.
pub const FADING: f64 = 0.4;
/// Below this a memory is stale.
pub const STALE: f64 = 0.3;
/// Below this it is archived.
pub const ARCHIVED: f64 = 0.1;

/// What one recall adds to the stability.
const GROWTH: f64 = 1.1;
/// Recalls make a memory at most this much more stable than its type is: what is popular must still be able to fade.
const MOST_GROWTH: f64 = 4.0;

const MICROS_PER_DAY: f64 = 86_400e6;

/// How firmly a memory is held.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hold {
    /// Days after which it would have faded to 1/e, unrecalled.
    pub stability: f64,
    /// Days on which it was recalled.
    pub recall_count: u32,
    /// The last recall that counted.
    pub last_recalled_at: Option<Time>,
}

impl Hold {
    /// Of a new memory.
    pub fn new(kind: MemoryKind) -> Hold {
        Hold { stability: kind.stability_days(), recall_count: 0, last_recalled_at: None }
    }

    /// How much of a memory is left, from 1 to 0.
    pub fn retention(&self, created_at: Time, now: Time) -> f64 {
        let since = self.last_recalled_at.unwrap_or(created_at);
        let days = now.since(since).as_micros() as f64 / MICROS_PER_DAY;
        libm::exp(-days / self.days())
    }

    /// After a recall; nothing if one has counted on this day already.
    pub fn recalled(&self, kind: MemoryKind, zone: &Zone, now: Time) -> Option<Hold> {
        let counted_today = self.last_recalled_at.is_some_and(|last| zone.date(last) >= zone.date(now));
        (!counted_today).then(|| Hold {
            stability: (self.stability * GROWTH).min(kind.stability_days() * MOST_GROWTH).max(self.stability),
            recall_count: self.recall_count.saturating_add(1),
            last_recalled_at: Some(now),
        })
    }

    fn days(&self) -> f64 {
        self.stability * (1.0 + 0.5 * libm::log1p(f64::from(self.recall_count)))
    }

    /// The first moment at which retention is below a level.
    fn falls_below(&self, level: f64, created_at: Time) -> Time {
        let since = self.last_recalled_at.unwrap_or(created_at);
        let micros = -libm::log(level) * self.days() * MICROS_PER_DAY;
        // A float becomes a whole number of microseconds downwards; one more is the first that lies below.
        since.saturating_add(Duration::from_micros(micros as u64 + 1))
    }
}

/// What decides whether a memory may fade at all.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Standing<'a> {
    /// What sort of fact.
    pub kind: MemoryKind,
    /// Its state so far.
    pub state: State,
    /// Exempt.
    pub pinned: bool,
    /// A deadline.
    pub expires_at: Option<Time>,
    /// Its labels: a schedule is one.
    pub tags: &'a [String],
    /// It was folded into a summary, or has a next edition: archived whatever its retention.
    pub put_away: bool,
    /// When it was stored.
    pub created_at: Time,
}

impl Standing<'_> {
    fn never_fades(&self) -> bool {
        let open_plan = self.kind == MemoryKind::Plan && self.state != State::Resolved;
        let scheduled = self.tags.iter().any(|tag| tag.starts_with(schedule::TAG));
        self.pinned || open_plan || scheduled
    }
}

/// The moments of a memory's decline; none of them: it does not fade.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Decline {
    /// Retention falls below [`FADING`].
    pub fades_at: Option<Time>,
    /// Below [`STALE`].
    pub stale_at: Option<Time>,
    /// Below [`ARCHIVED`].
    pub archive_at: Option<Time>,
    /// When its state will change next.
    pub next_state_at: Option<Time>,
}

/// The state that a memory has at `now`, and the moments of its decline.
pub fn judge(standing: &Standing<'_>, hold: &Hold, now: Time) -> (State, Decline) {
    if standing.put_away {
        return (State::Archived, Decline::default());
    }
    let resolved = standing.state == State::Resolved;
    if standing.never_fades() {
        return (if resolved { State::Resolved } else { State::Active }, Decline::default());
    }
    // Nobody forgets an appointment before it has passed.
    let not_before = standing.expires_at.unwrap_or(Time::MIN);
    let falls_below = |level| hold.falls_below(level, standing.created_at).max(not_before);
    let (fades_at, stale_at, archive_at) = (falls_below(FADING), falls_below(STALE), falls_below(ARCHIVED));
    let (state, next) = match () {
        () if now >= archive_at => (State::Archived, None),
        () if resolved => (State::Resolved, Some(archive_at)),
        () if now >= stale_at => (State::Stale, Some(archive_at)),
        () => (State::Active, Some(stale_at)),
    };
    let decline = Decline {
        fades_at: Some(fades_at),
        stale_at: Some(stale_at),
        archive_at: Some(archive_at),
        next_state_at: next,
    };
    (state, decline)
}
