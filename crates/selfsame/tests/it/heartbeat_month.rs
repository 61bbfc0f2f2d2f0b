//! A month with somebody who answers, ignores, sleeps, travels across zones and through changes of the clock: no reminder is
//! lost, none comes twice, nothing disturbs the night but what must, and whoever ignores hears less but not nothing.

use selfsame::config::Settings;
use selfsame::heartbeat::{Nudge, NudgeKind, NudgeState, Period, Persona};
use selfsame::memory::{Draft, MemoryKind};
use selfsame::scheduler::Scheduler;
use selfsame::time::civil::Date;
use selfsame::time::{Clock as _, Time, Zone};
use selfsame::{Access, Mind, Speaker, jobs};
use selfsame_testkit::Bench;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);
const MAYA: &str = "maya";

fn at(text: &str) -> Time {
    Time::parse(text).unwrap()
}

/// Days, by the number of days since the beginning, and what changes then.
const TRAVELS: [(u32, &str); 3] = [(0, "Europe/Berlin"), (9, "America/New_York"), (17, "Asia/Tokyo")];
const IGNORES: std::ops::Range<u32> = 10..20;

struct Month<'m> {
    bench: &'m Bench,
    mind: &'m Mind,
    scheduler: Scheduler,
    began: Time,
    zone: Zone,
    /// When she will answer what.
    answers: BTreeMap<Time, selfsame::id::NudgeId>,
}

impl<'m> Month<'m> {
    fn hers(&self) -> Access<'m> {
        let access = self.mind.access("main", Speaker::Operator).unwrap();
        let maya = self.mind.principal_called(access.agent(), MAYA).unwrap().id;
        self.mind.access("main", Speaker::Principal(maya)).unwrap()
    }

    fn day(&self) -> u32 {
        (self.bench.clock().now().since(self.began).as_secs() / DAY.as_secs()) as u32
    }

    fn is_awake(&self) -> bool {
        let hour = self.zone.local(self.bench.clock().now()).hour();
        (7..23).contains(&hour)
    }

    /// Goes to another zone, if it is the day.
    fn travel(&mut self) {
        let (_, zone) = TRAVELS.iter().rev().find(|(day, _)| *day <= self.day()).unwrap();
        if self.zone.name() != *zone {
            let operator = self.mind.access("main", Speaker::Operator).unwrap();
            operator.principal_set(MAYA, None, Some(zone), None).unwrap();
            self.zone = Zone::parse(zone).unwrap();
        }
    }

    /// Reads the list while awake, and answers what she will answer when its time comes.
    fn live(&mut self) {
        let now = self.bench.clock().now();
        let hers = self.hers();
        if self.is_awake()
            && hers
                .nudges(None, false, None, 100)
                .unwrap()
                .nudges
                .iter()
                .any(|card| card.nudge.delivered_at.is_none())
        {
            let persona = if IGNORES.contains(&self.day()) { Persona::Ignores } else { Persona::Answers };
            for card in hers.fetch_nudges(None, 100).unwrap().nudges {
                let fresh = card.nudge.delivered_at.is_some_and(|delivered| delivered >= now);
                if let Some(after) = persona.answers_after(card.nudge.id.id()).filter(|_| fresh) {
                    self.answers.insert(now.saturating_add(after), card.nudge.id);
                }
            }
        }
        while let Some(entry) = self.answers.first_entry().filter(|entry| *entry.key() <= now) {
            let id = entry.remove();
            if hers.nudge(id).unwrap().nudge.state == NudgeState::Delivered {
                hers.nudge_answer(id, None, None).unwrap();
            }
        }
    }

    fn go_on_until(&mut self, end: Time) {
        loop {
            self.travel();
            let step = self.scheduler.step(self.mind).unwrap();
            assert_eq!(step.beats.failures, 0);
            self.live();
            let now = self.bench.clock().now();
            let next = [step.wake_at, self.answers.keys().next().copied()].into_iter().flatten().min();
            let next = next.unwrap_or(end).max(now.saturating_add(Duration::from_secs(1)));
            if next >= end {
                self.bench.clock().set(end);
                return;
            }
            self.bench.clock().set(next);
        }
    }
}

fn remember(access: &Access, content: &str, change: impl FnOnce(&mut Draft)) {
    let mut draft = Draft::new(content);
    change(&mut draft);
    access.remember(draft, None).unwrap();
}

fn furnish(access: &Access, began: Time) {
    for fact in ["I live with a cat", "I play chess", "my tea is green", "the bike is blue", "the shed leaks"]
    {
        remember(access, fact, |_| {});
    }
    remember(access, "The choir meets at 6 pm", |_| {});
    remember(access, "The choir meets at 7 pm", |_| {});
    remember(access, "take the pill", |draft| draft.tags = vec!["cron:daily:09:00".into()]);
    remember(access, "weekly report", |draft| draft.tags = vec!["cron:weekly:FRI:16:00".into()]);
    remember(access, "renew the passport", |draft| {
        draft.tags = vec!["cron:once:2027-03-25T12:00:00Z".into()];
    });
    // Its last hour falls into her night.
    remember(access, "submit the form", |draft| {
        draft.kind = MemoryKind::Plan;
        draft.expires_at = Some(at("2027-03-16T03:30:00Z"));
    });
    for number in 0..4 {
        remember(access, &format!("check on pot {number}"), |draft| draft.tags = vec!["monitor:3h".into()]);
        remember(access, &format!("repaint wall {number}"), |draft| {
            draft.kind = MemoryKind::Plan;
            draft.expires_at = Some(began.saturating_add(60 * DAY));
        });
        remember(access, &format!("which colour for wall {number}?"), |draft| {
            draft.kind = MemoryKind::Question;
        });
    }
}

