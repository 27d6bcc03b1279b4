//! `eval --repeat`.

use crate::{
    commands::App,
    page::Page,
    printer::Outcome,
    words::{NAMED, count, first_of, value},
};
use anyhow::Result;
use lab::{
    eval::repeats::{Repeated, RepeatedMode},
    eval_run::{EvalRequest, RunRepeats, repeat},
};
use types::{Reporter, Stop};

/// Runs the repeats and prints the spread; negative if a row failed.
pub(super) async fn run(app: &App, request: &EvalRequest, times: usize, stop: &Stop) -> Result<Outcome> {
    let done = repeat(&app.loaded, request, times, &app.reporter, stop).await?;
    app.printer.page(&done, || page(&done))?;
    if done.failed > 0 {
        let rows = count(done.failed, "row");
        app.reporter.warn(&format!(
            "{rows} failed; run the same command again to retry only those"
        ));
    }
    Ok(Outcome::of(done.failed == 0))
}

fn page(done: &RunRepeats) -> Page {
    let mut page = Page::new();
    let (runs, ids) = (count(done.runs.len(), "run"), done.runs.join(", "));
    page.heading(format!("{runs} of the same evaluation: {ids}"));
    for mode in &done.modes {
        page.heading(format!("{}: {}", mode.mode, answers(mode)));
        page.rows(&mode.metrics)
            .column("Metric", |of| of.title.to_owned())
            .column("Mean", |of| value(of.mean, 3))
            .column("SD", |of| value(of.sd, 3))
            .column("Min", |of| value(of.min, 3))
            .column("Max", |of| value(of.max, 3))
            .column("n", |of| of.n.to_string())
            .column("Rows changed", |of| changed(of));
    }
    page.line("Mean, SD, min and max are of the means of the runs; n is the number of rows with a value.");
    page
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

fn changed(metric: &Repeated) -> String {
    let (changed, n) = (metric.changed, metric.n);
    match n {
        0 => "–".to_owned(),
        n => format!("{changed} of {n} ({:.2})", changed as f64 / n as f64),
    }
}
