//! Each signal fires when it should and is silent when it should be, however much else is stored. Everything is built by
//! ordinary operations under a manual clock.

use crate::conversation::say;
use crate::entity::add;
use crate::knowledge;
use selfsame::conversation::{Place, Role, Saying};
use selfsame::id::{MemoryId, PrincipalId};
use selfsame::inbox::{Decision, Verdict};
use selfsame::kept::Kept;
use selfsame::memory::{Draft, Memory, MemoryKind};
use selfsame::principal::Principal;
use selfsame::signals::Seen;
use selfsame::time::{Time, Zone};
use selfsame::todo::TodoDraft;
use selfsame::trust::{Caller, Lineage, Privacy, Provenance};
use selfsame::{Access, Engine, Speaker};
use selfsame_core::heartbeat::{Finding, RefKind};
use selfsame_core::id::ScheduleId;
use selfsame_core::inbox::{Candidate, CandidateKind};
use selfsame_core::memory::sameness::Prints;
use selfsame_store::catalogue;
use selfsame_store::heartbeat::standing;
use selfsame_store::schedules;
use selfsame_store::signals::{self as scans, Bounds, StateCounts};
use selfsame_testkit::{Bench, both_engines};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

// What is seen ---------------------------------------------------------------------------------------------------------

fn principal(bench: &Bench, name: Option<&str>) -> Principal {
    let all = bench.main().principal_list().unwrap();
    let is_meant = |one: &&Principal| name.map_or(one.operator, |name| one.name == name);
    all.iter().find(is_meant).unwrap().clone()
}

fn seen(bench: &Bench, name: Option<&str>, acted_at: Option<Time>) -> Seen {
    bench.main().look_for_signals(&principal(bench, name), acted_at).unwrap()
}

fn of(seen: &Seen, signal: &str) -> Vec<Finding> {
    let (_, findings) = seen.found.iter().find(|(known, _)| known.name == signal).unwrap();
    findings.clone()
}

/// What a signal finds for the operator.
fn found(bench: &Bench, signal: &str) -> Vec<Finding> {
    of(&seen(bench, None, None), signal)
}

/// The ids and statuses of what a signal finds for the operator.
fn statuses(bench: &Bench, signal: &str) -> Vec<String> {
    let mut all: Vec<String> = found(bench, signal).into_iter().map(|finding| finding.status).collect();
    all.sort();
    all
}

/// Every signal that finds something for somebody.
fn firing(bench: &Bench, name: Option<&str>) -> BTreeMap<String, usize> {
    let seen = seen(bench, name, None);
    let firing = seen.found.into_iter().filter(|(_, findings)| !findings.is_empty());
    firing.map(|(signal, findings)| (signal.name, findings.len())).collect()
}

fn remember(access: &Access, content: &str, change: impl FnOnce(&mut Draft)) -> MemoryId {
    let mut draft = Draft::new(content);
    change(&mut draft);
    access.remember(draft, None).unwrap().id
}

fn of_kind(access: &Access, kind: MemoryKind, content: &str) -> MemoryId {
    remember(access, content, |draft| draft.kind = kind)
}

fn maya(bench: &Bench) -> PrincipalId {
    bench.main().principal_add("maya", None, None).unwrap().id
}

/// Something that came with an import and was let in.
fn imported(bench: &Bench, kind: MemoryKind, content: &str) -> MemoryId {
    let access = bench.main();
    let caller = Caller::import(Some(access.agent().operator));
    let candidate = crate::inbox::said(bench, access.agent(), content, CandidateKind::Decision, 0.9, None);
    let candidate = Kept::new(
        Candidate { memory_kind: kind, ..candidate.words },
        Provenance::stated(&caller, None, Privacy::Shared),
    );
    let id = crate::inbox::file(bench, access.agent(), &[candidate], 100)[0].id;
    let reviewed = access.review_inbox(&[Decision::new(id, Verdict::Promote)]).unwrap();
    reviewed[0].candidate.memory.unwrap()
}

// The fourteen ---------------------------------------------------------------------------------------------------------

fn scheduled(bench: &Bench) {
    let access = bench.main();
    remember(&access, "the rent is high", |draft| draft.tags = vec!["cron".into()]);
    assert_eq!(found(bench, "scheduled"), [], "a label is no schedule");
    let rent = remember(&access, "pay the rent", |draft| draft.tags = vec!["cron:every:2h".into()]);
    bench.clock().advance(HOUR);
    assert_eq!(found(bench, "scheduled"), [], "not yet");
    bench.clock().advance(HOUR + MINUTE);
    let due = found(bench, "scheduled");
    assert_eq!(
        due.iter().map(|one| (one.kind, one.label.as_str())).collect::<Vec<_>>(),
        [(RefKind::Schedule, "pay the rent")]
    );
    access.recall(&selfsame::recall::Question::new("rent")).unwrap();
    bench.mind().write_touches().unwrap();
    assert_eq!(found(bench, "scheduled"), due, "to be recalled settles nothing");
    let todo = TodoDraft {
        due: Some(bench.mind_time().saturating_add(HOUR).to_string()),
        remind: Some(true),
        ..TodoDraft::new("water the fern")
    };
    access.add_todo(todo, None).unwrap();
    assert_eq!(found(bench, "scheduled").len(), 1);
    bench.clock().advance(HOUR + MINUTE);
    let mut labels: Vec<String> = found(bench, "scheduled").into_iter().map(|one| one.label).collect();
    labels.sort();
    assert_eq!(labels, ["pay the rent", "water the fern"]);
    access.forget(rent, None).unwrap();
    assert_eq!(found(bench, "scheduled").len(), 1, "what is forgotten is not due");
    let due = found(bench, "scheduled").remove(0);
    let agent = access.agent().id;
    let surfaced = bench.store().write(access.caller(), &[agent], None, |writer| {
        schedules::surface(writer, agent, ScheduleId::of(due.id), due.due_at.unwrap())
    });
    assert!(surfaced.unwrap());
    assert_eq!(found(bench, "scheduled"), [], "each due moment is told once");
}

