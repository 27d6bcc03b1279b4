//! Settings of the evaluation of other systems' answers: what counts as supported, relevant, good enough or failed, and what each
//! dimension of an answer counts.

use crate::OutOfRange;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

/// Limits, by default those of the Ragas evaluation service. Shares are 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(default)]
pub struct EvaluateLimits {
    /// The least grade of an expected document that counts as relevant.
    #[serde(skip)]
    #[default(1)]
    pub min_grade: u32,
    /// Probability from which a claim counts as supported; in the settings, that of `eval.support_threshold`.
    #[serde(skip)]
    #[default(0.5)]
    pub support: f64,
    /// Answer relevance from which an answer counts as relevant.
    #[serde(skip)]
    #[default(0.5)]
    pub relevant_from: f64,
    /// An answer of another system fails if its faithfulness is below this.
    #[default(0.85)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fail_faithfulness_below: f64,
    /// The band of `rag_score` is green from this on.
    #[default(0.85)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub green_from: f64,
    /// The band of `rag_score` is yellow from this on, and red below.
    #[default(0.7)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub yellow_from: f64,
}

impl EvaluateLimits {
    /// Checks the fields together.
    ///
    /// # Errors
    /// When they contradict each other.
    pub fn check(&self) -> Result<(), OutOfRange> {
        if self.yellow_from > self.green_from {
            let limit = format!("at most green_from ({})", self.green_from);
            return Err(OutOfRange::new("yellow_from", self.yellow_from, limit));
        }
        Ok(())
    }
}

/// What each dimension counts; 0 leaves it out, and it is not judged.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SmartDefault)]
#[serde(deny_unknown_fields)]
pub struct EvaluateWeights {
    /// Weight of faithfulness in the overall score of `pipeline score`, the weighted mean of the dimensions that have a score
    /// in the row. 0: not judged.
    #[default(0.35)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub faithfulness_weight: f64,
    /// Weight of answer relevance in the overall score of `pipeline score`. 0: not judged.
    #[default(0.25)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub answer_relevance_weight: f64,
    /// Weight of citation quality in the overall score of `pipeline score`. 0: not judged.
    #[default(0.20)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub citation_quality_weight: f64,
    /// Weight of completeness in the overall score of `pipeline score`. 0: not judged.
    #[default(0.20)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub completeness_weight: f64,
    /// Weight of correctness in the overall score of `pipeline score`; only in rows with a reference answer. 0: not judged.
    #[default(0.30)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub correctness_weight: f64,
}

impl EvaluateWeights {
    /// Checks the fields together.
    ///
    /// # Errors
    /// When no dimension counts.
    pub fn check(&self) -> Result<(), OutOfRange> {
        let others = self.answer_relevance_weight + self.citation_quality_weight + self.completeness_weight;
        if self.faithfulness_weight + others + self.correctness_weight == 0.0 {
            let limit = "more than 0 if all other weights are 0";
            return Err(OutOfRange::new("faithfulness_weight", 0, limit));
        }
        Ok(())
    }
}
