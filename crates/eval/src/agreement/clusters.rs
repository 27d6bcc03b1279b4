//! Which rows share their chance.

use std::collections::HashMap;

/// A cluster number for each row, from 0 in order of first appearance. Rows are in one cluster if they share a text, or are
/// linked by other rows that do. `texts` gives for each row its texts by role (such as context, question and response); an
/// empty text links nothing.
pub fn clusters(texts: &[[&str; 3]]) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..texts.len()).collect();
    let mut first: HashMap<(usize, &str), usize> = HashMap::new();
    for (at, row) in texts.iter().enumerate() {
        for (role, text) in row.iter().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            let other = *first.entry((role, text.trim())).or_insert(at);
            let (a, b) = (root(&mut parent, at), root(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut number: HashMap<usize, usize> = HashMap::new();
    (0..texts.len())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_linked_by_what_they_share() {
        let check = |texts: &[[&str; 3]], expect: &[usize]| assert_eq!(clusters(texts), expect, "{texts:?}");
        check(&[["c", "", "r"], ["c", "", "s"], ["d", "", "t"]], &[0, 0, 1]);
        // The third row links the first two: it has the context of one and the response of the other.
        check(&[["c", "", "r"], ["d", "", "s"], ["d", "", "r"]], &[0, 0, 0]);
        check(&[["c", "q", "r"], ["d", "q ", "s"]], &[0, 0]);
        // The same text in another role, and empty texts, link nothing.
        check(&[["c", "", "x"], ["x", "", "y"], ["e", " ", "z"]], &[0, 1, 2]);
        check(&[], &[]);
    }
}
