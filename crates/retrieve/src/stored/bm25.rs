//! Okapi BM25 (Robertson et al. 1994) over weighted fields.

use serde::{Deserialize, Serialize};
use types::ChunkField;

/// The fields that count.
const COUNTED: usize = ChunkField::ALL.len();
/// Saturation of term frequency (Robertson et al. 1994).
const K1: f32 = 1.2;
/// Strength of length normalisation.
const B: f32 = 0.75;

/// What the frequency of a term in one field of a chunk is divided by: `1 - b + b length / average`, above 0.
pub fn norm(length: u32, average: f32) -> f32 {
    // Without a single term there is nothing to weigh; 1 keeps the formula finite.
    let average = if average > 0.0 { average } else { 1.0 };
    // A damaged length of 0 must not divide by 0.
    (1.0 - B + B * length as f32 / average).max(1e-6)
}

/// The lengths of the chunks of a store, from which the average of each field follows. Only sums: those of parts add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lengths {
    /// The words of each field in all chunks, without stop words.
    pub words: [u64; COUNTED],
    /// All chunks.
    pub chunks: u64,
    /// The chunks that have a title or a heading.
    pub titled: u64,
}

impl Lengths {
    /// Adds a chunk with these lengths.
    pub fn add(&mut self, [text, title]: [u32; COUNTED]) {
        self.words = [self.words[0] + u64::from(text), self.words[1] + u64::from(title)];
        self.chunks += 1;
        self.titled += u64::from(title > 0);
    }

    /// The average of each field. That of titles is over the chunks that have one: a source without a title does not make
    /// titles shorter.
    pub fn averages(&self) -> [f32; COUNTED] {
        let mean = |words: u64, chunks: u64| {
            if chunks == 0 { 0.0 } else { (words as f64 / chunks as f64) as f32 }
        };
        [mean(self.words[0], self.chunks), mean(self.words[1], self.titled)]
    }
}

/// Weighs one term in one chunk.
///
/// The fields are combined as in BM25F (Robertson, Zaragoza and Taylor 2004, with lengths normalised field by field as
/// in Zaragoza et al. 2004): the weighted frequencies are added up before they saturate together.
#[derive(Clone, Copy, Debug)]
pub struct Bm25 {
    /// Of each searched field; the text has weight 1.
    weights: [f32; COUNTED],
}

impl Bm25 {
    /// Text counts as it is, a title or heading `title_weight` times.
    pub fn new(title_weight: f32) -> Self {
        Self { weights: [1.0, title_weight] }
    }

    /// Whether occurrences in a searched field count.
    pub fn counts(self, field: ChunkField) -> bool {
        self.weights[field.index()] > 0.0
    }

    /// What a searched field adds to the frequency of a term: `weight · tf / norm`.
    pub fn part(self, field: ChunkField, tf: u32, norm: f32) -> f32 {
        self.weights[field.index()] * tf as f32 / norm
    }

    /// `weight · tf (k1 + 1) / (tf + k1)`, where `tf` is the sum over the parts of the fields, and `weight` the idf of the
    /// term times its weight in the question.
    pub fn saturate(weight: f32, tf: f32) -> f32 {
        weight * tf * (K1 + 1.0) / (tf + K1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The weight of a term with an idf of 1, with these frequencies, lengths and mean lengths of text and title.
    fn weight(title_weight: f32, frequencies: [u32; 2], lengths: [u32; 2], averages: [f32; 2]) -> f32 {
        let bm25 = Bm25::new(title_weight);
        let norms = [0, 1].map(|at| norm(lengths[at], averages[at]));
        let fields = ChunkField::ALL.into_iter().filter(|field| bm25.counts(*field));
        let parts = fields.map(|field| bm25.part(field, frequencies[field.index()], norms[field.index()]));
        Bm25::saturate(1.0, parts.sum())
    }

    #[test]
    fn values_worked_by_hand() {
        // Text alone: tf 2, length 4, average 2: damping 1.2 (0.25 + 1.5) = 2.1; 2 · 2.2 / 4.1
        assert!((weight(0.0, [2, 0], [4, 0], [2.0, 1.0]) - 1.073_171).abs() < 1e-5);
        let ignored = weight(0.0, [0, 3], [4, 3], [2.0, 1.0]);
        assert_eq!(ignored.abs().to_bits(), 0, "a field without weight is ignored");
        // Norms: text 0.25 + 0.75 · 4 / 2 = 1.75; title 0.25 + 0.75 · 2 / 6 = 0.5.
        // tf = 2 / 1.75 + 3 · 1 / 0.5 = 7.142857; 7.142857 · 2.2 / 8.342857 = 1.883562
        assert!((weight(3.0, [2, 1], [4, 2], [2.0, 6.0]) - 1.883_562).abs() < 1e-5);
        // In the title alone: tf = 6; 6 · 2.2 / 7.2 = 1.833333, however long the text is.
        for length in [0, 4, 400] {
            assert!((weight(3.0, [0, 1], [length, 2], [2.0, 6.0]) - 1.833_333).abs() < 1e-5);
        }
        assert_eq!(Bm25::new(2.0).part(ChunkField::Text, 3, f32::INFINITY).to_bits(), 0);
    }

    proptest! {
        #[test]
        fn more_occurrences_weigh_more_and_longer_chunks_less(tf in 1_u32..50, length in 1_u32..2000, title in 0.0_f32..5.0) {
            let weight = |title_weight, tf, length| weight(title_weight, [tf, 2], [length, 9], [300.0, 10.0]);
            prop_assert!(weight(title, tf + 1, length) >= weight(title, tf, length) * 0.999_999);
            prop_assert!(weight(title, tf, length + 1) <= weight(title, tf, length) * 1.000_001);
            prop_assert!(weight(title, tf, length) < (K1 + 1.0) * 1.0001);
            // Of one field: the usual formula.
            let (tf32, damping) = (tf as f32, K1 * (1.0 - B + B * length as f32 / 300.0));
            let plain = tf32 * (K1 + 1.0) / (tf32 + damping);
            prop_assert!((weight(0.0, tf, length) - plain).abs() <= 1e-5 * plain);
        }
    }
}
