//! Okapi BM25 (Robertson et al. 1994) over weighted fields.

use super::{Field, SEARCHED};

/// Saturation of term frequency (Robertson et al. 1994).
const K1: f32 = 1.2;
/// Strength of length normalisation.
const B: f32 = 0.75;

/// Weighs one term in one chunk.
///
/// The fields are combined as in BM25F (Robertson, Zaragoza and Taylor 2004, with lengths normalised field by field as
/// in Zaragoza et al. 2004): the weighted frequencies are added up before they saturate together.
#[derive(Clone, Debug)]
pub(crate) struct Bm25 {
    title_weight: f32,
    averages: [f32; SEARCHED.len()],
}

impl Bm25 {
    /// `averages` are the mean lengths of the fields.
    pub(crate) fn new(title_weight: f32, averages: [f32; SEARCHED.len()]) -> Self {
        Self {
            title_weight,
            // Without a single term there is nothing to weigh; 1 keeps the formula finite.
            averages: averages.map(|average| if average > 0.0 { average } else { 1.0 }),
        }
    }

    fn field_weight(&self, field: Field) -> f32 {
        match field {
            Field::Text => 1.0,
            Field::Title => self.title_weight,
            Field::Heading => 0.0,
        }
    }

    /// Whether occurrences in a field count.
    pub(crate) fn counts(&self, field: Field) -> bool {
        self.field_weight(field) > 0.0
    }

    /// What a field adds to the frequency of a term: `weight · tf / (1 - b + b length / average)`. The text has weight 1.
    pub(crate) fn part(&self, field: Field, tf: u32, length: u32) -> f32 {
        let weight = self.field_weight(field);
        if tf > 0 && weight > 0.0 {
            // A damaged length of 0 must not divide by 0.
            let norm = 1.0 - B + B * length as f32 / self.averages[field.index()];
            weight * tf as f32 / norm.max(1e-6)
        } else {
            0.0
        }
    }

    /// `idf · tf (k1 + 1) / (tf + k1)`, where `tf` is the sum over the parts of the fields.
    pub(crate) fn saturate(idf: f32, tf: f32) -> f32 {
        if tf > 0.0 {
            idf * tf * (K1 + 1.0) / (tf + K1)
        } else {
            0.0
        }
    }

    /// The weight of a term with these frequencies.
    pub(crate) fn weight(
        &self,
        idf: f32,
        frequencies: [u32; SEARCHED.len()],
        lengths: [u32; SEARCHED.len()],
    ) -> f32 {
        let part = |field: Field| self.part(field, frequencies[field.index()], lengths[field.index()]);
        Self::saturate(idf, SEARCHED.into_iter().map(part).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_worked_by_hand() {
        // Text alone: tf 2, length 4, average 2: damping 1.2 (0.25 + 1.5) = 2.1; 2 · 2.2 / 4.1
        let bm25 = Bm25::new(0.0, [2.0, 1.0]);
        assert!((bm25.weight(1.0, [2, 0], [4, 0]) - 1.073_171).abs() < 1e-5);
        assert_eq!(
            bm25.weight(1.0, [0, 3], [4, 3]).to_bits(),
            0.0_f32.to_bits(),
            "a field without weight is ignored"
        );
        // Norms: text 0.25 + 0.75 · 4 / 2 = 1.75; title 0.25 + 0.75 · 2 / 6 = 0.5.
        // tf = 2 / 1.75 + 3 · 1 / 0.5 = 7.142857; 7.142857 · 2.2 / 8.342857 = 1.883562
        let bm25 = Bm25::new(3.0, [2.0, 6.0]);
        assert!((bm25.weight(1.0, [2, 1], [4, 2]) - 1.883_562).abs() < 1e-5);
        // In the title alone: tf = 6; 6 · 2.2 / 7.2 = 1.833333, however long the text is.
        for length in [0, 4, 400] {
            assert!((bm25.weight(1.0, [0, 1], [length, 2]) - 1.833_333).abs() < 1e-5);
        }
    }

    proptest! {
        #[test]
        fn more_occurrences_weigh_more_and_longer_chunks_less(tf in 1_u32..50, length in 1_u32..2000, title in 0.0_f32..5.0) {
            let weight = |title_weight, tf, length| {
                Bm25::new(title_weight, [300.0, 10.0]).weight(1.5, [tf, 2], [length, 9])
            };
            prop_assert!(weight(title, tf + 1, length) >= weight(title, tf, length) * 0.999_999);
            prop_assert!(weight(title, tf, length + 1) <= weight(title, tf, length) * 1.000_001);
            prop_assert!(weight(title, tf, length) < 1.5 * (K1 + 1.0) * 1.0001);
            // Of one field: the usual formula.
            let (tf32, damping) = (tf as f32, K1 * (1.0 - B + B * length as f32 / 300.0));
            let plain = 1.5 * tf32 * (K1 + 1.0) / (tf32 + damping);
            prop_assert!((weight(0.0, tf, length) - plain).abs() <= 1e-5 * plain);
        }
    }
}
