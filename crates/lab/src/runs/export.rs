//! Writes a run in the format of another program.

use super::{check_mode, named, open, stored};
use crate::{benchmark::with_mode, error::LabError};
use ::eval::{
    export::{csv, jsonl, junit, ragas, test_cases, trec},
    report::phase2,
    stored::StoredRun,
};
use engine::settings::Settings;
use report::evaluation;
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
    /// A test case a row.
    Junit,
    /// Rankings of papers, in six columns.
    Trec,
    /// Samples of Ragas, one a line.
    Ragas,
    /// The report.
    Markdown,
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
    /// The query set of the run, for labels that are not in the log.
    pub queries: Option<PathBuf>,
}

/// The files that were written, or the text if there is none. A TREC run of several modes is one file for each.
///
/// # Errors
/// When the log has no such run, the format cannot hold it, or a file cannot be written.
pub async fn export(
    settings: &Settings,
    request: &ExportRequest,
    reporter: &dyn Reporter,
) -> Result<(Vec<PathBuf>, Vec<u8>), LabError> {
    let log = open(settings, request.log.as_ref())?;
    let (run, named_mode) = named(&log, &request.run)?;
    if let Some(mode) = &request.mode {
        check_mode(run, mode)?;
    }
    let mode = request.mode.as_deref().or(named_mode.as_deref());
    let set = request.queries.as_deref().map(crate::query_set::load).transpose()?;
    let run = stored(settings, &log, run, set.as_ref(), reporter).await?;
    let Some(output) = &request.output else {
        return Ok((Vec::new(), bytes(&run, request.format, mode)?));
    };
    let modes = run.modes();
    let parts: Vec<(PathBuf, Option<&str>)> =
        if request.format == ExportFormat::Trec && mode.is_none() && modes.len() > 1 {
            let each = modes.iter().map(|mode| (with_mode(output, mode), Some(*mode)));
            each.collect()
        } else {
            vec![(output.clone(), mode)]
        };
    for (path, mode) in &parts {
        let bytes = bytes(&run, request.format, *mode)?;
        write_output(path, &[&bytes]).map_err(LabError::io("write", path))?;
    }
    Ok((parts.into_iter().map(|(path, _)| path).collect(), Vec::new()))
}

fn bytes(run: &StoredRun<'_>, format: ExportFormat, mode: Option<&str>) -> Result<Vec<u8>, LabError> {
    let mut out = Vec::new();
    match format {
        ExportFormat::Csv => csv(run, mode, &mut out)?,
        ExportFormat::Jsonl => jsonl(run, mode, &mut out)?,
        ExportFormat::Trec => trec(run, mode, &mut out)?,
        ExportFormat::Ragas => ragas(run, mode, &mut out)?,
        ExportFormat::Junit => {
            out = junit("pipeline eval", &test_cases(&run.of_mode(mode), &[])).into_bytes();
        }
        ExportFormat::Markdown => out = evaluation::markdown(&run.with_log(mode)?).into_bytes(),
        ExportFormat::Html => out = evaluation::html(&run.with_log(mode)?).into_bytes(),
        ExportFormat::Phase2 => out = phase2::export(&run.of_mode(mode))?.into_bytes(),
    }
    Ok(out)
}
