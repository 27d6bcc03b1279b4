//! The document of `evaluate`: answers of any system, scored in five dimensions.

use crate::benchmark::GateLine;
use eval::{Comparison, MetricSummary, Ordered, Score, assessment::Summary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Answers, scored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Evaluate {
    /// What was scored, by what.
    pub metadata: EvaluateMetadata,
    /// The rows by id, in the order of the input.
    pub results: Ordered<EvaluateRow>,
    /// Means of the dimensions over the rows.
    pub summary: EvaluateSummary,
    /// Means of the metrics over the rows; they need no language model.
    pub metrics: Summary,
    /// The conditions of `--min` and `--max`.
    pub gates: Vec<GateLine>,
    /// The comparison with the file of `--against`; null without one.
    pub against: Option<EvaluateAgainst>,
}

/// What was scored, by what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EvaluateMetadata {
    /// The file of answers; `-` for standard input.
    pub test_results_file: String,
    /// `lexical`, or the language model.
    pub evaluator_model: String,
    /// Which recall `context_recall` is, by its key; null where no row can have one, and in older documents.
    #[serde(default)]
    pub context_recall: Option<String>,
    /// Rows that were scored.
    pub total_tests: usize,
    /// Rows of the file.
    pub rows_in_file: usize,
    /// The format of the file, as detected or given.
    pub input_format: String,
    /// The file of right answers.
    pub ground_truth_file: Option<String>,
    /// The file of questions.
    pub queries_file: Option<String>,
    /// The file of relevance judgements.
    pub qrels_file: Option<String>,
    /// The judge with its version.
    pub judge: String,
    /// By dimension: the version of the prompt; empty without a language model.
    pub prompt_versions: BTreeMap<String, String>,
    /// By dimension: the weight in the overall score.
    pub weights: Ordered<f64>,
    /// Rows without an overall score because a dimension failed.
    pub errors: usize,
    /// Hash of the settings that can change a result.
    pub config_hash: String,
    /// Version and commit of the program.
    pub version: String,
    /// Seed of the intervals.
    pub seed: u64,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EvaluateRow {
    /// The id of its query or, failing that, the question or its own id.
    pub query: String,
    /// The answer; null if the file has none.
    pub answer: Option<String>,
    /// Each dimension.
    pub evaluations: Evaluations,
    /// Weighted mean of the dimensions that have a score, 0 to 1; null if there is none or a dimension failed.
    pub overall_score: Option<f64>,
    /// By dimension with a score: its weight. The overall score is divided by their sum.
    pub weights_used: Ordered<f64>,
    /// The overall score without correctness.
    pub overall_without_reference: Option<f64>,
    /// Share of the expected pages that a retrieved passage is from, 0 to 1; null if pages are not known.
    pub page_recall: Option<f64>,
    /// The metrics, which need no language model.
    #[serde(deserialize_with = "eval::metrics::read_scores")]
    pub metrics: Ordered<Score>,
    /// Whether the answer passes as relevant: the metric `relevance`.
    #[serde(default)]
    pub relevance: Pass,
    /// Whether it passes as grounded: the metric `groundedness`.
    #[serde(default)]
    pub groundedness: Pass,
    /// Whether a passage is relevant: the metric `retrieval_relevance_pass`.
    #[serde(default)]
    pub retrieval_relevance: Pass,
    /// Whether the answer is right: the metric `matched`.
    #[serde(default)]
    pub correctness: Pass,
    /// Whether it is relevant and grounded; null if that is not known.
    #[serde(default)]
    pub overall_pass: Option<bool>,
    /// Whether a rule of automatic failure applies.
    pub auto_fail: bool,
    /// Why, one reason for each rule that applies.
    pub failure_reasons: Vec<String>,
    /// The question, if known.
    pub question: Option<String>,
    /// What the row shares its chance with: the documents that answer its question, or the question itself.
    #[serde(default)]
    pub cluster: String,
    /// Line of the file.
    pub line: Option<usize>,
    /// Groups of questions.
    pub tags: Vec<String>,
    /// Why a dimension failed; null if none did.
    pub error: Option<String>,
}

/// Whether a row passes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Pass {
    /// Whether it does; null if that is not known.
    pub score: Option<bool>,
    /// Why, or why that is not known.
    pub explanation: String,
}

