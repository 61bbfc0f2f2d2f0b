//! One number out of features, and what it is the sum of.

use proptest::prelude::*;
use selfsame_core::id::Id;
use selfsame_core::recall::explain::{WordFound, explain_fit, words_found};
use selfsame_core::recall::features::{COUNT, Features, NAMES};
use selfsame_core::recall::fuse::{fuse, parts, sum};
use selfsame_core::recall::plan::{Role, Word};
use selfsame_core::recall::sheet::Entry;
use selfsame_core::recall::weigh::Candidate;
use selfsame_core::recall::weights::FUSION;
use selfsame_core::recall::{Fit, Layer, Plan, Spot};

fn candidate(layer: Layer, thread: u32, place: u32, features: Features) -> Candidate {
    let item = Id::from_bytes([place as u8; 16]);
    Candidate {
        layer,
        item,
        spot: Spot { thread, place },
        features,
        around: 0.5,
        spoken: true,
        surprise: 0.0,
    }
}

fn where_they_stand(fits: &[Fit]) -> Vec<(Layer, u32, u32)> {
    fits.iter().map(|fit| (fit.layer, fit.spot.thread, fit.spot.place)).collect()
}

/// From few values, so that there are equals.
fn features() -> impl Strategy<Value = Features> {
    prop::collection::vec(prop::sample::select(vec![0.0, 0.25, 0.5, 1.0]), COUNT)
        .prop_map(|list| Features::of(list.try_into().expect("as many as there are features")))
}

fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
    let one = (prop::bool::ANY, 0u32..3, 0u32..5);
    prop::collection::btree_map(one, features(), 0..20).prop_map(|all| {
        let layer = |is_memory| if is_memory { Layer::Memory } else { Layer::Message };
        all.into_iter()
            .map(|((memory, thread, place), has)| candidate(layer(memory), thread, place, has))
            .collect()
    })
}

fn weights() -> impl Strategy<Value = Features> {
    prop::collection::vec(0.01f64..3.0, COUNT)
        .prop_map(|list| Features::of(list.try_into().expect("as many as there are features")))
}

fn scaled(weights: &Features, factor: f64) -> Features {
    Features::of(weights.list().map(|weight| weight * factor))
}

#[test]
fn features_have_names_in_the_order_of_their_list() {
    let numbered = Features::of(std::array::from_fn(|at| at as f64));
    assert_eq!(numbered.list(), std::array::from_fn(|at| at as f64));
    assert_eq!((NAMES[0], NAMES[1], NAMES[COUNT - 1]), ("words", "coverage", "meaning_around"));
    assert_eq!((numbered.coverage, numbered.meaning_around), (1.0, (COUNT - 1) as f64));
}

#[test]
fn equals_come_in_the_order_of_layer_and_place() {
    let same = Features { coverage: 0.5, ..Features::default() };
    let better = Features { coverage: 0.6, ..Features::default() };
    let given = vec![
        candidate(Layer::Message, 0, 0, same),
        candidate(Layer::Memory, 7, 0, same),
        candidate(Layer::Message, 0, 3, better),
        candidate(Layer::Memory, 2, 1, same),
        candidate(Layer::Memory, 2, 0, same),
    ];
    let expected = [
        (Layer::Message, 0, 3),
        (Layer::Memory, 2, 0),
        (Layer::Memory, 2, 1),
        (Layer::Memory, 7, 0),
        (Layer::Message, 0, 0),
    ];
    assert_eq!(where_they_stand(&fuse(given, &FUSION)), expected);
}

#[test]
fn all_that_speaks_for_something_is_one_and_what_nothing_speaks_for_is_left_out() {
    let all = Features::of([1.0; COUNT]);
    let fits = fuse(
        vec![candidate(Layer::Memory, 0, 0, all), candidate(Layer::Memory, 1, 0, Features::default())],
        &FUSION,
    );
    assert_eq!(fits.len(), 1);
    assert!((fits[0].fit - 1.0).abs() < 1e-12);
    assert!(fuse(vec![candidate(Layer::Memory, 0, 0, all)], &Features::default()).is_empty(), "no weights");
}

