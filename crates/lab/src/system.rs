//! What questions are asked of, and who judges.

use crate::{error::LabError, judging::judge};
use engine::{
    Pipeline,
    chat_models::ChatModels,
    settings::{Loaded, Settings},
    stages,
};
use eval::{GoldChunks, Judge, QuerySet};
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};
use types::words::{NAMED, first_of};
use types::{Chunk, ChunkQuery, Reporter, SourceId, SourceQuery};

/// A pipeline with the questions that it is asked and the judge of its answers.
#[derive(Clone, Copy)]
pub(crate) struct System<'a> {
    pub(crate) loaded: &'a Loaded,
    pub(crate) set: &'a QuerySet,
    pub(crate) pipeline: &'a Pipeline,
    pub(crate) models: &'a ChatModels,
    pub(crate) judge: &'a dyn Judge,
    pub(crate) reporter: &'a dyn Reporter,
}

/// The pipeline over the index of the settings, and the judge, with these language models.
///
/// # Errors
/// When there is no index, or a model is missing or cannot be used.
pub(crate) async fn open(
    settings: &Settings,
    models: &Arc<ChatModels>,
    reporter: &dyn Reporter,
) -> Result<(Pipeline, Box<dyn Judge>), LabError> {
    let pipeline = Pipeline::open_with(settings, Arc::clone(models)).await?;
    stages::warn_without_reader(settings, reporter);
    let judge = judge(settings, models, || pipeline.support(), pipeline.pool())?;
    Ok((pipeline, judge))
}

impl System<'_> {
    /// The chunks of the store that contain the gold quotes of the set.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) async fn gold_chunks(&self) -> Result<GoldChunks, LabError> {
        let gold = self.set.queries.iter().flat_map(|query| &query.gold_evidence);
        let sources: BTreeSet<SourceId> = gold.map(|gold| gold.source_id.clone()).collect();
        let query = ChunkQuery::Sources(sources.into_iter().collect());
        let mut chunks: HashMap<SourceId, Vec<Arc<Chunk>>> = HashMap::new();
        for chunk in self.pipeline.store().chunks(&query).await? {
            chunks.entry(chunk.source_id.clone()).or_default().push(chunk);
        }
        let of = |source: &SourceId| {
            let own = chunks.get(source).map(Vec::as_slice).unwrap_or_default();
            own.iter().map(|chunk| &**chunk)
        };
        Ok(GoldChunks::find(self.set, of))
    }

    /// A target that is not in the index cannot be found: the user may have forgotten to ingest.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) async fn warn_of_unknown_targets(&self) -> Result<(), LabError> {
        let targets: BTreeSet<SourceId> =
            self.set.queries.iter().flat_map(|query| query.target_papers.iter().cloned()).collect();
        let query = SourceQuery::Ids(targets.iter().cloned().collect());
        let known = self.pipeline.store().find_sources(&query).await?;
        let known: BTreeSet<&SourceId> = known.iter().map(|source| &source.meta.source_id).collect();
        let unknown: Vec<&SourceId> = targets.iter().filter(|target| !known.contains(target)).collect();
        if !unknown.is_empty() {
            self.reporter.warn(&format!(
                "{} target papers of the query set are not in the index: {}; ingest them, or name another query set",
                unknown.len(),
                first_of(&unknown, NAMED)
            ));
        }
        Ok(())
    }
}
