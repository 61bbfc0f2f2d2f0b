//! The scheduler lives through years of bad luck: see the simulator of the testkit.

use selfsame_testkit::seeded::for_each_seed;
use selfsame_testkit::simulator::simulate;

/// As many as fit in about ten seconds. `SELFSAME_TEST_SEEDS` or `cargo xtask simulate --seeds N` for more.
const USUAL: u64 = 4;
/// Of so many, one is lived through twice.
const TWICE: u64 = 10;

#[test]
fn a_year_of_bad_luck_loses_and_doubles_nothing() {
    let (mut seeds, mut days, mut decisions, mut crashes) = (0, 0, 0, 0);
    let (mut superseded, mut died, mut jumps) = (0, 0, 0);
    let mut failures = Vec::new();
    for_each_seed(USUAL, |seed, _| {
        let report = simulate(seed);
        if seed.is_multiple_of(TWICE) {
            assert_eq!(simulate(seed), report, "equal seeds, different worlds");
        }
        seeds += 1;
        days += report.days;
        decisions += report.decisions;
        crashes += report.crashes;
        superseded += report.superseded;
        died += report.died;
        jumps += report.clock_jumps;
        failures.extend(report.failures.iter().map(|failure| format!("seed {seed}: {failure}")));
    });
    println!(
        "{seeds} seeds, {days} days, {decisions} decisions, {crashes} crashes, {superseded} superseded, {died} given up, \
         {jumps} wrong clocks, {} failures",
        failures.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(
        crashes > 0 && superseded > 0 && died > 0 && jumps > 0,
        "there was no bad luck: the simulation shows nothing"
    );
}
