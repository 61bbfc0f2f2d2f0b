//! What becomes of a belief when something new is said, and when time passes.
//!
//! Claims are taken one by one in the order in which they were stored, each judged at its own moment, so the outcome does
//! not depend on how many are taken at once or where the work was interrupted.

use super::claim::Says;
use super::evidence::{Fading, Piece, tally};
use super::freshness::{Heard, STALE};
use super::observation::{ObservationKind, Status};
use crate::time::Time;
use crate::word::words;

/// How much more another value must weigh to take the place of the one that is believed.
const OUTWEIGHS: f64 = 1.2;
/// Independent sources that it takes to give a belief up without a better one.
const AGREEING: u32 = 2;

words! {
    /// Whose word something is.
    Voucher, "voucher":
    /// The agent's own, a tool's, a document's.
    Other = "other",
    /// A principal's.
    Principal = "principal",
    /// The operator's: it outranks evidence.
    Operator = "operator",
}

/// A claim about a question, as it is weighed.
#[derive(Clone, PartialEq, Debug)]
pub struct Voice {
    /// The value it speaks of.
    pub value: String,
    /// What it says of it.
    pub says: Says,
    /// The value that it says is over.
    pub replaces: Option<String>,
    /// Whose word it is.
    pub voucher: Voucher,
    /// What it weighs.
    pub piece: Piece,
}

impl AsRef<Voice> for Voice {
    fn as_ref(&self) -> &Voice {
        self
    }
}

/// What becomes of the belief.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// There was none: this is it.
    Create,
    /// It is what was believed.
    Reinforce,
    /// It takes the place of what was believed.
    Supersede(Because),
    /// It speaks against what is believed, which stays.
    Contend,
    /// What was believed is given up, and nothing takes its place.
    GiveUp,
    /// It belongs to what is believed.
    Note,
    /// It changes nothing.
    Skip,
}

/// Why a belief took the place of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Because {
    /// The operator said so.
    Operator,
    /// Who said so said that it replaces the other.
    Replaced,
    /// It weighs more by now.
    Outweighed,
}

impl Because {
    /// A word of ours, as stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Because::Operator => "operator_stated",
            Because::Replaced => "said_to_replace",
            Because::Outweighed => "outweighed",
        }
    }
}

/// Judges a new claim beside the value that is believed so far. `said` is all that was said of the question so far, the new claim included.
pub fn decide<V: AsRef<Voice>>(
    kind: ObservationKind,
    held: Option<&str>,
    said: &[V],
    new: &Voice,
    now: Time,
) -> Decision {
    match (held, new.says) {
        (None, Says::Holds) => Decision::Create,
        (None, Says::Denies | Says::Touches) => Decision::Skip,
        (Some(_), Says::Touches) => Decision::Note,
        (Some(held), Says::Holds) if held == new.value => Decision::Reinforce,
        (Some(held), Says::Denies) if held != new.value => Decision::Skip,
        (Some(_), Says::Denies) if new.voucher == Voucher::Operator => Decision::GiveUp,
        (Some(_), Says::Denies) => Decision::Contend,
        (Some(held), Says::Holds) => match wins(kind, held, said, new, now) {
            Some(because) => Decision::Supersede(because),
            None => Decision::Contend,
        },
    }
}

fn wins<V: AsRef<Voice>>(
    kind: ObservationKind,
    held: &str,
    said: &[V],
    new: &Voice,
    now: Time,
) -> Option<Because> {
    let replaces = new.replaces.as_deref() == Some(held);
    match new.voucher {
        Voucher::Operator => return Some(Because::Operator),
        Voucher::Principal if replaces => return Some(Because::Replaced),
        _ => {}
    }
    let rival = weight_of(kind, &new.value, said, now);
    (rival > OUTWEIGHS * weight_of(kind, held, said, now)).then_some(Because::Outweighed)
}

/// What speaks for a value, as it weighs at `now`.
pub fn weight_of<V: AsRef<Voice>>(kind: ObservationKind, value: &str, said: &[V], now: Time) -> f64 {
    let holds = said.iter().map(V::as_ref).filter(|voice| voice.says == Says::Holds && voice.value == value);
    tally(holds.map(|voice| &voice.piece), Some(fading(kind, now))).weight
}

/// The value that weighs most at `now`, of equally heavy ones the first by name; none if nothing is said.
pub fn leading<V: AsRef<Voice>>(kind: ObservationKind, said: &[V], now: Time) -> Option<&str> {
    let mut values: Vec<&str> = said
        .iter()
        .map(V::as_ref)
        .filter(|voice| voice.says == Says::Holds)
        .map(|voice| voice.value.as_str())
        .collect();
    values.sort_unstable();
    values.dedup();
    let mut best: Option<(f64, &str)> = None;
    for value in values {
        let weight = weight_of(kind, value, said, now);
        if best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, value));
        }
    }
    best.map(|(_, value)| value)
}

fn fading(kind: ObservationKind, now: Time) -> Fading {
    Fading { now, half_life: kind.cadence() }
}

/// What a belief is after it was looked at again.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Revalidated {
    /// How it stands.
    pub status: Status,
    /// How current it is.
    pub freshness: f64,
    /// When to look again; none: when something new is said.
    pub due_at: Option<Time>,
}

/// Looks at a belief that is due: `support` and `against` are what speaks for and against it.
pub fn revalidate<'p>(
    kind: ObservationKind,
    heard: Heard,
    support: impl IntoIterator<Item = &'p Piece>,
    against: impl IntoIterator<Item = &'p Piece>,
    now: Time,
) -> Revalidated {
    let freshness = heard.freshness(kind, now);
    let support = tally(support, Some(fading(kind, now)));
    let against = tally(against, Some(fading(kind, now)));
    if against.sources >= AGREEING && against.weight > support.weight {
        return Revalidated { status: Status::Invalidated, freshness, due_at: None };
    }
    match freshness < STALE {
        true => Revalidated { status: Status::Stale, freshness, due_at: None },
        false => Revalidated { status: Status::Active, freshness, due_at: Some(heard.stale_at(kind)) },
    }
}
