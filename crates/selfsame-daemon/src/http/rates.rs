//! How often somebody may ask. Each key has a bucket of its own that fills again as time goes by; one that is not known yet
//! draws from one that all strangers share, so that guessing at keys is slow and slows down nobody who has one.

use crate::failure::Failure;
use selfsame::seal::sha256;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Keys whose buckets are held, at most. One that was let go of is a stranger's for one request.
const MOST_KEYS: usize = 10_000;

/// So many in a second, so many at once.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Rate {
    per_second: f64,
    burst: f64,
}

/// The buckets of all who ask.
pub(super) struct Rates {
    /// None where nobody is held back.
    rate: Option<Rate>,
    buckets: Mutex<Buckets>,
    refused: AtomicU64,
}

struct Buckets {
    strangers: Bucket,
    known: BTreeMap<[u8; 32], Bucket>,
}

impl Rates {
    /// `per_second` of 0 holds nobody back.
    pub(super) fn new(per_second: usize, burst: usize) -> Rates {
        let rate = Rate { per_second: per_second as f64, burst: burst as f64 };
        let strangers = Bucket::full(rate, Instant::now());
        let buckets = Mutex::new(Buckets { strangers, known: BTreeMap::new() });
        Rates { rate: (per_second > 0).then_some(rate), buckets, refused: AtomicU64::new(0) }
    }

    /// Lets a request with this key come in, or not.
    pub(super) fn admit(&self, key: &str) -> Result<(), Failure> {
        let Some(rate) = self.rate else { return Ok(()) };
        let now = Instant::now();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let admitted = match buckets.known.get_mut(&named(key)) {
            Some(bucket) => bucket.draw(rate, now),
            None => buckets.strangers.draw(rate, now),
        };
        drop(buckets);
        if admitted {
            return Ok(());
        }
        self.refused.fetch_add(1, Ordering::Relaxed);
        Err(Failure::new(
            429,
            "too_many_requests",
            "more requests than server.rate and server.burst allow one key: try again in a second",
        ))
    }

    /// This key is a good one: from now on it has a bucket of its own.
    pub(super) fn know(&self, key: &str) {
        let Some(rate) = self.rate else { return };
        let now = Instant::now();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.known.len() >= MOST_KEYS {
            // Who has not asked for a while has a full one, which is what a new one is.
            buckets.known.retain(|_, bucket| !bucket.is_full(rate, now));
        }
        if buckets.known.len() < MOST_KEYS {
            buckets.known.entry(named(key)).or_insert_with(|| Bucket::full(rate, now));
        }
    }

    /// Requests that were held back.
    pub(super) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}

/// What a key is known by here: not itself.
fn named(key: &str) -> [u8; 32] {
    sha256(&[b"selfsame rate", key.as_bytes()])
}

struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    fn full(rate: Rate, now: Instant) -> Bucket {
        Bucket { left: rate.burst, at: now }
    }

    fn fill(&mut self, rate: Rate, now: Instant) {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + since * rate.per_second).min(rate.burst);
        self.at = now;
    }

    fn draw(&mut self, rate: Rate, now: Instant) -> bool {
        self.fill(rate, now);
        let enough = self.left >= 1.0;
        if enough {
            self.left -= 1.0;
        }
        enough
    }

    fn is_full(&mut self, rate: Rate, now: Instant) -> bool {
        self.fill(rate, now);
        self.left >= rate.burst
    }
}
