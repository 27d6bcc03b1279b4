//! Writes a run in the format of another program.

use super::{check_mode, named, open, stored};
use crate::error::LabError;
use ::eval::{
    export::{self, ExportFormat},
    stored::StoredRun,
};
use engine::settings::Settings;
use std::path::{Path, PathBuf};
use types::{Reporter, written::write_output};

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
    let set = request
        .queries
        .as_deref()
        .map(crate::query_set::load)
        .transpose()?;
    let run = stored(settings, &log, run, set.as_ref(), reporter).await?;
    let Some(output) = &request.output else {
        return Ok((Vec::new(), bytes(&run, request.format, mode)?));
    };
    let modes = run.modes();
    let parts: Vec<(PathBuf, Option<&str>)> =
        if request.format == ExportFormat::Trec && mode.is_none() && modes.len() > 1 {
            let each = modes.iter().map(|mode| (of_mode(output, mode), Some(*mode)));
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
    export::export(run, format, mode, &mut out)?;
    Ok(out)
}

/// `run.trec` of the mode `hybrid` is `run.hybrid.trec`. Modes of old logs are free text: what could name a folder is
/// replaced.
fn of_mode(path: &Path, mode: &str) -> PathBuf {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' {
            c
        } else {
            '_'
        }
    };
    let mode: String = mode.chars().map(plain).collect();
    match path.extension() {
        Some(extension) => path.with_extension(format!("{mode}.{}", extension.to_string_lossy())),
        None => path.with_extension(mode),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mode_has_a_file_beside_the_others() {
        for (path, mode, want) in [
            ("out/run.trec", "hybrid", "out/run.hybrid.trec"),
            ("run", "vector", "run.vector"),
            ("run.trec", "../x", "run.___x.trec"),
        ] {
            assert_eq!(of_mode(Path::new(path), mode), Path::new(want));
        }
    }
}
