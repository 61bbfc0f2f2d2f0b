//! Limits of work and of turns, each where it begins to hold: attempts, calls, time, tokens, other work, a pause, the deck.

use crate::contemplation::told;
use crate::remember::remember;
use selfsame::config::{Settings, ThinkerKind};
use selfsame::contemplation::Contemplated;
use selfsame::id::MemoryId;
use selfsame::inbox::Status;
use selfsame::ports::{CallOutcome, Desk, Fault, FaultKind, ToolCard, ToolClass, Toolbox, WorkKind};
use selfsame::time::Time;
use selfsame::trust::Privacy;
use selfsame::work::{ToolUse, WorkOutcome};
use selfsame::{Access, Class, Mind, Speaker, jobs};
use selfsame_testkit::scripted::{OneThinker, ScriptedThinker};
use selfsame_testkit::{Bench, both_engines};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(60);
const MINUTE: Duration = Duration::from_secs(60);
/// A minute as it passes: the clock moves on while it is looked at.
const A_MINUTE_LATER: Duration = Duration::from_secs(61);
const HOUR: Duration = Duration::from_secs(3600);

/// What the agent itself uses, by a door.
const RECALL: ToolUse<'_> = ToolUse { tool: "recall", class: ToolClass::Read, arguments: [7; 32] };
const FORGET: ToolUse<'_> = ToolUse { tool: "forget", class: ToolClass::Weighty, arguments: [8; 32] };

struct Tools;

impl Toolbox for Tools {
    fn tools(&self, _access: &Access<'_>) -> Vec<ToolCard> {
        let card = |name: &str, class| ToolCard {
            name: name.into(),
            description: String::new(),
            schema: "{}".into(),
            class,
        };
        vec![card("recall", ToolClass::Read), card("web_search", ToolClass::Foreign)]
    }

    fn is_ours(&self, tool: &str) -> bool {
        tool == "recall"
    }

    fn call(&self, _: &Access<'_>, tool: &str, _: &str, _: Duration) -> Result<String, String> {
        Ok(format!("{tool} answers"))
    }
}

struct Worker {
    mind: Mind,
    thinker: Arc<ScriptedThinker>,
}

fn settings(kind: ThinkerKind) -> Settings {
    let mut settings = Settings::default();
    settings.contemplation.enabled = true;
    settings.thinker.kind = kind;
    settings
}

fn worker(
    bench: &Bench,
    settings: Settings,
    acts: impl Fn(&selfsame::ports::Prompt, &dyn Desk) -> Result<String, Fault> + Send + Sync + 'static,
) -> Worker {
    let thinker = Arc::new(ScriptedThinker::acting(acts));
    let theirs = Arc::new(OneThinker(Arc::clone(&thinker)));
    let mind = bench.open_as(settings, |opening| opening.thinkers(theirs).toolbox(Arc::new(Tools)));
    mind.ensure_agent("main").unwrap();
    Worker { mind, thinker }
}

/// Says something new each time.
fn inventive() -> impl Fn(&selfsame::ports::Prompt, &dyn Desk) -> Result<String, Fault> + Send + Sync + 'static
{
    let number = Mutex::new(0);
    move |_, _| {
        let mut number = number.lock().unwrap();
        *number += 1;
        Ok(told(&format!("Thought {number} of many."), ""))
    }
}

impl Worker {
    fn main(&self) -> Access<'_> {
        self.mind.access("main", Speaker::Operator).unwrap()
    }

    fn agent(&self) -> Access<'_> {
        self.mind.access("main", Speaker::Agent(None)).unwrap()
    }

    fn step(&self) -> Vec<WorkOutcome> {
        jobs::scheduler(self.mind.settings()).step(&self.mind).unwrap();
        self.mind.work_step(LEASE).unwrap().worked.into_iter().map(|worked| worked.outcome).collect()
    }

    fn waits(&self) {
        let asked = self.main().contemplate().unwrap();
        assert!(matches!(asked, Contemplated::Waits(_)), "{asked:?}");
    }

    fn last_reason(&self) -> Option<String> {
        self.main().cycles(1).unwrap().remove(0).reason
    }

    fn kinds(&self) -> Vec<WorkKind> {
        self.main().work(100).unwrap().into_iter().map(|item| item.kind).collect()
    }
}

/// What the rules leave to whoever thinks.
const A_QUESTION: &str = "I wonder whether the boiler is still under guarantee.";
const NEVER: &str = "every attempt ended without an answer: whoever was at it did not come back";

