//! Two runs, question by question.

use crate::{
    page::Page,
    words::{LINES, count, difference, first_of, value},
};
use lab::eval::{
    Comparison,
    stored::{Compared, Side},
};

/// Settings that are listed; a comparison of other systems may differ in hundreds.
const DIFFERING: usize = 20;
/// Ids of questions without a partner that are listed; JSON has them all.
const IDS: usize = 20;

/// The comparisons, one after the other.
pub(in crate::commands) fn page(compared: &[Compared]) -> Page {
    let mut page = Page::new();
    for one in compared {
        add(&mut page, one);
    }
    page
}

fn add(page: &mut Page, one: &Compared) {
    page.heading(format!("{} minus {}", side(&one.first), side(&one.second)));
    page.line(format!("{} asked on both sides", count(one.pairs, "question")));
    for (what, ids) in [
        ("asked only on the first side", &one.only_first),
        ("asked only on the second side", &one.only_second),
        ("with the same id, but another text, left out", &one.asked_otherwise),
    ] {
        if !ids.is_empty() {
            page.line(format!("{} {what}: {}", count(ids.len(), "question"), first_of(ids, IDS)));
        }
    }
    differing(page, one);
    let p = |p: Option<f64>| match p {
        Some(p) if p < 0.001 => "< 0.001".to_owned(),
        p => value(p, 3),
    };
    let delta = |of: &Comparison| difference(of.delta, of.ci_low, of.ci_high);
    page.rows(&one.metrics)
        .column("Metric", |of| of.title.to_owned())
        .column("First", |of| value(of.first, 3))
        .column("Second", |of| value(of.second, 3))
        .column("Difference", |of| delta(&of.difference))
        .column("n", |of| of.difference.n_pairs.to_string())
        .column("p", |of| p(of.difference.p))
        .column("p (Holm)", |of| p(of.p_holm))
        .column("Won", |of| of.won.len().to_string())
        .column("Lost", |of| of.lost.len().to_string());
    let significant = one.metrics.iter().filter(|metric| metric.separates).map(|metric| {
        let better = if metric.won.len() > metric.lost.len() { "first" } else { "second" };
        format!("{} (better: the {better})", metric.title)
    });
    let significant: Vec<String> = significant.collect();
    page.line(if significant.is_empty() {
        "No difference is significant after Holm's correction.".to_owned()
    } else {
        format!("Significant after Holm's correction: {}.", significant.join(", "))
    });
    for metric in &one.metrics {
        for (what, ids) in [("won", &metric.won), ("lost", &metric.lost)] {
            if !ids.is_empty() {
                page.item(format!("{}, {what}: {}", metric.title, first_of(ids, LINES)));
            }
        }
    }
}

fn side(side: &Side) -> String {
    let name = side.name.as_ref().map(|name| format!(" {name:?}"));
    format!("{}{}, {}", side.run_id, name.unwrap_or_default(), side.mode)
}

fn differing(page: &mut Page, one: &Compared) {
    if one.differing.is_empty() {
        page.line("Settings, models and index are the same.");
        return;
    }
    for difference in one.differing.iter().take(DIFFERING) {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
        page.item(format!(
            "{}: {} instead of {}",
            difference.key,
            value(&difference.first),
            value(&difference.second)
        ));
    }
    if let more @ 1.. = one.differing.len().saturating_sub(DIFFERING) {
        page.item(format!("and {} more", count(more, "difference")));
    }
}
