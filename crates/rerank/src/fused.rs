//! No reranking: the hits keep their retrieval order.

use crate::{Candidates, Relevance, RerankError, Scores};
use types::BoxFuture;

/// Keeps the fused order. The score is ten times the fused score; where fused scores exceed 1 (raw sums), ten
/// times its share of the highest.
#[derive(Clone, Copy, Debug, Default)]
pub struct FusedOrder;

impl Relevance for FusedOrder {
    fn name(&self) -> String {
        "none".to_owned()
    }

    fn score<'a>(&'a self, candidates: Candidates<'a>) -> BoxFuture<'a, Result<Scores, RerankError>> {
        let fused = |s: f32| if s.is_finite() { s.max(0.0) } else { 0.0 };
        let top = candidates.hits.iter().map(|h| fused(h.combined_score)).fold(1.0, f32::max);
        let values = candidates.hits.iter().map(|h| 10.0 * (fused(h.combined_score) / top)).collect();
        Box::pin(std::future::ready(Ok(Scores { values, ..Scores::default() })))
    }
}
