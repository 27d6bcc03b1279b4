//! The document of `score`: answers of any system, scored in five dimensions.

use eval::{
    Comparison, GateResult, MetricSummary, Ordered, Score,
    assessment::Summary,
    export::{Ended, TestCase, junit},
};
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
    pub results: Ordered<EvaluateResult>,
    /// Means over the rows: of each dimension, and `overall`, `overall_without_reference` and `page_recall`.
    pub summary: Ordered<EvaluateMean>,
    /// Means of the metrics over the rows; they need no language model.
    pub metrics: Summary,
    /// The conditions of `--min` and `--max`.
    pub gates: Vec<GateResult>,
    /// The comparison with the file of `--against`; null without one.
    pub against: Option<EvaluateAgainst>,
}

impl Evaluate {
    /// Gates and rows as test cases, in the XML of JUnit. A row that fails automatically is a failure; one without an overall
    /// score because the judge failed is an error.
    pub fn junit(&self) -> String {
        let rows = self.results.iter().map(|(id, row)| TestCase {
            class: "rows".to_owned(),
            name: id.to_owned(),
            seconds: None,
            ended: match &row.error {
                Some(error) => Ended::Error(error.clone()),
                None if row.auto_fail => Ended::Failed(row.failure_reasons.join("; ")),
                None => Ended::Passed,
            },
        });
        junit("pipeline score", &self.gates, rows)
    }
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

/// An answer of any system, scored, as `score` prints it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EvaluateResult {
    /// The id of its query or, failing that, the question or its own id.
    pub query: String,
    /// The answer; null if the file has none.
    pub answer: Option<String>,
    /// By dimension: `faithfulness`, `answer_relevance`, `citation_quality`, `completeness`, `correctness`.
    pub evaluations: Ordered<EvaluateDimension>,
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

/// The score of an answer in a dimension, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvaluateDimension {
    /// 0 to 1; null if there is none: then `n_a` or `error` says why.
    pub score: Option<f64>,
    /// Why; empty without a score.
    pub reasoning: String,
    /// What lowers it: `unsupported_claims`, `missing_aspects`, `issues`, `missing_info` or `differences`.
    #[serde(flatten)]
    pub findings: BTreeMap<String, Vec<String>>,
    /// Why the dimension does not apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_a: Option<String>,
    /// Why the judge gave no score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
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
    /// By score (`overall`, `overall_without_reference`, or a metric): the difference over the questions with a value in both. Scores without
    /// such a question are left out.
    pub compared: Ordered<Comparison>,
}
