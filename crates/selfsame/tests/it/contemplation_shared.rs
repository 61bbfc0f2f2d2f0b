//! Two minds on one database, as two daemons have them: a turn is taken once, work is done once, and who is slow is neither
//! taken for dead nor heard too late.

use crate::contemplation::told;
use selfsame::config::{Settings, ThinkerKind};
use selfsame::ports::{Desk, Fault};
use selfsame::time::Time;
use selfsame::work::WorkOutcome;
use selfsame::{Mind, Speaker, jobs};
use selfsame_testkit::scripted::{OneThinker, ScriptedThinker};
use selfsame_testkit::{Bench, both_engines};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(60);
const MINUTE: Duration = Duration::from_secs(60);

fn mind(bench: &Bench, acts: impl Fn(&dyn Desk) -> Result<String, Fault> + Send + Sync + 'static) -> Mind {
    let mut settings = Settings::default();
    settings.contemplation.enabled = true;
    settings.contemplation.per_hour_all = 1000;
    settings.thinker.kind = ThinkerKind::Model;
    let thinker = Arc::new(ScriptedThinker::acting(move |_, desk: &dyn Desk| acts(desk)));
    bench.open_as(settings, |opening| opening.thinkers(Arc::new(OneThinker(thinker))))
}

/// A mind that counts how often it is asked to think.
fn counting(bench: &Bench) -> (Mind, Arc<AtomicUsize>) {
    let thought = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&thought);
    let acts = move |_: &dyn Desk| {
        let number = counted.fetch_add(1, Ordering::SeqCst);
        Ok(told(&format!("Thought {number}."), ""))
    };
    (mind(bench, acts), thought)
}

fn episodes(mind: &Mind, agent: &str) -> usize {
    mind.access(agent, Speaker::Operator).unwrap().episodes(None, 100).unwrap().len()
}

/// When the lease of an agent's only piece of work ends, if somebody has one.
fn leased_until(mind: &Mind, agent: &str) -> Option<Time> {
    mind.access(agent, Speaker::Operator).unwrap().work(1).unwrap().first().and_then(|item| item.lease_until)
}

