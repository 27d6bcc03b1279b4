//! Passages that a person could write questions for: no question is invented.

use super::{GroundTruth, GroundTruthRequest, check_new, document, line};
use crate::draft::Candidate;
use crate::error::LabError;
use engine::{LocalIndex, StoreProvider, settings::Settings};
use eval::Query;
use std::collections::{BTreeMap, HashMap};
use types::{ChunkQuery, SourceId, SourceQuery, files::write_atomic};

/// Lists passages, spread over papers and sections. With an output, writes a query set without questions: a row for each
/// passage, with a sentence of it as gold evidence.
///
/// # Errors
/// When there is no index, or the output exists or cannot be written.
pub(super) async fn run(settings: &Settings, request: &GroundTruthRequest) -> Result<GroundTruth, LabError> {
    if let Some(output) = &request.output {
        check_new(output)?;
    }
    let index = LocalIndex::open(&settings.index.dir)?;
    let store = index.searcher(settings.retrieve.search);
    let chunks = store.chunks(&ChunkQuery::All).await?;
    let mut candidates = crate::draft::spread(&chunks, request.seed(settings));
    candidates.truncate(request.count());
    let sources = store.store.sources(&SourceQuery::All).await?;
    let titles: HashMap<SourceId, String> = sources
        .into_iter()
        .filter_map(|source| Some((source.meta.source_id.clone(), source.meta.title.clone()?)))
        .collect();
    if let Some(output) = &request.output {
        let mut text = String::new();
        for (at, candidate) in candidates.iter().enumerate() {
            text.push_str(&line(&skeleton(at + 1, candidate))?);
        }
        write_atomic(output, &[text.as_bytes()]).map_err(LabError::io("write", output))?;
    }
    Ok(document::listed(settings, request, &candidates, &titles))
}

/// A row whose question and answer a person fills in.
fn skeleton(number: usize, candidate: &Candidate) -> Query {
    Query {
        id: format!("C-{number:03}"),
        kind: "direct".to_owned(),
        query: String::new(),
        target_papers: vec![candidate.chunk.source_id.clone()],
        expected_no_evidence: false,
        reference_answer: Some(String::new()),
        gold_evidence: vec![candidate.gold.clone()],
        written_from: Vec::new(),
        tags: Vec::new(),
        nearest: None,
        absent: None,
        extra: BTreeMap::new(),
    }
}
