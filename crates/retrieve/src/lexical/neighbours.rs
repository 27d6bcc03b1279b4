//! Words of the dictionary that are spelt like another.

use super::{Form, LexicalIndex, fields::STOP_MARK};
use crate::IndexError;
use std::collections::BTreeSet;
use tantivy::query::FuzzyTermQuery;
use types::ChunkField;

impl LexicalIndex {
    /// The words in the texts of chunks, dead ones included, within `distance` (1 or 2) of a word, which may be
    /// marked as a stop word: then only stop words are found, with their mark.
    pub(crate) fn words_near(
        &self,
        key: &str,
        distance: u8,
        found: &mut BTreeSet<String>,
    ) -> Result<(), IndexError> {
        let wanted = key.starts_with(STOP_MARK);
        let query = FuzzyTermQuery::new(self.term(Form::Word, ChunkField::Text, key), distance, true);
        for segment in self.segments() {
            let automaton = query
                .automaton()
                .map_err(IndexError::text("search", self.dir()))?;
            let dictionary = segment.inverted(Form::Word)[ChunkField::Text.index()].terms();
            let mut stream = dictionary
                .search(automaton)
                .into_stream()
                .map_err(IndexError::io("read", self.dir()))?;
            while stream.advance() {
                let word = String::from_utf8_lossy(stream.key());
                if word.starts_with(STOP_MARK) == wanted {
                    found.insert(word.into_owned());
                }
            }
        }
        Ok(())
    }
}
