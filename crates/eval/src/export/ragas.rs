//! Samples of Ragas: `user_input`, `response`, `retrieved_contexts`, `reference` and ids, one a line.

use super::{is_of, line};
use crate::stored::StoredRun;
use crate::{EvalError, Passage, Sample};
use serde_json::{Value, json};
use std::io::Write;

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
            let papers = query.map(|query| &query.target_papers).filter(|papers| !papers.is_empty());
            let gold = query.map(|query| &query.gold_evidence).filter(|gold| !gold.is_empty());
            let own = Sample::of_record(&found.record, &found.record.response, query);
            let each = |of: fn(&types::ContextRecord) -> &str| context.map(|all| all.iter().map(of).collect::<Vec<_>>());
            let id = if one_mode {
                row.query_id.clone()
            } else {
                format!("{} {}", row.query_id, row.mode)
            };
            let sources = |all: &[Passage]| all.iter().map(|one| one.source.clone()).collect::<Vec<_>>();
            let returned = |all: &[Passage]| all.iter().map(returned).collect::<Vec<_>>();
            let sample = json!({
                "id": id,
                "query_id": row.query_id,
                "user_input": row.query,
                "response": found.record.response.answer,
                "retrieved_contexts": each(|one| &one.text),
                "retrieved_context_ids": each(|one| one.source_id.as_str()),
                "retrieved_chunk_ids": each(|one| one.chunk_id.as_str()),
                "retrieved_sources": own.passages.as_deref().map(sources),
                "returned_chunks": own.returned.as_deref().map(returned),
                "citations": found.record.response.citations,
                "refused": own.refused,
                "expected_refusal": own.expected_refusal,
                "probability": own.probability,
                "reference": query.and_then(|query| query.reference_answer.as_deref()),
                "reference_contexts": gold.map(|gold| gold.iter().map(|gold| &gold.quote).collect::<Vec<_>>()),
                "reference_sources": gold.map(|gold| gold.iter().map(|gold| &gold.source_id).collect::<Vec<_>>()),
                "reference_context_ids": papers,
                "latency_ms": row.timings_ms.get("total"),
                "tags": [row.mode],
            });
            line(out, "a sample", &without(sample, &["probability", "latency_ms"]))
        },
    )
}

fn returned(passage: &Passage) -> Value {
    let Passage { id, document, score, distance, .. } = passage;
    let returned = json!({"chunk_id": id, "source_id": document, "score": score, "distance": distance});
    without(returned, &["distance"])
}

/// The object without those of these keys that are null.
fn without(mut object: Value, keys: &[&str]) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|key, value| !(value.is_null() && keys.contains(&key.as_str())));
    }
    object
}
