//! Reads the inverted index of a segment.

use super::{
    Field, Form, PerField,
    directory::ReadOnly,
    fields::{STOP_MARK, TantivyFields},
};
use crate::IndexError;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};
use tantivy::{
    DocSet, Index, InvertedIndexReader, ReloadPolicy, Term,
    directory::MmapDirectory,
    postings::{BlockSegmentPostings, Postings},
    query::FuzzyTermQuery,
    schema::IndexRecordOption,
};

/// Dictionary and postings, opened.
pub(crate) struct LexicalIndex {
    dir: PathBuf,
    fields: TantivyFields,
    parts: Vec<TantivySegment>,
}

/// What tantivy calls a segment, and the chunk row of each of its documents. The writer merges all of them into one.
struct TantivySegment {
    stems: PerField<Arc<InvertedIndexReader>>,
    words: PerField<Arc<InvertedIndexReader>>,
    rows: Vec<u32>,
    /// Its documents with their rows, by row.
    documents: Vec<(u32, u32)>,
}

impl TantivySegment {
    fn inverted(&self, form: Form) -> &PerField<Arc<InvertedIndexReader>> {
        match form {
            Form::Stem => &self.stems,
            Form::Word => &self.words,
        }
    }
}

impl LexicalIndex {
    /// Opens the index of `chunks` chunks.
    pub(crate) fn open(dir: &Path, chunks: usize) -> Result<Self, IndexError> {
        let directory = MmapDirectory::open(dir).map_err(IndexError::text("open", dir))?;
        let (fields, parts) = open_parts(directory).map_err(IndexError::text("open", dir))?;
        let documents: usize = parts.iter().map(|part| part.rows.len()).sum();
        if documents != chunks {
            let reason = format!("it holds {documents} documents where the record counts {chunks} chunks");
            return Err(IndexError::damaged(dir, reason));
        }
        Ok(Self {
            dir: dir.to_owned(),
            fields,
            parts,
        })
    }

    /// The number of chunks of which a field contains a key, including chunks of dead sources.
    pub(crate) fn document_frequency(
        &self,
        form: Form,
        field: Field,
        key: &str,
    ) -> Result<usize, IndexError> {
        let term = self.term(form, field, key);
        let mut total = 0;
        for part in &self.parts {
            let inverted = &part.inverted(form)[field.index()];
            total += inverted
                .doc_freq(&term)
                .map_err(IndexError::io("read", &self.dir))? as usize;
        }
        Ok(total)
    }

    /// Calls `visit` with the row of each chunk of which a field contains a key, chunks of dead sources included, and how
    /// often it does.
    pub(crate) fn postings(
        &self,
        form: Form,
        field: Field,
        key: &str,
        mut visit: impl FnMut(usize, u32),
    ) -> Result<(), IndexError> {
        let term = self.term(form, field, key);
        for part in &self.parts {
            let postings = part.inverted(form)[field.index()]
                .read_block_postings(&term, IndexRecordOption::WithFreqs)
                .map_err(IndexError::io("read", &self.dir))?;
            let Some(mut postings) = postings else { continue };
            each(&mut postings, |document, frequency| {
                if let Some(row) = part.rows.get(document as usize) {
                    visit(*row as usize, frequency);
                }
            });
        }
        Ok(())
    }

    /// Calls `visit` with the place of each of these rows of which a field contains a key, and how often it does.
    pub(crate) fn occurrences(
        &self,
        form: Form,
        field: Field,
        key: &str,
        rows: &[(usize, usize)],
        mut visit: impl FnMut(usize, u32),
    ) -> Result<(), IndexError> {
        let term = self.term(form, field, key);
        for part in &self.parts {
            let postings = part.inverted(form)[field.index()]
                .read_postings(&term, IndexRecordOption::WithFreqs)
                .map_err(IndexError::io("read", &self.dir))?;
            let Some(mut postings) = postings else { continue };
            let document = |(row, place): &(usize, usize)| {
                let row = u32::try_from(*row).ok()?;
                let at = part.documents.binary_search_by_key(&row, |(row, _)| *row).ok()?;
                Some((part.documents.get(at)?.1, *place))
            };
            let mut documents: Vec<(u32, usize)> = rows.iter().filter_map(document).collect();
            documents.sort_unstable();
            for (document, place) in documents {
                if postings.doc() < document {
                    postings.seek(document);
                }
                if postings.doc() == document {
                    visit(place, postings.term_freq());
                }
            }
        }
        Ok(())
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
        let query = FuzzyTermQuery::new(self.term(Form::Word, Field::Text, key), distance, true);
        for segment in &self.parts {
            let automaton = query.automaton().map_err(IndexError::text("search", &self.dir))?;
            let dictionary = segment.inverted(Form::Word)[Field::Text.index()].terms();
            let mut stream = dictionary
                .search(automaton)
                .into_stream()
                .map_err(IndexError::io("read", &self.dir))?;
            while stream.advance() {
                let word = String::from_utf8_lossy(stream.key());
                if word.starts_with(STOP_MARK) == wanted {
                    found.insert(word.into_owned());
                }
            }
        }
        Ok(())
    }

    fn term(&self, form: Form, field: Field, key: &str) -> Term {
        Term::from_field_text(self.fields.of(form)[field.index()], key)
    }
}

/// Calls `visit` with each document of a list and how often it holds the term.
fn each(list: &mut BlockSegmentPostings, mut visit: impl FnMut(u32, u32)) {
    loop {
        let (documents, frequencies) = (list.docs(), list.freqs());
        if documents.is_empty() {
            return;
        }
        for (document, frequency) in documents.iter().zip(frequencies) {
            visit(*document, *frequency);
        }
        list.advance();
    }
}

fn open_parts(directory: MmapDirectory) -> tantivy::Result<(TantivyFields, Vec<TantivySegment>)> {
    let index = Index::open(ReadOnly(directory))?;
    let (schema, fields) = TantivyFields::new();
    if index.schema() != schema {
        let reason = "its fields are not those of this format".to_owned();
        return Err(tantivy::TantivyError::SchemaError(reason));
    }
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
        let inverted = |form| -> tantivy::Result<PerField<Arc<InvertedIndexReader>>> {
            let [text, title, heading] = fields.of(form);
            Ok([
                segment.inverted_index(text)?,
                segment.inverted_index(title)?,
                segment.inverted_index(heading)?,
            ])
        };
        let rows: Vec<u32> = (0..segment.max_doc()).map(row).collect();
        let mut documents: Vec<(u32, u32)> = rows.iter().copied().zip(0..).collect();
        documents.sort_unstable();
        parts.push(TantivySegment {
            stems: inverted(Form::Stem)?,
            words: inverted(Form::Word)?,
            rows,
            documents,
        });
    }
    Ok((fields, parts))
}
