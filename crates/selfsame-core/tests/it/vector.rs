//! Vectors that cannot be compared are refused, each with its place.

use selfsame_core::vector::check;

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
