//! The files that a benchmark writes, and the rows of an earlier run.

use crate::error::LabError;
use eval::paired::{EarlierRow, Scored, load_earlier};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use types::{
    Mode,
    written::{refuse_foreign, write_output},
};

/// Makes sure that an output has a folder and replaces nothing of somebody, before anything is computed.
///
/// # Errors
/// When the folder is missing, or the output is a folder itself or a file that this program did not write.
pub(crate) fn check_output(path: &Path) -> Result<(), LabError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let missing = folder.filter(|folder| !folder.is_dir());
    if missing.is_some() || path.is_dir() {
        let absent = |folder: &Path| format!("the folder {} does not exist", folder.display());
        let why = missing.map_or_else(|| "it is a folder".to_owned(), absent);
        return Err(LabError::Benchmark {
            path: path.to_path_buf(),
            reason: format!("cannot be written: {why}"),
            hint: "give a file in an existing folder".to_owned(),
        });
    }
    refuse_foreign(path).map_err(LabError::io("write", path))
}

/// A row of `--per-query`: query, mode and reranker, every measure by its key, and what else the benchmark knows of the query.
pub(super) fn row(
    scored: &impl Scored,
    mode: Mode,
    reranker: Option<&str>,
    keys: &[&str],
    other: impl IntoIterator<Item = (&'static str, Value)>,
) -> Value {
    let mut row = Map::from_iter([
        ("query_id".to_owned(), json!(scored.id())),
        ("mode".to_owned(), json!(mode.as_str())),
        ("reranker".to_owned(), json!(reranker)),
    ]);
    row.extend(keys.iter().map(|key| ((*key).to_owned(), json!(scored.value_of(key)))));
    row.extend(other.into_iter().map(|(key, value)| (key.to_owned(), value)));
    Value::Object(row)
}

/// Writes rows, one a line.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn write_rows(path: &Path, rows: impl Iterator<Item = Value>) -> Result<(), LabError> {
    let mut text = String::new();
    for row in rows {
        text.extend([&row.to_string(), "\n"]);
    }
    write_output(path, &[text.as_bytes()]).map_err(LabError::io("write", path))
}

/// `run.trec` as `run.bm25.trec`.
pub(crate) fn with_mode(path: &Path, mode: &str) -> PathBuf {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }
    };
    let mode: String = mode.chars().map(plain).collect();
    match path.extension() {
        Some(extension) => path.with_extension(format!("{mode}.{}", extension.to_string_lossy())),
        None => path.with_extension(mode),
    }
}

/// What an earlier run wrote with `--per-query`.
#[derive(Debug)]
pub(super) struct Earlier(Vec<EarlierRow>);

impl Earlier {
    /// Reads the rows of a file, if one is named.
    ///
    /// # Errors
    /// When it cannot be read, or is no such file.
    pub(super) fn load(path: Option<&Path>) -> Result<Option<Self>, LabError> {
        Ok(path.map(load_earlier).transpose()?.map(Self))
    }

    /// The rows of a mode; those of the only mode, if the file has another one alone. Where the file has reranked rows and
    /// others, those that were reranked or not as `reranked` says.
    pub(super) fn of(&self, mode: Mode, reranked: bool) -> Vec<EarlierRow> {
        let first = self.0.first().map_or("", |row| row.mode.as_str());
        let one_mode = self.0.iter().all(|row| row.mode == first);
        let of_mode = || self.0.iter().filter(|row| one_mode || row.mode == mode.as_str());
        let same = of_mode().filter(|row| row.reranker.is_some() == reranked);
        let same: Vec<EarlierRow> = same.cloned().collect();
        if same.is_empty() { of_mode().cloned().collect() } else { same }
    }
}
