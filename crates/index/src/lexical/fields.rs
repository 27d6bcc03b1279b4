//! The fields of a chunk in the inverted index.
//!
//! Stop words are marked in the dictionary: a search that leaves them out never meets them, whatever their stems.

use tantivy::schema::{
    Field as TantivyField, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};

/// What is indexed of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// The stems of its own text.
    Text,
    /// Those of the title of its source and of the heading that it stands under.
    Title,
    /// Stems of its text that the title has too, without stop words: how many chunks hold a stem in either field is known
    /// without reading postings.
    Shared,
    /// The words of its text as written, in lower case.
    Words,
}

impl Field {
    const ALL: [(Self, &str); 4] =
        [(Self::Text, "text"), (Self::Title, "title"), (Self::Shared, "shared"), (Self::Words, "words")];

    /// Its place among all fields, and of a searched one in [`SEARCHED`].
    pub(crate) fn index(self) -> usize {
        self as usize
    }
}

/// The fields that BM25 counts: [`types::ChunkField::ALL`].
pub(crate) const SEARCHED: [Field; 2] = [Field::Text, Field::Title];

/// One value for each field.
pub(super) type PerField<T> = [T; Field::ALL.len()];

/// Prefix of stop words in the term dictionary; no word contains it.
pub(crate) const STOP_MARK: char = '\u{1}';

/// The words of a text, ready to be indexed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldWords {
    /// Stems with spaces between them; no stem contains one. tantivy would serialise
    /// pre-tokenised text as JSON.
    pub(super) stems: String,
    /// The same words unstemmed.
    pub(super) words: String,
    /// Words that are not stop words.
    pub(crate) content: usize,
}

impl FieldWords {
    pub(crate) fn of(text: &str) -> Self {
        let mut out = Self::default();
        for word in text::indexed_words(text) {
            if word.is_stop_word {
                out.stems.push(STOP_MARK);
                out.words.push(STOP_MARK);
            } else {
                out.content += 1;
            }
            out.stems.push_str(&word.stem);
            out.stems.push(' ');
            out.words.push_str(&word.form);
            out.words.push(' ');
        }
        out
    }

    /// These words and others.
    pub(crate) fn and(&self, other: &Self) -> Self {
        Self {
            stems: format!("{}{}", self.stems, other.stems),
            words: format!("{}{}", self.words, other.words),
            content: self.content + other.content,
        }
    }

    /// The distinct stems that another text has too, without stop words.
    pub(super) fn shared(&self, other: &Self) -> String {
        let is_content = |stem: &&str| !stem.starts_with(STOP_MARK);
        let mut others: Vec<&str> = other.stems.split_ascii_whitespace().filter(is_content).collect();
        others.sort_unstable();
        others.dedup();
        let mut held = vec![false; others.len()];
        for stem in self.stems.split_ascii_whitespace() {
            if let Ok(at) = others.binary_search(&stem) {
                held[at] = true;
            }
        }
        let shared = others.into_iter().zip(held).filter(|(_, held)| *held);
        shared.flat_map(|(stem, _)| [stem, " "]).collect()
    }
}

/// A document's fields in tantivy.
#[derive(Clone, Copy, Debug)]
pub(super) struct TantivyFields {
    pub(super) terms: PerField<TantivyField>,
    /// The row of the chunk, which is the number of the document; to put parts that are written in order.
    pub(super) row: TantivyField,
}

impl TantivyFields {
    /// The schema of every segment, and its fields.
    pub(super) fn new() -> (Schema, Self) {
        let mut builder = Schema::builder();
        let terms = Field::ALL.map(|(field, name)| {
            let recorded = if SEARCHED.contains(&field) {
                IndexRecordOption::WithFreqs
            } else {
                IndexRecordOption::Basic
            };
            let indexing = TextFieldIndexing::default()
                .set_tokenizer("whitespace")
                .set_index_option(recorded)
                .set_fieldnorms(false);
            builder.add_text_field(name, TextOptions::default().set_indexing_options(indexing))
        });
        let row = builder.add_u64_field(Self::ROW, NumericOptions::default().set_fast());
        (builder.build(), Self { terms, row })
    }

    /// The name of the row.
    pub(super) const ROW: &str = "row";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_stems_are_counted_once() {
        let check = |text: &str, title: &str, wanted: &str| {
            assert_eq!(FieldWords::of(text).shared(&FieldWords::of(title)), wanted, "{text}");
        };
        check("the mice walk and walked in mazes", "Walking mice in the dark: mice", "mice walk ");
        check("the cat", "the dog", "");
        check("", "mice", "");
    }
}