both_engines! {
    fn a_turn_is_taken_once_and_its_work_is_done_once(bench: Bench) {
        let ((one, by_one), (other, by_other)) = (counting(&bench), counting(&bench));
        let agents: Vec<String> = (0..6).map(|number| format!("agent{number}")).collect();
        for agent in &agents {
            one.ensure_agent(agent).unwrap();
        }
        jobs::scheduler(one.settings()).step(&one).unwrap();
        for round in 1..=4 {
            bench.clock().advance(31 * MINUTE);
            let together = Barrier::new(2);
            thread::scope(|scope| {
                for mind in [&one, &other] {
                    let together = &together;
                    scope.spawn(move || {
                        together.wait();
                        for _ in 0..3 {
                            jobs::scheduler(mind.settings()).step(mind).unwrap();
                            mind.work_step(LEASE).unwrap();
                        }
                    });
                }
            });
            let thought = by_one.load(Ordering::SeqCst) + by_other.load(Ordering::SeqCst);
            assert_eq!(thought, round * agents.len(), "each of them thought once in round {round}");
            for agent in &agents {
                assert_eq!(episodes(&one, agent), round);
                let cycles = one.access(agent, Speaker::Operator).unwrap().cycles(100).unwrap();
                let begun = cycles.iter().filter(|cycle| cycle.outcome != "skipped").count();
                assert_eq!((begun, cycles.len()), (round, round), "and nobody was told to wait: {cycles:?}");
            }
        }
    }

    fn who_was_taken_over_is_not_heard_any_more(bench: Bench) {
        let (began, has_begun) = mpsc::channel::<()>();
        let (go_on, may_go_on) = mpsc::channel::<()>();
        let (began, may_go_on) = (Mutex::new(began), Mutex::new(may_go_on));
        let slow = mind(&bench, move |_| {
            began.lock().unwrap().send(()).unwrap();
            may_go_on.lock().unwrap().recv().unwrap();
            Ok(told("Too late.", ""))
        });
        slow.ensure_agent("main").unwrap();
        let (quick, _) = counting(&bench);
        jobs::scheduler(slow.settings()).step(&slow).unwrap();
        bench.clock().advance(31 * MINUTE);
        jobs::scheduler(slow.settings()).step(&slow).unwrap();
        thread::scope(|scope| {
            // It renews after a third of an hour as the wall has it: never, here.
            let late = scope.spawn(|| slow.work_step(60 * MINUTE).unwrap());
            has_begun.recv().unwrap();
            assert_eq!(quick.work_step(LEASE).unwrap().worked, [], "its lease holds");
            bench.clock().advance(61 * MINUTE);
            let worked = quick.work_step(LEASE).unwrap().worked;
            assert!(matches!(worked[0].outcome, WorkOutcome::Done(Some(_))), "{worked:?}");
            go_on.send(()).unwrap();
            let outcomes: Vec<WorkOutcome> =
                late.join().unwrap().worked.into_iter().map(|worked| worked.outcome).collect();
            assert_eq!(outcomes, [WorkOutcome::Superseded]);
        });
        let main = quick.access("main", Speaker::Operator).unwrap();
        let summaries: Vec<String> = main.episodes(None, 10).unwrap().iter()
            .map(|one| one.captured.account.outcome.summary.clone()).collect();
        assert_eq!(summaries, ["Thought 0."]);
        let (_, attempts, _) = main.work_record(main.work(1).unwrap()[0].id).unwrap().unwrap();
        let outcomes: Vec<Option<&str>> = attempts.iter().map(|attempt| attempt.outcome.as_deref()).collect();
        assert_eq!(outcomes, [None, Some("done")], "nobody came back from the first");
    }

    fn who_thinks_for_longer_than_the_lease_keeps_it(bench: Bench) {
        let lease = Duration::from_millis(300);
        let bench = Arc::new(bench);
        let (other, by_other) = counting(&bench);
        let (other, clock) = (Arc::new(other), Arc::clone(&bench));
        let looks_on = Arc::clone(&other);
        let slow = mind(&bench, move |_| {
            for _ in 0..5 {
                clock.clock().advance(Duration::from_millis(200));
                let is_renewed = || {
                    let until = leased_until(&looks_on, "main").unwrap();
                    until.since(clock.mind_time()) > Duration::from_millis(250)
                };
                let renewed = (0..3000).any(|_| {
                    thread::sleep(Duration::from_millis(10));
                    is_renewed()
                });
                assert!(renewed, "nobody renewed the lease");
                assert_eq!(looks_on.work_step(lease).unwrap().worked, [], "and so nobody else has it");
            }
            Ok(told("A long thought.", ""))
        });
        slow.ensure_agent("main").unwrap();
        jobs::scheduler(slow.settings()).step(&slow).unwrap();
        bench.clock().advance(31 * MINUTE);
        jobs::scheduler(slow.settings()).step(&slow).unwrap();
        let worked = slow.work_step(lease).unwrap().worked;
        assert!(matches!(worked[0].outcome, WorkOutcome::Done(Some(_))), "{worked:?}");
        assert_eq!((episodes(&slow, "main"), by_other.load(Ordering::SeqCst)), (1, 0));
        assert_eq!(slow.access("main", Speaker::Operator).unwrap().work(1).unwrap()[0].attempts, 1);
    }

    fn a_lane_that_dies_over_it_leaves_it_to_the_other_mind(bench: Bench) {
        let dying = mind(&bench, |_| panic!("the power went"));
        dying.ensure_agent("main").unwrap();
        let (next, _) = counting(&bench);
        jobs::scheduler(dying.settings()).step(&dying).unwrap();
        bench.clock().advance(31 * MINUTE);
        jobs::scheduler(dying.settings()).step(&dying).unwrap();
        let died = thread::scope(|scope| scope.spawn(|| dying.work_step(LEASE)).join().is_err());
        assert!(died);
        assert_eq!(next.work_step(LEASE).unwrap().worked, [], "its lease holds");
        let wake_at = next.work_step(LEASE).unwrap().wake_at;
        assert_eq!(wake_at, leased_until(&next, "main"), "and its end is when to come again");
        bench.clock().advance(2 * MINUTE);
        let worked = next.work_step(LEASE).unwrap().worked;
        assert!(matches!(worked[0].outcome, WorkOutcome::Done(Some(_))), "{worked:?}");
        assert_eq!(episodes(&next, "main"), 1);
    }
}
