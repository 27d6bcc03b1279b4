//! The nearest chunks of questions by plain comparison with every generated vector, to measure recall with.

use crate::generated::{CHUNKS, Shape};
use rayon::prelude::*;

/// The numbers of the `k` chunks nearest to each question, in no order; chunks are numbered through all papers.
pub(super) fn nearest(
    shape: Shape,
    seed: u64,
    papers: usize,
    questions: &[Vec<f32>],
    k: usize,
) -> Vec<Vec<usize>> {
    let of_paper = |mut best: Vec<Vec<(f64, usize)>>, paper: usize| {
        let vectors = shape.window_vectors(seed, paper);
        for (place, vector) in vectors.iter().enumerate() {
            let chunk = paper * CHUNKS + place / shape.windows.max(1);
            for (question, best) in questions.iter().zip(&mut best) {
                let products = question
                    .iter()
                    .zip(vector)
                    .map(|(q, v)| f64::from(*q) * f64::from(*v));
                keep(best, (products.sum(), chunk), k);
            }
        }
        best
    };
    let empty = || vec![Vec::new(); questions.len()];
    let join = |mut left: Vec<Vec<(f64, usize)>>, right: Vec<Vec<(f64, usize)>>| {
        for (left, right) in left.iter_mut().zip(right) {
            for found in right {
                keep(left, found, k);
            }
        }
        left
    };
    let best = (0..papers)
        .into_par_iter()
        .with_min_len(64)
        .fold(empty, of_paper)
        .reduce(empty, join);
    best.into_iter()
        .map(|list| list.into_iter().map(|(_, chunk)| chunk).collect())
        .collect()
}

/// Puts a chunk into a list of the best, best first; a chunk counts by its best window.
fn keep(best: &mut Vec<(f64, usize)>, found: (f64, usize), k: usize) {
    if best.len() == k && best.last().is_some_and(|last| last.0 >= found.0) {
        return;
    }
    if let Some(known) = best.iter().position(|(_, chunk)| *chunk == found.1) {
        if best[known].0 >= found.0 {
            return;
        }
        best.remove(known);
    }
    let place = best.partition_point(|(cosine, _)| *cosine >= found.0);
    best.insert(place, found);
    best.truncate(k);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_counts_once_by_its_best_window() {
        let mut best = Vec::new();
        for found in [(0.1, 1), (0.5, 2), (0.3, 1), (0.2, 1), (0.4, 3), (0.0, 4)] {
            keep(&mut best, found, 2);
        }
        assert_eq!(best, [(0.5, 2), (0.4, 3)]);
    }
}
