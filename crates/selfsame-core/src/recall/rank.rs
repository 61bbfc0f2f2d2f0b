//! The stage after fusing: of what fits about equally well, which answer the mode prefers.
//!
//! How well something fits is multiplied by a factor near 1. The factor is bounded ([`highest`]), so whoever reads
//! candidates in the order of their fit knows when nothing better can come.

use super::ask::Mode;
use super::weights::Leaning;
use crate::memory::MemoryKind;

/// What is known about a candidate beside how well it fits. Each from 0 to 1 but the age.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Regard {
    /// How much of it is left. What was said in a conversation does not fade.
    pub retention: f64,
    /// How much it matters.
    pub importance: f64,
    /// How far it is believed.
    pub trust: f64,
    /// Its age in days.
    pub days: f64,
    /// What sort of fact; a message is none.
    pub kind: Option<MemoryKind>,
}

/// What the fit is multiplied with.
pub fn factor(mode: Mode, regard: &Regard) -> f64 {
    let leaning = Leaning::of(mode);
    let of_kind = regard.kind.is_some_and(|kind| leaning.kinds.contains(&kind));
    let kind = if of_kind { leaning.kind } else { 0.0 };
    1.0 + leaning.retention * regard.retention.clamp(0.0, 1.0)
        + leaning.importance * regard.importance.clamp(0.0, 1.0)
        + leaning.trust * regard.trust.clamp(0.0, 1.0)
        + leaning.recency * recency(regard.days, leaning.half_life_days)
        + kind
}

/// The most that [`factor`] can give.
pub fn highest(mode: Mode) -> f64 {
    let leaning = Leaning::of(mode);
    1.0 + leaning.retention + leaning.importance + leaning.trust + leaning.recency + leaning.kind
}

/// From 1 for what is new to 0 for what is old.
fn recency(days: f64, half_life: f64) -> f64 {
    libm::exp2(-days.max(0.0) / half_life)
}
