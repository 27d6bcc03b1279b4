//! Reads the inverted index of a segment.

use super::directory::ReadOnly;
use crate::IndexError;
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
    parts: Vec<TantivySegment>,
}

/// What tantivy calls a segment, and the chunk row of each of its documents. The writer merges all of them into one.
struct TantivySegment {
    inverted: Arc<InvertedIndexReader>,
    rows: Vec<u32>,
}

impl LexicalIndex {
    /// Opens the index of `chunks` chunks.
    pub(crate) fn open(dir: &Path, chunks: usize) -> Result<Self, IndexError> {
        let directory = MmapDirectory::open(dir).map_err(IndexError::text("open", dir))?;
        let (stems, parts) = open_parts(directory).map_err(IndexError::text("open", dir))?;
        let documents: usize = parts.iter().map(|part| part.rows.len()).sum();
        if documents != chunks {
            let reason = format!("it holds {documents} documents where the record counts {chunks} chunks");
            return Err(IndexError::damaged(dir, reason));
        }
        Ok(Self {
            dir: dir.to_owned(),
            stems,
            parts,
        })
    }

    /// The chunk row of each document.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.parts.iter().flat_map(|part| part.rows.iter().copied())
    }

    /// Number of parts.
    pub(crate) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The number of chunks that contain a stem, including chunks of dead sources.
    pub(crate) fn document_frequency(&self, stem: &str) -> Result<usize, IndexError> {
        let term = Term::from_field_text(self.stems, stem);
        let mut total = 0;
        for part in &self.parts {
            total += part
                .inverted
                .doc_freq(&term)
                .map_err(IndexError::io("read", &self.dir))? as usize;
        }
        Ok(total)
    }

    /// Calls `visit` with the row of each chunk that contains a stem, and how often the stem occurs in it.
    pub(crate) fn postings(&self, stem: &str, mut visit: impl FnMut(usize, u32)) -> Result<(), IndexError> {
        let term = Term::from_field_text(self.stems, stem);
        for part in &self.parts {
            let postings = part
                .inverted
                .read_postings(&term, IndexRecordOption::WithFreqs)
                .map_err(IndexError::io("read", &self.dir))?;
            let Some(mut postings) = postings else { continue };
            while postings.doc() != TERMINATED {
                if let Some(row) = part.rows.get(postings.doc() as usize) {
                    visit(*row as usize, postings.term_freq());
                }
                postings.advance();
            }
        }
        Ok(())
    }
}

fn open_parts(directory: MmapDirectory) -> tantivy::Result<(Field, Vec<TantivySegment>)> {
    let index = Index::open(ReadOnly(directory))?;
    let stems = index.schema().get_field("stems")?;
    let reader: tantivy::IndexReader = index
        .reader_builder()
        .reload_policy(ReloadPolicy::Manual)
        .try_into()?;
    let mut parts = Vec::new();
    for segment in reader.searcher().segment_readers() {
        let column = segment.fast_fields().u64("row")?;
        let row = |doc| {
            column
                .first(doc)
                .and_then(|row| u32::try_from(row).ok())
                .unwrap_or(u32::MAX)
        };
        let rows = (0..segment.max_doc()).map(row).collect();
        parts.push(TantivySegment {
            inverted: segment.inverted_index(stems)?,
            rows,
        });
    }
    Ok((stems, parts))
}
