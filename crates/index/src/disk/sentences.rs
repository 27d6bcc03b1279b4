//! Sentence vectors in 8 bits a number.
//!
//! A vector is scaled symmetrically, so that its largest component becomes ±127, and rounded. A factor
//! stored beside the integers scales them back to unit length; rounding turns a 384-dimensional sentence
//! vector by well under one degree (cosine above 0.9999 with the original).

use super::{Mapped, Mapper, names};
use crate::IndexError;
use types::vector::{dot, dot_quantised};

/// Stored sentence vectors of a segment.
pub(crate) struct SentenceTable {
    integers: Mapped<i8>,
    scales: Mapped<f32>,
    dimension: usize,
}

impl SentenceTable {
    pub(crate) fn open(mapper: &Mapper, sentences: usize, dimension: usize) -> Result<Self, IndexError> {
        Ok(Self {
            integers: mapper.map(names::SENTENCES, sentences.saturating_mul(dimension))?,
            scales: mapper.map(names::SENTENCE_SCALES, sentences)?,
            dimension,
        })
    }

    /// The stored integers and factor of a sentence.
    pub(crate) fn raw(&self, sentence: usize) -> Option<(&[i8], f32)> {
        Some((self.integers.row(sentence, self.dimension)?, *self.scales.get().get(sentence)?))
    }

    /// The vector of a sentence, of unit length unless it has none.
    pub(crate) fn vector(&self, sentence: usize) -> Option<Vec<f32>> {
        let (integers, scale) = self.raw(sentence)?;
        Some(integers.iter().map(|&q| f32::from(q) * scale).collect())
    }

    /// Cosine of each sentence with `query`, 0 where a vector is missing or does not fit.
    pub(crate) fn cosines(&self, sentences: impl Iterator<Item = usize>, query: &[f32]) -> Vec<f32> {
        let length = dot(query, query).sqrt();
        sentences
            .map(|sentence| match self.raw(sentence) {
                Some((integers, scale)) if query.len() == self.dimension && length > 0.0 => {
                    (dot_quantised(integers, query) * scale / length).clamp(-1.0, 1.0)
                }
                _ => 0.0,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use types::vector::quantise;

    #[test]
    fn a_vector_without_length_stays_so() {
        assert_eq!(quantise(&[0.0, 0.0]), (vec![0, 0], 0.0));
        assert_eq!(quantise(&[]), (vec![], 0.0));
    }

    #[test]
    fn axes_come_back_exactly() {
        let (integers, scale) = quantise(&[0.0, -1.0, 0.0]);
        assert_eq!(integers, [0, -127, 0]);
        assert!((scale * 127.0 - 1.0).abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn what_comes_back_is_of_unit_length_and_points_the_same_way(
            vector in prop::collection::vec(-1.0_f32..1.0, 8..100),
        ) {
            let norm = |v: &[f32]| dot(v, v).sqrt();
            prop_assume!(norm(&vector) > 0.1);
            let (integers, scale) = quantise(&vector);
            let back: Vec<f32> = integers.iter().map(|&q| f32::from(q) * scale).collect();
            prop_assert!((norm(&back) - 1.0).abs() < 1e-5);
            prop_assert!(dot(&back, &vector) / norm(&vector) > 0.999);
            prop_assert_eq!(quantise(&back), (integers.clone(), scale), "a vector that is taken over keeps its bits");
            let direct = dot_quantised(&integers, &vector);
            let plain: f32 = integers.iter().zip(&vector).map(|(&q, &v)| f32::from(q) * v).sum();
            prop_assert!((direct - plain).abs() <= 1e-2 * plain.abs().max(1.0));
        }
    }
}
