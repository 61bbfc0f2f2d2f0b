//! Identities: sortable by time, distinct by type, readable at the doors.
//!
//! An id is a version 7 UUID: 48 bits of milliseconds, 12 bits of microseconds, 62 bits of chance. Inside the program
//! it is sixteen bytes; people and agents see `mem_` and 26 characters, so that a key pasted where a memory is
//! expected is refused by name and not by "not found".

use crate::seal::sha256;
use crate::time::Time;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Sixteen bytes that name one row, whatever its kind. Typed ids wrap it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id([u8; 16]);

impl Id {
    /// The id that names nothing.
    pub const NIL: Id = Id([0; 16]);

    /// From stored bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Id {
        Id(bytes)
    }

    /// The stored bytes.
    pub const fn bytes(self) -> [u8; 16] {
        self.0
    }

    /// Before everything that happens at `now` or later.
    pub fn first_at(now: Time) -> Id {
        let millis = now.micros().max(0).unsigned_abs() / 1000;
        let mut bytes = [0; 16];
        bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
        Id(bytes)
    }

    /// The moment at which it was minted, to the microsecond.
    pub fn minted_at(self) -> Time {
        let millis = i64::try_from(u128::from_be_bytes(self.0) >> 80).unwrap_or(0);
        let micros = i64::from(self.0[6] & 0x0f) << 8 | i64::from(self.0[7]);
        Time::from_micros(millis * 1000 + micros)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&base32(self.0))
    }
}

/// Text that is not an id of the kind that was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no {kind} id: expected {prefix}_ and 26 letters and digits, as printed by selfsame")]
pub struct BadId {
    /// What was given.
    pub text: String,
    /// What it should have named.
    pub kind: &'static str,
    /// The prefix of that kind.
    pub prefix: &'static str,
}

macro_rules! id_types {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal, $kind:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Id);

        impl $name {
            /// The prefix people see.
            pub const PREFIX: &'static str = $prefix;

            /// Takes an id to be of this kind: for the store, which knows the column it came from.
            pub const fn of(id: Id) -> Self {
                Self(id)
            }

            /// The bare id.
            pub const fn id(self) -> Id {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}_{}", $prefix, base32(self.0.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                text.strip_prefix(concat!($prefix, "_"))
                    .and_then(from_base32)
                    .map(|bytes| Self(Id(bytes)))
                    .ok_or_else(|| BadId { text: clip(text), kind: $kind, prefix: $prefix })
            }
        }
    )*};
}

id_types! {
    /// An agent: the owner of a mind.
    AgentId, "agt", "agent";
    /// Somebody whom the agent serves.
    PrincipalId, "pri", "principal";
    /// Somebody or something that the agent knows.
    EntityId, "ent", "entity";
    /// One durable raw fact.
    MemoryId, "mem", "memory";
    /// A key to the daemon.
    KeyId, "key", "key";
    /// One act of forgetting.
    ErasureId, "era", "erasure";
    /// A background duty.
    DutyId, "dut", "duty";
    /// Something that the agent is at heart.
    SoulId, "sou", "soul entry";
    /// An entry of the diary.
    DiaryId, "dia", "diary entry";
    /// A conversation.
    ConversationId, "cnv", "conversation";
    /// One message of a conversation.
    MessageId, "msg", "message";
    /// Something to be done.
    TodoId, "tdo", "to-do";
    /// An entry of the calendar.
    CalendarId, "cal", "calendar entry";
    /// A change in how the agent stands to somebody.
    ChangeId, "chg", "change of a relationship";
    /// Something in the inbox.
    CandidateId, "can", "candidate";
    /// An interpreted summary of a period.
    ReflectionId, "ref", "reflection";
    /// Something learned from what was done.
    LessonId, "les", "lesson";
    /// Something that the agent believes.
    ObservationId, "obs", "observation";
    /// A link from an observation to what speaks for or against it.
    EvidenceId, "evi", "piece of evidence";
    /// Two sides of a question that is not settled.
    ConflictId, "cfl", "conflict";
    /// When something is due, again and again or once.
    ScheduleId, "sch", "schedule";
    /// The record of a tick.
    ReceiptId, "rcp", "receipt";
    /// Something said unasked.
    NudgeId, "nud", "nudge";
    /// What a time of thinking brought.
    EpisodeId, "epi", "episode";
    /// A time of thinking, or why there was none.
    CycleId, "cyc", "cycle";
    /// A piece of work for a thinker.
    WorkId, "wrk", "piece of work";
    /// One use of a tool.
    CallId, "cll", "tool call";
    /// A neural link, from the request on.
    LinkId, "lnk", "neural link";
    /// What many memories, or many messages, come to.
    SummaryId, "sum", "summary";
    /// Rows that are to be folded into a summary.
    BatchId, "bat", "batch";
    /// One reading of what another system wrote.
    RunId, "run", "import run";
}

/// Makes ids. Equal seeds give equal ids for equal moments, which is what makes a simulation repeatable.
pub struct Mint {
    seed: [u8; 32],
    count: AtomicU64,
}

impl Mint {
    /// A mint whose chance comes from `seed`: the operating system's in a program, a number in a test.
    pub const fn new(seed: [u8; 32]) -> Mint {
        Mint { seed, count: AtomicU64::new(0) }
    }

    /// The next id for something that happens at `now`.
    pub fn id(&self, now: Time) -> Id {
        let chance = self.draw();
        let micros = now.micros().max(0).unsigned_abs();
        let (millis, rest) = (micros / 1000, micros % 1000);
        let mut bytes = [0; 16];
        bytes[..6].copy_from_slice(&millis.to_be_bytes()[2..]);
        bytes[6] = 0x70 | (rest >> 8) as u8;
        bytes[7] = rest as u8;
        bytes[8..].copy_from_slice(&chance[..8]);
        bytes[8] = bytes[8] & 0x3f | 0x80;
        Id(bytes)
    }

    /// The next id for something that happens at `now` and sorts after what happened before, however near that was.
    pub fn id_after(&self, now: Time, before: Id) -> Id {
        let id = self.id(now);
        // In one microsecond chance decides which of two sorts first.
        if id > before { id } else { self.id(before.minted_at().saturating_add(Duration::from_micros(1))) }
    }

    /// Thirty-two bytes that nobody can guess who does not know the seed: for secrets.
    pub fn draw(&self) -> [u8; 32] {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        sha256(&[&self.seed, &count.to_be_bytes()])
    }
}

impl fmt::Debug for Mint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The seed stays out: keys are drawn from it.
        f.debug_struct("Mint").finish_non_exhaustive()
    }
}

/// Crockford's alphabet: no i, l, o, u, so that an id survives being read aloud.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Twenty-six characters for 128 bits, in an order that sorts like the bytes.
fn base32(bytes: [u8; 16]) -> String {
    let number = u128::from_be_bytes(bytes);
    (0..26).rev().map(|place| ALPHABET[(number >> (place * 5) & 31) as usize] as char).collect()
}

fn from_base32(text: &str) -> Option<[u8; 16]> {
    if text.len() != 26 || text.as_bytes()[0] > b'7' {
        return None;
    }
    let number = text.bytes().try_fold(0u128, |number, byte| {
        let digit = ALPHABET.iter().position(|&letter| letter == byte.to_ascii_lowercase())?;
        Some(number << 5 | digit as u128)
    })?;
    Some(number.to_be_bytes())
}

/// An error quotes what it was given, but never a whole book.
fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}
