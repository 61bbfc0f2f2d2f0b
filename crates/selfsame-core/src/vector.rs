//! Vectors, as an embedder gives them: what must hold before one is believed.

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
