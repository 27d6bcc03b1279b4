//! Reads the inverted index of a generation.

use super::{Bm25, QueryTerm, directory::ReadOnly, idf};
use crate::{Bm25Settings, IndexError, disk::ChunkRow};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tantivy::{
    DocSet, Index, InvertedIndexReader, ReloadPolicy, TERMINATED, Term,
    directory::MmapDirectory,
    postings::Postings,
    schema::{Field, IndexRecordOption},
};

/// Dictionary and postings, opened.
pub(crate) struct LexicalIndex {
    dir: PathBuf,
    stems: Field,
    segments: Vec<Segment>,
    chunks: usize,
    average: f32,
}

/// One segment and the chunk row of each of its documents.
struct Segment {
    inverted: Arc<InvertedIndexReader>,
    rows: Vec<u32>,
}

impl LexicalIndex {
    /// Opens the index of `chunks` chunks that hold `terms` terms together.
    pub(crate) fn open(dir: &Path, chunks: usize, terms: u64) -> Result<Self, IndexError> {
        let directory = MmapDirectory::open(dir).map_err(IndexError::text("open", dir))?;
        let (stems, segments) = open_segments(directory).map_err(IndexError::text("open", dir))?;
        let documents: usize = segments.iter().map(|s| s.rows.len()).sum();
        if documents != chunks {
            let reason = format!("it holds {documents} documents where the manifest counts {chunks} chunks");
            return Err(IndexError::damaged(dir, reason));
        }
        let average = if chunks == 0 {
            0.0
        } else {
            (terms as f64 / chunks as f64) as f32
        };
        Ok(Self {
            dir: dir.to_owned(),
            stems,
            segments,
            chunks,
            average,
        })
    }

    /// The chunk row of each document.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.segments
            .iter()
            .flat_map(|segment| segment.rows.iter().copied())
    }

    /// Number of segments; the writer merges all of a generation into one.
    pub(crate) fn segments(&self) -> usize {
        self.segments.len()
    }

    /// In how many chunks a stem stands.
    pub(crate) fn document_frequency(&self, stem: &str) -> Result<usize, IndexError> {
        let term = Term::from_field_text(self.stems, stem);
        let mut total = 0;
        for segment in &self.segments {
            total += segment
                .inverted
                .doc_freq(&term)
                .map_err(IndexError::io("read", &self.dir))? as usize;
        }
        Ok(total)
    }

    /// The weigher of this index's chunks.
    pub(crate) fn bm25(&self, settings: Bm25Settings) -> Bm25 {
        Bm25::new(settings, self.average)
    }

    /// The BM25 sum of every chunk, in the order of rows; above 0 exactly where a stem of the question stands.
    pub(crate) fn scores(
        &self,
        query: &[QueryTerm],
        chunks: &[ChunkRow],
        settings: Bm25Settings,
    ) -> Result<Vec<f32>, IndexError> {
        let bm25 = self.bm25(settings);
        let mut scores = vec![0.0; chunks.len()];
        // Term by term, in the order of the question: sums are the same bits on every run.
        for term in query {
            let n = self.document_frequency(&term.stem)?;
            if n == 0 {
                continue;
            }
            let idf = idf(self.chunks, n) * term.count as f32;
            let key = Term::from_field_text(self.stems, &term.stem);
            for segment in &self.segments {
                let postings = segment
                    .inverted
                    .read_postings(&key, IndexRecordOption::WithFreqs)
                    .map_err(IndexError::io("read", &self.dir))?;
                let Some(mut postings) = postings else { continue };
                while postings.doc() != TERMINATED {
                    let row = segment
                        .rows
                        .get(postings.doc() as usize)
                        .map_or(usize::MAX, |row| *row as usize);
                    if let (Some(score), Some(chunk)) = (scores.get_mut(row), chunks.get(row)) {
                        *score += bm25.weight(idf, postings.term_freq(), chunk.terms);
                    }
                    postings.advance();
                }
            }
        }
        Ok(scores)
    }
}

fn open_segments(directory: MmapDirectory) -> tantivy::Result<(Field, Vec<Segment>)> {
    let index = Index::open(ReadOnly(directory))?;
    let stems = index.schema().get_field("stems")?;
    let reader: tantivy::IndexReader = index
        .reader_builder()
        .reload_policy(ReloadPolicy::Manual)
        .try_into()?;
    let mut segments = Vec::new();
    for segment in reader.searcher().segment_readers() {
        let column = segment.fast_fields().u64("row")?;
        let row = |doc| {
            column
                .first(doc)
                .and_then(|row| u32::try_from(row).ok())
                .unwrap_or(u32::MAX)
        };
        let rows = (0..segment.max_doc()).map(row).collect();
        segments.push(Segment {
            inverted: segment.inverted_index(stems)?,
            rows,
        });
    }
    Ok((stems, segments))
}
