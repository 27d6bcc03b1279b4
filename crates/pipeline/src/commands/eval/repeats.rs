//! `eval --repeat`.

use crate::{
    commands::App,
    printer::Outcome,
    sheet::Sheet,
    words::{NAMED, count, first_of},
};
use anyhow::Result;
use contract::{RepeatedMetric, RepeatedMode, RunRepeats};
use lab::eval_run::{EvalRequest, repeat};
use types::Reporter;
use types::Stop;

/// Runs the repeats and prints the spread; negative if a row failed.
pub(super) async fn run(app: &App, request: &EvalRequest, times: usize, stop: &Stop) -> Result<Outcome> {
    let done = repeat(&app.loaded, request, times, &app.reporter, stop).await?;
    app.printer
        .text_or_markdown(&done, || sheet(&done).text(), || sheet(&done).markdown())?;
    if done.failed > 0 {
        app.reporter.warn(&format!(
            "{} failed; run the same command again to retry only those",
            count(done.failed as u64, "row")
        ));
        return Ok(Outcome::Negative);
    }
    Ok(Outcome::Done)
}

fn sheet(done: &RunRepeats) -> Sheet {
    let mut sheet = Sheet::default();
    sheet.heading(format!(
        "{} of the same evaluation: {}",
        count(done.runs.len() as u64, "run"),
        done.runs.join(", ")
    ));
    for mode in &done.modes {
        sheet.heading(format!("{}: {}", mode.mode, answers(mode)));
        let rows = mode.metrics.iter().map(cells).collect();
        sheet.table(&["Metric", "Mean", "SD", "Min", "Max", "n", "Rows changed"], rows);
    }
    sheet.line("Mean, SD, min and max are of the means of the runs; n is the number of rows with a value.");
    sheet
}

/// How many answers differ, and which.
fn answers(mode: &RepeatedMode) -> String {
    if mode.changed.is_empty() {
        let same = mode.metrics.iter().all(|metric| metric.changed == 0);
        return if same {
            format!("the runs are identical, all {} answers and all scores", mode.rows)
        } else {
            format!("all {} answers are the same, some scores are not", mode.rows)
        };
    }
    format!(
        "{} of {} answers are not the same in all runs: {}",
        mode.changed.len(),
        mode.rows,
        first_of(&mode.changed, NAMED)
    )
}

fn cells(metric: &RepeatedMetric) -> Vec<String> {
    let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"));
    let share = match metric.n {
        0 => "–".to_owned(),
        n => format!(
            "{} of {n} ({:.2})",
            metric.changed,
            metric.changed as f64 / n as f64
        ),
    };
    vec![
        metric.title.clone(),
        value(metric.mean),
        value(metric.sd),
        value(metric.min),
        value(metric.max),
        metric.n.to_string(),
        share,
    ]
}
