//! A sentence with its features.

use crate::SentenceFeatures;

/// A sentence of a context, measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The index of its chunk in the context.
    pub chunk: usize,
    /// Its index in the chunk.
    pub sentence: usize,
    /// Its features.
    pub features: SentenceFeatures,
    /// The probability that it answers the question, 0 to 1; 0 for what is never quoted.
    pub probability: f32,
}

impl Measured {
    /// Its place in the context: its chunk, and its index there.
    pub fn place(&self) -> (usize, usize) {
        (self.chunk, self.sentence)
    }
}
