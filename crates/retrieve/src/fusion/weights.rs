//! How much each list counts for a question.

use crate::SearchSettings;
use types::{Mode, Question, TermWeight, idf};

/// The share of rarity at which the weights stay as configured.
const NEUTRAL: f32 = 0.5;
/// How much less specific a question counts that asks across sources.
const ACROSS: f32 = 0.25;

/// The weights of both lists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// That of the vector list.
    pub vector: f32,
    /// That of the BM25 list.
    pub bm25: f32,
}

impl Weights {
    /// The weights of a mode. In hybrid mode the vectors weigh `shift` more than configured, and BM25 as much less;
    /// neither falls below 0.
    pub fn of(mode: Mode, settings: &SearchSettings, shift: f32) -> Self {
        let (vector, bm25) = match mode {
            Mode::Hybrid => (settings.vector_weight, settings.bm25_weight),
            Mode::Vector => (1.0, 0.0),
            Mode::Bm25 => (0.0, 1.0),
        };
        // Without a shift the weights are those of the settings to the last bit.
        if mode != Mode::Hybrid || shift == 0.0 {
            return Self { vector, bm25 };
        }
        let shift = shift.clamp(-vector, bm25);
        Self { vector: vector + shift, bm25: bm25 - shift }
    }
}

/// How much more the vectors weigh for this question, from `-most` for one of rare words, names and numbers to `most`
/// for one of common or unknown words. `terms` are those of the question, `chunks` the chunks of the index. 0 where BM25
/// has no terms.
pub fn shift(question: &Question, terms: &[TermWeight], chunks: usize, most: f32) -> f32 {
    if most <= 0.0 || terms.is_empty() {
        return 0.0;
    }
    let rarest = idf(chunks, 1);
    let names = |stem: &String| question.entities.iter().any(|entity| entity.stems.contains(stem));
    let share = |found: &TermWeight| {
        let is_name = names(&found.stem) || found.word.contains(|c: char| c.is_ascii_digit());
        match found.chunks {
            // BM25 cannot find what no chunk contains.
            0 => 0.0,
            _ if is_name => 1.0,
            _ => (found.idf / rarest).clamp(0.0, 1.0),
        }
    };
    let mean = terms.iter().map(share).sum::<f32>() / terms.len() as f32;
    let specific = if question.kind.across { mean - ACROSS } else { mean };
    most * ((NEUTRAL - specific) / NEUTRAL).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{Filter, QuestionKind};

    fn term(word: &str, chunks: usize) -> TermWeight {
        TermWeight {
            word: word.to_owned(),
            stem: word.to_owned(),
            chunks,
            idf: idf(1000, chunks),
            weight: 1.0,
        }
    }

    fn asked(terms: &[TermWeight], across: bool) -> f32 {
        let mut question = question::analyse("", Vec::new(), Mode::Hybrid, Filter::default());
        question.kind = QuestionKind { across, ..QuestionKind::default() };
        shift(&question, terms, 1000, 0.2)
    }

    #[test]
    fn rare_words_and_numbers_lean_to_bm25_and_common_or_unknown_ones_to_vectors() {
        assert!((asked(&[term("qzx", 1)], false) + 0.2).abs() < 1e-6);
        assert!((asked(&[term("il-6", 900)], false) + 0.2).abs() < 1e-6);
        assert!(asked(&[term("cells", 900)], false) > 0.15);
        assert!((asked(&[term("unknown", 0)], false) - 0.2).abs() < 1e-6);
        let mixed = [term("qzx", 1), term("cells", 900)];
        assert!(asked(&mixed, false).abs() < 0.02);
        assert!(asked(&mixed, true) > asked(&mixed, false) + 0.05);
        assert!(asked(&[], true).abs() < f32::EPSILON);
    }

    #[test]
    fn weights_stay_within_their_bounds() {
        let settings = SearchSettings::default();
        let check = |mode, shift, vector: f32, bm25: f32| {
            let found = Weights::of(mode, &settings, shift);
            let near = |a: f32, b: f32| (a - b).abs() < 1e-6;
            assert!(near(found.vector, vector) && near(found.bm25, bm25), "{found:?}");
        };
        check(Mode::Hybrid, 0.0, 0.6, 0.4);
        check(Mode::Hybrid, 0.3, 0.9, 0.1);
        check(Mode::Hybrid, 0.5, 1.0, 0.0);
        check(Mode::Hybrid, -0.9, 0.0, 1.0);
        check(Mode::Vector, -0.5, 1.0, 0.0);
        check(Mode::Bm25, 0.5, 0.0, 1.0);
    }
}
