//! Relevance by the chunk's best sentence, from the stored sentence data.

use crate::{Candidates, Relevance, RerankError, Scores};
use std::collections::BTreeSet;
use types::{BoxFuture, Hit, Question, QuestionTerm, TermStatistics};

/// The offline default. A sentence's relevance is
/// `10 × ((1 - w) × max(0, cosine) + w × coverage)`: the cosine of question and sentence from the stored
/// vectors, and the share of the question's terms, weighted by idf, that the sentence contains. A chunk is as
/// relevant as its best sentence. With [`SentenceReranker::with_prior`] the retrieval order counts too: a
/// best sentence alone forgets how well the rest of the chunk fits.
///
/// Where one half is missing the other counts alone: no vector of the question, or no term in it. A chunk
/// without stored sentence vectors is judged by its best window and its whole text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SentenceReranker {
    lexical_weight: f32,
    prior_weight: f32,
}

impl Default for SentenceReranker {
    fn default() -> Self {
        Self { lexical_weight: 0.3, prior_weight: 0.5 }
    }
}

impl SentenceReranker {
    /// `lexical_weight` is the `w` above: 0 looks at vectors alone, 1 at words alone.
    ///
    /// # Errors
    /// When the weight is not in `0..=1`.
    pub fn new(lexical_weight: f32) -> Result<Self, RerankError> {
        if (0.0..=1.0).contains(&lexical_weight) {
            Ok(Self { lexical_weight, prior_weight: 0.0 })
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

    fn score_now(self, candidates: Candidates<'_>) -> Scores {
        let words = QueryTerms::new(candidates);
        let weight = match (candidates.question.vector.is_empty(), words.is_empty()) {
            (false, false) => self.lexical_weight,
            (false, true) => 0.0,
            (true, false) => 1.0,
            (true, true) => {
                let warning = "the question has neither a vector nor a term to compare: the hits keep their retrieval order";
                let values = vec![0.0; candidates.hits.len()];
                return Scores { values, warnings: vec![warning.to_owned()], usage: None };
            }
        };
        let count = candidates.hits.len() as f32;
        let score = |(place, hit): (usize, &Hit)| {
            let prior = (count - place as f32) / count;
            let sentence = best_sentence(hit, !candidates.question.vector.is_empty(), &words, weight);
            10.0 * ((1.0 - self.prior_weight) * sentence + self.prior_weight * prior)
        };
        Scores { values: candidates.hits.iter().enumerate().map(score).collect(), ..Scores::default() }
    }
}

impl Relevance for SentenceReranker {
    fn name(&self) -> String {
        "sentence".to_owned()
    }

    fn score<'a>(&'a self, candidates: Candidates<'a>) -> BoxFuture<'a, Result<Scores, RerankError>> {
        Box::pin(async move { Ok(self.score_now(candidates)) })
    }
}

/// The blend of the best sentence, `0..=1`.
fn best_sentence(hit: &Hit, has_vector: bool, words: &QueryTerms<'_>, weight: f32) -> f32 {
    let chunk = hit.chunk();
    let sentences = &hit.passage.sentences;
    let blend = |similarity: f32, stems: &BTreeSet<String>| {
        let coverage = if weight > 0.0 { words.coverage(stems) } else { 0.0 };
        (1.0 - weight) * unit(similarity) + weight * coverage
    };
    let similarities = &sentences.similarities;
    if chunk.sentences.is_empty() || (similarities.is_empty() && has_vector) {
        let stems = text::terms(&chunk.text).into_iter().map(|term| term.stem);
        return blend(hit.vector_score, &stems.collect());
    }
    // A sentence without a stored vector can still be found by its words.
    let similarities = similarities.iter().copied().chain(std::iter::repeat(0.0));
    let stems = sentences.stems(chunk);
    (stems.iter().zip(similarities)).map(|(stems, similarity)| blend(similarity, stems)).fold(0.0, f32::max)
}

/// `max(0, similarity)`, 0 when it is no number.
fn unit(similarity: f32) -> f32 {
    if similarity.is_nan() { 0.0 } else { similarity.clamp(0.0, 1.0) }
}

/// The distinct terms of the question and their weights.
struct QueryTerms<'q> {
    question: &'q Question,
    /// By stem.
    weights: Vec<(&'q QuestionTerm, f32)>,
    total: f32,
}

impl<'q> QueryTerms<'q> {
    fn new(candidates: Candidates<'q>) -> Self {
        let statistics: &TermStatistics = candidates.statistics;
        let question = candidates.question;
        let mut weights: Vec<(&QuestionTerm, f32)> = question
            .distinct_terms()
            .map(|term| (term, statistics.idf(&term.stem)))
            .filter(|(_, idf)| *idf > 0.0)
            .collect();
        weights.sort_by(|(one, _), (other, _)| one.stem.cmp(&other.stem));
        let total = weights.iter().map(|(_, weight)| weight).sum();
        Self { question, weights, total }
    }

    fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Share of the total weight that is among these stems, as such or in another form, `0..=1`.
    fn coverage(&self, stems: &BTreeSet<String>) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let is_found = |term: &QuestionTerm| self.question.is_found(term, |stem| stems.contains(stem));
        let found = self.weights.iter().filter(|(term, _)| is_found(term));
        (found.map(|(_, weight)| weight).sum::<f32>() / self.total).min(1.0)
    }
}
