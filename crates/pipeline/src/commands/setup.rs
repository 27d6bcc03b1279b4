//! `pipeline setup`.

use super::App;
use crate::{args::Setup, printer::Outcome};
use anyhow::Result;
use std::fmt::Write;

/// Downloads what is missing, and says where it is.
pub(super) fn run(app: &App, args: &Setup) -> Result<Outcome> {
    let report = engine::setup::setup(
        &app.settings,
        args.natives.as_deref(),
        &args.python,
        &app.reporter,
    )?;
    app.printer.result(&serde_json::to_value(&report)?, || {
        let mut out = String::new();
        for file in &report.downloaded {
            let _ = writeln!(out, "downloaded  {file}");
        }
        for file in &report.made {
            let _ = writeln!(out, "made        {file}");
        }
        for file in &report.present {
            let _ = writeln!(out, "unchanged   {file}");
        }
        for missing in &report.missing {
            let _ = writeln!(out, "missing     {missing}");
        }
        let _ = writeln!(out, "Files are in {}", report.folder.display());
        out
    })?;
    Ok(if report.missing.is_empty() {
        Outcome::Done
    } else {
        Outcome::Negative
    })
}
