//! Two halves of the documents, so that what was chosen on one can be checked on the other.

use crate::hash::sha256_lines;

/// Whether a document belongs to the second half. Depends on its id and the seed alone: a document stays in its half
/// when others are added.
pub fn second_half(document: &str, seed: u64) -> bool {
    let hash = sha256_lines([seed.to_string(), document.to_owned()].into_iter());
    // Hexadecimal digits: the first is 8 or above for half of all hashes.
    hash.starts_with(|digit: char| !('0'..='7').contains(&digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_about_equal_and_seeded() {
        let second =
            |seed: u64| -> Vec<bool> { (0..400).map(|id| second_half(&id.to_string(), seed)).collect() };
        let count = second(1).iter().filter(|second| **second).count();
        assert!((150..250).contains(&count), "{count}");
        assert_eq!(second(1), second(1));
        assert_ne!(second(1), second(2));
    }
}
