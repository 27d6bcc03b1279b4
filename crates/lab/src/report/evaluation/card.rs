//! The metrics of the card, and four numbers that can differ.

use super::GOLD_IN_CONTEXT;
use super::verdict::held;
use crate::report::page::Page;
use crate::report::words::{corrected, difference_of, or_none, value};
use eval::report::Evaluation;
use eval::{MetricSummary, metrics};

/// The card's metrics.
pub(crate) const CARD: [&str; 3] = ["citation_precision", "faithful", "no_evidence_accuracy"];

/// What can differ: decisions, content, evidence.
const NUMBERS: [&str; 4] = ["coverage", "unanswerable_accuracy", "matched", GOLD_IN_CONTEXT];

/// The table of the card: each mode, their difference, and what systems score that decide without looking.
pub(crate) fn card(page: &mut Page, evaluation: &Evaluation) {
    let summary = &evaluation.summary;
    let title = |key: &str| {
        let held = metrics::find(key).map_or("", |column| held(evaluation, column.spec(), key));
        metrics::title(key) + held
    };
    let mut rows = page.rows(CARD).caption("The card's metrics").column("Metric", |key| title(key));
    for (mode, metrics) in summary.modes.iter() {
        rows = rows.column(mode, |key| value(metrics.get(key).and_then(|metric| metric.mean), 3));
    }
    if let Some([first, second]) = &summary.compared {
        rows = rows.column(format!("{first} − {second}"), |key| {
            or_none(summary.comparison.get(key), difference_of)
        });
    }
    let trivial = |key: &str, share: Option<f64>| {
        or_none(share.filter(|_| key == "no_evidence_accuracy"), |s| format!("{s:.3}"))
    };
    if let Some((_, table)) = summary.abstention.iter().find(|(_, table)| table.n > 0) {
        rows.column("Always answering", |key| trivial(key, table.always_answer))
            .column("Always refusing", |key| trivial(key, table.always_refuse));
    }
}

/// `0.756 [0.70, 0.81]`, if there is a value.
fn with_interval(metric: &MetricSummary) -> Option<String> {
    Some(format!("{:.3} [{:.2}, {:.2}]", metric.mean?, metric.ci_low?, metric.ci_high?))
}

/// The four numbers with their intervals, and how they differ.
pub(crate) fn four_numbers(page: &mut Page, evaluation: &Evaluation) {
    let summary = &evaluation.summary;
    let has_value = |key: &&str| {
        summary.modes.iter().any(|(_, all)| all.get(key).is_some_and(|metric| metric.mean.is_some()))
    };
    let known: Vec<&str> = NUMBERS.into_iter().filter(has_value).collect();
    let is_checked = known.contains(&"matched");
    let mut rows = page
        .rows(known)
        .caption("What can differ, with 95 % intervals")
        .column("Metric", |key| metrics::title(key));
    for (mode, metrics) in summary.modes.iter() {
        rows = rows.column(mode, |key| or_none(metrics.get(key).and_then(with_interval), |text| text));
    }
    let found = |key: &str| summary.comparison.get(key);
    if let Some([first, second]) = &summary.compared {
        rows.column(format!("{first} − {second}"), |key| or_none(found(key), difference_of)).column(
            "p (Holm)",
            |key| {
                or_none(found(key), |found| {
                    let needed = found.more_questions().map(|n| format!(", {n} more"));
                    corrected(found) + &needed.unwrap_or_default()
                })
            },
        );
    }
    if !is_checked {
        page.line("Matched: not checked.");
    }
    if NUMBERS.iter().any(|key| found(key).is_some_and(|found| found.more_questions().is_some())) {
        page.line("More: so many more questions of this kind would separate a difference of this size.");
    }
}
