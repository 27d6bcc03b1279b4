//! Window vectors in 8 bits a number, to leave out most of the comparisons in 32 bits.
//!
//! A code is a vector divided by its largest component over 127 and rounded. Products of integers are exact, so that a
//! product of codes is the same number on every processor; with the stored length of what rounding took away, it gives
//! bounds of the true cosine (Cauchy and Schwarz). A chunk whose upper bound is below the lower bounds of `k` others is
//! not among the best `k`, and only the rest is compared in 32 bits: results are those of comparing everything.

use bytemuck::{Pod, Zeroable};

/// What belongs to the code of a window.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(crate) struct CodeRow {
    /// What the integers are multiplied with.
    pub(crate) scale: f32,
    /// At least the length of the difference between the vector and its scaled integers.
    pub(crate) error: f32,
}

/// Above what rounding adds to a sum of products of unit vectors in 32 bits, whatever their dimension.
const ROUNDING: f32 = 1e-4;

/// The code of a vector.
pub(crate) fn encode(vector: &[f32]) -> (Vec<i8>, CodeRow) {
    let largest = vector.iter().fold(0.0_f32, |most, v| most.max(v.abs()));
    let scale = largest / 127.0;
    if scale <= 0.0 {
        return (vec![0; vector.len()], CodeRow { scale: 0.0, error: 0.0 });
    }
    let integers: Vec<i8> = vector.iter().map(|v| (v / scale).round() as i8).collect();
    let lost = |(v, q): (&f32, &i8)| {
        let lost = f64::from(*v) - f64::from(*q) * f64::from(scale);
        lost * lost
    };
    let error = vector.iter().zip(&integers).map(lost).sum::<f64>().sqrt();
    // Rounded up.
    let error = error as f32 * 1.000_001 + f32::MIN_POSITIVE;
    (integers, CodeRow { scale, error })
}

/// A question in 16 bits a number.
pub(crate) struct QueryCode {
    integers: Vec<i16>,
    scale: f32,
    error: f32,
}

impl QueryCode {
    /// The code of a unit vector.
    pub(crate) fn new(query: &[f32]) -> Self {
        // As fine as it may be for the sum of all products to stay within 32 bits.
        let finest = (i32::MAX as usize / 127 / query.len().max(1)).clamp(1, 32_767) as f32;
        let largest = query.iter().fold(0.0_f32, |most, v| most.max(v.abs()));
        let scale = largest / finest;
        if scale <= 0.0 {
            return Self { integers: vec![0; query.len()], scale: 0.0, error: 1.0 };
        }
        let integers: Vec<i16> =
            query.iter().map(|v| (v / scale).round().clamp(-finest, finest) as i16).collect();
        let lost = |(v, q): (&f32, &i16)| {
            let lost = f64::from(*v) - f64::from(*q) * f64::from(scale);
            lost * lost
        };
        let error = query.iter().zip(&integers).map(lost).sum::<f64>().sqrt() as f32;
        Self { integers, scale, error: error * 1.000_001 }
    }

    /// The lowest and the highest cosine that the vector with this code can have.
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor at hand")]
    #[inline(always)]
    pub(crate) fn bounds(&self, code: &[i8], row: CodeRow) -> [f32; 2] {
        let near = product(code, &self.integers) as f32 * self.scale * row.scale;
        let margin = self.error + (1.0 + self.error) * row.error + ROUNDING;
        [near - margin, near + margin]
    }
}

/// Inner product, exact for at most `i32::MAX / 127 / largest` numbers.
#[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor at hand")]
#[inline(always)]
fn product(code: &[i8], query: &[i16]) -> i32 {
    // In this form the compiler multiplies and adds pairs in one instruction.
    code.iter().zip(query).map(|(&code, &query)| i32::from(code) * i32::from(query)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use types::vector::{dot, unit};

    #[test]
    fn a_vector_without_length_has_a_code() {
        let (integers, row) = encode(&[0.0, 0.0]);
        assert_eq!((integers, row.scale), (vec![0, 0], 0.0));
        let [low, high] = QueryCode::new(&[1.0, 0.0]).bounds(&[0, 0], row);
        assert!(low <= 0.0 && high >= 0.0);
        assert_eq!(encode(&[]).0, Vec::<i8>::new());
    }

    #[test]
    fn sums_stay_within_32_bits() {
        for dimension in [1, 2, 384, 1024, 4096, 100_000] {
            let query = unit(&vec![1.0; dimension]).expect("finite");
            let code = QueryCode::new(&query);
            let most = code.integers.iter().map(|q| i64::from(*q) * 127).sum::<i64>();
            assert!(most <= i64::from(i32::MAX), "{dimension}");
            let (integers, row) = encode(&query);
            let [low, high] = code.bounds(&integers, row);
            assert!(low <= 1.0 && high >= 1.0, "{dimension}: {low} {high}");
        }
    }

    proptest! {
        #[test]
        fn the_cosine_is_within_the_bounds(pairs in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 1..500)) {
            let (vector, query): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let (vector, query) = (unit(&vector).expect("finite"), unit(&query).expect("finite"));
            let (integers, row) = encode(&vector);
            let [low, high] = QueryCode::new(&query).bounds(&integers, row);
            let cosine = dot(&vector, &query);
            prop_assert!(low <= cosine && cosine <= high, "{low} {cosine} {high}");
            prop_assert!(high - low < 0.2, "{low} {high}");
        }
    }
}
