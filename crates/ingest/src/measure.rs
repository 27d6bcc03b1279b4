//! Measures of what stands on a page.

use std::collections::BTreeMap;

/// The middle one of some numbers, the greater of two.
pub(crate) fn median(values: impl Iterator<Item = f32>) -> Option<f32> {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}

/// From the least start to the greatest end; a range below nothing without any.
pub(crate) fn extent(ranges: impl Iterator<Item = (f32, f32)>) -> (f32, f32) {
    ranges.fold((f32::MAX, f32::MIN), |(least, most), (start, end)| (least.min(start), most.max(end)))
}

/// Groups neighbours: each belongs to the group before it if it is `like` the first of that.
pub(crate) fn grouped<T>(items: Vec<T>, like: impl Fn(&T, &T) -> bool) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    for item in items {
        match groups.last_mut() {
            Some(group) if group.first().is_some_and(|first| like(first, &item)) => group.push(item),
            _ => groups.push(vec![item]),
        }
    }
    groups
}

/// The sum of the counts of each key.
pub(crate) fn tally<K: Ord>(counts: impl Iterator<Item = (K, usize)>) -> BTreeMap<K, usize> {
    let mut sums = BTreeMap::new();
    for (key, count) in counts {
        *sums.entry(key).or_default() += count;
    }
    sums
}
