//! Passages of several sources for questions that ask across sources.

use crate::fusion::Fused;
use std::collections::HashMap;

/// Moves hits behind all others whose source already has `most` better ones. Both parts keep their order. `source`
/// gives the source of a row.
pub(crate) fn spread(hits: Vec<Fused>, most: usize, source: impl Fn(u32) -> Option<u32>) -> Vec<Fused> {
    let mut taken: HashMap<Option<u32>, usize> = HashMap::new();
    let (mut first, mut last) = (Vec::with_capacity(hits.len()), Vec::new());
    for mut hit in hits {
        let count = taken.entry(source(hit.row)).or_default();
        *count += 1;
        if *count > most {
            hit.moved_back = true;
            last.push(hit);
        } else {
            first.push(hit);
        }
    }
    first.append(&mut last);
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_passages_of_a_source_come_last() {
        // Rows 0 to 9 are of source 0, 10 to 19 of source 1, ...
        let hits = [3, 1, 12, 5, 4, 11, 25].map(|row| Fused {
            row,
            ..Fused::default()
        });
        let spread = |most| {
            let moved = spread(hits.to_vec(), most, |row| Some(row / 10));
            moved
                .iter()
                .map(|hit| (hit.row, hit.moved_back))
                .collect::<Vec<_>>()
        };
        let kept = |row| (row, false);
        let back = |row| (row, true);
        assert_eq!(
            spread(1),
            [kept(3), kept(12), kept(25), back(1), back(5), back(4), back(11)]
        );
        assert_eq!(
            spread(2),
            [kept(3), kept(1), kept(12), kept(11), kept(25), back(5), back(4)]
        );
        assert_eq!(spread(9), [3, 1, 12, 5, 4, 11, 25].map(kept));
    }
}