fn deadline(bench: &Bench) {
    let access = bench.main();
    let due = bench.mind_time().saturating_add(48 * HOUR);
    let tax = remember(&access, "hand in the tax return", |draft| {
        (draft.kind, draft.expires_at) = (MemoryKind::Plan, Some(due));
    });
    remember(&access, "the tax office is closed", |_| {});
    bench.clock().advance(20 * HOUR);
    assert_eq!(found(bench, "deadline"), [], "it is more than a day away");
    bench.clock().advance(5 * HOUR);
    assert_eq!(statuses(bench, "deadline"), ["24h"]);
    assert_eq!((found(bench, "deadline")[0].id, found(bench, "deadline")[0].due_at), (tax.id(), Some(due)));
    bench.clock().advance(20 * HOUR);
    assert_eq!(statuses(bench, "deadline"), ["4h"], "the newest rung alone");
    bench.clock().advance(2 * HOUR + 30 * MINUTE);
    assert_eq!(statuses(bench, "deadline"), ["1h"]);
    bench.clock().advance(HOUR);
    assert_eq!(statuses(bench, "deadline"), ["due"]);
    bench.clock().advance(DAY);
    assert_eq!(statuses(bench, "deadline"), ["overdue_1"]);
    access.resolve(tax).unwrap();
    assert_eq!(found(bench, "deadline"), [], "it is done");
    let late = bench.mind_time().saturating_add(HOUR);
    remember(&access, "call the office", |draft| draft.expires_at = Some(late));
    bench.clock().advance(6 * DAY);
    assert_eq!(found(bench, "deadline"), [], "it was given up");
}

fn conflict(bench: &Bench) {
    let access = bench.main();
    let three = remember(&access, "The call is at 3 pm", |_| {});
    assert_eq!(found(bench, "conflict"), [], "one fact is at odds with nothing");
    remember(&access, "The dinner is at 4 pm", |_| {});
    assert_eq!(found(bench, "conflict"), [], "another matter");
    let four = remember(&access, "The call is at 4 pm", |_| {});
    let both = found(bench, "conflict");
    assert_eq!(both.len(), 1);
    assert_eq!((both[0].kind, both[0].id, both[0].status.as_str()), (RefKind::Memory, four.id(), "number"));
    assert_eq!(both[0].label, "The call is at 4 pm / The call is at 3 pm", "both sides are there");
    access.forget(three, None).unwrap();
    assert_eq!(found(bench, "conflict"), [], "one side is gone");
    let private = |draft: &mut Draft| draft.privacy = Privacy::Private;
    remember(&access, "The call is at 5 pm", private);
    assert_eq!(found(bench, "conflict"), [], "private words are at odds with nothing");
}

fn conflict_of_beliefs(bench: &Bench) {
    let access = bench.main();
    for _ in 0..3 {
        knowledge::say(&access, "Maya prefers PostgreSQL");
        bench.clock().advance(DAY);
    }
    access.know(&Default::default()).unwrap();
    assert_eq!(found(bench, "conflict"), []);
    maya(bench);
    let other = bench.access("main", Speaker::Principal(principal(bench, Some("maya")).id));
    for _ in 0..3 {
        knowledge::say(&other, "Jonas prefers Rust");
        bench.clock().advance(DAY);
    }
    knowledge::say(&other, "Jonas prefers Go");
    other.know(&Default::default()).unwrap();
    assert_eq!(other.conflicts(false, 10).unwrap().len(), 1);
    let contested = of(&seen(bench, Some("maya"), None), "conflict");
    let expected = other.conflicts(false, 10).unwrap()[0].belief.observation.clone();
    let of_operator = found(bench, "conflict");
    let all: Vec<&Finding> = contested.iter().chain(&of_operator).collect();
    assert_eq!(all.len(), 1, "it is one heartbeat's");
    assert_eq!(
        (all[0].kind, all[0].id, all[0].status.as_str()),
        (RefKind::Observation, expected.id.id(), "contested")
    );
}

fn continuity(bench: &Bench) {
    let access = bench.main();
    let host = bench.access("main", Speaker::Host(Some(access.agent().operator)));
    let said = say(&access, "desk", "can you look at the invoices?");
    bench.clock().advance(10 * MINUTE);
    assert_eq!(found(bench, "continuity"), [], "it is still going on");
    bench.clock().advance(10 * MINUTE);
    assert_eq!(statuses(bench, "continuity"), ["unanswered"]);
    assert_eq!(found(bench, "continuity")[0].id, said.conversation.id());
    access.conversation_active(said.conversation, Some(bench.mind_time().saturating_add(HOUR))).unwrap();
    assert_eq!(found(bench, "continuity"), [], "a run is on");
    access.conversation_active(said.conversation, None).unwrap();
    bench.clock().advance(12 * HOUR);
    assert_eq!(found(bench, "continuity"), [], "that was yesterday");

    say(&access, "desk", "and now?");
    let answer = Saying { role: Some(Role::Assistant), ..Saying::new(Place::Channel("desk".into()), "done") };
    host.conversation_say(&answer, None).unwrap();
    bench.clock().advance(20 * MINUTE);
    assert_eq!(found(bench, "continuity"), [], "it was answered");
    let work = of_kind(&access, MemoryKind::Activity, "sorting the invoices");
    assert_eq!(statuses(bench, "continuity"), ["unfinished"]);
    access.resolve(work).unwrap();
    assert_eq!(found(bench, "continuity"), [], "it was finished");
    say(&access, "desk", "one more thing");
    bench.clock().advance(20 * MINUTE);
    assert_eq!(statuses(bench, "continuity"), ["unanswered"]);
    access.conversation_close(said.conversation).unwrap();
    assert_eq!(found(bench, "continuity"), [], "it is closed");
}

