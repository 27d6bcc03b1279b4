//! A sentence, and the probability that it answers: by gradient-boosted trees (Friedman 2001), as LightGBM fits them.

use crate::SentenceFeatures;
use crate::trees::{Forest, logistic};
use types::Context;

/// The probability that a sentence with these features answers the question, 0 to 1; 0 for what is never quoted.
pub(crate) fn probability(fitted: &Forest, features: &SentenceFeatures) -> f32 {
    if features.well_formed <= 0.0 {
        return 0.0;
    }
    logistic(fitted.logit(&features.values()))
}

/// A sentence of a context, measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The index of its chunk in the context.
    pub chunk: usize,
    /// Its index in the chunk.
    pub sentence: usize,
    /// Its features.
    pub features: SentenceFeatures,
    /// The probability that it answers the question, 0 to 1; 0 for what is never quoted.
    pub probability: f32,
}

impl Measured {
    /// Its place in the context: its chunk, and its index there.
    pub fn place(&self) -> (usize, usize) {
        (self.chunk, self.sentence)
    }

    /// Its text in that context; a row of a table with what stands above it.
    pub fn text(&self, context: &Context) -> String {
        let chunk = &context.chunks[self.chunk].chunk;
        match chunk.table_row(self.sentence) {
            Some(row) => row.with_context(),
            None => chunk.sentence(&chunk.sentences[self.sentence]).to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_and_covering_sentences_are_more_likely() {
        let near = SentenceFeatures {
            cosine: 0.8,
            coverage: 1.0,
            mix: 0.9,
            around: 1.0,
            words: 20.0,
            well_formed: 1.0,
            matched: 5.0,
            question_terms: 5.0,
            rerank: 0.9,
            ..SentenceFeatures::default()
        };
        let far = SentenceFeatures {
            cosine: 0.1,
            cosine_behind: 0.7,
            coverage: 0.0,
            coverage_behind: 1.0,
            mix: 0.05,
            mix_behind: 0.85,
            around: 0.0,
            matched: 0.0,
            ..near
        };
        for (name, fitted) in &crate::fitted::FITTED {
            let fitted = &fitted.plain.sentences;
            assert!(probability(fitted, &near) > 2.0 * probability(fitted, &far), "{name}");
        }
    }
}
