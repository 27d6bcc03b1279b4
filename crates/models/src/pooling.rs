//! From the vectors of tokens to those of texts and of parts of texts.

use crate::{ModelsError, Pooling, encoder::States};
use tokenizers::Encoding;
use types::{Span, vector::norm};

/// The unit vector of a text.
pub(crate) fn text(states: &States, pooling: Pooling) -> Result<Vec<f32>, ModelsError> {
    let mut rows = states.rows();
    let mut vector = rows.next().unwrap_or_default().to_vec();
    if pooling == Pooling::Mean {
        for row in rows {
            add(&mut vector, row);
        }
    }
    let length = norm(&vector);
    if !length.is_finite() || length < 1e-12 {
        return Err(ModelsError::Output { reason: format!("a vector of length {length}") });
    }
    scale(&mut vector, length);
    Ok(vector)
}

/// For each part the sum of the vectors of the tokens that begin in it; zeros where none does. Special tokens belong to
/// no part.
pub(crate) fn parts(
    states: &States,
    tokens: &Encoding,
    parts: &[Span],
) -> Result<Vec<Vec<f32>>, ModelsError> {
    let rows: Vec<&[f32]> = states.rows().collect();
    if rows.len() != tokens.len() {
        return Err(ModelsError::Output {
            reason: "the model gives one vector for a text, not one for each token".to_owned(),
        });
    }
    let places = tokens.get_offsets().iter().zip(tokens.get_special_tokens_mask());
    let dimension = rows.first().map_or(0, |row| row.len());
    let mut sums = vec![vec![0.0; dimension]; parts.len()];
    for (row, (&(start, _), special)) in rows.into_iter().zip(places) {
        let part = parts.iter().position(|part| part.range().contains(&start));
        if let (Some(part), 0) = (part, special) {
            add(&mut sums[part], row);
        }
    }
    Ok(sums)
}

fn add(sum: &mut [f32], vector: &[f32]) {
    for (total, value) in sum.iter_mut().zip(vector) {
        *total += value;
    }
}

fn scale(vector: &mut [f32], length: f32) {
    for value in vector {
        *value /= length;
    }
}