#[test]
fn a_part_that_adds_nothing_is_not_told_and_equal_parts_keep_their_order() {
    let weights = Features { words: 1.0, coverage: 1.0, person: 2.0, day: 1.0, ..Features::default() };
    let features = Features { words: 1.0, coverage: 1.0, person: 1.0, statement: 1.0, ..Features::default() };
    let told: Vec<(&str, f64, f64)> =
        explain_fit(&features, &weights).iter().map(|part| (part.name, part.strength, part.added)).collect();
    assert_eq!(told, [("person", 1.0, 0.4), ("words", 1.0, 0.2), ("coverage", 1.0, 0.2)]);
}

#[test]
fn the_words_that_were_found_are_named_with_their_counts() {
    let word = |term: &str| Word { term: term.into(), role: Role::Content, thing: 0, proper: false };
    let plan = Plan { words: vec![word("dog"), word("cat"), word("eat")], ..Plan::default() };
    let entry = |word, tf| Entry { spot: Spot { thread: 0, place: 0 }, word, tf, score: 1.0 };
    let found = words_found(&plan, &[5, 6, 7], &[entry(0, 2), entry(2, 1)]);
    let expected = |word: &str, times, in_texts| WordFound { word: word.into(), times, in_texts };
    assert_eq!(found, [expected("dog", 2, 5), expected("eat", 1, 7)]);
    assert_eq!(words_found(&plan, &[5, 6, 7], &[]), []);
}

proptest! {
    #[test]
    fn fits_are_sorted_from_nought_to_one_and_the_same_again(given in candidates(), weights in weights()) {
        let fits = fuse(given.clone(), &weights);
        for fit in &fits {
            prop_assert!(fit.fit > 0.0 && fit.fit <= 1.0 + 1e-12);
        }
        for pair in fits.windows(2) {
            let place = |fit: &Fit| (fit.layer, fit.spot);
            let in_order = pair[0].fit > pair[1].fit
                || (pair[0].fit == pair[1].fit && place(&pair[0]) < place(&pair[1]));
            prop_assert!(in_order, "{pair:?}");
        }
        let mut turned = given.clone();
        turned.reverse();
        prop_assert_eq!(&fuse(turned, &weights), &fits);
        let silent = given.iter().filter(|one| one.features == Features::default()).count();
        prop_assert_eq!(fits.len(), given.len() - silent);
    }

    #[test]
    fn only_the_proportions_of_weights_matter(given in candidates(), power in -8i32..8, factor in 0.001f64..1000.0) {
        let fits = fuse(given.clone(), &FUSION);
        // To double is exact, so nothing at all may change; other factors may round.
        prop_assert_eq!(&fuse(given.clone(), &scaled(&FUSION, f64::from(power).exp2())), &fits);
        let near = fuse(given, &scaled(&FUSION, factor));
        prop_assert_eq!(near.len(), fits.len());
        for fit in &fits {
            let same = near.iter().find(|one| (one.layer, one.spot) == (fit.layer, fit.spot));
            prop_assert!(same.is_some_and(|one| (one.fit - fit.fit).abs() < 1e-12));
        }
        for (one, other) in near.iter().zip(&fits) {
            prop_assert!((one.fit - other.fit).abs() < 1e-12, "the order is the same, but for equals");
        }
    }

    #[test]
    fn parts_add_up_to_the_fit_and_are_told_largest_first(features in features(), weights in weights()) {
        let fits = fuse(vec![candidate(Layer::Memory, 0, 0, features)], &weights);
        let fit = fits.first().map_or(0.0, |fit| fit.fit);
        let total: f64 = weights.list().iter().sum();
        prop_assert!((parts(&features, &weights).iter().sum::<f64>() - fit).abs() < 1e-12);
        prop_assert!((sum(&features, &weights) / total - fit).abs() < 1e-12);
        let told = explain_fit(&features, &weights);
        prop_assert!((told.iter().map(|part| part.added).sum::<f64>() - fit).abs() < 1e-12);
        prop_assert!(told.windows(2).all(|pair| pair[0].added >= pair[1].added));
        prop_assert_eq!(told.len(), features.list().iter().filter(|strength| **strength > 0.0).count());
        for part in told {
            let at = NAMES.iter().position(|name| *name == part.name).expect("a feature");
            prop_assert_eq!(part.strength, features.list()[at]);
        }
    }
}
