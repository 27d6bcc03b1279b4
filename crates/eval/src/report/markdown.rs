//! The report for people, in the sections of the Phase report. (Writing to a string cannot fail: the results
//! of `write!` are dropped.)

use super::results::{abstention_table, metric_grid, query_grid};
use super::{Evaluation, Grid, controls, escape, failures, groups, verdicts};
use crate::metrics::METRICS;
use crate::queries::QUERY_TYPES;
use crate::stats::{EXACT_PAIRS, SAMPLED_FLIPS};
use crate::{Ordered, Row, Unsupported};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use types::Usage;

/// Renders everything.
pub(super) fn render(evaluation: &Evaluation) -> String {
    let sections = [
        head(evaluation),
        architecture(evaluation),
        query_set(&evaluation.rows),
        metrics(),
        summary(evaluation),
        per_query(evaluation),
        failure_cases(&evaluation.rows),
        comparison(evaluation),
        reproducibility(evaluation),
    ];
    sections.join("\n")
}

fn head(evaluation: &Evaluation) -> String {
    let rows = &evaluation.rows;
    let failed = rows.iter().filter(|r| r.error.is_some()).count();
    let queries: BTreeSet<&str> = rows.iter().map(|r| r.query_id.as_str()).collect();
    let modes: Vec<String> = evaluation.summary.modes.keys().map(escape).collect();
    let mut out = format!(
        "# Evaluation report {}\n\n{} queries in {} mode(s) ({}), {} rows, {failed} of them without an answer.\n",
        escape(&evaluation.summary.run_id),
        queries.len(),
        modes.len(),
        modes.join(", "),
        rows.len(),
    );
    for note in &evaluation.notes {
        let _ = write!(out, "\n> Note: {}\n", escape(note));
    }
    out
}

