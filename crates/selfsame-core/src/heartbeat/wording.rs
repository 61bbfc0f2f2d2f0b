//! Small words that traces, reasons and nudges share.

use super::decision::Seen;
use super::rules::Period;
use super::signal::{MAX_COUNTED, Sighting};
use crate::local::show_day;
use crate::time::{Time, Zone, show_duration};
use std::time::Duration;

/// The time of day as the principal's clock shows it, with the day if that is another: `09:00`, `tomorrow at 09:00`,
/// `2026-12-24 at 09:00`.
pub(super) fn clock(zone: &Zone, at: Time, now: Time) -> String {
    match day(zone, at, now) {
        Some(day) => format!("{day} at {}", wall(zone, at)),
        None => wall(zone, at),
    }
}

/// The same, for where a day without a word would be missed: `today at 09:00`.
pub(super) fn day_and_clock(zone: &Zone, at: Time, now: Time) -> String {
    format!("{} at {}", day(zone, at, now).unwrap_or_else(|| "today".to_owned()), wall(zone, at))
}

fn wall(zone: &Zone, at: Time) -> String {
    let local = zone.local(at);
    format!("{:02}:{:02}", local.hour(), local.minute())
}

/// The day, unless it is today.
fn day(zone: &Zone, at: Time, now: Time) -> Option<String> {
    let (date, today) = (zone.date(at), zone.date(now));
    match date {
        _ if date == today => None,
        _ if today.tomorrow().is_ok_and(|tomorrow| date == tomorrow) => Some("tomorrow".to_owned()),
        _ if today.yesterday().is_ok_and(|yesterday| date == yesterday) => Some("yesterday".to_owned()),
        _ => Some(show_day(date)),
    }
}

/// A span without its crumbs: whole minutes from an hour on, whole seconds from a second on.
pub(super) fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0 => show_duration(Duration::from_millis(span.as_millis() as u64)),
        1..3600 => show_duration(Duration::from_secs(seconds)),
        _ => show_duration(Duration::from_secs(seconds / 60 * 60)),
    }
}

/// `in the evening`.
pub(super) const fn in_period(period: Period) -> &'static str {
    match period {
        Period::Quiet => "in quiet hours",
        Period::Morning => "in the morning",
        Period::Working => "in working hours",
        Period::Evening => "in the evening",
        Period::LateNight => "late at night",
    }
}

/// `1 deadline`, `3 deadlines`.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// How many of one signal: `3`, and `100+` where no more are counted.
pub(super) fn many(count: usize) -> String {
    if count < MAX_COUNTED { count.to_string() } else { format!("{count}+") }
}

/// The names, each once: `deadline, pending_work`.
pub(super) fn names<'a>(sightings: impl IntoIterator<Item = &'a Sighting>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for sighting in sightings {
        if !names.contains(&sighting.signal.name.as_str()) {
            names.push(&sighting.signal.name);
        }
    }
    names.join(", ")
}

/// As a trace keeps them: each signal once, with all of its findings.
pub(super) fn seen<'a>(sightings: impl IntoIterator<Item = &'a Sighting>) -> Vec<Seen> {
    let mut seen: Vec<Seen> = Vec::new();
    for sighting in sightings {
        match seen.iter_mut().find(|one| one.signal == sighting.signal.name) {
            Some(one) => one.count += sighting.count,
            None => seen.push(Seen { signal: sighting.signal.name.clone(), count: sighting.count }),
        }
    }
    seen
}
