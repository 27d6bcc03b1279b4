//! A score accumulator whose cost is proportional to the number of scored rows.

use std::sync::{Mutex, PoisonError};

/// Accumulators of finished searches, all of them 0 throughout. There is one for each search at a time.
#[derive(Debug, Default)]
pub(crate) struct ScorePool(Mutex<Vec<Accumulator>>);

#[derive(Debug, Default)]
struct Accumulator {
    values: Vec<f32>,
    /// The first `scored` entries are the rows with a score, in the order in which they were first met. One element longer
    /// than `values`.
    rows: Vec<u32>,
    /// Number of rows whose value is above 0.
    scored: usize,
}

impl Accumulator {
    fn scored(&self) -> &[u32] {
        self.rows.get(..self.scored).unwrap_or_default()
    }
}

/// If at least one row in two has a score, scanning all rows is faster than looking up the scored ones.
const DENSE: usize = 2;
/// Setting this many values to 0 is as fast as looking up one row.
const CLEARED: usize = 16;

impl ScorePool {
    /// An accumulator for `rows` rows, each with score 0.
    pub(crate) fn take(&self, rows: usize) -> Scores<'_> {
        // A panic leaves no accumulator behind.
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut own = kept.unwrap_or_default();
        own.values.resize(rows, 0.0);
        own.rows.resize(rows + 1, 0);
        Scores { pool: self, own }
    }
}

/// The score of each row; goes back to its pool when dropped.
#[derive(Debug)]
pub(crate) struct Scores<'p> {
    pool: &'p ScorePool,
    own: Accumulator,
}

impl Scores<'_> {
    /// Adds to the score of a row; what is not above 0 adds nothing.
    pub(crate) fn add(&mut self, row: u32, weight: f32) {
        let Accumulator { values, rows, scored } = &mut self.own;
        if let (true, Some(score), Some(next)) =
            (weight > 0.0, values.get_mut(row as usize), rows.get_mut(*scored))
        {
            // Without a branch: half of all rows of a common term are new, and which ones cannot be predicted.
            *next = row;
            *scored += usize::from(*score == 0.0);
            *score += weight;
        }
    }

    /// The score of a row.
    pub(crate) fn get(&self, row: u32) -> f32 {
        self.own.values.get(row as usize).copied().unwrap_or(0.0)
    }

    /// Number of rows with a score.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.own.scored
    }

    /// Every row that has a score, in no particular order; fastest with `for_each`.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        let is_dense = self.own.scored > self.own.values.len() / DENSE;
        let (values, rows) = if is_dense {
            (&self.own.values[..], &[][..])
        } else {
            (&[][..], self.own.scored())
        };
        let all = (0..).zip(values).map(|(row, score)| (row, *score));
        all.filter(|(_, score)| *score > 0.0)
            .chain(rows.iter().map(|row| (*row, self.get(*row))))
    }

    /// Sets every score to 0.
    fn clear(&mut self) {
        if self.own.scored > self.own.values.len() / CLEARED {
            self.own.values.fill(0.0);
        } else {
            let Accumulator { values, rows, scored } = &mut self.own;
            for row in rows.iter().take(*scored) {
                if let Some(score) = values.get_mut(*row as usize) {
                    *score = 0.0;
                }
            }
        }
        self.own.scored = 0;
    }
}

impl Drop for Scores<'_> {
    fn drop(&mut self) {
        self.clear();
        let own = std::mem::take(&mut self.own);
        self.pool
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accumulator_comes_back_empty() {
        let pool = ScorePool::default();
        // Few rows of many, and many of few: those are looked up, these scanned.
        for rows in [1000, 4, 1000, 3] {
            let mut scores = pool.take(rows);
            assert_eq!(scores.len(), 0);
            for (row, weight) in [(2, 1.0), (0, 0.5), (2, 0.25), (1, 0.0), (9999, 1.0)] {
                scores.add(row, weight);
            }
            let mut found: Vec<(u32, f32)> = scores.iter().collect();
            found.sort_by_key(|(row, _)| *row);
            assert_eq!((found, scores.len()), (vec![(0, 0.5), (2, 1.25)], 2), "{rows}");
            let read = [0, 1, 2, 9999].map(|row| scores.get(row).to_bits());
            assert_eq!(read, [0.5_f32, 0.0, 1.25, 0.0].map(f32::to_bits));
        }
        let (first, second) = (pool.take(4), pool.take(2));
        assert_eq!((first.own.values.len(), second.own.values.len()), (4, 2));
        drop((first, second));
        assert_eq!(pool.0.lock().expect("whole").len(), 2);
    }
}
