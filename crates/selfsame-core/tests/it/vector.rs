//! Vectors that cannot be compared are refused, each with its place; those that can be are of length one, and compared as
//! anybody would.

use proptest::prelude::*;
use selfsame_core::vector::{Code, Unit, check};

fn refusal(vectors: &[Vec<f32>], expected: usize, dimensions: Option<usize>) -> String {
    check(vectors, expected, dimensions).expect_err("it should have been refused").to_string()
}

#[test]
fn good_vectors_have_a_length() {
    let vectors = [vec![0.0, -1.0, 0.5], vec![1e-40, 0.0, 0.0], vec![f32::MAX, f32::MIN, 0.0]];
    assert_eq!(check(&vectors, 3, None), Ok(3));
    assert_eq!(check(&vectors, 3, Some(3)), Ok(3));
}

#[test]
fn no_texts_have_no_vectors() {
    assert_eq!(check(&[], 0, None), Ok(0));
    assert_eq!(check(&[], 0, Some(384)), Ok(384));
    assert_eq!(refusal(&[vec![1.0]], 0, None), "1 vectors for 0 texts");
}

#[test]
fn as_many_as_texts() {
    assert_eq!(refusal(&[vec![1.0]], 2, None), "1 vectors for 2 texts");
    assert_eq!(refusal(&[vec![1.0], vec![1.0], vec![1.0]], 2, None), "3 vectors for 2 texts");
    assert_eq!(refusal(&[], 1, Some(3)), "0 vectors for 1 texts");
}

#[test]
fn all_of_one_length_and_of_the_models() {
    assert_eq!(refusal(&[vec![1.0, 2.0], vec![1.0]], 2, None), "vector 2 has 1 numbers instead of 2");
    assert_eq!(refusal(&[vec![1.0, 2.0]], 1, Some(3)), "vector 1 has 2 numbers instead of 3");
    assert_eq!(refusal(&[vec![1.0, 2.0, 3.0, 4.0]], 1, Some(3)), "vector 1 has 4 numbers instead of 3");
}

#[test]
fn an_empty_one_is_called_empty_wherever_it_stands() {
    assert_eq!(refusal(&[vec![]], 1, None), "vector 1 is empty");
    assert_eq!(refusal(&[vec![1.0], vec![]], 2, None), "vector 2 is empty");
    assert_eq!(refusal(&[vec![]], 1, Some(2)), "vector 1 is empty");
}

#[test]
fn every_number_is_finite() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(
            refusal(&[vec![1.0, 2.0], vec![1.0, bad]], 2, None),
            "vector 2 has a number that is not finite"
        );
        assert_eq!(refusal(&[vec![bad, 0.0]], 1, None), "vector 1 has a number that is not finite");
    }
}

#[test]
fn none_is_zero() {
    assert_eq!(refusal(&[vec![1.0, 0.0], vec![0.0, -0.0]], 2, None), "vector 2 is zero");
}

fn length(unit: &Unit) -> f64 {
    unit.numbers().iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt()
}

