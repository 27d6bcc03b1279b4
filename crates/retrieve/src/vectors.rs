//! Nearest windows of a question, exactly or by a graph.

mod codes;
mod graph;
mod top;
mod windows;

pub(crate) use codes::{CodeRow, QueryCode, encode};
pub(crate) use graph::{Graph, build_graph};
pub(crate) use top::top;
pub(crate) use windows::WindowTable;

/// Inner product; vectors of unequal length count as far as the shorter one reaches.
pub(crate) fn dot(left: &[f32], right: &[f32]) -> f32 {
    // Sixteen independent sums, which the compiler keeps in vector registers; their order is fixed, so that a
    // similarity is the same bits on every run.
    let mut sums = [0.0_f32; 16];
    let shared = left.len().min(right.len());
    let (left, right) = (left[..shared].chunks_exact(16), right[..shared].chunks_exact(16));
    let rest: f32 = left
        .remainder()
        .iter()
        .zip(right.remainder())
        .map(|(a, b)| a * b)
        .sum();
    for (left, right) in left.zip(right) {
        for ((sum, a), b) in sums.iter_mut().zip(left).zip(right) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// Length of a vector.
pub(crate) fn norm(vector: &[f32]) -> f32 {
    dot(vector, vector).sqrt()
}

/// How far from 1 the length of a vector may be that counts as scaled: above what rounding leaves of a vector that
/// was scaled once, so that scaling is idempotent and a vector that is taken over keeps its bits.
pub(crate) const UNIT_TOLERANCE: f32 = 1e-5;

/// The vector scaled to length 1; unchanged when its length is 1 within [`UNIT_TOLERANCE`] or it has none, `None`
/// when a number is not finite or the length overflows.
pub(crate) fn unit(vector: &[f32]) -> Option<Vec<f32>> {
    let length = norm(vector);
    if !length.is_finite() {
        return None;
    }
    if length > 0.0 && (length - 1.0).abs() > UNIT_TOLERANCE {
        Some(vector.iter().map(|v| v / length).collect())
    } else {
        Some(vector.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn vectors_without_length_or_with_strange_numbers() {
        assert_eq!(unit(&[0.0, 0.0]), Some(vec![0.0, 0.0]));
        assert_eq!(unit(&[]), Some(vec![]));
        assert_eq!(unit(&[3.0, 4.0]), Some(vec![0.6, 0.8]));
        assert_eq!(unit(&[f32::NAN, 1.0]), None);
        assert_eq!(unit(&[f32::INFINITY, 1.0]), None);
        assert_eq!(unit(&[f32::MAX, f32::MAX]), None);
    }

    proptest! {
        #[test]
        fn the_unrolled_product_equals_the_plain_one(pairs in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 0..70)) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let plain: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            prop_assert!((f64::from(dot(&a, &b)) - plain).abs() < 1e-4);
        }

        #[test]
        fn scaling_twice_changes_no_bit(vector in prop::collection::vec(-1.0_f32..1.0, 1..1100)) {
            let once = unit(&vector).expect("finite");
            prop_assert_eq!(unit(&once).expect("finite"), once);
        }
    }
}
