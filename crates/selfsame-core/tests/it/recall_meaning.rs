//! What meaning says for a text is what plain arithmetic over the vectors says.

use proptest::prelude::*;
use selfsame_core::recall::meaning::{Baseline, Meant, QUESTIONS, Sense, TEXTS};
use selfsame_core::recall::{Spot, weights::MEANING_AROUND};
use selfsame_core::vector::{Code, Unit};
use std::collections::{BTreeMap, BTreeSet};

const BASELINE: Baseline = Baseline { usual: 0.2, spread: 0.1 };
const DIMENSIONS: usize = 12;

fn unit(numbers: &[f32]) -> Unit {
    Unit::of(numbers.to_vec()).expect("it points somewhere")
}

fn spot(thread: u32, place: u32) -> Spot {
    Spot { thread, place }
}

/// What a short form stands for.
fn numbers(code: &Code) -> Vec<f64> {
    code.levels.iter().map(|level| f64::from(*level) * f64::from(code.step)).collect()
}

fn product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// The cosine of the question with the sum of what stands around a text, made by adding up vectors.
fn plain_around(asked: &Code, texts: &BTreeMap<Spot, Code>, at: Spot) -> f64 {
    let mut sum = vec![0.0; asked.levels.len()];
    for (other, code) in texts.iter().filter(|(other, _)| other.thread == at.thread) {
        let weight = match other.place.abs_diff(at.place) as usize {
            0 => 1.0,
            away => MEANING_AROUND.get(away - 1).copied().unwrap_or(0.0),
        };
        for (total, number) in sum.iter_mut().zip(numbers(code)) {
            *total += weight * number;
        }
    }
    product(&numbers(asked), &sum) / product(&sum, &sum).sqrt()
}

fn any_code() -> impl Strategy<Value = Code> {
    let vectors = prop::collection::vec(-1.0f32..1.0, DIMENSIONS);
    vectors.prop_filter_map("it points nowhere", |numbers| Some(Code::of(&Unit::of(numbers)?)))
}

/// Texts in a few sittings, with holes between them.
fn any_texts() -> impl Strategy<Value = BTreeMap<Spot, Code>> {
    let spots = (0u32..3, 0u32..9).prop_map(|(thread, place)| spot(thread, place));
    prop::collection::btree_map(spots, any_code(), 1..20)
}

#[test]
fn questions_and_texts_have_nothing_to_do_with_each_other() {
    let words = |texts: &[&str]| -> BTreeSet<String> {
        let all = texts.iter().flat_map(|text| selfsame_core::text::terms(text));
        all.filter(|term| !selfsame_core::recall::fillers::is_filler(term)).collect()
    };
    let shared: Vec<String> = words(&QUESTIONS).intersection(&words(&TEXTS)).cloned().collect();
    assert_eq!(shared, [""; 0]);
}

#[test]
fn a_baseline_is_the_mean_and_the_spread_of_all_pairs() {
    let questions = [unit(&[1.0, 0.0]), unit(&[0.0, 1.0])];
    let texts = [unit(&[1.0, 0.0]), unit(&[3.0, 4.0])];
    // 1, 0.6, 0 and 0.8.
    let baseline = Baseline::of(&questions, &texts);
    assert!((baseline.usual - 0.6).abs() < 1e-7);
    let spread = ((0.16 + 0.0 + 0.36 + 0.04) / 4.0f64).sqrt();
    assert!((baseline.spread - spread).abs() < 1e-7);
}

#[test]
fn worth_and_surprise_count_from_the_usual() {
    assert_eq!((BASELINE.worth(0.2), BASELINE.worth(1.0), BASELINE.worth(-1.0)), (0.0, 1.0, 0.0));
    assert!((BASELINE.worth(0.6) - 0.5).abs() < 1e-12);
    assert!((BASELINE.surprise(0.5) - 3.0).abs() < 1e-9);
    assert!(BASELINE.surprise(0.0) < 0.0);
    // Worth 0.97: a share of the way from the usual to the same, whatever the usual is.
    assert!(BASELINE.says_the_same(0.9761) && !BASELINE.says_the_same(0.9759));
}

