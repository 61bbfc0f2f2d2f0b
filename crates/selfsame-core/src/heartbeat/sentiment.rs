//! How somebody has felt lately.

use crate::word::words;

/// Memories that are looked at, at most.
pub const LAST: usize = 20;
/// With fewer there is no trend to speak of: two on each side.
const LEAST: usize = 4;
/// Halves that differ by more than this are a trend, on a scale from -1 to 1.
const SHIFT: f64 = 0.3;
/// A later half as far out as this is an extreme.
const EXTREME: f64 = 0.8;
/// Memories feel from -2 to 2.
const SCALE: f64 = 2.0;

words! {
    /// How somebody has felt lately.
    Mood, "mood":
    /// Worse than before.
    Falling = "falling",
    /// Better than before.
    Rising = "rising",
    /// Bad all along.
    Low = "low",
    /// Good all along.
    High = "high",
}

impl Mood {
    /// Whether it is one that somebody recovers from.
    pub const fn is_bad(self) -> bool {
        matches!(self, Mood::Falling | Mood::Low)
    }
}

/// What the last scored memories say, the newest first, each from -2 to 2. Nothing, if nothing stands out.
pub fn mood(valences: &[f64]) -> Option<Mood> {
    let last = &valences[..valences.len().min(LAST)];
    if last.len() < LEAST {
        return None;
    }
    let (later, earlier) = last.split_at(last.len() / 2);
    let (later, earlier) = (mean(later), mean(earlier));
    match later - earlier {
        shift if shift < -SHIFT => Some(Mood::Falling),
        shift if shift > SHIFT => Some(Mood::Rising),
        _ if later <= -EXTREME => Some(Mood::Low),
        _ if later >= EXTREME => Some(Mood::High),
        _ => None,
    }
}

fn mean(valences: &[f64]) -> f64 {
    valences.iter().sum::<f64>() / SCALE / valences.len() as f64
}
