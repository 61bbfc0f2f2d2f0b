//! How the vectors of a text's tokens become the vector of the text.

/// Which token speaks for the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pooling {
    /// All of them, alike.
    Mean,
    /// The first, which was put before the text for that.
    First,
}

impl Pooling {
    /// All of them.
    pub const ALL: [Pooling; 2] = [Pooling::Mean, Pooling::First];

    /// As a manifest writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Pooling::Mean => "mean",
            Pooling::First => "first",
        }
    }
}

/// What a network gives for one text.
#[derive(PartialEq, Debug)]
pub(super) enum Answer {
    /// The text's vector.
    Whole(Vec<f32>),
    /// A vector for each token, one behind the other.
    PerToken {
        /// All their numbers.
        numbers: Vec<f32>,
        /// How many each has.
        width: usize,
    },
}

impl Answer {
    /// One vector.
    pub(super) fn pooled(self, pooling: Pooling) -> Vec<f32> {
        match (self, pooling) {
            (Answer::Whole(vector), _) => vector,
            (Answer::PerToken { mut numbers, width }, Pooling::First) => {
                numbers.truncate(width);
                numbers
            }
            (Answer::PerToken { numbers, width }, Pooling::Mean) => mean(&numbers, width),
        }
    }
}

/// Only the direction counts here, so the sum is not divided by the number of tokens.
fn mean(numbers: &[f32], width: usize) -> Vec<f32> {
    let mut sum = vec![0.0; width];
    for token in numbers.chunks_exact(width) {
        for (total, number) in sum.iter_mut().zip(token) {
            *total += number;
        }
    }
    sum
}

/// Scaled to length one; none if it has no direction.
pub(super) fn normalised(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let squares: f64 = vector.iter().map(|number| f64::from(*number) * f64::from(*number)).sum();
    let length = squares.sqrt();
    if !length.is_finite() || length == 0.0 {
        return None;
    }
    for number in &mut vector {
        *number = (f64::from(*number) / length) as f32;
    }
    Some(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_tokens() -> Answer {
        Answer::PerToken { numbers: vec![1.0, 0.0, 3.0, 4.0], width: 2 }
    }

    #[test]
    fn the_mean_is_of_all_tokens_and_the_first_is_the_first() {
        assert_eq!(normalised(two_tokens().pooled(Pooling::Mean)).unwrap(), [0.707_106_77, 0.707_106_77]);
        assert_eq!(two_tokens().pooled(Pooling::First), [1.0, 0.0]);
        assert_eq!(Answer::Whole(vec![5.0]).pooled(Pooling::Mean), [5.0]);
    }

    #[test]
    fn what_has_no_direction_is_no_vector() {
        for bad in [vec![], vec![0.0, 0.0], vec![1.0, f32::NAN], vec![f32::INFINITY, 1.0]] {
            assert_eq!(normalised(bad.clone()), None, "{bad:?}");
        }
        // Squares that single precision does not hold are no reason to refuse.
        for scale in [2_f32.powi(100), 2_f32.powi(-100)] {
            assert_eq!(normalised(vec![3.0 * scale, 4.0 * scale]).unwrap(), [0.6, 0.8]);
        }
    }
}
