//! Why a hit has the rank that it has.

use crate::{ChunkId, Span};
use schemars::JsonSchema;
use serde::Serialize;
use strum::VariantArray as _;

/// Where the scores of one hit come from.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Explanation {
    /// The hit.
    pub chunk_id: ChunkId,
    /// Its rank and scores in the vector list.
    pub vector: ListScore,
    /// Its rank and scores in the BM25 list.
    pub bm25: ListScore,
    /// The fused score: the sum of both weighted scores.
    pub combined_score: f32,
    /// The window nearest to the question; `None` without a question vector or a window.
    pub window: Option<WindowMatch>,
    /// The terms of the question that the chunk contains, in the question's order.
    pub terms: Vec<TermMatch>,
}

/// The part of a chunk whose vector is nearest to the question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct WindowMatch {
    /// Its byte range in the chunk's text.
    pub span: Span,
    /// Cosine with the question, `-1..=1`.
    pub cosine: f32,
}

/// A term of the question, and how rare it is in the store.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TermWeight {
    /// The word as the question first writes it.
    pub word: String,
    /// Its stem.
    pub stem: String,
    /// Number of chunks in the index that contain the term in a field that counts.
    pub chunks: usize,
    /// Its inverse document frequency.
    pub idf: f32,
    /// What BM25 multiplies the inverse document frequency by: how often the question contains the term. The terms of
    /// another form of the question's words share a weight of 1.
    pub weight: f32,
}

/// A term of the question in a chunk.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TermMatch {
    /// The word as the question first writes it.
    pub word: String,
    /// Its stem.
    pub stem: String,
    /// Occurrences in the text of the chunk.
    pub occurrences: u32,
    /// Occurrences in each field that counts; fields without one are left out.
    pub fields: Vec<FieldMatch>,
    /// Number of chunks in the index that contain the term in a field that counts.
    pub chunks: usize,
    /// Its inverse document frequency.
    pub idf: f32,
    /// What it adds to the BM25 score.
    pub contribution: f32,
}

/// A field of a chunk that contains a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FieldMatch {
    /// The field.
    pub field: ChunkField,
    /// Occurrences in the field.
    pub occurrences: u32,
}

/// A part of a chunk that BM25 weighs on its own.
#[derive(strum::IntoStaticStr, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChunkField {
    /// Its own text.
    Text,
    /// The title of its source, or the headings that it stands under.
    Title,
}

impl ChunkField {
    /// Every field.
    pub const ALL: [Self; Self::VARIANTS.len()] = crate::words::all(Self::VARIANTS);

    /// Its name, as it is serialised.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Its place in [`ChunkField::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// The rank and scores of a hit in one list.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ListScore {
    /// Rank in the list, from 1; `None` if the hit is not in the list at the depth searched.
    pub rank: Option<usize>,
    /// The score as the hit reports it: `max(0, cosine)` or BM25. With the arithmetic of the earlier system (fusion
    /// `phase2`), that system's score.
    pub score: f32,
    /// The score normalised by the fusion, before weighting, `0..=1`.
    pub normalised: f32,
    /// The weight of the list for this question; 0 if the mode does not use it.
    pub weight: f32,
    /// What it adds to the combined score.
    pub weighted: f32,
}
