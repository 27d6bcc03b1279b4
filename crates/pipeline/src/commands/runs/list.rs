//! The list of runs.

use crate::{sheet::Sheet, words::count};
use contract::{MetricSummary, RunInfo, RunMode, Runs};
use types::path_text::shown;

/// Metrics of a list, with their headers.
const SHOWN: [(&str, &str); 4] = [
    ("answerable_answered", "Answered"),
    ("unanswerable_refused", "Refused"),
    ("faithful", "Faithful"),
    ("gold_recall_answer", "Gold in answer"),
];

/// The runs, the newest last.
pub(super) fn sheet(found: &Runs) -> Sheet {
    let mut sheet = Sheet::default();
    for run in &found.runs {
        add(&mut sheet, &run.run, &run.modes);
    }
    let log = shown(&found.log);
    let total = count(found.total as u64, "run");
    if found.runs.is_empty() {
        sheet.line(format!("{log} has no run; `pipeline eval` writes one"));
    } else if found.runs.len() < found.total {
        sheet.heading(format!(
            "The latest {} of {total} in {log}. Means with 95 % intervals and the number of rows.",
            found.runs.len()
        ));
    } else {
        sheet.heading(format!(
            "{total} in {log}. Means with 95 % intervals and the number of rows."
        ));
    }
    sheet
}

/// One run.
pub(super) fn run(info: &RunInfo, modes: &[RunMode]) -> Sheet {
    let mut sheet = Sheet::default();
    add(&mut sheet, info, modes);
    sheet
}

fn add(sheet: &mut Sheet, info: &RunInfo, modes: &[RunMode]) {
    heading(sheet, info);
    let rows = modes.iter().map(|mode| {
        let mut cells = vec![mode.mode.clone()];
        cells.extend(
            SHOWN
                .iter()
                .map(|(key, _)| mode.metrics.get(*key).map_or_else(|| "–".to_owned(), mean)),
        );
        cells
    });
    let mut headers = vec!["Mode"];
    headers.extend(SHOWN.map(|(_, title)| title));
    sheet.table(&headers, rows.collect());
}

/// What is known of a run: a heading and a line.
pub(super) fn heading(sheet: &mut Sheet, info: &RunInfo) {
    let id = if info.run_id.is_empty() {
        "records without a run"
    } else {
        &info.run_id
    };
    let name = info
        .name
        .as_ref()
        .map(|name| format!(" {name:?}"))
        .unwrap_or_default();
    sheet.heading(format!("{id}{name}"));
    let mut facts: Vec<String> = Vec::new();
    if let Some(started) = &info.started {
        facts.push(format!("started {}", minute(started)));
    }
    facts.extend(info.query_set.clone());
    facts.push(count(info.rows as u64, "row"));
    facts.push(count(info.errors as u64, "error"));
    if info.damaged > 0 {
        facts.push(format!("{} damaged", info.damaged));
    }
    if let Some(hash) = &info.config_hash {
        facts.push(format!("settings {}", hash.chars().take(8).collect::<String>()));
    }
    // What follows the plus sign names versions; JSON has it.
    let judge = info
        .judge
        .as_ref()
        .map(|judge| judge.split('+').next().unwrap_or(judge));
    facts.extend(judge.map(|judge| format!("judge {judge}")));
    facts.extend(info.judged_from.as_ref().map(|from| format!("answers of {from}")));
    sheet.line(facts.join(", "));
}

/// `2026-01-02 03:04` of an RFC 3339 time.
fn minute(time: &str) -> String {
    match (time.get(..10), time.get(11..16)) {
        (Some(day), Some(minute)) => format!("{day} {minute}"),
        _ => time.to_owned(),
    }
}

/// `.62 [.52, .71] n 105`
pub(super) fn mean(metric: &MetricSummary) -> String {
    match (metric.mean, metric.ci_low, metric.ci_high) {
        (Some(mean), Some(low), Some(high)) => {
            let [mean, low, high] = [mean, low, high].map(|share| format!("{share:.2}"));
            let short = |share: String| share.strip_prefix('0').map_or(share.clone(), str::to_owned);
            format!("{} [{}, {}] n {}", short(mean), short(low), short(high), metric.n)
        }
        _ => "–".to_owned(),
    }
}
