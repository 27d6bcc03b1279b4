//! The list of runs.

use crate::{
    page::Page,
    words::{count, when},
};
use lab::{
    eval::{
        MetricSummary,
        stored::{RunInfo, RunMode},
    },
    runs::Runs,
};
use types::path_text::shown;

/// Metrics of a list, with their headers.
const SHOWN: [&str; 4] = ["coverage", "unanswerable_accuracy", "faithful", "gold_recall_answer"];

/// The runs, the newest last.
pub(super) fn page(found: &Runs) -> Page {
    let mut page = Page::new();
    for run in &found.runs {
        add(&mut page, &run.run, &run.modes);
    }
    let (log, total, listed) = (shown(&found.log), count(found.total, "run"), found.runs.len());
    let means = "Means with 95 % intervals and the number of rows.";
    if listed == 0 {
        page.line(format!("{log} has no run; `pipeline eval` writes one"));
    } else {
        let latest = format!("The latest {listed} of ");
        let latest = when(listed < found.total, &latest);
        page.heading(format!("{latest}{total} in {log}. {means}"));
    }
    page
}

/// Adds a run and the means of its modes.
pub(super) fn add(page: &mut Page, info: &RunInfo, modes: &[RunMode]) {
    heading(page, info);
    let rows = modes.iter().map(|mode| {
        let means = SHOWN.map(|key| mode.metrics.get(key).map_or_else(|| "–".to_owned(), mean));
        std::iter::once(mode.mode.clone()).chain(means).collect()
    });
    page.table(std::iter::once("Mode".to_owned()).chain(SHOWN.map(lab::eval::metrics::title)), rows);
}

/// What is known of a run: a heading and a line.
pub(super) fn heading(page: &mut Page, info: &RunInfo) {
    let id = Some(info.run_id.as_str()).filter(|id| !id.is_empty());
    let name = info.name.as_ref().map(|name| format!(" {name:?}"));
    page.heading(format!("{}{}", id.unwrap_or("records without a run"), name.unwrap_or_default()));
    let started = info.started.as_ref().map(|started| format!("started {}", minute(started)));
    let damaged = Some(info.damaged).filter(|damaged| *damaged > 0);
    let hash = info.config_hash.as_ref().map(|hash| hash.chars().take(8).collect::<String>());
    // What follows the plus sign names versions; JSON has it.
    let judge = info.judge.as_ref().and_then(|judge| judge.split('+').next());
    let facts = [
        started,
        info.query_set.clone(),
        Some(count(info.rows, "row")),
        Some(count(info.errors, "error")),
        damaged.map(|damaged| format!("{damaged} damaged")),
        hash.map(|hash| format!("settings {hash}")),
        judge.map(|judge| format!("judge {judge}")),
        info.judged_from.as_ref().map(|from| format!("answers of {from}")),
    ];
    page.line(facts.into_iter().flatten().collect::<Vec<_>>().join(", "));
}

/// `2026-01-02 03:04` of an RFC 3339 time.
fn minute(time: &str) -> String {
    match (time.get(..10), time.get(11..16)) {
        (Some(day), Some(minute)) => format!("{day} {minute}"),
        _ => time.to_owned(),
    }
}

/// `.62 [.52, .71] n 105`
fn mean(metric: &MetricSummary) -> String {
    match (metric.mean, metric.ci_low, metric.ci_high) {
        (Some(mean), Some(low), Some(high)) => {
            let [mean, low, high] = [mean, low, high].map(|share| format!("{share:.2}"));
            let short = |share: String| share.strip_prefix('0').map_or(share.clone(), str::to_owned);
            format!("{} [{}, {}] n {}", short(mean), short(low), short(high), metric.n)
        }
        _ => "–".to_owned(),
    }
}
