//! Gates on the means of `evaluate`.

use super::document::{Evaluate, EvaluateMean, EvaluateSummary};
use crate::{benchmark::GateLine, error::LabError};
use eval::{EvalError, Gate, Known, MetricSummary, Ordered, Side, check_means};
use eval::{assessment::TARGETS, metrics::all};

/// Reads one mean of the summary.
type MeanOf = fn(&EvaluateSummary) -> &EvaluateMean;

/// The means of the dimensions, by the names of their gates.
const DIMENSIONS: [(&str, MeanOf); 8] = [
    ("overall", |summary| &summary.overall),
    ("overall_without_reference", |summary| &summary.overall_without_reference),
    ("page_recall", |summary| &summary.page_recall),
    ("dimension.faithfulness", |summary| &summary.faithfulness),
    ("dimension.answer_relevance", |summary| &summary.answer_relevance),
    ("dimension.citation_quality", |summary| &summary.citation_quality),
    ("dimension.completeness", |summary| &summary.completeness),
    ("dimension.correctness", |summary| &summary.correctness),
];

/// Other names of means: `failure_rate` is the mean of `auto_fail`.
fn rates() -> impl Iterator<Item = (&'static str, &'static str)> {
    let named = TARGETS.iter().map(|target| (target.key, target.metric));
    named.filter(|(key, metric)| key != metric).chain([("overall_pass_rate", "overall_pass")])
}

/// Reads `METRIC=VALUE`.
///
/// # Errors
/// When one names no mean, or its value is out of range.
pub(super) fn read(min: &[String], max: &[String]) -> Result<Vec<Gate>, LabError> {
    let own: Vec<Known> = all()
        .map(|spec| Known {
            key: spec.key.to_owned(),
            range: spec.range,
            better: Some(spec.direction),
            interval: true,
        })
        .collect();
    let renamed = rates().filter_map(|(key, metric)| {
        let known = own.iter().find(|known| known.key == metric)?;
        Some(Known { key: key.to_owned(), ..known.clone() })
    });
    let mut known: Vec<Known> = renamed.collect();
    known.extend(DIMENSIONS.iter().map(|(key, _)| Known::mean(key)));
    known.extend(own);
    let gate = |text: &String, side, example| Gate::read(text, side, &known, example);
    let min = (min.iter()).map(|text| gate(text, Side::AtLeast, "faithfulness=0.85"));
    let max = (max.iter()).map(|text| gate(text, Side::AtMost, "failure_rate=0.1"));
    Ok(min.chain(max).collect::<Result<_, EvalError>>()?)
}

/// The gates against the means of a document.
pub(super) fn check(gates: &[Gate], document: &Evaluate) -> Vec<GateLine> {
    let metric = |key: &str| {
        let own = document.metrics.metrics.get(key)?;
        Some((own.mean, own.ci_low, own.ci_high))
    };
    let dimensions = DIMENSIONS.iter().map(|(key, of)| {
        let own = of(&document.summary);
        (*key, (own.mean, own.ci_low, own.ci_high))
    });
    let rates = rates().filter_map(|(key, own)| Some((key, metric(own)?)));
    let metrics = all().filter_map(|spec| Some((spec.key, metric(spec.key)?)));
    let means: Ordered<MetricSummary> = (dimensions.chain(rates).chain(metrics))
        .map(|(key, (mean, ci_low, ci_high))| {
            let summary = MetricSummary { mean, ci_low, ci_high, ..MetricSummary::default() };
            (key.to_owned(), summary)
        })
        .collect();
    check_means(gates, "", &means).iter().map(GateLine::from).collect()
}
