//! Okapi BM25 (Robertson et al. 1994), with the inverse document frequency that is never negative.

use crate::Bm25Settings;

/// `ln(1 + (N - n + 0.5) / (n + 0.5))` for a stem that `n` of `chunks` chunks hold; above 0 for any `n <= N`.
pub(crate) fn idf(chunks: usize, n: usize) -> f32 {
    let (chunks, n) = (chunks as f64, n.min(chunks) as f64);
    (1.0 + (chunks - n + 0.5) / (n + 0.5)).ln() as f32
}

/// Weighs one stem in one chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bm25 {
    settings: Bm25Settings,
    average: f32,
}

impl Bm25 {
    /// `average` is the mean number of terms of a chunk.
    pub(crate) fn new(settings: Bm25Settings, average: f32) -> Self {
        // Without a single term there is nothing to weigh; 1 keeps the formula finite.
        Self {
            settings,
            average: if average > 0.0 { average } else { 1.0 },
        }
    }

    /// `idf · tf (k1 + 1) / (tf + k1 (1 - b + b length / average))`.
    pub(crate) fn weight(&self, idf: f32, tf: u32, length: u32) -> f32 {
        let Bm25Settings { k1, b } = self.settings;
        let (tf, length) = (tf as f32, length as f32);
        let damping = k1 * (1.0 - b + b * length / self.average);
        if tf > 0.0 {
            idf * tf * (k1 + 1.0) / (tf + damping)
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_worked_by_hand() {
        // N = 3, n = 1: ln(1 + 2.5 / 1.5) = ln(2.6667)
        assert!((idf(3, 1) - 0.980_829).abs() < 1e-5);
        // N = n = 2: ln(1 + 0.5 / 2.5) = ln(1.2)
        assert!((idf(2, 2) - 0.182_322).abs() < 1e-5);
        // tf 2, length 4, average 2, k1 1.2, b 0.75: damping 1.2 (0.25 + 1.5) = 2.1; 2 · 2.2 / 4.1
        let bm25 = Bm25::new(Bm25Settings::default(), 2.0);
        assert!((bm25.weight(1.0, 2, 4) - 1.073_171).abs() < 1e-5);
        assert_eq!(bm25.weight(1.0, 0, 4).to_bits(), 0.0_f32.to_bits());
    }

    #[test]
    fn nothing_indexed_is_no_nan() {
        assert!(idf(0, 0).is_finite() && idf(0, 5).is_finite());
        assert!(
            Bm25::new(Bm25Settings { k1: 0.0, b: 1.0 }, 0.0)
                .weight(1.0, 1, 0)
                .is_finite()
        );
    }

    proptest! {
        #[test]
        fn more_occurrences_weigh_more_and_longer_chunks_less(
            tf in 1_u32..50, length in 1_u32..2000, k1 in 0.1_f32..3.0, b in 0.0_f32..=1.0,
        ) {
            let bm25 = Bm25::new(Bm25Settings { k1, b }, 300.0);
            prop_assert!(bm25.weight(1.5, tf + 1, length) >= bm25.weight(1.5, tf, length));
            prop_assert!(bm25.weight(1.5, tf, length + 1) <= bm25.weight(1.5, tf, length));
        }
    }
}
