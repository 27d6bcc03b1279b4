//! The metrics of all commands, described.

use assess::Limits;
use assess::metrics::{Field, Spec as RowSpec};
use assess::summary::{Bound, TARGETS};
use contract::{Metric, MetricTarget, Metrics};
use eval::metrics::{Direction, Kind, RAW_SUFFIX, Spec};

/// The metrics of `eval`, then those of `evaluate`, with the targets of these limits.
pub fn list(limits: &Limits) -> Metrics {
    let own = eval::metrics::specs().map(of_eval);
    let rows = assess::metrics::specs().map(|spec| of_evaluate(spec, limits));
    Metrics {
        metrics: own.chain(rows).collect(),
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

fn of_eval(spec: &Spec) -> Metric {
    Metric {
        key: spec.key.to_owned(),
        command: "eval".to_owned(),
        definition: spec.definition.to_owned(),
        edge_cases: None,
        source: spec.source.to_owned(),
        kind: kind(spec.kind),
        low: spec.range.low,
        high: Some(spec.range.high),
        better: Some(better(spec.direction)),
        needs: spec.needs.iter().map(ToString::to_string).collect(),
        needs_one_of: Vec::new(),
        before_guardrails: spec.staged,
        target: None,
    }
}

fn of_evaluate(spec: &RowSpec, limits: &Limits) -> Metric {
    let names = |fields: &[Field]| fields.iter().map(|field| field.name().to_owned()).collect();
    let target = TARGETS.iter().find(|target| target.metric == spec.key);
    Metric {
        key: spec.key.to_owned(),
        command: "evaluate".to_owned(),
        definition: spec.definition.to_owned(),
        edge_cases: Some(spec.edge_cases.to_owned()),
        source: spec.source.to_owned(),
        kind: kind(spec.kind),
        low: spec.range.low,
        high: spec.range.high.is_finite().then_some(spec.range.high),
        better: spec.direction.map(better),
        needs: names(spec.needs),
        needs_one_of: names(spec.needs_one_of),
        before_guardrails: false,
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

fn better(direction: Direction) -> String {
    match direction {
        Direction::Higher => "higher".to_owned(),
        Direction::Lower => "lower".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_registries_are_listed_whole() {
        let all = list(&Limits::default()).metrics;
        let of = |command: &str| all.iter().filter(|metric| metric.command == command).count();
        assert_eq!(of("eval"), eval::metrics::REGISTRY.len());
        assert_eq!(of("evaluate"), assess::metrics::REGISTRY.len());
        let targets = all.iter().filter(|metric| metric.target.is_some()).count();
        assert_eq!(targets, TARGETS.len(), "every target belongs to a metric");
    }

    #[test]
    fn names_are_found_by_metric_by_mean_and_before_guardrails() {
        let limits = Limits::default();
        let check = |name: &str, want: &[(&str, &str)]| {
            let found = named(name, &limits).expect("found").metrics;
            let found: Vec<(&str, &str)> = found
                .iter()
                .map(|m| (m.command.as_str(), m.key.as_str()))
                .collect();
            assert_eq!(found, want, "{name}");
        };
        check("faithful", &[("eval", "faithful")]);
        check(
            "correctness",
            &[("eval", "correctness"), ("evaluate", "correctness")],
        );
        check("failure_rate", &[("evaluate", "auto_fail")]);
        check("faithful_raw", &[("eval", "faithful")]);
        check("Context-Recall", &[("evaluate", "context_recall")]);
        let why = named("answer_relevancy", &limits).expect_err("unknown");
        assert!(why.contains("answer_relevance"), "{why}");
        assert!(named("xyz", &limits).expect_err("unknown").contains("lists them"));
    }
}
