//! Scores of answers, for people.

use contract::{Evaluate, EvaluateMean, EvaluateMetric, EvaluateMetrics, Score};
use std::fmt::Write;

/// Rows with low scores that are named.
const LOWEST: usize = 5;
/// Columns of a name.
const WIDTH: usize = 28;
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
    let _ = writeln!(out, "{}", header("dimensions"));
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
        let _ = writeln!(out, "{name:<WIDTH$} {}", line(mean));
    }
    metrics(&mut out, document);
    against(&mut out, document);
    let failing = document.results.iter().filter(|(_, row)| row.auto_fail);
    for (at, (id, row)) in failing.take(LOWEST).enumerate() {
        if at == 0 {
            let _ = writeln!(out, "\nrows that fail (the first {LOWEST} at most)");
        }
        let _ = writeln!(out, "  {id}: {}", row.failure_reasons.join("; "));
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

/// Every metric that has a value, why others have none, and what to do about missed targets.
fn metrics(out: &mut String, document: &Evaluate) {
    let all: &EvaluateMetrics = &document.metrics;
    let (with, without): (Vec<_>, Vec<_>) = all
        .metrics
        .iter()
        .partition(|(_, metric)| metric.n > 0 || metric.errors > 0);
    if !with.is_empty() {
        let _ = writeln!(out, "\n{}", header("metrics"));
    }
    for (key, metric) in with {
        let _ = writeln!(out, "{key:<WIDTH$} {}", line(&as_mean(metric)));
    }
    if !without.is_empty() {
        let _ = writeln!(out, "\nmetrics without a value in any row");
    }
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for (key, _) in without {
        let reason = document
            .results
            .values()
            .find_map(|row| match row.metrics.get(key) {
                Some(Score::NotApplicable { n_a }) => Some(n_a.as_str()),
                _ => None,
            });
        let reason = reason.unwrap_or("there are no rows");
        match reasons.iter_mut().find(|(own, _)| own == reason) {
            Some((_, keys)) => keys.push(key),
            None => reasons.push((reason.to_owned(), vec![key])),
        }
    }
    for (reason, keys) in reasons {
        let _ = writeln!(out, "  {reason}: {}", keys.join(", "));
    }
    if let (Some(score), Some(band)) = (all.rag_score, &all.band) {
        let (n, of) = (all.rag_score_n, all.total_questions);
        let _ = writeln!(out, "\nrag_score {score:.3} over {n} of {of} rows: {band}");
    }
    if !all.recommendations.is_empty() {
        let _ = writeln!(out, "\nmissed targets");
    }
    for recommendation in &all.recommendations {
        let _ = writeln!(out, "  {recommendation}");
    }
}

/// The differences, and which of them chance hardly explains.
fn against(out: &mut String, document: &Evaluate) {
    let Some(against) = &document.against else { return };
    let _ = writeln!(
        out,
        "\nthese answers minus {}: {} questions in both, {} only here, {} only there\n",
        against.file, against.pairs, against.only_here, against.only_there
    );
    let _ = writeln!(
        out,
        "{:<WIDTH$} {:>10} {:>16} {:>5} {:>6} {:>6} {:>8}",
        "", "difference", "95 % interval", "pairs", "higher", "lower", "p (Holm)"
    );
    for (key, found) in &against.compared {
        let delta = found
            .delta
            .map_or_else(String::new, |delta| format!("{delta:+.3}"));
        let interval = match (found.ci_low, found.ci_high) {
            (Some(low), Some(high)) => format!("[{low:+.3}, {high:+.3}]"),
            _ => String::new(),
        };
        let p = against
            .p_holm
            .get(key)
            .map_or_else(String::new, |p| format!("{p:.3}"));
        let _ = writeln!(
            out,
            "{key:<WIDTH$} {delta:>10} {interval:>16} {:>5} {:>6} {:>6} {p:>8}",
            found.n_pairs, found.wins, found.losses
        );
    }
    let _ = writeln!(
        out,
        "p: paired randomisation test, two-sided, corrected for the number of scores"
    );
}

fn as_mean(metric: &EvaluateMetric) -> EvaluateMean {
    EvaluateMean {
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

fn header(name: &str) -> String {
    format!(
        "{name:<WIDTH$} {:>6} {:>16} {:>6} {:>6} {:>5} {:>5} {:>6}",
        "mean", "95 % interval", "min", "max", "rows", "n/a", "errors"
    )
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
