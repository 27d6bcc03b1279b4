//! What each metric is: read from the registry.

use super::Grid;
use crate::metrics::{self, Direction, Range, Spec};
use crate::stats::{EXACT_PAIRS, SAMPLED_FLIPS};

/// Section 3.
pub(super) fn section() -> String {
    let mut grid = Grid::new(["Metric", "Key", "Definition"]);
    for metric in metrics::specs() {
        grid.push([metric.title, metric.key, metric.definition]);
    }
    format!(
        "## 3. Metrics\n\n{}\nMetrics of the response are computed twice: for the response that the user gets (section 4) \
         and for the generator's output before guardrails (section 4.1, keys ending in `_raw`). {} Every row has a value, is not applicable (n/a) or is an error, and all three are \
         counted. Intervals are 95 %: Wilson for rates, a seeded bootstrap for other means (bias-corrected and \
         accelerated, tails widened for small samples, rows with the same context drawn together); where all values \
         are equal, a bound that follows from their number. Differences are paired by query: exact McNemar test for \
         rates, paired randomisation for the rest (all sign assignments up to {EXACT_PAIRS} unequal pairs, \
         {SAMPLED_FLIPS} drawn at random beyond). p is two-sided and not corrected for the number of metrics.\n",
        grid.markdown(),
        bounds(metrics::specs())
    )
}

/// Between which values the metrics lie and which of them are good, in one sentence.
fn bounds<'a>(specs: impl Iterator<Item = &'a Spec>) -> String {
    let unlike = specs.filter(|spec| spec.range != Range::UNIT || spec.direction != Direction::Higher);
    let named: Vec<String> = unlike
        .map(|spec| {
            let good = match spec.direction {
                Direction::Higher => "higher",
                Direction::Lower => "lower",
            };
            format!("{} (between {}, {good} is better)", spec.title, spec.range)
        })
        .collect();
    if named.is_empty() {
        return "All lie between 0 and 1; higher is better.".to_owned();
    }
    format!(
        "All lie between 0 and 1, and higher is better, except {}.",
        named.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::escape;

    #[test]
    fn every_metric_is_explained() {
        let text = section();
        for spec in metrics::specs() {
            let line = format!("| {} | {} |", spec.title, escape(spec.key));
            assert!(text.contains(&line), "{line}");
        }
        assert!(
            text.contains("higher is better, except Faithfulness grade (between 1 and 4, higher is better), Hallucinated"),
            "{text}"
        );
    }

    #[test]
    fn a_metric_with_other_bounds_is_named() {
        let spec = *metrics::specs().next().expect("a metric");
        let rank = Spec {
            title: "Rank",
            range: Range { low: 1.0, high: 50.0 },
            direction: Direction::Lower,
            ..spec
        };
        assert_eq!(
            bounds([&spec, &rank].into_iter()),
            "All lie between 0 and 1, and higher is better, except Rank (between 1 and 50, lower is better)."
        );
    }
}
