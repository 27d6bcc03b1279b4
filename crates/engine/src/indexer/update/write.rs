//! Writes the next generation: what has not changed is kept, the rest is chunked, embedded and added, source by source.

use super::{
    build_plan::BuildPlan,
    plan::{IngestPlan, MetadataSource},
    run::Run,
    summary::{Failure, IngestSummary},
};
use crate::indexer::{
    IndexerError,
    cache::Cache,
    keys::SourceKey,
    vectors::{EmbeddingRequest, SourceVectors},
};
use ingest::chunk::Chunked;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};
use types::{Chunk, HeldSource, Reporter, SourceEntry, SourceId, SourceMeta, StoreWriter, Task, path_text};

/// A source with its chunks.
struct ChunkedSource {
    meta: SourceMeta,
    chunks: Vec<Chunk>,
    /// How many sentences its chunks have.
    sentences: usize,
}

impl Run<'_> {
    /// Writes and publishes the next generation.
    pub(super) fn write(
        &self,
        builds: Vec<BuildPlan>,
        plan: &IngestPlan,
        writer: &mut dyn StoreWriter,
        summary: &mut IngestSummary,
    ) -> Result<(), IndexerError> {
        let started = Instant::now();
        let held: BTreeSet<&SourceId> = self.planner.indexed.iter().map(HeldSource::source_id).collect();
        let unread = summary.failed_sources.iter();
        let stale = unread.filter(|id| held.contains(id) && !plan.removed.contains(id));
        // A source whose changed file cannot be read stays as it was, if it can be kept.
        let (stale, lost): (Vec<_>, Vec<_>) = stale.partition(|_| writer.can_keep());
        for id in lost {
            self.reporter.warn(&format!(
                "{id} cannot be kept as it is in the index and cannot be read again: it is left out until it can"
            ));
        }
        let mut progress = EmbedProgress::new(self.reporter, &builds, self.planner.cache);
        let (unchanged, changed): (Vec<BuildPlan>, Vec<BuildPlan>) =
            builds.into_iter().partition(|build| build.unchanged);
        let unchanged = unchanged.iter().map(|build| &build.paper.source_id);
        let kept: Vec<SourceId> = stale.into_iter().chain(unchanged).cloned().collect();

        let mut version = writer.begin()?;
        version.keep(&kept)?;
        self.check_stop()?;
        for build in changed {
            let entry = self.build_source(&build, summary, &mut progress)?;
            version.add(entry)?;
            self.check_stop()?;
        }
        drop(progress);
        // The postings and the vector index are built here; their progress is not reported.
        let _writing = self.reporter.task("writing", "index", None);
        version.commit()?;
        summary.embed_seconds = started.elapsed().as_secs_f64();
        Ok(())
    }

    /// The index's entry of a source: its document is chunked, and the texts whose vectors the cache has not are embedded.
    fn build_source(
        &self,
        build: &BuildPlan,
        summary: &mut IngestSummary,
        progress: &mut EmbedProgress,
    ) -> Result<SourceEntry, IndexerError> {
        let (paper, cache) = (&build.paper, self.planner.cache);
        let chunked = self.chunk_document(build, summary)?;
        if chunked.chunks.is_empty() {
            summary.empty.push(paper.shown());
        }
        let (embedder, dimension) = (self.embedder.id(), self.embedder.dimension());
        let mut cached = cache.vectors(embedder, &paper.hash, dimension);
        let request = EmbeddingRequest::new(&chunked.chunks, chunked.sentences, self.embedder)?;
        let missing = request.missing(&cached);
        self.reporter.file(&paper.path, "embedding", missing as u64, None);
        progress.begin(build, missing, cache);
        let embedded = request.embed(self.embedder, &mut cached, |vectors| {
            cache.add_vectors(embedder, &paper.hash, vectors).map_err(self.unsaved())?;
            progress.advance(vectors.len());
            self.check_stop()
        })?;
        self.reporter.file(&paper.path, "embedded", missing as u64, None);
        summary.stages.embed.done += embedded.texts;
        summary.embedded_texts += embedded.inputs;
        let passage = |(key, why)| {
            let chunk = request.chunk_of(key, &chunked.chunks)?;
            Some(((chunk.chunk_id.clone(), chunk.page_start), why))
        };
        let refused = embedded.refused.iter().map(|(key, why)| (key, why));
        let lacking: BTreeMap<_, _> = refused.rev().filter_map(passage).collect();
        summary.failed.extend(lacking.iter().map(|((passage, page), why)| Failure {
            path: paper.shown(),
            reason: format!("the passage {passage} (page {page}) is indexed without a vector, because the model refuses a text of it: {why}"),
        }));
        let SourceVectors { windows, window_vectors, sentence_vectors } =
            request.assemble(&cached, dimension);
        Ok(SourceEntry {
            meta: chunked.meta,
            key: if lacking.is_empty() { build.key.clone() } else { SourceKey::incomplete(&build.key) },
            path: path_text::encode(&paper.path),
            copies: paper.copies.iter().map(|path| path_text::encode(path)).collect(),
            record: paper.record.clone(),
            root: path_text::encode(&paper.root),
            ingested: self.now.clone(),
            chunks: chunked.chunks,
            windows,
            window_vectors,
            sentence_vectors,
        })
    }

    fn chunk_document(
        &self,
        build: &BuildPlan,
        summary: &mut IngestSummary,
    ) -> Result<ChunkedSource, IndexerError> {
        let paper = &build.paper;
        let cached = self.planner.cache;
        let mut document = cached
            .document(&paper.hash)
            .ok_or_else(|| IndexerError::DocumentGone { id: paper.source_id.clone() })?;
        match &paper.metadata {
            MetadataSource::Document => {}
            MetadataSource::Manifest(row) => row.apply(&mut document.meta),
            MetadataSource::Index(meta, _) => {
                let printed = std::mem::take(&mut document.meta.printed);
                document.meta.clone_from(meta);
                document.meta.printed = printed;
            }
        }
        document.meta.source_id = paper.source_id.clone();
        let Chunked { chunks, sentences } = ingest::chunk::chunk(&document, &self.planner.settings.chunking);
        for warning in &document.warnings {
            summary.warnings.push(format!("{}: {warning}", paper.source_id));
        }
        summary.stages.chunk.done += 1;
        Ok(ChunkedSource { meta: document.meta, chunks, sentences: sentences.len() })
    }
}

