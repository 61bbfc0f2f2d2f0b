//! The ladder of a deadline: the moments at which it is spoken of.

use crate::time::Time;
use crate::word::words;
use std::time::Duration;

words! {
    /// A moment at which a deadline is spoken of.
    Rung, "rung of a deadline":
    /// A day before.
    Day = "24h",
    /// Four hours before.
    FourHours = "4h",
    /// An hour before.
    Hour = "1h",
    /// Now.
    Due = "due",
    /// A day ago.
    OverdueOne = "overdue_1",
    /// Two days ago.
    OverdueTwo = "overdue_2",
    /// Three days ago.
    OverdueThree = "overdue_3",
}

const HOUR: Duration = Duration::from_secs(3600);

/// The newest rung that is reached and was not told; earlier ones are passed over.
pub fn reached(due_at: Time, told: Option<Rung>, now: Time) -> Option<Rung> {
    let moment = |rung: Rung| match rung {
        Rung::Day => due_at.saturating_sub(24 * HOUR),
        Rung::FourHours => due_at.saturating_sub(4 * HOUR),
        Rung::Hour => due_at.saturating_sub(HOUR),
        Rung::Due => due_at,
        Rung::OverdueOne => due_at.saturating_add(24 * HOUR),
        Rung::OverdueTwo => due_at.saturating_add(48 * HOUR),
        Rung::OverdueThree => due_at.saturating_add(72 * HOUR),
    };
    let newest = Rung::ALL.iter().copied().rfind(|rung| moment(*rung) <= now)?;
    told.is_none_or(|told| told < newest).then_some(newest)
}
