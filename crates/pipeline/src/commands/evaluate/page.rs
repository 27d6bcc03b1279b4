//! Scores of answers, for people.

use crate::{
    document,
    page::Page,
    words::{count, interval, value},
};
use lab::{
    eval::{MetricSummary, OFFLINE_JUDGE, REFUSAL, Score},
    evaluate_run::{Evaluate, EvaluateMean, EvaluateResult},
};

/// Rows that are named of each kind.
const NAMED: usize = 10;
/// Below this overall score a row is named.
const LOW: f64 = 0.7;

/// Whether gates passed, what passes and what fails, means with their intervals, missed targets, and rows with low scores.
pub(super) fn page(document: &Evaluate) -> Page {
    let (metadata, all) = (&document.metadata, &document.metrics);
    let mut page = Page::new();
    page.document("Evaluation of answers");
    lab::report::evaluation::gates(&mut page, &document.gates);
    let (file, rows, in_file) = (&metadata.test_results_file, metadata.total_tests, metadata.rows_in_file);
    page.line(format!("{file}: {rows} of {in_file} rows; judge {}", metadata.evaluator_model));
    page.line(outcomes(document));
    if metadata.evaluator_model.starts_with("lexical") {
        page.line(OFFLINE_JUDGE);
    }
    page.gap();
    passes(&mut page, document);
    if let (Some(score), Some(band)) = (all.rag_score, all.band) {
        let (n, of) = (all.rag_score_n, all.total_questions);
        page.line(if n == of {
            format!("rag_score {score:.3}: {}", band.as_str())
        } else {
            format!("rag_score {score:.3} over the {n} of {of} rows that have one")
        });
    }
    low(&mut page, document);
    metrics(&mut page, document);
    against(&mut page, document);
    page
}

/// How many rows are right, answered and refused.
fn outcomes(document: &Evaluate) -> String {
    let rows = || document.results.values();
    let right = |wanted| rows().filter(|row| row.correctness.score == Some(wanted)).count();
    let empty = |row: &&EvaluateResult| row.answer.as_deref().is_none_or(|answer| answer.trim().is_empty());
    let refuses = |row: &&EvaluateResult| matches!(row.metrics.get("faithful"), Some(Score::NotApplicable(reason)) if reason == REFUSAL);
    let (refused, without) = (rows().filter(refuses).count(), rows().filter(empty).count());
    let answered = document.results.len().saturating_sub(refused + without);
    let known = right(true) + right(false);
    let right = match known {
        0 => "right: n/a without reference answers".to_owned(),
        _ => format!("right: {} of {known} with a reference answer", right(true)),
    };
    let without = if without > 0 { format!(", {without} without an answer") } else { String::new() };
    format!("{right}; {answered} answered, {refused} refused{without}")
}

/// How many rows pass and fail each criterion that is decided with yes or no.
fn passes(page: &mut Page, document: &Evaluate) {
    type Decided = fn(&EvaluateResult) -> Option<bool>;
    let criteria: [(&str, Decided); 6] = [
        ("relevance", |row| row.relevance.score),
        ("groundedness", |row| row.groundedness.score),
        ("retrieval_relevance", |row| row.retrieval_relevance.score),
        ("correctness", |row| row.correctness.score),
        ("overall", |row| row.overall_pass),
        ("no automatic failure", |row| Some(!row.auto_fail)),
    ];
    let tally = |decided: Decided| {
        let rows = || document.results.values().map(decided);
        let of = |wanted| rows().filter(|own| *own == wanted).count();
        [of(Some(true)), of(Some(false)), of(None)]
    };
    page.rows(criteria.map(|(name, decided)| (name, tally(decided))))
        .caption("Rows that pass")
        .column("criterion", |(name, _)| (*name).to_owned())
        .column("pass", |(_, of)| of[0].to_string())
        .column("fail", |(_, of)| of[1].to_string())
        .column("n/a", |(_, of)| of[2].to_string())
        .column("rate", |(_, of)| match of[0] + of[1] {
            0 => "n/a".to_owned(),
            n => format!("{:.3}", of[0] as f64 / n as f64),
        });
    page.gap();
}

