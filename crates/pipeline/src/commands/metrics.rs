//! `pipeline metrics`: what each metric means.

use super::App;
use crate::{
    markdown::escape,
    page::{Line, Page},
    printer::Outcome,
};
use anyhow::{Result, anyhow};
use contract::{Metric, MetricTarget, Metrics};
use std::fmt::Write;

/// Prints all metrics as a table, or those of a name with their definitions.
pub(super) fn run(app: &App, name: Option<&str>) -> Result<Outcome> {
    let limits = &app.settings.evaluate.limits;
    let metrics = match name {
        Some(name) => lab::metrics::named(name, limits).map_err(|why| anyhow!(why))?,
        None => lab::metrics::list(limits),
    };
    let page = || match name {
        Some(_) => definitions(&metrics.metrics),
        None => table(&metrics.metrics),
    };
    app.printer.page(&metrics, page, || markdown(&metrics))?;
    Ok(Outcome::Done)
}

fn table(metrics: &[Metric]) -> Page {
    let mut page = Page::default();
    let width = metrics.iter().map(|metric| metric.key.len()).max().unwrap_or(0);
    let head = format!(
        "{:width$}  {:8}  {:6}  {:6}",
        "METRIC", "COMMAND", "RANGE", "BETTER"
    );
    page.line(Line::new().label(head).label("  TARGET OF THE MEAN"));
    for metric in metrics {
        let better = metric.better.as_deref().unwrap_or("-");
        let row = format!(
            "{:width$}  {:8}  {:6}  {better:6}",
            metric.key,
            metric.command,
            range(metric)
        );
        let target = metric.target.as_ref().map(|target| format!("  {}", goal(target)));
        page.line(Line::new().whole(row).whole(target.unwrap_or_default()));
    }
    page.gap();
    page.line(Line::of(
        "`pipeline metrics NAME` defines one. eval scores this pipeline, evaluate the answers of any system.",
    ));
    page
}

fn definitions(metrics: &[Metric]) -> Page {
    let mut page = Page::default();
    for metric in metrics {
        page.gap();
        page.line(
            Line::new()
                .strong(metric.key.clone())
                .text(format!(" (pipeline {})", metric.command)),
        );
        for (label, text) in fields(metric) {
            page.line(Line::new().indent(2, 14).label(format!("{label:12}")).text(text));
        }
    }
    page
}

fn fields(metric: &Metric) -> Vec<(&'static str, String)> {
    let mut out = vec![("Definition", metric.definition.clone())];
    out.extend(metric.edge_cases.clone().map(|text| ("Edge cases", text)));
    let kind = if metric.kind == "rate" {
        "0 or 1 for each row"
    } else {
        "any value in between"
    };
    out.push(("Range", format!("{} ({kind})", range(metric))));
    out.push((
        "Better",
        metric
            .better
            .clone()
            .unwrap_or_else(|| "neither: it describes".to_owned()),
    ));
    out.push(("Needs", needs(metric)));
    out.extend(metric.target.as_ref().map(|target| {
        (
            "Target",
            format!("{} {} ({})", target.mean, goal(target), target.setting),
        )
    }));
    if metric.before_guardrails {
        out.push(("Also", format!("{}_raw, before guardrails", metric.key)));
    }
    out.push(("Source", metric.source.clone()));
    out
}

fn range(metric: &Metric) -> String {
    match metric.high {
        Some(high) => format!("{} to {high}", metric.low),
        None => format!("from {}", metric.low),
    }
}

fn goal(target: &MetricTarget) -> String {
    format!("{} {}", target.bound.replace('_', " "), target.value)
}

fn needs(metric: &Metric) -> String {
    let mut out = metric.needs.join(", ");
    if !metric.needs_one_of.is_empty() {
        let and = if out.is_empty() { "" } else { "; " };
        let _ = write!(out, "{and}one of {}", metric.needs_one_of.join(", "));
    }
    out
}

fn markdown(metrics: &Metrics) -> String {
    let mut out =
        String::from("| Metric | Command | Range | Better | Needs | Definition | Edge cases | Source |\n");
    out.push_str("|---|---|---|---|---|---|---|---|\n");
    for metric in &metrics.metrics {
        let better = metric.better.as_deref().unwrap_or("–");
        let edge_cases = metric.edge_cases.as_deref().unwrap_or("–");
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {better} | {} | {} | {} | {} |",
            metric.key,
            metric.command,
            range(metric),
            escape(&needs(metric)),
            escape(&metric.definition),
            escape(edge_cases),
            escape(&metric.source)
        );
    }
    out
}
