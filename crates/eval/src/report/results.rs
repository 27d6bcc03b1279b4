//! Tables of numbers.

use super::Grid;
use crate::metrics::Direction;
use crate::stats::wilson;
use crate::{Comparison, MetricSummary, Summary, metrics};

/// What stands where there is no number.
pub(super) const NONE: &str = "–";

/// Means of all metrics after guardrails, or before.
pub(super) fn metric_grid(summary: &Summary, raw: bool) -> Grid {
    let mut headers = vec!["Metric".to_owned()];
    for mode in summary.modes.keys() {
        headers.push(format!("{mode} mean [95 % CI]"));
        headers.push("n / n/a / err".to_owned());
    }
    if let Some([first, second]) = &summary.compared {
        headers.push(format!("{first} − {second} [95 % CI]"));
        headers.push("p (pairs)".to_owned());
    }
    let mut grid = Grid::new(headers);
    for column in metrics::stage(raw) {
        let key = column.key();
        let mut cells = vec![column.spec().title.to_owned()];
        for (_, mode) in summary.modes.iter() {
            let found = mode.get(&key);
            cells.push(found.map_or_else(|| NONE.to_owned(), mean));
            cells.push(found.map_or_else(
                || NONE.to_owned(),
                |m| format!("{} / {} / {}", m.n, m.n_a, m.errors),
            ));
        }
        if summary.compared.is_some() {
            let found = summary.comparison.get(&key);
            cells.push(found.map_or_else(|| NONE.to_owned(), difference));
            cells.push(found.map_or_else(|| NONE.to_owned(), p_value));
        }
        grid.push(cells);
    }
    grid
}

/// Names the metrics of which the lower value is the better one.
pub(super) fn lower_is_better() -> String {
    let lower = metrics::specs().filter(|spec| spec.direction == Direction::Lower);
    let titles: Vec<&str> = lower.map(|spec| spec.title).collect();
    format!("Lower is better: {}.", titles.join(", "))
}

/// The mean with its interval.
pub(super) fn mean(metric: &MetricSummary) -> String {
    match (metric.mean, metric.ci_low, metric.ci_high) {
        (Some(mean), Some(low), Some(high)) => format!("{mean:.3} [{low:.3}, {high:.3}]"),
        _ => NONE.to_owned(),
    }
}

/// The difference with its sign and interval.
pub(super) fn difference(comparison: &Comparison) -> String {
    match (comparison.delta, comparison.ci_low, comparison.ci_high) {
        (Some(delta), Some(low), Some(high)) => {
            format!("{} [{}, {}]", signed(delta), signed(low), signed(high))
        }
        _ => NONE.to_owned(),
    }
}

/// With a sign, and without the minus of a rounded zero.
pub(super) fn signed(value: f64) -> String {
    let text = format!("{value:+.3}");
    if text == "-0.000" {
        "+0.000".to_owned()
    } else {
        text
    }
}

fn p_value(comparison: &Comparison) -> String {
    match comparison.p {
        Some(p) => format!("{} ({})", p_text(p), comparison.n_pairs),
        None => format!("{NONE} ({})", comparison.n_pairs),
    }
}

/// A p to three decimals.
pub(super) fn p_text(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}

/// The 2×2 tables, beside what trivial systems reach on the same rows; one line a mode.
pub fn abstention_table(summary: &Summary) -> Grid {
    let mut grid = Grid::new([
        "Mode",
        "Answerable: answered",
        "Answerable: refused",
        "Unanswerable: answered",
        "Unanswerable: refused",
        "Accuracy",
        "Balanced accuracy",
        "Always answer",
        "Always refuse",
        "Refusal precision",
        "Refusal recall",
        "n / n/a / err",
    ]);
    let share = |share: Option<f64>| share.map_or_else(|| NONE.to_owned(), |s| format!("{s:.3}"));
    for (mode, t) in summary.abstention.iter() {
        grid.push([
            mode.to_owned(),
            t.answered_answerable.to_string(),
            t.refused_answerable.to_string(),
            t.answered_unanswerable.to_string(),
            t.refused_unanswerable.to_string(),
            share(t.accuracy),
            share(t.balanced_accuracy),
            share(t.always_answer),
            share(t.always_refuse),
            share(t.refusal_precision),
            share(t.refusal_recall),
            format!("{} / {} / {}", t.n, t.n_a, t.errors),
        ]);
    }
    grid
}

/// How often answers of each stated confidence show labelled evidence; one line for each mode and level.
pub(super) fn confidence_table(summary: &Summary) -> Grid {
    let mut grid = Grid::new([
        "Mode",
        "Confidence",
        "Answers",
        "Stated probability",
        "Right [95 % CI]",
    ]);
    for (mode, reliability) in summary.confidence.iter() {
        for bin in &reliability.levels {
            let share = bin.right as f64 / bin.answers.max(1) as f64;
            let right = wilson(bin.right, bin.answers).map_or_else(
                || NONE.to_owned(),
                |i| format!("{share:.3} [{:.3}, {:.3}]", i.low, i.high),
            );
            grid.push([
                mode.to_owned(),
                bin.name.clone(),
                bin.answers.to_string(),
                bin.stated.map_or_else(|| NONE.to_owned(), |p| format!("{p:.3}")),
                right,
            ]);
        }
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_plainly() {
        assert_eq!(signed(-0.0001), "+0.000");
        assert_eq!(signed(-0.05), "-0.050");
        assert_eq!(p_text(0.0001), "< 0.001");
        assert_eq!(p_text(0.0391), "0.039");
        assert_eq!(mean(&MetricSummary::default()), NONE);
        assert_eq!(
            lower_is_better(),
            "Lower is better: Hallucinated entities, Hallucinated numbers, Brier score, Average distance."
        );
        assert_eq!(difference(&Comparison::default()), NONE);
        assert_eq!(
            p_value(&Comparison {
                n_pairs: 0,
                ..Comparison::default()
            }),
            "– (0)"
        );
    }
}
