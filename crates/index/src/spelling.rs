//! Words of the index that are spelt like one that it does not hold.

use crate::{
    Index, IndexError,
    lexical::{Field, STOP_MARK},
};
use retrieve::stored::{Misspelt, nearest_first};
use std::collections::BTreeSet;
use types::{MetadataWords, Neighbour};

impl Index {
    /// As [`types::Vocabulary::neighbours`], for one word.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn neighbours_of_word(&self, word: &str) -> Result<Vec<Neighbour>, IndexError> {
        let Some(asked) = Misspelt::new(word) else {
            return Ok(Vec::new());
        };
        if self.holds(&asked.word)? {
            return Ok(Vec::new());
        }
        let mut keys = BTreeSet::new();
        for segment in &self.segments {
            segment.lexical.words_near(&asked.word, asked.distance, &mut keys)?;
            let marked = format!("{STOP_MARK}{}", asked.word);
            segment.lexical.words_near(&marked, asked.distance, &mut keys)?;
        }
        let mut neighbours = Vec::new();
        for key in keys {
            let bare = key.trim_start_matches(STOP_MARK);
            let is_stop_word = bare.len() < key.len();
            let Some(distance) = asked.edits(bare, is_stop_word) else {
                continue;
            };
            let chunks = self.frequency_in(Field::Words, &key)?;
            if chunks > 0 {
                neighbours.push(Neighbour { word: bare.to_owned(), distance, chunks, is_stop_word });
            }
        }
        nearest_first(&mut neighbours);
        Ok(neighbours)
    }

    /// Whether a chunk or the metadata of a source holds the word, in any form.
    fn holds(&self, word: &str) -> Result<bool, IndexError> {
        let stem = text::stem(word);
        if self.document_frequency(&stem)? > 0 {
            return Ok(true);
        }
        for segment in &self.segments {
            if segment.lexical.document_frequency(Field::Title, &stem)? > 0 {
                return Ok(true);
            }
        }
        let words = MetadataWords { stems: vec![stem], limit: 1 };
        Ok(!self.sources_containing(&[words]).is_empty())
    }
}
