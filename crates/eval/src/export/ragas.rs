//! Samples of Ragas: `user_input`, `response`, `retrieved_contexts`, `reference` and ids, one a line.

use super::{is_of, line};
use crate::EvalError;
use crate::stored::StoredRun;
use serde::Serialize;
use std::io::Write;
use types::SourceId;

/// A sample. What is not known is null, and metrics that need it do not apply.
#[derive(Serialize)]
struct Sample<'a> {
    id: String,
    query_id: &'a str,
    user_input: &'a str,
    response: &'a str,
    retrieved_contexts: Option<Vec<&'a str>>,
    /// The paper of each context.
    retrieved_context_ids: Option<Vec<&'a str>>,
    /// The chunk of each context, as the answer cites it.
    retrieved_chunk_ids: Option<Vec<&'a str>>,
    /// Title, authors and year of the paper of each context, as the generator saw them.
    retrieved_sources: Option<Vec<Option<String>>>,
    /// What retrieval returned, without texts.
    returned_chunks: Option<Vec<Returned>>,
    citations: &'a [types::Citation],
    refused: Option<bool>,
    expected_refusal: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    reference: Option<&'a str>,
    reference_contexts: Option<Vec<&'a str>>,
    /// The paper of each of these quotes.
    reference_sources: Option<Vec<&'a str>>,
    /// The papers that should answer the question.
    reference_context_ids: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ms: Option<f64>,
    tags: [&'a str; 1],
}

/// A chunk that retrieval returned.
#[derive(Serialize)]
struct Returned {
    chunk_id: Option<String>,
    source_id: Option<String>,
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<f64>,
}

impl From<&crate::Passage> for Returned {
    fn from(passage: &crate::Passage) -> Self {
        Self {
            chunk_id: passage.id.clone(),
            source_id: passage.document.clone(),
            score: passage.score,
            distance: passage.distance,
        }
    }
}

/// Writes the samples. With several modes, the id of a sample names its mode too.
///
/// # Errors
/// When the log cannot be read, the format cannot hold an id, or `out` fails.
pub fn write(run: &StoredRun<'_>, mode: Option<&str>, out: &mut dyn Write) -> Result<(), EvalError> {
    let one_mode = mode.is_some() || run.modes().len() < 2;
    run.each(
        |row| is_of(row, mode),
        |row, found| {
            let query = run.query(row);
            let context = found.record.context.as_deref();
            let papers = query.map(|query| &query.target_papers);
            let gold = query.map(|query| &query.gold_evidence);
            let own = crate::Sample::of_record(&found.record, &found.record.response, query);
            let passages = own.passages.as_deref();
            let sample = Sample {
                id: if one_mode {
                    row.query_id.clone()
                } else {
                    format!("{} {}", row.query_id, row.mode)
                },
                query_id: &row.query_id,
                user_input: &row.query,
                response: &found.record.response.answer,
                retrieved_contexts: context.map(|all| all.iter().map(|one| one.text.as_str()).collect()),
                retrieved_context_ids: context
                    .map(|all| all.iter().map(|one| one.source_id.as_str()).collect()),
                retrieved_chunk_ids: context.map(|all| all.iter().map(|one| one.chunk_id.as_str()).collect()),
                retrieved_sources: passages.map(|all| all.iter().map(|one| one.source.clone()).collect()),
                returned_chunks: own
                    .returned
                    .as_deref()
                    .map(|all| all.iter().map(Returned::from).collect()),
                citations: &found.record.response.citations,
                refused: own.refused,
                expected_refusal: own.expected_refusal,
                probability: own.probability,
                reference: query.and_then(|query| query.reference_answer.as_deref()),
                reference_contexts: gold
                    .filter(|gold| !gold.is_empty())
                    .map(|gold| gold.iter().map(|gold| gold.quote.as_str()).collect()),
                reference_sources: gold
                    .filter(|gold| !gold.is_empty())
                    .map(|gold| gold.iter().map(|gold| gold.source_id.as_str()).collect()),
                reference_context_ids: papers
                    .filter(|papers| !papers.is_empty())
                    .map(|papers| papers.iter().map(SourceId::as_str).collect()),
                latency_ms: row.timings_ms.get("total").copied(),
                tags: [&row.mode],
            };
            line(out, "a sample", &sample)
        },
    )
}
