//! Who came in by the dashboard: codes that are good once, and the cookies they are exchanged for.
//!
//! They are in memory alone. They end with the daemon, no backup has them, and nothing in the database opens a door. Who
//! has one is the owner of the folder: a code is only given on the owner's own terminal or socket, so there is no key behind
//! it that could be revoked; `selfsame dashboard --close` ends all of them instead.

use crate::failure::Failure;
use selfsame::seal::sha256;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a code waits to be used.
pub const CODE_LIFE: Duration = Duration::from_secs(5 * 60);
/// A visit without a request for so long is over.
const IDLE: Duration = Duration::from_secs(12 * 3600);
/// And after this long in any case.
pub(super) const LIFE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Wrong codes within a minute, of everybody together: then nobody is asked for a while.
const MAX_MISSES: usize = 10;
const MINUTE: Duration = Duration::from_secs(60);
/// Codes that wait, and visits that are open, at most: the oldest make room.
const MAX_CODES: usize = 4;
const MAX_VISITS: usize = 32;

/// Letters and digits that nobody mistakes for one another.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
/// Forty bits, of which ten a minute can be tried for five minutes.
const CODE_LENGTH: usize = 8;

/// The codes that wait and the visits that are open.
#[derive(Default)]
pub struct Sessions {
    kept: Mutex<Kept>,
}

/// The same ones, not such as have the same in them.
impl PartialEq for Sessions {
    fn eq(&self, other: &Sessions) -> bool {
        std::ptr::eq(self, other)
    }
}

#[derive(Default)]
struct Kept {
    codes: Vec<Code>,
    visits: Vec<Visit>,
    misses: Vec<Instant>,
}

/// What is kept of a code: enough to know it again.
struct Code {
    hash: [u8; 32],
    made: Instant,
}

/// What is kept of a cookie.
struct Visit {
    hash: [u8; 32],
    began: Instant,
    seen: Instant,
}

impl Sessions {
    /// A code for the next visitor, such as `7KQ2-MX4T`.
    pub fn code(&self, now: Instant) -> Result<String, Failure> {
        let letters: String = chance::<CODE_LENGTH>()?
            .iter()
            .map(|byte| char::from(ALPHABET[usize::from(byte % 32)]))
            .collect();
        self.with(|kept| {
            kept.codes.retain(|code| now.duration_since(code.made) < CODE_LIFE);
            make_room(&mut kept.codes, MAX_CODES);
            kept.codes.push(Code { hash: hash(&letters), made: now });
        });
        let (first, second) = letters.split_at(CODE_LENGTH / 2);
        Ok(format!("{first}-{second}"))
    }

    /// Exchanges a code, however it was typed, for what the cookie holds. It is good once.
    pub fn enter(&self, typed: &str, now: Instant) -> Result<String, Failure> {
        let letters: String = typed
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_uppercase())
            .collect();
        let typed = hash(&letters);
        let token = hex(&chance::<32>()?);
        self.with(|kept| {
            kept.misses.retain(|miss| now.duration_since(*miss) < MINUTE);
            if kept.misses.len() >= MAX_MISSES {
                return Err(Failure::new(429, "too_many_tries", "too many wrong codes: wait a minute, then try again"));
            }
            kept.codes.retain(|code| now.duration_since(code.made) < CODE_LIFE);
            let Some(place) = kept.codes.iter().position(|code| code.hash == typed) else {
                kept.misses.push(now);
                let told = "this code is wrong, used or older than five minutes: `selfsame dashboard` gives a new one";
                return Err(Failure::new(401, "code_refused", told));
            };
            kept.codes.remove(place);
            kept.visits.retain(|visit| visit.is_open(now));
            make_room(&mut kept.visits, MAX_VISITS);
            kept.visits.push(Visit { hash: hash(&token), began: now, seen: now });
            Ok(token)
        })
    }

    /// Whether this is the cookie of an open visit, which goes on by being asked.
    pub fn is_open(&self, token: &str, now: Instant) -> bool {
        let token = hash(token);
        self.with(|kept| {
            kept.visits.retain(|visit| visit.is_open(now));
            match kept.visits.iter_mut().find(|visit| visit.hash == token) {
                Some(visit) => {
                    visit.seen = now;
                    true
                }
                None => false,
            }
        })
    }

    /// Ends one visit.
    pub fn leave(&self, token: &str) {
        let token = hash(token);
        self.with(|kept| kept.visits.retain(|visit| visit.hash != token));
    }

    /// Ends all visits, and makes every code that waits worthless; says how many visits there were.
    pub fn close(&self) -> usize {
        self.with(|kept| {
            kept.codes.clear();
            kept.visits.drain(..).count()
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut Kept) -> T) -> T {
        act(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Visit {
    fn is_open(&self, now: Instant) -> bool {
        now.duration_since(self.began) < LIFE && now.duration_since(self.seen) < IDLE
    }
}

/// Leaves place for one more; what was there first goes.
fn make_room<T>(list: &mut Vec<T>, most: usize) {
    let surplus = (list.len() + 1).saturating_sub(most);
    list.drain(..surplus);
}

/// Compared by hash: how long it takes says nothing about the secret.
fn hash(secret: &str) -> [u8; 32] {
    sha256(&[b"selfsame dashboard", secret.as_bytes()])
}

fn chance<const N: usize>() -> Result<[u8; N], Failure> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::new(500, "internal", format!("this machine gives no chance: {error}")))?;
    Ok(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
