//! Okapi BM25 (Robertson et al. 1994) over weighted fields, with the inverse document frequency that is never
//! negative.

use super::PerField;
use crate::Bm25Settings;
use types::ChunkField;

/// `ln(1 + (N - n + 0.5) / (n + 0.5))` for a term that `n` of `chunks` chunks hold; above 0 for any `n <= N`.
pub(crate) fn idf(chunks: usize, n: usize) -> f32 {
    let (chunks, n) = (chunks as f64, n.min(chunks) as f64);
    (1.0 + (chunks - n + 0.5) / (n + 0.5)).ln() as f32
}

/// Weighs one term in one chunk.
///
/// The fields are combined as in BM25F (Robertson, Zaragoza and Taylor 2004, with lengths normalised field by field as
/// in Zaragoza et al. 2004): the weighted frequencies are added up before they saturate together.
#[derive(Clone, Debug)]
pub(crate) struct Bm25 {
    settings: Bm25Settings,
    averages: PerField<f32>,
}

impl Bm25 {
    /// `averages` are the mean lengths of the fields.
    pub(crate) fn new(settings: Bm25Settings, averages: PerField<f32>) -> Self {
        Self {
            settings,
            // Without a single term there is nothing to weigh; 1 keeps the formula finite.
            averages: averages.map(|average| if average > 0.0 { average } else { 1.0 }),
        }
    }

    /// What a field adds to the frequency of a term: `weight · tf / (1 - b + b length / average)`. The text has weight 1.
    pub(crate) fn part(&self, field: ChunkField, tf: u32, length: u32) -> f32 {
        let weight = self.settings.weight(field);
        if tf > 0 && weight > 0.0 {
            // A damaged length of 0 must not divide by 0.
            let b = self.settings.b;
            let norm = 1.0 - b + b * length as f32 / self.averages[field.index()];
            weight * tf as f32 / norm.max(1e-6)
        } else {
            0.0
        }
    }

    /// `idf · tf (k1 + 1) / (tf + k1)`, where `tf` is the sum over the parts of the fields.
    pub(crate) fn saturate(&self, idf: f32, tf: f32) -> f32 {
        if tf > 0.0 {
            idf * tf * (self.settings.k1 + 1.0) / (tf + self.settings.k1)
        } else {
            0.0
        }
    }