fn architecture(evaluation: &Evaluation) -> String {
    let mut by_section: Ordered<Vec<(&str, &str)>> = Ordered::default();
    for setting in &evaluation.provenance.architecture {
        by_section
            .entry(&setting.section)
            .push((&setting.key, &setting.value));
    }
    let mut out = "## 1. Pipeline architecture, as configured\n".to_owned();
    if by_section.is_empty() {
        out.push_str("\nThe settings of this run are not known.\n");
    }
    for (at, (section, settings)) in by_section.iter().enumerate() {
        let mut grid = Grid::new(["Setting", "Value"]);
        for (key, value) in settings {
            grid.push([*key, *value]);
        }
        let _ = write!(
            out,
            "\n### 1.{} {}\n\n{}",
            at + 1,
            escape(section),
            grid.markdown()
        );
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

fn metrics() -> String {
    let mut grid = Grid::new(["Metric", "Key", "Definition"]);
    for metric in &METRICS {
        grid.push([metric.title, metric.key, metric.definition]);
    }
    format!(
        "## 3. Metrics\n\n{}\nEach metric about the response is computed twice: on the response as given (section \
         4) and on the generator's own output before guardrails (section 4.1, keys ending in `_raw`). All lie \
         between 0 and 1, higher is better. Every row is a value, not applicable (n/a) or an error, and all three \
         are counted. Intervals are 95 %: Wilson's for rates, a seeded bootstrap (bias-corrected and accelerated, \
         tails widened for small samples, drawn by context) for other means; where all values are equal, a bound from their number, so that no \
         interval has zero width. Differences are paired by query: exact McNemar for rates, paired randomisation \
         for the rest (all sign assignments up to {EXACT_PAIRS} unequal pairs, {SAMPLED_FLIPS} drawn beyond). p is \
         two-sided and not corrected for the number of metrics.\n",
        grid.markdown()
    )
}

fn summary(evaluation: &Evaluation) -> String {
    let summary = &evaluation.summary;
    let mut out = format!(
        "## 4. Summary results\n\n{}",
        metric_grid(summary, false).markdown()
    );
    if evaluation.provenance.extractive() {
        out.push_str(
            "\nThe generator copies sentences verbatim: citation precision, quote accuracy, claim support, \
             faithfulness and groundedness hold by construction and are not a finding. What separates modes here \
             is gold recall, correctness and abstention.\n",
        );
    }
    if evaluation.provenance.self_judged() {
        out.push_str(
            "\nThe judge is the generator's own model: its word on faithfulness is not an independent one.\n",
        );
    }
    let _ = write!(
        out,
        "\n### 4.1 Before guardrails\n\n{}",
        metric_grid(summary, true).markdown()
    );
    let _ = write!(
        out,
        "\n### 4.2 Abstention\n\nAlways answer and always refuse are what trivial systems reach on the same \
         rows.\n\n{}",
        abstention_table(summary).markdown()
    );
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

fn failure_cases(rows: &[Row]) -> String {
    let failing: Vec<(&Row, Vec<String>)> = rows
        .iter()
        .map(|row| (row, failures(row)))
        .filter(|(_, f)| !f.is_empty())
        .collect();
    let mut out = format!(
        "## 6. Failure cases\n\n{} of {} rows fail in some way.\n",
        failing.len(),
        rows.len()
    );
    for (at, (row, what)) in failing.iter().enumerate() {
        let _ = write!(
            out,
            "\n### 6.{} {} ({}, {})\n\n**Question:** {}\n\n",
            at + 1,
            escape(&row.query_id),
            escape(&row.kind),
            escape(&row.mode),
            escape(&row.query)
        );
        if !row.preview.is_empty() {
            let _ = write!(out, "**Answer:** {}\n\n", escape(&row.preview));
        }
        for what in what {
            let _ = writeln!(out, "- {}", escape(what));
        }
        for claim in &row.unsupported {
            out.push_str(&unsupported(claim));
        }
        for action in &row.guardrails {
            let _ = writeln!(
                out,
                "- Guardrail {} {}: {} ({})",
                guardrail(action.guardrail),
                escape(&action.action),
                escape(&action.subject),
                escape(&action.reason)
            );
        }
    }
    out.push_str(&guardrail_counts(rows));
    out
}

fn unsupported(claim: &Unsupported) -> String {
    let cited: Vec<String> = claim.cited.iter().map(|id| escape(id.as_str())).collect();
    format!(
        "- Unsupported: \"{}\" (cites {}; support {:.2}; {})\n",
        escape(&claim.claim),
        if cited.is_empty() {
            "nothing".to_owned()
        } else {
            cited.join(", ")
        },
        claim.score,
        escape(&claim.reason)
    )
}

fn guardrail(kind: types::GuardrailKind) -> &'static str {
    match kind {
        types::GuardrailKind::Topic => "topic",
        types::GuardrailKind::Citation => "citation",
        types::GuardrailKind::Entity => "entity",
        types::GuardrailKind::Support => "support",
        types::GuardrailKind::Schema => "schema",
    }
}

fn guardrail_counts(rows: &[Row]) -> String {
    let mut counts: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    for row in rows {
        for action in &row.guardrails {
            *counts
                .entry((guardrail(action.guardrail), &action.action, &row.mode))
                .or_default() += 1;
        }
    }
    if counts.is_empty() {
        return "\nNo guardrail acted.\n".to_owned();
    }
    let mut grid = Grid::new(["Guardrail", "Action", "Mode", "Times"]);
    for ((guardrail, action, mode), times) in counts {
        grid.push([guardrail, action, mode, &times.to_string()]);
    }
    format!("\n### Guardrail actions, all rows\n\n{}", grid.markdown())
}

fn comparison(evaluation: &Evaluation) -> String {
    let sentences = verdicts(&evaluation.summary, &evaluation.rows, &evaluation.provenance);
    let Some([first, second]) = &evaluation.summary.compared else {
        return "## 7. Comparison\n\nOne mode was run; there is nothing to compare.\n".to_owned();
    };
    let mut out = format!(
        "## 7. Comparison: {} against {}\n\n\"Improved\" and \"degraded\" stand only where the paired test \
         separates; that a test does not separate does not show that there is no difference.\n\n",
        escape(first),
        escape(second)
    );
    for sentence in sentences {
        let _ = writeln!(out, "- {}", escape(&sentence));
    }
    out
}

fn reproducibility(evaluation: &Evaluation) -> String {
    let from = &evaluation.provenance;
    let mut grid = Grid::new(["What", "Value"]);
    let mut line = |what: &str, value: &str| {
        grid.push([what, if value.is_empty() { "not known" } else { value }]);
    };
    line("Run", &evaluation.summary.run_id);
    line("Configuration hash", &from.config_hash);
    line("Query set", &from.query_set);
    line("Query set hash", &from.query_set_hash);
    line("Index generation", &from.generation);
    line("Version", &from.version);
    line("Commit", &from.git_commit);
    line("Seed of intervals and tests", &from.seed.to_string());
    for (role, model) in &from.models {
        line(&format!("Model, {role}"), model);
    }
    let mut usage = Usage::default();
    evaluation
        .rows
        .iter()
        .filter_map(|r| r.judge_usage)
        .for_each(|u| usage.add(u));
    if usage.requests > 0 {
        line(
            "Judge: requests, tokens read, tokens written",
            &format!(
                "{}, {}, {}",
                usage.requests, usage.prompt_tokens, usage.completion_tokens
            ),
        );
    }
    format!("## 8. Reproducibility\n\n{}", grid.markdown())
}
