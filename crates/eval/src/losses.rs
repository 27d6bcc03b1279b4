//! Where the evidence of a question is lost, as values of a row.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::SourceId;

/// A gold quote that the answer does not show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MissedGold {
    /// The paper.
    pub source_id: SourceId,
    /// The passage.
    pub quote: String,
    /// Whether the context held it; `None` where the context was not logged.
    pub in_context: Option<bool>,
    /// The stage that lost it; `None` where the log cannot tell, and in older logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_at: Option<LostAt>,
}

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
