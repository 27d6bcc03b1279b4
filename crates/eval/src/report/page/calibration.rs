//! Stated confidence against how often answers are right.

use super::super::{Evaluation, results::confidence_table};
use super::{
    plot::{self, Mark, Scale},
    table,
};
use crate::{Bin, Reliability, stats::wilson};
use maud::{Markup, html};

/// The section; `None` where no answer can be checked.
pub(super) fn body(evaluation: &Evaluation) -> Option<Markup> {
    let modes: Vec<(&str, &Reliability)> = evaluation.summary.confidence.iter().collect();
    if modes.iter().all(|(_, found)| found.levels.is_empty()) {
        return None;
    }
    let stated = modes
        .iter()
        .any(|(_, found)| found.tenths.iter().any(|bin| bin.stated.is_some()));
    Some(html! {
        p {
            "An answer counts as right if it shows at least one gold quote, and as wrong if the papers do not answer the question. \
             Intervals are 95 % (Wilson). Well-calibrated answers that state high confidence are right more often than those that state \
             low confidence"
            @if stated { ", and the points of the plots lie on the dashed line" }
            "."
        }
        figure {
            div class="rows" {
                @for level in ["high", "medium", "low"] { (level_row(&modes, level)) }
                div class="row" { span {} (plot::axis(&Scale::shares())) span {} }
            }
            figcaption { "Share of right answers by stated confidence" }
        }
        (plot::legend(modes.iter().map(|(mode, _)| *mode)))
        @if stated {
            div class="pair" {
                @for (at, (mode, found)) in modes.iter().enumerate() {
                    figure {
                        (plot::square(
                            &format!("Mode {mode}: share of right answers against the stated probability. {}", words(found)),
                            "stated probability",
                            "share right",
                            &points(at, found),
                        ))
                        figcaption { (mode) ": answers by tenths of the stated probability" }
                    }
                }
            }
        }
        (table::behind(&confidence_table(&evaluation.summary), "Answers by stated confidence"))
    })
}

fn share(bin: &Bin) -> Option<(f64, (f64, f64))> {
    let interval = wilson(bin.right, bin.answers)?;
    Some((
        bin.right as f64 / bin.answers as f64,
        (interval.low, interval.high),
    ))
}

fn level_row(modes: &[(&str, &Reliability)], level: &str) -> Markup {
    let mut marks = Vec::new();
    let mut texts = Vec::new();
    for (at, (mode, found)) in modes.iter().enumerate() {
        let bin = found.levels.iter().find(|bin| bin.name == level);
        let Some((bin, (value, interval))) = bin.and_then(|bin| Some((bin, share(bin)?))) else {
            continue;
        };
        marks.push(Mark {
            series: at,
            value,
            interval: Some(interval),
            bar: false,
        });
        texts.push(format!("{mode}: {} of {} right", bin.right, bin.answers));
    }
    html! {
        @if !marks.is_empty() {
            div class="row" {
                span class="label" { (level) }
                (plot::strip(&Scale::shares(), &marks, &format!("Confidence {level}. {}", texts.join("; "))))
                span class="number" { @for text in &texts { span { (text) } } }
            }
        }
    }
}

fn points(at: usize, found: &Reliability) -> Markup {
    html! {
        (plot::diagonal())
        @for bin in &found.tenths {
            @if let (Some((right, interval)), Some(stated)) = (share(bin), bin.stated) {
                (plot::point(at, stated, right, Some(interval), &format!("{}: {} of {} right", bin.name, bin.right, bin.answers)))
            }
        }
    }
}

fn words(found: &Reliability) -> String {
    let each = found
        .tenths
        .iter()
        .map(|bin| format!("{}: {} of {}", bin.name, bin.right, bin.answers));
    each.collect::<Vec<_>>().join("; ")
}
