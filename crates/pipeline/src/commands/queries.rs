//! `pipeline queries`.

use super::{App, draft};
use crate::{args::Queries, printer::Outcome};
use anyhow::Result;
use lab::queries_check::check;
use lab::queries_plan::plan;

/// Checks a query set and prints what is wrong; negative when the index lacks one of its papers.
pub(super) async fn run(app: &App, args: &Queries) -> Result<Outcome> {
    match args {
        Queries::Draft(args) => draft::run(app, args).await,
        Queries::Check { file } => {
            let checked = check(&app.settings, file).await?;
            app.printer.document(&checked, &[])?;
            Ok(Outcome::of(checked.refused.is_empty()))
        }
        Queries::Plan { file, differences, shares } => {
            app.printer.document(&plan(file.as_deref(), differences, shares)?, &[])
        }
    }
}
