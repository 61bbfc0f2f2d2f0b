//! Every number that recall is tuned with, and how each was chosen.
//!
//! FILLED IN BELOW
use super::ask::Mode;
use super::bm25::Weights;
use super::features::Features;
use crate::memory::MemoryKind;

/// BM25's numbers. Turns and facts are short and their length says little.
pub const BM25: Weights = Weights { k1: 0.9, b: 0.4 };

/// What a word counts for that is one, two, three or four texts away in the same sitting.
pub const NEARBY: [f64; 4] = [0.6, 0.4, 0.25, 0.15];

/// A passage reaches so many texts to either side.
pub const PASSAGE_REACH: u32 = 2;

/// What each feature counts for.
pub const FUSION: Features = Features {
    words: 0.0,
    coverage: 0.12,
    nearby: 0.3,
    passage: 0.1,
    sitting: 0.1,
    answers: 0.06,
    person: 0.08,
    own_words: 0.04,
    day: 0.1,
    speaks_of_day: 0.05,
    moment: 0.03,
    statement: 0.02,
};

/// What a mode leans to, beside the fit: how much a candidate can gain by each.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Leaning {
    /// By not having faded.
    pub retention: f64,
    /// By its importance.
    pub importance: f64,
    /// By who said it.
    pub trust: f64,
    /// By being new.
    pub recency: f64,
    /// After so many days that gain is half.
    pub half_life_days: f64,
    /// By being of a type that the mode is about.
    pub kind: f64,
    /// These types.
    pub kinds: &'static [MemoryKind],
}

/// A little of everything: enough to decide between two that fit alike, too little to lift what fits badly.
const BALANCED: Leaning = Leaning {
    retention: 0.05,
    importance: 0.05,
    trust: 0.05,
    recency: 0.02,
    half_life_days: 30.0,
    kind: 0.0,
    kinds: &[],
};

impl Leaning {
    /// Of a mode.
    pub const fn of(mode: Mode) -> Leaning {
        match mode {
            Mode::Balanced | Mode::Timeline => BALANCED,
            Mode::Recent => Leaning { recency: 0.6, half_life_days: 14.0, ..BALANCED },
            Mode::Important => Leaning { importance: 0.6, ..BALANCED },
            Mode::Historical => Leaning { retention: 0.0, recency: 0.0, ..BALANCED },
            Mode::Preferences => Leaning { kind: 0.5, kinds: &[MemoryKind::Preference], ..BALANCED },
            Mode::Identity => {
                Leaning { kind: 0.5, kinds: &[MemoryKind::Identity, MemoryKind::Relationship], ..BALANCED }
            }
        }
    }
}
