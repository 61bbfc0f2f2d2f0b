//! The heart beats: what is due reaches somebody once, what is not worth a word is silent with a receipt, and nothing is
//! lost on the way. Everything is built by ordinary operations under a manual clock.

use crate::conversation::say;
use crate::remember::remember;
use selfsame::heartbeat::{Autonomy, NudgeKind, NudgeState, Period, StepName, Tick, WishesChange};
use selfsame::memory::{Draft, MemoryKind};
use selfsame::scheduler::Step;
use selfsame::status::HeartCounts;
use selfsame::time::Time;
use selfsame::{Access, Class, Engine, Speaker, jobs};
use selfsame_testkit::{Bench, Meanings, both_engines};
use std::sync::Arc;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

pub fn at(text: &str) -> Time {
    Time::parse(text).unwrap()
}

/// The operator of an agent that is known well enough not to introduce itself, on a Monday morning.
pub fn acquainted(bench: &Bench) -> Access<'_> {
    bench.clock().set(at("2027-03-01T06:00:00Z"));
    let access = bench.main();
    for fact in
        ["the fox is red", "the moon is round", "bread needs salt", "rivers run downhill", "glass is brittle"]
    {
        remember(&access, fact);
    }
    // Nothing of it is new any more.
    bench.clock().set(at("2027-03-08T08:00:00Z"));
    access
}

pub fn with_tag(access: &Access, content: &str, tag: &str) {
    let mut draft = Draft::new(content);
    draft.tags = vec![tag.into()];
    access.remember(draft, None).unwrap();
}

fn due(access: &Access, content: &str, expires_at: Time) {
    let mut draft = Draft::new(content);
    draft.kind = MemoryKind::Plan;
    draft.expires_at = Some(expires_at);
    access.remember(draft, None).unwrap();
}

pub fn tick(access: &Access) -> Tick {
    access.heartbeat_tick(None).unwrap()
}

fn states(access: &Access) -> Vec<NudgeState> {
    access.nudges(None, true, None, 100).unwrap().nudges.iter().map(|card| card.nudge.state).collect()
}

fn step(bench: &Bench) -> Step {
    jobs::scheduler(bench.mind().settings()).step(bench.mind()).unwrap()
}

