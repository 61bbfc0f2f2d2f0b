//! Every number that recall is tuned with, and how each was chosen.
//!
//! See below.
use super::ask::Mode;
use super::features::Features;
use crate::memory::MemoryKind;

/// What a word counts for that is one, two, three or four texts away in the same sitting.
pub const NEARBY: [f64; 4] = [0.6, 0.4, 0.25, 0.15];

/// A passage reaches so many texts to either side.
pub const PASSAGE_REACH: u32 = 2;

/// What each feature counts for. Only the proportions matter for the order; the size is that of a log-likelihood, which is
/// what [`THEIRS`] is measured in.
pub const FUSION: Features = Features {
    words: 0.0,
    coverage: 1.2,
    nearby: 2.3,
    passage: 2.4,
    sitting: 1.8,
    answers: 1.75,
    person: 1.6,
    own_words: 0.75,
    day: 2.5,
    speaks_of_day: 1.45,
    moment: 1.7,
    statement: 0.6,
};

/// Which share of a question must be covered for an answer to be likely.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Support {
    /// If somebody is named who is known.
    pub person: f64,
    /// If there is a name in it that occurs.
    pub known_name: f64,
    /// If there is no name in it.
    pub otherwise: f64,
    /// If there is a name in it that occurs nowhere.
    pub stranger: f64,
    /// With so many texts half of that suffices: few texts have few words by accident.
    pub few_texts: f64,
    /// How fast confidence rises with support.
    pub steepness: f64,
}

/// See [`Support`].
pub const SUPPORT: Support = Support {
    person: 0.14,
    known_name: 0.5,
    otherwise: 0.58,
    stranger: 0.8,
    few_texts: 100.0,
    steepness: 9.9,
};

/// Which share of the fit must be on what the one who is named said.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Theirs {
    /// The share at which it is as likely as not.
    pub needed: f64,
    /// How fast confidence rises with it.
    pub steepness: f64,
}

/// See [`Theirs`].
pub const THEIRS: Theirs = Theirs { needed: 0.27, steepness: 6.0 };

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