fn stale_monitor(bench: &Bench) {
    let access = bench.main();
    let boiler = remember(&access, "the boiler", |_| {});
    access.monitor(boiler, "2h", None).unwrap();
    bench.clock().advance(HOUR);
    assert_eq!(found(bench, "stale_monitor"), [], "not yet");
    bench.clock().advance(2 * HOUR);
    assert_eq!(found(bench, "stale_monitor").iter().map(|one| one.id).collect::<Vec<_>>(), [boiler.id()]);
    access.recall(&selfsame::recall::Question::new("boiler")).unwrap();
    bench.mind().write_touches().unwrap();
    assert_eq!(found(bench, "stale_monitor").len(), 1, "to be recalled is no check");
    access.monitor_checked(boiler, None, None).unwrap();
    assert_eq!(found(bench, "stale_monitor"), [], "it was looked at");
    bench.clock().advance(3 * HOUR);
    assert_eq!(found(bench, "stale_monitor").len(), 1);
    access.monitor_end(boiler, None).unwrap();
    assert_eq!(found(bench, "stale_monitor"), [], "it has ended");
}

fn memory_velocity(bench: &Bench) {
    let access = bench.main();
    let store = |from: usize, to: usize| {
        for number in from..to {
            remember(&access, &format!("entry {number} of the inventory is {}", number * 7), |_| {});
        }
    };
    store(0, 4);
    assert_eq!(found(bench, "memory_velocity"), []);
    store(4, 5);
    assert_eq!(statuses(bench, "memory_velocity"), ["5"]);
    store(5, 20);
    assert_eq!(statuses(bench, "memory_velocity"), ["20"]);
    let acted = Some(bench.mind_time());
    bench.clock().advance(MINUTE);
    assert_eq!(of(&seen(bench, None, acted), "memory_velocity"), [], "all of that was before the act");
    store(20, 25);
    let since = of(&seen(bench, None, acted), "memory_velocity");
    assert_eq!(
        since.iter().map(|one| one.status.as_str()).collect::<Vec<_>>(),
        ["5"],
        "counted since the act"
    );
    bench.clock().advance(25 * HOUR);
    assert_eq!(of(&seen(bench, None, acted), "memory_velocity"), [], "a day ago is not new");
}

fn pending_work(bench: &Bench) {
    let access = bench.main();
    remember(&access, "the plan was good", |_| {});
    assert_eq!(found(bench, "pending_work"), [], "a fact is no work");
    let plan = of_kind(&access, MemoryKind::Plan, "repaint the fence");
    let soon = remember(&access, "hand in the tax return", |draft| {
        draft.kind = MemoryKind::Plan;
        draft.expires_at = Some(bench.mind_time().saturating_add(20 * DAY));
    });
    assert_eq!(statuses(bench, "pending_work"), ["open", "open"]);
    bench.clock().advance(8 * DAY);
    let due = found(bench, "pending_work");
    assert_eq!(due.iter().map(|one| (one.id, one.status.as_str())).collect::<Vec<_>>(), [(soon.id(), "due")]);
    remember(&access, "bought paint", |draft| {
        draft.kind = MemoryKind::Activity;
        draft.goal = Some(plan);
    });
    assert_eq!(found(bench, "pending_work").len(), 3, "the plan was touched by its activity");
    access.resolve(plan).unwrap();
    assert!(found(bench, "pending_work").iter().all(|one| one.id != plan.id()), "it is done");
}

fn goal_progress(bench: &Bench) {
    let access = bench.main();
    let plan = of_kind(&access, MemoryKind::Plan, "repaint the fence");
    bench.clock().advance(6 * DAY);
    assert_eq!(found(bench, "goal_progress"), [], "it is young");
    bench.clock().advance(2 * DAY);
    assert_eq!(statuses(bench, "goal_progress"), ["stalled"]);
    of_kind(&access, MemoryKind::Plan, "repaint the fence");
    assert_eq!(statuses(bench, "goal_progress"), ["stalled"], "saying it again is no work");
    remember(&access, "bought paint", |draft| {
        draft.kind = MemoryKind::Activity;
        draft.goal = Some(plan);
    });
    assert_eq!(found(bench, "goal_progress"), [], "there was work");
    let due = bench.mind_time().saturating_add(20 * DAY);
    remember(&access, "hand in the tax return", |draft| {
        draft.kind = MemoryKind::Plan;
        draft.expires_at = Some(due);
    });
    bench.clock().advance(8 * DAY);
    assert_eq!(statuses(bench, "goal_progress"), ["at_risk", "stalled"]);
    access.resolve(plan).unwrap();
    assert_eq!(statuses(bench, "goal_progress"), ["at_risk"]);
}

