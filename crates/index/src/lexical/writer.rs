//! Builds the inverted index of a segment.

use super::{
    PerField,
    fields::{FieldWords, Form, TantivyFields},
};
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
        let writer: IndexWriter = index
            .writer_with_num_threads(1, ARENA_BYTES)
            .map_err(IndexError::text("write", dir))?;
        // tantivy's own segments are merged once, at the end: no merge runs beside the writer.
        writer.set_merge_policy(Box::new(NoMergePolicy));
        Ok(Self {
            dir: dir.to_owned(),
            index,
            writer,
            fields,
        })
    }

    /// Adds the chunk at this row, given by its fields.
    pub(crate) fn add(&mut self, row: usize, words: PerField<&FieldWords>) -> Result<(), IndexError> {
        let mut document = TantivyDocument::default();
        for form in Form::ALL {
            for (field, words) in self.fields.of(form).into_iter().zip(words) {
                let text = match form {
                    Form::Stem => &words.stems,
                    Form::Word => &words.words,
                };
                if !text.is_empty() {
                    document.add_text(field, text);
                }
            }
        }
        document.add_u64(self.fields.row, row as u64);
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
