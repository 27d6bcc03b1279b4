//! `pipeline queries`.

use super::{App, draft};
use crate::{
    args::Queries,
    page::Page,
    printer::Outcome,
    words::{count, first_of, value},
};
use anyhow::Result;
use lab::queries_check::{QueriesChecked, Remark, check};
use lab::queries_plan::{Planned, QueriesPlan, plan};
use std::path::Path;

/// Checks a query set and prints what is wrong; negative when the index lacks one of its papers.
pub(super) async fn run(app: &App, args: &Queries) -> Result<Outcome> {
    match args {
        Queries::Draft(args) => draft::run(app, args).await,
        Queries::Check { file } => {
            let checked = check(&app.settings, file).await?;
            app.printer.listing(&checked, || page(file, &checked))?;
            Ok(Outcome::of(checked.refused.is_empty()))
        }
        Queries::Plan { file, differences, shares } => {
            let planned = plan(file.as_deref(), differences, shares)?;
            app.printer.page(&planned, || table(&planned, differences))?;
            Ok(Outcome::Done)
        }
    }
}

fn table(planned: &QueriesPlan, differences: &[f64]) -> Page {
    let mut page = Page::new();
    let (power, alpha) = (planned.power, planned.alpha);
    page.line(format!(
        "Questions that separate two systems in one metric (power {power}, p < {alpha}), by the share of questions on which \
         they differ and by the difference of their rates. Questions about the same papers count for less."
    ));
    let share = |one: &Planned| value(Some(one.discordant), 2);
    let mut rows = page.rows(&planned.plan).column("They differ on", |one| share(one));
    for (at, difference) in differences.iter().enumerate() {
        let needed = |one: &&Planned| one.needed[at].1.map_or_else(|| "-".to_owned(), |n| n.to_string());
        rows = rows.column(format!("by {difference}"), needed);
    }
    if let Some(questions) = planned.questions {
        let header = format!("{} separate", count(questions, "question"));
        rows.column(header, |one| value(one.detectable, 3));
    }
    page
}

fn page(file: &Path, checked: &QueriesChecked) -> Page {
    /// Lines that a message about several names.
    const SHOWN: usize = 5;
    let (mut page, file) = (Page::new(), file.display());
    for (kind, remarks) in [("error", &checked.refused), ("warning", &checked.warnings)] {
        for (remark, of) in grouped(remarks) {
            page.line(match of[..] {
                [Remark { line, query_id, .. }] if query_id.is_empty() => {
                    format!("{kind}: {file}:{line}: {remark}")
                }
                [Remark { line, query_id, .. }] => format!("{kind}: {file}:{line}: {query_id}: {remark}"),
                _ => {
                    let lines = first_of(of.iter().map(|remark| remark.line), SHOWN);
                    format!("{kind}: {file}: {} lines: {remark} ({lines})", of.len())
                }
            });
        }
    }
    let (queries, unanswerable) = (checked.queries, checked.unanswerable);
    let (found, quotes) = (checked.quotes_found, checked.quotes);
    let (errors, warnings) =
        (count(checked.refused.len(), "error"), count(checked.warnings.len(), "warning"));
    page.line(format!(
        "{queries} queries, {unanswerable} of them unanswerable; {found} of {quotes} gold quotes found in a chunk; \
         {errors}, {warnings}"
    ));
    page
}

/// Remarks of the same text together, in the order of their first lines.
fn grouped(remarks: &[Remark]) -> Vec<(&str, Vec<&Remark>)> {
    let mut out: Vec<(&str, Vec<&Remark>)> = Vec::new();
    for remark in remarks {
        match out.iter_mut().find(|(text, _)| *text == remark.remark) {
            Some((_, of)) => of.push(remark),
            None => out.push((&remark.remark, vec![remark])),
        }
    }
    out
}