fn knowledge_gap(bench: &Bench) {
    let access = bench.main();
    let question = of_kind(&access, MemoryKind::Question, "which paint does the fence need?");
    bench.clock().advance(30 * MINUTE);
    assert_eq!(found(bench, "knowledge_gap"), [], "it was just asked");
    bench.clock().advance(HOUR);
    assert_eq!(found(bench, "knowledge_gap").iter().map(|one| one.id).collect::<Vec<_>>(), [question.id()]);
    remember(&access, "the herons are back", |_| {});
    assert_eq!(found(bench, "knowledge_gap").len(), 1, "that is no answer");
    let answered = access.remember(Draft::new("the fence needs an oil paint"), None).unwrap();
    assert_eq!(answered.answers, Some(question), "linked by its words");
    assert_eq!(found(bench, "knowledge_gap"), [], "something answers it");
    access.forget(answered.id, None).unwrap();
    assert_eq!(found(bench, "knowledge_gap").len(), 1, "the answer is gone");
    access.remember(Draft::new("the fence needs a lacquer paint"), None).unwrap();
    assert_eq!(found(bench, "knowledge_gap"), []);
    let other = of_kind(&access, MemoryKind::Question, "who has the ladder?");
    bench.clock().advance(2 * HOUR);
    assert_eq!(found(bench, "knowledge_gap").len(), 1);
    access.resolve(other).unwrap();
    assert_eq!(found(bench, "knowledge_gap"), [], "it is settled");
}

fn decaying(bench: &Bench) {
    let access = bench.main();
    let key = remember(&access, "the spare key is under the pot", |draft| draft.importance = 0.8);
    remember(&access, "the pot is blue", |draft| draft.importance = 0.6);
    remember(&access, "the pot is old", |draft| (draft.importance, draft.pinned) = (0.9, true));
    assert_eq!(found(bench, "decaying"), [], "it is fresh");
    let fades_at = access.memory(key).unwrap().unwrap().life.decline.fades_at.unwrap();
    bench.clock().advance(fades_at.since(bench.mind_time()) + HOUR);
    assert_eq!(found(bench, "decaying").iter().map(|one| one.id).collect::<Vec<_>>(), [key.id()]);
    let stale_at = access.memory(key).unwrap().unwrap().life.decline.stale_at.unwrap();
    bench.clock().advance(stale_at.since(bench.mind_time()) + HOUR);
    assert_eq!(found(bench, "decaying"), [], "it is too late");
}

fn feel(access: &Access, number: usize, valence: f64) {
    remember(access, &format!("note {number} about the garden"), |draft| {
        draft.affect.valence = Some(valence);
    });
}

fn sentiment(bench: &Bench) {
    let access = bench.main();
    (0..3).for_each(|number| feel(&access, number, -2.0));
    assert_eq!(found(bench, "sentiment"), [], "three are no trend");
    (3..23).for_each(|number| feel(&access, number, 0.2));
    assert_eq!(found(bench, "sentiment"), [], "an even mood");
    let agent = bench.access("main", Speaker::Agent(None));
    (23..40).for_each(|number| feel(&agent, number, -2.0));
    assert_eq!(found(bench, "sentiment"), [], "what the agent feels is its own");
    (40..50).for_each(|number| feel(&access, number, -1.0));
    assert_eq!(statuses(bench, "sentiment"), ["falling"]);
    (50..60).for_each(|number| feel(&access, number, -1.8));
    assert_eq!(statuses(bench, "sentiment"), ["falling"]);
    (60..80).for_each(|number| feel(&access, number, -1.8));
    assert_eq!(statuses(bench, "sentiment"), ["low"]);
    (80..90).for_each(|number| feel(&access, number, 1.0));
    assert_eq!(statuses(bench, "sentiment"), ["rising"]);
}

fn relationship(bench: &Bench) {
    let access = bench.main();
    add(&access, "Zoe", &[]);
    add(&access, "Noah", &[]);
    of_kind(&access, MemoryKind::Plan, "build a shed with Zoe");
    remember(&access, "Noah likes herons", |_| {});
    bench.clock().advance(6 * DAY);
    assert_eq!(found(bench, "relationship"), [], "six days are no silence");
    bench.clock().advance(2 * DAY);
    let silent = found(bench, "relationship");
    assert_eq!(
        silent.iter().map(|one| (one.label.as_str(), one.status.as_str())).collect::<Vec<_>>(),
        [("Zoe", "7")]
    );
    bench.clock().advance(7 * DAY);
    assert_eq!(statuses(bench, "relationship"), ["14"]);
    remember(&access, "met Zoe at the lake", |_| {});
    assert_eq!(found(bench, "relationship"), [], "she was spoken of");
    bench.clock().advance(8 * DAY);
    say(&access, "desk", "Zoe called");
    assert_eq!(found(bench, "relationship"), [], "and again, in a conversation");
    remember(&access, "buy a present for Noah", |draft| {
        draft.expires_at = Some(bench.mind_time().saturating_add(20 * DAY));
    });
    bench.clock().advance(8 * DAY);
    let mut names: Vec<String> = found(bench, "relationship").into_iter().map(|one| one.label).collect();
    names.sort();
    assert_eq!(names, ["Noah", "Zoe"], "the deadline is within two weeks now");
}

fn pattern(bench: &Bench) {
    let access = bench.main();
    add(&access, "Zoe", &[]);
    // The bench begins on a Thursday.
    let week = |bench: &Bench| bench.clock().advance(7 * DAY);
    for number in 0..2 {
        remember(&access, &format!("choir with Zoe, evening {number}"), |_| {});
        week(bench);
    }
    assert_eq!(found(bench, "pattern"), [], "twice is no habit");
    remember(&access, "choir with Zoe", |_| {});
    assert_eq!(statuses(bench, "pattern"), ["thursday"]);
    bench.clock().advance(DAY);
    assert_eq!(found(bench, "pattern"), [], "today is another day");
    bench.clock().advance(6 * DAY);
    assert_eq!(statuses(bench, "pattern"), ["thursday"]);
    let agent = bench.access("main", Speaker::Agent(None));
    add(&access, "Noah", &[]);
    for number in 0..4 {
        remember(&agent, &format!("noticed Noah, {number}"), |_| {});
        week(bench);
    }
    assert_eq!(found(bench, "pattern").len(), 1, "what the agent notes is no habit of theirs");
    bench.clock().advance(12 * 7 * DAY);
    assert_eq!(found(bench, "pattern"), [], "that was long ago");
}

