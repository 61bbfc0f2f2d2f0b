//! What a signal's text may name: whom, and the moments that code has worked out. SQL knows no clock and no calendar.

use crate::error::{Result, StoreError};
use crate::value::Value;
use selfsame_core::heartbeat::Scans;
use selfsame_core::heartbeat::habit::Day;
use selfsame_core::heartbeat::signal::MAX_COUNTED;
use selfsame_core::id::PrincipalId;
use selfsame_core::time::{Time, Zone};
use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Moments before now, by their names.
const AGO: [(&str, u64); 9] = [
    ("now", 0),
    ("quarter_hour_ago", 15 * MINUTE),
    ("hour_ago", HOUR),
    ("half_day_ago", 12 * HOUR),
    ("day_ago", DAY),
    ("week_ago", 7 * DAY),
    ("days_14_ago", 14 * DAY),
    ("days_30_ago", 30 * DAY),
    ("days_60_ago", 60 * DAY),
];
/// Moments after now.
const AHEAD: [(&str, u64); 4] =
    [("in_1_hour", HOUR), ("in_24_hours", DAY), ("in_7_days", 7 * DAY), ("in_14_days", 14 * DAY)];
/// What is no fixed time before or after now. `agent` is bound by the waist.
const OTHERS: [&str; 17] = [
    "agent",
    "principal",
    "operator",
    "since",
    "weekday",
    "most",
    "told_after",
    "velocity",
    "continuity_from",
    "continuity_until",
    "pending_touched",
    "pending_due",
    "stalled_since",
    "at_risk_until",
    "asked_before",
    "silent_since",
    "silent_due",
];

/// The moments and days that scans compare with, for one principal and one tick.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The moment of the tick.
    pub now: Time,
    /// Since when memories are new: the last act, or as far back as is looked if that is later.
    pub since: Time,
    /// The principal's day of the week, from 1 for Monday.
    pub weekday: i64,
    /// Whose the agent's own rows are.
    pub operator: PrincipalId,
    /// By what signals are found.
    pub scans: Scans,
    /// What was told after this is left out; nothing is, unless [`Bounds::without_told_after`] says so.
    told_after: Time,
}

impl Bounds {
    /// At a moment, for a principal in that zone, after the last act.
    pub fn at(now: Time, zone: &Zone, acted_at: Option<Time>, operator: PrincipalId, scans: Scans) -> Bounds {
        let earliest = now.saturating_sub(scans.windows.velocity_within);
        let since = acted_at.map_or(earliest, |acted_at| acted_at.max(earliest));
        Bounds { now, since, weekday: Day::of(zone, now).weekday, operator, scans, told_after: Time::MAX }
    }

    /// The same, for what was not told after a moment.
    pub fn without_told_after(&self, told_after: Time) -> Bounds {
        Bounds { told_after, ..self.clone() }
    }

    /// Every name that a text may use.
    pub fn names() -> impl Iterator<Item = &'static str> {
        OTHERS.into_iter().chain(AGO.into_iter().chain(AHEAD).map(|(name, _)| name))
    }

    /// The values of parameters, in their order.
    pub(super) fn bind(&self, principal: PrincipalId, params: &[String]) -> Result<Vec<Value>> {
        let value = |name: &String| {
            self.value(principal, name)
                .ok_or_else(|| StoreError::Failed(format!("a signal has no parameter :{name}")))
        };
        params.iter().map(value).collect()
    }

    fn value(&self, principal: PrincipalId, name: &str) -> Option<Value> {
        let of = |list: &[(&str, u64)]| {
            list.iter().find(|(known, _)| *known == name).map(|(_, seconds)| Duration::from_secs(*seconds))
        };
        let windows = &self.scans.windows;
        let before = |span| Value::from(self.now.saturating_sub(span));
        let after = |span| Value::from(self.now.saturating_add(span));
        Some(match name {
            "velocity" => i64::from(self.scans.velocity).into(),
            "continuity_from" => before(windows.continuity_within),
            "continuity_until" => before(windows.continuity_after),
            "pending_touched" => before(windows.pending_touched),
            "pending_due" => after(windows.pending_due),
            "stalled_since" => before(windows.stalled_after),
            "at_risk_until" => after(windows.at_risk_within),
            "asked_before" => before(windows.question_after),
            "silent_since" => before(windows.silent_after),
            "silent_due" => after(windows.silent_due),
            "principal" => principal.id().into(),
            "operator" => self.operator.id().into(),
            "since" => self.since.into(),
            "weekday" => self.weekday.into(),
            "most" => (MAX_COUNTED as i64).into(),
            "told_after" => self.told_after.into(),
            _ => match of(&AGO) {
                Some(ago) => before(ago),
                None => after(of(&AHEAD)?),
            },
        })
    }
}
