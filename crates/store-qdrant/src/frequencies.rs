//! How often a chunk holds each word: what its weights are made of, and its exact scores.

use crate::{QdrantError, error::Result};
use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD as BASE64};
use retrieve::stored::{Bm25, norm};
use types::ChunkField;

/// The fields that count.
const FIELDS: usize = ChunkField::ALL.len();

/// The words of a chunk, by the numbers that the dictionary gives their stems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frequencies {
    /// The words of each field, without stop words.
    pub(crate) lengths: [u32; FIELDS],
    /// For each stem, how often each field holds it; by number.
    pub(crate) terms: Vec<(u32, [u32; FIELDS])>,
}

impl Frequencies {
    /// As text: a payload holds no bytes.
    pub(crate) fn encode(&self) -> String {
        let mut bytes = Vec::with_capacity(self.terms.len() * 6 + 4);
        self.lengths.iter().for_each(|length| put(&mut bytes, *length));
        for (number, counts) in &self.terms {
            bytes.extend(number.to_le_bytes());
            for count in counts {
                put(&mut bytes, *count);
            }
        }
        BASE64.encode(bytes)
    }

    /// Reads what [`Self::encode`] wrote.
    pub(crate) fn decode(text: &str) -> Result<Self> {
        let damaged = || QdrantError::damaged("the words of a chunk", "they cannot be read");
        let bytes = BASE64.decode(text).map_err(|_| damaged())?;
        let mut rest = bytes.as_slice();
        let mut read = Self::default();
        for length in &mut read.lengths {
            *length = take(&mut rest).ok_or_else(damaged)?;
        }
        while let Some((number, after)) = rest.split_first_chunk::<4>() {
            rest = after;
            let mut counts = [0; FIELDS];
            for count in &mut counts {
                *count = take(&mut rest).ok_or_else(damaged)?;
            }
            read.terms.push((u32::from_le_bytes(*number), counts));
        }
        if rest.is_empty() { Ok(read) } else { Err(damaged()) }
    }

    /// How often each field that counts holds a stem.
    pub(crate) fn of(&self, number: u32, bm25: Bm25) -> [u32; FIELDS] {
        let found = self.terms.binary_search_by_key(&number, |(number, _)| *number);
        let mut counts = found.map_or([0; FIELDS], |at| self.terms[at].1);
        for field in ChunkField::ALL {
            if !bm25.counts(field) {
                counts[field.index()] = 0;
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
    pub(crate) fn weights(&self, bm25: Bm25, averages: [f32; FIELDS]) -> (Vec<u32>, Vec<f32>) {
        let weight = |(number, _): &(u32, _)| {
            let weight = self.score(self.of(*number, bm25), 1.0, bm25, averages);
            (weight > 0.0).then_some((*number, weight))
        };
        self.terms.iter().filter_map(weight).unzip()
    }
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(first & 0x7f).checked_shl(shift)?;
        if *first < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Frequencies {
        Frequencies { lengths: [300, 12], terms: vec![(7, [1, 0]), (900, [0, 2]), (u32::MAX, [130, 20_000])] }
    }

    #[test]
    fn what_is_written_is_read() {
        for words in [words(), Frequencies::default()] {
            assert_eq!(Frequencies::decode(&words.encode()).expect("reads"), words);
        }
        for damaged in ["", "x", "AAAB", "rALAAAAA", "/////////w"] {
            assert!(Frequencies::decode(damaged).is_err(), "{damaged}");
        }
    }

    #[test]
    fn weights_times_idf_are_scores() {
        let averages = [250.0, 9.0];
        for (title_weight, numbers) in [(2.0, vec![7, 900, u32::MAX]), (0.0, vec![7, u32::MAX])] {
            let (bm25, words) = (Bm25::new(title_weight), words());
            let (held, weights) = words.weights(bm25, averages);
            assert_eq!(held, numbers);
            for (number, weight) in held.into_iter().zip(weights) {
                let score = words.score(words.of(number, bm25), 3.5, bm25, averages);
                assert!((score - 3.5 * weight).abs() < 1e-5, "{number}");
            }
        }
    }
}
