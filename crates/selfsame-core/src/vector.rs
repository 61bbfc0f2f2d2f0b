//! Vectors: what must hold before one is believed, of length one, compared by the cosine, and in a short form for looking
//! through many.
//!
//! Sums are made in one order, and of the short form they are whole numbers, so that both engines say the same.

/// A vector of length one.
#[derive(Clone, PartialEq, Debug)]
pub struct Unit(Vec<f32>);

impl Unit {
    /// The direction of a vector; none if it has no direction: it is empty, zero, or not finite.
    pub fn of(mut numbers: Vec<f32>) -> Option<Unit> {
        let length = libm::sqrt(numbers.iter().map(|number| f64::from(*number) * f64::from(*number)).sum());
        if !length.is_finite() || length <= 0.0 {
            return None;
        }
        for number in &mut numbers {
            *number = (f64::from(*number) / length) as f32;
        }
        // So short that it is lost in rounding.
        numbers.iter().any(|number| *number != 0.0).then_some(Unit(numbers))
    }

    /// What was stored as one, as it is.
    pub fn stored(numbers: Vec<f32>) -> Unit {
        Unit(numbers)
    }

    /// Its numbers.
    pub fn numbers(&self) -> &[f32] {
        &self.0
    }

    /// How many.
    pub fn dimensions(&self) -> usize {
        self.0.len()
    }

    /// How far two point the same way, from -1 to 1; -1 for what cannot be compared.
    pub fn cosine(&self, other: &Unit) -> f64 {
        if self.dimensions() != other.dimensions() {
            return -1.0;
        }
        // Eight sums beside each other, so that a processor can take eight steps at once, and always in this order.
        let mut sums = [0.0f64; 8];
        let (ours, theirs) = (self.0.chunks(8), other.0.chunks(8));
        for (ours, theirs) in ours.zip(theirs) {
            for ((sum, a), b) in sums.iter_mut().zip(ours).zip(theirs) {
                *sum += f64::from(*a) * f64::from(*b);
            }
        }
        sums.iter().sum::<f64>().clamp(-1.0, 1.0)
    }
}

/// The short form: each number as one of 255 levels, and how large a level is.
#[derive(Clone, PartialEq, Debug)]
pub struct Code {
    /// What one level stands for.
    pub step: f32,
    /// The numbers, as levels.
    pub levels: Vec<i8>,
}

impl Code {
    /// Of a vector.
    pub fn of(unit: &Unit) -> Code {
        let most = unit.0.iter().fold(0.0f32, |most, number| most.max(number.abs()));
        let step = most / 127.0;
        let level = |number: &f32| nearest_whole(number / step) as i8;
        Code { step, levels: unit.0.iter().map(level).collect() }
    }

    /// How far two point the same way, from -1 to 1; 0 for what cannot be compared.
    pub fn cosine(&self, other: &Code) -> f64 {
        if self.levels.len() != other.levels.len() {
            return 0.0;
        }
        let product: i32 =
            self.levels.iter().zip(&other.levels).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        // Of length one, but for the rounding.
        (f64::from(product) * f64::from(self.step) * f64::from(other.step)).clamp(-1.0, 1.0)
    }

    /// As bytes: the step, then the levels.
    pub fn to_bytes(&self) -> Vec<u8> {
        let levels = self.levels.iter().map(|level| level.to_le_bytes()[0]);
        self.step.to_le_bytes().into_iter().chain(levels).collect()
    }

    /// From bytes: the step and the bytes of the levels; none if they are none of a code.
    pub fn split(bytes: &[u8]) -> Option<(f32, &[u8])> {
        let (step, levels) = bytes.split_first_chunk::<4>()?;
        let step = f32::from_le_bytes(*step);
        (step.is_finite() && step > 0.0 && !levels.is_empty()).then_some((step, levels))
    }
}

/// Rounds a small number: beside one that is so large, there is no room for a fraction. Without a call for each number.
fn nearest_whole(number: f32) -> f32 {
    const LARGE: f32 = 12_582_912.0;
    (number + LARGE) - LARGE
}

/// Why the vectors of an embedder cannot be used. Positions count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VectorError {
    /// More or fewer than texts: which belongs to which is anybody's guess.
    #[error("{given} vectors for {expected} texts")]
    Count {
        /// Texts that were given.
        expected: usize,
        /// Vectors that came back.
        given: usize,
    },
    /// Nothing in it.
    #[error("vector {at} is empty")]
    Empty {
        /// Which.
        at: usize,
    },
    /// Longer or shorter than the others, or than the model's are.
    #[error("vector {at} has {given} numbers instead of {expected}")]
    Dimensions {
        /// Which.
        at: usize,
        /// Numbers it should have.
        expected: usize,
        /// Numbers it has.
        given: usize,
    },
    /// One of its numbers is none, or infinite.
    #[error("vector {at} has a number that is not finite")]
    NotFinite {
        /// Which.
        at: usize,
    },
    /// Only zeros: it points nowhere, and is as near to everything as to nothing.
    #[error("vector {at} is zero")]
    Zero {
        /// Which.
        at: usize,
    },
}

/// Whether these are usable vectors of one model: as many as `expected`, all of the same length (of `dimensions`, if they
/// are known), finite, and none of them zero. Gives how many numbers each has.
pub fn check(vectors: &[Vec<f32>], expected: usize, dimensions: Option<usize>) -> Result<usize, VectorError> {
    if vectors.len() != expected {
        return Err(VectorError::Count { expected, given: vectors.len() });
    }
    let dimensions = dimensions.or_else(|| vectors.first().map(Vec::len)).unwrap_or(0);
    for (at, vector) in (1..).zip(vectors) {
        check_one(vector, at, dimensions)?;
    }
    Ok(dimensions)
}

fn check_one(vector: &[f32], at: usize, expected: usize) -> Result<(), VectorError> {
    if vector.is_empty() {
        Err(VectorError::Empty { at })
    } else if vector.len() != expected {
        Err(VectorError::Dimensions { at, expected, given: vector.len() })
    } else if !vector.iter().all(|number| number.is_finite()) {
        Err(VectorError::NotFinite { at })
    } else if vector.iter().all(|number| *number == 0.0) {
        Err(VectorError::Zero { at })
    } else {
        Ok(())
    }
}
