//! Arithmetic of embedding vectors.

/// The Euclidean length of a vector.
pub fn norm(vector: &[f32]) -> f32 {
    vector.iter().map(|v| v * v).sum::<f32>().sqrt()
}

/// Inner product; vectors of unequal length count as far as the shorter one reaches.
pub fn dot(left: &[f32], right: &[f32]) -> f32 {
    // Sixteen independent sums, which the compiler keeps in vector registers; their order is fixed, so that a
    // similarity is the same bits on every run.
    let mut sums = [0.0_f32; 16];
    let shared = left.len().min(right.len());
    let (left, right) = (left[..shared].chunks_exact(16), right[..shared].chunks_exact(16));
    let rest: f32 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    for (left, right) in left.zip(right) {
        for ((sum, a), b) in sums.iter_mut().zip(left).zip(right) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// How far from 1 the length of a vector may be that counts as scaled: above what rounding leaves of a vector that
/// was scaled once, so that scaling is idempotent and a vector that is taken over keeps its bits.
const UNIT_TOLERANCE: f32 = 1e-5;

/// The vector scaled to length 1; unchanged when its length is 1 within rounding or it has none, `None` when a number is
/// not finite or the length overflows.
pub fn unit(vector: &[f32]) -> Option<Vec<f32>> {
    let length = dot(vector, vector).sqrt();
    if !length.is_finite() {
        return None;
    }
    if length > 0.0 && (length - 1.0).abs() > UNIT_TOLERANCE {
        Some(vector.iter().map(|v| v / length).collect())
    } else {
        Some(vector.to_vec())
    }
}

/// The unit vector along the mean of unit vectors of one dimension; the first one when they cancel out, an empty one
/// when there are none.
pub fn mean_direction(vectors: Vec<Vec<f32>>) -> Vec<f32> {
    let mut vectors = vectors.into_iter();
    let first = vectors.next().unwrap_or_default();
    let mut sum = first.clone();
    for vector in vectors {
        for (total, value) in sum.iter_mut().zip(vector) {
            *total += value;
        }
    }
    let length = norm(&sum);
    if length < 1e-6 {
        return first;
    }
    for value in &mut sum {
        *value /= length;
    }
    sum
}

/// A vector in 8 bits a number: integers, of which the largest is ±127, and the factor that scales them to unit length; all
/// 0 for a vector without length. A vector that was scaled back gives the same integers and factor.
pub fn quantise(vector: &[f32]) -> (Vec<i8>, f32) {
    let largest = vector.iter().fold(0.0_f32, |most, v| most.max(v.abs()));
    if largest <= 0.0 {
        return (vec![0; vector.len()], 0.0);
    }
    let integers: Vec<i8> = vector.iter().map(|v| (v / largest * 127.0).round() as i8).collect();
    let length = integers.iter().map(|&q| f32::from(q) * f32::from(q)).sum::<f32>().sqrt();
    (integers, 1.0 / length)
}

/// Inner product of the integers of [`quantise`] with a vector.
pub fn dot_quantised(integers: &[i8], query: &[f32]) -> f32 {
    // Sixteen independent sums, which the compiler keeps in vector registers.
    let mut sums = [0.0_f32; 16];
    let (left, right) = (integers.chunks_exact(16), query.chunks_exact(16));
    let rest: f32 = left.remainder().iter().zip(right.remainder()).map(|(&q, &v)| f32::from(q) * v).sum();
    for (left, right) in left.zip(right) {
        for ((sum, &q), &v) in sums.iter_mut().zip(left).zip(right) {
            *sum += f32::from(q) * v;
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_direction_has_unit_length() {
        let check = |vectors: &[[f32; 2]], want: [f32; 2]| {
            let got = mean_direction(vectors.iter().map(|v| v.to_vec()).collect());
            assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-6), "{got:?}");
        };
        check(&[[0.6, 0.8]], [0.6, 0.8]);
        check(&[[1.0, 0.0], [0.0, 1.0]], [0.5_f32.sqrt(), 0.5_f32.sqrt()]);
        check(&[[1.0, 0.0], [-1.0, 0.0]], [1.0, 0.0]);
        assert!(mean_direction(Vec::new()).is_empty());
    }
}
