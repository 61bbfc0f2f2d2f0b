//! What is set for the heartbeat is what happens.

use crate::conversation::say;
use crate::entity::add;
use crate::remember::remember;
use selfsame::config::{HeartbeatSettings, Settings};
use selfsame::heartbeat::Tick;
use selfsame::memory::{Draft, MemoryKind};
use selfsame::time::Time;
use selfsame::{Access, Mind, Speaker};
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

fn plan(access: &Access, content: &str, expires_at: Option<Time>) {
    let draft = Draft { kind: MemoryKind::Plan, expires_at, ..Draft::new(content) };
    access.remember(draft, None).unwrap();
}

/// What is found at a moment, as `signal: status`.
fn seen(access: &Access, moment: Time) -> Vec<String> {
    let tick = access.heartbeat_peek(None, Some(moment)).unwrap();
    let shown = |name: &str, status: &str| format!("{name}: {status}");
    let each = tick
        .sightings
        .iter()
        .flat_map(|one| one.listed.iter().map(move |finding| shown(&one.signal.name, &finding.status)));
    each.collect()
}

/// Whether a setting makes the difference: with it, something is found that is not found without it.
struct Difference {
    setting: &'static str,
    change: fn(&mut HeartbeatSettings),
    prepare: fn(&Access),
    /// After so long.
    later: Duration,
    found: &'static str,
}

fn differences() -> [Difference; 11] {
    [
        Difference {
            setting: "continuity_after",
            change: |set| set.windows.continuity_after = 5 * MINUTE,
            prepare: |access| {
                say(access, "terminal", "and then there is the matter of");
            },
            later: 10 * MINUTE,
            found: "continuity: unanswered",
        },
        Difference {
            setting: "continuity_within",
            change: |set| set.windows.continuity_within = DAY,
            prepare: |access| {
                say(access, "terminal", "and then there is the matter of");
            },
            later: 13 * HOUR,
            found: "continuity: unanswered",
        },
        Difference {
            setting: "velocity",
            change: |set| set.rules.velocity = 2,
            prepare: |access| {
                remember(access, "the tram is late");
                remember(access, "the bus is early");
            },
            later: HOUR,
            found: "memory_velocity: some",
        },
        Difference {
            setting: "velocity_within",
            change: |set| set.windows.velocity_within = 2 * DAY,
            prepare: |access| {
                for fact in ["one is odd", "two is even", "six is even", "nine is odd", "ten is even"] {
                    remember(access, fact);
                }
            },
            later: 30 * HOUR,
            found: "memory_velocity: 5",
        },
        Difference {
            setting: "pending_touched",
            change: |set| set.windows.pending_touched = 9 * DAY,
            prepare: |access| plan(access, "sort the attic", None),
            later: 8 * DAY,
            found: "pending_work: open",
        },
        Difference {
            setting: "pending_due",
            change: |set| set.windows.pending_due = 30 * DAY,
            prepare: |access| plan(access, "sort the attic", Some(at("2027-03-30T08:00:00Z"))),
            later: HOUR,
            found: "pending_work: due",
        },
        Difference {
            setting: "stalled_after",
            change: |set| set.windows.stalled_after = 2 * DAY,
            prepare: |access| plan(access, "sort the attic", None),
            later: 3 * DAY,
            found: "goal_progress: stalled",
        },
        Difference {
            setting: "at_risk_within",
            change: |set| set.windows.at_risk_within = 30 * DAY,
            prepare: |access| plan(access, "sort the attic", Some(at("2027-04-01T08:00:00Z"))),
            later: 8 * DAY,
            found: "goal_progress: at_risk",
        },
        Difference {
            setting: "question_after",
            change: |set| set.windows.question_after = 10 * MINUTE,
            prepare: |access| {
                let draft = Draft { kind: MemoryKind::Question, ..Draft::new("where is the key?") };
                access.remember(draft, None).unwrap();
            },
            later: 30 * MINUTE,
            found: "knowledge_gap: unanswered",
        },
        Difference {
            setting: "silent_after",
            change: |set| set.windows.silent_after = 2 * DAY,
            prepare: |access| {
                add(access, "Ines", &[]);
                plan(access, "build a boat with Ines", None);
            },
            later: 3 * DAY,
            found: "relationship: 7",
        },
        Difference {
            setting: "silent_due",
            change: |set| set.windows.silent_due = 30 * DAY,
            prepare: |access| {
                add(access, "Ines", &[]);
                let due = Some(at("2027-04-01T08:00:00Z"));
                let draft = Draft { expires_at: due, ..Draft::new("the visa of Ines ends") };
                access.remember(draft, None).unwrap();
            },
            later: 8 * DAY,
            found: "relationship: 7",
        },
    ]
}

