//! Dice with a seed: a failure names the number that repeats it.

/// SplitMix64: small, fast, the same on every machine. Not for secrets.
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    /// Equal seeds, equal throws.
    pub const fn new(seed: u64) -> Dice {
        Dice { state: seed }
    }

    /// Sixty-four bits.
    pub const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap_or(0)
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Yes in so many of a hundred cases.
    pub fn percent(&mut self, yes: usize) -> bool {
        self.below(100) < yes
    }
}

/// How many seeds to try: `SELFSAME_TEST_SEEDS`, or `usual`.
pub fn seeds(usual: u64) -> u64 {
    std::env::var("SELFSAME_TEST_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Runs `test` for every seed up to `SELFSAME_TEST_SEEDS`, or up to `usual`. A failure names its seed.
pub fn for_each_seed(usual: u64, mut test: impl FnMut(u64, &mut Dice)) {
    for seed in 0..seeds(usual) {
        let _named = Named(seed);
        test(seed, &mut Dice::new(seed));
    }
}

/// Says which seed it was when a test panics.
struct Named(u64);

impl Drop for Named {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("it failed with seed {}", self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn equal_seeds_throw_equal_numbers() {
        let throws =
            |seed| (0..100).map(|_| 0).scan(Dice::new(seed), |dice, _| Some(dice.next())).collect::<Vec<_>>();
        assert_eq!(throws(7), throws(7));
        assert_ne!(throws(7), throws(8));
    }

    #[test]
    fn the_generator_is_the_published_one() {
        let mut dice = Dice::new(1_234_567);
        assert_eq!([dice.next(), dice.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn every_side_comes_up() {
        let mut dice = Dice::new(1);
        let mut seen = [0; 6];
        for _ in 0..600 {
            seen[dice.below(6)] += 1;
        }
        assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
        assert_eq!(dice.below(0), 0);
    }
}
