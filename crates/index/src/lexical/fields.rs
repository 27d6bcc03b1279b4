//! The fields of a chunk: its own text, the title of its source and the heading that it stands under.
//!
//! The index holds every word of a field twice, stemmed and unstemmed, so that each search can
//! choose. Stop words are marked in the dictionary: a search that leaves them out never meets them, whatever
//! their stems.

use tantivy::schema::{
    Field as TantivyField, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};

/// A part of a chunk that is indexed by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// Its own text.
    Text,
    /// The title of its source.
    Title,
    /// The heading that it stands under: it says which words the index holds, and is not searched.
    Heading,
}

impl Field {
    const NAMES: PerField<&str> = ["text", "title", "heading"];

    /// Its place in a [`PerField`], and of a searched one in [`SEARCHED`].
    pub(crate) fn index(self) -> usize {
        self as usize
    }
}

/// The fields that BM25 counts: [`types::ChunkField::ALL`].
pub(crate) const SEARCHED: [Field; 2] = [Field::Text, Field::Title];

/// One value for each field.
pub(crate) type PerField<T> = [T; 3];

/// Prefix of stop words in the term dictionary; no word contains it.
pub(crate) const STOP_MARK: char = '\u{1}';

/// How words are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// By their stems.
    Stem,
    /// As written, in lower case.
    Word,
}

impl Form {
    pub(crate) const ALL: [Self; 2] = [Self::Stem, Self::Word];
}

/// The words of one field of one chunk, ready to be indexed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldWords {
    /// Stems with spaces between them; no stem contains one. tantivy would serialise
    /// pre-tokenised text as JSON.
    pub(super) stems: String,
    /// The same words unstemmed.
    pub(super) words: String,
    /// Words that are not stop words.
    pub(crate) content: usize,
    /// Stop words.
    pub(crate) stop_words: usize,
}

impl FieldWords {
    pub(crate) fn of(text: &str) -> Self {
        let mut out = Self::default();
        for word in text::indexed_words(text) {
            let count = if word.is_stop_word {
                out.stems.push(STOP_MARK);
                out.words.push(STOP_MARK);
                &mut out.stop_words
            } else {
                &mut out.content
            };
            *count += 1;
            out.stems.push_str(&word.stem);
            out.stems.push(' ');
            out.words.push_str(&word.form);
            out.words.push(' ');
        }
        out
    }
}

/// A document's fields in tantivy.
#[derive(Clone, Copy, Debug)]
pub(super) struct TantivyFields {
    stems: PerField<TantivyField>,
    words: PerField<TantivyField>,
    /// The row of the chunk.
    pub(super) row: TantivyField,
}

impl TantivyFields {
    /// The schema of every segment, and its fields.
    pub(super) fn new() -> (Schema, Self) {
        let mut builder = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("whitespace")
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(false);
        let options = TextOptions::default().set_indexing_options(indexing);
        let mut add = |form: &str| {
            Field::NAMES.map(|field| builder.add_text_field(&format!("{field}_{form}"), options.clone()))
        };
        let (stems, words) = (add("stems"), add("words"));
        let row = builder.add_u64_field("row", NumericOptions::default().set_fast());
        (builder.build(), Self { stems, words, row })
    }

    pub(super) fn of(&self, form: Form) -> PerField<TantivyField> {
        match form {
            Form::Stem => self.stems,
            Form::Word => self.words,
        }
    }
}
