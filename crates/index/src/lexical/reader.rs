//! Reads the inverted index of a segment.

use super::{
    Field, Postings, SEARCHED,
    directory::ReadOnly,
    fields::{PerField, STOP_MARK, TantivyFields},
};
use crate::IndexError;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};
use tantivy::{
    Index, InvertedIndexReader, ReloadPolicy, TantivyError, Term, directory::MmapDirectory,
    query::FuzzyTermQuery, schema::IndexRecordOption,
};

/// Dictionary and postings, opened.
pub(crate) struct LexicalIndex {
    dir: PathBuf,
    fields: TantivyFields,
    lists: PerField<Arc<InvertedIndexReader>>,
}

impl LexicalIndex {
    /// Opens the index of `chunks` chunks.
    pub(crate) fn open(dir: &Path, chunks: usize) -> Result<Self, IndexError> {
        let directory = MmapDirectory::open(dir).map_err(IndexError::text("open", dir))?;
        let (fields, lists, documents) = open(directory).map_err(IndexError::text("open", dir))?;
        if documents != chunks {
            let reason = format!("it holds {documents} documents where the record counts {chunks} chunks");
            return Err(IndexError::damaged(dir, reason));
        }
        Ok(Self { dir: dir.to_owned(), fields, lists })
    }

    /// The rows of chunks of which a field contains a term, those of dead sources included; `None` if there are none.
    pub(crate) fn postings(&self, field: Field, key: &str) -> Result<Option<Postings>, IndexError> {
        let option =
            if SEARCHED.contains(&field) { IndexRecordOption::WithFreqs } else { IndexRecordOption::Basic };
        let found = self.lists[field.index()].read_block_postings(&self.term(field, key), option);
        Ok(found.map_err(IndexError::io("read", &self.dir))?.map(Postings::new))
    }

    /// The number of chunks of which a field contains a term, including those of dead sources.
    pub(crate) fn document_frequency(&self, field: Field, key: &str) -> Result<usize, IndexError> {
        let found = self.lists[field.index()].doc_freq(&self.term(field, key));
        Ok(found.map_err(IndexError::io("read", &self.dir))? as usize)
    }

    /// The words in the texts of chunks, dead ones included, within `distance` (1 or 2) of a word, which may be
    /// marked as a stop word: then only stop words are found, with their mark.
    pub(crate) fn words_near(
        &self,
        key: &str,
        distance: u8,
        found: &mut BTreeSet<String>,
    ) -> Result<(), IndexError> {
        let wanted = key.starts_with(STOP_MARK);
        let query = FuzzyTermQuery::new(self.term(Field::Words, key), distance, true);
        let automaton = query.automaton().map_err(IndexError::text("search", &self.dir))?;
        let mut stream = self.lists[Field::Words.index()]
            .terms()
            .search(automaton)
            .into_stream()
            .map_err(IndexError::io("read", &self.dir))?;
        while stream.advance() {
            let word = String::from_utf8_lossy(stream.key());
            if word.starts_with(STOP_MARK) == wanted {
                found.insert(word.into_owned());
            }
        }
        Ok(())
    }

    fn term(&self, field: Field, key: &str) -> Term {
        Term::from_field_text(self.fields.terms[field.index()], key)
    }
}

/// The fields, what belongs to each, and the number of documents.
fn open(
    directory: MmapDirectory,
) -> tantivy::Result<(TantivyFields, PerField<Arc<InvertedIndexReader>>, usize)> {
    let index = Index::open(ReadOnly(directory))?;
    let (schema, fields) = TantivyFields::new();
    if index.schema() != schema {
        let reason = "its fields are not those of this format".to_owned();
        return Err(TantivyError::SchemaError(reason));
    }
    let reader: tantivy::IndexReader =
        index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
    let searcher = reader.searcher();
    let part = match searcher.segment_readers() {
        [] => None,
        [part] => Some(part),
        parts => {
            let reason = format!("it has {} parts where one is written", parts.len());
            return Err(TantivyError::InvalidArgument(reason));
        }
    };
    let empty = || Arc::new(InvertedIndexReader::empty(IndexRecordOption::Basic));
    let mut lists: PerField<Arc<InvertedIndexReader>> = std::array::from_fn(|_| empty());
    if let Some(part) = part {
        for (list, field) in lists.iter_mut().zip(fields.terms) {
            *list = part.inverted_index(field)?;
        }
    }
    let documents = part.map_or(0, |part| part.max_doc() as usize);
    Ok((fields, lists, documents))
}
