//! A process that dies at any point leaves the old state or the new one, and never half of either.

use crate::rows::{self, key, memory, operator};
use selfsame_core::trust::Caller;
use selfsame_store::agents;
use selfsame_store::migrate;
use selfsame_testkit::child::Errand;
use selfsame_testkit::selfsame::StoreOptions;
use selfsame_testkit::{Bench, Trap, both_engines};
use std::os::unix::process::ExitStatusExt as _;

const WRITE_POINTS: [&str; 4] = ["write.begun", "write.applied", "write.before_commit", "write.committed"];

/// Sent as a child, dies; otherwise there is nothing to do.
#[test]
fn child_dies_while_migrating() {
    let Some(errand) = Errand::given() else { return };
    let bench = Bench::sqlite();
    let trap = Trap::die("migrate.before_commit").armed(1);
    let options = StoreOptions { faults: trap.faults(), ..StoreOptions::default() };
    drop(errand.open(options, bench.mind_time()));
}

/// Sent as a child, dies while it writes one memory; otherwise there is nothing to do.
#[test]
fn child_dies_while_writing() {
    let Some(errand) = Errand::given() else { return };
    let bench = Bench::sqlite();
    let point = WRITE_POINTS.into_iter().find(|point| *point == errand.what).unwrap();
    let trap = Trap::die(point).armed(1);
    let options = StoreOptions { faults: trap.faults(), ..StoreOptions::default() };
    let store = errand.open(options, bench.mind_time()).unwrap();
    let agent = store.system(|reader| agents::by_name(reader, "main")).unwrap().unwrap();
    let memory = memory(&bench, &agent, "the last words");
    let written = store
        .write(&operator(&agent), &[agent.id], Some(&key("k", 1)), |writer| rows::insert(writer, &memory));
    panic!("it should have died: {written:?}");
}

fn died(bench: &Bench, test: &str, what: &str) {
    let status = Errand::send(bench, test, what);
    assert_eq!(status.code(), None, "it should have died, and ended with {status}");
    assert!(status.signal().is_some());
}

#[test]
fn both_engines_killed_while_migrating_keep_the_old_state() {
    for bench in [Bench::sqlite(), Bench::empty_postgres()] {
        died(&bench, "deaths::child_dies_while_migrating", "migrate");
        assert_eq!(bench.mind().agents().unwrap(), [], "it can be opened, and is new");
        assert_eq!(bench.owner().number("SELECT COUNT(*) FROM schema_migrations"), migrate::latest());
    }
}

both_engines! {
    fn killed_while_writing_it_has_all_or_nothing(mut bench: Bench) {
        let agent = bench.agent("main");
        for point in WRITE_POINTS {
            bench.close();
            let before = rows::count(bench.store(), &agent);
            bench.close();
            died(&bench, "deaths::child_dies_while_writing", point);
            let stored = rows::count(bench.store(), &agent) - before;
            assert_eq!(stored == 1, point == "write.committed", "{point}");
            assert_eq!(bench.mind().verify().unwrap().problems, [""; 0], "{point}");
        }
        // The reply was stored with its effect: asking again gives it and does nothing.
        let again = bench.store().write(&operator(&agent), &[agent.id], Some(&key("k", 1)), |_| {
            panic!("it was done before");
        });
        again.map(|(): ()| ()).unwrap();
        let by_another = bench.store().write(&Caller::agent(None), &[agent.id], Some(&key("k", 1)), |_| Ok(()));
        by_another.unwrap();
    }
}
