//! `pipeline queries`.

use super::App;
use crate::{args::Queries, printer::Outcome};
use anyhow::Result;
use engine::queries_check::{Remark, check};
use std::fmt::Write;

/// Checks a query set and prints what is wrong; says no when the index lacks one of its papers.
pub(super) fn run(app: &App, args: &Queries) -> Result<Outcome> {
    let Queries::Check { file } = args;
    let checked = check(&app.settings, file)?;
    app.printer.result(&serde_json::to_value(&checked)?, || {
        let mut out = String::new();
        let mut list = |kind: &str, remarks: &[Remark]| {
            for remark in remarks {
                let _ = writeln!(out, "{kind} {}:{}: {} {}", file.display(), remark.line, remark.query_id, remark.remark);
            }
        };
        list("refused", &checked.refused);
        list("warning", &checked.warnings);
        let _ = writeln!(
            out,
            "{} queries, {} of them unanswerable; {} of {} gold quotes stand in a chunk; {} refused, {} warnings",
            checked.queries,
            checked.unanswerable,
            checked.quotes_found,
            checked.quotes,
            checked.refused.len(),
            checked.warnings.len()
        );
        out
    })?;
    Ok(if checked.refused.is_empty() {
        Outcome::Done
    } else {
        Outcome::Negative
    })
}
