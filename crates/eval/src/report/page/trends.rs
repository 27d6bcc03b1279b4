//! The same questions in earlier runs.

use super::super::{Evaluation, Grid, TREND_METRICS, TrendRun, results::mean};
use super::{
    plot::{self, Mark, Scale},
    table,
};
use crate::metrics;
use maud::{Markup, html};

/// The section; `None` where the log was not read.
pub(super) fn body(evaluation: &Evaluation) -> Option<Markup> {
    evaluation.details.as_ref()?;
    let runs = &evaluation.trends;
    if runs.len() < 2 {
        return Some(html! { p { "The log has no earlier finished run of the same questions." } });
    }
    let titled: Vec<(&str, &str)> = TREND_METRICS
        .iter()
        .filter_map(|key| Some((*key, metrics::find(key)?.spec().title)))
        .collect();
    let mut headers = vec!["Run", "Mode", "Version", "Settings"];
    headers.extend(titled.iter().map(|(_, title)| *title));
    let mut grid = Grid::new(headers);
    for run in runs {
        for (mode, values) in run.modes.iter() {
            let mut cells = vec![
                run.run_id.clone(),
                mode.to_owned(),
                run.version.clone(),
                run.config_hash.clone(),
            ];
            cells.extend(
                titled
                    .iter()
                    .map(|(key, _)| values.get(key).map(mean).unwrap_or_default()),
            );
            grid.push(cells);
        }
    }
    Some(html! {
        p {
            "Finished runs of the same questions in the log, oldest first, this run last. Intervals are those of each run alone: \
             to test a difference, compare the runs question by question."
        }
        (plot::legend(evaluation.summary.modes.keys()))
        @for (key, title) in &titled { (course(evaluation, runs, key, title)) }
        (table::behind(&grid, "Runs of the same questions"))
    })
}

fn course(evaluation: &Evaluation, runs: &[TrendRun], key: &str, title: &str) -> Markup {
    let scale = Scale::shares();
    let modes: Vec<&str> = evaluation.summary.modes.keys().collect();
    let row = |run: &TrendRun| {
        let mut marks = Vec::new();
        let mut texts = Vec::new();
        for (at, mode) in modes.iter().enumerate() {
            let metric = run.modes.get(mode).and_then(|values| values.get(key));
            let Some((metric, mean)) = metric.and_then(|metric| Some((metric, metric.mean?))) else {
                continue;
            };
            marks.push(Mark {
                series: at,
                value: mean,
                interval: metric.ci_low.zip(metric.ci_high),
                bar: false,
            });
            texts.push(format!("{mode} {mean:.3}"));
        }
        html! {
            @if !marks.is_empty() {
                div class="row" {
                    span class="label id" { (run.run_id) @if run.is_this { strong { " (this run)" } } }
                    (plot::strip(&scale, &marks, &format!("{title}, run {}: {}", run.run_id, texts.join(", "))))
                    span class="number" { @for text in &texts { span { (text) } } }
                }
            }
        }
    };
    html! {
        figure {
            figcaption { (title) }
            div class="rows" {
                @for run in runs { (row(run)) }
                div class="row" { span {} (plot::axis(&scale)) span {} }
            }
        }
    }
}