/// The dimensions of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Evaluations {
    /// Do the passages support every statement?
    pub faithfulness: Faithfulness,
    /// Does the answer address the question?
    pub answer_relevance: AnswerRelevance,
    /// Do the citations exist, and support what cites them?
    pub citation_quality: CitationQuality,
    /// Does the answer use what the passages offer?
    pub completeness: Completeness,
    /// Does the answer say the same as the reference?
    pub correctness: Correctness,
}

macro_rules! dimension {
    ($(#[$doc:meta])* $name:ident, $(#[$list_doc:meta])* $list:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[schemars(deny_unknown_fields)]
        pub struct $name {
            /// 0 to 1; null if there is none: then `n_a` or `error` says why.
            pub score: Option<f64>,
            /// Why; empty without a score.
            pub reasoning: String,
            $(#[$list_doc])*
            pub $list: Vec<String>,
            /// Why the dimension does not apply.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub n_a: Option<String>,
            /// Why the judge gave no score.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub error: Option<String>,
        }

        impl $name {
            /// Why there is a score, and what lowers it, or why there is none.
            pub(super) fn new((score, (reasoning, $list)): (Score, (String, Vec<String>))) -> Self {
                let (n_a, error) = match &score {
                    Score::NotApplicable(reason) => (Some(reason.clone()), None),
                    Score::Error(reason) => (None, Some(reason.clone())),
                    Score::Value(_) => (None, None),
                };
                Self {
                    score: score.get(),
                    reasoning,
                    $list,
                    n_a,
                    error,
                }
            }
        }
    };
}

dimension!(
    /// Support of the statements by the passages.
    Faithfulness,
    /// Statements that the passages do not support.
    unsupported_claims
);
dimension!(
    /// Fit of the answer to the question.
    AnswerRelevance,
    /// Parts of the question that are not addressed.
    missing_aspects
);
dimension!(
    /// Citations.
    CitationQuality,
    /// Missing, wrong or malformed citations.
    issues
);
dimension!(
    /// Use of what the passages offer.
    Completeness,
    /// What the answer leaves out.
    missing_info
);
dimension!(
    /// Agreement with the reference.
    Correctness,
    /// Facts that differ.
    differences
);

/// Means over the rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EvaluateSummary {
    /// Faithfulness.
    pub faithfulness: EvaluateMean,
    /// Relevance.
    pub answer_relevance: EvaluateMean,
    /// Citation quality.
    pub citation_quality: EvaluateMean,
    /// Completeness.
    pub completeness: EvaluateMean,
    /// Correctness.
    pub correctness: EvaluateMean,
    /// The overall score.
    pub overall: EvaluateMean,
    /// The overall score without correctness.
    pub overall_without_reference: EvaluateMean,
    /// Page recall.
    pub page_recall: EvaluateMean,
}

/// A mean; null where no row has a score.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EvaluateMean {
    /// Mean of the rows with a score.
    pub mean: Option<f64>,
    /// Least score.
    pub min: Option<f64>,
    /// Greatest score.
    pub max: Option<f64>,
    /// Rows with a score.
    pub count: usize,
    /// Lower end of the 95 % interval of the mean.
    pub ci_low: Option<f64>,
    /// Upper end.
    pub ci_high: Option<f64>,
    /// Rows to which the dimension does not apply.
    pub n_a: usize,
    /// Rows whose judge failed.
    pub errors: usize,
}

impl From<&MetricSummary> for EvaluateMean {
    fn from(metric: &MetricSummary) -> Self {
        Self {
            mean: metric.mean,
            min: metric.min,
            max: metric.max,
            count: metric.n,
            ci_low: metric.ci_low,
            ci_high: metric.ci_high,
            n_a: metric.n_a,
            errors: metric.errors,
        }
    }
}

/// This evaluation minus an earlier one, over the questions that both have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EvaluateAgainst {
    /// The file of the earlier evaluation.
    pub file: String,
    /// Questions that both have.
    pub pairs: usize,
    /// Questions that only this evaluation has.
    pub only_here: usize,
    /// Questions that only the earlier one has.
    pub only_there: usize,
    /// By score (`overall`, `dimension.NAME`, or a metric): the difference over the questions with a value in both. Scores without
    /// such a question are left out.
    pub compared: Ordered<Comparison>,
    /// By score: p, corrected by Holm for the number of scores.
    pub p_holm: Ordered<f64>,
}
