//! Scored rows in numbers: means with intervals, rates, targets, a band and recommendations.

mod bands;
mod targets;

pub use bands::{Band, Rating};
pub use targets::{Bound, TARGETS, Target, TargetResult};

use crate::Limits;
use crate::Ordered;
use crate::metrics::{Range, Scores, Spec, all};
use crate::{MetricSummary, Score};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rows in numbers. The keys are those of the reference systems: `total_questions`, `avg_metrics`, `failure_rate`,
/// `hallucination_rate` and `rag_score` of the Ragas evaluation service, the `*_pass_rate` of LitPath. A rate or a mean is
/// `None` if no row has a value; its interval and its n are in `metrics`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, rename = "EvaluateMetrics")]
pub struct Summary {
    /// Number of rows.
    pub total_questions: usize,
    /// The means of context_recall, faithfulness and answer_relevance.
    pub avg_metrics: Ordered<Option<f64>>,
    /// Share of rows that fail automatically, of those that a rule can be checked for.
    pub failure_rate: Option<f64>,
    /// Share of rows with a fact that no passage has.
    pub hallucination_rate: Option<f64>,
    /// Mean rag_score of the rows that have all three scores.
    pub rag_score: Option<f64>,
    /// The number of those rows.
    pub rag_score_n: usize,
    /// The band of rag_score.
    pub band: Option<Band>,
    /// Share of relevant answers.
    pub relevance_pass_rate: Option<f64>,
    /// Share of grounded answers.
    pub groundedness_pass_rate: Option<f64>,
    /// Share of rows with a relevant passage.
    pub retrieval_relevance_pass_rate: Option<f64>,
    /// Share of answers that are relevant and grounded.
    pub overall_pass_rate: Option<f64>,
    /// What LitPath's guide calls each pass rate that has a value.
    pub ratings: Ordered<Rating>,
    /// Every metric.
    pub metrics: Ordered<MetricSummary>,
    /// Every target that has a value.
    pub targets: Vec<TargetResult>,
    /// What to do about each missed target, one line each.
    pub recommendations: Vec<String>,
}

/// Summarises scored rows; `seed` is that of the bootstrap intervals.
pub fn summarise(rows: &[Scores], limits: &Limits, seed: u64) -> Summary {
    let metrics: Ordered<MetricSummary> =
        all().map(|spec| (spec.key.to_owned(), of_metric(rows, spec, seed))).collect();
    let mean = |key: &str| metrics.get(key).and_then(|summary| summary.mean);
    let rag_score = mean("rag_score");
    let mut out = Summary {
        total_questions: rows.len(),
        avg_metrics: ["context_recall", "faithfulness", "answer_relevance"]
            .map(|key| (key.to_owned(), mean(key)))
            .into_iter()
            .collect(),
        failure_rate: mean("auto_fail"),
        hallucination_rate: mean("hallucination"),
        rag_score,
        rag_score_n: metrics.get("rag_score").map_or(0, |summary| summary.n),
        band: rag_score.map(|value| Band::of(value, limits)),
        relevance_pass_rate: mean("relevance"),
        groundedness_pass_rate: mean("faithful"),
        retrieval_relevance_pass_rate: mean("retrieval_relevance_pass"),
        overall_pass_rate: mean("overall_pass"),
        ..Summary::default()
    };
    out.ratings = [
        ("relevance_pass_rate", out.relevance_pass_rate),
        ("groundedness_pass_rate", out.groundedness_pass_rate),
        ("retrieval_relevance_pass_rate", out.retrieval_relevance_pass_rate),
        ("overall_pass_rate", out.overall_pass_rate),
    ]
    .into_iter()
    .filter_map(|(key, rate)| Some((key.to_owned(), Rating::of(rate?))))
    .collect();
    out.targets = targets::results(mean);
    out.recommendations = targets::recommendations(&out.targets);
    out.metrics = metrics;
    out
}

fn of_metric(rows: &[Scores], spec: &Spec, seed: u64) -> MetricSummary {
    let scores = rows.iter().map(|row| (row.cluster.as_str(), row.scores.get(spec.key)));
    with_extremes(scores, spec.key, spec.range, seed)
}

/// [`MetricSummary::of_scores`], with the least and the greatest value.
pub fn with_extremes<'a>(
    scores: impl Iterator<Item = (&'a str, Option<&'a Score>)> + Clone,
    key: &str,
    range: Range,
    seed: u64,
) -> MetricSummary {
    let values = scores.clone().filter_map(|(_, score)| score?.get());
    MetricSummary {
        min: values.clone().reduce(f64::min),
        max: values.reduce(f64::max),
        ..MetricSummary::of_scores(scores, key, range, seed)
    }
}

#[cfg(test)]
mod tests;
