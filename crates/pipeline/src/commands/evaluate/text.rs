//! Scores of answers, for people.

use contract::{Evaluate, EvaluateMean};
use std::fmt::Write;

/// Rows with low scores that are named.
const LOWEST: usize = 5;
/// Below this overall score a row is named.
const LOW: f64 = 0.7;

// Writing to a string cannot fail: the results of `writeln!` are dropped.

/// Means with their intervals, and the rows with the lowest scores.
pub(super) fn summary(document: &Evaluate) -> String {
    let (metadata, summary) = (&document.metadata, &document.summary);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {} of {} rows; judge {}\n",
        metadata.test_results_file, metadata.total_tests, metadata.rows_in_file, metadata.evaluator_model
    );
    let _ = writeln!(
        out,
        "{:<24} {:>6} {:>16} {:>6} {:>6} {:>5} {:>5} {:>6}",
        "", "mean", "95 % interval", "min", "max", "rows", "n/a", "errors"
    );
    let lines = [
        ("faithfulness", &summary.faithfulness),
        ("answer relevance", &summary.answer_relevance),
        ("citation quality", &summary.citation_quality),
        ("completeness", &summary.completeness),
        ("correctness", &summary.correctness),
        ("overall", &summary.overall),
        ("without reference", &summary.overall_without_reference),
        ("page recall", &summary.page_recall),
    ];
    for (name, mean) in lines {
        let _ = writeln!(out, "{name:<24} {}", line(mean));
    }
    let mut low: Vec<(&str, f64)> = document
        .results
        .iter()
        .filter_map(|(id, row)| Some((id.as_str(), row.overall_score.filter(|score| *score < LOW)?)))
        .collect();
    low.sort_by(|a, b| a.1.total_cmp(&b.1));
    if !low.is_empty() {
        let _ = writeln!(out, "\nlowest overall scores");
        for (id, score) in low.iter().take(LOWEST) {
            let _ = writeln!(out, "  {score:.3}  {id}");
        }
    }
    out
}

fn line(mean: &EvaluateMean) -> String {
    let value = |value: Option<f64>| value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.3}"));
    let interval = match (mean.ci_low, mean.ci_high) {
        (Some(low), Some(high)) => format!("[{low:.3}, {high:.3}]"),
        _ => String::new(),
    };
    format!(
        "{:>6} {interval:>16} {:>6} {:>6} {:>5} {:>5} {:>6}",
        value(mean.mean),
        value(mean.min),
        value(mean.max),
        mean.count,
        mean.n_a,
        mean.errors
    )
}
