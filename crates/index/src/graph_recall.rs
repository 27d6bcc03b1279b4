//! How many of the nearest chunks the graph finds.

use crate::{Index, IndexError};
use std::collections::HashSet;

/// Chunks whose vectors are taken as questions.
const QUESTIONS: usize = 100;
/// Nearest chunks of each.
const NEAREST: usize = 10;
/// Breadth of the walk: that of the default settings.
const EF: usize = 1200;

impl Index {
    /// The share, in `0..=1`, of the ten nearest chunks of a sample of chunks that a search by the graph finds, as broad as
    /// by default; `None` without a graph, or where searches do not use it because the index is small.
    ///
    /// # Errors
    /// When the graph cannot be loaded.
    pub fn graph_recall(&self) -> Result<Option<f64>, IndexError> {
        let rows = self.live.rows().len();
        if self.manifest.graph.is_none() || rows == 0 {
            return Ok(None);
        }
        let (mut found, mut all) = (0, 0);
        for number in 0..QUESTIONS.min(rows) {
            // Spread over all sources, the same ones for the same index.
            let row = (number * rows / QUESTIONS.min(rows)) as u32;
            let window = self
                .live
                .chunk(&self.segments, row)
                .and_then(|(segment, _, chunk)| segment.windows.vector(chunk.windows().next()?));
            let Some(query) = window else { continue };
            let Some(near) = self.graph_list(query, NEAREST, EF)? else {
                return Ok(None);
            };
            let exact = self.top(NEAREST, self.nearest(query, None, NEAREST).into_iter());
            let near: HashSet<u32> = near.into_iter().map(|(row, _)| row).collect();
            all += exact.len();
            found += exact.iter().filter(|(row, _)| near.contains(row)).count();
        }
        Ok((all > 0).then(|| found as f64 / f64::from(all.max(1) as u32)))
    }
}
