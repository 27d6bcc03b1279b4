//! Tables that the report and the page share: the query set, failure modes, guardrails, removed terms.

use super::{Evaluation, Grid};
use crate::queries::QUERY_TYPES;
use crate::{FailureMode, RemovedTerms, Row};
use std::collections::{BTreeMap, BTreeSet};
use types::GuardrailKind;

/// What questions of a type test.
fn purpose(kind: &str) -> &'static str {
    match kind {
        "direct" => "a fact of one paper: is its passage found and quoted?",
        "synthesis" => "evidence from several papers: is each part found?",
        "edge" => "no answer, a wrong premise or an unusual form: is the answer withheld or limited?",
        _ => "",
    }
}

/// The questions by type, in the order of [`QUERY_TYPES`].
pub(super) fn query_set_grid(rows: &[Row]) -> Grid {
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
    let mut grid = Grid::new([
        "Type",
        "Queries",
        "Answerable",
        "Unanswerable",
        "Not labelled",
        "Purpose",
    ]);
    let mut total = [0; 3];
    let mut line = |name: &str, c: [usize; 3], purpose: &str| {
        grid.push([
            name.to_owned(),
            c.iter().sum::<usize>().to_string(),
            c[0].to_string(),
            c[1].to_string(),
            c[2].to_string(),
            purpose.to_owned(),
        ]);
    };
    for ((_, kind), c) in &counts {
        line(kind, *c, purpose(kind));
        (0..3).for_each(|at| total[at] += c[at]);
    }
    line("all", total, "");
    grid
}

/// How many rows of each mode have each failure mode, with its rule.
pub(super) fn failure_grid(evaluation: &Evaluation) -> Grid {
    let mut headers = vec!["Failure mode"];
    headers.extend(evaluation.failure_modes.keys());
    headers.push("A row has it if");
    let mut grid = Grid::new(headers);
    for mode in FailureMode::ALL {
        let counts = evaluation
            .failure_modes
            .iter()
            .map(|(_, counts)| counts.get(mode.key()));
        let counts = counts.map(|count| count.copied().unwrap_or_default().to_string());
        let first = std::iter::once(mode.title().to_owned());
        grid.push(first.chain(counts).chain([mode.definition().to_owned()]));
    }
    grid
}

/// How often each guardrail did what.
pub(super) fn guardrail_grid(rows: &[Row]) -> Grid {
    let mut counts: BTreeMap<(String, &str, &str), usize> = BTreeMap::new();
    for row in rows {
        for action in &row.guardrails {
            let key = (
                guardrail_name(action.guardrail),
                action.action.as_str(),
                row.mode.as_str(),
            );
            *counts.entry(key).or_default() += 1;
        }
    }
    let mut grid = Grid::new(["Guardrail", "Action", "Mode", "Times"]);
    for ((guardrail, action, mode), times) in counts {
        grid.push([&guardrail, action, mode, &times.to_string()]);
    }
    grid
}

/// The terms that the entity check did not find, by question and mode.
pub(super) fn removed_grid(terms: &[RemovedTerms]) -> Grid {
    let mut grid = Grid::new(["Query", "Mode", "Removed with their sentences", "Flagged"]);
    for found in terms {
        grid.push([
            found.query_id.clone(),
            found.mode.clone(),
            found.removed.join(", "),
            found.flagged.join(", "),
        ]);
    }
    grid
}

/// The name of a guardrail: one word, as in JSON.
pub(super) fn guardrail_name(kind: GuardrailKind) -> String {
    serde_json::to_value(kind)
        .ok()
        .and_then(|word| word.as_str().map(str::to_owned))
        .unwrap_or_default()
}
