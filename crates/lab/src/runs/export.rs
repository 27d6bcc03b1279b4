//! Writes a run in the format of another program.

use super::{named, open, stored};
use crate::error::LabError;
use crate::report::evaluation;
use ::eval::{
    export::{csv, jsonl, ragas, trec},
    report::phase2,
};
use engine::settings::Settings;
use std::path::PathBuf;
use strum::VariantArray as _;
use types::{Reporter, written::write_output};

/// A format of an export.
#[derive(strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One line a row: question, answer, every metric.
    Csv,
    /// One whole record of the run log a line.
    Jsonl,
    /// Rankings of papers, in six columns.
    Trec,
    /// Samples of Ragas, one a line.
    Ragas,
    /// The report as one page.
    Html,
    /// `evaluation_report.json` of the earlier system.
    Phase2,
}

impl ExportFormat {
    /// Every format.
    pub const ALL: [Self; Self::VARIANTS.len()] = types::words::all(Self::VARIANTS);

    /// Its name.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether each line is a JSON document.
    pub fn is_json(self) -> bool {
        matches!(self, Self::Jsonl | Self::Ragas)
    }
}

/// What to export.
#[derive(Clone, Debug)]
pub struct ExportRequest {
    /// The log; the settings' own when `None`.
    pub log: Option<PathBuf>,
    /// The run, or `RUN:MODE`.
    pub run: String,
    /// The format.
    pub format: ExportFormat,
    /// The mode; all of them when `None`.
    pub mode: Option<String>,
    /// The file; `None` to hand the text back.
    pub output: Option<PathBuf>,
}

/// Writes the file, or gives its text if the request names none.
///
/// # Errors
/// When the log has no such run, the format cannot hold it, or the file cannot be written.
pub async fn export(
    settings: &Settings,
    request: &ExportRequest,
    reporter: &dyn Reporter,
) -> Result<Option<Vec<u8>>, LabError> {
    let log = open(settings, request.log.as_ref())?;
    let (run, mode) = named(&log, &request.run, request.mode.as_deref())?;
    let mode = mode.as_deref();
    let run = stored(settings, &log, run, reporter).await?;
    let mut out = Vec::new();
    match request.format {
        ExportFormat::Csv => csv(&run, mode, &mut out)?,
        ExportFormat::Jsonl => jsonl(&run, mode, &mut out)?,
        ExportFormat::Trec => trec(&run, mode, &mut out)?,
        ExportFormat::Ragas => ragas(&run, mode, &mut out)?,
        ExportFormat::Html => out = evaluation::html(&run.with_log(mode)).into_bytes(),
        ExportFormat::Phase2 => out = phase2::export(&run.of_mode(mode))?.into_bytes(),
    }
    let Some(path) = &request.output else { return Ok(Some(out)) };
    write_output(path, &[&out]).map_err(LabError::io("write", path))?;
    Ok(None)
}
