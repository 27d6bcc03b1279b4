//! The paired differences of two modes.

use super::super::first_page::{compared, same_candidates};
use super::super::results::{difference, p_text, signed};
use super::super::{Evaluation, Grid, verdicts};
use super::{
    plot::{self, Mark, Scale},
    table,
};
use crate::metrics::{self, Direction, Spec};
use crate::{ALPHA, Comparison};
use maud::{Markup, html};

/// The section; `None` for one mode.
pub(super) fn body(evaluation: &Evaluation) -> Option<Markup> {
    let summary = &evaluation.summary;
    let [first, second] = summary.compared.as_ref()?;
    let extractive = evaluation.provenance.extractive();
    let found: Vec<(&Spec, &Comparison)> = metrics::specs()
        .filter_map(|spec| Some((spec, summary.comparison.get(spec.key)?)))
        .filter(|(_, found)| found.delta.is_some())
        .collect();
    let (left_out, shown): (Vec<_>, Vec<_>) = found
        .iter()
        .partition(|(spec, _)| extractive && spec.by_construction);
    // The grade has a range of its own: on one scale with shares it would flatten them.
    let shown: Vec<_> = shown
        .into_iter()
        .filter(|(spec, _)| spec.range == metrics::Range::UNIT)
        .collect();
    let ends = shown
        .iter()
        .flat_map(|(_, c)| [c.ci_low, c.ci_high, c.delta])
        .flatten();
    let scale = Scale::differences(ends);
    let row = |spec: &Spec, found: &Comparison| {
        let mark = Mark {
            series: usize::from(!found.separates()),
            value: found.delta.unwrap_or_default(),
            interval: found.ci_low.zip(found.ci_high),
            bar: false,
        };
        let p = found.p.map(p_text).unwrap_or_default();
        let lower = if spec.direction == Direction::Lower {
            " (lower is better)"
        } else {
            ""
        };
        html! {
            div class="row" {
                span class="label" { (spec.title) (lower) }
                (plot::strip(&scale, &[mark], &format!("{}: {}, p {p}, {} pairs", spec.title, difference(found), found.n_pairs)))
                span class="number" {
                    (signed(found.delta.unwrap_or_default())) ", p " (p) ", n " (found.n_pairs)
                    @if found.separates() { strong { " significant" } }
                }
            }
        }
    };
    let mut grid = Grid::new([
        "Metric".to_owned(),
        format!("{first} − {second} [95 % CI]"),
        "p".to_owned(),
        "Pairs".to_owned(),
        format!("{first} higher"),
        format!("{second} higher"),
        "Test".to_owned(),
    ]);
    for (spec, c) in &found {
        grid.push([
            spec.title.to_owned(),
            difference(c),
            c.p.map(p_text).unwrap_or_default(),
            c.n_pairs.to_string(),
            c.wins.to_string(),
            c.losses.to_string(),
            c.test.replace('_', " "),
        ]);
    }
    let titles: Vec<String> = left_out
        .iter()
        .map(|(spec, _)| spec.title.to_lowercase())
        .collect();
    Some(html! {
        @for sentence in compared(evaluation) { p { (sentence) } }
        @if compared(evaluation).is_empty() { @if let Some(sentence) = same_candidates(summary) { p { (sentence) } } }
        figure {
            p class="ends" aria-hidden="true" { span { "← " (second) " higher" } span { (first) " higher →" } }
            div class="rows" {
                @for (spec, found) in &shown { (row(spec, found)) }
                div class="row" { span {} (plot::axis(&scale)) span {} }
            }
            figcaption {
                (first) " minus " (second) ", paired by question, with 95 % intervals. A filled circle is significant (p below "
                (ALPHA) ", two-sided, not corrected for the number of metrics), an open square is not. Exact McNemar test for rates, \
                 paired randomisation for the rest."
            }
        }
        @if !titles.is_empty() {
            p class="note" { "Not shown, because they hold by construction for copied sentences: " (super::super::listed(&titles)) "." }
        }
        (table::behind(&grid, "Paired differences"))
        details class="data" {
            summary { "What the tests say of each metric" }
            ul { @for sentence in verdicts(summary, &evaluation.rows, &evaluation.provenance) { li { (sentence) } } }
        }
    })
}
