//! The report as one page of HTML: no script, nothing to load, and a policy that forbids both.
//!
//! Every text goes through a template that escapes it, so that nothing from a paper, a question or a model becomes markup; what
//! reorders or hides text is removed from the whole page. Plots are SVG in percent of their width, drawn with the colours of
//! the style sheet, so that they fit a phone and follow the dark and the print style. Chart libraries were looked at: `plotters`
//! and `kuva` draw in fixed pixels and colours, so that labels shrink to five pixels on a phone and stay black on black, and
//! `charming` needs a script of a megabyte. Each plot has its numbers in a table behind it.

mod answer;
mod calibration;
mod decisions;
mod failures;
mod forest;
mod funnel;
mod groups;
mod head;
mod outcome;
mod passages;
mod plot;
mod question;
mod questions;
mod quotes;
mod settings;
mod spending;
mod table;
mod top;
mod trends;

use super::{Evaluation, escape::is_invisible};
use maud::{DOCTYPE, Markup, html};
use types::written::MARK;

/// A part of the page: its anchor, its title, and what it shows.
struct Section {
    id: &'static str,
    title: &'static str,
    body: Markup,
}

/// Renders the page.
pub(super) fn render(evaluation: &Evaluation) -> String {
    let sections = sections(evaluation);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head::head(&evaluation.summary.run_id))
            body {
                a class="skip" href="#main" { "Skip to the results" }
                (top::header(evaluation))
                nav aria-label="Sections" {
                    @for section in &sections { a href={ "#" (section.id) } { (section.title) } " " }
                }
                main id="main" {
                    @for section in &sections {
                        section id=(section.id) aria-labelledby={ (section.id) "-title" } {
                            h2 id={ (section.id) "-title" } { (section.title) }
                            (section.body)
                        }
                    }
                }
            }
        }
    };
    format!("{}\n{MARK}\n", visible(&page.into_string()))
}

fn sections(evaluation: &Evaluation) -> Vec<Section> {
    let section = |id, title, body: Option<Markup>| body.map(|body| Section { id, title, body });
    [
        section("funnel", "Where gold evidence is lost", funnel::body(evaluation)),
        section(
            "calibration",
            "Confidence against correctness",
            calibration::body(evaluation),
        ),
        section("differences", "Modes compared", forest::body(evaluation)),
        section("failures", "Failure modes", Some(failures::body(evaluation))),
        section("questions", "Questions", Some(questions::body(evaluation))),
        section("decisions", "Answering and refusing", decisions::body(evaluation)),
        section("metrics", "All metrics", Some(top::metrics(evaluation))),
        section("groups", "Groups of questions", groups::body(evaluation)),
        section("time", "Time and cost", Some(spending::body(evaluation))),
        section("trends", "Earlier runs", trends::body(evaluation)),
        section("settings", "Settings", Some(settings::body(evaluation))),
        section("passages", "Passages", passages::body(evaluation)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The page without characters that reorder or hide text, and without control characters.
fn visible(page: &str) -> String {
    page.chars()
        .filter_map(|c| match c {
            '\n' => Some('\n'),
            '\t' => Some(' '),
            c if is_invisible(c) => None,
            c => Some(c),
        })
        .collect()
}
