//! Random numbers, the same for the same seed.

/// A generator (`SplitMix64`).
pub struct Dice(u64);

impl Dice {
    /// Creates the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = u64::try_from(high - low + 1).expect("a range that is not empty");
        low + i64::try_from(self.next() % span).expect("below the span")
    }

    /// Returns true with a probability of `per_mille` in a thousand.
    pub fn happens(&mut self, per_mille: i64) -> bool {
        self.between(1, 1000) <= per_mille
    }

    /// Returns one of several values.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        let last = i64::try_from(choices.len()).expect("few choices") - 1;
        choices[usize::try_from(self.between(0, last)).expect("not negative")]
    }
}
