//! The stages that had a piece of evidence, and the one that lost it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::SourceId;

/// The stages, in the order in which a question passes them.
pub const FUNNEL_STAGES: [&str; 4] = ["candidates", "reranked", "context", "answer"];

/// The stage that lost a piece of evidence: the one after the last stage that had it.
#[derive(strum::IntoStaticStr, strum::Display)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LostAt {
    /// No candidate has it.
    Retrieval,
    /// A candidate has it, but neither a passage that the reranker kept nor a neighbour of one.
    Reranking,
    /// Retrieval or reranking: it is not in the context, and the log does not say which candidates had it.
    BeforeContext,
    /// The reranker kept a passage that has it, but the context does not.
    Context,
    /// It was in the context, and the question was refused.
    Refusal,
    /// It was in the context, and the answer does not show it.
    Answer,
}

impl LostAt {
    /// Its name in JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// What happened, as a clause.
    pub fn described(self) -> &'static str {
        match self {
            Self::Retrieval => "retrieval lost it: no candidate has it",
            Self::Reranking => "reranking lost it: a candidate has it, but the context does not",
            Self::BeforeContext => "retrieval or reranking lost it: the context does not have it",
            Self::Context => "expansion lost it: the reranker kept it, but the context does not have it",
            Self::Refusal => "generation lost it: the context has it, but the question was refused",
            Self::Answer => "generation lost it: the context has it, but the answer does not show it",
        }
    }
}

/// What a funnel counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// Gold quotes.
    Quotes,
    /// Target papers: for a question without gold quotes.
    Papers,
}

/// How much of the evidence each stage has. A context can have more than the candidates: neighbours of kept passages
/// are in it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Funnel {
    /// What is counted.
    pub counts: Evidence,
    /// All of the evidence, at least 1.
    pub gold: usize,
    /// Among the candidates of the reranker; `None` if nobody looked.
    pub candidates: Option<usize>,
    /// Among the passages that it kept; `None` if the context was not logged.
    pub reranked: Option<usize>,
    /// In the context; `None` if it was not logged.
    pub context: Option<usize>,
    /// In the answer; 0 for a refusal.
    pub answer: usize,
}

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

impl GoldPath {
    /// The stage that lost the quote; `None` if the answer shows it, or if the context was not logged. `rank` is its entry of
    /// [`Row::gold_ranks`](crate::Row::gold_ranks), if there is one.
    pub fn lost_at(&self, rank: Option<Option<usize>>, refused: bool) -> Option<LostAt> {
        lost_at(self.trace(rank.map(|rank| rank.is_some())), refused)
    }

    pub(crate) fn trace(&self, candidates: Option<bool>) -> Trace {
        [candidates, self.reranked, self.in_context, Some(self.in_answer)]
    }
}

/// Which of [`FUNNEL_STAGES`] have one piece of evidence, as far as is known.
pub(crate) type Trace = [Option<bool>; 4];

/// `None` if it is not lost, or if the log does not have the context.
pub(crate) fn lost_at([candidates, reranked, context, answer]: Trace, refused: bool) -> Option<LostAt> {
    if answer? {
        return None;
    }
    Some(match (context?, reranked, candidates) {
        (true, ..) if refused => LostAt::Refusal,
        (true, ..) => LostAt::Answer,
        (false, Some(true), _) => LostAt::Context,
        (false, _, Some(true)) => LostAt::Reranking,
        (false, _, Some(false)) => LostAt::Retrieval,
        (false, _, None) => LostAt::BeforeContext,
    })
}
