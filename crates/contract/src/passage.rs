//! Search results: passages, their sources and scores.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf};

/// What `search` found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Search {
    /// The question.
    pub query: String,
    /// `hybrid`, `vector` or `bm25`.
    pub mode: String,
    /// The filter; null if everything was searched.
    pub filters: Option<Filter>,
    /// Candidates before the threshold.
    pub total_candidates: usize,
    /// Candidates above it.
    pub above_threshold: usize,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// Milliseconds by stage.
    pub timings_ms: BTreeMap<String, f64>,
}

/// Conditions, all of which a passage must meet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Filter {
    /// Only these sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<String>>,
    /// Only these sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sections: Option<Vec<String>>,
    /// Published in this year or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year_from: Option<u16>,
    /// Published in this year or earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year_to: Option<u16>,
    /// Only sources with at least one of these tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Hit {
    /// The passage: `source__section__number`.
    pub chunk_id: String,
    /// Its source.
    pub source_id: String,
    /// Its section, normalised.
    pub section: String,
    /// First page.
    pub page_start: u32,
    /// Last page.
    pub page_end: u32,
    /// Similarity with the question, 0 to 1.
    pub vector_score: f64,
    /// BM25 score, at least 0.
    pub bm25_score: f64,
    /// The score that orders the hits.
    pub combined_score: f64,
    /// The text of the passage.
    pub text: String,
    /// Its source.
    #[serde(flatten)]
    pub source: Source,
    /// Where its scores come from; with `--explain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// A source, and the place of a passage in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// Title as printed.
    pub title: Option<String>,
    /// Authors as printed, in order.
    pub authors: Vec<String>,
    /// Year of publication.
    pub year: Option<u16>,
    /// DOI without a resolver's prefix.
    pub doi: Option<String>,
    /// The page to open.
    pub page: Option<u32>,
    /// The file; null if the source is not in the index.
    pub path: Option<PathBuf>,
    /// Whether a manifest marks it as fictional: a sample paper with invented findings.
    pub fictional: bool,
}

/// Where the scores of a hit come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Explanation {
    /// The passage.
    pub chunk_id: String,
    /// Its rank and scores in the vector list.
    pub vector: ListScore,
    /// Its rank and scores in the BM25 list.
    pub bm25: ListScore,
    /// The sum of both weighted scores.
    pub combined_score: f64,
    /// Its similarity with the question after feedback, which is normalised instead of the similarity with the question;
    /// null without feedback (`retrieve.feedback`).
    pub feedback_similarity: Option<f64>,
    /// Whether it stands behind passages with a lower score, because its source already has enough passages
    /// (`retrieve.max_per_source`).
    pub moved_back: bool,
    /// The part of the passage nearest to the question.
    pub window: Option<WindowMatch>,
    /// The terms of the question that the passage contains, in the question's order.
    pub terms: Vec<TermMatch>,
}

/// The rank and scores of a hit in one list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ListScore {
    /// Rank in the list, from 1; null if the passage is not in it.
    pub rank: Option<usize>,
    /// The score as the hit reports it.
    pub score: f64,
    /// The score normalised by the fusion, before weighting, 0 to 1.
    pub normalised: f64,
    /// The weight of the list for this question; 0 if the mode does not use it.
    pub weight: f64,
    /// What it adds to the combined score.
    pub weighted: f64,
}

/// Part of a passage, and its similarity with the question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct WindowMatch {
    /// UTF-8 bytes of the passage's text: the first, and the one behind the last.
    pub span: [usize; 2],
    /// Cosine with the question, -1 to 1.
    pub cosine: f64,
}

/// A term of the question in a passage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TermMatch {
    /// The word as the question first writes it.
    pub word: String,
    /// Its stem.
    pub stem: String,
    /// Occurrences in the text of the passage.
    pub occurrences: u32,
    /// Occurrences in each field that counts; fields without one are left out.
    pub fields: Vec<FieldMatch>,
    /// Number of passages in the index that contain the term in a field that counts.
    pub chunks: usize,
    /// Its inverse document frequency.
    pub idf: f64,
    /// What it adds to the BM25 score.
    pub contribution: f64,
}

/// A field of a passage that contains a term.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FieldMatch {
    /// `text`, `title` (of the source) or `heading` (of the passage's section).
    pub field: String,
    /// Occurrences in the field.
    pub occurrences: u32,
}
