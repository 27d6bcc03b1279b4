//! Run files and scores by query.

use super::{BeirRequest, ModeRun};
use crate::{
    benchmark::{check_output, row, write_rows},
    error::LabError,
};
use eval::ranking::{Measure, write_run};
use serde_json::json;
use std::path::{Path, PathBuf};
use types::Mode;

/// Makes sure that outputs have a folder, before anything is computed.
///
/// # Errors
/// When a folder is missing.
pub(super) fn check(request: &BeirRequest) -> Result<(), LabError> {
    let outputs = [&request.run_out, &request.per_query];
    outputs
        .into_iter()
        .flatten()
        .try_for_each(|path| check_output(path))
}

/// Writes what the request asks for, and gives the run files.
///
/// # Errors
/// When a file cannot be written, or an id does not fit the run format.
pub(super) fn write(
    request: &BeirRequest,
    modes: &[ModeRun],
    reranker: Option<&str>,
) -> Result<Vec<PathBuf>, LabError> {
    let mut files = Vec::new();
    if let Some(path) = &request.run_out {
        for run in modes {
            let file = match modes {
                [_] => path.clone(),
                _ => with_mode(path, run.mode),
            };
            let ids = run.queries.iter().map(|query| query.query_id.as_str());
            write_run(&file, &tag(run.mode, request.rerank), ids.zip(&run.rankings))?;
            files.push(file);
        }
    }
    if let Some(path) = &request.per_query {
        let keys = Measure::ALL.map(Measure::key);
        let rows = modes.iter().flat_map(|run| {
            run.queries.iter().map(move |query| {
                let counts = [
                    ("documents", json!(query.documents)),
                    ("relevant", json!(query.relevant)),
                ];
                row(query, run.mode, reranker, &keys, counts)
            })
        });
        write_rows(path, rows)?;
    }
    Ok(files)
}

/// The last field of a run's lines.
fn tag(mode: Mode, rerank: bool) -> String {
    let rerank = if rerank { "-rerank" } else { "" };
    format!("pipeline-{mode}{rerank}")
}

/// `run.trec` as `run.bm25.trec`.
fn with_mode(path: &Path, mode: Mode) -> PathBuf {
    match path.extension() {
        Some(extension) => path.with_extension(format!("{mode}.{}", extension.to_string_lossy())),
        None => path.with_extension(mode.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mode_has_a_file_of_its_own() {
        let check =
            |path: &str, want: &str| assert_eq!(with_mode(Path::new(path), Mode::Bm25), Path::new(want));
        check("out/run.trec", "out/run.bm25.trec");
        check("run", "run.bm25");
    }
}
