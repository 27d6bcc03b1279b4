//! How often a chunk holds each word: what its weights are made of, and its exact scores.

use crate::{
    QdrantError,
    error::Result,
    wire::{Fields, text_of},
};
use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD as BASE64};
use prost::Message;
use retrieve::stored::{Bm25, norm};
use types::ChunkField;

/// The fields that count.
const FIELDS: usize = ChunkField::ALL.len();

/// The words of a chunk, by the numbers that the table of words gives their stems.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Frequencies {
    /// The words of each field, without stop words.
    #[prost(uint32, repeated, tag = "1")]
    lengths: Vec<u32>,
    /// The numbers of its stems, in order.
    #[prost(fixed32, repeated, tag = "2")]
    numbers: Vec<u32>,
    /// How often each field holds each stem, field by field.
    #[prost(uint32, repeated, tag = "3")]
    counts: Vec<u32>,
}

impl Frequencies {
    /// Those of a chunk, given how often each field holds each stem; by number.
    pub(crate) fn new(lengths: [u32; FIELDS], mut terms: Vec<(u32, [u32; FIELDS])>) -> Self {
        terms.sort_unstable();
        let of = |field: usize| terms.iter().map(move |(_, counts)| counts[field]);
        Self {
            lengths: lengths.to_vec(),
            numbers: terms.iter().map(|(number, _)| *number).collect(),
            counts: (0..FIELDS).flat_map(of).collect(),
        }
    }

    /// As text: a payload holds no bytes.
    pub(crate) fn encode(&self) -> String {
        BASE64.encode(self.encode_to_vec())
    }

    /// Reads what [`Self::encode`] wrote, from the point of a chunk.
    pub(crate) fn of_fields(fields: &Fields) -> Result<Self> {
        let bytes = BASE64.decode(text_of(fields, "frequencies")?).ok();
        let read = bytes.and_then(|bytes| <Self as Message>::decode(bytes.as_slice()).ok());
        let is_whole =
            |read: &Self| read.lengths.len() == FIELDS && read.counts.len() == FIELDS * read.numbers.len();
        read.filter(is_whole)
            .ok_or_else(|| QdrantError::damaged("the words of a chunk", "they cannot be read"))
    }

    /// The words of each field, without stop words.
    pub(crate) fn lengths(&self) -> [u32; FIELDS] {
        std::array::from_fn(|field| self.lengths[field])
    }

    /// How often each field that counts holds a stem.
    pub(crate) fn of(&self, number: u32, bm25: Bm25) -> [u32; FIELDS] {
        let mut counts = [0; FIELDS];
        if let Ok(at) = self.numbers.binary_search(&number) {
            for field in ChunkField::ALL.into_iter().filter(|field| bm25.counts(*field)) {
                counts[field.index()] = self.counts[field.index() * self.numbers.len() + at];
            }
        }
        counts
    }

    /// What BM25 gives these counts in this chunk, `weight` being the idf of the term times its weight in the question.
    pub(crate) fn score(
        &self,
        counts: [u32; FIELDS],
        weight: f32,
        bm25: Bm25,
        averages: [f32; FIELDS],
    ) -> f32 {
        let part = |field: ChunkField| {
            let at = field.index();
            bm25.part(field, counts[at], norm(self.lengths[at], averages[at]))
        };
        Bm25::saturate(weight, ChunkField::ALL.into_iter().map(part).sum())
    }

    /// The sparse vector of the chunk: numbers of stems and their weights.
    pub(crate) fn weights(&self, bm25: Bm25, averages: [f32; FIELDS]) -> Vec<(u32, f32)> {
        let weight = |number: &u32| (*number, self.score(self.of(*number, bm25), 1.0, bm25, averages));
        self.numbers.iter().map(weight).filter(|(_, weight)| *weight > 0.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Frequencies {
        Frequencies::new([300, 12], vec![(900, [0, 2]), (7, [1, 0]), (u32::MAX, [130, 20_000])])
    }

    fn read(text: &str) -> Result<Frequencies> {
        Frequencies::of_fields(&crate::wire::payload([("frequencies", text.into())]))
    }

    #[test]
    fn what_is_written_is_read() {
        for words in [words(), Frequencies::new([0; 2], Vec::new())] {
            assert_eq!(read(&words.encode()).expect("reads"), words);
        }
        let short = Frequencies { counts: vec![1], ..words() }.encode();
        for damaged in ["", "x", "AAAB", "/////////w", &short] {
            assert!(read(damaged).is_err(), "{damaged}");
        }
    }

    #[test]
    fn weights_times_idf_are_scores() {
        let averages = [250.0, 9.0];
        for (title_weight, numbers) in [(2.0, vec![7, 900, u32::MAX]), (0.0, vec![7, u32::MAX])] {
            let (bm25, words) = (Bm25::new(title_weight), words());
            let weights = words.weights(bm25, averages);
            assert_eq!(weights.iter().map(|(number, _)| *number).collect::<Vec<_>>(), numbers);
            for (number, weight) in weights {
                let score = words.score(words.of(number, bm25), 3.5, bm25, averages);
                assert!((score - 3.5 * weight).abs() < 1e-5, "{number}");
            }
        }
    }
}
