//! The nearest chunks of a question, exactly.
//!
//! In a large index the codes of all windows are scanned first ([`crate::vectors::QueryCode`]): a quarter of the bytes.
//! Chunks that cannot be among the nearest are dropped by their bounds, and the cosines of the others are computed from
//! the vectors themselves.

use crate::{
    Index,
    disk::ChunkRow,
    vectors::{CodeRow, QueryCode},
};
use rayon::prelude::*;
use std::sync::atomic::{AtomicI32, Ordering};

/// Chunks that one task of a parallel scan compares: some 3 MB of vectors at 384 dimensions.
const BLOCK: usize = 512;
/// Chunks of a task that scans codes.
const CODE_BLOCK: usize = 4096;
/// Indexes with fewer chunks are compared as a whole.
pub(crate) const SMALL: usize = 4096;

/// Lowest and highest cosine that a live row can have.
#[derive(Clone, Copy, Debug)]
struct Bounded {
    row: u32,
    low: f32,
    high: f32,
}

impl Index {
    /// The cosines of chunks that are allowed and have a window, among them the `depth` nearest; all others have a lower
    /// cosine than these. In no particular order.
    pub(crate) fn nearest(&self, query: &[f32], allowed: Option<&[bool]>, depth: usize) -> Vec<(u32, f32)> {
        let rows = self.live.rows().len();
        let exact = |row: u32| self.best_window(row, query).map(|(_, cosine)| (row, cosine));
        if rows <= SMALL || depth.saturating_mul(2) >= rows {
            let score = |row: usize| match allowed {
                Some(allowed) if !allowed.get(row).copied().unwrap_or(false) => None,
                _ => exact(row as u32),
            };
            return (0..rows).into_par_iter().with_min_len(BLOCK).filter_map(score).collect();
        }
        let candidates = self.bounded(&QueryCode::new(query), allowed, depth.max(1));
        let read = |buffer: &mut Vec<f32>, found: &Bounded| {
            let (segment, _, chunk) = self.live.chunk(&self.segments, found.row)?;
            let cosine = segment.windows.best_read(chunk, query, buffer)?;
            Some((found.row, cosine))
        };
        candidates
            .par_chunks(BLOCK)
            .flat_map_iter(|block| {
                let mut buffer = Vec::new();
                block.iter().filter_map(|found| read(&mut buffer, found)).collect::<Vec<_>>()
            })
            .collect()
    }

    /// The rows whose upper bound is not below the lower bounds of `depth` rows.
    fn bounded(&self, query: &QueryCode, allowed: Option<&[bool]>, depth: usize) -> Vec<Bounded> {
        // What `depth` rows reach at least, as bits, which rise with a number above 0; 0 as long as nothing is known.
        let reached = AtomicI32::new(0);
        let blocks: Vec<(usize, usize)> = (0..self.segments.len())
            .flat_map(|segment| {
                let rows = self.segments[segment].chunks.rows().len();
                (0..rows).step_by(CODE_BLOCK).map(move |from| (segment, from))
            })
            .collect();
        let scan = |mut found: Vec<Bounded>, (segment, from): &(usize, usize)| {
            let of = &self.segments[*segment];
            let rows = of.chunks.rows();
            let to = (from + CODE_BLOCK).min(rows.len());
            let (codes, code_rows) = of.windows.codes();
            pulp::Arch::new().dispatch(Scan {
                codes,
                code_rows,
                dimension: of.windows.dimension(),
                rows: &rows[*from..to],
                live: self.live.of_segment(*segment).get(*from..to).unwrap_or_default(),
                allowed,
                query,
                least: match reached.load(Ordering::Relaxed) {
                    0 => f32::MIN,
                    bits => f32::from_bits(bits.cast_unsigned()),
                },
                found: &mut found,
            });
            if found.len() >= depth.saturating_mul(2).max(CODE_BLOCK) {
                let least = keep(&mut found, depth);
                reached.fetch_max(least.max(0.0).to_bits().cast_signed(), Ordering::Relaxed);
            }
            found
        };
        let mut found =
            blocks.par_iter().with_min_len(4).fold(Vec::new, scan).reduce(Vec::new, |mut left, right| {
                left.extend(right);
                left
            });
        keep(&mut found, depth);
        found
    }
}

/// Drops the rows that `depth` others surpass, and returns what those reach; `f32::MIN` when there are not as many.
fn keep(found: &mut Vec<Bounded>, depth: usize) -> f32 {
    if found.len() <= depth {
        return f32::MIN;
    }
    let mut lows: Vec<f32> = found.iter().map(|found| found.low).collect();
    let (_, least, _) = lows.select_nth_unstable_by(depth - 1, |left, right| right.total_cmp(left));
    let least = *least;
    found.retain(|found| found.high >= least);
    least
}

/// The scan of one block; compiled for each kind of processor.
struct Scan<'a> {
    codes: &'a [i8],
    code_rows: &'a [CodeRow],
    dimension: usize,
    rows: &'a [ChunkRow],
    /// The live row of each, or `u32::MAX`.
    live: &'a [u32],
    allowed: Option<&'a [bool]>,
    query: &'a QueryCode,
    /// Rows below are left out.
    least: f32,
    found: &'a mut Vec<Bounded>,
}

impl pulp::WithSimd for Scan<'_> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "only inlined code is compiled for the processor at hand")]
    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        for (chunk, live) in self.rows.iter().zip(self.live) {
            let may = match self.allowed {
                Some(allowed) => allowed.get(*live as usize).copied().unwrap_or(false),
                None => *live != u32::MAX,
            };
            if !may {
                continue;
            }
            let (mut low, mut high) = (f32::MIN, f32::MIN);
            for window in chunk.windows() {
                let from = window * self.dimension;
                let code = self.codes.get(from..from + self.dimension);
                let (Some(code), Some(row)) = (code, self.code_rows.get(window)) else {
                    // Without a code nothing is known of it.
                    high = f32::MAX;
                    continue;
                };
                let [least, most] = self.query.bounds(code, *row);
                low = low.max(least);
                high = high.max(most);
            }
            if high >= self.least && high > f32::MIN {
                self.found.push(Bounded { row: *live, low, high });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_others_surpass_are_dropped() {
        let bounded = |row, low, high| Bounded { row, low, high };
        let mut found = vec![
            bounded(0, 0.5, 0.6),
            bounded(1, 0.1, 0.2),
            bounded(2, 0.4, 0.7),
            bounded(3, 0.3, 0.4),
            bounded(4, 0.3, 0.39),
        ];
        assert!((keep(&mut found, 2) - 0.4).abs() < 1e-6);
        let rows: Vec<u32> = found.iter().map(|found| found.row).collect();
        assert_eq!(rows, [0, 2, 3]);
        assert!(keep(&mut found, 3) < -1.0, "there are no more than three");
        assert_eq!(found.len(), 3);
    }
}
