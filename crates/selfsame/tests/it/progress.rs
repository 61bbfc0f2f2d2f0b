//! Whoever watches is told how far long things are, each from its beginning to its end; and nobody is told of more than there is.

use crate::archive::live;
use crate::remember::remember;
use selfsame::archive::Limits;
use selfsame::config::Settings;
use selfsame::import::File;
use selfsame::moving::move_house;
use selfsame::progress::{Unit, Watch};
use selfsame::self_care::CareRequest;
use selfsame::{Engine, Mind, Speaker};
use selfsame_testkit::{Bench, both_engines};
use std::io::Cursor;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What was told: of what, how much of it, of how much, in what.
type Told = Vec<(String, u64, Option<u64>, Unit)>;

/// Somebody who watches, and what was seen.
fn watching() -> (Watch, Arc<Mutex<Told>>) {
    let told = Arc::new(Mutex::new(Told::new()));
    let hears = Arc::clone(&told);
    let watch = Watch::new(move |progress| {
        let one = (progress.what.to_owned(), progress.done, progress.total, progress.unit);
        hears.lock().unwrap().push(one);
    });
    (watch, told)
}

fn watched(bench: &Bench) -> (Mind, Arc<Mutex<Told>>) {
    let (watch, told) = watching();
    (bench.open_as(Settings::default(), |opening| opening.watched(watch)), told)
}

/// The stages that were told of since the last look. Each went on and on, and came to the end of what there was.
fn stages(told: &Mutex<Told>) -> Vec<(String, u64)> {
    let told = std::mem::take(&mut *told.lock().unwrap());
    let mut stages: Vec<(String, u64)> = Vec::new();
    let mut last = 0;
    for (what, done, total, _) in &told {
        let total = total.unwrap_or_else(|| panic!("{what}: nobody knows how much there is"));
        if stages.last().is_none_or(|(before, _)| before != what) {
            (last, _) = (0, stages.push((what.clone(), total)));
        }
        assert!(*done >= last && *done <= total, "{what}: {done} after {last}, of {total}");
        last = *done;
    }
    for (what, total) in &stages {
        let end = told.iter().rev().find(|(of, ..)| of == what).unwrap();
        assert_eq!(end.1, *total, "{what} came to its end: {told:?}");
    }
    stages
}

fn names(stages: &[(String, u64)]) -> Vec<&str> {
    stages.iter().map(|(what, _)| what.as_str()).collect()
}

both_engines! {
    fn every_long_verb_tells_how_far_it_is(bench: Bench) {
        live(&bench, "ada");
        let (mind, told) = watched(&bench);
        mind.verify().unwrap();
        let verified = stages(&told);
        assert_eq!(names(&verified), ["checking"]);
        let exported = mind.export(&["ada"]).unwrap();
        let packed = stages(&told);
        assert_eq!(names(&packed), ["writing down"]);
        let rows: u64 = exported.manifest.agents[0].parts.iter().map(|part| part.rows).sum();
        assert_eq!(packed[0].1, rows, "every row is counted once");
        // The archive, in another house.
        let there = Bench::sqlite();
        let (home, told) = watched(&there);
        home.import_archive(Cursor::new(exported.bytes), None, false, Limits::default()).unwrap();
        let all = std::mem::take(&mut *told.lock().unwrap());
        let (index, rest): (Told, Told) = all.into_iter().partition(|(what, ..)| what == "building the index");
        assert!(index.last().is_some_and(|(_, done, total, unit)| *done > 5 && total.is_none() && *unit == Unit::Texts));
        let arrived = stages(&Mutex::new(rest));
        assert_eq!(names(&arrived), ["reading", "checking", "moving in"]);
        assert_eq!((arrived[0].1, arrived[2].1), (rows, rows));
    }

    fn a_move_tells_of_both_its_halves(bench: Bench) {
        live(&bench, "ada");
        live(&bench, "bob");
        let there = match bench.engine() {
            Engine::Sqlite => Bench::postgres(),
            Engine::Postgres => Bench::sqlite(),
        };
        let (watch, told) = watching();
        let (from, to) = (bench.open_store(|_| {}).unwrap(), there.open_store(|_| {}).unwrap());
        let moved = move_house(&from, &to, "elsewhere", bench.mind_time(), &watch).unwrap();
        let stages = stages(&told);
        assert_eq!(names(&stages), ["copying", "holding against each other"]);
        assert_eq!(stages[1].1, moved.rows);
    }

    fn what_comes_from_elsewhere_and_what_is_folded_is_counted(bench: Bench) {
        bench.agent("main");
        let (mind, told) = watched(&bench);
        let text: String = (0..40).map(|number| format!("- Box {number} holds {number} candles\n")).collect();
        let operator = mind.access("main", Speaker::Operator).unwrap();
        let file = File { name: "MEMORY.md".into(), text };
        operator.import("MEMORY.md", &[file], None, false).unwrap();
        assert_eq!(stages(&told), [("filing what is there".to_owned(), 40)]);
        for number in 0..60 {
            remember(&operator, &format!("Crate {number} has {} apples from the orchard", number * 7));
        }
        bench.clock().advance(Duration::from_secs(90 * 86_400));
        told.lock().unwrap().clear();
        let own = mind.access("main", Speaker::Agent(None)).unwrap();
        let report = own.self_care(&CareRequest::default()).unwrap();
        let folded = stages(&told);
        assert_eq!(folded, [("folding".to_owned(), report.memories)], "{report:?}");
    }
}
