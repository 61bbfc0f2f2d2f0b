//! How somebody has felt lately.

use crate::word::words;

/// Memories that are looked at, at most.
pub const LAST: usize = 20;
/// With fewer there is no trend to speak of: two on each side.
const LEAST: usize = 4;
/// What is felt is counted in thousandths of a scale from -1 to 1: whole numbers, so that a limit is a limit.
const WHOLE: f64 = 1000.0;
/// Halves that differ by more than this are a trend.
const SHIFT: i64 = 300;
/// A later half as far out as this is an extreme.
const EXTREME: i64 = 800;
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
    let (later, of_later) = sum(later);
    let (earlier, of_earlier) = sum(earlier);
    // Means without dividing: both sides are multiplied by how many there are.
    let shift = later * of_earlier - earlier * of_later;
    match SHIFT * of_later * of_earlier {
        least if shift < -least => Some(Mood::Falling),
        least if shift > least => Some(Mood::Rising),
        _ if later <= -EXTREME * of_later => Some(Mood::Low),
        _ if later >= EXTREME * of_later => Some(Mood::High),
        _ => None,
    }
}

/// The sum in thousandths, and of how many.
fn sum(valences: &[f64]) -> (i64, i64) {
    let thousandths = |valence: &f64| (valence / SCALE * WHOLE).round() as i64;
    (valences.iter().map(thousandths).sum(), valences.len() as i64)
}
