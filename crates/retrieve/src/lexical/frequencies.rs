//! Weighted frequencies of one term in all chunks, added up over fields.

/// Postings come field by field. Those of one field of a segment are in one order of rows, so that fields are merged
/// like sorted lists: that costs less than adding to a table of all rows, and nothing has to be cleared.
#[derive(Debug, Default)]
pub(crate) struct Frequencies {
    /// Rows and frequencies, each row once; those from `open` on are of the segment at hand.
    rows: Vec<(u32, f32)>,
    open: usize,
    /// The list that is merged next.
    next: Vec<(u32, f32)>,
    merged: Vec<(u32, f32)>,
}

impl Frequencies {
    /// Adds a row to the list of a field; what is not above 0 adds nothing.
    pub(crate) fn push(&mut self, row: u32, frequency: f32) {
        if frequency > 0.0 {
            self.next.push((row, frequency));
        }
    }

    /// Adds the list of a field to those before it.
    pub(crate) fn merge(&mut self) {
        let Self {
            rows,
            open,
            next,
            merged,
        } = self;
        if next.is_empty() {
            return;
        }
        // The rows of a segment keep their order in an index, except where a source moved to another place among the ids.
        if !next.is_sorted_by_key(|(row, _)| *row) {
            next.sort_unstable_by_key(|(row, _)| *row);
        }
        if rows.len() == *open {
            rows.append(next);
            return;
        }
        merged.clear();
        let mut left = rows.drain(*open..).peekable();
        let mut right = next.drain(..).peekable();
        loop {
            let found = match (left.peek(), right.peek()) {
                (Some((l, tf)), Some((r, more))) if l == r => {
                    let both = (*l, tf + more);
                    right.next();
                    left.next();
                    Some(both)
                }
                (Some((l, _)), Some((r, _))) if l < r => left.next(),
                (_, Some(_)) => right.next(),
                (_, None) => left.next(),
            };
            match found {
                Some(found) => merged.push(found),
                None => break,
            }
        }
        drop(left);
        rows.append(merged);
    }

    /// Forgets everything but its memory, for the next term.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.open = 0;
    }

    /// Ends a segment: the rows of the next one are others.
    pub(crate) fn close(&mut self) {
        self.open = self.rows.len();
    }

    /// Every row with its frequency, in the order of segments.
    pub(crate) fn rows(&self) -> &[(u32, f32)] {
        &self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn fields_add_up(segments in prop::collection::vec(
            prop::collection::vec(prop::collection::btree_map(0_u32..40, 0_u8..4, 0..20), 0..4), 0..4,
        )) {
            let mut frequencies = Frequencies::default();
            frequencies.push(7, 1.0);
            frequencies.merge();
            frequencies.close();
            frequencies.clear();
            let mut wanted = Vec::new();
            for (segment, fields) in (0_u32..).zip(&segments) {
                let mut sums = BTreeMap::new();
                for field in fields {
                    for (row, tf) in field {
                        frequencies.push(segment * 100 + 39 - row, f32::from(*tf));
                        if *tf > 0 {
                            *sums.entry(segment * 100 + 39 - row).or_insert(0.0) += f32::from(*tf);
                        }
                    }
                    frequencies.merge();
                }
                frequencies.close();
                wanted.extend(sums);
            }
            prop_assert_eq!(frequencies.rows(), wanted);
        }
    }
}
