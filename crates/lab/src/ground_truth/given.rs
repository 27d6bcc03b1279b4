//! Questions that are given, with passages of their relevant documents.

use super::{
    GivenQuestions, GroundTruthRequest,
    drafter::Drafter,
    plan::{Quota, Slot, Task},
    read_given,
};
use crate::{benchmark::Documents, error::LabError};
use engine::Pipeline;
use std::sync::Arc;
use types::{Chunk, ChunkQuery, Reporter, SourceId};

/// Passages of one document, at most: an abstract has one or two.
const PASSAGES: usize = 2;

/// One draft for each question, with the best of its documents that the index has: those of the highest grade first, then by
/// id, as many as the request allows. Of a document, the passages that fit the question best.
///
/// # Errors
/// When a file is wrong, or the index has none of the documents.
pub(super) async fn slots(
    request: &GroundTruthRequest,
    given: &GivenQuestions,
    pipeline: &Pipeline,
    drafter: &Drafter<'_>,
    reporter: &dyn Reporter,
) -> Result<(Vec<Slot>, Vec<Quota>), LabError> {
    let read = read_given(request, given)?;
    let sources = Documents::read(pipeline, given.qrels.is_none()).await?.by_name();
    let (mut slots, mut missing) = (Vec::new(), 0);
    for (question, expected) in &read.questions {
        let targets: Vec<SourceId> = expected.iter().filter_map(|id| sources.get(id).cloned()).collect();
        missing += expected.len() - targets.len();
        let mut excerpts = Vec::new();
        for source in targets.iter().take(*request.per_question.end()) {
            let chunks = passages(pipeline, drafter, &question.text, source).await?;
            excerpts.extend(chunks.iter().map(|chunk| drafter.excerpt(chunk)));
        }
        slots.push(Slot {
            name: format!("given {}", question.id),
            quota: 0,
            task: Task::Given { id: question.id.clone(), question: question.text.clone(), excerpts, targets },
        });
    }
    if slots.iter().all(|slot| matches!(&slot.task, Task::Given { targets, .. } if targets.is_empty())) {
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
    let quota = Quota { name: "given", prefix: "", wanted: slots.len() };
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
