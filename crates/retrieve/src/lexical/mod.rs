//! The inverted index: BM25 over stems.
//!
//! Stems are made by `text::terms` on both sides, so that question, index and document frequencies agree; a
//! question is a bag of stems and never parsed as a query language. tantivy keeps dictionary and postings; the
//! score is computed here, because K1 and B are private constants of tantivy, because every candidate needs its
//! score whichever list found it, and because a chunk's length is stored exactly rather than in one byte.

mod bm25;
mod directory;
mod reader;
mod whitespace;
mod writer;

pub(crate) use bm25::{Bm25, idf};
pub(crate) use reader::LexicalIndex;
pub(crate) use whitespace::WhitespaceIndex;
pub(crate) use writer::LexicalWriter;

use std::collections::HashMap;
use tantivy::schema::{Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};
use types::Question;

/// A stem of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueryTerm {
    pub(crate) stem: String,
    /// How often it occurs in the question; each occurrence counts.
    pub(crate) count: u32,
}

/// The distinct stems of a question, in the order in which they first occur.
pub(crate) fn query_terms(question: &Question) -> Vec<QueryTerm> {
    let mut terms: Vec<QueryTerm> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for term in &question.terms {
        let place = *places.entry(term.stem.clone()).or_insert(terms.len());
        match terms.get_mut(place) {
            Some(known) => known.count += 1,
            None => terms.push(QueryTerm {
                stem: term.stem.clone(),
                count: 1,
            }),
        }
    }
    terms
}

/// The two fields of a document: its stems, and the row of its chunk.
fn schema() -> (Schema, Field, Field) {
    let mut builder = Schema::builder();
    // Documents come as stems with spaces between them; a stem holds none. Finished tokens would travel as JSON
    // inside tantivy.
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("whitespace")
        .set_index_option(IndexRecordOption::WithFreqs)
        .set_fieldnorms(false);
    let stems = builder.add_text_field("stems", TextOptions::default().set_indexing_options(indexing));
    let row = builder.add_u64_field("row", NumericOptions::default().set_fast());
    (builder.build(), stems, row)
}

#[cfg(test)]
mod tests {
    /// Segments keep the stems that they were written with, and a question is stemmed anew: both must agree.
    #[test]
    fn what_a_stem_is_belongs_to_the_format() {
        let text = "Walking 57.5 min/day improved VO2max in mice (p < 0.05); β-hydroxybutyrate's effects weren't studied.";
        let stems: Vec<String> = text::terms(text).into_iter().map(|term| term.stem).collect();
        assert_eq!(
            stems.join(" "),
            "walk 57.5 min day improv vo2max mice p 0.05 β hydroxybutyr effect",
            "text::terms has changed: raise disk::FORMAT, so that older segments are stemmed again"
        );
    }
}
