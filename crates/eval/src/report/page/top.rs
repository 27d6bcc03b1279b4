//! What stands first: the verdict, the outcomes, and what to keep in mind.

use super::super::first_page::{asked, limits, outcomes};
use super::super::results::{lower_is_better, metric_grid};
use super::super::verdict::verdict;
use super::super::{Evaluation, controls_table, controls_verdict};
use super::table;
use crate::estimate::{EXACT_CLUSTERS, SAMPLED_EXCHANGES};
use maud::{Markup, html};

/// The head of the page.
pub(super) fn header(evaluation: &Evaluation) -> Markup {
    let provenance = &evaluation.provenance;
    let [first, second] = verdict(evaluation);
    let limits = limits(evaluation);
    html! {
        header {
            h1 { "Evaluation report" }
            p class="run" {
                "Run " code { (evaluation.summary.run_id) }
                @if !provenance.query_set.is_empty() { ", questions " code { (provenance.query_set) } }
                @if !provenance.config_hash.is_empty() { ", settings " code { (provenance.config_hash) } }
            }
            p class="verdict" { (first) " " (second) }
            p { (asked(evaluation)) }
            (table::table(&outcomes(evaluation), "Outcomes by mode"))
            @if !limits.is_empty() || !evaluation.notes.is_empty() {
                div class="limits" {
                    h2 { "What to keep in mind" }
                    ul {
                        @for limit in &limits { li { (limit) } }
                        @for note in &evaluation.notes { li { "Note: " (note) "." } }
                    }
                }
            }
        }
    }
}

/// Every metric, and the control systems where they were run.
pub(super) fn metrics(evaluation: &Evaluation) -> Markup {
    html! {
        p { "Mean with its 95 % interval. n: rows with a value; n/a: not applicable; err: should have a value and have none. " (lower_is_better()) }
        (table::table(&metric_grid(&evaluation.summary, false), "All metrics, after guardrails"))
        details class="data" {
            summary { "The same before guardrails" }
            (table::table(&metric_grid(&evaluation.summary, true), "Metrics of the generator's own output"))
        }
        details class="data" {
            summary { "What each metric measures, and how intervals and tests are made" }
            p { (methods()) }
            dl { @for spec in crate::metrics::specs() { dt { (spec.title) " (" code { (spec.key) } ")" } dd { (spec.definition) } } }
        }
        @if let Some(controls) = &evaluation.controls {
            h3 { "Can the questions detect a bad system?" }
            p {
                "Control systems with a built-in fault answered the same questions in mode " (controls.mode) ". p is paired, two-sided and \
                 corrected for all lines together (Holm). " (controls_verdict(controls))
            }
            (table::table(&controls_table(controls), "Control systems"))
        }
    }
}

/// How intervals and tests are made.
fn methods() -> String {
    format!(
        "Intervals are 95 %: Wilson for rates, a seeded bootstrap for other means (bias-corrected and accelerated, tails widened for \
         small samples); where all values are equal, a bound that follows from their number. Differences are paired by question: \
         exact McNemar test for rates of independent questions, paired randomisation for the rest (all exchanges up to \
         {EXACT_CLUSTERS} papers that differ, {SAMPLED_EXCHANGES} drawn at random beyond). Intervals and tests treat questions about the \
         same papers together. An interval excludes 0 exactly if the p of its metric alone is below 0.05; a difference is \
         significant if p, corrected for all metrics that can differ (Holm), is."
    )
}