both_engines! {
    fn a_reminder_reaches_somebody_once_and_comes_again_tomorrow(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "water the plants", "cron:daily:09:00");
        bench.clock().set(at("2027-03-08T08:58:00Z"));
        assert!(tick(&access).nudge.is_none(), "it is not due");
        bench.clock().set(at("2027-03-08T09:00:00Z"));
        let first = tick(&access);
        let told = access.nudge(first.nudge.unwrap()).unwrap();
        assert_eq!((told.nudge.kind, told.nudge.state), (NudgeKind::Reminder, NudgeState::Waiting));
        assert!(told.nudge.what.contains("water the plants"), "{}", told.nudge.what);
        assert!(tick(&access).nudge.is_none(), "it waits on the list, and is not said again");
        let fetched = access.fetch_nudges(None, 10).unwrap().nudges;
        assert_eq!(fetched.iter().map(|card| card.nudge.id).collect::<Vec<_>>(), [told.nudge.id]);
        assert_eq!(fetched[0].nudge.state, NudgeState::Delivered);
        bench.clock().advance(HOUR);
        assert!(tick(&access).nudge.is_none());
        bench.clock().set(at("2027-03-09T09:00:00Z"));
        assert!(tick(&access).nudge.is_some(), "the next day it is due again");
    }

    fn the_scheduler_wakes_up_for_what_falls_due(bench: Bench) {
        let access = acquainted(&bench);
        bench.mind().ensure_house_duties().unwrap();
        step(&bench);
        with_tag(&access, "call the dentist", "cron:once:2027-03-08T08:03:30Z");
        let woken = step(&bench).wake_at.unwrap();
        assert!(woken <= at("2027-03-08T08:03:30Z"), "{woken}");
        bench.clock().set(at("2027-03-08T08:03:29Z"));
        assert_eq!(step(&bench).beats.acts, 0);
        bench.clock().set(at("2027-03-08T08:03:30Z"));
        assert_eq!(step(&bench).beats.acts, 1);
        assert_eq!(step(&bench).beats.ticks, 0, "each heart beats in its own time");
    }

    fn after_a_long_sleep_there_is_one_beat_and_one_late_reminder(bench: Bench) {
        let access = acquainted(&bench);
        bench.mind().ensure_house_duties().unwrap();
        with_tag(&access, "stretch", "cron:hourly");
        bench.clock().advance(20 * DAY);
        assert_eq!(step(&bench).beats, selfsame::heartbeat::Beats { ticks: 1, acts: 1, failures: 0 });
        let fetched = access.fetch_nudges(None, 10).unwrap().nudges;
        assert_eq!(fetched.len(), 1);
    }

    fn what_nobody_fetches_is_missed_and_stays_on_the_list(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "call the dentist", "cron:once:2027-03-08T09:00:00Z");
        bench.clock().set(at("2027-03-08T09:00:00Z"));
        assert!(tick(&access).nudge.is_some());
        bench.clock().advance(2 * HOUR);
        tick(&access);
        assert_eq!(states(&access), [NudgeState::Missed]);
        let listed = access.nudges(None, false, None, 10).unwrap().nudges;
        assert_eq!(listed.len(), 1, "it can still be read");
        assert!(tick(&access).nudge.is_none());
    }

    fn a_suggestion_has_time(bench: Bench) {
        let access = acquainted(&bench);
        let boiler = remember(&access, "the boiler");
        access.monitor(boiler, "1m", None).unwrap();
        for n in 0..5 {
            remember(&access, &format!("note {n}"));
        }
        let mut plan = Draft::new("repaint the wall");
        plan.kind = MemoryKind::Plan;
        access.remember(plan, None).unwrap();
        bench.clock().advance(2 * MINUTE);
        let said = tick(&access).nudge.unwrap();
        assert_eq!(access.nudge(said).unwrap().nudge.kind, NudgeKind::Suggestion);
        bench.clock().advance(5 * HOUR);
        tick(&access);
        assert_eq!(access.nudge(said).unwrap().nudge.state, NudgeState::Waiting, "nothing is lost by reading it later");
    }

    fn a_critical_deadline_breaks_through_quiet_hours_and_nothing_else_does(bench: Bench) {
        let access = acquainted(&bench);
        due(&access, "file the tax return", at("2027-03-09T03:00:00Z"));
        // Yesterday's rung is told in the day; the one at four hours falls into the night and waits.
        bench.clock().set(at("2027-03-08T12:00:00Z"));
        assert!(tick(&access).nudge.is_some(), "24h");
        bench.clock().set(at("2027-03-08T23:10:00Z"));
        let quiet = tick(&access);
        assert_eq!((quiet.decision.period, quiet.nudge), (Period::Quiet, None));
        assert_eq!(quiet.decision.verdict.step(), StepName::TimeOfDay);
        bench.clock().set(at("2027-03-09T02:00:00Z"));
        let critical = tick(&access);
        assert_eq!(critical.decision.verdict.step(), StepName::CriticalDeadline);
        assert!(critical.nudge.is_some());
        assert!(tick(&access).nudge.is_none(), "each rung once");
        bench.clock().set(at("2027-03-09T03:00:00Z"));
        assert!(tick(&access).nudge.is_some(), "due");
        bench.clock().set(at("2027-03-09T06:00:00Z"));
        assert!(tick(&access).nudge.is_none());
    }

    fn an_overdue_deadline_is_told_daily_three_times_and_then_missed(bench: Bench) {
        let access = acquainted(&bench);
        due(&access, "file the tax return", at("2027-03-08T12:00:00Z"));
        let mut told = Vec::new();
        for hour in 0..(24 * 8) {
            bench.clock().set(at("2027-03-08T08:00:00Z").saturating_add(HOUR * hour));
            if tick(&access).nudge.is_some() {
                told.push(hour);
            }
        }
        // 08:00 (4h before), 11:00 (1h), 12:00 (due), and three days at noon.
        assert_eq!(told, [0, 3, 4, 28, 52, 76], "K5: it does not act on every tick");
    }

    fn equal_silences_are_one_receipt_that_can_be_judged_again(bench: Bench) {
        let access = acquainted(&bench);
        let first = tick(&access);
        for _ in 0..20 {
            bench.clock().advance(MINUTE);
            assert!(tick(&access).nudge.is_none());
        }
        let receipts = access.receipts(None, None, false, 100).unwrap();
        assert_eq!(receipts.len(), 1);
        assert_eq!((receipts[0].ticks, receipts[0].tokens), (21, 0));
        assert_eq!(Some(receipts[0].id), first.receipt);
        assert!(receipts[0].last_at > receipts[0].first_at);
        let again = access.receipt(receipts[0].id).unwrap();
        assert_eq!(again.decision, first.decision);
        with_tag(&access, "stretch", "cron:once:2027-03-08T08:30:00Z");
        bench.clock().set(at("2027-03-08T08:30:00Z"));
        let acted = tick(&access);
        assert_ne!(acted.receipt, first.receipt);
        assert_eq!(access.receipts(None, None, true, 100).unwrap().len(), 1);
        assert_eq!(access.receipt(acted.receipt.unwrap()).unwrap().decision.verdict, acted.decision.verdict);
    }

    fn receipts_of_long_silences_go_and_those_of_words_stay(bench: Bench) {
        let access = acquainted(&bench);
        bench.mind().ensure_house_duties().unwrap();
        let silent = tick(&access).receipt.unwrap();
        with_tag(&access, "stretch", "cron:once:2027-03-08T09:00:00Z");
        bench.clock().set(at("2027-03-08T09:00:00Z"));
        let acted = tick(&access).receipt.unwrap();
        let kept = || access.receipts(None, None, false, 500).unwrap().iter().map(|receipt| receipt.id).collect::<Vec<_>>();
        bench.clock().advance(89 * DAY);
        step(&bench);
        assert!(kept().contains(&silent));
        bench.clock().advance(2 * DAY);
        step(&bench);
        assert!(!kept().contains(&silent));
        assert!(kept().contains(&acted));
    }

    fn a_receipt_cannot_be_changed(bench: Bench) {
        let access = acquainted(&bench);
        let receipt = tick(&access).receipt.unwrap();
        let agent = access.agent().id;
        let sql = "UPDATE receipts SET reason = 'because'";
        assert!(bench.execute_raw(&[agent], sql).unwrap_err().contains("may not be changed"));
        assert!(access.receipt(receipt).is_ok());
    }

    fn a_tick_asks_the_database_and_nobody_else(mut bench: Bench) {
        let model = Meanings::at_hand("a", &[&["plant", "flower"]]);
        bench.reopen_with(Some(Arc::clone(&model)), &[]);
        let access = acquainted(&bench);
        with_tag(&access, "water the plants", "cron:hourly");
        bench.clock().advance(HOUR);
        let (asked, statements) = (model.asked().len(), bench.store().counters().statements());
        assert!(asked > 0, "the model is there, and heard of the memories");
        let acted = tick(&access);
        assert!(acted.nudge.is_some());
        access.heartbeat_explain(None, None).unwrap();
        assert_eq!(model.asked(), [], "no embedding");
        assert!(acted.rows > 0, "what it found were rows");
        assert!(acted.statements > 0 && bench.store().counters().statements() > statements, "SQL alone");
        assert_eq!(access.receipts(None, None, true, 1).unwrap()[0].tokens, 0);
    }

    fn two_who_share_a_database_let_each_heart_beat_once(bench: Bench) {
        let access = acquainted(&bench);
        for n in 0..20 {
            let name = format!("friend {n}");
            access.principal_add(&name, None, None).unwrap();
        }
        bench.clock().advance(HOUR);
        let minds = match bench.engine() {
            // A file belongs to one process; its threads share a mind.
            Engine::Sqlite => None,
            Engine::Postgres => Some(bench.open_settings(Default::default())),
        };
        let other = minds.as_ref().unwrap_or_else(|| bench.mind());
        let lease = 10 * MINUTE;
        let beats: Vec<_> = std::thread::scope(|scope| {
            let running = [bench.mind(), other].map(|mind| scope.spawn(move || mind.beat_due(lease).unwrap()));
            running.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let ticks: usize = beats.iter().map(|beats| beats.ticks).sum();
        assert_eq!(ticks, 21, "twenty friends and the operator: {beats:?}");
        assert_eq!(beats.iter().map(|beats| beats.failures).sum::<usize>(), 0);
        let ticked = bench.owner().texts("SELECT COUNT(*) FROM receipts WHERE ticks = 1");
        assert_eq!(ticked, ["21"], "each has one receipt");
    }

    fn a_peek_changes_nothing(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "stretch", "cron:hourly");
        bench.clock().advance(2 * HOUR);
        let before = bench.dump();
        let seen = access.heartbeat_peek(None, None).unwrap();
        assert!(seen.decision.verdict.is_act());
        assert!(access.heartbeat_explain(None, None).unwrap().acts);
        assert!(!access.heartbeat_peek(None, Some(at("2027-03-08T08:10:00Z"))).unwrap().decision.verdict.is_act());
        access.nudges(None, true, None, 10).unwrap();
        assert_eq!(bench.dump(), before, "K9");
        assert!(tick(&access).nudge.is_some(), "and nothing was consumed");
    }

    fn muted_nothing_is_said_and_what_falls_due_is_missed(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "call the dentist", "cron:once:2027-03-08T09:00:00Z");
        due(&access, "file the tax return", at("2027-03-08T09:30:00Z"));
        access.heartbeat_mute(None, true, None).unwrap();
        for _ in 0..(24 * 6) {
            bench.clock().advance(HOUR);
            let silent = tick(&access);
            assert_eq!((silent.nudge, silent.decision.verdict.step()), (None, StepName::Held));
        }
        access.heartbeat_mute(None, false, None).unwrap();
        assert!(tick(&access).nudge.is_none(), "what is past is past");
        let agent = access.agent().id;
        let outcomes = |table: &str, column: &str| bench.owner().texts(&format!("SELECT {column} FROM {table}"));
        assert_eq!(outcomes("schedules", "ended_how"), ["missed_muted"], "{agent}");
        assert_eq!(outcomes("deadlines", "outcome"), ["missed_muted"]);
    }

    fn snoozed_what_is_due_waits_within_its_grace(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "call the dentist", "cron:once:2027-03-08T09:00:00Z");
        let card = access.heartbeat_snooze(None, 90 * MINUTE, None).unwrap();
        let until = card.snoozed_until.unwrap();
        assert!(until >= at("2027-03-08T09:30:00Z") && until < at("2027-03-08T09:31:00Z"), "{until}");
        bench.clock().set(at("2027-03-08T09:00:00Z"));
        let silent = tick(&access);
        assert_eq!(silent.decision.verdict.step(), StepName::Held);
        assert!(silent.next.at <= card.snoozed_until.unwrap(), "it looks again when the snooze ends");
        bench.clock().set(card.snoozed_until.unwrap());
        assert!(tick(&access).nudge.is_some());
    }

    fn the_whole_house_can_be_quiet(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "stretch", "cron:hourly");
        assert!(bench.mind().heartbeat_pause().unwrap());
        assert!(!bench.mind().heartbeat_pause().unwrap(), "once is enough");
        bench.clock().advance(HOUR);
        assert_eq!(tick(&access).decision.verdict.step(), StepName::Held);
        assert!(access.heartbeat_status(None).unwrap().paused_since.is_some());
        assert!(bench.mind().heartbeat_resume().unwrap());
        assert!(tick(&access).nudge.is_some());
    }

    fn it_introduces_itself_three_times_until_somebody_writes(bench: Bench) {
        bench.clock().set(at("2027-03-01T08:00:00Z"));
        let access = bench.main();
        let maya = access.principal_add("maya", None, None).unwrap().id;
        let beat = || access.heartbeat_tick(Some("maya")).unwrap();
        let mut days = Vec::new();
        for hour in 0..(24 * 6) {
            // A second later every time: each attempt is a whole day after the one before.
            bench.clock().set(at("2027-03-01T08:00:00Z").saturating_add((HOUR + SECOND) * hour));
            if let Some(nudge) = beat().nudge {
                assert_eq!(access.nudge(nudge).unwrap().nudge.kind, NudgeKind::Introduction);
                days.push(hour);
            }
        }
        assert_eq!(days, [0, 24, 48]);
        say(&bench.access("main", Speaker::Principal(maya)), "terminal", "hello");
        bench.clock().set(at("2027-03-07T11:00:00Z"));
        assert!(beat().nudge.is_some(), "who wrote is met anew");
    }

    fn even_a_short_answer_is_an_answer(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "stretch", "cron:hourly");
        bench.clock().set(at("2027-03-08T09:00:00Z"));
        tick(&access);
        access.fetch_nudges(None, 10).unwrap();
        bench.clock().advance(10 * MINUTE);
        let agent = bench.access("main", Speaker::Agent(Some(access.agent().operator)));
        say(&agent, "terminal", "you wanted to stretch");
        assert_eq!(states(&access), [NudgeState::Delivered], "K10: the agent's own words are no answer");
        say(&access, "terminal", "ok");
        assert_eq!(states(&access), [NudgeState::Answered]);
        bench.clock().set(at("2027-03-08T10:00:00Z"));
        tick(&access);
        access.fetch_nudges(None, 10).unwrap();
        bench.clock().advance(31 * MINUTE);
        say(&access, "terminal", "good morning");
        assert_eq!(states(&access)[0], NudgeState::Delivered, "half an hour later it is about something else");
    }

    fn who_ignores_everything_hears_less_and_less_but_never_nothing(bench: Bench) {
        let access = acquainted(&bench);
        let boiler = remember(&access, "the boiler");
        access.monitor(boiler, "1m", None).unwrap();
        let mut acts = Vec::new();
        for day in 0..4u32 {
            for hour in 10..17u32 {
                bench.clock().set(at("2027-03-08T00:00:00Z").saturating_add(DAY * day + HOUR * hour));
                // Something new to speak of, all the time.
                for n in 0..5 {
                    remember(&access, &format!("note {n} of hour {hour} on day {day}"));
                }
                let mut plan = Draft::new(format!("plan of hour {hour} on day {day}"));
                plan.kind = MemoryKind::Plan;
                access.remember(plan, None).unwrap();
                if tick(&access).nudge.is_some() {
                    acts.push(day);
                    access.fetch_nudges(None, 50).unwrap();
                }
            }
        }
        let on = |day: u32| acts.iter().filter(|one| **one == day).count();
        assert!(on(0) >= 5, "nothing is known of answers yet: {acts:?}");
        assert!((1..=2).contains(&on(2)) && (1..=2).contains(&on(3)), "ten times the pause, and not silence: {acts:?}");
    }

    fn observed_it_is_said_to_nobody_but_the_agent(bench: Bench) {
        let access = acquainted(&bench);
        let change = WishesChange { autonomy: Some(Some(Autonomy::Observe)), ..WishesChange::default() };
        access.heartbeat_set(None, &change, None).unwrap();
        with_tag(&access, "stretch", "cron:once:2027-03-08T09:00:00Z");
        bench.clock().set(at("2027-03-08T09:00:00Z"));
        assert!(tick(&access).nudge.is_some());
        assert_eq!(access.fetch_nudges(None, 10).unwrap().nudges, []);
        let shown = |access: &Access| access.context(&Default::default()).unwrap().text.contains("stretch");
        assert!(shown(&access), "an operator who looks takes nothing away");
        let agent = bench.access("main", Speaker::Agent(None));
        let of_nudges = |text: &str| text.contains("Worth a word");
        assert!(of_nudges(&agent.context(&Default::default()).unwrap().text));
        assert!(!of_nudges(&agent.context(&Default::default()).unwrap().text), "seen once, it is delivered");
        assert_eq!(bench.owner().texts("SELECT last_outcome FROM schedules"), ["delivered"]);
    }

    fn a_principal_hears_of_their_own_and_not_of_anothers(bench: Bench) {
        let access = acquainted(&bench);
        let maya = access.principal_add("maya", Some("Asia/Tokyo"), None).unwrap().id;
        let hers = bench.access("main", Speaker::Principal(maya));
        with_tag(&hers, "feed the cat", "cron:once:2027-03-08T09:00:00Z");
        bench.clock().set(at("2027-03-08T09:00:00Z"));
        assert!(tick(&access).nudge.is_none(), "the operator's heart");
        let tick = hers.heartbeat_tick(None).unwrap();
        assert_eq!(tick.principal.id, maya);
        assert!(tick.nudge.is_some());
        let other = access.principal_add("jonas", None, None).unwrap().id;
        let his = bench.access("main", Speaker::Principal(other));
        for refused in [
            his.heartbeat_peek(Some("maya"), None).err(),
            his.nudges(Some("maya"), true, None, 10).err(),
            his.nudge(tick.nudge.unwrap()).err(),
            his.receipt(tick.receipt.unwrap()).err(),
            his.heartbeat_mute(Some("maya"), true, None).err(),
        ] {
            assert_eq!(refused.unwrap().class(), Class::Forbidden);
        }
        let agent = bench.access("main", Speaker::Agent(Some(maya)));
        assert_eq!(agent.heartbeat_mute(None, true, None).unwrap_err().class(), Class::Forbidden, "it may not say how loud it is");
        assert_eq!(agent.fetch_nudges(None, 10).unwrap().nudges.len(), 1, "it carries the words to her");
    }

    fn what_is_forgotten_is_spoken_of_no_more(bench: Bench) {
        let access = acquainted(&bench);
        let mut draft = Draft::new("the xylophone lesson");
        draft.tags = vec!["cron:hourly".into()];
        let id = access.remember(draft, None).unwrap().id;
        bench.clock().advance(HOUR);
        assert!(tick(&access).nudge.is_some());
        access.forget(id, None).unwrap();
        assert!(!bench.dump().contains("xylophone"));
        assert_eq!(access.nudges(None, true, None, 10).unwrap().nudges, []);
        bench.clock().advance(HOUR);
        assert!(tick(&access).nudge.is_none());
    }

    fn wishes_are_checked_and_kept(bench: Bench) {
        let access = acquainted(&bench);
        let quiet = |text: &str| WishesChange { quiet: Some(Some(text.into())), ..WishesChange::default() };
        let card = access.heartbeat_set(None, &quiet("20:00-11:30"), None).unwrap();
        assert_eq!(card.quiet, ("20:00".into(), "11:30".into()));
        assert_eq!(card.period, Period::Quiet, "at eight in the morning");
        for bad in ["20:00", "25:00-07:00", "7-8", "07:00-07:00", ""] {
            let error = access.heartbeat_set(None, &quiet(bad), None).unwrap_err();
            assert!(error.to_string().contains("22:30-07:30"), "{bad}: {error}");
        }
        let channels = WishesChange { channels: Some(Some(vec!["pigeon".into()])), ..WishesChange::default() };
        let error = access.heartbeat_set(None, &channels, None).unwrap_err().to_string();
        assert!(error.contains("webhook"), "{error}");
        let channels = WishesChange { channels: Some(Some(vec!["file".into()])), ..WishesChange::default() };
        access.heartbeat_set(None, &channels, None).unwrap();
        assert_eq!(access.heartbeat_status(None).unwrap().channels, ["file"]);
        assert!(access.heartbeat_set(None, &WishesChange::default(), None).is_err());
        let back = WishesChange { quiet: Some(None), ..WishesChange::default() };
        assert_eq!(access.heartbeat_set(None, &back, None).unwrap().quiet.0, "23:00");
    }

    fn a_list_of_nudges_costs_the_same_however_many_they_are(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "stretch", "cron:hourly");
        let mut reads = Vec::new();
        for many in 1..=5 {
            bench.clock().advance(HOUR);
            assert!(tick(&access).nudge.is_some());
            access.fetch_nudges(None, 10).unwrap();
            let before = bench.store().counters().statements();
            let listed = access.nudges(None, false, None, 10).unwrap().nudges;
            reads.push(bench.store().counters().statements() - before);
            assert_eq!(listed.len(), many);
            for card in &listed {
                assert_eq!(card.refs.len(), 1, "each has what it speaks of");
                assert_eq!(card.deliveries.iter().map(|way| way.channel.as_str()).collect::<Vec<_>>(), ["list"]);
            }
        }
        assert_eq!(reads, [reads[0]; 5]);
    }

    fn the_house_counts_hearts_that_fail_and_reminders_that_nobody_fetched(bench: Bench) {
        let access = acquainted(&bench);
        let counts = || bench.mind().status().unwrap().agents[0].hearts;
        assert_eq!(counts(), HeartCounts::default());
        with_tag(&access, "call the dentist", "cron:once:2027-03-08T09:00:00Z");
        bench.clock().set(at("2027-03-08T09:00:00Z"));
        assert!(tick(&access).nudge.is_some());
        bench.clock().advance(2 * HOUR + MINUTE);
        tick(&access);
        assert_eq!(counts(), HeartCounts { failing: 0, missed: 1 });
        bench.execute_raw(&[access.agent().id], "UPDATE principals SET zone = 'Nowhere/Land'").unwrap();
        bench.clock().advance(7 * HOUR);
        assert_eq!(step(&bench).beats.failures, 1);
        assert_eq!(counts(), HeartCounts { failing: 1, missed: 1 });
        bench.clock().advance(7 * DAY);
        assert_eq!(counts().missed, 0, "that is long ago");
    }

    fn what_came_of_a_nudge_is_not_the_agents_to_say(bench: Bench) {
        let access = acquainted(&bench);
        let maya = access.principal_add("maya", None, None).unwrap().id;
        with_tag(&bench.access("main", Speaker::Principal(maya)), "stretch", "cron:hourly");
        let tell = || {
            bench.clock().advance(HOUR);
            access.heartbeat_tick(Some("maya")).unwrap().nudge.unwrap()
        };
        let mut nudge = tell();
        for speaker in [Speaker::Agent(None), Speaker::Agent(Some(maya)), Speaker::Host(None)] {
            let agent = bench.access("main", speaker);
            for refused in [agent.nudge_answer(nudge, None, None), agent.nudge_dismiss(nudge, None)] {
                assert_eq!(refused.unwrap_err().class(), Class::Forbidden, "{speaker:?}");
            }
        }
        let operators_host = bench.access("main", Speaker::Host(Some(access.agent().operator)));
        assert_eq!(operators_host.nudge_answer(nudge, None, None).unwrap_err().class(), Class::Forbidden);
        assert_eq!(access.nudge(nudge).unwrap().nudge.state, NudgeState::Waiting, "and nothing came of it");
        for speaker in [Speaker::Host(Some(maya)), Speaker::Principal(maya), Speaker::Operator] {
            let answered = bench.access("main", speaker).nudge_answer(nudge, None, None);
            assert_eq!(answered.unwrap().nudge.state, NudgeState::Answered, "{speaker:?}");
            nudge = tell();
        }
    }

    fn answered_or_waved_away_it_is_off_the_list(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "stretch", "cron:hourly");
        let mut ids = Vec::new();
        for _ in 0..2 {
            bench.clock().advance(HOUR);
            ids.push(tick(&access).nudge.unwrap());
            access.fetch_nudges(None, 10).unwrap();
        }
        assert_eq!(access.nudge_answer(ids[0], Some("done"), None).unwrap().nudge.state, NudgeState::Answered);
        assert_eq!(access.nudge_dismiss(ids[1], None).unwrap().nudge.state, NudgeState::Dismissed);
        assert_eq!(access.nudges(None, false, None, 10).unwrap().nudges, []);
        let error = access.nudge_dismiss(ids[0], None).unwrap_err().to_string();
        assert!(error.contains("answered already"), "{error}");
        let score = access.heartbeat_score(None).unwrap();
        assert_eq!((score.answered, score.delivered), (1, 2));
    }
}

