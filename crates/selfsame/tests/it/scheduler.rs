//! The scheduler: each slot once, failures in measure, and no process, clock or crash that makes it forget or repeat.

use selfsame::agent::Agent;
use selfsame::clock::ManualClock;
use selfsame::duty::{Retries, Rhythm, Verdict};
use selfsame::event::Act;
use selfsame::id::DutyId;
use selfsame::ports::PortError;
use selfsame::scheduler::{Duty, Effects, Health, Job, Pace, RunOutcome, Scheduler, Step};
use selfsame::time::{Clock as _, Time};
use selfsame::trust::Caller;
use selfsame::{Error, Mind, Opening, Result};
use selfsame_store::{duties, events};
use selfsame_testkit::{Bench, Trap, both_engines};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);
const YEAR: Duration = Duration::from_secs(365 * 86_400);
const LEASE: Duration = Duration::from_secs(60);
const BLINK: Duration = Duration::from_millis(30);

/// A job that records that it was done in the agent's log: an effect that can be counted.
struct Chore<F> {
    agent: Agent,
    pace: Pace,
    /// Looks at the duty first; an error is a failed attempt.
    look: F,
}

impl<F: Fn(&Duty) -> Result<()> + Send + Sync> Job for Chore<F> {
    fn kind(&self) -> &'static str {
        "chore"
    }

    fn pace(&self) -> Pace {
        self.pace
    }

    fn prepare(&self, mind: &Mind, duty: &Duty) -> Result<Effects> {
        (self.look)(duty)?;
        let (agent, now, subject) = (self.agent.id, mind.now(), duty.id.id());
        let act = Act { act: "did", subject_kind: "chore", subject };
        Ok(Effects::of(vec![agent], move |writer| events::record(writer, agent, now, &[act]).map(drop)))
    }
}

/// A scheduler whose one job does this.
fn doing(agent: &Agent, look: impl Fn(&Duty) -> Result<()> + Send + Sync + 'static) -> Scheduler {
    Scheduler::default().with(Chore { agent: agent.clone(), pace: Pace::Quick, look }).lease(LEASE)
}

/// The same on a lane, with leases that are renewed every few milliseconds.
fn slowly(agent: &Agent, look: impl Fn(&Duty) -> Result<()> + Send + Sync + 'static) -> Scheduler {
    Scheduler::default().with(Chore { agent: agent.clone(), pace: Pace::Slow, look }).lease(BLINK)
}

/// Looks for a while, because another thread may need one; what is not there by then will be missed by the test.
fn wait_for(is_there: impl Fn() -> bool) {
    for _ in 0..1000 {
        if is_there() {
            return;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A job that always fails, has a patience of its own, and leaves a word when it gives up.
struct Frail {
    agent: Agent,
    error: fn() -> Error,
    /// How often it was asked for its last word.
    asked: Arc<AtomicU64>,
    panics: bool,
}

impl Job for Frail {
    fn kind(&self) -> &'static str {
        "chore"
    }

    fn prepare(&self, _mind: &Mind, _duty: &Duty) -> Result<Effects> {
        Err((self.error)())
    }

    fn retries(&self) -> Option<Retries> {
        Some(PATIENCE)
    }

    fn gave_up(&self, mind: &Mind, duty: &Duty, error: &Error) -> Result<Effects> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        assert!(!self.panics, "no last word");
        assert!(!error.to_string().is_empty());
        let (agent, now, subject) = (self.agent.id, mind.now(), duty.id.id());
        let act = Act { act: "did", subject_kind: "chore", subject };
        Ok(Effects::of(vec![agent], move |writer| events::record(writer, agent, now, &[act]).map(drop)))
    }
}

const PATIENCE: Retries = Retries { max_attempts: 3, first_pause: HOUR, longest_pause: HOUR };

fn frail(agent: &Agent, error: fn() -> Error, panics: bool) -> (Scheduler, Arc<AtomicU64>) {
    let asked = Arc::new(AtomicU64::new(0));
    let job = Frail { agent: agent.clone(), error, asked: Arc::clone(&asked), panics };
    (Scheduler::default().with(job).lease(LEASE), asked)
}

/// Runs it as often as it wants to be tried again; gives how often that was, and why it is dead.
fn until_dead(bench: &Bench, mind: &Mind, scheduler: &Scheduler) -> (u32, String) {
    for attempt in 1..100 {
        match outcomes(&scheduler.step(mind).unwrap())[..] {
            [RunOutcome::Retry { at, .. }] => bench.clock().set(*at),
            [RunOutcome::Dead { error }] => return (attempt, error.clone()),
            ref other => panic!("{other:?}"),
        }
    }
    panic!("it never ends");
}

fn well(agent: &Agent) -> Scheduler {
    doing(agent, |_| Ok(()))
}

fn badly(agent: &Agent) -> Scheduler {
    doing(agent, |_| Err(trouble()))
}

fn trouble() -> Error {
    Error::Forbidden("the broom is broken".into())
}

/// How often the effect is there.
fn effects(mind: &Mind, agent: &Agent) -> usize {
    let read = mind.store().read(&Caller::operator(agent.operator), &[agent.id], |reader| {
        events::after(reader, agent.id, 0, 10_000)
    });
    read.unwrap().iter().filter(|(event, _)| event.act == "did").count()
}

/// A mind with an agent and the chore, every hour.
fn hourly(bench: &Bench) -> Agent {
    with_rhythm(bench, &Rhythm::Every(HOUR))
}

fn with_rhythm(bench: &Bench, rhythm: &Rhythm) -> Agent {
    let agent = bench.agent("main");
    assert!(bench.mind().ensure_duty("chore", None, rhythm).unwrap());
    agent
}

fn chore(mind: &Mind) -> Duty {
    mind.duties().unwrap().into_iter().find(|duty| duty.kind == "chore").unwrap()
}

fn health(mind: &Mind) -> Health {
    mind.duty_health().unwrap().into_iter().find(|(duty, _)| duty.kind == "chore").unwrap().1
}

fn outcomes(step: &Step) -> Vec<&RunOutcome> {
    step.ran.iter().map(|ran| &ran.outcome).collect()
}

/// 2026-01-01 and some hours.
fn hour(hours: i64) -> Time {
    Time::from_micros(1_767_225_600_000_000 + hours * 3_600_000_000)
}

/// Another mind on the same database, as a process whose clock shows something else.
fn with_clock(bench: &Bench, now: Time) -> (Mind, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::at(now));
    let store = bench.open_store(|_| {}).unwrap();
    let shown: Arc<dyn selfsame::time::Clock> = Arc::<ManualClock>::clone(&clock);
    (Opening::default().clock(shown).seed([9; 32]).over(store, None).unwrap(), clock)
}

