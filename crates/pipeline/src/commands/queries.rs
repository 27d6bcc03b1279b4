//! `pipeline queries`.

use super::App;
use crate::{args::Queries, printer::Outcome, words::first_of};
use anyhow::Result;
use lab::queries_check::{QueriesChecked, Remark, check};
use std::{fmt::Write, path::Path};

/// Checks a query set and prints what is wrong; negative when the index lacks one of its papers.
pub(super) async fn run(app: &App, args: &Queries) -> Result<Outcome> {
    let Queries::Check { file } = args;
    let checked = check(&app.settings, file).await?;
    app.printer
        .result(&serde_json::to_value(&checked)?, || text(file, &checked))?;
    Ok(if checked.refused.is_empty() {
        Outcome::Done
    } else {
        Outcome::Negative
    })
}

// Writing to a string cannot fail: the results of `writeln!` are dropped.
fn text(file: &Path, checked: &QueriesChecked) -> String {
    let mut out = String::new();
    for (kind, remarks) in [("error", &checked.refused), ("warning", &checked.warnings)] {
        for (remark, of) in grouped(remarks) {
            let _ = match of[..] {
                [one] => {
                    let query = if one.query_id.is_empty() {
                        String::new()
                    } else {
                        format!("{}: ", one.query_id)
                    };
                    writeln!(out, "{kind}: {}:{}: {query}{remark}", file.display(), one.line)
                }
                _ => writeln!(
                    out,
                    "{kind}: {}: {} lines: {remark} ({})",
                    file.display(),
                    of.len(),
                    lines(&of)
                ),
            };
        }
    }
    let _ = writeln!(
        out,
        "{} queries, {} of them unanswerable; {} of {} gold quotes found in a chunk; {}, {}",
        checked.queries,
        checked.unanswerable,
        checked.quotes_found,
        checked.quotes,
        counted(checked.refused.len(), "error"),
        counted(checked.warnings.len(), "warning"),
    );
    out
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

/// The first lines, for a message.
fn lines(of: &[&Remark]) -> String {
    const SHOWN: usize = 5;
    first_of(of.iter().map(|remark| remark.line), SHOWN)
}

fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
