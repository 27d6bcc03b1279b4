//! Where an evaluation loses evidence, and in which ways its rows fail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where the gold evidence of a mode is lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ModeFunnel {
    /// Questions whose gold quotes could be followed through every stage.
    pub questions: usize,
    /// Their gold quotes.
    pub quotes: usize,
    /// Quotes that were in the context of a refusal.
    pub refused: usize,
    /// Rows about gold evidence that could not be followed.
    pub not_followed: usize,
    /// By stage: `candidates`, `reranked`, `context`, `answer`; empty without questions. The context can have more than the
    /// stage before, because neighbouring chunks are added to it.
    pub stages: BTreeMap<String, StageGold>,
}

/// The share of the gold quotes that a stage still has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct StageGold {
    /// Quotes that it has.
    pub found: usize,
    /// The share of a question's quotes, 0 to 1, averaged over the questions.
    pub mean: f64,
    /// Lower end of the 95 % interval.
    pub ci_low: f64,
    /// Upper end of the 95 % interval.
    pub ci_high: f64,
}

/// What the entity check did not find in the context of one answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RemovedTerms {
    /// The query.
    pub query_id: String,
    /// The mode.
    pub mode: String,
    /// Terms of sentences that were removed.
    pub removed: Vec<String>,
    /// Terms of sentences that were kept and flagged.
    pub flagged: Vec<String>,
}

/// The risk-coverage curve of one mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RiskCoverage {
    /// Labelled questions: coverage is the share of them that is answered.
    pub questions: usize,
    /// Answers without a stated probability or without gold evidence; they are not on the curve.
    pub left_out: usize,
    /// From the most certain answers to all of them.
    pub points: Vec<RiskPoint>,
}

/// The answers with at least this stated probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RiskPoint {
    /// The lowest stated probability of these answers, 0 to 1.
    pub probability: f64,
    /// How many they are.
    pub answers: usize,
    /// How many of them are wrong.
    pub wrong: usize,
}

/// A gold quote, and which stages still had it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct GoldPath {
    /// The source.
    pub source_id: String,
    /// The quote.
    pub quote: String,
    /// Whether a chunk that the reranker kept held it; null where the context was not logged, as the next.
    pub reranked: Option<bool>,
    /// Whether the context held it.
    pub in_context: Option<bool>,
    /// Whether the answer shows it.
    pub in_answer: bool,
}

/// A way in which a row fails; each is a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureMode {
    /// A gold quote is in no candidate and not in the context.
    RetrievalMiss,
    /// A gold quote is in a candidate, but not in the context.
    RerankingMiss,
    /// The question is answered, and a gold quote is in the context but not in the answer.
    SelectionMiss,
    /// An answerable question is refused, and a gold quote is in the context.
    RefusalDespiteEvidence,
    /// A question that the papers do not answer is answered.
    AnswerWithoutEvidence,
    /// The judge finds a claim that no passage it cites supports.
    UnsupportedClaim,
    /// The answer names an author that neither the context nor the question names.
    ForeignAttribution,
    /// The entity check removed a sentence.
    EntityRemoved,
}
