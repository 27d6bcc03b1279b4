//! Retrieval of more documents than an answer needs.

use crate::error::LabError;
use engine::Pipeline;
use std::collections::HashSet;
use types::{Question, Retrieval, RetrievalPlan, SourceId};

/// Asks for passages until they are of enough documents.
pub(crate) struct DeepSearch<'a> {
    pipeline: &'a Pipeline,
    /// Documents.
    depth: usize,
    /// Passages to ask for at first: those of `depth` documents of average length, and of one more.
    first: usize,
}

impl<'a> DeepSearch<'a> {
    /// # Errors
    /// When the store cannot be read.
    pub(crate) async fn new(pipeline: &'a Pipeline, depth: usize) -> Result<Self, LabError> {
        let info = pipeline.store().info().await?;
        let first = (depth + 1) * info.chunks.div_ceil(info.sources.max(1)).max(1);
        Ok(Self {
            pipeline,
            depth,
            first,
        })
    }

    /// Passages of more than `depth` documents, or all that there are.
    ///
    /// # Errors
    /// When retrieval fails.
    pub(crate) async fn retrieve(&self, question: &Question) -> Result<Retrieval, LabError> {
        let mut hits = self.first;
        loop {
            let plan = RetrievalPlan {
                hits: Some(hits),
                ..RetrievalPlan::default()
            };
            let found = self.pipeline.store().retrieve(question, plan).await?.retrieval;
            let exhausted = found.hits.len() < hits;
            let sources: HashSet<&SourceId> = found.hits.iter().map(|hit| &hit.chunk().source_id).collect();
            if exhausted || sources.len() > self.depth {
                return Ok(found);
            }
            hits *= 2;
        }
    }
}
