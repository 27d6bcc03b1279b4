//! A sentence or a claim: its terms, weighted by rarity, and their vectors where there is an embedder.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// A content term.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub(crate) stem: String,
    /// As printed.
    pub(crate) printed: String,
    /// Bytes into the text.
    pub(crate) span: Range<usize>,
    /// Its weight by rarity, 0.3 to 1.3.
    pub(crate) weight: f32,
}

/// A sentence of a passage, or a whole claim.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Bytes into the text.
    pub(crate) span: Range<usize>,
    /// The terms, in order.
    pub(crate) terms: Vec<Term>,
    /// The first letters of all words, joined, in lower case: "body mass index" gives "bmi".
    pub(crate) initials: String,
    pub(crate) vectors: Option<PieceVectors>,
}

impl Piece {
    pub(crate) fn new(text: &str, span: Range<usize>) -> Self {
        let words = &text[span.clone()];
        let terms = text::terms(words).into_iter().map(|term| Term {
            printed: words[term.span.clone()].to_owned(),
            span: span.start + term.span.start..span.start + term.span.end,
            weight: weight(&term.stem),
            stem: term.stem,
        });
        Self { terms: terms.collect(), initials: initials(words), span, vectors: None }
    }
}

impl Term {
    /// Whether the term is an acronym of at least three capitals, and these initials contain it.
    pub(crate) fn is_spelled_by(&self, initials: &str) -> bool {
        let bare = self.printed.trim_end_matches('s');
        bare.chars().count() >= 3
            && bare.chars().all(char::is_uppercase)
            && initials.contains(&bare.to_lowercase())
    }
}

/// Returns the first letters of the words of a text, in lower case.
fn initials(text: &str) -> String {
    let words = text::words(text).into_iter();
    let first = words.filter_map(|word| text[word].chars().next());
    first.flat_map(char::to_lowercase).collect()
}

/// The unit vectors of a piece of text; a zero vector where there is none.
#[derive(Clone, Debug)]
pub(crate) struct PieceVectors {
    pub(crate) whole: Vec<f32>,
    /// A vector for each term of the piece.
    pub(crate) terms: Vec<Vec<f32>>,
}

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
fn weight(stem: &str) -> f32 {
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
