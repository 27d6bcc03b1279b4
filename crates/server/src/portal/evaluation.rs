//! Evaluations: stored runs, each metric over them with its interval, two runs compared; and the grades that readers gave.

mod run;

use super::{
    export,
    saved::Document,
    view::{View, count, encoded, problem},
};
use crate::{
    app::{App, Caller},
    extract::Asked,
    failed::Failed,
    operation::{Operation, Routes},
    routes::runs::runs_of,
    state::answers::{self, Listed},
};
use axum::{extract::State, response::Response, routing::get};
use lab::{
    eval::{
        MetricSummary,
        stored::{Compared, RunInfo},
    },
    runs,
};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;
use types::Silent;

/// Runs that are shown, the newest.
const SHOWN: usize = 20;
/// Answers whose grades are exported, the newest.
const GRADED: i64 = 2000;

pub(super) fn routes() -> Routes {
    vec![
        Operation::get("/evaluation", "Stored evaluations").on_page().by(get(page)),
        Operation::get("/evaluation/grades", "Graded answers as rows").on_page().by(get(grades)),
        Operation::get("/evaluation/run/{id}", "The questions of a run").on_page().by(get(run::rows)),
        Operation::get("/evaluation/run/{id}/{query}", "A question of a run through all stages")
            .on_page()
            .by(get(run::question)),
    ]
}

/// Two runs to compare, each as `RUN` or `RUN:MODE`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Pair {
    first: String,
    second: String,
}

async fn page(State(app): State<App>, caller: Caller, Asked(pair): Asked<Pair>) -> Result<Response, Failed> {
    let view = View::new(&app, &caller, "/evaluation", "Evaluation");
    let settings = app.indexes.settings_of(&caller.place());
    let stored = runs_of(&app, &caller, SHOWN).await?.runs;
    let turn = app.turn(&caller)?;
    let compared = match (&*pair.first, &*pair.second) {
        ("", _) | (_, "") => html! {},
        _ => {
            let (first, second) = (pair.first.clone(), pair.second.clone());
            let compare = async move { runs::compare(&settings, None, (&first, &second), &Silent).await };
            let handle = tokio::runtime::Handle::current();
            let compared = tokio::task::spawn_blocking(move || handle.block_on(compare));
            match compared.await.map_err(Failed::inside)? {
                Ok(compared) => html! { @for compared in &compared.comparisons { (difference(compared)) } },
                Err(error) => problem(&Failed::from(error)),
            }
        }
    };
    drop(turn);
    let sides: Vec<String> = stored
        .iter()
        .flat_map(|run| {
            run.modes.iter().map(|(mode, _)| format!("{}:{mode}", run.run_id)).collect::<Vec<_>>()
        })
        .collect();
    let choice = |name: &str, label: &str, own: &str| {
        html! { label { (label) " " select name=(name) { @for side in &sides { option value=(side) selected[side == own] { (side) } } } } }
    };
    Ok(view.page(&html! {
        h1 { "Evaluation" }
        @if stored.is_empty() {
            p { "No evaluation is stored. Run " code { "pipeline eval --queries queries.jsonl" } " where this server runs." }
        } @else {
            @for (name, lines) in metrics(&stored) { (plot(&name, &lines)) }
            (list(&stored))
            @if sides.len() > 1 {
                form.search action="/evaluation" {
                    (choice("first", "Compare", &pair.first)) (choice("second", "with", &pair.second))
                    button type="submit" { "Compare" }
                }
            }
            (compared)
        }
        h2 { "Grades" }
        p { "Grades of answers on the page " a href="/history" { "History" } ": "
            a href="/evaluation/grades" { "rows for pipeline score and judge correct" } "." }
    }))
}

/// A metric of a mode of a run.
type Point<'r> = (&'r RunInfo, &'r str, &'r MetricSummary);

