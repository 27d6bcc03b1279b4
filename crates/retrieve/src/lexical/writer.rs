//! Builds the inverted index of a segment.

use super::schema;
use crate::IndexError;
use std::path::{Path, PathBuf};
use tantivy::{
    Index, IndexSettings, IndexWriter, TantivyDocument, directory::MmapDirectory, indexer::NoMergePolicy,
    schema::Field,
};

/// Memory for postings before they are written out.
const ARENA_BYTES: usize = 64 << 20;

/// A writer with one thread: documents are numbered in the order in which they come.
pub(crate) struct LexicalWriter {
    dir: PathBuf,
    index: Index,
    writer: IndexWriter,
    stems: Field,
    row: Field,
}

impl LexicalWriter {
    /// Starts in `dir`, which exists and is empty.
    pub(crate) fn create(dir: &Path) -> Result<Self, IndexError> {
        let (schema, stems, row) = schema();
        let directory = MmapDirectory::open(dir).map_err(IndexError::text("open", dir))?;
        let index = Index::create(directory, schema, IndexSettings::default())
            .map_err(IndexError::text("create", dir))?;
        let writer: IndexWriter = index
            .writer_with_num_threads(1, ARENA_BYTES)
            .map_err(IndexError::text("write", dir))?;
        // tantivy's own segments are merged once, at the end: no merge runs beside the writer.
        writer.set_merge_policy(Box::new(NoMergePolicy));
        Ok(Self {
            dir: dir.to_owned(),
            index,
            writer,
            stems,
            row,
        })
    }

    pub(crate) fn add(&mut self, row: usize, terms: &[text::Term]) -> Result<(), IndexError> {
        let mut stems = String::new();
        for term in terms {
            stems.push_str(&term.stem);
            stems.push(' ');
        }
        let mut document = TantivyDocument::default();
        document.add_text(self.stems, stems);
        document.add_u64(self.row, row as u64);
        self.writer
            .add_document(document)
            .map(drop)
            .map_err(IndexError::text("write", &self.dir))
    }

    /// Writes everything out as one of tantivy's segments.
    pub(crate) fn finish(self) -> Result<(), IndexError> {
        let Self {
            dir,
            index,
            mut writer,
            ..
        } = self;
        let mut build = || -> tantivy::Result<()> {
            writer.commit()?;
            let segments = index.searchable_segment_ids()?;
            if segments.len() > 1 {
                writer.merge(&segments).wait()?;
            }
            Ok(())
        };
        build().map_err(IndexError::text("write", &dir))?;
        writer
            .wait_merging_threads()
            .map_err(IndexError::text("write", &dir))?;
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