/// Keeps how things stand, as an act does.
fn act(bench: &Bench) {
    let access = bench.main();
    let agent = access.agent().id;
    let marks = scans::marks_now(&seen(bench, None, None).found);
    let (who, now) = (principal(bench, None).id, bench.mind_time());
    let kept = bench
        .store()
        .write(access.caller(), &[agent], None, |writer| scans::keep_marks(writer, agent, who, &marks, now));
    kept.unwrap();
    bench.clock().advance(MINUTE);
}

fn positive_delta(bench: &Bench) {
    let access = bench.main();
    add(&access, "Zoe", &[]);
    let shed = of_kind(&access, MemoryKind::Plan, "build a shed with Zoe");
    let fence = of_kind(&access, MemoryKind::Plan, "repaint the fence");
    (0..20).for_each(|number| feel(&access, number, -2.0));
    bench.clock().advance(8 * DAY);
    assert_eq!(found(bench, "positive_delta"), [], "nothing was kept to compare with");
    act(bench);
    assert_eq!(found(bench, "positive_delta"), [], "nothing has changed");
    access.resolve(fence).unwrap();
    assert_eq!(statuses(bench, "positive_delta"), ["resolved"]);
    remember(&access, "bought planks", |draft| {
        draft.kind = MemoryKind::Activity;
        draft.goal = Some(shed);
    });
    assert_eq!(statuses(bench, "positive_delta"), ["on_track", "resolved"]);
    say(&access, "desk", "Zoe called");
    assert_eq!(statuses(bench, "positive_delta"), ["on_track", "re_engaged", "resolved"]);
    (20..40).for_each(|number| feel(&access, number, 0.5));
    assert_eq!(statuses(bench, "positive_delta"), ["on_track", "re_engaged", "recovered", "resolved"]);
    act(bench);
    assert_eq!(found(bench, "positive_delta"), [], "all of that was told");
}

