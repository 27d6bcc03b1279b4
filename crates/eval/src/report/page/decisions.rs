//! Answering and refusing: the 2×2 tables, and the risk at each coverage.

use super::super::{Evaluation, Grid, results::abstention_table};
use super::{plot, table};
use crate::{Abstention, RiskCoverage, stats::wilson};
use maud::{Markup, html};

/// The section; `None` where no question says whether the papers answer it.
pub(super) fn body(evaluation: &Evaluation) -> Option<Markup> {
    let tables: Vec<(&str, &Abstention)> = evaluation.summary.abstention.iter().collect();
    if tables.iter().all(|(_, table)| table.n == 0) {
        return None;
    }
    let curves: Vec<(usize, &str, &RiskCoverage)> = evaluation
        .risk_coverage
        .iter()
        .enumerate()
        .map(|(at, (mode, curve))| (at, mode, curve))
        .filter(|(_, _, curve)| !curve.points.is_empty() && curve.questions > 0)
        .collect();
    Some(html! {
        div class="pair" { @for (mode, found) in &tables { (decided(mode, found)) } }
        p class="note" {
            "\"Always answer\" and \"always refuse\" in the table are the accuracies of systems that do nothing else, on the same rows. Balanced \
             accuracy is the mean of the share of answerable questions answered and of unanswerable ones refused; 0.5 is chance."
        }
        (table::behind(&abstention_table(&evaluation.summary), "Answers and refusals"))
        @if !curves.is_empty() {
            h3 { "If only the surest answers were given" }
            p {
                "Answers in the order of their stated probability. The further right, the more of the questions are answered (coverage); the higher, \
                 the more of these answers are wrong (risk). A useful probability gives a curve that rises from the left. The curve ends where \
                 the system itself refuses."
            }
            div class="pair" {
                @for (at, mode, curve) in &curves {
                    figure {
                        (plot::square(&format!("Mode {mode}: share of wrong answers against the share of questions answered. {}", ends(curve)),
                            "share of questions answered", "share wrong", &line(*at, curve)))
                        figcaption {
                            (mode) ": " (ends(curve))
                            @if curve.left_out > 0 { " Left out, without a probability or gold evidence: " (curve.left_out) "." }
                        }
                    }
                }
            }
            (table::behind(&grid(&curves), "Risk by coverage"))
        }
    })
}

fn decided(mode: &str, found: &Abstention) -> Markup {
    let cell = |n: usize, of: usize, right: bool| {
        let share =
            wilson(n, of).map(|i| format!("{:.2} [{:.2}, {:.2}]", n as f64 / of as f64, i.low, i.high));
        html! {
            td class=(if right { "right" } else { "wrong" }) {
                strong { (n) " of " (of) } br;
                (share.unwrap_or_default()) br;
                @if right { "✓ right" } @else { "✗ wrong" }
            }
        }
    };
    let answerable = found.answered_answerable + found.refused_answerable;
    let unanswerable = found.answered_unanswerable + found.refused_unanswerable;
    html! {
        table class="two" {
            caption { (mode) }
            thead { tr { td {} th scope="col" { "answered" } th scope="col" { "refused" } } }
            tbody {
                tr {
                    th scope="row" { "The papers answer it" }
                    (cell(found.answered_answerable, answerable, true)) (cell(found.refused_answerable, answerable, false))
                }
                tr {
                    th scope="row" { "They do not" }
                    (cell(found.answered_unanswerable, unanswerable, false)) (cell(found.refused_unanswerable, unanswerable, true))
                }
            }
        }
    }
}

/// (coverage, risk) of each point.
fn shares(curve: &RiskCoverage) -> Vec<(f64, f64)> {
    let of = curve.questions as f64;
    let share = |p: &crate::RiskPoint| (p.answers as f64 / of, p.wrong as f64 / p.answers as f64);
    curve.points.iter().map(share).collect()
}

fn line(at: usize, curve: &RiskCoverage) -> Markup {
    let points = shares(curve);
    html! {
        @for pair in points.windows(2) { (plot::step(at, pair[0], pair[1])) }
        @if let Some((x, y)) = points.last() { (plot::point(at, *x, *y, None, "all answers")) }
    }
}

fn ends(curve: &RiskCoverage) -> String {
    let Some(last) = curve.points.last() else {
        return String::new();
    };
    // The surest half of the answers, as far as ties let it be cut.
    let half = curve
        .points
        .iter()
        .find(|point| 2 * point.answers >= last.answers)
        .unwrap_or(last);
    format!(
        "of the {} surest answers {} are wrong, of all {} answers {}.",
        half.answers, half.wrong, last.answers, last.wrong
    )
}

fn grid(curves: &[(usize, &str, &RiskCoverage)]) -> Grid {
    let mut grid = Grid::new([
        "Mode",
        "Stated probability, at least",
        "Answers",
        "Coverage",
        "Wrong",
        "Risk [95 % CI]",
    ]);
    for (_, mode, curve) in curves {
        for (point, (coverage, risk)) in curve.points.iter().zip(shares(curve)) {
            let interval = wilson(point.wrong, point.answers);
            let risk = interval.map(|i| format!("{risk:.3} [{:.3}, {:.3}]", i.low, i.high));
            grid.push([
                (*mode).to_owned(),
                format!("{:.3}", point.probability),
                point.answers.to_string(),
                format!("{coverage:.3}"),
                point.wrong.to_string(),
                risk.unwrap_or_default(),
            ]);
        }
    }
    grid
}
