//! Weights words by rarity: rare words count for more.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The 4,000 most frequent words, most frequent first, by the number of windows of encyclopedia articles, trial reports,
/// health pages and abstracts that they occur in. `fit/words.py` wrote the file.
const COMMON: &str = include_str!("common_words.txt");

/// The rank of each stem, from 0.
static RANKS: LazyLock<HashMap<String, usize>> = LazyLock::new(|| {
    let mut ranks = HashMap::new();
    for (rank, word) in COMMON.lines().enumerate() {
        ranks.entry(text::stem(word)).or_insert(rank);
    }
    ranks
});

/// Number of listed words: the rank of a stem that is not listed.
static LISTED: LazyLock<usize> = LazyLock::new(|| COMMON.lines().count());

/// Returns the weight of a stem, from 0.3 (the most common word) to 1.3 (not a common word). The weight is linear in the
/// logarithm of the rank, as inverse document frequency is if frequencies follow Zipf's law.
pub(crate) fn weight(stem: &str) -> f32 {
    let all = *LISTED as f32;
    let rank = RANKS.get(stem).map_or(all, |rank| *rank as f32);
    0.3 + (1.0 + rank).ln() / (1.0 + all).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more() {
        let of = |word: &str| weight(&text::stem(word));
        assert!(of("people") < of("pressure") && of("pressure") < of("metformin"));
        assert!((of("metformin") - 1.3).abs() < 1e-6);
        for word in COMMON.lines() {
            assert!((0.3..=1.3).contains(&of(word)), "{word}: {}", of(word));
        }
    }
}
