//! The metrics of the card, and four numbers that can differ.

use super::GOLD_IN_CONTEXT;
use super::verdict::held;
use crate::page::{Mark, Page, Plot};
use crate::words::{corrected, difference_of, or_none, value};
use eval::metrics;
use eval::report::Evaluation;

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

/// The four numbers with their intervals, and how they differ.
pub(crate) fn four_numbers(page: &mut Page, evaluation: &Evaluation) {
    let summary = &evaluation.summary;
    let mut plot = Plot::new("What can differ, with 95 % intervals", summary.modes.keys());
    if let Some([first, second]) = &summary.compared {
        plot.more = vec![format!("{first} − {second}"), "p (Holm)".to_owned()];
    }
    for key in NUMBERS {
        let marks = summary.modes.iter().map(|(_, metrics)| metrics.get(key).and_then(Mark::mean));
        let found = summary.comparison.get(key).filter(|_| summary.compared.is_some());
        let more = found.map(|found| {
            let needed = found.more_questions().map(|n| format!(", {n} more"));
            vec![difference_of(found), corrected(found) + &needed.unwrap_or_default()]
        });
        plot.row(metrics::title(key), marks, more.unwrap_or_default());
    }
    let is_checked = plot.rows.iter().any(|row| row.label == metrics::title("matched"));
    page.plot(plot);
    if !is_checked {
        page.line("Matched: not checked.");
    }
    let needs_more = |key: &&str| {
        let found = summary.comparison.get(key);
        found.is_some_and(|found| found.more_questions().is_some())
    };
    if NUMBERS.iter().any(needs_more) {
        page.line("More: so many more questions of this kind would separate a difference of this size.");
    }
}
