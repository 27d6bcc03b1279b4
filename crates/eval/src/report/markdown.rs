//! The report for people: the verdict first, settings last, the sections of the Phase report between.
//! (Writing to a string cannot fail: the results of `write!` are dropped.)

use super::results::{abstention_table, confidence_table, lower_is_better, metric_grid, query_grid};
use super::{
    Evaluation, Grid, closing, controls, escape, failure_section, first_page, glossary, groups, verdicts,
};
use crate::queries::QUERY_TYPES;
use crate::{Reliability, Row};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Renders everything.
pub(super) fn render(evaluation: &Evaluation) -> String {
    let sections = [
        head(evaluation),
        first_page::section(evaluation),
        query_set(&evaluation.rows),
        glossary::section(),
        summary(evaluation),
        per_query(evaluation),
        failure_section::section(&evaluation.rows),
        comparison(evaluation),
        closing::cost(evaluation),
        closing::reproducibility(evaluation),
        closing::settings(evaluation),
    ];
    sections.join("\n")
}

fn head(evaluation: &Evaluation) -> String {
    let mut out = format!("# Evaluation report {}\n", escape(&evaluation.summary.run_id));
    for note in &evaluation.notes {
        let _ = write!(out, "\n> Note: {}.\n", escape(note));
    }
    out
}

fn query_set(rows: &[Row]) -> String {
    let mut seen = BTreeSet::new();
    let mut counts: BTreeMap<(usize, &str), [usize; 3]> = BTreeMap::new();
    for row in rows.iter().filter(|row| seen.insert(row.query_id.as_str())) {
        let place = QUERY_TYPES
            .iter()
            .position(|kind| *kind == row.kind)
            .unwrap_or(QUERY_TYPES.len());
        let column = match row.expected_no_evidence {
            Some(false) => 0,
            Some(true) => 1,
            None => 2,
        };
        counts.entry((place, &row.kind)).or_default()[column] += 1;
    }
    let mut grid = Grid::new(["Type", "Queries", "Answerable", "Unanswerable", "Not labelled"]);
    let mut total = [0; 3];
    let mut line = |name: &str, c: [usize; 3]| {
        grid.push([
            name.to_owned(),
            c.iter().sum::<usize>().to_string(),
            c[0].to_string(),
            c[1].to_string(),
            c[2].to_string(),
        ]);
    };
    for ((_, kind), c) in &counts {
        line(kind, *c);
        (0..3).for_each(|at| total[at] += c[at]);
    }
    line("all", total);
    format!("## 2. Query set\n\n{}", grid.markdown())
}

fn summary(evaluation: &Evaluation) -> String {
    let summary = &evaluation.summary;
    let mut out = format!(
        "## 4. Summary results\n\n{}\n{}\n",
        metric_grid(summary, false).markdown(),
        lower_is_better()
    );
    if evaluation.provenance.extractive() {
        out.push_str(
            "\nThe generator copies sentences verbatim: citation precision, quote accuracy, claim support, \
             citation support, faithfulness, its grade, groundedness and hallucinations have their best values by \
             construction and are not a finding. Gold recall, correctness, confidence and abstention are what can \
             differ between modes.\n",
        );
    }
    let _ = write!(
        out,
        "\n### 4.1 Before guardrails\n\n{}",
        metric_grid(summary, true).markdown()
    );
    let _ = write!(
        out,
        "\n### 4.2 Answering and refusing\n\n\"Always answer\" and \"always refuse\" are the accuracies of systems that \
         do nothing else, on the same rows.\n\n{}",
        abstention_table(summary).markdown()
    );
    let levels = |reliability: &Reliability| !reliability.levels.is_empty();
    if summary
        .confidence
        .iter()
        .any(|(_, reliability)| levels(reliability))
    {
        let _ = write!(
            out,
            "\nAnswers by the confidence that they state. An answer is right if it shows at least one gold quote; an answer \
             to an unanswerable question is wrong.\n\n{}",
            confidence_table(summary).markdown()
        );
    }
    out.push_str(&groups::sections(summary));
    if let Some(run) = &evaluation.controls {
        out.push_str(&controls::section(run));
    }
    out
}

fn per_query(evaluation: &Evaluation) -> String {
    let mut out = "## 5. Per-query results\n".to_owned();
    for (at, mode) in evaluation.summary.modes.keys().enumerate() {
        let rows: Vec<&Row> = evaluation.rows.iter().filter(|r| r.mode == mode).collect();
        let _ = write!(
            out,
            "\n### 5.{} {}\n\n{}",
            at + 1,
            escape(mode),
            query_grid(&rows).markdown()
        );
    }
    out
}

fn comparison(evaluation: &Evaluation) -> String {
    let sentences = verdicts(&evaluation.summary, &evaluation.rows, &evaluation.provenance);
    let Some([first, second]) = &evaluation.summary.compared else {
        let modes: Vec<String> = evaluation.summary.modes.keys().map(escape).collect();
        return format!(
            "## 7. Comparison\n\nAll rows are of mode {}: there is nothing to compare.\n",
            modes.join(", ")
        );
    };
    let mut out = format!(
        "## 7. Comparison: {} against {}\n\n\"Improved\" and \"degraded\" appear only where the paired test is \
         significant. A test that is not significant does not show that there is no difference.\n\n",
        escape(first),
        escape(second)
    );
    for sentence in sentences
        .into_iter()
        .chain(first_page::same_candidates(&evaluation.summary))
    {
        let _ = writeln!(out, "- {}", escape(&sentence));
    }
    out
}
