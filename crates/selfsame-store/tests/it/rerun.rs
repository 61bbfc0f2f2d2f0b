//! What a write does can be done again: rolled back and repeated, every write gives the same state.

use selfsame_core::memory::Draft;
use selfsame_testkit::seeded::{Dice, for_each_seed};
use selfsame_testkit::selfsame::{Mind, Speaker};
use selfsame_testkit::{Bench, both_engines, dump};

const WORDS: [&str; 6] = ["red", "green", "fox", "owl", "O'Brien", "日本"];

/// Some life, chosen by the dice.
fn live(mind: &Mind, dice: &mut Dice) {
    mind.create_agent("main", None).unwrap();
    let access = mind.access("main", Speaker::Operator).unwrap();
    let mut there = Vec::new();
    for _ in 0..12 {
        if dice.percent(30) && !there.is_empty() {
            let gone = there.swap_remove(dice.below(there.len()));
            access.forget(gone, None).unwrap();
        } else {
            let words: Vec<&str> = (0..1 + dice.below(4)).map(|_| *dice.pick(&WORDS)).collect();
            there.push(access.remember(Draft::new(words.join(" ")), None).unwrap().id);
        }
    }
}

fn state_after(bench: &Bench, seed: u64, rerun_every: Option<u64>) -> String {
    let mind = bench.open_with(|options| options.rerun_every = rerun_every);
    live(&mind, &mut Dice::new(seed));
    assert_eq!(mind.verify().unwrap().problems, [""; 0]);
    dump(&mind)
}

both_engines! {
    fn a_write_that_is_rehearsed_gives_the_same_state(bench: Bench) {
        let fresh = || match bench.engine() {
            selfsame_store::Engine::Sqlite => Bench::sqlite(),
            selfsame_store::Engine::Postgres => Bench::postgres(),
        };
        for_each_seed(3, |seed, _| {
            let plain = state_after(&fresh(), seed, None);
            for every in [1, 3] {
                assert_eq!(state_after(&fresh(), seed, Some(every)), plain, "every {every}");
            }
        });
    }
}
