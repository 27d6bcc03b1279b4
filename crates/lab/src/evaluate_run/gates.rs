//! Gates on the means of `score`.

use super::document::Evaluate;
use eval::{
    EvalError, Gate, GateResult, Known, MetricSummary, Ordered, assessment::TARGETS, check_means,
    metrics::all,
};

/// The means that no metric is.
const OVERALL: [&str; 2] = ["overall", "overall_without_reference"];

/// Other names of means: `failure_rate` is the mean of `auto_fail`.
fn rates() -> impl Iterator<Item = (&'static str, &'static str)> {
    let named = TARGETS.iter().map(|target| (target.key, target.metric));
    named.filter(|(key, metric)| key != metric).chain([("overall_pass_rate", "overall_pass")])
}

/// Reads `METRIC=VALUE`.
///
/// # Errors
/// When one names no mean, or its value is out of range.
pub(super) fn read(min: &[String], max: &[String]) -> Result<Vec<Gate>, EvalError> {
    let own: Vec<Known> = all().map(|spec| Known::metric(spec.key, spec)).collect();
    let renamed = rates().filter_map(|(key, metric)| {
        let known = own.iter().find(|known| known.key == metric)?;
        Some(Known { key: key.to_owned(), ..known.clone() })
    });
    let mut known: Vec<Known> = renamed.collect();
    known.extend(OVERALL.map(Known::mean));
    known.extend(own);
    Gate::all(min, max, &known, ["faithfulness=0.85", "failure_rate=0.1"])
}

/// The gates against the means of a document.
pub(super) fn check(gates: &[Gate], document: &Evaluate) -> Vec<GateResult> {
    let mut means: Ordered<MetricSummary> = document.metrics.metrics.clone();
    for (key, own) in rates() {
        if let Some(metric) = means.get(own).cloned() {
            means.insert(key, metric);
        }
    }
    for key in OVERALL {
        if let Some(of) = document.summary.get(key) {
            let (mean, ci_low, ci_high) = (of.mean, of.ci_low, of.ci_high);
            means.insert(key, MetricSummary { mean, ci_low, ci_high, ..MetricSummary::default() });
        }
    }
    check_means(gates, "", &means)
}
