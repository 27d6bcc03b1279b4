//! Writes the next generation: what has not changed is kept, the rest is built again.

use super::{
    build_plan::{BuildPlan, IndexState},
    build_source::VectorSources,
    embed_progress::EmbedProgress,
    plan::IngestPlan,
    run::Run,
    summary::IngestSummary,
};
use crate::{IndexerError, caches::Caches, indexed::IndexedSource};
use pollster::block_on;
use retrieve::IndexWriter;
use std::{collections::BTreeSet, time::Instant};
use types::{IndexSink, SourceId};

impl Run<'_> {
    /// Writes and publishes the next generation.
    pub(super) fn write(
        &self,
        builds: Vec<BuildPlan>,
        plan: &IngestPlan,
        (indexed, state): (&[IndexedSource], &IndexState),
        caches: &Caches,
        writer: &mut IndexWriter,
        summary: &mut IngestSummary,
    ) -> Result<(), IndexerError> {
        let started = Instant::now();
        let same_embedder = state.same_embedder;
        let held: BTreeSet<&SourceId> = indexed.iter().map(|k| &k.source_id).collect();
        // A source whose changed file cannot be read stays as it was, if its vectors still fit.
        let (lost, stale): (Vec<_>, Vec<_>) = summary
            .failed_sources
            .iter()
            .filter(|id| held.contains(id) && !plan.removed.contains(id))
            .partition(|id| !same_embedder || state.damaged.contains(*id));
        for id in lost {
            let why = if state.damaged.contains(id) {
                "is damaged in the index"
            } else {
                "was embedded with another model"
            };
            self.reporter.warn(&format!(
                "{id} {why} and cannot be read again: it is left out of the index until it can"
            ));
        }
        let vectors = VectorSources::new(indexed, &builds, same_embedder);
        let mut progress = EmbedProgress::new(self.reporter, &builds, caches, same_embedder);
        let (unchanged, changed): (Vec<BuildPlan>, Vec<BuildPlan>) =
            builds.into_iter().partition(|build| build.unchanged);
        let unchanged = unchanged.iter().map(|build| &build.paper.source_id);
        let kept: Vec<SourceId> = stale.into_iter().chain(unchanged).cloned().collect();

        let mut sink: Box<dyn IndexSink + '_> = Box::new(writer.begin()?.with_graph(self.settings.graph));
        block_on(sink.keep(&kept))?;
        self.check_stop()?;
        for build in changed {
            let reports = (&mut *summary, &mut progress);
            let entry = self.build_source(&build, &vectors, &mut *sink, caches, reports)?;
            block_on(sink.add(entry))?;
            self.check_stop()?;
        }
        drop(progress);
        // The postings and the vector index are built here; their progress is not reported.
        let _writing = self.reporter.task("writing", "index", None);
        block_on(sink.commit())?;
        summary.embed_seconds = started.elapsed().as_secs_f64();
        Ok(())
    }
}
