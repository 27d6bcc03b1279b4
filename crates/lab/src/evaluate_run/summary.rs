//! An evaluation of answers for pull requests and CI.

use contract::{Evaluate, EvaluateMean};
use eval::report::{self, Ended, Grid, TestCase, escape};
use std::fmt::Write;

/// Rows that are named because they fail.
const NAMED: usize = 10;

/// Whether the gates passed, the means, missed targets and failed rows. (Writing to a string cannot fail: the results of
/// `write!` are dropped.)
pub(super) fn markdown(document: &Evaluate) -> String {
    let metadata = &document.metadata;
    let mut out = String::from("# Evaluation\n\n");
    let gates = &document.gates;
    let failed = gates.iter().filter(|gate| !gate.passed).count();
    if !gates.is_empty() {
        let _ = match failed {
            0 => write!(out, "**Passed**: {} of {} gates.\n\n", gates.len(), gates.len()),
            _ => write!(out, "**Failed**: {failed} of {} gates.\n\n", gates.len()),
        };
        for gate in gates {
            let word = if gate.passed { "passed" } else { "failed" };
            let _ = writeln!(out, "- {word}: {}", escape(&gate.gate));
        }
        out.push('\n');
    }
    let _ = write!(
        out,
        "{} of {} rows of {}, judge {}.\n\n",
        metadata.total_tests,
        metadata.rows_in_file,
        escape(&metadata.test_results_file),
        escape(&metadata.evaluator_model)
    );
    out.push_str(&means(document).markdown());
    if let (Some(score), Some(band)) = (document.metrics.rag_score, &document.metrics.band) {
        let n = document.metrics.rag_score_n;
        let _ = writeln!(out, "\nrag\\_score {score:.3} over {n} rows: {band}.");
    }
    list(&mut out, "Missed targets", &document.metrics.recommendations);
    let failing = document.results.iter().filter(|(_, row)| row.auto_fail);
    let mut failing: Vec<String> = failing
        .map(|(id, row)| format!("{id}: {}", row.failure_reasons.join("; ")))
        .collect();
    let more = failing.len().saturating_sub(NAMED);
    failing.truncate(NAMED);
    if more > 0 {
        failing.push(format!("{more} more"));
    }
    list(&mut out, "Rows that fail", &failing);
    out
}

fn list(out: &mut String, title: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = write!(out, "\n## {title}\n\n");
    for line in lines {
        let _ = writeln!(out, "- {}", escape(line));
    }
}

/// The means that have a value: dimensions first.
fn means(document: &Evaluate) -> Grid {
    let mut grid = Grid::new(["", "Mean [95 % CI]", "Rows", "n/a", "Errors"]);
    let mut push = |name: String, own: &EvaluateMean| {
        let Some(mean) = own.mean else { return };
        let interval = match (own.ci_low, own.ci_high) {
            (Some(low), Some(high)) => format!(" [{low:.2}, {high:.2}]"),
            _ => String::new(),
        };
        grid.push([
            name,
            format!("{mean:.3}{interval}"),
            own.count.to_string(),
            own.n_a.to_string(),
            own.errors.to_string(),
        ]);
    };
    let summary = &document.summary;
    push("Overall score".to_owned(), &summary.overall);
    push("Dimension: faithfulness".to_owned(), &summary.faithfulness);
    push(
        "Dimension: answer relevance".to_owned(),
        &summary.answer_relevance,
    );
    push(
        "Dimension: citation quality".to_owned(),
        &summary.citation_quality,
    );
    push("Dimension: completeness".to_owned(), &summary.completeness);
    push("Dimension: correctness".to_owned(), &summary.correctness);
    push("Page recall".to_owned(), &summary.page_recall);
    for (key, metric) in &document.metrics.metrics {
        let own = EvaluateMean {
            mean: metric.mean,
            ci_low: metric.ci_low,
            ci_high: metric.ci_high,
            count: metric.n,
            n_a: metric.n_a,
            errors: metric.errors,
            ..EvaluateMean::default()
        };
        push(key.clone(), &own);
    }
    grid
}

/// Gates and rows as test cases.
pub(super) fn junit(document: &Evaluate) -> String {
    let ended = |passed: bool, why: &str| {
        if passed {
            Ended::Passed
        } else {
            Ended::Failed(why.to_owned())
        }
    };
    let gates = document.gates.iter().map(|gate| TestCase {
        class: "gates".to_owned(),
        // The value is the message, so that the name stays the same from run to run.
        name: gate.gate.split(' ').next().unwrap_or(&gate.gate).to_owned(),
        seconds: None,
        ended: ended(gate.passed, &gate.gate),
    });
    let rows = document.results.iter().map(|(id, row)| TestCase {
        class: "rows".to_owned(),
        name: id.clone(),
        seconds: None,
        ended: match &row.error {
            Some(error) => Ended::Error(error.clone()),
            None => ended(!row.auto_fail, &row.failure_reasons.join("; ")),
        },
    });
    let cases: Vec<TestCase> = gates.chain(rows).collect();
    report::junit("pipeline evaluate", &cases)
}