both_engines! {
    fn six_may_go_away_with_it_and_no_more(bench: Bench) {
        let pulled = worker(&bench, settings(ThinkerKind::Agent), inventive());
        pulled.waits();
        for attempt in 1..=6 {
            assert!(pulled.agent().next_work().unwrap().is_some(), "attempt {attempt}");
            bench.clock().advance(16 * MINUTE);
        }
        assert_eq!(pulled.agent().next_work().unwrap(), None);
        assert_eq!(pulled.last_reason().as_deref(), Some(NEVER));
        let dying = worker(&bench, settings(ThinkerKind::Model), |_, _| panic!("the power went"));
        let died = |act: &dyn Fn()| catch_unwind(AssertUnwindSafe(act)).is_err();
        assert!(died(&|| drop(dying.main().contemplate())));
        for attempt in 2..=6 {
            bench.clock().advance(16 * MINUTE);
            assert!(died(&|| drop(dying.mind.work_step(LEASE))), "attempt {attempt}");
        }
        bench.clock().advance(16 * MINUTE);
        let worked = dying.mind.work_step(LEASE).unwrap().worked;
        assert_eq!(worked[0].outcome, WorkOutcome::Dead { reason: NEVER.into() });
        assert_eq!(dying.main().contemplation_status().unwrap().streak, 0);
    }

    fn a_piece_of_work_has_so_many_calls_and_none_goes_in_circles(bench: Bench) {
        let mut few = settings(ThinkerKind::Model);
        few.thinker.max_calls = 5;
        let calling = worker(&bench, few, |_, desk: &dyn Desk| {
            let call = |number: u32| desk.call("recall", &format!(r#"{{"number":{number}}}"#));
            let outcomes = [1, 1, 1, 2, 3, 4].map(|number| call(number).outcome);
            let (ran, refused) = (CallOutcome::Ran, CallOutcome::Refused);
            assert_eq!(outcomes, [ran, ran, refused, ran, ran, refused], "three in a row, and six in all");
            assert_eq!(desk.tools(), []);
            assert!(call(5).text.contains("more than 5 calls"));
            Ok(told("Called.", ""))
        });
        let Contemplated::Episode(_) = calling.main().contemplate().unwrap() else { panic!() };
    }

    fn a_days_time_ends_like_a_days_tokens(bench: Bench) {
        let mut hasty = settings(ThinkerKind::Model);
        hasty.thinker.daily_time = Duration::from_secs(10);
        let bench = Arc::new(bench);
        bench.clock().set(Time::parse("2026-02-03T10:00:00Z").unwrap());
        let clock = Arc::clone(&bench);
        let slow = worker(&bench, hasty, move |_, _| {
            clock.clock().advance(Duration::from_secs(12));
            Ok(told("Slowly.", ""))
        });
        let Contemplated::Episode(episode) = slow.main().contemplate().unwrap() else { panic!() };
        assert!(episode.millis >= 11_000, "{}", episode.millis);
        let refused = slow.main().contemplate().unwrap_err().to_string();
        assert!(refused.contains("thinker.daily_time"), "{refused}");
        bench.clock().advance(14 * HOUR);
        assert!(slow.main().contemplate().is_ok(), "a new day");
    }

    fn with_nothing_left_to_spend_nobody_is_asked(bench: Bench) {
        let mut poor = settings(ThinkerKind::Model);
        poor.contemplation.enabled = false;
        poor.thinker.daily_tokens = 100;
        let broke = worker(&bench, poor, |_, desk: &dyn Desk| {
            desk.spent(200)?;
            Ok(told("Never said.", ""))
        });
        bench.clock().set(Time::parse("2026-02-03T10:00:00Z").unwrap());
        let Contemplated::Failed { .. } = broke.main().contemplate().unwrap() else { panic!() };
        broke.main().capture(A_QUESTION, Privacy::Shared, None).unwrap();
        broke.mind.ensure_house_duties().unwrap();
        bench.clock().advance(HOUR);
        let done = broke.step();
        let tomorrow = Time::parse("2026-02-04T00:00:00Z").unwrap();
        assert!(matches!(done[0], WorkOutcome::Again { at, .. } if at == tomorrow), "{done:?}");
        assert_eq!(broke.thinker.prompts().len(), 1, "the review was not even asked for");
    }

    fn what_the_agent_itself_writes_is_counted_and_ends_its_day(bench: Bench) {
        let mut frugal = settings(ThinkerKind::Agent);
        frugal.contemplation.enabled = false;
        frugal.thinker.daily_tokens = 20;
        let pulled = worker(&bench, frugal, inventive());
        bench.clock().set(Time::parse("2026-02-03T10:00:00Z").unwrap());
        pulled.main().capture(A_QUESTION, Privacy::Shared, None).unwrap();
        pulled.mind.ensure_house_duties().unwrap();
        for _ in 0..3 {
            bench.clock().advance(HOUR);
            pulled.step();
        }
        assert_eq!(pulled.kinds(), [WorkKind::ReviewInbox], "asked for once, however often it is looked");
        pulled.waits();
        let review = pulled.agent().next_work().unwrap().unwrap();
        let work = pulled.agent().next_work().unwrap().unwrap();
        assert_eq!((review.kind, work.kind), (WorkKind::ReviewInbox, WorkKind::Contemplate));
        pulled.agent().release_work(review.id, review.token).unwrap();
        let reply = told("A thought of many words, and each of them is counted like all the others.", "");
        pulled.agent().complete_work(work.id, work.token, &reply).unwrap();
        let spent = pulled.main().spent_today().unwrap();
        assert!(spent.tokens > 20 && spent.exchanges == 1, "{spent:?}");
        assert_eq!(pulled.agent().next_work().unwrap(), None, "nothing is left to spend today");
        bench.clock().set(Time::parse("2026-02-04T00:00:01Z").unwrap());
        assert_eq!(pulled.agent().next_work().unwrap().unwrap().id, review.id);
    }

    fn the_agents_own_use_of_tools_is_held_against_what_it_claims(bench: Bench) {
        let pulled = worker(&bench, settings(ThinkerKind::Agent), inventive());
        let claims = told("Looked around.", "").replace(r#""tools_used":[]"#, r#""tools_used":["recall"]"#);
        let why_not = |uses: bool| {
            pulled.waits();
            let work = pulled.agent().next_work().unwrap().unwrap();
            if uses {
                pulled.agent().note_tool(&RECALL, CallOutcome::Ran, None).unwrap();
            }
            let id = pulled.agent().complete_work(work.id, work.token, &claims).unwrap().episode.unwrap();
            pulled.main().episode(id).unwrap().unwrap().why_not.clone()
        };
        assert_eq!(why_not(true), None);
        assert_eq!(why_not(false).as_deref(), Some("it claims recall, which did not run"));
        pulled.agent().note_tool(&RECALL, CallOutcome::Ran, None).unwrap();
        let calls = bench.owner().number("SELECT COUNT(*) FROM tool_calls");
        assert_eq!(calls, 1, "who is at no work leaves nothing in the ledger");
    }

    fn what_the_agent_reads_meanwhile_lowers_all_that_it_is_at(bench: Bench) {
        let pulled = worker(&bench, settings(ThinkerKind::Agent), inventive());
        let agent = pulled.agent();
        pulled.waits();
        assert!(agent.may_use_at_work(&FORGET).is_ok(), "who is at no work is free");
        let work = agent.next_work().unwrap().unwrap();
        assert!(agent.may_use_at_work(&FORGET).is_ok(), "nothing was quoted that is not believed");
        for (read, expected) in [(0.9, 0.9), (0.5, 0.5), (0.3, 0.3), (0.9, 0.3)] {
            agent.note_tool(&RECALL, CallOutcome::Ran, Some(read)).unwrap();
            let (item, ..) = pulled.main().work_record(work.id).unwrap().unwrap();
            assert_eq!(item.trust, Some(expected), "it only falls");
            assert_eq!(agent.may_use_at_work(&FORGET).is_ok(), expected >= 0.8, "{expected}");
            assert!(agent.may_use_at_work(&RECALL).is_ok(), "what does not weigh is its own to use");
        }
        let refused = agent.may_use_at_work(&FORGET).unwrap_err();
        assert_eq!(refused.class(), Class::Forbidden);
        assert!(refused.to_string().contains(&work.id.to_string()), "{refused}");
        assert!(pulled.main().may_use_at_work(&FORGET).is_ok(), "the operator may what the operator may");
        let id = agent.complete_work(work.id, work.token, &told("So they say.", "")).unwrap().episode.unwrap();
        let episode = pulled.main().episode(id).unwrap().unwrap();
        assert_eq!(episode.provenance.trust().value(), 0.3);
        let (_, _, calls) = pulled.main().work_record(work.id).unwrap().unwrap();
        let refused = calls.iter().filter(|call| call.outcome == CallOutcome::Refused);
        assert_eq!(refused.map(|call| call.tool.as_str()).collect::<Vec<_>>(), ["forget"; 4], "and it is on record");
        assert!(agent.may_use_at_work(&FORGET).is_ok(), "it is done with it");
    }

    fn other_work_goes_first_for_an_hour(bench: Bench) {
        let mut settings = settings(ThinkerKind::Model);
        settings.thinker.jobs.insert(WorkKind::ExtractLessons, ThinkerKind::Agent);
        settings.lessons.every_episodes = 1;
        let busy = worker(&bench, settings, inventive());
        busy.step();
        bench.clock().advance(31 * MINUTE);
        assert_eq!(busy.step().len(), 1);
        assert_eq!(busy.kinds(), [WorkKind::ExtractLessons, WorkKind::Contemplate], "somebody should look at it");
        let mut minutes = 0;
        while busy.step().is_empty() {
            bench.clock().advance(A_MINUTE_LATER);
            minutes += 1;
            assert!(minutes < 100);
        }
        assert!((58..=61).contains(&minutes), "{minutes}: what nobody comes for does not wait for ever");
        let skipped = busy.main().cycles(10).unwrap().remove(1);
        assert_eq!((skipped.reason.as_deref(), skipped.count > 25), (Some("other work waits"), true));
    }

    fn a_pause_holds_everything(bench: Bench) {
        let held = worker(&bench, settings(ThinkerKind::Model), inventive());
        held.step();
        assert!(held.mind.heartbeat_pause().unwrap());
        bench.clock().advance(31 * MINUTE);
        assert_eq!(held.step(), []);
        assert_eq!(held.last_reason().as_deref(), Some("everything is paused"));
        assert!(held.mind.heartbeat_resume().unwrap());
        bench.clock().advance(A_MINUTE_LATER);
        assert_eq!(held.step().len(), 1);
    }

    fn a_failure_ends_a_row_of_good_times(bench: Bench) {
        let failed = Arc::new(Mutex::new(false));
        let (fails, invents) = (Arc::clone(&failed), inventive());
        let moody = worker(&bench, settings(ThinkerKind::Model), move |prompt, desk| match *fails.lock().unwrap() {
            true => Err(Fault::new(FaultKind::Misconfigured, "set the key")),
            false => invents(prompt, desk),
        });
        for _ in 0..3 {
            moody.main().contemplate().unwrap();
        }
        let every = || moody.main().contemplation_status().unwrap().every;
        assert_eq!(every(), 15 * MINUTE);
        *failed.lock().unwrap() = true;
        moody.main().contemplate().unwrap();
        assert_eq!(every(), 30 * MINUTE);
    }

    fn who_was_held_and_thinks_again_is_held_no_more(bench: Bench) {
        let same = worker(&bench, settings(ThinkerKind::Model), |_, _| Ok(told("The same again.", "")));
        for _ in 0..3 {
            same.main().contemplate().unwrap();
        }
        let held = || same.main().contemplation_status().unwrap().held_since.is_some();
        assert!(held());
        same.main().contemplate().unwrap();
        assert!(!held(), "once more is not three times");
    }

    fn no_card_is_drawn_again_so_soon(bench: Bench) {
        let drawing = worker(&bench, settings(ThinkerKind::Model), inventive());
        for _ in 0..12 {
            drawing.main().contemplate().unwrap();
            bench.clock().advance(10 * MINUTE);
        }
        let mut last: VecDeque<String> = VecDeque::new();
        for prompt in drawing.thinker.prompts() {
            let (_, section) = prompt.material.split_once("## Questions you might begin with").unwrap();
            let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
            let cards: Vec<&str> = section.lines().filter(|line| line.contains('?')).collect();
            assert_eq!(cards.len(), 3, "{section}");
            for card in cards {
                let card = card.trim_start_matches(|c: char| !c.is_alphabetic()).to_owned();
                assert!(!last.contains(&card), "{card}");
                last.push_back(card);
            }
            while last.len() > 9 {
                last.pop_front();
            }
        }
    }

    fn a_verdict_that_does_not_fit_keeps_no_other_from_being_carried_out(bench: Bench) {
        let nowhere = MemoryId::of(bench.fresh_id()).to_string();
        let judging = worker(&bench, settings(ThinkerKind::Model), move |prompt, _| {
            let mut ids: Vec<&str> = prompt.material.split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| word.starts_with("can_")).collect();
            ids.dedup();
            Ok(format!(
                r#"{}[INBOX_JSON][{{"id":"{}","decision":"merge","into":"{nowhere}"}},{{"id":"{}","decision":"reject"}}][/INBOX_JSON]"#,
                told("Sorted.", ""), ids[0], ids[1]
            ))
        });
        judging.main().capture("I prefer green tea over coffee.", Privacy::Shared, None).unwrap();
        judging.main().capture("We decided to move the launch to May.", Privacy::Shared, None).unwrap();
        let Contemplated::Episode(_) = judging.main().contemplate().unwrap() else { panic!() };
        let inbox = |status| judging.main().inbox(status, 10).unwrap().len();
        assert_eq!((inbox(Status::Pending), inbox(Status::Rejected)), (1, 1));
    }

    fn what_was_not_shown_is_not_decided_on(bench: Bench) {
        let unseen = Arc::new(Mutex::new(String::new()));
        let named = Arc::clone(&unseen);
        let judging = worker(&bench, settings(ThinkerKind::Model), move |prompt, _| {
            let id = named.lock().unwrap().clone();
            assert!(!prompt.material.contains(&id), "there is no room for it");
            let verdict = format!(r#"[INBOX_JSON][{{"id":"{id}","decision":"reject"}}][/INBOX_JSON]"#);
            Ok(format!("{}{verdict}", told("Sorted.", "")))
        });
        for number in 0..31 {
            let question = format!("I wonder whether boiler number {number} is still under guarantee.");
            judging.main().capture(&question, Privacy::Shared, None).unwrap();
        }
        let pending = || judging.main().inbox(Status::Pending, 50).unwrap();
        assert_eq!(pending().len(), 31);
        *unseen.lock().unwrap() = pending()[30].id.to_string();
        let Contemplated::Episode(episode) = judging.main().contemplate().unwrap() else { panic!() };
        assert_eq!(pending().len(), 31);
        judging.main().contemplate().unwrap();
        let again = judging.thinker.prompts()[1].material.clone();
        assert!(again.contains(&episode.id.to_string()) && !again.contains(&episode.memory.to_string()),
            "an account is shown once, as what it is: {again}");
    }

    fn a_review_after_foreign_words_decides_nothing(bench: Bench) {
        let mut settings = settings(ThinkerKind::Model);
        settings.contemplation.enabled = false;
        let reads = Arc::new(Mutex::new(true));
        let web = Arc::clone(&reads);
        let judging = worker(&bench, settings, move |prompt, desk| {
            if *web.lock().unwrap() {
                assert_eq!(desk.call("web_search", "{}").outcome, CallOutcome::Ran);
            }
            let id = prompt.material.split(|c: char| !c.is_alphanumeric() && c != '_').find(|word| word.starts_with("can_"));
            Ok(format!(r#"[INBOX_JSON][{{"id":"{}","decision":"reject"}}][/INBOX_JSON]"#, id.unwrap()))
        });
        judging.main().capture(A_QUESTION, Privacy::Shared, None).unwrap();
        let pending = || judging.main().inbox(Status::Pending, 10).unwrap().len();
        judging.mind.ensure_house_duties().unwrap();
        bench.clock().advance(HOUR);
        assert_eq!(judging.step(), [WorkOutcome::Done(None)]);
        assert_eq!(pending(), 1, "what was read may have talked it into this");
        *reads.lock().unwrap() = false;
        bench.clock().advance(HOUR);
        assert_eq!(judging.step(), [WorkOutcome::Done(None)]);
        assert_eq!(pending(), 0);
    }
}

#[test]
fn a_lost_journal_is_written_anew_by_the_hourly_sweep() {
    let bench = Bench::sqlite();
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(ThinkerKind::Model);
    // Nobody thinks again by itself, which would put the file right too.
    settings.contemplation.enabled = false;
    settings.contemplation.journal_folder = Some(folder.path().to_owned());
    let thinking = worker(&bench, settings, inventive());
    bench.clock().set(Time::parse("2026-02-03T10:00:00Z").unwrap());
    remember(&thinking.main(), "Maya likes tea");
    thinking.main().contemplate().unwrap();
    let path = folder.path().join("main/memory/contemplation/2026-02-03.jsonl");
    let told = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    thinking.mind.ensure_house_duties().unwrap();
    bench.clock().advance(HOUR);
    thinking.step();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), told);
}