/// The progress of embedding. Until all papers are chunked, the number of texts in the others is estimated from the
/// size of their documents.
struct EmbedProgress {
    task: Box<dyn Task>,
    /// Papers that are begun, and all of them.
    papers: (usize, usize),
    /// Bytes of the documents of papers that are begun, and of the others.
    bytes: (u64, u64),
    /// Texts to embed in the papers that are begun.
    texts: u64,
}

impl EmbedProgress {
    /// The progress of building these sources. Unchanged ones have nothing to embed.
    fn new(reporter: &dyn Reporter, builds: &[BuildPlan], cache: &Cache) -> Self {
        let mut progress =
            Self { task: reporter.task("embedding", "texts", None), papers: (0, 0), bytes: (0, 0), texts: 0 };
        for build in builds.iter().filter(|build| !build.unchanged) {
            progress.papers.1 += 1;
            progress.bytes.1 += cache.document_bytes(&build.paper.hash);
        }
        progress
    }

    /// Records that a paper was chunked and `texts` of its texts are to be embedded.
    fn begin(&mut self, build: &BuildPlan, texts: usize, cache: &Cache) {
        let weight = cache.document_bytes(&build.paper.hash);
        self.papers.0 += 1;
        self.bytes = (self.bytes.0 + weight, self.bytes.1.saturating_sub(weight));
        self.texts += texts as u64;
        self.task.item(&format!("paper {} of {}", self.papers.0, self.papers.1));
        self.task.estimate(total(self.texts, self.bytes));
    }

    /// Records that `texts` more texts are embedded.
    fn advance(&self, texts: usize) {
        self.task.advance(texts as u64);
    }
}

/// The estimated number of all texts or pages, when documents of `done` bytes have `texts` and documents of `left` bytes remain.
pub(super) fn total(texts: u64, (done, left): (u64, u64)) -> u64 {
    match done {
        0 => texts,
        _ => texts + (u128::from(texts) * u128::from(left) / u128::from(done)) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_estimated_until_it_is_known() {
        assert_eq!(total(100, (1_000, 9_000)), 1_000);
        assert_eq!(total(1_050, (10_000, 0)), 1_050);
        assert_eq!(total(0, (0, 0)), 0);
        // Papers without texts to embed say nothing of the others.
        assert_eq!(total(0, (500, 500)), 0);
        assert_eq!(total(u64::MAX / 4, (2, 2)), u64::MAX / 2 - 1);
    }
}
