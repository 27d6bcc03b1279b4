//! Metrics by type, tag and language of the questions.

use super::super::{
    Evaluation,
    groups::{grid, names},
};
use super::{
    plot::{self, Mark, Scale},
    table,
};
use crate::groups::{FEW, Groups};
use crate::{MetricSummary, Ordered};
use maud::{Markup, html};

/// The two metrics that are drawn; the tables have more.
const DRAWN: [(&str, &str); 2] = [
    ("answerable_answered", "Answerable questions answered"),
    ("gold_recall_answer", "Gold evidence in the answer"),
];

/// The section; `None` without groups.
pub(super) fn body(evaluation: &Evaluation) -> Option<Markup> {
    let summary = &evaluation.summary;
    let kinds = [
        ("Type", &summary.types),
        ("Tag", &summary.tags),
        ("Language", &summary.languages),
    ];
    if kinds
        .iter()
        .all(|(_, by_mode)| by_mode.iter().all(|(_, groups)| groups.is_empty()))
    {
        return None;
    }
    Some(html! {
        p { "Means with 95 % intervals. Groups were not tested against each other: many groups, so some differ by chance." }
        (plot::legend(summary.modes.keys()))
        @for (what, by_mode) in kinds { (kind(what, by_mode)) }
    })
}

fn kind(what: &str, by_mode: &Ordered<Groups>) -> Markup {
    let is_few = |name: &str| {
        by_mode
            .iter()
            .all(|(_, groups)| groups.get(name).is_none_or(|group| group.few))
    };
    let (few, enough): (Vec<&str>, Vec<&str>) = names(by_mode).into_iter().partition(|name| is_few(name));
    let scale = Scale::shares();
    html! {
        @if !enough.is_empty() || !few.is_empty() { h3 { "By " (what.to_lowercase()) } }
        @if !enough.is_empty() {
            figure {
                div class="groups" {
                    div class="group head" { span {} @for (_, title) in DRAWN { span { (title) } } }
                    @for name in enough {
                        div class="group" {
                            span class="label" { (name) " " span class="n" { (size(by_mode, name)) } }
                            @for (key, title) in DRAWN { (cell(&scale, by_mode, name, key, title)) }
                        }
                    }
                    div class="group" { span {} @for _ in DRAWN { (plot::axis(&scale)) } }
                }
            }
            (table::behind(&grid(by_mode, what, false), &format!("Metrics by {}, groups of {FEW} questions or more", what.to_lowercase())))
        }
        @if !few.is_empty() {
            details class="data" {
                summary { (few.len()) " more with fewer than " (FEW) " questions each" }
                (table::table(&grid(by_mode, what, true), &format!("Metrics by {}, groups of fewer than {FEW} questions", what.to_lowercase())))
            }
        }
    }
}

fn size(by_mode: &Ordered<Groups>, name: &str) -> String {
    let most = by_mode
        .iter()
        .filter_map(|(_, groups)| Some(groups.get(name)?.queries))
        .max();
    format!("({})", most.unwrap_or_default())
}

fn cell(scale: &Scale, by_mode: &Ordered<Groups>, name: &str, key: &str, title: &str) -> Markup {
    let found = |groups: &Groups| -> Option<MetricSummary> { groups.get(name)?.metrics.get(key).cloned() };
    let mut marks = Vec::new();
    let mut texts = Vec::new();
    for (at, (mode, groups)) in by_mode.iter().enumerate() {
        let Some(metric) = found(groups) else { continue };
        let Some(mean) = metric.mean else { continue };
        marks.push(Mark {
            series: at,
            value: mean,
            interval: metric.ci_low.zip(metric.ci_high),
            bar: false,
        });
        texts.push(format!("{mode} {mean:.2}"));
    }
    html! {
        div class="cell" data-title=(title) {
            @if marks.is_empty() { span class="none" { "–" } }
            @else { (plot::strip(scale, &marks, &format!("{name}, {title}: {}", texts.join(", ")))) }
        }
    }
}
