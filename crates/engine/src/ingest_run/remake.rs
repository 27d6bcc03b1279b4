//! One source made anew: cut and embedded, as far as the index does not hold the result already.

use super::{
    Run,
    caches::Caches,
    course::Course,
    making::Work,
    plan::{Known, Told},
    summary::IngestSummary,
    vectors::{Vectors, Wanted},
};
use crate::error::EngineError;
use ingest::chunk::Chunked;
use retrieve::{Generation, HeldSource, SourceEntry};
use std::{collections::BTreeMap, sync::Arc};
use types::{Chunk, SourceId, SourceMeta, path_text};

/// Where vectors of a source may come from: the same source in the index, else one of the same content.
pub(super) struct Donors<'a> {
    /// Whether vectors of the index are of this run's embedder.
    pub(super) same_embedder: bool,
    by_content: BTreeMap<&'a str, &'a SourceId>,
}

impl<'a> Donors<'a> {
    pub(super) fn new(known: &'a [Known], same_embedder: bool) -> Self {
        Self {
            same_embedder,
            by_content: known.iter().map(|k| (k.content_hash(), &k.source_id)).collect(),
        }
    }

    fn held(&self, work: &Work, generation: &Generation<'_>) -> Option<HeldSource> {
        let own = generation.held(&work.paper.source_id);
        own.or_else(|| generation.held(self.by_content.get(work.paper.hash.as_str())?))
    }
}

/// A source that is cut.
struct Cut {
    meta: SourceMeta,
    chunks: Vec<Chunk>,
    /// How many sentences its chunks number.
    sentences: usize,
}

impl Run<'_> {
    /// What the index takes of a source: its chunks as the index holds them or cut from its document, its vectors
    /// as far as the index or an unfinished run has them.
    pub(super) fn remake(
        &self,
        work: &Work,
        donors: &Donors<'_>,
        generation: &Generation<'_>,
        caches: &Caches,
        (summary, course): (&mut IngestSummary, &mut Course),
    ) -> Result<SourceEntry, EngineError> {
        let paper = &work.paper;
        let mut held = donors.held(work, generation);
        let cut = match &held {
            Some(held) if work.cut && held.has_all_chunks() => taken_over(held),
            _ => self.cut(work, caches, summary)?,
        };
        if cut.chunks.is_empty() {
            summary.empty.push(paper.shown());
        }

        if let Some(held) = &mut held {
            held.restore(&cut.chunks);
        }
        let pack = self.pack_key(&paper.hash);
        let dimension = self.embedder.dimension();
        let mut kept = caches.vectors(&pack, dimension);
        let held = held
            .filter(|_| donors.same_embedder)
            .map_or_else(Vectors::default, Vectors::held);
        let wanted = Wanted::of(&cut.chunks, cut.sentences, self.embedder)?;
        let missing = wanted.missing(&kept, &held);
        course.begin(work, missing, caches, donors.same_embedder);
        let embedded = wanted.embed(self.embedder, &mut kept, &held, |vectors| {
            caches
                .add_vectors(&pack, dimension, vectors)
                .map_err(EngineError::io("write to the cache in", &self.settings.index.dir))?;
            course.advance(vectors.len());
            self.check_stop()
        })?;
        summary.stages.embed.done += embedded.texts;
        summary.embedded_texts += embedded.inputs;
        let (windows, window_vectors, sentence_vectors) = wanted.assemble(&mut kept, &held);
        Ok(SourceEntry {
            meta: cut.meta,
            key: work.key.clone(),
            path: path_text::encode(&paper.path),
            record: paper.record.clone(),
            root: path_text::encode(&paper.root),
            ingested: self.now.clone(),
            chunks: cut.chunks,
            windows,
            window_vectors,
            sentence_vectors,
        })
    }

    fn cut(&self, work: &Work, caches: &Caches, summary: &mut IngestSummary) -> Result<Cut, EngineError> {
        let paper = &work.paper;
        let mut document = caches.document(&paper.hash).ok_or_else(|| {
            EngineError::Message(format!(
                "the parsed text of {} is gone from the cache; run again",
                paper.source_id
            ))
        })?;
        match &paper.told {
            Told::Document => {}
            Told::Manifest(row) => row.apply(&mut document.meta),
            Told::Index(meta, _) => document.meta.clone_from(meta),
        }
        document.meta.source_id = paper.source_id.clone();
        let Chunked { chunks, sentences } = ingest::chunk::chunk(&document, &self.making.chunking);
        for warning in &document.warnings {
            summary.warnings.push(format!("{}: {warning}", paper.source_id));
        }
        summary.stages.chunk.done += 1;
        Ok(Cut {
            meta: document.meta,
            chunks,
            sentences: sentences.len(),
        })
    }
}

/// The chunks of the index, of which nothing changed.
fn taken_over(held: &HeldSource) -> Cut {
    Cut {
        meta: held.record.meta.clone(),
        chunks: held.chunks.iter().flatten().map(Arc::as_ref).cloned().collect(),
        sentences: held.sentences.len(),
    }
}