    /// The weight of a term with these frequencies.
    pub(crate) fn weight(&self, idf: f32, frequencies: PerField<u32>, lengths: PerField<u32>) -> f32 {
        let part = |field: ChunkField| self.part(field, frequencies[field.index()], lengths[field.index()]);
        self.saturate(idf, ChunkField::ALL.into_iter().map(part).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The default, with the text as the only field.
    fn text_only() -> Bm25Settings {
        Bm25Settings {
            title_weight: 0.0,
            heading_weight: 0.0,
            ..Bm25Settings::default()
        }
    }

    #[test]
    fn values_worked_by_hand() {
        // N = 3, n = 1: ln(1 + 2.5 / 1.5) = ln(2.6667)
        assert!((idf(3, 1) - 0.980_829).abs() < 1e-5);
        // N = n = 2: ln(1 + 0.5 / 2.5) = ln(1.2)
        assert!((idf(2, 2) - 0.182_322).abs() < 1e-5);
        // tf 2, length 4, average 2, k1 1.2, b 0.75: damping 1.2 (0.25 + 1.5) = 2.1; 2 · 2.2 / 4.1
        let bm25 = Bm25::new(text_only(), [2.0, 1.0, 1.0]);
        assert!((bm25.weight(1.0, [2, 0, 0], [4, 0, 0]) - 1.073_171).abs() < 1e-5);
        assert_eq!(
            bm25.weight(1.0, [0, 3, 3], [4, 3, 3]).to_bits(),
            0.0_f32.to_bits(),
            "fields without weight are ignored"
        );
    }

    #[test]
    fn fields_saturate_together() {
        let settings = Bm25Settings {
            title_weight: 3.0,
            heading_weight: 0.5,
            ..Bm25Settings::default()
        };
        let bm25 = Bm25::new(settings, [2.0, 6.0, 4.0]);
        // Norms: text 0.25 + 0.75 · 4 / 2 = 1.75; title 0.25 + 0.75 · 2 / 6 = 0.5; heading 0.25 + 0.75 = 1.
        // tf = 2 / 1.75 + 3 · 1 / 0.5 + 0.5 · 1 / 1 = 7.642857; 7.642857 · 2.2 / 8.842857 = 1.901454
        assert!((bm25.weight(1.0, [2, 1, 1], [4, 2, 4]) - 1.901_454).abs() < 1e-5);
        // In the title alone: tf = 6; 6 · 2.2 / 7.2 = 1.833333, however long the text is.
        for length in [0, 4, 400] {
            assert!((bm25.weight(1.0, [0, 1, 0], [length, 2, 0]) - 1.833_333).abs() < 1e-5);
        }
        // b 1 and an empty text: nothing is divided by 0.
        let bm25 = Bm25::new(Bm25Settings { b: 1.0, ..settings }, [0.0, 2.0, 0.0]);
        assert!((bm25.weight(1.0, [0, 1, 0], [0, 2, 0]) - 1.571_429).abs() < 1e-5); // tf = 3; 3 · 2.2 / 4.2
    }

    #[test]
    fn nothing_indexed_is_no_nan() {
        let none = Bm25Settings {
            k1: 0.0,
            b: 1.0,
            ..Bm25Settings::default()
        };
        assert!(idf(0, 0).is_finite() && idf(0, 5).is_finite());
        assert!(
            Bm25::new(none, [0.0; 3])
                .weight(1.0, [1, 0, 0], [0; 3])
                .is_finite()
        );
    }

    /// BM25 of one field, as it was before there were others.
    fn plain(settings: Bm25Settings, average: f32, idf: f32, tf: u32, length: u32) -> f32 {
        let (tf, length) = (tf as f32, length as f32);
        let damping = settings.k1 * (1.0 - settings.b + settings.b * length / average);
        idf * tf * (settings.k1 + 1.0) / (tf + damping)
    }

    proptest! {
        #[test]
        fn more_occurrences_weigh_more_and_longer_chunks_less(
            tf in 1_u32..50, length in 1_u32..2000, k1 in 0.1_f32..3.0, b in 0.0_f32..=1.0,
        ) {
            let settings = Bm25Settings { k1, b, ..text_only() };
            let bm25 = Bm25::new(settings, [300.0, 10.0, 3.0]);
            let weight = |tf, length| bm25.weight(1.5, [tf, 2, 1], [length, 9, 4]);
            prop_assert!(weight(tf + 1, length) >= weight(tf, length) * 0.999_999);
            prop_assert!(weight(tf, length + 1) <= weight(tf, length) * 1.000_001);
            let plain = plain(settings, 300.0, 1.5, tf, length);
            prop_assert!((weight(tf, length) - plain).abs() <= 1e-5 * plain);
        }

        #[test]
        fn a_match_in_a_weighted_field_adds(
            tf in 0_u32..5, title in 1_u32..5, title_weight in 0.01_f32..5.0, k1 in 0.1_f32..3.0, b in 0.0_f32..=1.0,
        ) {
            let settings = Bm25Settings { k1, b, title_weight, ..Bm25Settings::default() };
            let bm25 = Bm25::new(settings, [300.0, 10.0, 3.0]);
            let with = bm25.weight(1.5, [tf, title, 0], [200, 9, 0]);
            prop_assert!(with > bm25.weight(1.5, [tf, 0, 0], [200, 9, 0]));
            prop_assert!(with < 1.5 * (k1 + 1.0) * 1.0001);
        }
    }
}
