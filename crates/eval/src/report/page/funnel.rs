//! Which stage loses the gold evidence.

use super::super::{Evaluation, Grid};
use super::{
    plot::{self, Mark, Scale},
    table,
};
use crate::{ModeFunnel, StageGold};
use maud::{Markup, html};
use std::fmt::Write;

/// What each stage is, for people.
const STAGES: [(&str, &str); 4] = [
    ("candidates", "Candidates of retrieval"),
    ("reranked", "Kept by the reranker"),
    ("context", "In the context"),
    ("answer", "In the answer"),
];

/// The section; `None` where no question has gold evidence.
pub(super) fn body(evaluation: &Evaluation) -> Option<Markup> {
    let funnels: Vec<(&str, &ModeFunnel)> = evaluation.funnel.iter().collect();
    if funnels
        .iter()
        .all(|(_, f)| f.questions == 0 && f.not_followed == 0)
    {
        return None;
    }
    let scale = Scale::shares();
    let words = |share: &StageGold, of: usize| {
        format!(
            "{:.3} [{:.2}, {:.2}], {} of {of} quotes",
            share.mean, share.ci_low, share.ci_high, share.found
        )
    };
    let mut grid = Grid::new([
        "Stage",
        "Mode",
        "Share of a question's gold quotes",
        "95 % CI",
        "Quotes",
    ]);
    for (key, title) in STAGES {
        for (mode, funnel) in &funnels {
            let Some(share) = funnel.stages.get(key) else {
                continue;
            };
            grid.push([
                title.to_owned(),
                (*mode).to_owned(),
                format!("{:.3}", share.mean),
                format!("[{:.3}, {:.3}]", share.ci_low, share.ci_high),
                format!("{} of {}", share.found, funnel.quotes),
            ]);
        }
    }
    Some(html! {
        p {
            "A gold quote is a passage that answers a question. The bars show the share of a question's gold quotes that each \
             stage still has, averaged over the questions, with 95 % intervals (bootstrap). Neighbours of the kept chunks are added \
             to the context, so the context can have more than the stage before."
        }
        figure {
            @for (at, (mode, funnel)) in funnels.iter().enumerate() {
                h3 class=(plot::series(at)) { (mode) }
                div class="rows" {
                    @for (key, title) in STAGES {
                        @if let Some(share) = funnel.stages.get(key) {
                            @let text = words(share, funnel.quotes);
                            div class="row" {
                                span class="label" { (title) }
                                (plot::strip(
                                    &scale,
                                    &[Mark {
                                        series: at,
                                        value: share.mean,
                                        interval: Some((share.ci_low, share.ci_high)),
                                        bar: true,
                                    }],
                                    &format!("{mode}, {title}: {text}"),
                                ))
                                span class="number" { (text) }
                            }
                        }
                    }
                    div class="row" { span {} (plot::axis(&scale)) span {} }
                }
                p class="note" { (note(funnel)) }
            }
        }
        (table::behind(&grid, "Gold evidence by stage and mode"))
    })
}

fn note(funnel: &ModeFunnel) -> String {
    let mut out = format!(
        "{} with {}.",
        crate::words::plural(funnel.questions, "question"),
        crate::words::plural(funnel.quotes, "gold quote")
    );
    // Writing to a string cannot fail.
    let _ = match funnel.refused {
        0 => Ok(()),
        1 => write!(out, " 1 quote was in the context of a question that was refused."),
        n => write!(
            out,
            " {n} quotes were in the context of a question that was refused."
        ),
    };
    if funnel.not_followed > 0 {
        let _ = write!(
            out,
            " {} could not be followed: the log does not have every stage, or the row is an error.",
            crate::words::plural(funnel.not_followed, "row")
        );
    }
    out
}
