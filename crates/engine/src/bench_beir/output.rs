//! Run files and scores by query.

use super::{BeirRequest, ModeRun};
use crate::error::EngineError;
use eval::ranking::{Measure, write_run};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use types::{Mode, files::write_atomic};

/// Makes sure that outputs have a folder, before anything is computed.
///
/// # Errors
/// When a folder is missing.
pub(super) fn check(request: &BeirRequest) -> Result<(), EngineError> {
    for path in [&request.run_out, &request.per_query].into_iter().flatten() {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) || path.is_dir() {
            return Err(EngineError::Benchmark {
                path: path.clone(),
                reason: "cannot be written".to_owned(),
                hint: "give a file in an existing folder".to_owned(),
            });
        }
    }
    Ok(())
}

/// Writes what the request asks for, and gives the run files.
///
/// # Errors
/// When a file cannot be written, or an id does not fit the run format.
pub(super) fn write(request: &BeirRequest, modes: &[ModeRun]) -> Result<Vec<PathBuf>, EngineError> {
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
        let mut text = String::new();
        for run in modes {
            for query in &run.queries {
                let mut row = Map::from_iter([
                    ("query_id".to_owned(), json!(query.query_id)),
                    ("mode".to_owned(), json!(run.mode.as_str())),
                ]);
                row.extend(
                    Measure::ALL.map(|measure| (measure.key().to_owned(), json!(query.value(measure)))),
                );
                row.insert("documents".to_owned(), json!(query.documents));
                row.insert("relevant".to_owned(), json!(query.relevant));
                text.push_str(&Value::Object(row).to_string());
                text.push('\n');
            }
        }
        write_atomic(path, &[text.as_bytes()]).map_err(EngineError::io("write", path))?;
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
