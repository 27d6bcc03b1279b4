//! Which rows share their chance.

use crate::linked::linked;

/// A cluster number for each row, from 0 in order of first appearance. Rows are in one cluster if they share a text, or are
/// linked by other rows that do. `texts` gives for each row its texts by role (such as context, question and response); an
/// empty text links nothing.
pub fn clusters(texts: &[[&str; 3]]) -> Vec<usize> {
    linked(texts.len(), |at| {
        let by_role = texts[at].iter().map(|text| text.trim()).enumerate();
        by_role.filter(|(_, text)| !text.is_empty())
    })
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
