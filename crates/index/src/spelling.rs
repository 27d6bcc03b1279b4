//! Words of the index that are spelt like one that it does not hold.

use crate::{
    Index, IndexError,
    lexical::{Field, STOP_MARK},
};
use std::{cmp::Reverse, collections::BTreeSet};
use types::{MetadataWords, Neighbour};

/// Letters of the shortest word that has neighbours: of shorter ones, most are.
const SHORTEST: usize = 4;
/// Letters from which two edits are one slip too many, and not another word.
const LONG: usize = 8;

impl Index {
    /// As [`types::Vocabulary::neighbours`], for one word.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn neighbours_of_word(&self, word: &str) -> Result<Vec<Neighbour>, IndexError> {
        let word = text::normal_form(word);
        let letters = word.chars().count();
        if letters < SHORTEST || !word.chars().all(char::is_alphabetic) || self.holds(&word)? {
            return Ok(Vec::new());
        }
        let distance = if letters < LONG { 1 } else { 2 };
        let mut keys = BTreeSet::new();
        for segment in &self.segments {
            segment.lexical.words_near(&word, distance, &mut keys)?;
            let marked = format!("{STOP_MARK}{word}");
            segment.lexical.words_near(&marked, distance, &mut keys)?;
        }
        let mut neighbours = Vec::new();
        for key in keys {
            let bare = key.trim_start_matches(STOP_MARK);
            let edits = strsim::osa_distance(&word, bare);
            let is_like = bare.chars().next() == word.chars().next()
                && bare.chars().all(char::is_alphabetic)
                && (1..=usize::from(distance)).contains(&edits)
                // Two letters more or less make another word more often than a slip: creatine, creatinine.
                && bare.chars().count().abs_diff(letters) <= 1;
            let is_stop_word = bare.len() < key.len();
            // "Waht" and "wich" are slips of "what" and "which", but "world" is none of "would".
            let replaces = bare.chars().count() == letters && !same_letters(&word, bare);
            if !is_like || (is_stop_word && replaces) {
                continue;
            }
            let chunks = self.frequency_in(Field::Words, &key)?;
            if chunks > 0 {
                neighbours.push(Neighbour { word: bare.to_owned(), distance: edits, chunks, is_stop_word });
            }
        }
        neighbours.sort_by(|one, other| {
            let rank = |n: &Neighbour| (n.distance, Reverse(n.chunks));
            rank(one).cmp(&rank(other)).then_with(|| one.word.cmp(&other.word))
        });
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

/// Whether two words have the same letters, in any order.
fn same_letters(one: &str, other: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(one) == sorted(other)
}
