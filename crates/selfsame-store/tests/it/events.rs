//! The log of what happened: numbered without holes, chained, and nothing in it changes unseen.

use crate::rows::{furnished, memory, operator};
use selfsame_core::event::{Act, Event, GENESIS};
use selfsame_core::memory::Draft;
use selfsame_store::agents::Agent;
use selfsame_store::{Engine, StoreError, events};
use selfsame_testkit::selfsame::Speaker;
use selfsame_testkit::{Bench, Trap, both_engines};
use std::sync::Barrier;
use std::thread;

const THREADS: usize = 8;
const ROUNDS: usize = 12;

/// The whole log of an agent.
fn log(bench: &Bench, agent: &Agent) -> Vec<(Event, [u8; 32])> {
    bench
        .store()
        .read(&operator(agent), &[agent.id], |reader| events::after(reader, agent.id, 0, 10_000))
        .unwrap()
}

fn numbers(bench: &Bench, agent: &Agent) -> Vec<i64> {
    log(bench, agent).iter().map(|(event, _)| event.seq).collect()
}

fn head(bench: &Bench, agent: &Agent) -> i64 {
    bench.store().read(&operator(agent), &[agent.id], |reader| events::head(reader, agent.id)).unwrap().seq
}

/// Records some acts in one write.
fn record(bench: &Bench, agents: &[&Agent], count: usize) -> Result<(), StoreError> {
    let act = Act { act: "tried", subject_kind: "thing", subject: bench.fresh_id() };
    let ids: Vec<_> = agents.iter().map(|agent| agent.id).collect();
    let now = bench.mind_time();
    bench.store().write(&operator(agents[0]), &ids, None, |writer| {
        ids.iter().try_for_each(|id| events::record(writer, *id, now, &vec![act; count]).map(drop))
    })
}

/// A log of some length, and the agent's.
fn with_log(bench: &Bench) -> Agent {
    let (agent, _) = furnished(bench, "main");
    record(bench, &[&agent], 3).unwrap();
    assert_eq!(problems(bench), [""; 0]);
    assert!(head(bench, &agent) >= 6);
    agent
}

fn problems(bench: &Bench) -> Vec<String> {
    bench.mind().verify().unwrap().problems
}

/// Does what only who owns the tables can do: sets the guards of the log aside and changes it.
fn tamper(bench: &Bench, sql: &str) {
    let mut raw = bench.owner();
    match bench.engine() {
        Engine::Sqlite => {
            let guards =
                raw.texts("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'");
            for guard in guards {
                raw.run(&format!("DROP TRIGGER {guard}")).unwrap();
            }
        }
        Engine::Postgres => {
            raw.run(
                "ALTER TABLE events DISABLE TRIGGER USER; ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
                ALTER TABLE agent_heads NO FORCE ROW LEVEL SECURITY",
            )
            .unwrap();
        }
    }
    assert!(raw.run(sql).unwrap() > 0, "nothing was changed: {sql}");
}

