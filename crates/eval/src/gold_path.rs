//! How far one gold quote came on the way from the candidates to the answer, and where it was lost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::SourceId;

/// A gold quote of a question, and which stages still had it. Its rank among the candidates is in [`crate::Row::gold_ranks`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GoldPath {
    /// The paper.
    pub source_id: SourceId,
    /// The passage.
    pub quote: String,
    /// Whether a chunk that the reranker kept held it; `None` where the context was not logged, as the next.
    pub reranked: Option<bool>,
    /// Whether the context held it: the chunks that were kept, and their neighbours.
    pub in_context: Option<bool>,
    /// Whether the answer shows it. A refusal shows nothing.
    pub in_answer: bool,
}