type Scenario = (&'static str, fn(&Bench));

/// Every scenario, by the signal that it is about.
const SCENARIOS: [Scenario; 15] = [
    ("scheduled", scheduled),
    ("deadline", deadline),
    ("conflict", conflict),
    ("conflict of beliefs", conflict_of_beliefs),
    ("continuity", continuity),
    ("stale_monitor", stale_monitor),
    ("memory_velocity", memory_velocity),
    ("pending_work", pending_work),
    ("goal_progress", goal_progress),
    ("knowledge_gap", knowledge_gap),
    ("decaying", decaying),
    ("sentiment", sentiment),
    ("relationship", relationship),
    ("pattern", pattern),
    ("positive_delta", positive_delta),
];

both_engines! {
    fn what_is_scheduled_is_seen_when_it_is_due(bench: Bench) {
        scheduled(&bench);
    }

    fn a_deadline_is_seen_rung_by_rung(bench: Bench) {
        deadline(&bench);
    }

    fn k12_a_contradiction_is_seen_with_both_its_sides(bench: Bench) {
        conflict(&bench);
    }

    fn a_contested_belief_is_seen_by_whose_it_is(bench: Bench) {
        conflict_of_beliefs(&bench);
    }

    fn a_conversation_that_broke_off_is_seen(bench: Bench) {
        continuity(&bench);
    }

    fn a_monitor_that_was_not_checked_is_seen(bench: Bench) {
        stale_monitor(&bench);
    }

    fn k1_much_that_is_new_is_seen_since_the_last_act(bench: Bench) {
        memory_velocity(&bench);
    }

    fn work_that_is_under_way_is_seen(bench: Bench) {
        pending_work(&bench);
    }

    fn a_plan_that_stands_still_is_seen(bench: Bench) {
        goal_progress(&bench);
    }

    fn a_question_without_an_answer_is_seen(bench: Bench) {
        knowledge_gap(&bench);
    }

    fn what_is_about_to_be_forgotten_is_seen(bench: Bench) {
        decaying(&bench);
    }

    fn a_mood_that_changes_is_seen(bench: Bench) {
        sentiment(&bench);
    }

    fn somebody_who_fell_silent_is_seen(bench: Bench) {
        relationship(&bench);
    }

    fn a_habit_is_seen_on_its_day(bench: Bench) {
        pattern(&bench);
    }

    fn what_got_better_is_seen_until_it_was_told(bench: Bench) {
        positive_delta(&bench);
    }

    fn an_empty_mind_sees_nothing_and_fourteen_times(bench: Bench) {
        let seen = seen(&bench, None, None);
        assert_eq!(seen.found.len(), 14);
        assert!(seen.found.iter().all(|(_, findings)| findings.is_empty()), "{:?}", seen.found);
        assert_eq!(seen.broken, []);
    }
}

// Whose they are -------------------------------------------------------------------------------------------------------

/// Gives one principal something for nearly every signal.
fn busy(bench: &Bench, access: &Access) {
    add(access, "Zoe", &[]);
    of_kind(access, MemoryKind::Plan, "build a shed with Zoe");
    of_kind(access, MemoryKind::Question, "which paint does the fence need?");
    remember(access, "The call is at 3 pm", |_| {});
    remember(access, "The call is at 4 pm", |_| {});
    let boiler = remember(access, "the boiler", |draft| draft.importance = 0.9);
    access.monitor(boiler, "2h", None).unwrap();
    (0..20).for_each(|number| feel(access, number, -2.0));
    bench.clock().advance(8 * DAY);
    (20..26).for_each(|number| feel(access, number, -2.0));
    of_kind(access, MemoryKind::Activity, "sorting the invoices");
    say(access, "desk", "can you look at the invoices?");
    bench.clock().advance(20 * MINUTE);
}

both_engines! {
    fn k16_what_is_one_principals_never_feeds_anothers(bench: Bench) {
        let other = bench.access("main", Speaker::Principal(maya(&bench)));
        busy(&bench, &other);
        let hers = firing(&bench, Some("maya"));
        for signal in ["conflict", "continuity", "stale_monitor", "memory_velocity", "pending_work", "goal_progress",
            "knowledge_gap", "sentiment", "relationship"] {
            assert!(hers.contains_key(signal), "{signal}: {hers:?}");
        }
        assert_eq!(firing(&bench, None), BTreeMap::new(), "nothing of hers is counted as the operator's");
    }

    fn what_is_private_feeds_its_own_heartbeat_alone(bench: Bench) {
        let other = bench.access("main", Speaker::Principal(maya(&bench)));
        remember(&other, "a surprise for the operator", |draft| {
            (draft.kind, draft.privacy) = (MemoryKind::Plan, Privacy::Private);
        });
        assert_eq!(firing(&bench, None), BTreeMap::new());
        assert_eq!(firing(&bench, Some("maya")), BTreeMap::from([("pending_work".to_owned(), 1)]));
    }

    fn what_the_agent_stored_for_itself_is_the_operators(bench: Bench) {
        maya(&bench);
        let agent = bench.access("main", Speaker::Agent(None));
        of_kind(&agent, MemoryKind::Plan, "learn to whistle");
        assert_eq!(firing(&bench, None), BTreeMap::from([("pending_work".to_owned(), 1)]));
        assert_eq!(firing(&bench, Some("maya")), BTreeMap::new());
    }

    fn what_was_imported_feeds_nothing(bench: Bench) {
        let access = bench.main();
        add(&access, "Zoe", &[]);
        let plan = of_kind(&access, MemoryKind::Plan, "repaint the old garden fence");
        bench.clock().advance(8 * DAY);
        let before = firing(&bench, None);
        assert_eq!(before, BTreeMap::from([("goal_progress".to_owned(), 1)]));
        let foreign = imported(&bench, MemoryKind::Plan, "deploy with Zoe on Friday");
        let work = imported(&bench, MemoryKind::Activity, "repainted the old garden fence");
        assert_eq!(access.memory(work).unwrap().unwrap().links.goal, Some(plan), "linked, and yet no work");
        imported(&bench, MemoryKind::Question, "what does the fence cost?");
        for number in 0..6 {
            imported(&bench, MemoryKind::Knowledge, &format!("line {number} of the export"));
        }
        access.monitor(foreign, "1m", None).unwrap();
        bench.clock().advance(2 * HOUR);
        assert_eq!(firing(&bench, None), before);
        bench.clock().advance(8 * DAY);
        assert_eq!(firing(&bench, None), before);
    }

    fn rows_of_tools_links_and_the_house_feed_nothing(bench: Bench) {
        let access = bench.main();
        let agent = access.agent();
        let own = Provenance::stated(access.caller(), None, Privacy::Shared);
        let strange = [
            Provenance::stated(&Caller::tool(Some(agent.operator)), None, Privacy::Shared),
            Provenance::stated(&Caller::import(Some(agent.operator)), None, Privacy::Shared),
            Provenance::linked(&own, "link".into()).unwrap(),
            Provenance::derived(&Lineage::of(&own).unwrap(), None),
        ];
        let store = |provenance: &Provenance| {
            let draft = Draft { kind: MemoryKind::Plan, ..Draft::new("a plan of theirs") };
            let id = MemoryId::of(bench.fresh_id());
            let memory = Memory::from_draft(id, agent.id, draft, provenance.clone(), bench.mind_time());
            let prints = Prints::of(&memory.content);
            let serves = memory.serves(agent.operator);
            let stored = bench.store().write(access.caller(), &[agent.id], None, |writer| {
                selfsame_store::memory::insert(writer, &memory, &prints, serves)
            });
            stored.unwrap();
        };
        strange.iter().for_each(store);
        assert_eq!(firing(&bench, None), BTreeMap::new());
        store(&own);
        assert_eq!(firing(&bench, None), BTreeMap::from([("pending_work".to_owned(), 1)]), "the same in one's own name");
    }

    fn an_episode_feeds_nothing(bench: Bench) {
        bench.main();
        let agent = bench.access("main", Speaker::Agent(None));
        for number in 0..6 {
            remember(&agent, &format!("session {number} went well"), |draft| draft.kind = MemoryKind::Episode);
        }
        assert_eq!(firing(&bench, None), BTreeMap::new());
    }

    fn k15_another_agents_rows_feed_nothing(bench: Bench) {
        bench.agent("second");
        busy(&bench, &bench.access("second", Speaker::Operator));
        assert_eq!(firing(&bench, None), BTreeMap::new(), "whose it is stands in every scan");
    }

    fn k7_to_be_recalled_settles_nothing(bench: Bench) {
        let access = bench.main();
        let boiler = remember(&access, "look after the boiler", |draft| draft.tags = vec!["cron:every:1h".into()]);
        access.monitor(boiler, "1h", None).unwrap();
        of_kind(&access, MemoryKind::Plan, "replace the boiler");
        bench.clock().advance(8 * DAY);
        let before = firing(&bench, None);
        assert_eq!(before.keys().map(String::as_str).collect::<Vec<_>>(), ["goal_progress", "scheduled", "stale_monitor"]);
        assert_eq!(access.recall(&selfsame::recall::Question::new("boiler")).unwrap().hits.len(), 2);
        bench.mind().write_touches().unwrap();
        assert_eq!(firing(&bench, None), before);
    }

    fn what_is_counted_beside_signals(bench: Bench) {
        let access = bench.main();
        let agent = access.agent().clone();
        let other = bench.access("main", Speaker::Principal(maya(&bench)));
        let counts = |acted_at| {
            let bounds = Bounds::at(bench.mind_time(), &Zone::utc(), acted_at, agent.operator, bench.mind().settings().heartbeat.scans());
            bench.store().read(access.caller(), &[agent.id], |reader| {
                scans::state_counts(reader, agent.id, agent.operator, &bounds, 5)
            }).unwrap()
        };
        (0..7).for_each(|number| feel(&other, number, 1.0));
        say(&other, "lounge", "hello");
        assert_eq!(counts(None), StateCounts::default(), "nobody else is counted");
        (0..7).for_each(|number| feel(&access, number, 1.0));
        let stated = bench.mind_time();
        let after = counts(None);
        assert_eq!((after.memories, after.new_memories, after.last_message_at), (5, 7, None));
        assert!(after.wrote_at.unwrap() <= stated);
        let acted = Some(bench.mind_time());
        bench.clock().advance(HOUR);
        feel(&bench.access("main", Speaker::Agent(None)), 7, 1.0);
        assert_eq!((counts(acted).new_memories, counts(acted).wrote_at), (1, after.wrote_at), "the agent's is no word of theirs");
        let said = say(&access, "desk", "hello");
        let spoken = counts(acted);
        assert!(spoken.wrote_at > after.wrote_at && spoken.wrote_at == spoken.last_message_at);
        let host = bench.access("main", Speaker::Host(Some(agent.operator)));
        let answer = Saying { role: Some(Role::Assistant), ..Saying::new(Place::Channel("desk".into()), "hi") };
        host.conversation_say(&answer, None).unwrap();
        assert!(counts(acted).last_message_at > spoken.last_message_at);
        assert_eq!(counts(acted).wrote_at, spoken.wrote_at);
        let until = bench.mind_time().saturating_add(HOUR);
        access.conversation_active(said.conversation, Some(until)).unwrap();
        assert_eq!(counts(acted).host_active_until, Some(until));
        bench.clock().advance(2 * HOUR);
        assert_eq!(counts(acted).host_active_until, None, "that run is over");
    }

    fn looking_changes_nothing_and_asks_nothing_but_sql(bench: Bench) {
        busy(&bench, &bench.main());
        let before = bench.dump();
        let (access, operator) = (bench.main(), principal(&bench, None));
        let statements = || bench.store().counters().statements();
        let (at, written) = (statements(), bench.store().counters().commits());
        access.look_for_signals(&operator, None).unwrap();
        assert_eq!(statements() - at, 2, "one statement for the mood, one for all others, and nothing else");
        assert_eq!(bench.store().counters().commits(), written, "nothing was written");
        assert_eq!(bench.dump(), before);
    }
}

// More than is counted -------------------------------------------------------------------------------------------------

both_engines! {
    fn what_was_told_is_looked_past(bench: Bench) {
        let access = bench.main();
        let (agent, who) = (access.agent().id, principal(&bench, None));
        let plans: Vec<MemoryId> = (0..130)
            .map(|number| {
                bench.clock().advance(MINUTE);
                of_kind(&access, MemoryKind::Plan, &format!("plan number {number}, {}", number * 31))
            })
            .collect();
        let ids = |found: Vec<Finding>| {
            let mut ids: Vec<_> = found.into_iter().map(|one| one.id).collect();
            ids.sort();
            ids
        };
        let expected = |plans: &[MemoryId]| plans.iter().map(|one| one.id()).collect::<Vec<_>>();
        assert_eq!(ids(found(&bench, "pending_work")), expected(&plans[30..]), "the newest");
        let now = bench.mind_time();
        let told: Vec<_> = plans[20..].iter().map(|one| one.id()).collect();
        let surfaced = bench.store().write(access.caller(), &[agent], None, |writer| {
            standing::surface(writer, agent, who.id, &told, now, now.saturating_sub(DAY))
        });
        surfaced.unwrap();
        assert_eq!(found(&bench, "pending_work").len(), 100, "they are still seen");
        let fresh = |name: &str, told_after| {
            let bounds = Bounds::at(now, &Zone::utc(), None, access.agent().operator, bench.mind().settings().heartbeat.scans());
            let signal = scans::built_in_signals().find(|signal| signal.name == name).unwrap();
            let found = bench.store().read(access.caller(), &[agent], |reader| {
                scans::scan_fresh(reader, agent, who.id, &bounds, signal, told_after)
            });
            ids(found.unwrap())
        };
        assert_eq!(fresh("pending_work", now.saturating_sub(HOUR)), expected(&plans[..20]), "the others");
        assert_eq!(fresh("pending_work", now), expected(&plans[30..]), "nothing was told since");
        assert_eq!(fresh("deadline", now), [], "what is told once is found no more");
    }

    fn what_is_overdue_hides_nothing_that_is_due(bench: Bench) {
        let access = bench.main();
        let dated = |content: &str, due: Time| remember(&access, content, |draft| draft.expires_at = Some(due));
        for number in 0..110 {
            dated(&format!("return book {number}, {}", number * 31), bench.mind_time().saturating_add(HOUR));
        }
        bench.clock().advance(24 * HOUR);
        let now = bench.mind_time();
        let soon = dated("call the office", now.saturating_add(2 * HOUR + 30 * MINUTE));
        let later = dated("pack the bags", now.saturating_add(20 * HOUR));
        bench.clock().advance(2 * HOUR);
        let found = found(&bench, "deadline");
        let first: Vec<_> = found.iter().filter(|one| !one.status.starts_with("overdue")).collect();
        let mut statuses: Vec<_> = first.iter().map(|one| (one.id, one.status.as_str())).collect();
        statuses.sort_by_key(|(_, status)| *status);
        assert_eq!(statuses, [(soon.id(), "1h"), (later.id(), "24h")]);
        assert_eq!(found.len(), 100);
    }
}

// Among very many ------------------------------------------------------------------------------------------------------

/// Memories of the operator that have nothing to do with anything, as the bulk of a long life.
fn fill(bench: &Bench, many: usize) {
    let access = bench.main();
    let agent = access.agent();
    let (agent_id, operator) = (bench.id(agent.id.id()), bench.id(agent.operator.id()));
    let then = bench.mind_time().saturating_sub(60 * DAY).micros();
    let numbers = format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {many})");
    let (id, time, hash, no) = match bench.engine() {
        Engine::Sqlite => ("randomblob(16)", format!("{then} + i"), "randomblob(32)", "0"),
        Engine::Postgres => (
            "gen_random_uuid()",
            format!("to_timestamp({then}::double precision / 1000000) + i * interval '1 microsecond'"),
            "sha256(i::text::bytea)",
            "false",
        ),
    };
    let columns = "agent_id, id, content, memory_type, importance, tags, created_at, author, principal_id, private, trust, \
        content_hash, row_hash, state, pinned, updated_at, analyser, words_hash, gist_hash, stability, recall_count, \
        fades_at, stale_at, serves_id, touched_at";
    let tags = match bench.engine() {
        Engine::Sqlite => "'[]'",
        Engine::Postgres => "'[]'::jsonb",
    };
    let far = match bench.engine() {
        Engine::Sqlite => Time::MAX.micros().to_string(),
        Engine::Postgres => "'9999-01-01'::timestamptz".to_owned(),
    };
    let values = format!(
        "{agent_id}, {id}, 'filler ' || i, 'knowledge', 0.8, {tags}, {time}, 'principal', {operator}, {no}, 1.0, {hash}, {hash}, \
         'active', {no}, {time}, 1, {hash}, {hash}, 180, 0, {far}, {far}, {operator}, {time}"
    );
    let insert = format!("INSERT INTO memory_items ({columns}) {numbers} SELECT {values} FROM n");
    let insert = match bench.engine() {
        Engine::Sqlite => {
            insert.replacen(&numbers, "", 1).replacen("INSERT", &format!("{numbers} INSERT"), 1)
        }
        Engine::Postgres => insert,
    };
    bench.execute_raw(&[agent.id], &insert).unwrap();
}

