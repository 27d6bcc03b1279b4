//! A sentence or a claim: its terms and, where there is an embedder, their vectors.

use super::rarity::weight;
use std::ops::Range;

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
        Self {
            terms: terms.collect(),
            initials: initials(words),
            span,
            vectors: None,
        }
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
