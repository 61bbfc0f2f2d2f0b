//! Many at once: sums come out right, nothing is done twice, and a statement that takes too long is stopped.

use crate::rows::{self, memory, operator};
use selfsame_core::id::MemoryId;
use selfsame_core::memory::Draft;
use selfsame_store::{StoreError, memory as memories};
use selfsame_testkit::selfsame::{Error, Speaker};
use selfsame_testkit::{Bench, both_engines};
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::Duration;

const THREADS: usize = 8;
const ROUNDS: usize = 10;

/// Remembers two facts a round and forgets one of them.
fn keep_half(bench: &Bench, agent: &str, number: usize) {
    let access = bench.access(agent, Speaker::Operator);
    for round in 0..ROUNDS {
        let first = access.remember(Draft::new(format!("red fox {round} of {number}")), None).unwrap();
        access.remember(Draft::new(format!("red owl {round} of {number}")), None).unwrap();
        access.forget(first.id, None).unwrap();
    }
}

fn run_at_once(work: impl Fn(usize) + Sync) {
    let start = Barrier::new(THREADS);
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (start, work) = (&start, &work);
            scope.spawn(move || {
                start.wait();
                work(number);
            });
        }
    });
}

both_engines! {
    fn writers_of_one_agent_lose_nothing(bench: Bench) {
        let agent = bench.agent("main");
        run_at_once(|number| keep_half(&bench, "main", number));
        assert_eq!(rows::count(bench.store(), &agent), (THREADS * ROUNDS) as u64);
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn writers_of_several_agents_lose_nothing(bench: Bench) {
        let agents: Vec<_> = (0..THREADS).map(|number| bench.agent(&format!("agent{number}"))).collect();
        run_at_once(|number| keep_half(&bench, &agents[number].name, number));
        for agent in &agents {
            assert_eq!(rows::count(bench.store(), agent), ROUNDS as u64, "{}", agent.name);
        }
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    /// Locks are taken in one order, whatever order the caller names the agents in.
    fn writers_of_the_same_two_agents_do_not_block_each_other(bench: Bench) {
        let (one, other) = (bench.agent("one"), bench.agent("other"));
        run_at_once(|number| {
            let (first, second) = if number % 2 == 0 { (&one, &other) } else { (&other, &one) };
            for _ in 0..ROUNDS {
                let pair = [memory(&bench, first, "here"), memory(&bench, second, "there")];
                let written = bench.store().write(&operator(first), &[first.id, second.id], None, |writer| {
                    pair.iter().try_for_each(|memory| rows::insert(writer, memory))
                });
                written.unwrap();
            }
        });
        for agent in [&one, &other] {
            assert_eq!(rows::count(bench.store(), agent), (THREADS * ROUNDS) as u64);
        }
    }

    fn a_memory_is_forgotten_once_however_many_ask(bench: Bench) {
        bench.agent("main");
        let access = bench.access("main", Speaker::Operator);
        let ids: Vec<MemoryId> =
            (0..ROUNDS).map(|n| access.remember(Draft::new(format!("fox {n}")), None).unwrap().id).collect();
        let done = std::sync::atomic::AtomicU64::new(0);
        run_at_once(|_| {
            for id in &ids {
                match bench.access("main", Speaker::Operator).forget(*id, None) {
                    Ok(forgotten) => drop(done.fetch_add(forgotten.memories, std::sync::atomic::Ordering::SeqCst)),
                    Err(Error::Gone(gone)) => assert_eq!(gone, *id),
                    Err(error) => panic!("{error}"),
                }
            }
        });
        assert_eq!(done.into_inner(), ROUNDS as u64);
        assert_eq!(bench.owner().number("SELECT COUNT(*) FROM erasures"), ROUNDS as i64, "no act without an effect");
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    /// A reader sees one moment, whatever is written meanwhile.
    fn a_reader_sees_one_moment(bench: Bench) {
        let agent = bench.agent("main");
        rows::store(bench.store(), &agent, &memory(&bench, &agent, "before")).unwrap();
        let during = memory(&bench, &agent, "during");
        let seen = bench.store().read(&operator(&agent), &[agent.id], |reader| {
            let before = memories::count(reader, agent.id)?;
            // The read may be run again, the write may not.
            if rows::count(bench.store(), &agent) == 1 {
                rows::store(bench.store(), &agent, &during)?;
            }
            Ok((before, memories::count(reader, agent.id)?))
        });
        let (before, after) = seen.unwrap();
        assert_eq!(before, after);
        assert_eq!(rows::count(bench.store(), &agent), 2);
    }
}

#[test]
fn sqlite_a_read_that_takes_too_long_is_stopped() {
    let bench = Bench::sqlite();
    let agent = bench.agent("main");
    rows::store(bench.store(), &agent, &memory(&bench, &agent, "again and again")).unwrap();
    let mind = bench.open_with(|options| options.statement_timeout = Duration::from_millis(20));
    let stopped: Result<(), StoreError> = mind.store().read(&operator(&agent), &[agent.id], |reader| {
        loop {
            memories::count(reader, agent.id)?;
        }
    });
    assert!(matches!(stopped, Err(StoreError::TimedOut)), "{stopped:?}");
    assert_eq!(rows::count(mind.store(), &agent), 1, "the connection still works");
}

#[test]
fn postgres_a_statement_that_takes_too_long_is_stopped() {
    let bench = Bench::postgres();
    let agent = bench.agent("main");
    let mind = bench.open_with(|options| options.statement_timeout = Duration::from_millis(50));
    let mut holder = bench.owner();
    holder.run("BEGIN; SELECT * FROM agent_heads FOR UPDATE").unwrap();
    let memory = memory(&bench, &agent, "behind a lock");
    let stopped = rows::store(mind.store(), &agent, &memory);
    assert!(matches!(stopped, Err(StoreError::TimedOut)), "{stopped:?}");
    holder.run("ROLLBACK").unwrap();
    rows::store(mind.store(), &agent, &memory).unwrap();
    assert_eq!(rows::count(mind.store(), &agent), 1);
}

/// A server that ends a connection is no reason to fail: another one is opened.
#[test]
fn postgres_a_lost_connection_is_replaced() {
    let bench = Bench::postgres();
    let agent = bench.agent("main");
    rows::store(bench.store(), &agent, &memory(&bench, &agent, "before")).unwrap();
    let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    bench.owner().run(others).unwrap();
    assert_eq!(rows::count(bench.store(), &agent), 1);
    bench.owner().run(others).unwrap();
    rows::store(bench.store(), &agent, &memory(&bench, &agent, "after")).unwrap();
    assert_eq!(rows::count(bench.store(), &agent), 2);
}

/// A process that was stopped in the middle of a write, or whose machine sleeps, does not keep the others waiting. When it
/// goes on it finds its transaction gone, and does it again.
#[test]
fn postgres_who_stands_still_in_a_transaction_blocks_nobody() {
    let bench = Bench::postgres();
    let agent = bench.agent("main");
    let sleeper = bench.open_with(|options| options.standstill = Duration::from_millis(100));
    let (slept, awake) = (memory(&bench, &agent, "the sleeper"), memory(&bench, &agent, "who is awake"));
    let (stands, stood) = mpsc::channel();
    let (wake_up, woken) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let (agent, store) = (&agent, sleeper.store());
        let sleeping = scope.spawn(move || {
            store.write(&operator(agent), &[agent.id], None, |writer| {
                rows::insert(writer, &slept)?;
                stands.send(()).unwrap();
                // The first time only: after that nobody is left to send.
                let _ = woken.recv();
                memories::count(writer, agent.id).map(drop)
            })
        });
        stood.recv().unwrap();
        rows::store(bench.store(), agent, &awake).unwrap();
        drop(wake_up);
        sleeping.join().unwrap().unwrap();
    });
    assert_eq!(rows::count(bench.store(), &agent), 2);
    assert_eq!(stood.try_iter().count(), 1, "it did it again");
}