both_engines! {
    fn what_happens_is_recorded_in_order(bench: Bench) {
        let (agent, there) = furnished(&bench, "main");
        let log = log(&bench, &agent);
        let acts: Vec<&str> = log.iter().map(|(event, _)| event.act.as_str()).collect();
        assert_eq!(acts, ["created", "remembered", "forgotten", "remembered"]);
        assert_eq!(log.last().unwrap().0.subject, there.id());
        assert!(log.windows(2).all(|pair| pair[0].0.at <= pair[1].0.at));
        let mut before = GENESIS;
        for (event, hash) in &log {
            assert_eq!(*hash, event.hash(agent.id, &before));
            before = *hash;
        }
    }

    fn one_agents_log_has_no_holes_however_many_write(bench: Bench) {
        let agent = bench.agent("main");
        let before = head(&bench, &agent);
        let start = Barrier::new(THREADS);
        thread::scope(|scope| {
            for number in 0..THREADS {
                let (bench, agent, start) = (&bench, &agent, &start);
                scope.spawn(move || {
                    start.wait();
                    for round in 0..ROUNDS {
                        record(bench, &[agent], 1 + (number + round) % 3).unwrap();
                    }
                });
            }
        });
        let written: usize = (0..THREADS).flat_map(|n| (0..ROUNDS).map(move |r| 1 + (n + r) % 3)).sum();
        let last = before + written as i64;
        assert_eq!(numbers(&bench, &agent), (1..=last).collect::<Vec<_>>());
        assert_eq!(head(&bench, &agent), last);
        assert_eq!(problems(&bench), [""; 0]);
    }

    fn logs_of_several_agents_have_no_holes_however_many_write(bench: Bench) {
        let agents: Vec<Agent> = (0..4).map(|n| bench.agent(&format!("agent{n}"))).collect();
        let start = Barrier::new(THREADS);
        thread::scope(|scope| {
            for number in 0..THREADS {
                let (bench, agents, start) = (&bench, &agents, &start);
                scope.spawn(move || {
                    start.wait();
                    for round in 0..ROUNDS {
                        // Two at a time, in any order.
                        let pair = [&agents[(number + round) % 4], &agents[(number * 3 + round + 1) % 4]];
                        let pair = if pair[0].id == pair[1].id { &pair[..1] } else { &pair[..] };
                        record(bench, pair, 2).unwrap();
                    }
                });
            }
        });
        for agent in &agents {
            let last = head(&bench, agent);
            assert!(last > ROUNDS as i64);
            assert_eq!(numbers(&bench, agent), (1..=last).collect::<Vec<_>>(), "{}", agent.name);
        }
        assert_eq!(problems(&bench), [""; 0]);
    }

    fn a_write_that_fails_leaves_no_hole(bench: Bench) {
        let agent = bench.agent("main");
        let act = Act { act: "tried", subject_kind: "thing", subject: bench.fresh_id() };
        for last in 1..5 {
            let now = bench.mind_time();
            let failed: Result<(), _> = bench.store().write(&operator(&agent), &[agent.id], None, |writer| {
                events::record(writer, agent.id, now, &[act, act])?;
                Err(StoreError::Failed("it changed its mind".into()))
            });
            assert!(failed.is_err());
            assert_eq!(head(&bench, &agent), last);
            record(&bench, &[&agent], 1).unwrap();
            assert_eq!(numbers(&bench, &agent), (1..=last + 1).collect::<Vec<_>>());
        }
        assert_eq!(problems(&bench), [""; 0]);
    }

    fn a_write_that_a_fault_stops_leaves_no_hole(bench: Bench) {
        for point in ["write.begun", "write.applied", "write.before_commit"] {
            let agent = bench.agent(&point.replace(['.', '_'], "-"));
            let trap = Trap::fail(point);
            let mind = bench.open_with(|options| options.faults = trap.faults());
            let access = mind.access(&agent.name, Speaker::Operator).unwrap();
            for number in 0..3 {
                access.remember(Draft::new(format!("kept {number}")), None).unwrap();
                trap.arm(1);
                access.remember(Draft::new(format!("lost {number}")), None).unwrap_err();
            }
            assert_eq!(numbers(&bench, &agent), (1..=4).collect::<Vec<_>>(), "{point}");
        }
        assert_eq!(problems(&bench), [""; 0]);
    }

    /// A batch that is rolled back and run again gives out the same numbers.
    fn a_write_that_is_run_again_leaves_no_hole(bench: Bench) {
        let agent = bench.agent("main");
        let mind = bench.open_with(|options| options.rerun_every = Some(2));
        for number in 0..10 {
            let access = mind.access("main", Speaker::Operator).unwrap();
            access.remember(Draft::new(format!("fox {number}")), None).unwrap();
        }
        assert_eq!(numbers(&bench, &agent), (1..=11).collect::<Vec<_>>());
        assert_eq!(problems(&bench), [""; 0]);
    }

    fn a_refused_write_records_nothing(bench: Bench) {
        let (agent, _) = furnished(&bench, "main");
        let before = log(&bench, &agent);
        let spoiled = Draft::new("");
        bench.access("main", Speaker::Operator).remember(spoiled, None).unwrap_err();
        let gone = memory(&bench, &agent, "never stored").id;
        bench.access("main", Speaker::Operator).forget(gone, None).unwrap_err();
        assert_eq!(log(&bench, &agent), before);
    }

    fn the_application_cannot_change_the_log(bench: Bench) {
        let agent = with_log(&bench);
        let before = log(&bench, &agent);
        for (sql, said) in [
            ("UPDATE events SET act = 'slept'", "may not be changed"),
            ("UPDATE events SET seq = seq + 100", "may not be changed"),
            ("DELETE FROM events", "may not be deleted"),
            ("DELETE FROM events WHERE seq = 2", "may not be deleted"),
        ] {
            let refused = bench.execute_raw(&[agent.id], sql).unwrap_err();
            assert!(refused.contains(said), "{sql}: {refused}");
        }
        assert_eq!(log(&bench, &agent), before);
    }

    fn a_change_of_any_column_is_found(bench: Bench) {
        let time = match bench.engine() {
            Engine::Sqlite => "at + 1",
            Engine::Postgres => "at + interval '1 microsecond'",
        };
        let bytes = match bench.engine() {
            Engine::Sqlite => "zeroblob(32)",
            Engine::Postgres => "decode(repeat('00', 32), 'hex')",
        };
        let agent = with_log(&bench);
        let last = head(&bench, &agent);
        let other = bench.id(bench.fresh_id());
        for (column, value) in [
            ("at", time),
            ("actor", "actor || '.'"),
            ("act", "'slept'"),
            ("subject_kind", "'dream'"),
            ("subject_id", &other),
            ("hash", bytes),
            ("seq", "seq + 1000"),
        ] {
            for row in [1, 3, last] {
                let mut raw = bench.owner();
                let before = raw.rows(&format!("SELECT {column} FROM events WHERE seq = {row}"));
                drop(raw);
                let undo = bench.dump();
                tamper(&bench, &format!("CREATE TABLE kept AS SELECT * FROM events; UPDATE events SET {column} = {value} WHERE seq = {row}"));
                let found = problems(&bench);
                assert_eq!(found.len(), 1, "{column} of {row} (was {before:?}): {found:?}");
                assert!(found[0].starts_with("agent main: the log of events "), "{found:?}");
                tamper(&bench, "DELETE FROM events; INSERT INTO events SELECT * FROM kept");
                bench.owner().run("DROP TABLE kept").unwrap();
                assert_eq!(bench.dump(), undo);
                assert_eq!(problems(&bench), [""; 0]);
            }
        }
    }

    fn a_row_that_is_missing_is_found(bench: Bench) {
        let agent = with_log(&bench);
        let last = head(&bench, &agent);
        for row in 1..=last {
            tamper(&bench, &format!("CREATE TABLE kept AS SELECT * FROM events; DELETE FROM events WHERE seq = {row}"));
            let expected = if row == last {
                format!("agent main: the log of events ends at {}, but its head says {last}", last - 1)
            } else {
                format!("agent main: the log of events has a hole: after {} comes {}", row - 1, row + 1)
            };
            assert_eq!(problems(&bench), [expected]);
            tamper(&bench, "DELETE FROM events; INSERT INTO events SELECT * FROM kept");
            bench.owner().run("DROP TABLE kept").unwrap();
        }
    }

    fn two_rows_that_changed_places_are_found(bench: Bench) {
        with_log(&bench);
        tamper(&bench, "UPDATE events SET seq = 1002 WHERE seq = 2");
        tamper(&bench, "UPDATE events SET seq = 2 WHERE seq = 3");
        tamper(&bench, "UPDATE events SET seq = 3 WHERE seq = 1002");
        assert_eq!(problems(&bench), ["agent main: the log of events was changed at or before number 2"]);
    }

    fn a_tail_that_was_cut_off_is_found(bench: Bench) {
        let agent = with_log(&bench);
        let last = head(&bench, &agent);
        tamper(&bench, "DELETE FROM events WHERE seq > 2");
        assert_eq!(problems(&bench), [format!("agent main: the log of events ends at 2, but its head says {last}")]);
        tamper(&bench, "DELETE FROM events");
        assert_eq!(problems(&bench), [format!("agent main: the log of events ends at 0, but its head says {last}")]);
    }

    fn a_head_that_was_changed_is_found(bench: Bench) {
        let agent = with_log(&bench);
        let last = head(&bench, &agent);
        tamper(&bench, "UPDATE agent_heads SET seq = seq - 1");
        assert_eq!(problems(&bench), [format!("agent main: the log of events ends at {last}, but its head says {}", last - 1)]);
        tamper(&bench, "UPDATE agent_heads SET seq = seq + 1");
        assert_eq!(problems(&bench), [""; 0]);
        let hash = match bench.engine() {
            Engine::Sqlite => "zeroblob(32)",
            Engine::Postgres => "decode(repeat('00', 32), 'hex')",
        };
        tamper(&bench, &format!("UPDATE agent_heads SET audit_head = {hash}"));
        assert_eq!(problems(&bench).len(), 1);
    }

    /// The tail and the head cut together fit each other; only a copy of the head elsewhere would tell. But a row that
    /// is put back with a hash of its own does not: the chain before it is in the hash.
    fn a_hash_of_its_own_does_not_fit_the_chain(bench: Bench) {
        let agent = with_log(&bench);
        let (event, _) = log(&bench, &agent).remove(2);
        let forged = selfsame_core::seal::hex(&event.hash(agent.id, &GENESIS));
        let bytes = match bench.engine() {
            Engine::Sqlite => format!("x'{forged}'"),
            Engine::Postgres => format!("'\\x{forged}'"),
        };
        tamper(&bench, &format!("UPDATE events SET hash = {bytes} WHERE seq = 3"));
        assert_eq!(problems(&bench), ["agent main: the log of events was changed at or before number 3"]);
    }

    fn one_agents_log_is_not_anothers(bench: Bench) {
        let (one, _) = furnished(&bench, "one");
        let (other, _) = furnished(&bench, "other");
        assert_ne!(log(&bench, &one)[0].1, log(&bench, &other)[0].1);
        let unseen = bench.store().read(&operator(&one), &[one.id], |reader| events::after(reader, other.id, 0, 10));
        assert!(matches!(unseen, Err(StoreError::OutsideAgent(_))), "{unseen:?}");
    }

    fn a_page_begins_after_a_number(bench: Bench) {
        let agent = with_log(&bench);
        let page = |after, limit| -> Vec<i64> {
            let read = bench.store().read(&operator(&agent), &[agent.id], |reader| {
                events::after(reader, agent.id, after, limit)
            });
            read.unwrap().iter().map(|(event, _)| event.seq).collect()
        };
        assert_eq!(page(0, 2), [1, 2]);
        assert_eq!(page(2, 2), [3, 4]);
        assert_eq!(page(1_000_000, 2), [0; 0]);
    }
}
