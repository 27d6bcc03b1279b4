//! Scores the candidates with a method, sorts them and keeps the best.

use crate::{Candidates, Relevance, RerankError, Scores};
use std::sync::Arc;
use types::{FailureKind, Hit, Question, Ranked, TermStatistics, Usage};

/// A method, how many candidates are kept, and the fallback method if it fails.
#[derive(Clone)]
pub struct Reranker {
    method: Arc<dyn Relevance>,
    keep: usize,
    fallback: Option<Arc<dyn Relevance>>,
}

/// The candidates that were kept.
#[derive(Clone, Debug)]
pub struct Reranked {
    /// At most `keep` of the candidates, most relevant first.
    pub ranked: Vec<Ranked>,
    /// The name of the method that gave the scores: the fallback's, if that was used.
    pub method: String,
    /// Whether that is the fallback.
    pub fell_back: bool,
    /// What the output and the log must show: a fallback, text that a model read only in part, scores that were missing
    /// or out of range.
    pub warnings: Vec<String>,
    /// What a language model spent, failed attempts included as far as they are known.
    pub usage: Option<Usage>,
}

impl Reranker {
    /// Keeps the `keep` candidates that `method` finds most relevant. A failure of the method is an error.
    pub fn new(method: impl Relevance + 'static, keep: usize) -> Self {
        Self { method: Arc::new(method), keep, fallback: None }
    }

    /// On failure of the method, `fallback` scores all candidates instead, and a warning says so. A failure that every
    /// question would meet (a wrong key, a limit of cost) stays an error.
    #[must_use]
    pub fn with_fallback(mut self, fallback: impl Relevance + 'static) -> Self {
        self.fallback = Some(Arc::new(fallback));
        self
    }

    /// The same methods, keeping this many candidates.
    #[must_use]
    pub fn with_keep(mut self, keep: usize) -> Self {
        self.keep = keep;
        self
    }

    /// The most candidates that are kept.
    pub fn keep(&self) -> usize {
        self.keep
    }

    /// The name of the method that is tried first.
    pub fn method(&self) -> String {
        self.method.name()
    }

    /// Whether reranking is CPU-bound; see [`Relevance::computes`].
    pub fn computes(&self) -> bool {
        self.method.computes()
    }

    /// Orders the candidates of one question: relevance, then fused score, then chunk id. `statistics` say how often
    /// the question's stems occur in the store. An empty list of candidates is not an error, and no model is
    /// called for it.
    ///
    /// # Errors
    /// When the method fails and there is no fallback, the failure is [`FailureKind::Fatal`], or the fallback fails too.
    pub async fn rerank(
        &self,
        question: &Question,
        hits: Vec<Hit>,
        statistics: &TermStatistics,
    ) -> Result<Reranked, RerankError> {
        let mut out = Reranked {
            ranked: Vec::new(),
            method: self.method(),
            fell_back: false,
            warnings: Vec::new(),
            usage: None,
        };
        if hits.is_empty() {
            return Ok(out);
        }
        let candidates = Candidates { question, hits: &hits, statistics };
        let scores = match (scores_of(&*self.method, candidates).await, &self.fallback) {
            (Ok(scores), _) => scores,
            (Err(error), None) => return Err(error),
            (Err(error), Some(_)) if error.kind() == FailureKind::Fatal => return Err(error),
            (Err(error), Some(fallback)) => {
                out.usage = error.usage();
                out.fell_back = true;
                out.warnings.push(format!(
                    "reranked by {} because {} failed: {error}",
                    fallback.name(),
                    out.method
                ));
                out.method = fallback.name();
                scores_of(&**fallback, candidates).await?
            }
        };
        out.warnings.extend(scores.warnings);
        if let Some(spent) = scores.usage {
            out.usage.get_or_insert_default().add(spent);
        }
        let wrong = scores.values.iter().filter(|s| !(0.0..=10.0).contains(*s)).count();
        if wrong > 0 {
            let of = scores.values.len();
            out.warnings.push(format!(
                "{} gave {wrong} of {of} scores outside 0 to 10; they were moved inside",
                out.method
            ));
        }
        out.ranked = order(hits, &scores.values);
        out.ranked.truncate(self.keep);
        Ok(out)
    }
}

/// The scores of a method, one for each candidate.
async fn scores_of(method: &dyn Relevance, candidates: Candidates<'_>) -> Result<Scores, RerankError> {
    let scores = method.score(candidates).await?;
    let (got, want) = (scores.values.len(), candidates.hits.len());
    if got == want { Ok(scores) } else { Err(RerankError::Count { method: method.name(), got, want }) }
}

/// Sorts the candidates by relevance, fused score, chunk id. A score that is not a number counts as 0.
fn order(hits: Vec<Hit>, scores: &[f32]) -> Vec<Ranked> {
    let inside = |s: f32| if s.is_nan() { 0.0 } else { s.clamp(0.0, 10.0) };
    let pairs = hits.into_iter().zip(scores);
    let mut ranked: Vec<Ranked> = pairs.map(|(hit, s)| Ranked { hit, rerank_score: inside(*s) }).collect();
    ranked.sort_by(|a, b| {
        (b.rerank_score.total_cmp(&a.rerank_score))
            .then_with(|| fused(b).total_cmp(&fused(a)))
            .then_with(|| a.hit.chunk().chunk_id.cmp(&b.hit.chunk().chunk_id))
    });
    ranked
}

/// The fused score, lowest of all if it is not a number.
fn fused(ranked: &Ranked) -> f32 {
    let score = ranked.hit.combined_score;
    // `+ 0.0` turns -0 into 0: `total_cmp` tells them apart, people do not.
    if score.is_nan() { f32::NEG_INFINITY } else { score + 0.0 }
}
