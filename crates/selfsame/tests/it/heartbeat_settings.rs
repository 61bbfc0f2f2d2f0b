//! What is set for the heartbeat is what happens.

use crate::remember::remember;
use selfsame::config::HeartbeatSettings;
use selfsame::heartbeat::Tick;
use selfsame::memory::Draft;
use selfsame::time::Time;
use selfsame::{Access, Mind, Settings, Speaker};
use selfsame_testkit::{Bench, both_engines};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

fn at(text: &str) -> Time {
    Time::parse(text).unwrap()
}

/// A mind with settings of its own whose agent knows its operator, on a Monday morning.
fn mind_with(bench: &Bench, change: impl FnOnce(&mut HeartbeatSettings)) -> Mind {
    bench.clock().set(at("2027-03-01T06:00:00Z"));
    let mut settings = Settings::default();
    change(&mut settings.heartbeat);
    let mind = bench.open_settings(settings);
    mind.ensure_agent("main").unwrap();
    for fact in
        ["the fox is red", "the moon is round", "bread needs salt", "rivers run downhill", "glass is brittle"]
    {
        remember(&operator(&mind), fact);
    }
    bench.clock().set(at("2027-03-08T08:00:00Z"));
    mind
}

fn operator(mind: &Mind) -> Access<'_> {
    mind.access("main", Speaker::Operator).unwrap()
}

fn tick(mind: &Mind) -> Tick {
    operator(mind).heartbeat_tick(None).unwrap()
}

fn tagged(mind: &Mind, content: &str, tag: &str) {
    operator(mind).remember(Draft { tags: vec![tag.into()], ..Draft::new(content) }, None).unwrap();
}

both_engines! {
    fn grace_says_when_a_reminder_is_late(bench: Bench) {
        let mind = mind_with(&bench, |set| set.grace = 30 * MINUTE);
        for (hour, minutes, outcome) in [("09", 29, "delivered"), ("10", 31, "late")] {
            let due = format!("2027-03-08T{hour}:00:00Z");
            tagged(&mind, &format!("call at {hour}"), &format!("cron:once:{due}"));
            bench.clock().set(at(&due).saturating_add(minutes * MINUTE));
            assert!(tick(&mind).nudge.is_some());
            operator(&mind).fetch_nudges(None, 10).unwrap();
            let outcomes = bench.owner().texts("SELECT last_outcome FROM schedules ORDER BY created_at DESC");
            assert_eq!(outcomes[0], outcome, "after {minutes} minutes");
        }
    }

    fn grace_says_when_a_muted_reminder_is_missed(bench: Bench) {
        let mind = mind_with(&bench, |set| set.grace = 30 * MINUTE);
        tagged(&mind, "call the dentist", "cron:once:2027-03-08T09:00:00Z");
        operator(&mind).heartbeat_mute(None, true, None).unwrap();
        let ended = || bench.owner().texts("SELECT COALESCE(ended_how, 'not yet') FROM schedules");
        for (moment, how) in [("2027-03-08T09:29:00Z", "not yet"), ("2027-03-08T09:31:00Z", "missed_muted")] {
            bench.clock().set(at(moment));
            tick(&mind);
            assert_eq!(ended(), [how], "at {moment}");
        }
    }
}
