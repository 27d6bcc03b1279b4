//! Relevance by the chunk's best sentence, from what the index already holds.

use crate::{Question, Relevance, RerankError, Scores};
use std::collections::BTreeMap;
use types::{BoxFuture, ChunkStore, Hit, StoreError};

/// Share of the words in the blend unless told otherwise.
pub const DEFAULT_LEXICAL_WEIGHT: f32 = 0.3;

/// The offline default. A sentence's relevance is
/// `10 × ((1 - w) × max(0, cosine) + w × coverage)`: the cosine of question and sentence from the stored
/// vectors, and the share of the question's terms, weighted by idf, that the sentence holds. A chunk is as
/// relevant as its best sentence. With [`SentenceReranker::with_prior`] the order of retrieval has a say too: a
/// best sentence alone forgets how well the rest of the chunk fits.
///
/// Where one half is missing the other counts alone: no vector of the question, or no term in it. A chunk
/// without stored sentence vectors is judged by its best window and its whole text.
#[derive(Clone, Copy, Debug)]
pub struct SentenceReranker {
    lexical_weight: f32,
    prior_weight: f32,
}

impl Default for SentenceReranker {
    fn default() -> Self {
        Self {
            lexical_weight: DEFAULT_LEXICAL_WEIGHT,
            prior_weight: 0.0,
        }
    }
}

impl SentenceReranker {
    /// `lexical_weight` is the `w` above: 0 looks at vectors alone, 1 at words alone.
    ///
    /// # Errors
    /// When the weight is not in `0..=1`.
    pub fn new(lexical_weight: f32) -> Result<Self, RerankError> {
        if (0.0..=1.0).contains(&lexical_weight) {
            Ok(Self {
                lexical_weight,
                prior_weight: 0.0,
            })
        } else {
            Err(RerankError::Weight(lexical_weight))
        }
    }

    /// Blends the place that retrieval gave a candidate into its score: `(1 - p) × score + p × 10 × (n - i) / n`
    /// for candidate `i` of `n`, counted from 0.
    ///
    /// # Errors
    /// When the weight is not in `0..=1`.
    pub fn with_prior(self, prior_weight: f32) -> Result<Self, RerankError> {
        if (0.0..=1.0).contains(&prior_weight) {
            Ok(Self { prior_weight, ..self })
        } else {
            Err(RerankError::Weight(prior_weight))
        }
    }

    fn score_now(self, question: Question<'_>) -> Result<Scores, RerankError> {
        let words = QueryTerms::new(question.text, question.store)?;
        let weight = match (question.vector.is_empty(), words.is_empty()) {
            (false, false) => self.lexical_weight,
            (false, true) => 0.0,
            (true, false) => 1.0,
            (true, true) => {
                let warning =
                    "the question has neither a vector nor a term to compare: the order of retrieval stands";
                let values = vec![0.0; question.hits.len()];
                return Ok(Scores {
                    values,
                    warnings: vec![warning.to_owned()],
                    usage: None,
                });
            }
        };
        let count = question.hits.len() as f32;
        let score = |(place, hit): (usize, &Hit)| {
            let prior = (count - place as f32) / count;
            let sentence = best_sentence(hit, question, &words, weight);
            10.0 * ((1.0 - self.prior_weight) * sentence + self.prior_weight * prior)
        };
        Ok(Scores {
            values: question.hits.iter().enumerate().map(score).collect(),
            ..Scores::default()
        })
    }
}

impl Relevance for SentenceReranker {
    fn name(&self) -> String {
        "sentence".to_owned()
    }

    fn score<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Result<Scores, RerankError>> {
        Box::pin(async move { self.score_now(question) })
    }
}

/// The blend of the best sentence, `0..=1`.
fn best_sentence(hit: &Hit, question: Question<'_>, words: &QueryTerms, weight: f32) -> f32 {
    let chunk = &hit.chunk;
    let blend = |similarity: f32, text: &str| {
        let coverage = if weight > 0.0 { words.coverage(text) } else { 0.0 };
        (1.0 - weight) * unit(similarity) + weight * coverage
    };
    let similarities = if question.vector.is_empty() {
        Vec::new()
    } else {
        question.store.sentence_similarities(chunk, question.vector)
    };
    if chunk.sentences.is_empty() || (similarities.is_empty() && !question.vector.is_empty()) {
        return blend(hit.vector_score, &chunk.text);
    }
    // A sentence without a stored vector can still be found by its words.
    let sentences = chunk
        .sentences
        .iter()
        .zip(similarities.into_iter().chain(std::iter::repeat(0.0)));
    sentences
        .map(|(sentence, similarity)| blend(similarity, chunk.sentence(sentence)))
        .fold(0.0, f32::max)
}

/// `max(0, similarity)`, 0 when it is no number.
fn unit(similarity: f32) -> f32 {
    if similarity.is_nan() {
        0.0
    } else {
        similarity.clamp(0.0, 1.0)
    }
}

/// The distinct terms of the question and their weights.
struct QueryTerms {
    weights: BTreeMap<String, f32>,
    total: f32,
}

impl QueryTerms {
    fn new(query: &str, store: &dyn ChunkStore) -> Result<Self, StoreError> {
        let mut weights = BTreeMap::new();
        for term in text::terms(query) {
            let (idf, _) = store.idf(&term.stem)?;
            if idf.is_finite() && idf > 0.0 {
                weights.insert(term.stem, idf);
            }
        }
        let total = weights.values().sum();
        Ok(Self { weights, total })
    }

    fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Share of the weight that stands in `text`, `0..=1`.
    fn coverage(&self, text: &str) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let mut found: BTreeMap<&str, f32> = BTreeMap::new();
        for term in text::terms(text) {
            if let Some((stem, weight)) = self.weights.get_key_value(&term.stem) {
                found.insert(stem, *weight);
            }
        }
        (found.values().sum::<f32>() / self.total).min(1.0)
    }
}
