//! Settings of the evaluation of other systems' answers: what counts as supported, relevant, good enough or failed, and what each
//! dimension of an answer counts.

use crate::{OutOfRange, SettingGroup};
use serde::{Deserialize, Serialize};

/// Limits, by default those of the Ragas evaluation service. Shares are 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, SettingGroup)]
#[serde(default)]
#[settings(check = bands)]
pub struct EvaluateLimits {
    /// The least grade of an expected document that counts as relevant.
    #[serde(skip)]
    #[setting(default = 1)]
    pub min_grade: u32,
    /// Probability from which a claim counts as supported; in the settings, that of `eval.support_threshold`.
    #[serde(skip)]
    #[setting(default = 0.5)]
    pub support: f64,
    /// Answer relevance from which an answer counts as relevant.
    #[serde(skip)]
    #[setting(default = 0.5)]
    pub relevant_from: f64,
    /// An answer of another system fails if its faithfulness is below this.
    #[setting(default = 0.85, range = 0.0..=1.0)]
    pub fail_faithfulness_below: f64,
    /// The band of `rag_score` is green from this on.
    #[setting(default = 0.85, range = 0.0..=1.0)]
    pub green_from: f64,
    /// The band of `rag_score` is yellow from this on, and red below.
    #[setting(default = 0.7, range = 0.0..=1.0)]
    pub yellow_from: f64,
}

fn bands(limits: &EvaluateLimits) -> Result<(), OutOfRange> {
    if limits.yellow_from > limits.green_from {
        let limit = format!("at most green_from ({})", limits.green_from);
        return Err(OutOfRange::new("yellow_from", limits.yellow_from, limit));
    }
    Ok(())
}

/// What each dimension counts; 0 leaves it out, and it is not judged.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, SettingGroup)]
#[serde(deny_unknown_fields)]
#[settings(check = not_all_zero)]
pub struct EvaluateWeights {
    /// Weight of faithfulness in the overall score of `pipeline evaluate`, the weighted mean of the dimensions that have a score
    /// in the row. 0: not judged.
    #[setting(default = 0.35, range = 0.0..=1.0)]
    pub faithfulness_weight: f64,
    /// Weight of answer relevance in the overall score of `pipeline evaluate`. 0: not judged.
    #[setting(default = 0.25, range = 0.0..=1.0)]
    pub answer_relevance_weight: f64,
    /// Weight of citation quality in the overall score of `pipeline evaluate`. 0: not judged.
    #[setting(default = 0.20, range = 0.0..=1.0)]
    pub citation_quality_weight: f64,
    /// Weight of completeness in the overall score of `pipeline evaluate`. 0: not judged.
    #[setting(default = 0.20, range = 0.0..=1.0)]
    pub completeness_weight: f64,
    /// Weight of correctness in the overall score of `pipeline evaluate`; only in rows with a reference answer. 0: not judged.
    #[setting(default = 0.30, range = 0.0..=1.0)]
    pub correctness_weight: f64,
}

fn not_all_zero(weights: &EvaluateWeights) -> Result<(), OutOfRange> {
    let EvaluateWeights {
        faithfulness_weight,
        answer_relevance_weight,
        citation_quality_weight,
        completeness_weight,
        correctness_weight,
    } = weights;
    let others = answer_relevance_weight + citation_quality_weight + completeness_weight + correctness_weight;
    if faithfulness_weight + others == 0.0 {
        let limit = "more than 0 if all other weights are 0";
        return Err(OutOfRange::new("faithfulness_weight", 0, limit));
    }
    Ok(())
}