/// Every metric that has a value, why others have none, and what to do about missed targets.
fn metrics(page: &mut Page, document: &Evaluate) {
    let all = &document.metrics;
    let has_value = |(_, metric): &(&str, &MetricSummary)| metric.n > 0 || metric.errors > 0;
    let (with, without): (Vec<_>, Vec<_>) = all.metrics.iter().partition(has_value);
    let with = with.iter().map(|(key, metric)| (*key, EvaluateMean::from(*metric)));
    // The dimensions are metrics, too.
    let overall = document.summary.iter().filter(|(key, _)| key.starts_with("overall"));
    page.gap();
    page.rows(overall.map(|(key, mean)| (key, mean.clone())).chain(with))
        .column("metrics", |(name, _)| (*name).to_owned())
        .column("mean", |(_, of)| value(of.mean, 3))
        .column("95 % interval", |(_, of)| interval(of.ci_low, of.ci_high))
        .column("min", |(_, of)| value(of.min, 3))
        .column("max", |(_, of)| value(of.max, 3))
        .column("rows", |(_, of)| of.count.to_string())
        .column("n/a", |(_, of)| of.n_a.to_string())
        .column("errors", |(_, of)| of.errors.to_string());
    if !all.recommendations.is_empty() {
        page.heading("Missed targets");
    }
    for target in all.targets.iter().filter(|target| !target.met) {
        page.item(target.to_string());
    }
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (key, _) in without {
        let mut rows = document.results.values();
        let reason = rows.find_map(|row| match row.metrics.get(key) {
            Some(Score::NotApplicable(reason)) => Some(reason.as_str()),
            _ => None,
        });
        let reason = reason.unwrap_or("there are no rows");
        match reasons.iter_mut().find(|(own, _)| *own == reason) {
            Some((_, keys)) => keys.push(key),
            None => reasons.push((reason, vec![key])),
        }
    }
    let mut body = Page::new();
    for (reason, keys) in reasons {
        body.item(format!("{reason}: {}", keys.join(", ")));
    }
    page.folded("Metrics without a value in any row", body);
}

/// The differences, and which of them chance hardly explains.
fn against(page: &mut Page, document: &Evaluate) {
    let Some(against) = &document.against else { return };
    let (file, pairs) = (&against.file, count(against.pairs, "question"));
    let (here, there) = (against.only_here, against.only_there);
    page.heading(format!(
        "these answers minus {file}: {pairs} in both, {here} only here, {there} only there"
    ));
    let compared = serde_json::to_value(&against.compared).unwrap_or_default();
    page.append(document::page(&compared, &[]));
    page.line("p: paired randomisation test, two-sided, corrected for the number of scores");
}

/// Rows that fail automatically or fail a criterion, and those with low overall scores, with the reasons.
fn low(page: &mut Page, document: &Evaluate) {
    let rows = || document.results.iter();
    let failing = rows().filter(|(_, row)| row.auto_fail);
    listed(
        page,
        "Rows that fail",
        failing.map(|(id, row)| format!("{id}: {}", row.failure_reasons.join("; "))),
    );
    let others = rows().filter(|(_, row)| !row.auto_fail).filter_map(|(id, row)| {
        let all = [
            ("relevance", &row.relevance),
            ("groundedness", &row.groundedness),
            ("retrieval_relevance", &row.retrieval_relevance),
            ("correctness", &row.correctness),
        ];
        let failed = all.into_iter().filter(|(_, pass)| pass.score == Some(false));
        let failed: Vec<String> =
            failed.map(|(name, pass)| format!("{name} ({})", pass.explanation)).collect();
        (!failed.is_empty()).then(|| format!("{id}: {}", failed.join("; ")))
    });
    listed(page, "Other rows that fail a criterion", others);
    let mut low: Vec<(f64, &str, &EvaluateResult)> = rows()
        .filter_map(|(id, row)| Some((row.overall_score.filter(|score| *score < LOW)?, id, row)))
        .collect();
    low.sort_by(|a, b| a.0.total_cmp(&b.0));
    let low = low.into_iter().map(|(score, id, row)| format!("{score:.3} {id}: {}", reasons(row)));
    listed(page, "Lowest overall scores", low);
}

/// The first of some rows below a heading, and how many more there are.
fn listed(page: &mut Page, heading: &str, rows: impl Iterator<Item = String>) {
    let rows: Vec<String> = rows.collect();
    if !rows.is_empty() {
        page.heading(heading);
    }
    for row in rows.iter().take(NAMED) {
        page.item(row.as_str());
    }
    page.tally(rows.len().saturating_sub(NAMED), "more row", "of this kind");
}

/// Why the dimensions of a row that are below [`LOW`] are low, in the judge's words.
fn reasons(row: &EvaluateResult) -> String {
    let low = row.evaluations.iter().filter_map(|(name, of)| {
        let score = of.score.filter(|score| *score < LOW)?;
        Some(format!("{} {score:.2} ({})", name.replace('_', " "), of.reasoning))
    });
    low.collect::<Vec<_>>().join("; ")
}
