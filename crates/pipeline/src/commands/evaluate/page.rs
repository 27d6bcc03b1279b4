//! Scores of answers, for people.

use crate::{
    page::Page,
    words::{count, difference, interval, value},
};
use contract::{Evaluate, EvaluateMean, EvaluateMetric, Score};

/// Rows with low scores that are named.
const LOWEST: usize = 5;
/// Below this overall score a row is named.
const LOW: f64 = 0.7;

/// Means with their intervals, and the rows with the lowest scores.
pub(super) fn page(document: &Evaluate) -> Page {
    let (metadata, summary) = (&document.metadata, &document.summary);
    let mut page = Page::new();
    let (file, rows, all) = (
        &metadata.test_results_file,
        metadata.total_tests,
        metadata.rows_in_file,
    );
    page.line(format!(
        "{file}: {rows} of {all} rows; judge {}",
        metadata.evaluator_model
    ));
    page.gap();
    let dimensions = [
        ("faithfulness", &summary.faithfulness),
        ("answer relevance", &summary.answer_relevance),
        ("citation quality", &summary.citation_quality),
        ("completeness", &summary.completeness),
        ("correctness", &summary.correctness),
        ("overall", &summary.overall),
        ("without reference", &summary.overall_without_reference),
        ("page recall", &summary.page_recall),
    ];
    let dimensions = dimensions.map(|(name, mean)| (name, mean.clone()));
    means(&mut page, "dimensions", dimensions);
    metrics(&mut page, document);
    against(&mut page, document);
    let failing = document.results.iter().filter(|(_, row)| row.auto_fail);
    for (at, (id, row)) in failing.take(LOWEST).enumerate() {
        if at == 0 {
            page.heading(format!("rows that fail (the first {LOWEST} at most)"));
        }
        page.quote_line(format!("{id}: {}", row.failure_reasons.join("; ")));
    }
    let scores = document.results.iter();
    let mut low: Vec<(f64, &str)> = scores
        .filter_map(|(id, row)| Some((row.overall_score.filter(|score| *score < LOW)?, id.as_str())))
        .collect();
    low.sort_by(|a, b| a.0.total_cmp(&b.0));
    if !low.is_empty() {
        page.heading("lowest overall scores");
    }
    for (score, id) in low.iter().take(LOWEST) {
        page.fact(format!("  {score:.3}"), *id);
    }
    page
}

/// Every metric that has a value, why others have none, and what to do about missed targets.
fn metrics(page: &mut Page, document: &Evaluate) {
    let all = &document.metrics;
    let has_value = |(_, metric): &(&String, &EvaluateMetric)| metric.n > 0 || metric.errors > 0;
    let (with, without): (Vec<_>, Vec<_>) = all.metrics.iter().partition(has_value);
    if !with.is_empty() {
        page.gap();
        let with = with.iter().map(|(key, metric)| (key.as_str(), as_mean(metric)));
        means(page, "metrics", with);
    }
    if !without.is_empty() {
        page.heading("metrics without a value in any row");
    }
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (key, _) in without {
        let reason = document
            .results
            .values()
            .find_map(|row| match row.metrics.get(key) {
                Some(Score::NotApplicable { n_a }) => Some(n_a.as_str()),
                _ => None,
            });
        let reason = reason.unwrap_or("there are no rows");
        match reasons.iter_mut().find(|(own, _)| *own == reason) {
            Some((_, keys)) => keys.push(key),
            None => reasons.push((reason, vec![key])),
        }
    }
    for (reason, keys) in reasons {
        page.quote_line(format!("{reason}: {}", keys.join(", ")));
    }
    if let (Some(score), Some(band)) = (all.rag_score, &all.band) {
        page.gap();
        let (n, of) = (all.rag_score_n, all.total_questions);
        page.line(format!("rag_score {score:.3} over {n} of {of} rows: {band}"));
    }
    if !all.recommendations.is_empty() {
        page.heading("missed targets");
    }
    for recommendation in &all.recommendations {
        page.quote_line(recommendation.as_str());
    }
}

/// The differences, and which of them chance hardly explains.
fn against(page: &mut Page, document: &Evaluate) {
    let Some(against) = &document.against else { return };
    let (file, pairs) = (&against.file, count(against.pairs, "question"));
    let (here, there) = (against.only_here, against.only_there);
    page.heading(format!(
        "these answers minus {file}: {pairs} in both, {here} only here, {there} only there"
    ));
    page.rows(against.compared.iter())
        .column("", |(key, _)| (*key).clone())
        .column("difference [95 % interval]", |(_, of)| {
            difference(of.delta, of.ci_low, of.ci_high)
        })
        .column("pairs", |(_, of)| of.n_pairs.to_string())
        .column("higher", |(_, of)| of.wins.to_string())
        .column("lower", |(_, of)| of.losses.to_string())
        .column("p (Holm)", |(key, _)| value(against.p_holm.get(*key).copied(), 3));
    page.line("p: paired randomisation test, two-sided, corrected for the number of scores");
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

/// A table of means with their names.
fn means<'a>(page: &mut Page, what: &str, rows: impl IntoIterator<Item = (&'a str, EvaluateMean)>) {
    page.rows(rows)
        .column(what, |(name, _)| (*name).to_owned())
        .column("mean", |(_, of)| value(of.mean, 3))
        .column("95 % interval", |(_, of)| interval(of.ci_low, of.ci_high))
        .column("min", |(_, of)| value(of.min, 3))
        .column("max", |(_, of)| value(of.max, 3))
        .column("rows", |(_, of)| of.count.to_string())
        .column("n/a", |(_, of)| of.n_a.to_string())
        .column("errors", |(_, of)| of.errors.to_string());
}