/// The metrics, each over the runs.
fn metrics(stored: &[RunInfo]) -> Vec<(String, Vec<Point<'_>>)> {
    let mut out: Vec<(String, Vec<Point<'_>>)> = Vec::new();
    for run in stored {
        for (mode, summary) in run.modes.iter() {
            for (metric, value) in summary.iter().filter(|(_, value)| value.mean.is_some()) {
                match out.iter_mut().find(|(name, _)| name == metric) {
                    Some((_, points)) => points.push((run, mode, value)),
                    None => out.push((metric.to_owned(), vec![(run, mode, value)])),
                }
            }
        }
    }
    out
}

/// Means with their intervals, run by run; the same numbers are in the table.
fn plot(name: &str, points: &[Point<'_>]) -> Markup {
    let (left, width, line) = (220.0, 400.0, 22.0);
    let x = |value: f64| left + width * value.clamp(0.0, 1.0);
    let height = line * (points.len() as f64 + 1.5);
    html! {
        figure.plot {
            figcaption { (name.replace('_', " ")) ", with 95 % intervals" }
            svg viewBox=(format!("0 0 700 {height}")) role="img" aria-label=(format!("{name} of {} runs; the table has the numbers", points.len())) {
                @for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
                    line.grid x1=(x(tick)) x2=(x(tick)) y1="0" y2=(height - line) {}
                    text.tick x=(x(tick)) y=(height - 6.0) text-anchor="middle" { (tick) }
                }
                @for (at, (run, mode, value)) in points.iter().enumerate() {
                    @let y = line * (at as f64 + 0.75);
                    text x=(left - 8.0) y=(y + 4.0) text-anchor="end" { (label(run)) " " (mode) }
                    @if let (Some(low), Some(high)) = (value.ci_low, value.ci_high) { line.interval x1=(x(low)) x2=(x(high)) y1=(y) y2=(y) {} }
                    @if let Some(mean) = value.mean { circle cx=(x(mean)) cy=(y) r="4.5" {} text x=(left + width + 12.0) y=(y + 4.0) { (format!("{mean:.3}")) } }
                }
            }
        }
    }
}

/// The name of a run, or the start of its id.
fn label(run: &RunInfo) -> String {
    run.name.clone().unwrap_or_else(|| run.run_id.chars().take(15).collect())
}

fn list(stored: &[RunInfo]) -> Markup {
    html! {
        table {
            thead { tr { th scope="col" { "Run" } th scope="col" { "Mode" } th scope="col" { "Rows" } th scope="col" { "Judge" } th scope="col" { "Metrics" } } }
            tbody {
                @for run in stored {
                    @for (mode, summary) in run.modes.iter() {
                        tr {
                            td { a href={ "/evaluation/run/" (encoded(&run.run_id)) } { bdi { (label(run)) } } br; span.note { (run.started.as_deref().unwrap_or_default()) } }
                            td { (mode) }
                            td { (run.rows) @if run.errors > 0 { ", " (run.errors) " failed" } }
                            td { (run.judge.as_deref().unwrap_or("")) }
                            td { @for (name, value) in summary.iter() { div { (name.replace('_', " ")) " " (interval(value)) } } }
                        }
                    }
                }
            }
        }
    }
}

fn interval(value: &MetricSummary) -> String {
    match (value.mean, value.ci_low, value.ci_high) {
        (Some(mean), Some(low), Some(high)) => format!("{mean:.3} [{low:.3}, {high:.3}] of {}", value.n),
        (Some(mean), ..) => format!("{mean:.3} of {}", value.n),
        _ => "n/a".to_owned(),
    }
}

fn difference(compared: &Compared) -> Markup {
    let number = |value: Option<f64>| value.map_or_else(|| "n/a".to_owned(), |number| format!("{number:.3}"));
    html! {
        section {
            h2 { "Compared on " (count(compared.pairs, "question")) }
            table {
                thead { tr { th scope="col" { "Metric" } th scope="col" { "First" } th scope="col" { "Second" } th scope="col" { "Difference" } th scope="col" { "p (Holm)" } } }
                tbody {
                    @for metric in &compared.metrics {
                        @let by = &metric.difference;
                        tr {
                            td { (metric.title) }
                            td { (number(metric.first)) }
                            td { (number(metric.second)) }
                            td { (number(by.delta)) " [" (number(by.ci_low)) ", " (number(by.ci_high)) "]" }
                            td { (number(metric.p_holm)) @if metric.separates { " " strong { "differs" } } }
                        }
                    }
                }
            }
        }
    }
}

/// A JSON object for each graded answer: with what `score` reads, and with a label as `judge correct` reads it.
async fn grades(State(app): State<App>, caller: Caller) -> Result<Response, Failed> {
    let tenant = caller.tenant();
    let all = app.state.read(move |c| answers::graded(c, &tenant, GRADED)).await?;
    let rows = move || rows(&all);
    Ok(export::file(app.pool().run(rows).await?, "application/jsonl", "grades.jsonl"))
}

fn rows(all: &[(Listed, String)]) -> Result<String, Failed> {
    let mut out = String::new();
    for (saved, document) in all {
        let document: Document = serde_json::from_str(document).map_err(Failed::inside)?;
        let passages: Vec<&str> = document.ask.context.iter().map(|passage| passage.text.as_str()).collect();
        let row = json!({
            "id": saved.id, "user_input": saved.question, "response": document.ask.answer, "retrieved_contexts": passages,
            "grade": saved.grade, "supported": saved.grade.is_some_and(|grade| grade >= 3), "note": saved.note, "asked": saved.asked,
        });
        out += &row.to_string();
        out.push('\n');
    }
    Ok(out)
}
