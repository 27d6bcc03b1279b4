//! `pipeline metrics`: what each metric means.

use super::App;
use crate::{
    page::{Line, Page},
    printer::Outcome,
};
use anyhow::{Result, anyhow};
use lab::metrics::{Metric, MetricTarget};

/// Prints all metrics as a table, or those of a name with their definitions.
pub(super) fn run(app: &App, name: Option<&str>) -> Result<Outcome> {
    let metrics = match name {
        Some(name) => lab::metrics::named(name).map_err(|why| anyhow!(why))?,
        None => lab::metrics::list(),
    };
    app.printer.page(&metrics, || {
        if app.printer.is_markdown() {
            in_full(&metrics.metrics)
        } else if name.is_some() {
            definitions(&metrics.metrics)
        } else {
            list(&metrics.metrics)
        }
    })
}

fn list(metrics: &[Metric]) -> Page {
    let mut page = Page::new();
    page.rows(metrics)
        .column("METRIC", |of| of.key.to_owned())
        .column("COMMAND", |of| of.command.to_owned())
        .column("RANGE", |of| range(of))
        .column("BETTER", |of| of.better.unwrap_or("–").to_owned())
        .column("TARGET OF THE MEAN", |of| of.target.as_ref().map(goal).unwrap_or_default());
    page.gap();
    page.line(
        "`pipeline metrics NAME` defines one. eval scores this pipeline, score the answers of any system.",
    );
    page
}

fn definitions(metrics: &[Metric]) -> Page {
    let mut page = Page::new();
    for metric in metrics {
        page.gap();
        let command = format!(" (pipeline {})", metric.command);
        page.line(Line::new().strong(metric.key).text(command));
        page.fact("  Definition", metric.definition);
        page.fact("  Edge cases", metric.edge_cases);
        let is_rate = metric.kind == "rate";
        let kind = if is_rate { "0 or 1 for each row" } else { "any value in between" };
        page.fact("  Range", format!("{} ({kind})", range(metric)));
        page.fact("  Better", metric.better.unwrap_or("neither: it describes"));
        page.fact("  Needs", needs(metric));
        if let Some(target) = &metric.target {
            page.fact("  Target", format!("{} {}", target.mean, goal(target)));
        }
        if metric.before_guardrails {
            page.fact("  Also", format!("{}_raw, before guardrails", metric.key));
        }
        page.fact("  Source", metric.source);
    }
    page
}

/// All that is known of the metrics, as one table.
fn in_full(metrics: &[Metric]) -> Page {
    let mut page = Page::new();
    page.rows(metrics)
        .column("Metric", |of| of.key.to_owned())
        .column("Command", |of| of.command.to_owned())
        .column("Range", |of| range(of))
        .column("Better", |of| of.better.unwrap_or("–").to_owned())
        .column("Needs", |of| needs(of))
        .column("Definition", |of| of.definition.to_owned())
        .column("Edge cases", |of| of.edge_cases.to_owned())
        .column("Source", |of| of.source.to_owned());
    page
}

fn range(metric: &Metric) -> String {
    match metric.high {
        Some(high) => format!("{} to {high}", metric.low),
        None => format!("from {}", metric.low),
    }
}

fn goal(target: &MetricTarget) -> String {
    format!("{} {}", target.bound.words(), target.value)
}

fn needs(metric: &Metric) -> String {
    let one_of = match metric.needs_one_of.as_slice() {
        [] => None,
        keys => Some(format!("one of {}", keys.join(", "))),
    };
    let all = Some(metric.needs.join(", ")).filter(|all| !all.is_empty());
    all.into_iter().chain(one_of).collect::<Vec<_>>().join("; ")
}
