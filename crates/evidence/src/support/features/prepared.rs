//! Claims and passages prepared for comparison: what depends on one of them alone is computed once.

use super::blocks::{Block, blocks, without_names};
use super::piece::Piece;
use super::vectors::embed;
use std::ops::Range;
use text::entities::Ground;
use text::numbers::{Quantity, quantities};
use types::{Embedder, ModelError};

/// A claim without the names of passages.
#[derive(Clone, Debug)]
pub(crate) struct PreparedClaim {
    pub(crate) text: String,
    pub(crate) piece: Piece,
    /// The numbers of the passages that it names (`Passage 2`).
    pub(crate) named: Vec<u32>,
}

impl PreparedClaim {
    /// Prepares a claim for passages whose parts are `labelled`, or are not.
    ///
    /// # Errors
    /// When the embedder fails.
    pub(crate) fn new(
        claim: &str,
        labelled: bool,
        embedder: Option<&dyn Embedder>,
    ) -> Result<Self, ModelError> {
        let (text, named) = without_names(claim, labelled);
        let mut pieces = vec![Piece::new(&text, 0..text.len())];
        if let Some(embedder) = embedder {
            embed(embedder, &text, &mut pieces)?;
        }
        let piece = pieces.swap_remove(0);
        Ok(Self { text, piece, named })
    }
}

/// A passage with everything that is looked up in it.
#[derive(Clone, Debug)]
pub(crate) struct PreparedPassage {
    pub(crate) text: String,
    pub(crate) sentences: Vec<Piece>,
    pub(crate) quantities: Vec<Quantity>,
    pub(crate) ground: Ground,
    /// The parts that have their own label (`passage 2:`).
    pub(crate) blocks: Vec<Block>,
    /// The detected language, if any.
    pub(crate) language: Option<&'static str>,
    /// Whether it cannot be divided into words.
    pub(crate) undivided: bool,
}

impl PreparedPassage {
    /// # Errors
    /// When the embedder fails.
    pub(crate) fn new(passage: &str, embedder: Option<&dyn Embedder>) -> Result<Self, ModelError> {
        let spans = text::sentences(passage).into_iter();
        let mut sentences: Vec<Piece> = spans.map(|span| Piece::new(passage, span)).collect();
        if let Some(embedder) = embedder {
            embed(embedder, passage, &mut sentences)?;
        }
        Ok(Self {
            sentences,
            quantities: held(passage),
            ground: Ground::new(passage),
            blocks: blocks(passage),
            language: text::language::language(passage),
            undivided: text::language::is_undivided(passage),
            text: passage.to_owned(),
        })
    }

    /// Returns the text of a run of sentences.
    pub(crate) fn text_of(&self, window: &Range<usize>) -> &str {
        &self.text[self.span_of(window)]
    }

    /// Returns the byte range of a run of sentences.
    pub(crate) fn span_of(&self, window: &Range<usize>) -> Range<usize> {
        match self.sentences.get(window.clone()) {
            Some([first, .., last]) => first.span.start..last.span.end,
            Some([only]) => only.span.clone(),
            _ => 0..0,
        }
    }
}

/// Returns the numbers of a passage, including words for a share or a multiple such as "half" or "twice".
pub(crate) fn held(passage: &str) -> Vec<Quantity> {
    let mut out = quantities(passage);
    for span in text::words(passage) {
        let word = passage[span.clone()].to_lowercase();
        let (value, unit) = match word.as_str() {
            "half" => (50.0, Some("%")),
            "quarter" => (25.0, Some("%")),
            "doubled" | "twice" | "twofold" => (2.0, Some("fold")),
            "tripled" | "threefold" => (3.0, Some("fold")),
            "weekly" => (1.0, Some("week")),
            "one" => (1.0, None),
            _ => continue,
        };
        out.push(Quantity {
            span: span.clone(),
            number: span,
            value,
            unit: unit.map(str::to_owned),
            spelled: true,
            scale: None,
        });
    }
    out
}
