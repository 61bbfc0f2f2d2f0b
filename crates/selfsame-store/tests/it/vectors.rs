//! Near vectors: what the index in memory, the graph and the comparison one by one find is what a plain list would give,
//! whatever was written, taken away, dropped or rolled back meanwhile.

use crate::rows::operator;
use proptest::prelude::*;
use selfsame_core::id::Id;
use selfsame_core::recall::meaning::Baseline;
use selfsame_core::vector::{Code, Unit};
use selfsame_store::agents::Agent;
use selfsame_store::postings::Kind;
use selfsame_store::vectors::{self, Generation, Near};
use selfsame_store::{Engine, Form, Graph, Reader, Result, Store, StoreError, Writer, catalogue};
use selfsame_testkit::seeded::Dice;
use selfsame_testkit::{Bench, both_engines};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// What no test here asks for.
const BASELINE: Baseline = Baseline { usual: 0.0, spread: 0.1 };

const DIMENSIONS: usize = 48;
/// Above this a server asks its graph.
const EXACT: usize = 300;
const MOST: usize = 10;

/// What the vectors of a kind should be.
type Model = BTreeMap<Id, Unit>;

fn item(number: usize) -> Id {
    // Not in the order of coming.
    Id::from_bytes((number as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835).to_be_bytes())
}

/// Anywhere on the sphere, more or less.
fn anywhere(dice: &mut Dice, dimensions: usize) -> Unit {
    let mut number = || (0..4).map(|_| dice.below(2_001) as f32 - 1_000.0).sum();
    Unit::of((0..dimensions).map(|_| number()).collect()).unwrap()
}

/// Of few different numbers, so that many are equally near.
fn coarse(dice: &mut Dice, dimensions: usize) -> Unit {
    let mut numbers: Vec<f32> = (0..dimensions).map(|_| dice.below(3) as f32 - 1.0).collect();
    numbers[0] = 1.0;
    Unit::of(numbers).unwrap()
}

fn many(dice: &mut Dice, count: usize) -> Model {
    (0..count).map(|number| (item(number + 1), anywhere(dice, DIMENSIONS))).collect()
}

fn plain(model: &Model, to: &Unit, most: usize) -> Vec<Near> {
    let mut all: Vec<Near> =
        model.iter().map(|(item, unit)| Near { item: *item, cosine: unit.cosine(to) }).collect();
    all.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.item.cmp(&b.item)));
    all.truncate(most);
    all
}

fn limits(bench: &Bench) -> Store {
    bench.open_store(|options| options.exact_up_to = EXACT).unwrap()
}

fn generation(store: &Store, bench: &Bench, model: &str, dimensions: usize) -> Generation {
    let now = bench.mind_time();
    store.system_write(|writer| vectors::ensure_generation(writer, model, dimensions, BASELINE, now)).unwrap()
}

/// One agent's vectors of a generation and kind.
struct Vectors<'s> {
    store: &'s Store,
    agent: Agent,
    generation: Generation,
    kind: Kind,
}

