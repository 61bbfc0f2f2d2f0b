//! The scheduler lives through years of bad luck: see the simulator of the testkit.

use selfsame_testkit::seeded::seeds;
use selfsame_testkit::simulator::{Report, simulate};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// As many as fit in about ten seconds. `SELFSAME_TEST_SEEDS` or `cargo xtask simulate --seeds N` for more.
const USUAL: u64 = 4;
/// Of so many, one is lived through twice.
const TWICE: u64 = 10;

#[test]
fn a_year_of_bad_luck_loses_and_doubles_nothing() {
    let reports = all_reports(seeds(USUAL));
    let sum = |of: fn(&Report) -> u64| reports.iter().map(of).sum::<u64>();
    let (crashes, superseded) = (sum(|report| report.crashes), sum(|report| report.superseded));
    let (died, jumps) = (sum(|report| report.died), sum(|report| report.clock_jumps));
    let failures: Vec<String> = reports
        .iter()
        .flat_map(|report| report.failures.iter().map(|failure| format!("seed {}: {failure}", report.seed)))
        .collect();
    println!(
        "{} seeds, {} days, {} decisions, {crashes} crashes, {superseded} superseded, {died} given up, {jumps} wrong \
         clocks, {} failures",
        reports.len(),
        sum(|report| report.days),
        sum(|report| report.decisions),
        failures.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(
        crashes > 0 && superseded > 0 && died > 0 && jumps > 0,
        "there was no bad luck: the simulation shows nothing"
    );
}

/// A world knows nothing of the others, so each core lives through its own.
fn all_reports(seeds: u64) -> Vec<Report> {
    let (next, reports) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds {
                        return;
                    }
                    let report = live_through(seed);
                    reports.lock().unwrap().push(report);
                }
            });
        }
    });
    let mut reports = reports.into_inner().unwrap();
    reports.sort_by_key(|report| report.seed);
    reports
}

fn live_through(seed: u64) -> Report {
    let report = simulate(seed);
    if seed.is_multiple_of(TWICE) {
        assert_eq!(simulate(seed), report, "seed {seed}: equal seeds, different worlds");
    }
    report
}
