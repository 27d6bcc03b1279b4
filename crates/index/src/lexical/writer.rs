//! Builds the inverted index of a segment.

use super::fields::{FieldWords, TantivyFields};
use crate::IndexError;
use std::path::{Path, PathBuf};
use tantivy::{
    Index, IndexSettings, IndexWriter, TantivyDocument, directory::MmapDirectory, indexer::NoMergePolicy,
};

/// Memory for postings before they are written out.
const ARENA_BYTES: usize = 64 << 20;

/// A writer with one thread: documents are numbered in the order in which they come.
pub(crate) struct LexicalWriter {
    dir: PathBuf,
    index: Index,
    writer: IndexWriter,
    fields: TantivyFields,
}

impl LexicalWriter {
    /// Starts in `dir`, which exists and is empty.
    pub(crate) fn create(dir: &Path) -> Result<Self, IndexError> {
        let (schema, fields) = TantivyFields::new();
        let directory = MmapDirectory::open(dir).map_err(IndexError::text("open", dir))?;
        let index = Index::create(directory, schema, IndexSettings::default())
            .map_err(IndexError::text("create", dir))?;
        let writer: IndexWriter =
            index.writer_with_num_threads(1, ARENA_BYTES).map_err(IndexError::text("write", dir))?;
        // tantivy's own segments are merged once, at the end: no merge runs beside the writer.
        writer.set_merge_policy(Box::new(NoMergePolicy));
        Ok(Self { dir: dir.to_owned(), index, writer, fields })
    }

    /// Adds the chunk at this row, given by its text, the title of its source and its heading. Rows come in order, from 0.
    pub(crate) fn add(&mut self, row: usize, [text, title]: [&FieldWords; 2]) -> Result<(), IndexError> {
        let shared = text.shared(title);
        let mut document = TantivyDocument::default();
        let terms = [&text.stems, &title.stems, &shared, &text.words];
        for (field, terms) in self.fields.terms.into_iter().zip(terms) {
            if !terms.is_empty() {
                document.add_text(field, terms);
            }
        }
        document.add_u64(self.fields.row, row as u64);
        self.writer.add_document(document).map(drop).map_err(IndexError::text("write", &self.dir))
    }

    /// Writes everything out as one of tantivy's segments, whose documents are numbered as the rows.
    pub(crate) fn finish(self) -> Result<(), IndexError> {
        let Self { dir, index, mut writer, .. } = self;
        let mut build = || -> tantivy::Result<()> {
            writer.commit()?;
            let mut parts = Vec::new();
            for part in index.reader()?.searcher().segment_readers() {
                let rows = part.fast_fields().u64(TantivyFields::ROW)?;
                parts.push((rows.first(0), part.segment_id()));
            }
            parts.sort_unstable();
            if parts.len() > 1 {
                let parts: Vec<_> = parts.into_iter().map(|(_, part)| part).collect();
                writer.merge(&parts).wait()?;
            }
            Ok(())
        };
        build().map_err(IndexError::text("write", &dir))?;
        writer.wait_merging_threads().map_err(IndexError::text("write", &dir))?;
        // Its lock files mean nothing once the segment is immutable.
        for name in [".tantivy-writer.lock", ".tantivy-meta.lock"] {
            let path = dir.join(name);
            match std::fs::remove_file(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    return Err(IndexError::io("remove", path)(e));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