#[test]
fn a_model_to_which_everything_is_the_same_says_nothing() {
    let same = [unit(&[1.0, 1.0])];
    let baseline = Baseline::of(&same, &same);
    assert!((baseline.usual - 1.0).abs() < 1e-6 && baseline.spread < 1e-6);
    assert!(baseline.worth(1.0).is_finite() && baseline.surprise(1.0).is_finite());
    assert!(baseline.surprise(1.0) < 1.0, "the usual is no surprise");
    let nothing = Baseline::of(&[], &[]);
    assert_eq!(nothing, Baseline { usual: 0.0, spread: 0.0 });
    assert!(nothing.surprise(1.0).is_finite());
}

#[test]
fn a_text_without_a_vector_says_nothing() {
    let asked = Code::of(&unit(&[1.0, 0.0]));
    let texts = BTreeMap::from([(spot(0, 1), asked.clone())]);
    let meant = Meant::new(&asked, BASELINE, &texts, true);
    for missing in [spot(0, 0), spot(0, 2), spot(1, 1)] {
        assert_eq!(meant.sense(missing, true), Sense::default());
    }
    assert!(meant.sense(spot(0, 1), true).own > 0.99);
    let none = Meant::new(&asked, BASELINE, &BTreeMap::new(), true);
    assert_eq!(none.sense(spot(0, 0), true), Sense::default());
}

#[test]
fn what_stands_beside_a_text_is_of_the_same_thread() {
    let (asked, other) = (Code::of(&unit(&[1.0, 0.0])), Code::of(&unit(&[0.0, 1.0])));
    // The last of one thread and the first of the next.
    let apart = BTreeMap::from([
        (spot(0, 8), other.clone()),
        (spot(1, 0), asked.clone()),
        (spot(2, 0), other.clone()),
    ]);
    let sense = Meant::new(&asked, BASELINE, &apart, true).sense(spot(1, 0), true);
    assert!((sense.own - sense.around).abs() < 1e-9);
    let together = BTreeMap::from([(spot(1, 0), asked.clone()), (spot(1, 1), other)]);
    let sense = Meant::new(&asked, BASELINE, &together, true).sense(spot(1, 0), true);
    assert!(sense.around < sense.own - 0.05, "{sense:?}");
    let alone = Meant::new(&asked, BASELINE, &together, false).sense(spot(1, 0), false);
    assert_eq!(alone.own, alone.around, "where nobody sits together each stands alone");
}

#[test]
fn the_last_places_there_are_bring_nothing_down() {
    let code = Code::of(&unit(&[1.0, 0.0]));
    let places = [u32::MAX - 3, u32::MAX - 1, u32::MAX];
    let texts = places.map(|place| (spot(u32::MAX, place), code.clone())).into();
    let meant = Meant::new(&code, BASELINE, &texts, true);
    for place in places {
        assert!((meant.sense(spot(u32::MAX, place), true).around - 1.0).abs() < 1e-6);
    }
}

proptest! {
    #[test]
    fn it_is_what_adding_up_vectors_gives(asked in any_code(), texts in any_texts()) {
        let meant = Meant::new(&asked, BASELINE, &texts, true);
        for (at, code) in &texts {
            let sense = meant.sense(*at, true);
            let cosine = product(&numbers(&asked), &numbers(code)).clamp(-1.0, 1.0);
            prop_assert!((sense.own - BASELINE.worth(cosine)).abs() < 1e-9);
            prop_assert!((sense.surprise - BASELINE.surprise(cosine)).abs() < 1e-9);
            let around = plain_around(&asked, &texts, *at);
            // Of length one but for the rounding of the short form.
            prop_assert!((sense.around - BASELINE.worth(around)).abs() < 0.02, "{:?}: {} {}", at, sense.around, BASELINE.worth(around));
            prop_assert!((0.0..=1.0).contains(&sense.own) && (0.0..=1.0).contains(&sense.around));
        }
    }
}
