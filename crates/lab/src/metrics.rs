//! The metrics, described.

use eval::{
    assessment::{Bound, TARGETS},
    metrics::{Direction, Kind, Need, RAW_SUFFIX, Spec, all},
};
use schemars::JsonSchema;
use serde::Serialize;

/// What `metrics` prints.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Metrics {
    /// The metrics; one if a name is given.
    pub metrics: Vec<Metric>,
}

/// A metric.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Metric {
    /// Its name.
    pub key: &'static str,
    /// Its name in tables.
    pub label: &'static str,
    /// The commands that compute it: `eval, score` or `score`.
    pub command: &'static str,
    /// Its exact definition.
    pub definition: &'static str,
    /// When it is n/a, and its value for refusals and empty answers.
    pub edge_cases: &'static str,
    /// The paper, the system or the convention that it follows.
    pub source: &'static str,
    /// `rate` if a row has 0 or 1, else `mean`.
    pub kind: &'static str,
    /// The least value.
    pub low: f64,
    /// The greatest value; null if there is none.
    pub high: Option<f64>,
    /// Which values are better: `higher` or `lower`; null if it only describes.
    pub better: Option<&'static str>,
    /// What it needs: fields of a row, or a judge.
    pub needs: Vec<&'static str>,
    /// Of these it needs one; empty if `needs` are enough.
    pub needs_one_of: Vec<&'static str>,
    /// Whether it is also computed before guardrails, under its name with `_raw`.
    pub before_guardrails: bool,
    /// The target of its mean; null if it has none.
    pub target: Option<MetricTarget>,
}

/// A target of a mean.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MetricTarget {
    /// The name of the mean in a summary.
    pub mean: &'static str,
    /// Which side of it the mean must be on.
    pub bound: Bound,
    /// The target.
    pub value: f64,
}

/// Every metric, with its target.
pub fn list() -> Metrics {
    Metrics { metrics: all().map(described).collect() }
}

/// The metrics of this name, or of the mean of this name, or, with `_raw`, before guardrails. The error lists names that are
/// like it.
///
/// # Errors
/// When there is none.
pub fn named(name: &str) -> Result<Metrics, String> {
    let wanted = name.trim().to_lowercase().replace('-', "_");
    let wanted = eval::metrics::current(&wanted);
    let all = list().metrics;
    let is = |metric: &Metric| {
        let raw = wanted.strip_suffix(RAW_SUFFIX).is_some_and(|base| base == metric.key);
        let mean = metric.target.as_ref().is_some_and(|target| target.mean == wanted);
        metric.key == wanted || mean || (raw && metric.before_guardrails)
    };
    let (found, others): (Vec<Metric>, Vec<Metric>) = all.into_iter().partition(is);
    if !found.is_empty() {
        return Ok(Metrics { metrics: found });
    }
    let mut like: Vec<&str> = others
        .iter()
        .map(|metric| metric.key)
        .filter(|key| wanted.split('_').any(|part| part.len() > 3 && key.contains(part)))
        .collect();
    like.dedup();
    let hint = if like.is_empty() {
        "`pipeline metrics` lists them".to_owned()
    } else {
        format!("did you mean {}? `pipeline metrics` lists all", like.join(" or "))
    };
    Err(format!("no metric has the name {name:?}\nhint: {hint}"))
}

fn described(spec: &Spec) -> Metric {
    let names = |fields: &[Need]| fields.iter().map(|field| field.name()).collect();
    let target = TARGETS.iter().find(|target| target.metric == spec.key);
    let [definition, edge_cases, source] = spec.texts();
    Metric {
        key: spec.key,
        label: spec.title,
        command: if spec.in_runs { "eval, score" } else { "score" },
        definition,
        edge_cases,
        source,
        kind: match spec.kind {
            Kind::Rate => "rate",
            Kind::Mean => "mean",
        },
        low: spec.range.low,
        high: spec.range.high.is_finite().then_some(spec.range.high),
        better: match spec.direction {
            Direction::Higher => Some("higher"),
            Direction::Lower => Some("lower"),
            Direction::Neither => None,
        },
        needs: names(spec.needs),
        needs_one_of: names(spec.needs_one_of),
        before_guardrails: spec.staged,
        target: target.map(|target| MetricTarget {
            mean: target.key,
            bound: target.bound,
            value: target.value,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_key_and_every_label_is_there_once() {
        let all = list().metrics;
        let keys: BTreeSet<&str> = all.iter().map(|metric| metric.key).collect();
        let labels: BTreeSet<&str> = all.iter().map(|metric| metric.label).collect();
        assert_eq!((keys.len(), labels.len()), (all.len(), all.len()));
        let targets = all.iter().filter(|metric| metric.target.is_some()).count();
        assert_eq!(targets, TARGETS.len(), "every target belongs to a metric");
    }

    #[test]
    fn names_are_found_by_metric_by_mean_and_before_guardrails() {
        let check = |name: &str, want: &str| {
            let found = named(name).expect("found").metrics;
            let found: Vec<&str> = found.iter().map(|metric| metric.key).collect();
            assert_eq!(found, [want], "{name}");
        };
        check("faithful", "faithful");
        check("correctness", "correctness");
        check("failure_rate", "auto_fail");
        check("groundedness_pass_rate", "faithful");
        check("faithful_raw", "faithful");
        check("Context-Recall", "context_recall");
        let why = named("answer_relevancy").expect_err("unknown");
        assert!(why.contains("answer_relevance"), "{why}");
        assert!(named("xyz").expect_err("unknown").contains("lists them"));
    }
}
