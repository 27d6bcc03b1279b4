//! Arithmetic of embedding vectors.

/// The Euclidean length of a vector.
pub fn norm(vector: &[f32]) -> f32 {
    vector.iter().map(|v| v * v).sum::<f32>().sqrt()
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
