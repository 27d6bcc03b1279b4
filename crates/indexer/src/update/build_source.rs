//! Builds one source: chunks and embeds it, reusing what the index already has.

use super::{
    build_plan::BuildPlan,
    embed_progress::EmbedProgress,
    plan::MetadataSource,
    run::Run,
    summary::{Failure, IngestSummary},
};
use crate::{
    IndexerError,
    caches::Caches,
    indexed::IndexedSource,
    keys::SourceKey,
    vectors::{EmbeddingRequest, SourceVectors, Vectors},
};
use ingest::chunk::Chunked;
use pollster::block_on;
use std::{collections::BTreeMap, sync::Arc};
use types::{Chunk, IndexSink, ReusableSource, SourceEntry, SourceId, SourceMeta, StoreError, path_text};

/// Sources of the index whose vectors can be reused: the same source, else one of the same content.
pub(super) struct VectorSources<'a> {
    /// Whether the vectors of the index were made by this run's embedder.
    pub(super) same_embedder: bool,
    /// Whether the index embeds the texts that this version does.
    same_texts: bool,
    by_content: BTreeMap<&'a str, &'a SourceId>,
}

impl<'a> VectorSources<'a> {
    /// `builds` are those of this run.
    pub(super) fn new(indexed: &'a [IndexedSource], builds: &[BuildPlan], same_embedder: bool) -> Self {
        let current = builds.iter().find_map(|build| SourceKey::read(&build.key));
        let same = |k: &IndexedSource| {
            let (old, new) = (SourceKey::read(&k.key), &current);
            old.zip(new.as_ref())
                .is_some_and(|(old, new)| old.same_texts(new))
        };
        Self {
            same_embedder,
            same_texts: indexed.iter().all(same),
            by_content: indexed.iter().map(|k| (k.content_hash(), &k.source_id)).collect(),
        }
    }

    fn find(
        &self,
        build: &BuildPlan,
        sink: &mut (dyn IndexSink + '_),
    ) -> Result<Option<ReusableSource>, StoreError> {
        if let Some(own) = block_on(sink.reusable(&build.paper.source_id))? {
            return Ok(Some(own));
        }
        match self.by_content.get(build.paper.hash.as_str()) {
            Some(id) => block_on(sink.reusable(id)),
            None => Ok(None),
        }
    }
}

/// A source with its chunks.
struct ChunkedSource {
    meta: SourceMeta,
    chunks: Vec<Chunk>,
    /// How many sentences its chunks have.
    sentences: usize,
}

impl Run<'_> {
    /// The index's entry of a source. Chunks are those that the index holds, or are made from the document; vectors
    /// come from the index and from unfinished runs, and the rest is embedded.
    pub(super) fn build_source(
        &self,
        build: &BuildPlan,
        sources: &VectorSources<'_>,
        sink: &mut (dyn IndexSink + '_),
        caches: &Caches,
        (summary, progress): (&mut IngestSummary, &mut EmbedProgress),
    ) -> Result<SourceEntry, IndexerError> {
        let paper = &build.paper;
        let mut stored = sources.find(build, sink)?;
        let chunked = match &stored {
            Some(stored) if build.same_chunks && stored.has_all_chunks() => reuse_chunks(stored),
            _ => self.chunk_document(build, caches, summary)?,
        };
        if chunked.chunks.is_empty() {
            summary.empty.push(paper.shown());
        }

        if let Some(stored) = &mut stored {
            stored.restore(&chunked.chunks);
        }
        let cache_key = self.vector_cache_key(&paper.hash);
        let dimension = self.embedder.dimension();
        let mut cached = caches.vectors(&cache_key, dimension);
        let stored = stored
            .filter(|_| sources.same_embedder)
            .map_or_else(Vectors::default, |stored| {
                Vectors::of_indexed(stored, self.embedder.pools_sentences(), sources.same_texts)
            });
        let request = EmbeddingRequest::new(&chunked.chunks, chunked.sentences, self.embedder)?;
        let missing = request.missing(&cached, &stored);
        progress.begin(build, missing, caches, sources.same_embedder);
        let embedded = request.embed(self.embedder, &mut cached, &stored, |vectors| {
            caches.add_vectors(&cache_key, vectors).map_err(IndexerError::io(
                "write to the cache in",
                &self.settings.index_dir,
            ))?;
            progress.advance(vectors.len());
            self.check_stop()
        })?;
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
        let SourceVectors {
            windows,
            window_vectors,
            sentence_vectors,
        } = request.assemble(&mut cached, &stored, dimension);
        Ok(SourceEntry {
            meta: chunked.meta,
            key: if lacking.is_empty() {
                build.key.clone()
            } else {
                SourceKey::incomplete(&build.key)
            },
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
        caches: &Caches,
        summary: &mut IngestSummary,
    ) -> Result<ChunkedSource, IndexerError> {
        let paper = &build.paper;
        let mut document = caches
            .document(&paper.hash)
            .ok_or_else(|| IndexerError::DocumentGone {
                id: paper.source_id.clone(),
            })?;
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
        let Chunked { chunks, sentences } = ingest::chunk::chunk(&document, &self.build.chunking);
        for warning in &document.warnings {
            summary.warnings.push(format!("{}: {warning}", paper.source_id));
        }
        summary.stages.chunk.done += 1;
        Ok(ChunkedSource {
            meta: document.meta,
            chunks,
            sentences: sentences.len(),
        })
    }
}

/// The chunks that the index has, if they are unchanged.
fn reuse_chunks(stored: &ReusableSource) -> ChunkedSource {
    ChunkedSource {
        meta: stored.meta.clone(),
        chunks: stored.chunks.iter().flatten().map(Arc::as_ref).cloned().collect(),
        sentences: stored.sentences.len(),
    }
}
