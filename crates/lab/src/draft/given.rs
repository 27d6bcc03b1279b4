//! Questions that are given, with passages of their relevant documents.

use super::{
    DraftRequest,
    drafter::Drafter,
    plan::{Given, Quota, Slot},
    writer::Kind,
};
use crate::{
    benchmark::{Documents, dataset::Expecting},
    error::LabError,
};
use engine::Pipeline;
use std::sync::Arc;
use types::{Chunk, ChunkQuery, Reporter, SourceId};

/// Passages of one document, at most: an abstract has one or two.
const PASSAGES: usize = 2;

/// One draft for each question, with the best of its documents that the index has: those of the highest grade first, then by
/// id, as many as the request allows. Of a document, the passages that fit the question best.
///
/// # Errors
/// When the index has none of the documents.
pub(super) async fn slots(
    read: Expecting,
    request: &DraftRequest,
    pipeline: &Pipeline,
    drafter: &Drafter<'_>,
    reporter: &dyn Reporter,
) -> Result<(Vec<Slot>, Vec<Quota>), LabError> {
    let judged = request.given.as_ref().is_some_and(|given| given.qrels.is_some());
    let sources = Documents::read(pipeline, !judged).await?.by_name();
    let (mut slots, mut missing) = (Vec::new(), 0);
    for (question, expected) in &read.questions {
        let targets: Vec<SourceId> = expected.iter().filter_map(|id| sources.get(id).cloned()).collect();
        missing += expected.len() - targets.len();
        let mut excerpts = Vec::new();
        for source in targets.iter().take(request.per_question) {
            let chunks = passages(pipeline, drafter, &question.text, source).await?;
            excerpts.extend(chunks.iter().map(|chunk| drafter.excerpt(chunk)));
        }
        slots.push(Slot {
            name: format!("given {}", question.id),
            quota: 0,
            excerpts,
            given: Some(Given { id: question.id.clone(), question: question.text.clone(), targets }),
        });
    }
    if slots.iter().all(|slot| slot.excerpts.is_empty()) {
        return Err(LabError::Message(
            "the index has none of the relevant documents; ingest them first, or name their index with --index".to_owned(),
        ));
    }
    if missing > 0 {
        reporter.warn(&format!(
            "{missing} relevant documents are not in the index; they are left out of target_papers"
        ));
    }
    if read.without_expected > 0 {
        reporter.warn(&format!(
            "{} questions have no relevant document, and get no reference answer",
            read.without_expected
        ));
    }
    let quota = Quota { kind: Kind::Given, wanted: slots.len() };
    Ok((slots, vec![quota]))
}

async fn passages(
    pipeline: &Pipeline,
    drafter: &Drafter<'_>,
    question: &str,
    source: &SourceId,
) -> Result<Vec<Arc<Chunk>>, LabError> {
    let found = drafter.found(question, Some(source), PASSAGES).await?;
    if !found.is_empty() {
        return Ok(found);
    }
    // Nothing of it is above the threshold of retrieval.
    let all = ChunkQuery::Sources(vec![source.clone()]);
    let mut chunks = pipeline.store().chunks(&all).await?;
    chunks.truncate(PASSAGES);
    Ok(chunks)
}
