//! Things that are linked by what they share, directly or through others.

use std::collections::HashMap;
use std::hash::Hash;

/// A group number for each of `count` things, from 0 in order of first appearance: those that share a mark, or are linked by
/// others that do, are one group.
pub(crate) fn linked<M: Hash + Eq, I: Iterator<Item = M>>(
    count: usize,
    marks: impl Fn(usize) -> I,
) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..count).collect();
    let mut first: HashMap<M, usize> = HashMap::new();
    for at in 0..count {
        for mark in marks(at) {
            let other = *first.entry(mark).or_insert(at);
            let (a, b) = (root(&mut parent, at), root(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut number: HashMap<usize, usize> = HashMap::new();
    (0..count)
        .map(|at| {
            let next = number.len();
            *number.entry(root(&mut parent, at)).or_insert(next)
        })
        .collect()
}

fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}
