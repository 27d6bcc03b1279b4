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
    /// Words of the question that no paper contains, and what was searched instead.
    #[serde(default)]
    pub searched_also_for: Vec<Spelling>,
    /// Abbreviations of the question, and words of it that papers abbreviate, with the other form, which was searched too.
    #[serde(default)]
    pub abbreviations: Vec<Abbreviation>,
    /// What was taken from the words of the question and how to undo it, and, with `--explain`, how the search differed
    /// from what the settings ask for: as sentences.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Candidates before the threshold.
    pub total_candidates: usize,
    /// Candidates above it.
    pub above_threshold: usize,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How the hits were found and ordered; with `--explain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<SearchExplanation>,
    /// Milliseconds by stage.
    pub timings_ms: BTreeMap<String, f64>,
}

/// How hits were found and ordered. What holds for a single hit is in its [`Explanation`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SearchExplanation {
    /// The terms of the question that BM25 looked up, in the question's order, then those of `abbreviations`.
    pub terms: Vec<TermWeight>,
    /// How both scores are normalised and added: the setting `retrieve.fusion`.
    pub fusion: String,
    /// The least similarity of a hit (`retrieve.threshold`); not applied in mode `bm25`.
    /// 0 for a question about a named paper without a topic.
    pub threshold: f64,
    /// How vectors are compared: the setting `retrieve.vector_index`. If it was not followed, `notes` says why.
    pub vector_index: String,
    /// What `ask` does with the hits next.
    pub reranking: Reranking,
}

/// A term of the question, and how rare it is in the index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TermWeight {
    /// The word as the question first writes it.
    pub word: String,
    /// Its stem.
    pub stem: String,
    /// Number of passages in the index that contain the term in a field that counts.
    pub chunks: usize,
    /// Its inverse document frequency.
    pub idf: f64,
    /// What BM25 multiplies the inverse document frequency by: how often the question contains the term. The terms of
    /// another form, as in `abbreviations`, share a weight of 1.
    pub weight: f64,
}

/// How `ask` reranks the hits of a search. `search` itself keeps the order of retrieval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Reranking {
    /// The name of the method.
    pub method: String,
    /// How many hits are reranked, from the first.
    pub candidates: usize,
    /// How many of them are kept at most.
    pub keep: usize,
    /// The lowest score of a hit that is kept, 0 to 10.
    pub min_score: f64,
    /// Whether the hits have scores: `search` asks no language model for them.
    pub ran: bool,
}

/// The place of a hit after reranking.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RerankPlace {
    /// Rank, from 1.
    pub rank: usize,
    /// Relevance, 0 to 10.
    pub score: f64,
    /// Whether it is kept.
    pub kept: bool,
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
    /// Published in this year: `year_from` and `year_to` where they are the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<u16>,
    /// `year_from`, without `year`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year_start: Option<u16>,
    /// `year_to`, without `year`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year_end: Option<u16>,
    /// The same as `tags`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subjects: Option<Vec<String>>,
    /// Where each condition comes from.
    #[serde(default)]
    pub origins: FilterOrigins,
}

/// Where the conditions of a filter come from; a condition that is not set has no key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FilterOrigins {
    /// Of the years.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<FilterOrigin>,
    /// Of the subjects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subjects: Option<FilterOrigin>,
    /// Of the sources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<FilterOrigin>,
    /// Of the sections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<FilterOrigin>,
}

/// Where a condition comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FilterOrigin {
    /// `query` (the words of the question) or `explicit` (an option).
    pub from: String,
    /// The words of the question that set it; empty for an option.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
}

/// A word of the question that no paper contains, and what was searched instead.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Spelling {
    /// The word as in the question.
    pub word: String,
    /// Words of the papers that are spelt like it, the most likely first.
    pub also: Vec<String>,
}

/// Words of the question whose other form was searched too, as papers define it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Abbreviation {
    /// The words as in the question: an abbreviation or its long form.
    pub words: String,
    /// The other form, as papers write it.
    pub also: Vec<String>,
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
    /// Where it was published, as far as that is known: "Nutr J 20(3):45", with volume, issue and first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_in: Option<String>,
    /// The page to open.
    pub page: Option<u32>,
    /// The number printed on that page; no key where it is not sure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed_page: Option<String>,
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
    /// The part of the passage nearest to the question.
    pub window: Option<WindowMatch>,
    /// The terms of the question that the passage contains, in the question's order.
    pub terms: Vec<TermMatch>,
    /// Its place after reranking; null if it is not reranked.
    #[serde(default)]
    pub rerank: Option<RerankPlace>,
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
