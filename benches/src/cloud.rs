//! Vectors that lie like those of texts: in clusters, some closer together than others. And what they are found with when
//! nothing stands between: a bare scan of the numbers, and one of the short forms.

use selfsame_core::id::Id;
use selfsame_core::vector::{Code, Unit};
use selfsame_testkit::seeded::Dice;
use simsimd::SpatialSimilarity;

/// As many as MiniLM's have.
pub const DIMENSIONS: usize = 384;
/// How many clusters.
const CENTRES: usize = 1_000;
/// How far from its centre a vector lies, of the centre's distance from nothing.
const NOISE: f32 = 0.7;

/// Many vectors, one after the other.
pub struct Cloud {
    numbers: Vec<f32>,
}

impl Cloud {
    /// So many; equal seeds have equal centres' places drawn for them, and the centres are always the same.
    pub fn new(count: usize, seed: u64) -> Cloud {
        let centres = Cloud::centres();
        let mut dice = Dice::new(seed);
        let mut numbers = Vec::with_capacity(count * DIMENSIONS);
        for _ in 0..count {
            let centre = &centres[dice.below(CENTRES) * DIMENSIONS..][..DIMENSIONS];
            let near = centre.iter().map(|number| number + NOISE * bell(&mut dice)).collect();
            numbers.extend(unit(near).numbers());
        }
        Cloud { numbers }
    }

    fn centres() -> Vec<f32> {
        let mut dice = Dice::new(u64::MAX);
        let mut centre = || unit((0..DIMENSIONS).map(|_| bell(&mut dice)).collect());
        (0..CENTRES).flat_map(|_| centre().numbers().to_vec()).collect()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.numbers.len() / DIMENSIONS
    }

    /// One of them.
    pub fn unit(&self, place: usize) -> Unit {
        Unit::stored(self.numbers[place * DIMENSIONS..][..DIMENSIONS].to_vec())
    }

    /// All of them.
    pub fn units(&self) -> impl Iterator<Item = Unit> {
        (0..self.len()).map(|place| self.unit(place))
    }

    /// The short forms without their steps, one after the other, and the steps.
    pub fn codes(&self) -> Codes {
        let mut codes = Codes { levels: Vec::with_capacity(self.numbers.len()), steps: Vec::new() };
        for unit in self.units() {
            let code = Code::of(&unit);
            codes.levels.extend(code.levels);
            codes.steps.push(code.step);
        }
        codes
    }

    /// The nearest of some of them, by a bare scan.
    pub fn nearest(&self, places: std::ops::Range<usize>, to: &Unit, most: usize) -> Vec<usize> {
        let mut best = Top::new(most);
        let first = places.start;
        let some = &self.numbers[places.start * DIMENSIONS..places.end * DIMENSIONS];
        for (place, numbers) in some.chunks_exact(DIMENSIONS).enumerate() {
            best.offer(f32::dot(to.numbers(), numbers).unwrap_or(f64::MIN), first + place);
        }
        best.places()
    }
}

/// Short forms, bare.
pub struct Codes {
    levels: Vec<i8>,
    steps: Vec<f32>,
}

impl Codes {
    /// The nearest, by a bare scan.
    pub fn nearest(&self, to: &Unit, most: usize) -> Vec<usize> {
        let to = Code::of(to);
        let mut best = Top::new(most);
        for (place, (levels, step)) in self.levels.chunks_exact(DIMENSIONS).zip(&self.steps).enumerate() {
            best.offer(i8::dot(&to.levels, levels).unwrap_or(f64::MIN) * f64::from(*step), place);
        }
        best.places()
    }
}

/// The best few, in a list that is short enough to be searched from its end.
struct Top {
    most: usize,
    best: Vec<(f64, usize)>,
}

impl Top {
    fn new(most: usize) -> Top {
        Top { most, best: Vec::with_capacity(most + 1) }
    }

    fn offer(&mut self, score: f64, place: usize) {
        if self.best.len() == self.most && self.best.last().is_some_and(|last| score <= last.0) {
            return;
        }
        let rank = self.best.partition_point(|better| better.0 >= score);
        self.best.insert(rank, (score, place));
        self.best.truncate(self.most);
    }

    fn places(self) -> Vec<usize> {
        self.best.into_iter().map(|(_, place)| place).collect()
    }
}

/// Whose vector it is that lies at a place.
pub fn item(place: usize) -> Id {
    Id::from_bytes((place as u128 + 1).to_be_bytes())
}

fn unit(numbers: Vec<f32>) -> Unit {
    Unit::of(numbers).unwrap_or_else(|| Unit::stored(vec![1.0]))
}

/// Nearly normal, with the spread that makes a vector of these as long as one.
fn bell(dice: &mut Dice) -> f32 {
    let bits = dice.next();
    let sum: u64 = (0..4).map(|part| bits >> (16 * part) & 0xffff).sum();
    // The sum of four even throws, less their mean, by its spread.
    let throw = (sum as f32 - 131_070.0) / 37_837.0;
    throw / (DIMENSIONS as f32).sqrt()
}