/// A file with 100,000 unrelated memories, made once.
fn large_file() -> &'static PathBuf {
    static FILE: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, file) = FILE.get_or_init(|| {
        let bench = Bench::sqlite();
        bench.main();
        fill(&bench, 100_000);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("large.db");
        bench.owner().run(&format!("VACUUM INTO '{}'", file.display())).unwrap();
        (folder, file)
    });
    file
}

#[test]
fn sqlite_every_signal_is_seen_among_a_hundred_thousand_memories() {
    for (name, scenario) in SCENARIOS {
        println!("{name}");
        let bench = Bench::sqlite();
        fs::copy(large_file(), bench.file()).unwrap();
        bench.clock().advance(HOUR);
        scenario(&bench);
    }
}

#[test]
fn postgres_every_signal_is_seen_among_ten_thousand_memories() {
    for (name, scenario) in SCENARIOS {
        println!("{name}");
        let bench = Bench::postgres();
        bench.main();
        fill(&bench, 10_000);
        bench.clock().advance(HOUR);
        scenario(&bench);
    }
}

/// A prepared statement is planned before its values are known; then, too, nothing walks through all memories.
#[test]
fn postgres_what_a_tick_asks_walks_through_no_memories() {
    let bench = Bench::postgres();
    bench.main();
    fill(&bench, 20_000);
    let mut raw = bench.owner();
    raw.run("SET search_path = selfsame, public").unwrap();
    raw.run("SET plan_cache_mode = force_generic_plan").unwrap();
    raw.run("ANALYZE memory_items").unwrap();
    let asked = catalogue::statements().into_iter().filter(|(file, statement)| {
        let scanned = *file == "signals/mod" && !statement.name.ends_with("MARKS");
        scanned || (*file, statement.name) == ("heartbeat/moments", "KNOWN")
    });
    let mut planned = 0;
    for (_, statement) in asked {
        let sql = statement.sql(Engine::Postgres, 1);
        let params = (1..40).filter(|number| sql.contains(&format!("${number}"))).count();
        raw.run(&format!("PREPARE asked AS {sql}")).unwrap();
        let nulls = vec!["NULL"; params].join(", ");
        let plan = raw.texts(&format!("EXPLAIN EXECUTE asked({nulls})"));
        raw.run("DEALLOCATE asked").unwrap();
        let walks = plan.iter().find(|line| line.contains("Seq Scan on memory_items"));
        assert_eq!(walks, None, "{}: {plan:#?}", statement.name);
        planned += 1;
    }
    assert_eq!(planned, 17, "the fourteen, all of them together, what is counted and what is known");
}

#[test]
fn sqlite_k6_the_newest_of_many_is_seen() {
    let bench = Bench::sqlite();
    fs::copy(large_file(), bench.file()).unwrap();
    bench.clock().advance(HOUR);
    let access = bench.main();
    for number in 0..150 {
        of_kind(&access, MemoryKind::Plan, &format!("plan number {number}, {}", number * 31));
    }
    let found = found(&bench, "pending_work");
    let mut numbers: Vec<usize> = found
        .iter()
        .map(|one| one.label["plan number ".len()..].split(',').next().unwrap().parse().unwrap())
        .collect();
    numbers.sort();
    assert_eq!(numbers, (50..150).collect::<Vec<_>>(), "as many as are counted, and of them the newest");
}
