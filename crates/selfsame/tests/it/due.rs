//! What falls due: set, moved and ended by ordinary verbs, settled once, never lost and never touched by a recall.

use crate::remember::{key, remember};
use selfsame::calendar::CalendarDraft;
use selfsame::heartbeat::due::{self, Fate, Settled};
use selfsame::heartbeat::ladder::{Ladder, Rung};
use selfsame::heartbeat::schedule::{Ending, Outcome, Source, SourceKind};
use selfsame::id::{MemoryId, PrincipalId, ScheduleId};
use selfsame::memory::{Draft, Edit, MemoryKind};
use selfsame::recall::Question;
use selfsame::schedule::ScheduleRow;
use selfsame::time::Time;
use selfsame::todo::{TodoChange, TodoDraft, TodoStatus};
use selfsame::trust::Caller;
use selfsame::{Access, Class, Error, Speaker};
use selfsame_store::deadlines::{self, Deadline};
use selfsame_store::heartbeat::beats;
use selfsame_store::schedules;
use selfsame_testkit::{Bench, both_engines};
use std::time::Duration;

/// An agent in Berlin on Monday, the second of March 2026, at ten in the morning.
fn berlin(bench: &Bench) -> Access<'_> {
    set(bench, "2026-03-02T09:00:00Z");
    bench.mind().create_agent("berlin", Some("Europe/Berlin")).unwrap();
    bench.access("berlin", Speaker::Operator)
}

fn set(bench: &Bench, moment: &str) {
    bench.clock().set(at(moment));
}

fn at(moment: &str) -> Time {
    Time::parse(moment).unwrap()
}

fn tagged(content: &str, tag: &str) -> Draft {
    Draft { tags: vec![tag.into()], ..Draft::new(content) }
}

fn plan(content: &str, due: &str) -> Draft {
    Draft { kind: MemoryKind::Plan, expires_at: Some(at(due)), ..Draft::new(content) }
}

fn schedule_of(bench: &Bench, access: &Access, source: impl Into<Source>) -> Option<ScheduleRow> {
    let (agent, source) = (access.agent().id, source.into());
    bench
        .store()
        .read(access.caller(), &[agent], |reader| schedules::by_source(reader, agent, source))
        .unwrap()
}

fn next_due(bench: &Bench, access: &Access, source: impl Into<Source>) -> String {
    let schedule = schedule_of(bench, access, source).expect("a schedule");
    schedule.next_due_at.map_or_else(|| schedule.ended.unwrap().1.as_str().to_owned(), |due| due.to_string())
}

fn deadline_of(bench: &Bench, access: &Access, memory: MemoryId) -> Option<Deadline> {
    let agent = access.agent().id;
    bench
        .store()
        .read(access.caller(), &[agent], |reader| deadlines::by_memory(reader, agent, memory))
        .unwrap()
}

/// What is due for somebody now, by its moment.
fn due_for(bench: &Bench, access: &Access, whom: PrincipalId) -> Vec<(ScheduleId, Time)> {
    let (agent, now) = (access.agent().id, bench.mind_time());
    let rows =
        bench.store().read(access.caller(), &[agent], |reader| schedules::due(reader, agent, whom, now));
    rows.unwrap().into_iter().map(|row| (row.id, row.next_due_at.unwrap())).collect()
}

fn due(bench: &Bench, access: &Access) -> Vec<(ScheduleId, Time)> {
    due_for(bench, access, access.agent().operator)
}

fn settle(bench: &Bench, access: &Access, slot: (ScheduleId, Time), fate: Fate) -> Option<Settled> {
    let (agent, now) = (access.agent().id, bench.mind_time());
    let grace = bench.mind().settings().heartbeat.grace;
    let written = bench
        .store()
        .background("test", &[agent], |writer| due::settle(writer, grace, agent, slot.0, slot.1, fate, now));
    written.unwrap()
}

fn surface(bench: &Bench, access: &Access, slot: (ScheduleId, Time)) -> bool {
    let agent = access.agent().id;
    bench
        .store()
        .background("test", &[agent], |writer| schedules::surface(writer, agent, slot.0, slot.1))
        .unwrap()
}

fn beats_at(bench: &Bench, access: &Access, whom: PrincipalId) -> Option<Time> {
    let agent = access.agent().id;
    let beat = bench.store().read(access.caller(), &[agent], |reader| beats::of(reader, agent, whom));
    beat.unwrap().map(|beat| beat.next_at)
}