impl<'s> Vectors<'s> {
    fn new(store: &'s Store, agent: Agent, generation: &Generation) -> Vectors<'s> {
        Vectors { store, agent, generation: generation.clone(), kind: Kind::Memory }
    }

    fn write(&self, body: impl FnMut(&mut Writer) -> Result<()>) -> Result<()> {
        self.store.write(&operator(&self.agent), &[self.agent.id], None, body)
    }

    fn read<T>(&self, body: impl FnMut(&mut Reader) -> Result<T>) -> T {
        self.store.read(&operator(&self.agent), &[self.agent.id], body).unwrap()
    }

    fn insert_in(&self, writer: &mut Writer, item: Id, unit: &Unit) -> Result<bool> {
        vectors::insert(writer, self.agent.id, self.generation.number, self.kind, item, unit)
    }

    fn insert(&self, item: Id, unit: &Unit) {
        self.write(|writer| self.insert_in(writer, item, unit).map(drop)).unwrap();
    }

    fn insert_all(&self, model: &Model) {
        self.write(|writer| {
            model.iter().try_for_each(|(item, unit)| self.insert_in(writer, *item, unit).map(drop))
        })
        .unwrap();
    }

    fn remove(&self, item: Id) {
        self.write(|writer| vectors::remove(writer, self.agent.id, self.kind, item).map(drop)).unwrap();
    }

    fn drop_some(&self, limit: i64) -> bool {
        let mut more = false;
        let number = self.generation.number;
        self.write(|writer| {
            more = vectors::drop_some(writer, self.agent.id, number, limit)?;
            Ok(())
        })
        .unwrap();
        more
    }

    fn live(&self) -> u64 {
        self.read(|reader| vectors::stock_of(reader, self.agent.id, self.generation.number, self.kind)).live
    }

    fn nearest_in(&self, reader: &mut Reader, to: &Unit, most: usize) -> Result<Vec<Near>> {
        vectors::nearest(reader, self.agent.id, &self.generation, self.kind, to, most)
    }

    fn nearest(&self, to: &Unit, most: usize) -> Vec<Near> {
        self.read(|reader| self.nearest_in(reader, to, most))
    }

    /// The short forms of all that a life may have.
    fn codes(&self) -> BTreeMap<Id, Code> {
        let items: Vec<Id> = (0..2 * NUMBERS).map(item).collect();
        self.read(|reader| vectors::codes_of(reader, self.agent.id, &self.generation, self.kind, &items))
    }

    /// Asks some questions, and compares with a plain list.
    fn compare(&self, model: &Model, dice: &mut Dice, what: &str) {
        for _ in 0..5 {
            let to = anywhere(dice, self.generation.dimensions);
            assert_eq!(self.nearest(&to, MOST), plain(model, &to, MOST), "{what}");
        }
        assert_eq!(self.live(), model.len() as u64, "{what}");
    }
}

/// How many of the best there are among those found. What was found must be said as near as it is, the nearest first.
fn found(near: &[Near], model: &Model, to: &Unit) -> usize {
    let best = plain(model, to, MOST);
    assert_eq!(near.len(), best.len());
    let items: Model = near.iter().map(|near| (near.item, model[&near.item].clone())).collect();
    assert_eq!(near, plain(&items, to, MOST), "as near as they are, and none twice");
    best.iter().filter(|best| near.contains(best)).count()
}

both_engines! {
    fn few_and_many_side_by_side_are_found(bench: Bench) {
        let store = limits(&bench);
        let generation = generation(&store, &bench, "a", DIMENSIONS);
        let dice = &mut Dice::new(1);
        let (few, many) = (many(dice, 50), many(dice, 2_000));
        let small = Vectors::new(&store, bench.agent("small"), &generation);
        let large = Vectors::new(&store, bench.agent("large"), &generation);
        small.insert_all(&few);
        large.insert_all(&many);
        // A second kind in the same graph, of which there are fewer than the graph has.
        let messages = Vectors { kind: Kind::Message, ..Vectors::new(&store, large.agent.clone(), &generation) };
        let said: Model = many.iter().take(400).map(|(item, unit)| (*item, unit.clone())).collect();
        messages.insert_all(&said);
        small.compare(&few, dice, "few beside many");
        let (mut met, mut met_said) = (0, 0);
        large.nearest(&few[&item(1)], MOST);
        messages.nearest(&few[&item(1)], MOST);
        let before = store.counters().statements();
        for _ in 0..20 {
            let to = anywhere(dice, DIMENSIONS);
            met += found(&large.nearest(&to, MOST), &many, &to);
            met_said += found(&messages.nearest(&to, MOST), &said, &to);
        }
        // How many there are, and the nearest: no graph found too few.
        assert_eq!(store.counters().statements() - before, 20 * 2 * 2);
        // Only the graph of a server may miss some.
        let least = if bench.engine() == Engine::Sqlite { 200 } else { 194 };
        assert!(met >= least && met_said >= least, "{met} and {met_said} of 200");
    }

    fn what_went_is_gone_and_what_came_again_is_there(bench: Bench) {
        let store = limits(&bench);
        let generation = generation(&store, &bench, "a", DIMENSIONS);
        let main = Vectors::new(&store, bench.agent("main"), &generation);
        let dice = &mut Dice::new(2);
        let mut model = many(dice, 60);
        main.insert_all(&model);
        main.compare(&model, dice, "at first");
        for number in [3, 60, 1, 31] {
            main.remove(item(number));
            model.remove(&item(number));
        }
        main.compare(&model, dice, "some went");
        // Another vector than before, and twice in between.
        let (first, last) = (anywhere(dice, DIMENSIONS), anywhere(dice, DIMENSIONS));
        main.insert(item(3), &first);
        main.remove(item(3));
        main.insert(item(3), &last);
        model.insert(item(3), last.clone());
        main.compare(&model, dice, "one came again");
        assert_eq!(main.nearest(&last, 1)[0].item, item(3));
        main.write(|writer| {
            assert!(!main.insert_in(writer, item(3), &first)?, "what is there stays as it is");
            Ok(())
        })
        .unwrap();
        main.compare(&model, dice, "one was there");
        let fresh = limits(&bench);
        Vectors::new(&fresh, main.agent.clone(), &generation).compare(&model, dice, "by another process");
    }

    fn a_reader_finds_what_was_there_when_it_began(bench: Bench) {
        // One by one: of many that are equally near, a graph finds any.
        let store = bench.open_store(|_| {}).unwrap();
        let generation = generation(&store, &bench, "a", DIMENSIONS);
        let main = Vectors::new(&store, bench.agent("main"), &generation);
        let dice = &mut Dice::new(3);
        let before = many(dice, 290);
        main.insert_all(&before);
        let to = anywhere(dice, DIMENSIONS);
        let near: Vec<Id> = plain(&before, &to, 3).iter().map(|near| near.item).collect();
        let mut after = before.clone();
        let later = |state: &Model| {
            // In a transaction of its own, which brings the index up.
            assert_eq!(main.nearest(&to, MOST), plain(state, &to, MOST), "the present");
        };
        main.read(|reader| {
            let seen = |reader: &mut Reader, what: &str| {
                assert_eq!(main.nearest_in(reader, &to, MOST).unwrap(), plain(&before, &to, MOST), "{what}");
            };
            seen(reader, "nothing happened");
            // More than are proposed beyond what is asked for: what is not seen must not take the places of what is.
            let many: Model = (1_000..1_060).map(|number| (item(number), to.clone())).collect();
            main.insert_all(&many);
            after.extend(many);
            later(&after);
            seen(reader, "many came");
            main.remove(near[0]);
            after.remove(&near[0]);
            later(&after);
            seen(reader, "one went");
            main.insert(near[0], &to);
            after.insert(near[0], to.clone());
            later(&after);
            seen(reader, "it came again");
            for number in 1..=280 {
                main.remove(item(number));
                after.remove(&item(number));
            }
            later(&after);
            seen(reader, "more went than are kept");
            while main.drop_some(100) {}
            later(&Model::new());
            seen(reader, "all were dropped");
            Ok(())
        });
    }

    fn a_reader_finds_what_came_and_went_before_anybody_asked(bench: Bench) {
        let store = limits(&bench);
        let generation = generation(&store, &bench, "a", DIMENSIONS);
        let main = Vectors::new(&store, bench.agent("main"), &generation);
        let dice = &mut Dice::new(14);
        let model = many(dice, 100);
        main.insert_all(&model);
        main.compare(&model, dice, "the index is brought up");
        let passing = anywhere(dice, DIMENSIONS);
        main.insert(item(500), &passing);
        let mut with = model.clone();
        with.insert(item(500), passing.clone());
        main.read(|reader| {
            assert_eq!(vectors::stock_of(reader, main.agent.id, generation.number, main.kind)?.live, 101);
            main.remove(item(500));
            assert_eq!(main.nearest(&passing, MOST), plain(&model, &passing, MOST), "it went");
            assert_eq!(main.nearest_in(reader, &passing, MOST)?, plain(&with, &passing, MOST), "it was there");
            Ok(())
        });
    }

    fn a_write_that_is_undone_is_never_seen(bench: Bench) {
        let store = bench.open_store(|options| options.rerun_every = Some(1)).unwrap();
        let generation = generation(&store, &bench, "a", DIMENSIONS);
        let main = Vectors::new(&store, bench.agent("main"), &generation);
        let dice = &mut Dice::new(4);
        let model = many(dice, 40);
        main.insert_all(&model);
        main.compare(&model, dice, "rehearsed");
        let to = anywhere(dice, DIMENSIONS);
        let undone = main.write(|writer| {
            main.insert_in(writer, item(500), &to)?;
            vectors::remove(writer, main.agent.id, main.kind, item(1))?;
            // Whoever asks meanwhile sees the state before.
            main.compare(&model, &mut Dice::new(5), "while it is written");
            Err(StoreError::Failed("on purpose".into()))
        });
        assert!(undone.unwrap_err().to_string().contains("on purpose"));
        main.compare(&model, dice, "undone");
        // The numbers of the changes that were undone are given again.
        let (another, mut model) = (anywhere(dice, DIMENSIONS), model);
        main.insert(item(501), &another);
        model.insert(item(501), another);
        main.compare(&model, dice, "another in its place");
    }

    fn two_generations_are_never_mixed(bench: Bench) {
        let store = limits(&bench);
        let agent = bench.agent("main");
        let old = Vectors::new(&store, agent.clone(), &generation(&store, &bench, "a", DIMENSIONS));
        let new = Vectors::new(&store, agent.clone(), &generation(&store, &bench, "b", DIMENSIONS));
        let short = Vectors::new(&store, agent, &generation(&store, &bench, "b", 8));
        assert_eq!(
            [&old, &new, &short].map(|vectors| vectors.generation.number),
            [1, 2, 3],
            "each length of a model's vectors is one of its own"
        );
        assert_eq!(generation(&store, &bench, "b", DIMENSIONS), new.generation);
        let dice = &mut Dice::new(6);
        let (mut of_old, mut of_new) = (many(dice, 350), many(dice, 340));
        old.insert_all(&of_old);
        new.insert_all(&of_new);
        let of_short: Model = (1..9).map(|number| (item(number), anywhere(dice, 8))).collect();
        short.insert_all(&of_short);
        for _ in 0..5 {
            let to = anywhere(dice, DIMENSIONS);
            assert_eq!(found(&old.nearest(&to, MOST), &of_old, &to), MOST);
            assert_eq!(found(&new.nearest(&to, MOST), &of_new, &to), MOST);
        }
        short.compare(&of_short, dice, "short ones");
        let used = old.read(|reader| vectors::in_use(reader, old.agent.id));
        assert_eq!(used, Some(1), "the first stays in use until another is put to use");
        // What is taken away is taken away of all.
        old.remove(item(1));
        of_old.remove(&item(1));
        of_new.remove(&item(1));
        assert_eq!((old.live(), new.live(), short.live()), (349, 339, 7));
        while old.drop_some(100) {}
        assert_eq!(old.nearest(&anywhere(dice, DIMENSIONS), MOST), []);
        let to = anywhere(dice, DIMENSIONS);
        assert_eq!(found(&new.nearest(&to, MOST), &of_new, &to), MOST);
    }

    fn a_generation_that_was_dropped_can_begin_again(bench: Bench) {
        let store = limits(&bench);
        let generation = generation(&store, &bench, "a", DIMENSIONS);
        let main = Vectors::new(&store, bench.agent("main"), &generation);
        let dice = &mut Dice::new(7);
        let mut model = many(dice, 120);
        // Those that will be dropped first are the nearest to one question.
        let pole = anywhere(dice, DIMENSIONS);
        model.values_mut().take(51).for_each(|unit| *unit = pole.clone());
        main.insert_all(&model);
        assert_eq!(main.nearest(&pole, MOST), plain(&model, &pole, MOST));
        main.remove(item(120));
        model.remove(&item(120));
        main.compare(&model, dice, "at first");
        // In the middle of it: what is left is counted, found, and can be taken away.
        assert!(main.drop_some(50));
        let dropped: Vec<Id> = model.keys().copied().take(50).collect();
        dropped.iter().for_each(|item| drop(model.remove(item)));
        main.compare(&model, dice, "half dropped");
        assert_eq!(main.nearest(&pole, MOST), plain(&model, &pole, MOST), "what was dropped takes no places");
        let one = *model.keys().next().unwrap();
        main.remove(one);
        model.remove(&one);
        main.compare(&model, dice, "one of the rest went");
        for item in &dropped[..20] {
            let unit = anywhere(dice, DIMENSIONS);
            main.insert(*item, &unit);
            model.insert(*item, unit);
        }
        main.compare(&model, dice, "some came again");
        let mut times = 0;
        while main.drop_some(50) {
            times += 1;
        }
        assert!(times >= 2, "little by little");
        assert!(!main.drop_some(50), "and there is an end");
        main.compare(&Model::new(), dice, "all dropped");
        let left = bench.owner().number("SELECT (SELECT COUNT(*) FROM vectors) + (SELECT COUNT(*) FROM vector_codes)");
        assert_eq!(left, 0, "of what was dropped nothing is left");
        let again = many(dice, 80);
        main.insert_all(&again);
        main.compare(&again, dice, "again");
    }

    fn what_cannot_be_compared_is_refused(bench: Bench) {
        let store = limits(&bench);
        let generation = generation(&store, &bench, "a", DIMENSIONS);
        let main = Vectors::new(&store, bench.agent("main"), &generation);
        let dice = &mut Dice::new(8);
        let model = many(dice, 5);
        main.insert_all(&model);
        for (numbers, why) in [
            (vec![0.5; 4], "a vector of 4 numbers is none of generation 1, which has 48"),
            (vec![], "a vector of 0 numbers is none of generation 1, which has 48"),
            (vec![0.0; DIMENSIONS], "not of length one"),
            (vec![1.0; DIMENSIONS], "not of length one"),
            (vec![f32::NAN; DIMENSIONS], "not of length one"),
            (vec![f32::INFINITY; DIMENSIONS], "not of length one"),
        ] {
            let refused = main.write(|writer| main.insert_in(writer, item(9), &Unit::stored(numbers.clone())).map(drop));
            let refused = refused.unwrap_err().to_string();
            assert!(refused.contains(why), "{refused}");
        }
        for numbers in [vec![], vec![0.0; 3], vec![1.0, f32::NAN], vec![f32::INFINITY, 1.0]] {
            assert_eq!(Unit::of(numbers), None, "what has no direction is no vector");
        }
        let unknown = Vectors { generation: Generation { number: 9, ..generation.clone() }, ..Vectors::new(&store, main.agent.clone(), &generation) };
        let refused = unknown.write(|writer| unknown.insert_in(writer, item(9), &model[&item(1)]).map(drop));
        assert!(refused.unwrap_err().to_string().contains("there is no generation 9"));
        let short = anywhere(dice, 8);
        let refused = store.read(&operator(&main.agent), &[main.agent.id], |reader| main.nearest_in(reader, &short, 1));
        assert!(refused.unwrap_err().to_string().contains("a vector of 8 numbers cannot be compared with those of a, which have 48"));
        let refused = main.write(|writer| main.nearest_in(writer, &model[&item(1)], 1).map(drop));
        assert!(refused.unwrap_err().to_string().contains("before a write, not in it"));
        for dimensions in [0, 16_001] {
            let refused = store.system_write(|writer| vectors::ensure_generation(writer, "b", dimensions, BASELINE, bench.mind_time()));
            assert!(refused.unwrap_err().to_string().contains("from 1 to 16000 can be kept"));
        }
        main.compare(&model, dice, "after all that");
        assert_eq!(main.nearest(&model[&item(1)], 0), []);
        assert_eq!(main.nearest(&model[&item(1)], usize::MAX).len(), 5);
    }

    fn of_equals_the_first_ids_are_found(bench: Bench) {
        let store = limits(&bench);
        let generation = generation(&store, &bench, "a", 32);
        let main = Vectors::new(&store, bench.agent("main"), &generation);
        let dice = &mut Dice::new(9);
        let same = coarse(dice, 32);
        let mut model: Model = (1..=150).map(|number| (item(number), same.clone())).collect();
        model.extend((151..=180).map(|number| (item(number), coarse(dice, 32))));
        main.insert_all(&model);
        for most in [1, 10, 90, 150] {
            assert_eq!(main.nearest(&same, most), plain(&model, &same, most), "{most}");
        }
    }

    fn many_ask_and_write_at_once(bench: Bench) {
        // Room for two of the agents' vectors: the others are let go of and read again all the time.
        let store = bench.open_store(|options| options.vector_memory = 2 * 80 * 80).unwrap();
        let generation = generation(&store, &bench, "a", DIMENSIONS);
        let agents: Vec<Agent> = (0..4).map(|number| bench.agent(&format!("agent-{number}"))).collect();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let writers: Vec<_> = agents.iter().enumerate().map(|(seed, agent)| {
                let mine = Vectors::new(&store, agent.clone(), &generation);
                scope.spawn(move || {
                    let dice = &mut Dice::new(seed as u64);
                    let mut model = Model::new();
                    for _ in 0..60 {
                        let item = item(1 + dice.below(60));
                        if model.remove(&item).is_some() {
                            mine.remove(item);
                        } else {
                            let unit = anywhere(dice, DIMENSIONS);
                            mine.insert(item, &unit);
                            model.insert(item, unit);
                        }
                        mine.compare(&model, dice, "one's own writes are seen at once");
                    }
                })
            }).collect();
            for seed in 0..2 {
                let (agents, store, generation, stop) = (&agents, &store, &generation, &stop);
                scope.spawn(move || {
                    let dice = &mut Dice::new(100 + seed);
                    while !stop.load(Ordering::Relaxed) {
                        let any = Vectors::new(store, dice.pick(agents).clone(), generation);
                        let to = anywhere(dice, DIMENSIONS);
                        // Of one moment: as many as there are then, the same when asked again.
                        any.read(|reader| {
                            let live = vectors::stock_of(reader, any.agent.id, generation.number, any.kind)?.live;
                            let near = any.nearest_in(reader, &to, MOST)?;
                            assert_eq!(near.len(), MOST.min(live as usize));
                            std::thread::yield_now();
                            assert_eq!(any.nearest_in(reader, &to, MOST)?, near);
                            Ok(())
                        });
                    }
                });
            }
            let ended: Vec<bool> = writers.into_iter().map(|writer| writer.join().is_ok()).collect();
            stop.store(true, Ordering::Relaxed);
            assert!(ended.into_iter().all(|well| well));
        });
    }

    fn any_life_gives_what_a_plain_list_gives(bench: Bench) {
        let cases = if bench.engine() == Engine::Sqlite { 48 } else { 12 };
        let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
        let (store, tight) = (limits(&bench), bench.open_store(|options| options.vector_memory = 1).unwrap());
        let generation = generation(&store, &bench, "a", 4);
        let next = std::cell::Cell::new(0);
        proptest!(config, |(life in prop::collection::vec(step(), 1..60))| {
            next.set(next.get() + 1);
            let agent = bench.agent(&format!("agent-{}", next.get()));
            let main = Vectors::new(&store, agent.clone(), &generation);
            // Too large for its memory: every question is answered from the rows.
            let without = Vectors::new(&tight, agent, &generation);
            let mut model = Model::new();
            for step in &life {
                step.take(&main, &mut model);
                if let Step::Ask(to, most) = step {
                    let expected = plain(&model, to, *most);
                    prop_assert_eq!(&main.nearest(to, *most), &expected);
                    prop_assert_eq!(&without.nearest(to, *most), &expected);
                    let codes: BTreeMap<Id, Code> =
                        model.iter().map(|(item, unit)| (*item, Code::of(unit))).collect();
                    prop_assert_eq!(&main.codes(), &codes);
                    prop_assert_eq!(&without.codes(), &codes);
                }
            }
            prop_assert_eq!(main.live(), model.len() as u64);
        });
    }
}