/// A process that claims the chore and is never heard of again.
fn die_over_it(bench: &Bench) -> Duty {
    let now = bench.clock().now();
    let until = now.saturating_add(LEASE);
    let claimed = bench.store().system_write(|writer| duties::claim(writer, &["chore"], now, until));
    claimed.unwrap().expect("it is due")
}

both_engines! {
    fn a_slot_is_done_once(bench: Bench) {
        let agent = hourly(&bench);
        let (mind, scheduler) = (bench.mind(), well(&agent));
        let step = scheduler.step(mind).unwrap();
        assert_eq!((step.ran.len(), step.wake_at), (0, Some(hour(1))), "not yet");
        for slot in 1..=5 {
            bench.clock().set(hour(slot).saturating_add(Duration::from_secs(7)));
            let step = scheduler.step(mind).unwrap();
            assert_eq!(outcomes(&step), [&RunOutcome::Done]);
            assert_eq!((step.ran[0].slot, step.wake_at), (hour(slot), Some(hour(slot + 1))), "a late run shifts nothing");
            assert_eq!(scheduler.step(mind).unwrap().ran, []);
            assert_eq!(effects(mind, &agent), slot as usize);
        }
        let duty = chore(mind);
        assert_eq!((duty.done_count, duty.passed_over, duty.done_slot), (5, 0, Some(hour(5))));
        assert_eq!((duty.state.as_str(), duty.attempts, duty.last_error, duty.lease_until), ("waiting", 0, None, None));
        assert_eq!(mind.verify().unwrap().problems, [""; 0]);
    }

    fn many_schedulers_do_a_slot_once(bench: Bench) {
        const THREADS: usize = 6;
        let agent = hourly(&bench);
        let minds: Vec<Mind> = (0..THREADS).map(|_| bench.open_with(|_| {})).collect();
        for slot in 1..=5 {
            bench.clock().set(hour(slot));
            let start = Barrier::new(THREADS);
            std::thread::scope(|scope| {
                for mind in &minds {
                    let (agent, start) = (&agent, &start);
                    scope.spawn(move || {
                        start.wait();
                        well(agent).step(mind).unwrap();
                    });
                }
            });
            assert_eq!(effects(bench.mind(), &agent), slot as usize);
        }
        assert_eq!(chore(bench.mind()).done_count, 5);
    }

    fn a_duty_that_is_once_is_done_once(bench: Bench) {
        let agent = with_rhythm(&bench, &Rhythm::Once);
        let (mind, scheduler) = (bench.mind(), well(&agent));
        assert_eq!(outcomes(&scheduler.step(mind).unwrap()), [&RunOutcome::Done]);
        bench.clock().advance(YEAR);
        let step = scheduler.step(mind).unwrap();
        assert_eq!((step.ran.len(), step.wake_at), (0, None));
        assert_eq!((chore(mind).state.as_str(), effects(mind, &agent)), ("done", 1));
        assert_eq!(health(mind), Health::Fine);
    }

    fn a_failed_attempt_is_repeated_when_the_rule_says(bench: Bench) {
        let agent = hourly(&bench);
        let (mind, scheduler) = (bench.mind(), badly(&agent));
        bench.clock().set(hour(1));
        let mut last = hour(1);
        for attempt in 1..=6 {
            let step = scheduler.step(mind).unwrap();
            let [RunOutcome::Retry { at, error }] = outcomes(&step)[..] else {
                panic!("{step:?}");
            };
            assert_eq!(error, &trouble().to_string());
            let duty = chore(mind);
            assert_eq!((duty.attempts, duty.next_at, duty.slot), (attempt, *at, hour(1)));
            assert_eq!((duty.state.as_str(), duty.last_error.as_ref()), ("waiting", Some(error)));
            assert_eq!(step.wake_at, Some(*at));
            // The clock ticks by microseconds: the failure was between the claim and now.
            let least = Retries::default().after_failure(duty.id.id(), attempt, last);
            let most = Retries::default().after_failure(duty.id.id(), attempt, mind.now());
            let (Verdict::Retry(least), Verdict::Retry(most)) = (least, most) else {
                panic!("the rule gives up");
            };
            assert!((least..=most).contains(at), "{least} {at} {most}");
            bench.clock().set(at.saturating_sub(Duration::from_millis(1)));
            assert_eq!(scheduler.step(mind).unwrap().ran, [], "not before");
            last = *at;
            bench.clock().set(last);
        }
        assert_eq!(effects(mind, &agent), 0);
        assert_eq!(outcomes(&well(&agent).step(mind).unwrap()), [&RunOutcome::Done]);
        let duty = chore(mind);
        assert_eq!((duty.attempts, duty.last_error, duty.done_count, duty.slot), (0, None, 1, hour(2)));
    }

    fn a_duty_that_fails_too_often_is_dead_and_seen(bench: Bench) {
        let agent = hourly(&bench);
        let (mind, scheduler) = (bench.mind(), badly(&agent));
        bench.clock().set(hour(1));
        let mut attempts = 1;
        loop {
            let step = scheduler.step(mind).unwrap();
            match outcomes(&step)[..] {
                [RunOutcome::Retry { at, .. }] => bench.clock().set(*at),
                [RunOutcome::Dead { error }] => {
                    assert_eq!(error, &trouble().to_string());
                    break;
                }
                _ => panic!("{step:?}"),
            }
            attempts += 1;
            assert!(attempts < 100, "it is tried for ever");
        }
        assert_eq!(attempts, Retries::default().max_attempts);
        let duty = chore(mind);
        assert_eq!((duty.state.as_str(), duty.attempts, duty.last_error), ("dead", attempts, Some(trouble().to_string())));
        assert_eq!(health(mind), Health::Dead);
        let counts = mind.status().unwrap().duties;
        assert_eq!((counts.all, counts.late, counts.dead), (1, 0, 1));
        bench.clock().advance(YEAR);
        assert_eq!(well(&agent).step(mind).unwrap().ran, [], "left alone");
        assert!(mind.requeue_duty(duty.id).unwrap());
        assert_eq!(outcomes(&well(&agent).step(mind).unwrap()), [&RunOutcome::Done]);
        let duty = chore(mind);
        assert_eq!((duty.state.as_str(), duty.attempts, duty.done_count), ("waiting", 0, 1));
        assert_eq!((health(mind), effects(mind, &agent)), (Health::Fine, 1));
        assert_eq!(mind.status().unwrap().duties.dead, 0);
    }

    fn a_requeued_duty_has_all_its_attempts_again(bench: Bench) {
        let agent = hourly(&bench);
        let scheduler = badly(&agent).retries(Retries { max_attempts: 2, ..Retries::default() });
        bench.clock().set(hour(1));
        for _ in 0..2 {
            let step = scheduler.step(bench.mind()).unwrap();
            assert!(matches!(outcomes(&step)[..], [RunOutcome::Retry { .. }]), "{step:?}");
            bench.clock().advance(HOUR);
            let step = scheduler.step(bench.mind()).unwrap();
            assert!(matches!(outcomes(&step)[..], [RunOutcome::Dead { .. }]), "{step:?}");
            assert!(bench.mind().requeue_duty(chore(bench.mind()).id).unwrap());
        }
    }

    fn what_nobody_knows_how_to_do_waits_for_who_does(bench: Bench) {
        let agent = hourly(&bench);
        bench.clock().set(hour(1));
        assert_eq!(Scheduler::default().step(bench.mind()).unwrap().ran, []);
        assert_eq!(chore(bench.mind()).attempts, 0);
        assert_eq!(well(&agent).step_of(bench.mind(), Pace::Slow).unwrap().ran, [], "another lane");
        assert_eq!(well(&agent).step(bench.mind()).unwrap().ran.len(), 1);
    }

    fn a_dead_process_is_replaced_after_its_lease(bench: Bench) {
        let agent = hourly(&bench);
        let scheduler = well(&agent);
        bench.clock().set(hour(1));
        let lost = die_over_it(&bench);
        let step = scheduler.step(bench.mind()).unwrap();
        assert_eq!((step.ran.len(), step.wake_at), (0, lost.lease_until), "it may still be alive");
        bench.clock().set(lost.lease_until.unwrap());
        assert_eq!(outcomes(&scheduler.step(bench.mind()).unwrap()), [&RunOutcome::Done]);
        assert_eq!(effects(bench.mind(), &agent), 1);
        // It was only asleep, and writes what it had prepared.
        let now = bench.clock().now();
        let ghost = bench.store().fenced(&lost.fence(now), &[agent.id], |writer| {
            let act = Act { act: "did", subject_kind: "chore", subject: lost.id.id() };
            events::record(writer, agent.id, now, &[act]).map(drop)
        });
        assert!(matches!(ghost, Err(selfsame_store::StoreError::StaleFence)), "{ghost:?}");
        assert_eq!(effects(bench.mind(), &agent), 1);
    }

    fn who_slept_through_the_lease_writes_nothing(bench: Bench) {
        let agent = hourly(&bench);
        let bench = Arc::new(bench);
        let (inner, other) = (Arc::clone(&bench), agent.clone());
        // While it works, its lease ends and another does the slot.
        let sleeper = doing(&agent, move |_| {
            inner.clock().advance(LEASE);
            assert_eq!(outcomes(&well(&other).step(inner.mind())?), [&RunOutcome::Done]);
            Ok(())
        });
        bench.clock().set(hour(1));
        let step = sleeper.step(bench.mind()).unwrap();
        assert_eq!(outcomes(&step), [&RunOutcome::Superseded]);
        assert_eq!(effects(bench.mind(), &agent), 1);
        assert_eq!(chore(bench.mind()).done_count, 1);
    }

    fn who_failed_after_the_lease_spoils_nothing(bench: Bench) {
        let agent = hourly(&bench);
        let bench = Arc::new(bench);
        let (inner, other) = (Arc::clone(&bench), agent.clone());
        let sleeper = doing(&agent, move |_| {
            inner.clock().advance(LEASE);
            well(&other).step(inner.mind())?;
            Err(trouble())
        });
        bench.clock().set(hour(1));
        assert_eq!(outcomes(&sleeper.step(bench.mind()).unwrap()), [&RunOutcome::Superseded]);
        let duty = chore(bench.mind());
        assert_eq!((duty.state.as_str(), duty.last_error, duty.slot), ("waiting", None, hour(2)));
    }

    fn a_cancelled_duty_writes_nothing_more(bench: Bench) {
        let agent = hourly(&bench);
        let bench = Arc::new(bench);
        let inner = Arc::clone(&bench);
        let scheduler = doing(&agent, move |duty| {
            assert!(inner.mind().cancel_duty(duty.id)?);
            Ok(())
        });
        bench.clock().set(hour(1));
        assert_eq!(outcomes(&scheduler.step(bench.mind()).unwrap()), [&RunOutcome::Superseded]);
        assert_eq!((chore(bench.mind()).state.as_str(), effects(bench.mind(), &agent)), ("cancelled", 0));
    }

    fn a_renewed_lease_keeps_others_away(bench: Bench) {
        let agent = hourly(&bench);
        let bench = Arc::new(bench);
        let (inner, other) = (Arc::clone(&bench), agent.clone());
        let slow = doing(&agent, move |duty| {
            for _ in 0..5 {
                inner.clock().advance(LEASE / 2);
                let now = inner.clock().now();
                inner.mind().renew_duty(&duty.fence(now), LEASE)?;
                assert_eq!(well(&other).step(inner.mind())?.ran, []);
            }
            Ok(())
        });
        bench.clock().set(hour(1));
        assert_eq!(outcomes(&slow.step(bench.mind()).unwrap()), [&RunOutcome::Done]);
        assert_eq!(effects(bench.mind(), &agent), 1);
    }

    /// It works for five leases, and another process looks all the time.
    fn a_slow_job_keeps_its_lease(bench: Bench) {
        let agent = hourly(&bench);
        let bench = Arc::new(bench);
        let (inner, other) = (Arc::clone(&bench), agent.clone());
        let slow = slowly(&agent, move |_| {
            for _ in 0..10 {
                inner.clock().advance(BLINK / 2);
                let renewed = inner.clock().now().saturating_add(BLINK);
                wait_for(|| chore(inner.mind()).lease_until > Some(renewed));
                assert_eq!(slowly(&other, |_| Ok(())).step_of(inner.mind(), Pace::Slow)?.ran, []);
            }
            Ok(())
        });
        bench.clock().set(hour(1));
        assert_eq!(outcomes(&slow.step_of(bench.mind(), Pace::Slow).unwrap()), [&RunOutcome::Done]);
        assert_eq!((effects(bench.mind(), &agent), chore(bench.mind()).done_count), (1, 1));
        assert_eq!(bench.store().counters().stale_tokens(), 0);
    }

    /// Its renewal is refused, and then what it wants to write; both are counted.
    fn a_slow_job_that_was_taken_over_writes_nothing(bench: Bench) {
        let agent = hourly(&bench);
        let bench = Arc::new(bench);
        let (inner, other) = (Arc::clone(&bench), agent.clone());
        let slow = slowly(&agent, move |duty| {
            // As if the process had been stopped for longer than its lease.
            let at = inner.clock().now();
            let far = at.saturating_add(YEAR);
            let ended = inner.store().system_write(|writer| duties::release(writer, duty, at, at))?;
            assert!(ended);
            let taken = inner.store().system_write(|writer| duties::claim(writer, &["chore"], far, far))?;
            let taken = taken.unwrap();
            wait_for(|| inner.store().counters().stale_tokens() == 1);
            let again = inner.store().system_write(|writer| duties::release(writer, &taken, at, at))?;
            assert!(again);
            assert_eq!(outcomes(&slowly(&other, |_| Ok(())).step_of(inner.mind(), Pace::Slow)?), [&RunOutcome::Done]);
            Ok(())
        });
        bench.clock().set(hour(1));
        assert_eq!(outcomes(&slow.step_of(bench.mind(), Pace::Slow).unwrap()), [&RunOutcome::Superseded]);
        assert_eq!((effects(bench.mind(), &agent), chore(bench.mind()).done_count), (1, 1));
        assert_eq!(bench.store().counters().stale_tokens(), 2, "the renewal and the write");
    }

    fn a_slow_job_that_panics_has_failed(bench: Bench) {
        let agent = hourly(&bench);
        bench.clock().set(hour(1));
        let step = slowly(&agent, |_| panic!("a broom in pieces")).step_of(bench.mind(), Pace::Slow).unwrap();
        assert!(matches!(outcomes(&step)[..], [RunOutcome::Retry { .. }]), "{step:?}");
    }

    /// No attempt ever returned: each killed its process.
    fn a_duty_that_kills_every_process_is_given_up(bench: Bench) {
        let agent = hourly(&bench);
        bench.clock().set(hour(1));
        let most = Retries::default().max_attempts;
        for attempt in 1..=most {
            let lost = die_over_it(&bench);
            assert_eq!(lost.attempts, attempt);
            bench.clock().set(lost.lease_until.unwrap());
        }
        let step = doing(&agent, |_| panic!("not once more")).step(bench.mind()).unwrap();
        let [RunOutcome::Dead { error }] = outcomes(&step)[..] else {
            panic!("{step:?}");
        };
        assert!(error.contains("the process died over it"), "{error}");
        assert_eq!((health(bench.mind()), effects(bench.mind(), &agent)), (Health::Dead, 0));
    }

    fn a_job_may_have_a_patience_of_its_own(bench: Bench) {
        let agent = with_rhythm(&bench, &Rhythm::Once);
        let (scheduler, _) = frail(&agent, trouble, false);
        let step = scheduler.step(bench.mind()).unwrap();
        let [RunOutcome::Retry { at, .. }] = outcomes(&step)[..] else {
            panic!("{step:?}");
        };
        assert!(at.since(bench.clock().now()) >= HOUR / 2, "its own pause");
        bench.clock().set(*at);
        assert_eq!(until_dead(&bench, bench.mind(), &scheduler).0, PATIENCE.max_attempts - 1);
    }

    /// The last word is there exactly when the duty is dead.
    fn what_a_job_says_when_it_gives_up_is_written_with_its_end(bench: Bench) {
        let agent = with_rhythm(&bench, &Rhythm::Once);
        let (scheduler, asked) = frail(&agent, trouble, false);
        let trap = Trap::fail("write.before_commit");
        let mind = bench.open_with(|options| options.faults = trap.faults());
        for _ in 1..PATIENCE.max_attempts {
            scheduler.step(&mind).unwrap();
            assert_eq!((asked.load(Ordering::SeqCst), effects(&mind, &agent)), (0, 0), "not yet");
            bench.clock().set(chore(&mind).next_at);
        }
        // The claim is the first write, the end the second: it is lost, and so is the word.
        trap.arm(2);
        scheduler.step(&mind).unwrap_err();
        assert_eq!((chore(&mind).state.as_str(), effects(&mind, &agent)), ("running", 0));
        bench.clock().advance(LEASE * 2);
        assert_eq!(until_dead(&bench, &mind, &scheduler).0, 1);
        assert_eq!((health(&mind), effects(&mind, &agent)), (Health::Dead, 1));
        bench.clock().advance(DAY);
        assert_eq!(scheduler.step(&mind).unwrap().ran, []);
        assert_eq!(effects(&mind, &agent), 1);
    }

    fn what_will_not_work_is_not_tried_again(bench: Bench) {
        let agent = with_rhythm(&bench, &Rhythm::Once);
        let lasting = || PortError::Lasting("there is no broom".into()).into();
        let (scheduler, _) = frail(&agent, lasting, false);
        assert_eq!(until_dead(&bench, bench.mind(), &scheduler), (1, "there is no broom".into()));
        assert_eq!(effects(bench.mind(), &agent), 1);
        let passing = || PortError::Passing("the broom is wet".into()).into();
        let (scheduler, _) = frail(&agent, passing, false);
        bench.mind().requeue_duty(chore(bench.mind()).id).unwrap();
        assert_eq!(until_dead(&bench, bench.mind(), &scheduler), (3, "the broom is wet".into()));
    }

    /// It comes to its end all the same, or it would be tried for ever.
    fn a_job_that_panics_over_its_last_word_has_none(bench: Bench) {
        let agent = with_rhythm(&bench, &Rhythm::Once);
        let (scheduler, asked) = frail(&agent, trouble, true);
        assert_eq!(until_dead(&bench, bench.mind(), &scheduler), (3, trouble().to_string()));
        assert_eq!((asked.load(Ordering::SeqCst), effects(bench.mind(), &agent)), (1, 0));
    }

    fn a_job_whose_processes_all_died_has_a_last_word(bench: Bench) {
        let agent = with_rhythm(&bench, &Rhythm::Once);
        for _ in 0..PATIENCE.max_attempts {
            let lost = die_over_it(&bench);
            bench.clock().set(lost.lease_until.unwrap());
        }
        let (scheduler, _) = frail(&agent, trouble, false);
        let (attempts, error) = until_dead(&bench, bench.mind(), &scheduler);
        assert!(attempts == 1 && error.contains("the process died over it"), "{attempts} {error}");
        assert_eq!(effects(bench.mind(), &agent), 1);
    }

    /// A job that panics takes neither the scheduler nor the other duties with it.
    fn a_job_that_panics_has_failed(bench: Bench) {
        let agent = hourly(&bench);
        bench.clock().set(hour(1));
        let scheduler = doing(&agent, |_| panic!("a broom in pieces"));
        let step = catch_unwind(AssertUnwindSafe(|| scheduler.step(bench.mind()).unwrap())).expect("it goes on");
        assert!(matches!(outcomes(&step)[..], [RunOutcome::Retry { .. }]), "{step:?}");
        assert_eq!(chore(bench.mind()).last_error.as_deref(), Some("the job panicked"));
        assert_eq!(Error::Broken(String::new()).class(), selfsame::Class::Internal);
    }

    fn after_a_month_of_sleep_there_is_one_run(bench: Bench) {
        let agent = hourly(&bench);
        let (mind, scheduler) = (bench.mind(), well(&agent));
        bench.clock().set(hour(1));
        scheduler.step(mind).unwrap();
        bench.clock().set(hour(1 + 30 * 24).saturating_add(Duration::from_secs(600)));
        let step = scheduler.step(mind).unwrap();
        assert_eq!(outcomes(&step), [&RunOutcome::Done]);
        assert_eq!(step.wake_at, Some(hour(2 + 30 * 24)));
        let duty = chore(mind);
        assert_eq!((duty.done_count, duty.passed_over, duty.done_slot), (2, 30 * 24 - 1, Some(hour(1 + 30 * 24))));
        assert_eq!(effects(mind, &agent), 2);
    }

    fn after_a_month_of_sleep_there_is_one_run_a_day_too(bench: Bench) {
        let agent = with_rhythm(&bench, &Rhythm::parse("daily 03:30 Europe/Berlin").unwrap());
        let (mind, scheduler) = (bench.mind(), well(&agent));
        bench.clock().advance(DAY);
        scheduler.step(mind).unwrap();
        bench.clock().advance(30 * DAY);
        assert_eq!(outcomes(&scheduler.step(mind).unwrap()), [&RunOutcome::Done]);
        let duty = chore(mind);
        assert_eq!((duty.done_count, duty.passed_over, effects(mind, &agent)), (2, 29, 2));
    }

    /// The job is told the slot it is for, which after a sleep is the latest.
    fn a_job_hears_which_slot_it_is_for(bench: Bench) {
        let agent = hourly(&bench);
        let heard = Arc::new(AtomicU64::new(0));
        let told = Arc::clone(&heard);
        let scheduler = doing(&agent, move |duty| {
            told.store(u64::try_from(duty.slot.micros()).unwrap(), Ordering::SeqCst);
            Ok(())
        });
        bench.clock().set(hour(50).saturating_add(LEASE));
        scheduler.step(bench.mind()).unwrap();
        assert_eq!(heard.load(Ordering::SeqCst), u64::try_from(hour(50).micros()).unwrap());
    }

    /// A run that ends after the next slot shifts nothing: that slot is done next, and the one after it on time.
    fn a_job_that_takes_longer_than_its_period_loses_no_slot(bench: Bench) {
        let agent = hourly(&bench);
        let bench = Arc::new(bench);
        let (inner, runs) = (Arc::clone(&bench), AtomicU64::new(0));
        let slow_once = doing(&agent, move |_| {
            if runs.fetch_add(1, Ordering::SeqCst) == 0 {
                inner.clock().advance(HOUR + HOUR / 2);
            }
            Ok(())
        });
        bench.clock().set(hour(1));
        let step = slow_once.step(bench.mind()).unwrap();
        assert_eq!(step.ran.iter().map(|ran| ran.slot).collect::<Vec<_>>(), [hour(1), hour(2)]);
        assert_eq!(step.wake_at, Some(hour(3)));
        assert_eq!((chore(bench.mind()).done_count, effects(bench.mind(), &agent)), (2, 2));
    }

    fn what_is_two_periods_behind_is_late(bench: Bench) {
        let agent = hourly(&bench);
        let mind = bench.mind();
        assert_eq!(health(mind), Health::Fine);
        bench.clock().set(hour(3).saturating_add(LEASE));
        assert_eq!(health(mind), Health::Late);
        assert_eq!(mind.duty_counts().unwrap().late, 1);
        assert_eq!(chore(mind).state, "waiting");
        well(&agent).step(mind).unwrap();
        assert_eq!(health(mind), Health::Fine);
        bench.clock().set(hour(4));
        die_over_it(&bench);
        assert_eq!(health(mind), Health::Fine);
        bench.clock().set(hour(6).saturating_add(LEASE));
        assert_eq!(health(mind), Health::Late, "left behind by who died");
    }

    fn effects_and_completion_are_one(bench: Bench) {
        let agent = hourly(&bench);
        for point in ["write.begun", "write.applied", "write.before_commit"] {
            let trap = Trap::fail(point);
            let mind = bench.open_with(|options| options.faults = trap.faults());
            let before = (effects(&mind, &agent), chore(&mind).done_count);
            let due = chore(&mind).next_at;
            bench.clock().set(due);
            // The claim is the first write, what is done the second.
            trap.arm(2);
            let step = well(&agent).step(&mind).unwrap();
            let [RunOutcome::Retry { at, .. }] = outcomes(&step)[..] else {
                panic!("{step:?}");
            };
            assert_eq!((effects(&mind, &agent), chore(&mind).done_count), before, "{point}: neither");
            bench.clock().set(*at);
            assert_eq!(outcomes(&well(&agent).step(&mind).unwrap()), [&RunOutcome::Done]);
            assert_eq!((effects(&mind, &agent), chore(&mind).done_count), (before.0 + 1, before.1 + 1), "{point}: both");
        }
    }

    /// The answer was lost after the commit: what is done stays done, once.
    fn a_lost_acknowledgement_repeats_nothing(bench: Bench) {
        let agent = hourly(&bench);
        let trap = Trap::fail("write.committed");
        let mind = bench.open_with(|options| options.faults = trap.faults());
        bench.clock().set(hour(1));
        trap.arm(2);
        let step = well(&agent).step(&mind).unwrap();
        assert_eq!(outcomes(&step), [&RunOutcome::Superseded], "its token is used up");
        assert_eq!((effects(&mind, &agent), chore(&mind).done_count), (1, 1));
        bench.clock().advance(LEASE * 2);
        assert_eq!(well(&agent).step(&mind).unwrap().ran, []);
        assert_eq!(effects(&mind, &agent), 1);
    }

    fn a_clock_that_was_a_year_ahead_stalls_and_repeats_nothing(bench: Bench) {
        let agent = hourly(&bench);
        let scheduler = well(&agent);
        bench.clock().set(hour(1));
        scheduler.step(bench.mind()).unwrap();
        // Another process with a wrong clock does some slots of next year.
        let (wrong, clock) = with_clock(&bench, hour(1).saturating_add(YEAR));
        for _ in 0..3 {
            assert_eq!(outcomes(&scheduler.step(&wrong).unwrap()), [&RunOutcome::Done]);
            clock.advance(HOUR);
        }
        let ahead = hour(1).saturating_add(YEAR);
        assert_eq!(effects(bench.mind(), &agent), 4);
        // The clock is right again: the next slot is less than an hour away, not a year.
        bench.clock().advance(Duration::from_secs(60));
        let step = scheduler.step(bench.mind()).unwrap();
        assert_eq!((step.ran.len(), step.wake_at), (0, Some(hour(2))));
        for slot in 2..=4 {
            bench.clock().set(hour(slot));
            assert_eq!(outcomes(&scheduler.step(bench.mind()).unwrap()), [&RunOutcome::Done], "{slot}");
        }
        assert_eq!(effects(bench.mind(), &agent), 7);
        // And a year later, the slots that were done then are not done again.
        bench.clock().set(ahead.saturating_sub(HOUR));
        scheduler.step(bench.mind()).unwrap();
        assert_eq!(effects(bench.mind(), &agent), 8);
        for _ in 0..3 {
            bench.clock().advance(HOUR);
            scheduler.step(bench.mind()).unwrap();
            assert_eq!(effects(bench.mind(), &agent), 8, "that one was done");
        }
        bench.clock().advance(HOUR);
        scheduler.step(bench.mind()).unwrap();
        assert_eq!(effects(bench.mind(), &agent), 9);
        assert_eq!(chore(bench.mind()).done_count, 9);
    }

    /// It died, or failed, while its clock was a year ahead: its lease, or its next attempt, lies a year ahead too.
    fn what_a_wrong_clock_left_behind_is_taken_up(bench: Bench) {
        for rhythm in [Rhythm::Every(HOUR), Rhythm::Once] {
            let name = rhythm.to_string().replace(' ', "-");
            let agent = bench.agent(&name);
            let id = ensure(&bench, &agent, &rhythm);
            let (wrong, _) = with_clock(&bench, bench.clock().now().saturating_add(YEAR));
            let step = badly(&agent).step(&wrong).unwrap();
            assert!(matches!(outcomes(&step)[..], [RunOutcome::Retry { .. }]), "{step:?}");
            take_up(&bench, &agent, id);
            let id = ensure(&bench, &bench.agent(&format!("{name}-2")), &rhythm);
            let far = bench.clock().now().saturating_add(YEAR);
            let until = far.saturating_add(LEASE);
            wrong.store().system_write(|writer| duties::claim(writer, &["chore"], far, until)).unwrap().unwrap();
            take_up(&bench, &agent, id);
        }
    }

    fn a_clock_that_goes_back_repeats_nothing(bench: Bench) {
        let agent = hourly(&bench);
        let scheduler = well(&agent);
        bench.clock().set(hour(5));
        scheduler.step(bench.mind()).unwrap();
        for back in 0..5 {
            let (mind, clock) = with_clock(&bench, hour(back));
            scheduler.step(&mind).unwrap();
            clock.set(hour(back).saturating_add(HOUR / 2));
            scheduler.step(&mind).unwrap();
        }
        let done = effects(bench.mind(), &agent);
        bench.clock().set(hour(6));
        scheduler.step(bench.mind()).unwrap();
        assert_eq!(effects(bench.mind(), &agent), done + 1);
        assert_eq!(chore(bench.mind()).done_count as usize, done + 1);
    }

    fn the_house_makes_its_duties_once(bench: Bench) {
        let mind = bench.mind();
        mind.ensure_house_duties().unwrap();
        let made = mind.duties().unwrap();
        mind.ensure_house_duties().unwrap();
        assert_eq!(mind.duties().unwrap(), made);
        assert!(made.iter().any(|duty| duty.kind == "sweep_replies" && duty.rhythm == "every 1h"));
    }

    fn what_waits_for_a_lane_keeps_nobody_else_awake(bench: Bench) {
        let mind = bench.mind();
        mind.ensure_house_duties().unwrap();
        let scheduler = selfsame::jobs::scheduler(mind.settings());
        // Beyond the first slot of what is done on lanes alone.
        bench.clock().advance(2 * HOUR);
        let quick = scheduler.step(mind).unwrap();
        assert!(quick.wake_at.unwrap() > bench.clock().now(), "{quick:?}");
        let slow = scheduler.step_of(mind, Pace::Slow).unwrap();
        assert!(slow.ran.iter().any(|ran| ran.kind == "link"), "{slow:?}");
        assert!(slow.wake_at.unwrap() > bench.clock().now(), "{slow:?}");
    }

    fn replies_that_nobody_will_repeat_are_swept(bench: Bench) {
        let access = bench.main();
        bench.mind().ensure_house_duties().unwrap();
        let at = bench.clock().now();
        let key = selfsame::Idempotency { key: "k".into(), request: [1; 32], at };
        access.remember(selfsame::memory::Draft::new("the fox is red"), Some(&key)).unwrap();
        let stored = || bench.owner().number("SELECT COUNT(*) FROM idempotency");
        bench.clock().advance(DAY);
        let swept = || {
            let ran = selfsame::jobs::scheduler(bench.mind().settings()).step(bench.mind()).unwrap().ran;
            ran.iter().any(|ran| ran.kind == "sweep_replies")
        };
        assert!(swept());
        assert_eq!(stored(), 1, "it may still be repeated");
        bench.clock().advance(2 * DAY);
        assert!(swept());
        assert_eq!(stored(), 0);
    }
}

/// The chore of an agent, due now.
fn ensure(bench: &Bench, agent: &Agent, rhythm: &Rhythm) -> DutyId {
    bench.mind().ensure_duty("chore", Some(agent.id), rhythm).unwrap();
    let duties = bench.mind().duties().unwrap();
    let duty = duties.into_iter().find(|duty| duty.agent == Some(agent.id)).unwrap();
    bench.clock().set(duty.slot);
    duty.id
}

/// It is done within a day, and then out of the way.
fn take_up(bench: &Bench, agent: &Agent, id: DutyId) {
    let before = effects(bench.mind(), agent);
    for _ in 0..24 {
        well(agent).step(bench.mind()).unwrap();
        if effects(bench.mind(), agent) > before {
            bench.mind().cancel_duty(id).unwrap();
            return;
        }
        bench.clock().advance(HOUR);
    }
    panic!("nobody took it up: {:?}", bench.mind().duties().unwrap());
}