/// Compared one number after the other.
fn plain_cosine(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

fn any_vector(dimensions: usize) -> impl Strategy<Value = Vec<f32>> {
    let usual = -1.0f32..1.0;
    let odd =
        prop::sample::select(vec![0.0, -0.0, 1e-40, -1e-30, 1e30, f32::MIN_POSITIVE, f32::MAX, f32::MIN]);
    prop::collection::vec(prop_oneof![9 => usual, 1 => odd], dimensions)
}

fn any_unit(dimensions: usize) -> impl Strategy<Value = Unit> {
    any_vector(dimensions).prop_filter_map("it points nowhere", Unit::of)
}

#[test]
fn what_points_nowhere_has_no_direction() {
    for nowhere in [
        vec![],
        vec![0.0; 3],
        vec![-0.0],
        vec![f32::NAN, 1.0],
        vec![1.0, f32::INFINITY],
        vec![f32::NEG_INFINITY; 2],
        vec![f32::INFINITY, f32::NEG_INFINITY],
    ] {
        assert_eq!(Unit::of(nowhere.clone()), None, "{nowhere:?}");
    }
}

#[test]
fn the_shortest_and_the_longest_have_one() {
    let least = f32::from_bits(1);
    assert_eq!(Unit::of(vec![0.0, least]).unwrap().numbers(), [0.0, 1.0]);
    assert_eq!(Unit::of(vec![-least]).unwrap().numbers(), [-1.0]);
    for many in [vec![f32::MAX; 4096], vec![f32::MIN; 4096], vec![least; 4096], vec![f32::MIN_POSITIVE; 4096]]
    {
        assert!((length(&Unit::of(many).unwrap()) - 1.0).abs() < 1e-5);
    }
}

#[test]
fn what_cannot_be_compared_is_as_far_as_can_be() {
    let unit = |numbers: &[f32]| Unit::of(numbers.to_vec()).unwrap();
    assert_eq!(unit(&[1.0]).cosine(&unit(&[1.0, 0.0])), -1.0);
    assert_eq!(Code::of(&unit(&[1.0])).cosine(&Code::of(&unit(&[1.0, 0.0]))), 0.0);
}

fn code_of(bytes: &[u8]) -> Option<Code> {
    let (step, levels) = Code::split(bytes)?;
    Some(Code { step, levels: levels.iter().map(|byte| i8::from_le_bytes([*byte])).collect() })
}

#[test]
fn bytes_that_are_no_code_are_refused() {
    let step = |step: f32, levels: &[u8]| [step.to_le_bytes().as_slice(), levels].concat();
    for bad in [
        vec![],
        vec![1, 2, 3],
        step(0.01, &[]),
        step(0.0, &[1, 2]),
        step(-0.0, &[1, 2]),
        step(-0.01, &[1, 2]),
        step(f32::NAN, &[1, 2]),
        step(f32::INFINITY, &[1, 2]),
    ] {
        assert_eq!(Code::split(&bad), None, "{bad:?}");
    }
    let good = Code { step: 0.5, levels: vec![1, -1, 127, -127] };
    assert_eq!(code_of(&step(0.5, &[1, 255, 127, 129])), Some(good));
}

#[test]
fn a_stored_vector_that_is_spoiled_brings_nothing_down() {
    for numbers in [vec![0.0; 4], vec![f32::NAN; 4], vec![f32::INFINITY, 1.0], vec![]] {
        let (spoiled, good) =
            (Unit::stored(numbers.clone()), Unit::of(vec![1.0; numbers.len().max(1)]).unwrap());
        let _ = spoiled.cosine(&good);
        let code = Code::of(&spoiled);
        assert_eq!(code.levels.len(), numbers.len());
        let _ = code.cosine(&Code::of(&good));
    }
}

proptest! {
    #[test]
    fn a_direction_has_length_one_whatever_its_length(numbers in any_vector(37), times in 1e-3f32..1e3) {
        let Some(unit) = Unit::of(numbers.clone()) else {
            prop_assert!(numbers.iter().all(|number| *number == 0.0));
            return Ok(());
        };
        prop_assert!((length(&unit) - 1.0).abs() < 1e-6);
        prop_assert_eq!(unit.dimensions(), 37);
        let scaled: Vec<f32> = numbers.iter().map(|number| number * times).collect();
        if numbers.iter().all(|number| *number == 0.0 || (1e-20..1e20).contains(&number.abs())) {
            prop_assert!(Unit::of(scaled).unwrap().cosine(&unit) > 0.999_999);
        }
    }

    #[test]
    fn a_cosine_is_the_plain_one_the_same_both_ways((one, other) in (1usize..40).prop_flat_map(|n| (any_unit(n), any_unit(n)))) {
        let cosine = one.cosine(&other);
        prop_assert!((-1.0..=1.0).contains(&cosine));
        prop_assert_eq!(cosine.to_bits(), other.cosine(&one).to_bits());
        prop_assert!((cosine - plain_cosine(one.numbers(), other.numbers()).clamp(-1.0, 1.0)).abs() < 1e-12);
        prop_assert!(one.cosine(&one) > 1.0 - 1e-6);
        let opposite = Unit::stored(one.numbers().iter().map(|number| -number).collect());
        prop_assert!(one.cosine(&opposite) < -1.0 + 1e-6);
    }

    #[test]
    fn a_short_form_comes_back_and_is_off_by_half_a_level((one, other) in (1usize..400).prop_flat_map(|n| (any_unit(n), any_unit(n)))) {
        let code = Code::of(&one);
        let bytes = code.to_bytes();
        prop_assert_eq!(bytes.len(), 4 + one.dimensions());
        prop_assert_eq!(code_of(&bytes), Some(code.clone()));
        for (number, level) in one.numbers().iter().zip(&code.levels) {
            let off = (f64::from(*number) - f64::from(*level) * f64::from(code.step)).abs();
            prop_assert!(off <= f64::from(code.step) * 0.500_001, "{} is off by {}", number, off);
        }
        // Each vector moved by at most half a level in every number: what the cosine can move by follows.
        let moved = |code: &Code| f64::from(code.step) / 2.0 * (one.dimensions() as f64).sqrt();
        let theirs = Code::of(&other);
        let bound = moved(&code) + moved(&theirs) + moved(&code) * moved(&theirs) + 1e-5;
        prop_assert!((code.cosine(&theirs) - one.cosine(&other)).abs() <= bound);
        prop_assert_eq!(code.cosine(&theirs).to_bits(), theirs.cosine(&code).to_bits());
    }

    #[test]
    fn garbage_is_refused_or_read_and_brings_nothing_down(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        if let Some(code) = code_of(&bytes) {
            prop_assert_eq!(code.to_bytes(), bytes);
            prop_assert!((-1.0..=1.0).contains(&code.cosine(&code)));
        }
    }
}
