//! Two runs, question by question.

use crate::{
    sheet::Sheet,
    words::{LINES, count, first_of},
};
use contract::{ModesCompared, RunMeasured, RunSide};

/// Settings that are listed; a comparison of other systems may differ in hundreds.
const DIFFERING: usize = 20;
/// Ids of questions without a partner that are listed; JSON has them all.
const IDS: usize = 20;

/// The comparisons, one after the other.
pub(in crate::commands) fn sheet(compared: &[ModesCompared]) -> Sheet {
    let mut sheet = Sheet::default();
    add(&mut sheet, compared);
    sheet
}

/// Adds comparisons to a sheet.
pub(super) fn add(sheet: &mut Sheet, compared: &[ModesCompared]) {
    for one in compared {
        one_pair(sheet, one);
    }
}

fn one_pair(sheet: &mut Sheet, one: &ModesCompared) {
    sheet.heading(format!("{} minus {}", side(&one.first), side(&one.second)));
    sheet.line(format!(
        "{} asked on both sides",
        count(one.pairs as u64, "question")
    ));
    for (what, ids) in [
        ("asked only on the first side", &one.only_first),
        ("asked only on the second side", &one.only_second),
        (
            "with the same id, but another text, left out",
            &one.asked_otherwise,
        ),
    ] {
        if !ids.is_empty() {
            let number = count(ids.len() as u64, "question");
            sheet.line(format!("{number} {what}: {}", first_of(ids, IDS)));
        }
    }
    differing(sheet, one);
    let rows = one.metrics.iter().map(cells).collect();
    sheet.table(
        &[
            "Metric",
            "First",
            "Second",
            "Difference",
            "n",
            "p",
            "p (Holm)",
            "Won",
            "Lost",
        ],
        rows,
    );
    let significant: Vec<String> = one
        .metrics
        .iter()
        .filter(|metric| metric.separates)
        .map(|metric| {
            let better = if metric.won.len() > metric.lost.len() {
                "first"
            } else {
                "second"
            };
            format!("{} (better: the {better})", metric.title)
        })
        .collect();
    sheet.line(if significant.is_empty() {
        "No difference is significant after Holm's correction.".to_owned()
    } else {
        format!("Significant after Holm's correction: {}.", significant.join(", "))
    });
    for metric in one.metrics.iter().filter(|metric| changed(metric)) {
        for (what, ids) in [("won", &metric.won), ("lost", &metric.lost)] {
            if !ids.is_empty() {
                sheet.item(format!("{}, {what}: {}", metric.title, first_of(ids, LINES)));
            }
        }
    }
}

fn changed(metric: &RunMeasured) -> bool {
    !metric.won.is_empty() || !metric.lost.is_empty()
}

fn side(side: &RunSide) -> String {
    let name = side.name.as_ref().map(|name| format!(" {name:?}"));
    format!("{}{}, {}", side.run_id, name.unwrap_or_default(), side.mode)
}

fn differing(sheet: &mut Sheet, one: &ModesCompared) {
    if one.differing.is_empty() {
        sheet.line("Settings, models and index are the same.");
        return;
    }
    for difference in one.differing.iter().take(DIFFERING) {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
        sheet.item(format!(
            "{}: {} instead of {}",
            difference.key,
            value(&difference.first),
            value(&difference.second)
        ));
    }
    if let more @ 1.. = one.differing.len().saturating_sub(DIFFERING) {
        sheet.item(format!("and {} more", count(more as u64, "difference")));
    }
}

fn cells(metric: &RunMeasured) -> Vec<String> {
    let none = || "–".to_owned();
    let mean = |value: Option<f64>| value.map_or_else(none, |value| format!("{value:.3}"));
    let p = |p: Option<f64>| match p {
        None => none(),
        Some(p) if p < 0.001 => "< 0.001".to_owned(),
        Some(p) => format!("{p:.3}"),
    };
    let compared = &metric.difference;
    let difference = match (compared.delta, compared.ci_low, compared.ci_high) {
        (Some(delta), Some(low), Some(high)) => format!("{delta:+.3} [{low:+.2}, {high:+.2}]"),
        _ => none(),
    };
    vec![
        metric.title.clone(),
        mean(metric.first),
        mean(metric.second),
        difference,
        compared.n_pairs.to_string(),
        p(compared.p),
        p(metric.p_holm),
        metric.won.len().to_string(),
        metric.lost.len().to_string(),
    ]
}
