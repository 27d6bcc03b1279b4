//! Relevance by a model that reads question and chunk together.

use crate::{Candidates, Relevance, RerankError, Scores};
use std::sync::Arc;
use types::{BoxFuture, PairScorer};

/// Scores each pair of question and chunk with a cross-encoder; relevance is ten times the sigmoid of the
/// raw score, so that 5 is the model's own boundary between relevant and not.
#[derive(Clone)]
pub struct CrossEncoderReranker {
    model: Arc<dyn PairScorer>,
}

impl CrossEncoderReranker {
    /// Uses `model`. Text that does not fit the model is the model's to window: nothing is cut here.
    pub fn new(model: Arc<dyn PairScorer>) -> Self {
        Self { model }
    }

    fn score_now(&self, candidates: Candidates<'_>) -> Result<Scores, RerankError> {
        let pair = |text: &str| (candidates.question.text.clone(), text.to_owned());
        let pairs: Vec<_> = candidates.hits.iter().map(|h| pair(&h.chunk().text)).collect();
        let raw = self.model.score(&pairs)?;
        let mut scores = Scores::default();
        let lost = raw.iter().filter(|s| s.is_nan()).count();
        if lost > 0 {
            let (name, of) = (self.name(), raw.len());
            scores
                .warnings
                .push(format!("{name} gave no number for {lost} of {of} candidates; they count as 0"));
        }
        scores.values = raw.into_iter().map(|s| if s.is_nan() { 0.0 } else { 10.0 * sigmoid(s) }).collect();
        Ok(scores)
    }
}

impl Relevance for CrossEncoderReranker {
    fn name(&self) -> String {
        format!("cross_encoder:{}", self.model.id())
    }

    fn score<'a>(&'a self, candidates: Candidates<'a>) -> BoxFuture<'a, Result<Scores, RerankError>> {
        Box::pin(async move { self.score_now(candidates) })
    }
}

/// `0..=1`; the infinities go to the ends.
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