/// A step of a life.
#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<(usize, Unit)>),
    Remove(Vec<usize>),
    Ask(Unit, usize),
    Drop(i64),
    LetGo,
}

/// So many that those which went could fill the places of all that are proposed.
const NUMBERS: usize = 120;

fn unit() -> impl Strategy<Value = Unit> {
    let numbers = prop::collection::vec(prop::sample::select(vec![-1.0f32, 0.0, 1.0]), 4);
    numbers.prop_filter_map("zero has no direction", Unit::of)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => prop::collection::vec((1..NUMBERS, unit()), 1..60).prop_map(Step::Insert),
        3 => (1..NUMBERS, 1..60usize).prop_map(|(first, count)| Step::Remove((first..first + count).collect())),
        5 => (unit(), 0..12usize).prop_map(|(to, most)| Step::Ask(to, most)),
        1 => (1..80i64).prop_map(Step::Drop),
        1 => Just(Step::LetGo),
    ]
}

impl Step {
    fn take(&self, vectors: &Vectors<'_>, model: &mut Model) {
        match self {
            Step::Insert(some) => {
                vectors
                    .write(|writer| {
                        some.iter().try_for_each(|(number, unit)| {
                            vectors.insert_in(writer, item(*number), unit).map(drop)
                        })
                    })
                    .unwrap();
                for (number, unit) in some {
                    model.entry(item(*number)).or_insert_with(|| unit.clone());
                }
            }
            Step::Remove(some) => {
                let (agent, kind) = (vectors.agent.id, vectors.kind);
                vectors
                    .write(|writer| {
                        some.iter().try_for_each(|number| {
                            vectors::remove(writer, agent, kind, item(*number)).map(drop)
                        })
                    })
                    .unwrap();
                some.iter().for_each(|number| drop(model.remove(&item(*number))));
            }
            Step::Drop(limit) => {
                vectors.drop_some(*limit);
                let first: Vec<Id> = model.keys().copied().take(*limit as usize).collect();
                first.iter().for_each(|item| drop(model.remove(item)));
            }
            Step::LetGo => vectors.store.let_go_of_vectors(vectors.agent.id, vectors.generation.number),
            Step::Ask(..) => {}
        }
    }
}

