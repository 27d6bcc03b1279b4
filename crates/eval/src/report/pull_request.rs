//! A run on half a page of Markdown, for a comment on a pull request.

use super::{Ended, Evaluation, Grid, TestCase, escape, first_page};
use crate::GateResult;
use std::fmt::Write;

/// Whether the gates passed, and the first section of the report. (Writing to a string cannot fail: the results of `write!` are
/// dropped.)
pub fn pull_request(evaluation: &Evaluation, gates: &[GateResult]) -> String {
    let failed = gates.iter().filter(|gate| !gate.passed).count();
    let mut out = String::from("# Evaluation\n\n");
    if !gates.is_empty() {
        let _ = match failed {
            0 => write!(out, "**Passed**: {} of {} gates.\n\n", gates.len(), gates.len()),
            _ => write!(out, "**Failed**: {failed} of {} gates.\n\n", gates.len()),
        };
        let mut table = Grid::new(["Gate", "Result"]);
        for gate in gates {
            let result = if gate.passed { "passed" } else { "failed" };
            table.push([gate.to_string(), result.to_owned()]);
        }
        out.push_str(&table.markdown());
        out.push('\n');
    }
    out.push_str(&first_page::section(evaluation).replacen("## 1. Verdict", "## Verdict", 1));
    let provenance = &evaluation.provenance;
    let _ = write!(
        out,
        "\nQuery set {}, settings {}, run {}.\n",
        escape(&provenance.query_set),
        escape(&provenance.config_hash),
        escape(&evaluation.summary.run_id)
    );
    out
}

/// The gates, then the rows: a gate that did not pass is a failure, a row without an answer or a verdict an error.
pub fn test_cases(evaluation: &Evaluation, gates: &[GateResult]) -> Vec<TestCase> {
    let gates = gates.iter().map(|result| TestCase {
        class: "gates".to_owned(),
        name: match result.mode.as_str() {
            "" => result.gate.to_string(),
            mode => format!("{} in mode {mode}", result.gate),
        },
        seconds: None,
        ended: if result.passed {
            Ended::Passed
        } else {
            Ended::Failed(result.to_string())
        },
    });
    let rows = evaluation.rows.iter().map(|row| TestCase {
        class: row.mode.clone(),
        name: row.query_id.clone(),
        seconds: row.timings_ms.get("total").map(|ms| ms / 1000.0),
        ended: match &row.error {
            Some(error) => Ended::Error(error.clone()),
            None if row.pending => Ended::Error("pending: the judge could not be reached".to_owned()),
            None => Ended::Passed,
        },
    });
    gates.chain(rows).collect()
}
