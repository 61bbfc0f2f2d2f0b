//! A repeated request has one effect and one answer.

use crate::rows::{self, key, memory, nobody, operator};
use selfsame_core::id::MemoryId;
use selfsame_core::trust::Caller;
use selfsame_store::agents::Agent;
use selfsame_store::{Idempotency, Replay, Result, Store, StoreError};
use selfsame_testkit::{Bench, Trap, both_engines};
use std::sync::Barrier;

/// An answer: which memory holds it.
#[derive(Clone, PartialEq, Debug)]
struct Stored(MemoryId);

impl Replay for Stored {
    fn encode(&self) -> String {
        format!("\"{}\"", self.0)
    }

    fn decode(stored: &str) -> Result<Stored> {
        Ok(Stored(stored.trim_matches('"').parse().unwrap()))
    }
}

/// A request that makes a memory of its own each time it has an effect.
fn request(
    bench: &Bench,
    store: &Store,
    caller: &Caller,
    agent: &Agent,
    key: &Idempotency,
) -> Result<Stored> {
    let memory = memory(bench, agent, "once");
    store.write(caller, &[agent.id], Some(key), |writer| {
        rows::insert(writer, &memory)?;
        Ok(Stored(memory.id))
    })
}

both_engines! {
    fn the_same_key_twice_is_one_effect_and_one_answer(bench: Bench) {
        let agent = bench.agent("main");
        let ask = || request(&bench, bench.store(), &operator(&agent), &agent, &key("k", 1)).unwrap();
        assert_eq!(ask(), ask());
        assert_eq!(rows::count(bench.store(), &agent), 1);
    }

    fn the_same_key_for_another_request_is_refused(bench: Bench) {
        let agent = bench.agent("main");
        let ask = |asked| request(&bench, bench.store(), &operator(&agent), &agent, &key("k", asked));
        ask(1).unwrap();
        assert!(matches!(ask(2), Err(StoreError::KeyReused)));
        assert_eq!(rows::count(bench.store(), &agent), 1);
    }

    fn the_same_key_of_another_caller_is_another_key(bench: Bench) {
        let agent = bench.agent("main");
        let nobody = nobody(&bench);
        let callers = [
            operator(&agent),
            Caller::principal(agent.operator),
            Caller::principal(nobody),
            Caller::agent(None),
            Caller::agent(Some(agent.operator)),
        ];
        for caller in callers {
            request(&bench, bench.store(), &caller, &agent, &key("k", 1)).unwrap();
        }
        assert_eq!(rows::count(bench.store(), &agent), 5);
    }

    fn without_a_key_every_request_has_an_effect(bench: Bench) {
        let agent = bench.agent("main");
        for _ in 0..2 {
            rows::store(bench.store(), &agent, &memory(&bench, &agent, "twice")).unwrap();
        }
        assert_eq!(rows::count(bench.store(), &agent), 2);
    }

    fn a_request_that_failed_leaves_its_key_free(bench: Bench) {
        let agent = bench.agent("main");
        let failed: Result<Stored> = bench.store().write(&operator(&agent), &[agent.id], Some(&key("k", 1)), |_| {
            Err(StoreError::BadValue("not this time".into()))
        });
        assert!(failed.is_err());
        request(&bench, bench.store(), &operator(&agent), &agent, &key("k", 2)).unwrap();
        assert_eq!(rows::count(bench.store(), &agent), 1);
    }

    fn fifty_at_once_with_one_key_are_one_effect(bench: Bench) {
        const THREADS: usize = 50;
        let agent = bench.agent("main");
        let start = Barrier::new(THREADS);
        let answers: Vec<Stored> = std::thread::scope(|scope| {
            let ask = || {
                start.wait();
                request(&bench, bench.store(), &operator(&agent), &agent, &key("k", 1)).unwrap()
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
        assert_eq!(rows::count(bench.store(), &agent), 1);
    }

    /// Died between commit and answer: the caller cannot know, and asks again with the same key.
    fn an_unknown_outcome_is_settled_by_asking_again(bench: Bench) {
        let trap = Trap::fail("write.committed");
        let mind = bench.open_with(|options| options.faults = trap.faults());
        let agent = mind.create_agent("main", None).unwrap();
        let first = memory(&bench, &agent, "once");
        trap.arm(1);
        let outcome = mind.store().write(&operator(&agent), &[agent.id], Some(&key("k", 1)), |writer| {
            rows::insert(writer, &first)?;
            Ok(Stored(first.id))
        });
        assert!(matches!(outcome, Err(StoreError::Unknown { .. })), "{outcome:?}");
        let answer = request(&bench, mind.store(), &operator(&agent), &agent, &key("k", 1)).unwrap();
        assert_eq!(answer, Stored(first.id));
        assert_eq!(rows::count(mind.store(), &agent), 1);
    }

    fn a_write_that_failed_before_its_commit_left_nothing(bench: Bench) {
        for point in ["write.begun", "write.applied", "write.before_commit"] {
            let trap = Trap::fail(point);
            let mind = bench.open_with(|options| options.faults = trap.faults());
            let agent = mind.create_agent(point, None).unwrap();
            trap.arm(1);
            request(&bench, mind.store(), &operator(&agent), &agent, &key("k", 1)).unwrap_err();
            assert_eq!(rows::count(mind.store(), &agent), 0, "{point}");
            request(&bench, mind.store(), &operator(&agent), &agent, &key("k", 1)).unwrap();
            assert_eq!(rows::count(mind.store(), &agent), 1, "{point}");
        }
    }
}