#[test]
fn both_engines_find_the_same() {
    let (sqlite, postgres) = (Bench::sqlite(), Bench::postgres());
    let answers = |bench: &Bench| {
        let store = bench.store();
        let generation = generation(store, bench, "a", 32);
        let main = Vectors::new(store, bench.agent("main"), &generation);
        let dice = &mut Dice::new(10);
        let model: Model = (1..=500)
            .map(|number| (item(number), if number % 2 == 0 { coarse(dice, 32) } else { anywhere(dice, 32) }))
            .collect();
        main.insert_all(&model);
        (0..20).map(|_| main.nearest(&anywhere(dice, 32), 20)).collect::<Vec<_>>()
    };
    assert_eq!(answers(&sqlite), answers(&postgres));
}

#[test]
fn sqlite_vectors_are_held_within_their_memory() {
    let bench = Bench::sqlite();
    let each = DIMENSIONS + 28 + 28;
    let budget = 250 * each;
    let store = bench.open_store(|options| options.vector_memory = budget).unwrap();
    let generation = generation(&store, &bench, "a", DIMENSIONS);
    let dice = &mut Dice::new(11);
    let held: Vec<(Vectors<'_>, Model)> = [100, 100, 100, 300]
        .into_iter()
        .enumerate()
        .map(|(number, count)| {
            let vectors = Vectors::new(&store, bench.agent(&format!("agent-{number}")), &generation);
            let model = many(dice, count);
            vectors.insert_all(&model);
            (vectors, model)
        })
        .collect();
    assert_eq!(store.vector_bytes(), 0, "nothing is held before a question");
    let mut ask = |number: usize| {
        let (vectors, model) = &held[number];
        vectors.compare(model, dice, "within its memory");
        assert!(store.vector_bytes() <= budget, "{} of {budget}", store.vector_bytes());
        store.vector_bytes()
    };
    assert_eq!(ask(0), 100 * each, "no more than they need");
    assert_eq!(ask(1), 200 * each);
    assert_eq!(ask(2), 200 * each, "the longest unused goes");
    let read = store.counters().statements();
    ask(1);
    let of_held = store.counters().statements() - read;
    let read = store.counters().statements();
    ask(0);
    assert_eq!(store.counters().statements() - read, of_held + 1, "what was let go of is read again");
    assert_eq!(ask(3), 200 * each, "what is too large is not held");
    let (vectors, model) = &held[1];
    let mut model = model.clone();
    for number in 1_000..1_005 {
        let unit = anywhere(dice, DIMENSIONS);
        vectors.insert(item(number), &unit);
        model.insert(item(number), unit);
    }
    vectors.compare(&model, dice, "it has grown");
    store.let_go_of_vectors(vectors.agent.id, generation.number);
    assert!(store.vector_bytes() <= 100 * each);
}

#[test]
fn sqlite_an_index_follows_and_is_not_read_anew() {
    let bench = Bench::sqlite();
    let store = limits(&bench);
    let generation = generation(&store, &bench, "a", DIMENSIONS);
    let main = Vectors::new(&store, bench.agent("main"), &generation);
    let dice = &mut Dice::new(15);
    main.insert_all(&many(dice, 100));
    let to = anywhere(dice, DIMENSIONS);
    let statements = || {
        let before = store.counters().statements();
        main.nearest(&to, MOST);
        store.counters().statements() - before
    };
    // How many there are, the vectors of the nearest, and what has changed, if anything has.
    assert_eq!((statements(), statements()), (3, 2));
    main.remove(item(1));
    assert_eq!((statements(), statements()), (3, 2), "one went");
    main.insert(item(1), &to);
    assert_eq!((statements(), statements()), (3, 2), "it came again");
    main.drop_some(10);
    assert_eq!((statements(), statements()), (4, 2), "only what was dropped makes it begin from nothing");
}

/// The names of the graphs that there are.
fn graphs(bench: &Bench) -> Vec<String> {
    bench.owner().texts(
        "SELECT regexp_replace(indexdef, '.* USING ', '') FROM pg_indexes WHERE indexname LIKE 'vectors\\_graph\\_%'
         ORDER BY indexname",
    )
}

#[test]
fn postgres_a_generation_has_its_graph_from_the_start() {
    let bench = Bench::postgres();
    let store = limits(&bench);
    let made = [(DIMENSIONS, 1), (2_000, 2), (2_001, 3), (4_001, 4)];
    for (dimensions, number) in made {
        assert_eq!(generation(&store, &bench, "a", dimensions).number, number);
    }
    assert_eq!(
        graphs(&bench),
        [
            "hnsw (((embedding)::vector(48)) vector_cosine_ops) WHERE (generation = 1)",
            "hnsw (((embedding)::vector(2000)) vector_cosine_ops) WHERE (generation = 2)",
            "hnsw (((embedding)::halfvec(2001)) halfvec_cosine_ops) WHERE (generation = 3)",
        ]
    );
    // Those too long for a graph are compared one by one, whatever the limit says.
    let exact = bench.open_store(|options| options.exact_up_to = 1).unwrap();
    let dice = &mut Dice::new(12);
    for (dimensions, _) in &made[2..] {
        let generation = generation(&exact, &bench, "a", *dimensions);
        let main = Vectors::new(&exact, bench.agent(&format!("of-{dimensions}")), &generation);
        let model: Model = (1..=20).map(|number| (item(number), anywhere(dice, *dimensions))).collect();
        main.insert_all(&model);
        main.compare(&model, dice, "long ones");
    }
}

#[test]
fn postgres_the_store_chooses_the_graph() {
    let bench = Bench::postgres();
    let store = limits(&bench);
    let generation = generation(&store, &bench, "a", 8);
    let main = Vectors::new(&store, bench.agent("main"), &generation);
    let dice = &mut Dice::new(13);
    let model: Model = (1..=400).map(|number| (item(number), anywhere(dice, 8))).collect();
    main.insert_all(&model);
    bench.owner().run("ANALYZE vectors").unwrap();
    let statement = |name: &str| {
        let all = catalogue::statements();
        all.into_iter().find(|(file, statement)| *file == "vectors" && statement.name == name).unwrap().1
    };
    let to = format!("'[{}]'", ["1"; 8].join(","));
    let agent = bench.id(main.agent.id.id());
    let graph = Graph::of(generation.number, generation.dimensions).unwrap();
    let in_graph = statement("NEAREST_IN_GRAPH").sql(Engine::Postgres, Form::Of(graph));
    let in_graph =
        in_graph.replace("$1", &agent).replace("$2", "'memory'").replace("$3", &to).replace("$4", "42");
    let one_by_one = statement("NEAREST").sql(Engine::Postgres, 1);
    let one_by_one = one_by_one.replace("$1", &agent).replace("$2", "1").replace("$3", "'memory'");
    let one_by_one = one_by_one.replace("$4", &format!("{to}::vector")).replace("$5", "42");
    for (text, uses) in [(in_graph, true), (one_by_one, false)] {
        let mut raw = bench.application();
        raw.run(&bench.begin(&[main.agent.id])).unwrap();
        raw.run("SET LOCAL enable_sort = off; SET LOCAL enable_seqscan = off").unwrap();
        let plan = raw.texts(&format!("EXPLAIN {text}")).join("\n");
        assert_eq!(plan.contains("vectors_graph_1"), uses, "{plan}");
    }
}

/// A graph leaves out what has no direction, and may meet too many of others before it meets enough of ours: then all are
/// compared.
#[test]
fn postgres_where_the_graph_knows_too_few_all_are_compared() {
    let bench = Bench::postgres();
    let store = limits(&bench);
    let generation = generation(&store, &bench, "a", 8);
    let main = Vectors::new(&store, bench.agent("main"), &generation);
    let dice = &mut Dice::new(14);
    let model: Model = (1..=EXACT + 20).map(|number| (item(number), anywhere(dice, 8))).collect();
    main.insert_all(&model);
    let to = anywhere(dice, 8);
    let ask = || {
        let before = store.counters().statements();
        let found = main.nearest(&to, MOST);
        (found, store.counters().statements() - before)
    };
    let (found, in_graph) = ask();
    assert_eq!(found.len(), MOST);
    let known = plain(&model, &to, MOST / 2);
    let ids: Vec<String> = known.iter().map(|near| bench.id(near.item)).collect();
    let spoil = format!(
        "UPDATE vectors SET embedding = '[0,0,0,0,0,0,0,0]' WHERE item_id NOT IN ({})",
        ids.join(",")
    );
    assert_eq!(bench.owner().run(&spoil), Ok((model.len() - known.len()) as u64));
    let (found, with_fallback) = ask();
    assert_eq!((found.len(), &found[..known.len()]), (MOST, known.as_slice()));
    assert_eq!(with_fallback, in_graph + 1, "it asked once more");
}

#[test]
fn postgres_the_application_makes_no_graph_but_by_a_generation() {
    let bench = Bench::postgres();
    generation(&limits(&bench), &bench, "a", 8);
    for forbidden in [
        "CREATE INDEX mine ON vectors (seq)",
        "DROP INDEX vectors_graph_1",
        "DROP TRIGGER embedding_models_graph ON embedding_models",
        "CREATE TRIGGER mine AFTER INSERT ON embedding_models FOR EACH ROW EXECUTE FUNCTION embedding_models_graph()",
        "ALTER FUNCTION embedding_models_graph() RESET search_path",
    ] {
        let refused = bench.application().run(forbidden).unwrap_err();
        assert!(
            refused.contains("must be owner") || refused.contains("permission denied"),
            "{forbidden}: {refused}"
        );
    }
    let open = bench.owner().number(
        "SELECT COUNT(*) FROM pg_proc p WHERE p.proname = 'embedding_models_graph'
            AND p.prosecdef AND NOT has_function_privilege('selfsame_app_test', p.oid, 'EXECUTE')
            AND array_to_string(p.proconfig, ';') = 'search_path=pg_catalog, pg_temp'",
    );
    assert_eq!(open, 1, "with the owner's rights, not to be called, and with a path of its own");
}
