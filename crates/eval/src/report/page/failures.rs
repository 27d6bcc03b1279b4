//! Failure modes, their rules, and the terms that the entity check removed.

use super::super::Evaluation;
use super::super::tables::{failure_grid, guardrail_grid, removed_grid};
use super::table;
use maud::{Markup, html};

/// The section.
pub(super) fn body(evaluation: &Evaluation) -> Markup {
    let removed = removed_grid(&evaluation.removed_terms);
    let guardrails = guardrail_grid(&evaluation.rows);
    html! {
        p { "Each failure mode is a rule over a row; a row can have several. The filter of the questions below lists the rows of each." }
        (table::table(&failure_grid(evaluation), "Rows by failure mode"))
        h3 { "What guardrails did" }
        @if guardrails.rows.is_empty() { p { "No guardrail acted." } }
        @else { (table::table(&guardrails, "Guardrail actions, all rows")) }
        h3 { "Terms that the entity check did not find in the context" }
        @if removed.rows.is_empty() { p { "None." } }
        @else { (table::table(&removed, "Removed and flagged terms by question and mode")) }
    }
}
