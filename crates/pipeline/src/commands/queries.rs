//! `pipeline queries`.

use super::App;
use crate::{
    args::Queries,
    page::Page,
    printer::Outcome,
    words::{count, first_of},
};
use anyhow::Result;
use lab::queries_check::{QueriesChecked, Remark, check};
use std::path::Path;

/// Checks a query set and prints what is wrong; negative when the index lacks one of its papers.
pub(super) async fn run(app: &App, args: &Queries) -> Result<Outcome> {
    let Queries::Check { file } = args;
    let checked = check(&app.settings, file).await?;
    app.printer.listing(&checked, || page(file, &checked))?;
    Ok(Outcome::of(checked.refused.is_empty()))
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
    let (errors, warnings) = (
        count(checked.refused.len(), "error"),
        count(checked.warnings.len(), "warning"),
    );
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