/// The moments at which something with this tag is due, each delivered as it comes, looked at every five minutes.
fn moments(bench: &Bench, access: &Access, until: &str) -> Vec<String> {
    let mut seen = Vec::new();
    while bench.mind_time() < at(until) {
        bench.clock().advance(Duration::from_secs(300));
        for slot in due(bench, access) {
            assert!(bench.mind_time().since(slot.1) <= Duration::from_secs(300), "not before and not after");
            assert_eq!(settle(bench, access, slot, Fate::Delivered).unwrap().outcome, Outcome::Delivered);
            seen.push(slot.1.to_string());
        }
    }
    seen
}

both_engines! {
    fn every_form_of_a_tag_is_due_when_it_says(bench: Bench) {
        let access = berlin(&bench);
        let forms = [
            ("cron:hourly", "2026-03-02T10:00:00Z"),
            ("cron:weekdays:10:05:UTC", "2026-03-02T10:05:00Z"),
            ("cron:once:2026-03-02T12:15:00+02:00", "2026-03-02T10:15:00Z"),
            ("cron:every:90m", "2026-03-02T10:30:00Z"),
            ("cron:once:2026-03-02T12:00", "2026-03-02T11:00:00Z"),
            ("cron:daily:09:00:America/New_York", "2026-03-02T14:00:00Z"),
            ("cron:daily:09:00", "2026-03-03T08:00:00Z"),
            ("cron:weekly:WED:18:30", "2026-03-04T17:30:00Z"),
            ("cron:0 9 * * SAT", "2026-03-07T08:00:00Z"),
            ("cron:monthly:31:08:00", "2026-03-31T06:00:00Z"),
        ];
        let rows = forms.map(|(tag, expected)| {
            let id = access.remember(tagged(&format!("look at {tag}"), tag), None).unwrap().id;
            let row = schedule_of(&bench, &access, id).unwrap();
            assert_eq!((row.spec.as_str(), row.serves), (tag, access.agent().operator));
            let shown = row.next_due_at.unwrap();
            // No two moments are equal: what counts from the beginning is a hair later.
            assert!(shown >= at(expected) && shown.since(at(expected)) < Duration::from_millis(1), "{tag}: {shown}");
            (tag, row.id, shown)
        });
        for (tag, id, shown) in rows {
            bench.clock().set(shown.saturating_sub(Duration::from_micros(500)));
            assert!(!due(&bench, &access).iter().any(|(due, _)| *due == id), "{tag}: too early");
            bench.clock().set(shown);
            assert!(due(&bench, &access).contains(&(id, shown)), "{tag}: it is due");
        }
    }

    fn it_comes_again_and_again(bench: Bench) {
        let access = berlin(&bench);
        access.remember(tagged("water the plants", "cron:weekdays:11:00"), None).unwrap();
        access.remember(tagged("look up", "cron:0 10,22 * * SUN"), None).unwrap();
        assert_eq!(moments(&bench, &access, "2026-03-09T12:00:00Z"), [
            "2026-03-02T10:00:00Z", "2026-03-03T10:00:00Z", "2026-03-04T10:00:00Z", "2026-03-05T10:00:00Z",
            "2026-03-06T10:00:00Z", "2026-03-08T09:00:00Z", "2026-03-08T21:00:00Z", "2026-03-09T10:00:00Z",
        ]);
    }

    fn clocks_go_forward_and_back(bench: Bench) {
        let access = berlin(&bench);
        set(&bench, "2026-03-28T12:00:00Z");
        let id = access.remember(tagged("at half past two", "cron:daily:02:30"), None).unwrap().id;
        let mut seen = Vec::new();
        for _ in 0..3 {
            let row = schedule_of(&bench, &access, id).unwrap();
            let slot = (row.id, row.next_due_at.unwrap());
            bench.clock().set(slot.1);
            settle(&bench, &access, slot, Fate::Delivered).unwrap();
            seen.push(slot.1.to_string());
        }
        assert_eq!(seen, ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z"]);
        set(&bench, "2026-10-24T12:00:00Z");
        let row = schedule_of(&bench, &access, id).unwrap();
        let settled = settle(&bench, &access, (row.id, row.next_due_at.unwrap()), Fate::Delivered).unwrap();
        assert_eq!((settled.outcome, settled.next), (Outcome::Late, Some(at("2026-10-25T00:30:00Z"))), "the first of two");
        bench.clock().set(settled.next.unwrap());
        let after = settle(&bench, &access, (row.id, settled.next.unwrap()), Fate::Delivered).unwrap();
        assert_eq!(after.next, Some(at("2026-10-26T01:30:00Z")));
    }

    /// K7: what is looked up is neither run, nor checked, nor put off.
    fn to_be_recalled_changes_nothing(bench: Bench) {
        let access = berlin(&bench);
        let id = access.remember(tagged("call Maya about the cabin", "cron:once:2026-03-02T12:00"), None).unwrap().id;
        let dated = access.remember(plan("finish the cabin", "2026-03-03T09:00:00Z"), None).unwrap().id;
        let (row, deadline) = (schedule_of(&bench, &access, id), deadline_of(&bench, &access, dated));
        for moment in ["2026-03-02T10:59:00Z", "2026-03-02T11:01:00Z"] {
            set(&bench, moment);
            assert!(access.recall(&Question::new("cabin")).unwrap().hits.len() >= 2);
            access.memory(id).unwrap();
            access.schedules(10).unwrap();
            assert_eq!(schedule_of(&bench, &access, id), row);
            assert_eq!(deadline_of(&bench, &access, dated), deadline);
        }
        assert_eq!(due(&bench, &access).len(), 1, "it is still due");
    }

    /// K8: seen, surfaced and failed is not delivered.
    fn a_due_moment_stays_until_it_is_settled(bench: Bench) {
        let access = berlin(&bench);
        let id = access.remember(tagged("call Maya", "cron:daily:11:00"), None).unwrap().id;
        set(&bench, "2026-03-02T10:00:01Z");
        let slot = due(&bench, &access)[0];
        assert!(surface(&bench, &access, slot));
        assert_eq!(due(&bench, &access), [], "surfaced once for each moment");
        assert_eq!(schedule_of(&bench, &access, id).unwrap().next_due_at, Some(slot.1), "and not settled");
        set(&bench, "2026-03-02T10:05:00Z");
        let settled = settle(&bench, &access, slot, Fate::Delivered).unwrap();
        assert_eq!(settled, Settled { outcome: Outcome::Delivered, next: Some(at("2026-03-03T10:00:00Z")) });
        assert_eq!(settle(&bench, &access, slot, Fate::Delivered), None, "twice is as once");
        assert!(!surface(&bench, &access, slot), "an old moment cannot be surfaced");
        let row = schedule_of(&bench, &access, id).unwrap();
        assert_eq!((row.delivered, row.missed, row.surfaced_slot, row.last), (1, 0, None, Some((slot.1, Outcome::Delivered))));
    }

    fn after_a_long_sleep_there_is_one_and_it_is_late(bench: Bench) {
        let access = berlin(&bench);
        access.remember(tagged("water the plants", "cron:hourly"), None).unwrap();
        access.remember(tagged("call Maya", "cron:once:2026-03-02T12:00"), None).unwrap();
        set(&bench, "2026-03-20T12:34:00Z");
        let slots = due(&bench, &access);
        assert_eq!(slots.len(), 2, "one of each");
        let hourly = settle(&bench, &access, slots[0], Fate::Delivered).unwrap();
        assert_eq!((hourly.outcome, hourly.next), (Outcome::Late, Some(at("2026-03-20T13:00:00Z"))));
        let once = settle(&bench, &access, slots[1], Fate::Missed).unwrap();
        assert_eq!((once.outcome, once.next), (Outcome::Missed, None));
        let listed = access.schedules(10).unwrap();
        let missed = &listed[1];
        assert_eq!((missed.what.as_str(), missed.schedule.ended.unwrap().1), ("call Maya", Ending::Missed), "and it is seen");
        assert_eq!((missed.schedule.missed, missed.schedule.delivered), (1, 0));
    }

    fn the_grace_of_what_is_frequent_is_its_period(bench: Bench) {
        let access = berlin(&bench);
        let in_an_hour = || format!("cron:once:{}", bench.mind_time().saturating_add(Duration::from_secs(3600)));
        for (tag, grace) in [("cron:every:5m", 5), ("cron:daily:12:00", 120), ("cron:hourly", 60), ("", 120)] {
            for (after, expected) in [(0, Outcome::Delivered), (1, Outcome::Late)] {
                let tag = if tag.is_empty() { in_an_hour() } else { tag.to_owned() };
                let id = access.remember(tagged("so often", &tag), None).unwrap().id;
                let row = schedule_of(&bench, &access, id).unwrap();
                let slot = (row.id, row.next_due_at.unwrap());
                bench.clock().set(slot.1.saturating_add(Duration::from_secs(grace * 60 + after)));
                let settled = settle(&bench, &access, slot, Fate::Delivered).unwrap();
                assert_eq!(settled.outcome, expected, "{tag} after its grace and {after} s");
                access.forget(id, None).unwrap();
            }
        }
    }

    fn who_is_muted_misses_it_and_it_says_so(bench: Bench) {
        let access = berlin(&bench);
        let id = access.remember(tagged("call Maya", "cron:once:2026-03-02T12:00"), None).unwrap().id;
        set(&bench, "2026-03-02T12:00:00Z");
        settle(&bench, &access, due(&bench, &access)[0], Fate::Muted).unwrap();
        assert_eq!(next_due(&bench, &access, id), "missed_muted");
        assert_eq!(schedule_of(&bench, &access, id).unwrap().last.unwrap().1, Outcome::MissedMuted);
    }

    fn a_next_edition_takes_the_schedule_over(bench: Bench) {
        let access = berlin(&bench);
        let maya = access.principal_add("maya", None, None).unwrap().id;
        let hers = bench.access("berlin", Speaker::Principal(maya));
        let first = hers.remember(tagged("call the bank", "cron:daily:11:00"), None).unwrap().id;
        let row = schedule_of(&bench, &access, first).unwrap();
        assert_eq!(row.serves, maya);
        // Other words, by the operator: the same schedule, and she is still the one to be reminded.
        let edit = Edit { content: Some("call the new bank".into()), ..Edit::default() };
        let second = access.edit(first, edit, None).unwrap().id;
        assert_eq!(schedule_of(&bench, &access, first), None);
        assert_eq!(schedule_of(&bench, &access, second), Some(ScheduleRow { source: second.into(), ..row.clone() }));
        // Another time.
        let edit = Edit { tags: Some(vec!["cron:daily:12:00".into()]), ..Edit::default() };
        let third = access.edit(second, edit, None).unwrap().id;
        assert_eq!(next_due(&bench, &access, third), "2026-03-02T11:00:00Z");
        assert_eq!(schedule_of(&bench, &access, third).unwrap().serves, maya);
        assert_eq!(due_for(&bench, &access, access.agent().operator), []);
        // None any more.
        let edit = Edit { tags: Some(vec!["bank".into()]), ..Edit::default() };
        let fourth = access.edit(third, edit, None).unwrap().id;
        assert_eq!(schedule_of(&bench, &access, fourth), None);
        assert_eq!(next_due(&bench, &access, third), "removed");
        set(&bench, "2026-03-05T12:00:00Z");
        assert_eq!(due_for(&bench, &access, maya), []);
    }

    fn said_again_with_another_time_it_has_that_time(bench: Bench) {
        let access = berlin(&bench);
        access.remember(tagged("water the plants", "cron:daily:11:00"), None).unwrap();
        let again = access.remember(tagged("water the plants", "cron:daily:12:00"), None).unwrap();
        let memory = access.memory(again.id).unwrap().unwrap();
        assert_eq!(memory.tags, ["cron:daily:12:00"], "a memory has one schedule");
        assert_eq!(next_due(&bench, &access, again.id), "2026-03-02T11:00:00Z");
        let mut with_label = tagged("water the plants", "garden");
        with_label.importance = 0.9;
        let labelled = access.remember(with_label, None).unwrap();
        assert_ne!(labelled.id, again.id);
        assert_eq!(next_due(&bench, &access, labelled.id), "2026-03-02T11:00:00Z", "what it says nothing about goes on");
        set(&bench, "2026-03-02T11:30:00Z");
        assert_eq!(due(&bench, &access).len(), 1);
    }

    /// Nothing that came in as tool or import text makes, moves or ends a schedule.
    fn only_a_deliberate_word_makes_a_schedule(bench: Bench) {
        let access = berlin(&bench);
        let before = heart(&bench, &access);
        let operator = access.agent().operator;
        let mut strangers: Vec<MemoryId> = Vec::new();
        for caller in [Caller::tool(Some(operator)), Caller::import(Some(operator)), Caller::tool(None)] {
            let stranger = bench.mind().access_as("berlin", caller).unwrap();
            let mut draft = tagged(&format!("pay {caller} at once"), "cron:every:1m");
            draft.expires_at = Some(at("2026-03-02T10:00:00Z"));
            strangers.push(stranger.remember(draft, None).unwrap().id);
        }
        for id in strangers {
            assert_eq!(schedule_of(&bench, &access, id), None);
            assert_eq!(deadline_of(&bench, &access, id), None);
            assert!(!access.memory(id).unwrap().unwrap().is_scheduled(), "and it fades like anything else");
        }
        assert_eq!(heart(&bench, &access), before);
        // What the operator wants to hear goes on, whatever a tool says about it.
        let mine = access.remember(tagged("water the plants", "cron:daily:11:00"), None).unwrap().id;
        let tool = bench.mind().access_as("berlin", Caller::tool(Some(operator))).unwrap();
        let mut draft = tagged("water the plants", "cron:once:2026-03-02T10:30");
        draft.importance = 1.0;
        let edition = tool.remember(draft, None).unwrap().id;
        assert_ne!(edition, mine);
        let row = schedule_of(&bench, &access, edition).unwrap();
        assert_eq!((row.spec.as_str(), row.serves), ("cron:daily:11:00", operator));
        let agents = bench.access("berlin", Speaker::Agent(None));
        let own = agents.remember(tagged("tidy the inbox", "cron:daily:11:00"), None).unwrap().id;
        assert_eq!(schedule_of(&bench, &access, own).unwrap().serves, operator, "the agent's own are the operator's");
    }

    fn what_is_done_or_forgotten_is_not_brought_up(bench: Bench) {
        let access = berlin(&bench);
        let draft = |content: &str| Draft { kind: MemoryKind::Plan, ..tagged(content, "cron:daily:11:00") };
        let (done, gone) = (
            access.remember(draft("repaint the fence"), None).unwrap().id,
            access.remember(draft("build a hive"), None).unwrap().id,
        );
        access.resolve(done).unwrap();
        access.forget(gone, None).unwrap();
        set(&bench, "2026-03-02T12:00:00Z");
        assert_eq!(due(&bench, &access), []);
        assert_eq!(next_due(&bench, &access, done), "done");
        assert_eq!(schedule_of(&bench, &access, gone), None);
    }

    fn a_bad_tag_is_refused_with_what_to_write(bench: Bench) {
        let access = berlin(&bench);
        let before = bench.dump();
        for (tags, expected) in [
            (vec!["cron:dialy:09:00"], "did you mean cron:daily:09:00?"),
            (vec!["cron:0 0 30 2 *"], "no month of it has a day 30"),
            (vec!["cron:daily:09:00", "cron:daily:10:00"], "cron:0 9,17 * * *"),
            (vec!["cron:once:2026-03-01T09:00"], "is past: write a later time"),
        ] {
            let draft = Draft { tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..Draft::new("x y z") };
            let refused = access.remember(draft, None).unwrap_err();
            assert!(refused.to_string().contains(expected), "{tags:?}: {refused}");
            assert_eq!(refused.class(), Class::BadInput);
        }
        assert_eq!(bench.dump(), before);
        assert!(matches!(access.remember(tagged("x y", "cron:"), None).unwrap_err(), Error::Schedule(_)));
    }

    /// Repeated after its moment, a request gets its reply and not a refusal.
    fn a_repeated_request_finds_its_reply(bench: Bench) {
        let access = berlin(&bench);
        let ask = |access: &Access| access.remember(tagged("call Maya", "cron:once:2026-03-02T12:00"), Some(&key("k", 1)));
        let first = ask(&access).unwrap();
        set(&bench, "2026-03-02T13:00:00Z");
        assert_eq!(ask(&access).unwrap(), first);
    }

    fn a_todo_reminds_at_its_date(bench: Bench) {
        let access = berlin(&bench);
        let add = |due: Option<&str>, remind| {
            let draft = TodoDraft { due: due.map(str::to_owned), remind, ..TodoDraft::new("order frames") };
            access.add_todo(draft, None).unwrap().id
        };
        let change = |id, due: Option<&str>, status, remind| {
            let change = TodoChange { due: due.map(str::to_owned), status, remind, priority: None };
            access.update_todo(id, &change, None).unwrap();
        };
        assert_eq!(schedule_of(&bench, &access, add(None, None)), None, "no date, no reminder");
        assert_eq!(schedule_of(&bench, &access, add(Some("2026-03-02T12:00"), Some(false))), None);
        let id = add(Some("2026-03-02T12:00"), None);
        assert_eq!(next_due(&bench, &access, id), "2026-03-02T11:00:00Z");
        change(id, Some("2026-03-02T15:00"), None, None);
        set(&bench, "2026-03-02T13:59:00Z");
        assert_eq!(due(&bench, &access), [], "it was put off");
        change(id, Some("2026-03-02T14:30"), None, None);
        let slot = due(&bench, &access)[0];
        assert_eq!(slot.1, at("2026-03-02T13:30:00Z"), "brought forward, it is due");
        assert!(surface(&bench, &access, slot));
        change(id, Some("2026-03-02T18:00"), None, None);
        assert_eq!(settle(&bench, &access, slot, Fate::Delivered), None, "too late: it was put off meanwhile");
        change(id, None, Some(TodoStatus::Done), None);
        assert_eq!(next_due(&bench, &access, id), "done");
        change(id, None, Some(TodoStatus::Pending), None);
        assert_eq!(next_due(&bench, &access, id), "2026-03-02T17:00:00Z", "taken up again");
        change(id, None, None, Some(false));
        assert_eq!(next_due(&bench, &access, id), "removed");
        change(id, None, None, Some(true));
        set(&bench, "2026-03-02T17:00:00Z");
        assert_eq!(settle(&bench, &access, due(&bench, &access)[0], Fate::Delivered).unwrap().next, None);
        assert_eq!(next_due(&bench, &access, id), "done");
        change(id, None, Some(TodoStatus::Cancelled), None);
        change(id, None, Some(TodoStatus::InProgress), None);
        assert_eq!(due(&bench, &access), [], "for one moment there is one reminder");
        change(id, Some("none"), None, None);
        assert_eq!(due(&bench, &access), []);
    }

    fn the_calendar_reminds_before_each_occurrence(bench: Bench) {
        let access = berlin(&bench);
        let mut draft = CalendarDraft::new("standup", "2026-03-02T11:00");
        draft.recurrence = Some("FREQ=DAILY;COUNT=5".into());
        draft.remind_minutes = Some(15);
        let id = access.add_to_calendar(draft.clone(), None).unwrap().id;
        access.remove_from_calendar(id, Some("2026-03-04T11:00"), None, None).unwrap();
        assert_eq!(next_due(&bench, &access, id), "2026-03-02T09:45:00Z");
        let mut seen = moments(&bench, &access, "2026-03-03T12:00:00Z");
        // The one that comes next does not take place.
        access.remove_from_calendar(id, Some("2026-03-05T11:00"), None, None).unwrap();
        seen.extend(moments(&bench, &access, "2026-03-10T12:00:00Z"));
        assert_eq!(seen, ["2026-03-02T09:45:00Z", "2026-03-03T09:45:00Z", "2026-03-06T09:45:00Z"]);
        assert_eq!(next_due(&bench, &access, id), "done");
        draft.start = "2026-03-20T11:00".into();
        set(&bench, "2026-03-20T09:50:00Z");
        let soon = access.add_to_calendar(draft.clone(), None).unwrap().id;
        assert_eq!(next_due(&bench, &access, soon), "2026-03-20T09:45:00Z", "what begins in ten minutes is told now");
        access.remove_from_calendar(soon, None, None, None).unwrap();
        assert_eq!(next_due(&bench, &access, soon), "removed");
        draft.remind_minutes = None;
        let quiet = access.add_to_calendar(draft.clone(), None).unwrap().id;
        draft.remind_minutes = Some(15);
        draft.start = "2026-02-01T11:00".into();
        let past = access.add_to_calendar(draft, None).unwrap().id;
        assert_eq!([quiet, past].map(|id| schedule_of(&bench, &access, id)), [None, None]);
        assert_eq!(due(&bench, &access), []);
    }

    fn reminders_far_ahead_follow_what_is_taken_off(bench: Bench) {
        let access = berlin(&bench);
        let mut draft = CalendarDraft::new("harvest", "2026-03-02T11:00");
        (draft.recurrence, draft.remind_minutes) = (Some("FREQ=DAILY".into()), Some(2 * 24 * 60));
        let id = access.add_to_calendar(draft, None).unwrap().id;
        // The first begins in an hour: it is told late, and the next to be told begins in two days and more.
        let slot = due(&bench, &access)[0];
        assert_eq!(slot.1, at("2026-02-28T10:00:00Z"));
        assert_eq!(settle(&bench, &access, slot, Fate::Delivered).unwrap().next, Some(at("2026-03-02T10:00:00Z")));
        access.remove_from_calendar(id, Some("2026-03-04T11:00"), None, None).unwrap();
        assert_eq!(next_due(&bench, &access, id), "2026-03-03T10:00:00Z", "not those that were told or passed over");
        access.remove_from_calendar(id, Some("2026-03-08T11:00"), None, None).unwrap();
        assert_eq!(next_due(&bench, &access, id), "2026-03-03T10:00:00Z");
    }

    /// A principal who travels hears at nine by the clock of the place, and misses no day by it.
    fn what_names_no_zone_follows_the_principal(bench: Bench) {
        let access = berlin(&bench);
        let maya = access.principal_add("maya", Some("Europe/Berlin"), None).unwrap().id;
        let hers = bench.access("berlin", Speaker::Principal(maya));
        let follows = hers.remember(tagged("stretch", "cron:daily:11:00"), None).unwrap().id;
        let stays = hers.remember(tagged("call home", "cron:daily:11:00:Europe/Berlin"), None).unwrap().id;
        access.principal_set("maya", None, Some("America/New_York"), None).unwrap();
        assert_eq!(next_due(&bench, &access, follows), "2026-03-02T16:00:00Z");
        assert_eq!(next_due(&bench, &access, stays), "2026-03-02T10:00:00Z");
        set(&bench, "2026-03-02T17:00:00Z");
        access.principal_set("maya", None, Some("Asia/Tokyo"), None).unwrap();
        assert_eq!(next_due(&bench, &access, follows), "2026-03-02T16:00:00Z", "what is due stays due");
        let row = schedule_of(&bench, &access, follows).unwrap();
        settle(&bench, &access, (row.id, at("2026-03-02T16:00:00Z")), Fate::Delivered).unwrap();
        access.principal_set("maya", None, Some("Asia/Kolkata"), None).unwrap();
        access.principal_set("maya", None, Some("Asia/Tokyo"), None).unwrap();
        assert_eq!(next_due(&bench, &access, follows), "2026-03-03T02:00:00Z");
    }

    /// K6: whatever else is stored, the newest of many is seen.
    fn the_newest_of_many_is_seen(bench: Bench) {
        let access = berlin(&bench);
        for number in 0..200 {
            access.remember(tagged(&format!("schedule number {number}"), "cron:daily:11:00"), None).unwrap();
        }
        for number in 0..300 {
            remember(&access, &format!("something else, number {number}"));
        }
        let newest = access.remember(tagged("the newest", "cron:once:2026-03-02T10:30"), None).unwrap().id;
        set(&bench, "2026-03-02T09:30:00Z");
        let row = schedule_of(&bench, &access, newest).unwrap();
        assert_eq!(due(&bench, &access), [(row.id, at("2026-03-02T09:30:00Z"))]);
        set(&bench, "2026-03-02T10:00:00Z");
        assert_eq!(due(&bench, &access).len(), 201, "no limit");
    }

    fn a_deadline_climbs_its_ladder(bench: Bench) {
        let access = berlin(&bench);
        let id = access.remember(plan("file the taxes", "2026-03-04T09:00:00Z"), None).unwrap().id;
        let agent = access.agent().id;
        let tell = |rung| {
            let now = bench.mind_time();
            bench.store().background("test", &[agent], |writer| due::tell_rung(writer, &Ladder::default(), agent, id, rung, now)).unwrap()
        };
        assert_eq!(deadline_of(&bench, &access, id).unwrap().next_rung_at, Some(at("2026-03-03T09:00:00Z")));
        set(&bench, "2026-03-03T09:00:00Z");
        assert_eq!(tell(Rung::Day), Some(at("2026-03-04T05:00:00Z")));
        set(&bench, "2026-03-04T09:30:00Z");
        assert_eq!(tell(Rung::Due), Some(at("2026-03-05T09:00:00Z")), "what was slept through is not told late");
        assert_eq!(tell(Rung::Hour), Some(at("2026-03-05T09:00:00Z")), "and does not come back");
        assert_eq!(deadline_of(&bench, &access, id).unwrap().told, Some(Rung::Due));
        set(&bench, "2026-03-08T08:59:00Z");
        assert_eq!(tell(Rung::OverdueThree), Some(at("2026-03-08T09:00:00Z")));
        let give_up = |muted| {
            let (whom, now) = (access.agent().operator, bench.mind_time());
            bench
                .store()
                .background("test", &[agent], |writer| due::give_up_deadlines(writer, &Ladder::default(), agent, whom, muted, now))
                .unwrap()
        };
        assert_eq!(give_up(false), [], "not yet");
        set(&bench, "2026-03-08T09:00:00Z");
        assert_eq!(give_up(false), [id]);
        assert_eq!(give_up(true), [], "once");
        let ended = deadline_of(&bench, &access, id).unwrap();
        assert_eq!((ended.next_rung_at, ended.ended.unwrap().1), (None, "missed".to_owned()));
        assert_eq!(tell(Rung::OverdueThree), None, "it has ended");
    }

    fn a_promise_is_kept_or_broken(bench: Bench) {
        let access = berlin(&bench);
        let ids = ["kept", "broken", "late"].map(|word| {
            access.remember(plan(&format!("a plan that is {word}"), "2026-03-03T09:00:00Z"), None).unwrap().id
        });
        let outcome = |id| deadline_of(&bench, &access, id).unwrap().ended.map(|(_, word)| word);
        access.resolve(ids[0]).unwrap();
        assert_eq!(outcome(ids[0]).as_deref(), Some("kept"));
        set(&bench, "2026-03-03T09:00:01Z");
        access.remember(Draft { resolves: Some(ids[1]), ..Draft::new("it was done at last") }, None).unwrap();
        assert_eq!(outcome(ids[1]).as_deref(), Some("broken"));
        assert_eq!(outcome(ids[2]), None);
        access.forget(ids[2], None).unwrap();
        assert_eq!(deadline_of(&bench, &access, ids[2]), None);
    }

    fn a_next_edition_stands_on_the_same_rung(bench: Bench) {
        let access = berlin(&bench);
        let first = access.remember(plan("file the taxes", "2026-03-03T08:00:00Z"), None).unwrap().id;
        let agent = access.agent().id;
        let now = bench.mind_time();
        bench.store().background("test", &[agent], |writer| due::tell_rung(writer, &Ladder::default(), agent, first, Rung::Day, now)).unwrap();
        let edit = Edit { content: Some("file the taxes, all of them".into()), ..Edit::default() };
        let second = access.edit(first, edit, None).unwrap().id;
        assert_eq!(deadline_of(&bench, &access, first), None);
        let moved = deadline_of(&bench, &access, second).unwrap();
        assert_eq!((moved.told, moved.next_rung_at), (Some(Rung::Day), Some(at("2026-03-03T04:00:00Z"))));
        // Put off by saying it again with another date.
        let third = access.remember(plan("file the taxes, all of them", "2026-03-10T08:00:00Z"), None).unwrap().id;
        assert_ne!(third, second);
        let fresh = deadline_of(&bench, &access, third).unwrap();
        assert_eq!((fresh.told, fresh.next_rung_at), (None, Some(at("2026-03-09T08:00:00Z"))));
        assert_eq!(deadline_of(&bench, &access, second), None);
    }

    fn the_heart_beats_when_something_is_due(bench: Bench) {
        let access = berlin(&bench);
        let operator = access.agent().operator;
        let first = beats_at(&bench, &access, operator).unwrap();
        assert!(first.since(at("2026-03-02T09:05:00Z")) < Duration::from_secs(1), "five minutes after they met");
        let maya = access.principal_add("maya", None, None).unwrap().id;
        assert!(beats_at(&bench, &access, maya).is_some());
        access.remember(tagged("soon", "cron:once:2026-03-02T09:02:00Z"), None).unwrap();
        assert_eq!(beats_at(&bench, &access, operator), Some(at("2026-03-02T09:02:00Z")));
        access.remember(tagged("later", "cron:once:2026-03-02T09:03:00Z"), None).unwrap();
        assert_eq!(beats_at(&bench, &access, operator), Some(at("2026-03-02T09:02:00Z")), "the earlier one");
        access.remember(plan("at once", "2026-03-02T09:30:00Z"), None).unwrap();
        assert_eq!(beats_at(&bench, &access, operator), Some(at("2026-03-02T08:30:00Z")), "an hour before is past");
        assert!(beats_at(&bench, &access, maya).unwrap() > at("2026-03-02T09:04:59Z"), "nobody else's");
    }

    fn the_list_shows_what_one_may_see(bench: Bench) {
        let access = berlin(&bench);
        let maya = access.principal_add("maya", None, None).unwrap().id;
        let hers = bench.access("berlin", Speaker::Principal(maya));
        access.remember(tagged("for all to see", "cron:daily:11:00"), None).unwrap();
        let private = Draft { privacy: selfsame::trust::Privacy::Private, ..tagged("mine alone", "cron:daily:10:30") };
        access.remember(private, None).unwrap();
        hers.add_todo(TodoDraft { due: Some("2026-03-02T12:00".into()), ..TodoDraft::new("order frames") }, None).unwrap();
        let seen = |access: &Access| -> Vec<(SourceKind, String)> {
            access.schedules(10).unwrap().into_iter().map(|card| (card.schedule.source.kind, card.what)).collect()
        };
        let shared = [(SourceKind::Memory, "for all to see".to_owned()), (SourceKind::Todo, "order frames".to_owned())];
        assert_eq!(seen(&hers), shared);
        assert_eq!(seen(&access)[0], (SourceKind::Memory, "mine alone".to_owned()), "the next first");
        assert_eq!(access.schedules(0).unwrap_err().class(), Class::BadInput);
    }
}

/// All that is known of when an operator's heart beats.
fn heart(bench: &Bench, access: &Access) -> Option<Time> {
    beats_at(bench, access, access.agent().operator)
}