both_engines! {
    fn a_host_is_woken_once_for_what_is_to_be_said(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "water the plants", "cron:daily:09:00");
        assert!(!access.heartbeat_gate(None).unwrap().wakes(), "nothing is due");
        bench.clock().set(at("2027-03-08T09:00:00Z"));
        let gate = access.heartbeat_gate(None).unwrap();
        assert_eq!(gate.nudges.iter().map(|card| card.nudge.id).collect::<Vec<_>>(), [gate.tick.nudge.unwrap()]);
        assert_eq!(gate.nudges[0].nudge.state, NudgeState::Delivered, "who is woken has it");
        assert!(!access.heartbeat_gate(None).unwrap().wakes(), "it stands on the list, but is not new");
        bench.clock().set(at("2027-03-09T09:00:00Z"));
        tick(&access);
        let gate = access.heartbeat_gate(None).unwrap();
        assert_eq!((gate.tick.nudge, gate.nudges.len()), (None, 1), "what an earlier beat said wakes too");
    }

    fn what_is_left_from_the_day_wakes_nobody_at_night(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "water the plants", "cron:once:2027-03-08T22:50:00Z");
        with_tag(&access, "take the medicine", "cron:once:2027-03-08T23:30:00Z");
        bench.clock().set(at("2027-03-08T22:50:00Z"));
        assert!(tick(&access).nudge.is_some());
        bench.clock().set(at("2027-03-08T23:10:00Z"));
        assert!(!access.heartbeat_gate(None).unwrap().wakes());
        bench.clock().set(at("2027-03-08T23:30:00Z"));
        let gate = access.heartbeat_gate(None).unwrap();
        let said: Vec<&str> = gate.nudges.iter().map(|card| card.nudge.what.as_str()).collect();
        assert!(said.len() == 1 && said[0].contains("medicine"), "{said:?}");
        bench.clock().set(at("2027-03-09T07:30:00Z"));
        let gate = access.heartbeat_gate(None).unwrap();
        assert!(gate.nudges.iter().any(|card| card.nudge.what.contains("plants")), "the morning brings it");
    }

    fn who_wants_silence_is_not_woken_for(bench: Bench) {
        let access = acquainted(&bench);
        with_tag(&access, "water the plants", "cron:once:2027-03-08T09:00:00Z");
        bench.clock().set(at("2027-03-08T09:00:00Z"));
        tick(&access);
        access.heartbeat_mute(None, true, None).unwrap();
        assert!(!access.heartbeat_gate(None).unwrap().wakes());
        assert_eq!(states(&access), [NudgeState::Waiting], "it is not spent");
        access.heartbeat_mute(None, false, None).unwrap();
        assert!(access.heartbeat_gate(None).unwrap().wakes());
    }
}
