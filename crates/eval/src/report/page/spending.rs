//! Time by stage, calls, tokens and cost.

use super::super::{Evaluation, closing, closing::latency_grid};
use super::{
    plot::{self, Mark, Scale},
    table,
};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The section.
pub(super) fn body(evaluation: &Evaluation) -> Markup {
    html! {
        @if evaluation.latency.is_empty() { p { "The log has no timings." } } @else { (time(evaluation)) }
        h3 { "Language models" }
        @match closing::spent_grid(evaluation) {
            Some(grid) => {
                (table::table(&grid, "Calls, tokens and cost by mode and stage"))
                p { (closing::total_cost(evaluation)) " Replies from the cache cost nothing and are not counted." }
            }
            None => { p { "No language model was used: no calls, no tokens, no cost." } }
        }
    }
}

fn time(evaluation: &Evaluation) -> Markup {
    let most = evaluation
        .latency
        .iter()
        .flat_map(|(_, stages)| stages.iter().map(|(_, time)| time.p95));
    let scale = Scale::from_zero(most.fold(0.0, f64::max));
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let stages = evaluation.latency.iter().flat_map(|(_, stages)| stages.keys());
    let stages: Vec<&str> = stages.filter(|stage| seen.insert(stage)).collect();
    html! {
        p { "Milliseconds of an answer by stage; judging is not included. The mark is the median, the line goes on to the 95th percentile." }
        (plot::legend(evaluation.latency.keys()))
        figure {
            div class="rows" {
                @for stage in stages { (row(evaluation, &scale, stage)) }
                div class="row" { span {} (plot::axis(&scale)) span {} }
            }
            figcaption { "Time by stage, in milliseconds" }
        }
        (table::behind(&latency_grid(evaluation), "Time by stage and mode, in milliseconds"))
    }
}

fn row(evaluation: &Evaluation, scale: &Scale, stage: &str) -> Markup {
    let mut marks = Vec::new();
    let mut texts = Vec::new();
    for (at, (mode, stages)) in evaluation.latency.iter().enumerate() {
        let Some(time) = stages.get(stage) else { continue };
        marks.push(Mark {
            series: at,
            value: time.median,
            interval: Some((time.median, time.p95)),
            bar: false,
        });
        texts.push(format!("{mode}: {:.1}, p95 {:.1}", time.median, time.p95));
    }
    html! {
        div class="row" {
            span class="label" { (stage) }
            (plot::strip(scale, &marks, &format!("{stage}, milliseconds. {}", texts.join("; "))))
            span class="number" { @for text in &texts { span { (text) } } }
        }
    }
}
