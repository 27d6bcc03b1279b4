//! `pipeline calibrate`.

use super::{App, interrupt};
use crate::{args::Calibrate, printer::Outcome};
use anyhow::Result;
use lab::{
    calibrate::{self, CalibrateRequest},
    eval::Remains,
};
use types::path_text::shown;

/// Chooses the thresholds and prints them.
pub(super) async fn run(app: &App, args: &Calibrate) -> Result<Outcome> {
    let request = CalibrateRequest {
        queries: args.queries.clone(),
        mode: args.mode.unwrap_or(app.settings.retrieve.mode),
        aim: args.aim,
        output: args.output.clone(),
        stop: interrupt::stop(&app.reporter, Remains::Nothing)?,
    };
    let done = calibrate::run(&app.settings, &request, &app.reporter).await?;
    app.printer.document(&done, &["config_hash", "seed"])?;
    if let Some(path) = &args.output {
        app.reporter.remark(&format!("written to {}", shown(path)));
    }
    Ok(Outcome::Done)
}
