//! The metrics, described.

use contract::{Metric, MetricTarget, Metrics};
use eval::{
    Limits,
    assessment::{Bound, TARGETS},
    metrics::{Direction, Kind, Need, RAW_SUFFIX, Spec, all},
};

/// Every metric, with the targets of these limits.
pub fn list(limits: &Limits) -> Metrics {
    Metrics {
        metrics: all().map(|spec| described(spec, limits)).collect(),
    }
}

/// The metrics of this name, or of the mean of this name, or, with `_raw`, before guardrails. The error lists names that are
/// like it.
///
/// # Errors
/// When there is none.
pub fn named(name: &str, limits: &Limits) -> Result<Metrics, String> {
    let wanted = name.trim().to_lowercase().replace('-', "_");
    let all = list(limits).metrics;
    let is = |metric: &Metric| {
        let raw = wanted
            .strip_suffix(RAW_SUFFIX)
            .is_some_and(|base| base == metric.key);
        let mean = metric.target.as_ref().is_some_and(|target| target.mean == wanted);
        metric.key == wanted || mean || (raw && metric.before_guardrails)
    };
    let (found, others): (Vec<Metric>, Vec<Metric>) = all.into_iter().partition(is);
    if !found.is_empty() {
        return Ok(Metrics { metrics: found });
    }
    let mut like: Vec<&str> = others
        .iter()
        .map(|metric| metric.key.as_str())
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

fn described(spec: &Spec, limits: &Limits) -> Metric {
    let names = |fields: &[Need]| fields.iter().map(|field| field.name().to_owned()).collect();
    let target = TARGETS.iter().find(|target| target.metric == spec.key);
    Metric {
        key: spec.key.to_owned(),
        label: spec.title.to_owned(),
        command: if spec.in_runs {
            "eval, evaluate"
        } else {
            "evaluate"
        }
        .to_owned(),
        definition: spec.definition.to_owned(),
        edge_cases: spec.edge_cases.to_owned(),
        source: spec.source.to_owned(),
        kind: kind(spec.kind),
        low: spec.range.low,
        high: spec.range.high.is_finite().then_some(spec.range.high),
        better: better(spec.direction),
        needs: names(spec.needs),
        needs_one_of: names(spec.needs_one_of),
        before_guardrails: spec.staged,
        target: target.map(|target| MetricTarget {
            mean: target.key.to_owned(),
            bound: match target.bound {
                Bound::AtLeast => "at_least",
                Bound::Above => "above",
                Bound::Below => "below",
            }
            .to_owned(),
            value: (target.value)(limits),
            setting: format!("evaluate.{}", target.setting),
        }),
    }
}

fn kind(kind: Kind) -> String {
    match kind {
        Kind::Rate => "rate".to_owned(),
        Kind::Mean => "mean".to_owned(),
    }
}

fn better(direction: Direction) -> Option<String> {
    match direction {
        Direction::Higher => Some("higher".to_owned()),
        Direction::Lower => Some("lower".to_owned()),
        Direction::Neither => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_key_and_every_label_is_there_once() {
        let all = list(&Limits::default()).metrics;
        let keys: BTreeSet<&str> = all.iter().map(|metric| metric.key.as_str()).collect();
        let labels: BTreeSet<&str> = all.iter().map(|metric| metric.label.as_str()).collect();
        assert_eq!((keys.len(), labels.len()), (all.len(), all.len()));
        let targets = all.iter().filter(|metric| metric.target.is_some()).count();
        assert_eq!(targets, TARGETS.len(), "every target belongs to a metric");
    }

    #[test]
    fn names_are_found_by_metric_by_mean_and_before_guardrails() {
        let limits = Limits::default();
        let check = |name: &str, want: &str| {
            let found = named(name, &limits).expect("found").metrics;
            let found: Vec<&str> = found.iter().map(|metric| metric.key.as_str()).collect();
            assert_eq!(found, [want], "{name}");
        };
        check("faithful", "faithful");
        check("correctness", "correctness");
        check("failure_rate", "auto_fail");
        check("groundedness_pass_rate", "faithful");
        check("faithful_raw", "faithful");
        check("Context-Recall", "context_recall");
        let why = named("answer_relevancy", &limits).expect_err("unknown");
        assert!(why.contains("answer_relevance"), "{why}");
        assert!(named("xyz", &limits).expect_err("unknown").contains("lists them"));
    }
}