both_engines! {
    fn each_window_of_a_signal_is_as_it_is_set(bench: Bench) {
        bench.clock().set(at("2027-03-08T08:00:00Z"));
        // Each with an agent of its own.
        for (one, name) in differences().iter().zip('a'..) {
            let name = name.to_string();
            let seen_with = |change: fn(&mut HeartbeatSettings), prepare: fn(&Access), later| {
                let mut settings = Settings::default();
                change(&mut settings.heartbeat);
                let mind = bench.open_settings(settings);
                mind.ensure_agent(&name).unwrap();
                let access = mind.access(&name, Speaker::Operator).unwrap();
                prepare(&access);
                seen(&access, bench.mind_time().saturating_add(later))
            };
            let found = one.found.to_owned();
            let without = seen_with(|_| {}, one.prepare, one.later);
            assert!(!without.contains(&found), "without {}: {without:?}", one.setting);
            let with = seen_with(one.change, |_| {}, one.later);
            assert!(with.contains(&found), "with {}: {with:?}", one.setting);
        }
    }

    fn the_rungs_of_a_deadline_are_as_they_are_set(bench: Bench) {
        let mind = mind_with(&bench, |set| {
            set.ladder.before = [6 * HOUR, 2 * HOUR, 30 * MINUTE];
            set.ladder.overdue_every = HOUR;
        });
        plan(&operator(&mind), "file the tax return", Some(at("2027-03-08T18:00:00Z")));
        let mut told = Vec::new();
        while bench.owner().texts("SELECT memory_type FROM memory_items WHERE id IN (SELECT memory_id FROM deadlines WHERE ended_at IS NULL)") == ["plan"] {
            let tick = tick(&mind);
            let rung = tick.sightings.iter().find(|one| one.signal.name == "deadline");
            if let Some(rung) = rung.filter(|_| tick.decision.verdict.is_act()) {
                told.push(format!("{} at {}", rung.listed[0].status, &tick.at.to_string()[11..16]));
            }
            bench.clock().set(tick.next.at);
        }
        let expected = ["6h at 12:00", "2h at 16:00", "30m at 17:30", "due at 18:00", "overdue_1h at 19:00",
            "overdue_2h at 20:00", "overdue_3h at 21:00"];
        assert_eq!(told, expected);
        assert_eq!(bench.owner().texts("SELECT outcome FROM deadlines"), ["missed"]);
    }

    fn a_deadline_that_is_stored_waits_for_the_next_rung_of_the_ladder_that_is_set(bench: Bench) {
        let mind = mind_with(&bench, |_| {});
        plan(&operator(&mind), "file the tax return", Some(at("2027-03-10T18:00:00Z")));
        drop(mind);
        let mut settings = Settings::default();
        settings.heartbeat.ladder.before[0] = 8 * HOUR;
        let mind = bench.open_settings(settings);
        bench.clock().set(at("2027-03-09T18:00:00Z"));
        let silent = tick(&mind);
        assert!(silent.sightings.iter().all(|one| one.signal.name != "deadline"), "{:?}", silent.sightings);
        bench.clock().set(at("2027-03-10T09:59:00Z"));
        assert_eq!(tick(&mind).next.at, at("2027-03-10T10:00:00Z"), "it is looked at again at the rung that is set");
        bench.clock().set(at("2027-03-10T10:00:00Z"));
        assert!(tick(&mind).nudge.is_some());
    }

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