fn all(access: &Access) -> Vec<Nudge> {
    let mut all: Vec<Nudge> = Vec::new();
    loop {
        let page = access.nudges(None, true, all.last().map(|nudge| nudge.id), 200).unwrap().nudges;
        if page.is_empty() {
            all.reverse();
            return all;
        }
        all.extend(page.into_iter().map(|card| card.nudge));
    }
}

/// Where she was at a moment.
fn zone_at(began: Time, moment: Time) -> Zone {
    let day = (moment.since(began).as_secs() / DAY.as_secs()) as u32;
    let (_, zone) = TRAVELS.iter().rev().find(|(since, _)| *since <= day).unwrap();
    Zone::parse(zone).unwrap()
}

#[test]
fn a_month_of_somebody_who_answers_ignores_sleeps_and_travels() {
    let bench = Bench::sqlite();
    // Two changes of the clock: New York's on the 14th, Berlin's on the 28th.
    let began = at("2027-03-05T06:00:00Z");
    bench.clock().set(began);
    let mut settings = Settings::default();
    // A quarter as many ticks: a month in a test.
    settings.heartbeat.rules.pace.base = 20 * MINUTE;
    let mind = bench.open_settings(settings);
    mind.ensure_agent("main").unwrap();
    mind.ensure_house_duties().unwrap();
    let operator = mind.access("main", Speaker::Operator).unwrap();
    operator.principal_add(MAYA, Some(TRAVELS[0].1), None).unwrap();
    let scheduler = jobs::scheduler(mind.settings());
    let zone = Zone::parse(TRAVELS[0].1).unwrap();
    let mut month = Month { bench: &bench, mind: &mind, scheduler, began, zone, answers: BTreeMap::new() };
    let hers = month.hers();
    furnish(&hers, began);
    let end = began.saturating_add(30 * DAY);
    month.go_on_until(end);

    let nudges = all(&hers);
    let pills: Vec<&Nudge> = nudges.iter().filter(|nudge| nudge.what.contains("take the pill")).collect();
    let mut mornings: BTreeMap<(String, Date), u32> = BTreeMap::new();
    for pill in &pills {
        let zone = zone_at(began, pill.created_at);
        let local = zone.local(pill.created_at);
        *mornings.entry((zone.name().to_owned(), local.date())).or_default() += 1;
        // In Tokyo it was nine already when she came there: she is told on arrival, and not a day later.
        let arrived = zone.name() == "Asia/Tokyo"
            && mornings.keys().filter(|(name, _)| name == "Asia/Tokyo").count() == 1;
        assert!(arrived || (local.hour(), local.minute()) == (9, 0), "{local} in {}", zone.name());
        assert!(pill.delivered_at.is_some(), "none is lost: {local}");
    }
    assert!(mornings.values().all(|count| *count == 1), "none comes twice: {mornings:?}");
    let gaps = pills.windows(2).map(|pair| pair[1].created_at.since(pair[0].created_at));
    assert!(gaps.max().unwrap() < 31 * HOUR, "no day is left out, however she travels");
    assert_eq!(mornings.keys().map(|(_, day)| *day).collect::<BTreeSet<_>>().len(), 31);
    let once: Vec<&Nudge> = nudges.iter().filter(|nudge| nudge.what.contains("renew the passport")).collect();
    assert_eq!(once.len(), 1);
    assert!(once[0].delivered_at.is_some());
    let reports = nudges.iter().filter(|nudge| nudge.what.contains("weekly report")).count();
    assert!((4..=5).contains(&reports), "{reports}");

    let rules = |zone: Zone| selfsame_core::heartbeat::Rules::standard(zone);
    let in_the_night: Vec<&Nudge> = nudges
        .iter()
        .filter(|nudge| rules(zone_at(began, nudge.created_at)).period(nudge.created_at) == Period::Quiet)
        .collect();
    assert!(
        in_the_night
            .iter()
            .all(|nudge| nudge.kind == NudgeKind::Deadline && nudge.what.contains("submit the form")),
        "{in_the_night:?}"
    );
    assert_eq!(in_the_night.len(), 1, "the last hour before the form is due: {in_the_night:?}");

    let mut by_day: BTreeMap<u32, usize> = BTreeMap::new();
    for nudge in nudges.iter().filter(|nudge| nudge.kind == NudgeKind::Suggestion) {
        *by_day.entry((nudge.created_at.since(began).as_secs() / DAY.as_secs()) as u32).or_default() += 1;
    }
    println!("suggestions a day: {by_day:?}; reminders: {}", pills.len() + reports + 1);
    let mean = |days: std::ops::Range<u32>| {
        let len = days.len();
        days.map(|day| by_day.get(&day).copied().unwrap_or(0)).sum::<usize>() as f64 / len as f64
    };
    let (answering, ignoring) = (mean(2..10), mean(14..20));
    assert!(answering > 2.0 * ignoring, "fewer: {answering} and {ignoring}: {by_day:?}");
    assert!(ignoring > 0.3, "never none: {by_day:?}");
    assert!(mean(25..30) > ignoring, "and more again: {by_day:?}");
    assert_eq!(mind.verify().unwrap().problems, [""; 0]);
}
