//! The seeded stream that all resampling draws from.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Draws whole numbers below a bound. The reduction is written here, not taken from a library, so that a
/// library's new version cannot change a report.
pub(crate) struct Draws(ChaCha8Rng);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number in `0..bound`, uniform up to 2^-64 × `bound`; 0 when `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.0.next_u64()) * bound as u128) >> 64) as usize
    }

    /// 64 fair random bits.
    pub(crate) fn random_bits(&mut self) -> u64 {
        self.0.next_u64()
    }
}
