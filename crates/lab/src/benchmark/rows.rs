//! The rows of `--per-query`: one JSON object for each query and system; and the rows of an earlier run.

use crate::error::LabError;
use eval::paired::{EarlierRow, Scored, load_earlier};
use serde_json::{Map, Value, json};
use std::path::Path;
use types::{Mode, written::write_output};

/// A row: query, mode and reranker, every measure by its key, and what else the benchmark knows of the query.
pub(crate) fn row(
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
    row.extend(
        keys.iter()
            .map(|key| ((*key).to_owned(), json!(scored.value_of(key)))),
    );
    row.extend(other.into_iter().map(|(key, value)| (key.to_owned(), value)));
    Value::Object(row)
}

/// Writes rows, one a line.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn write_rows(path: &Path, rows: impl Iterator<Item = Value>) -> Result<(), LabError> {
    let mut text = String::new();
    for row in rows {
        text.push_str(&row.to_string());
        text.push('\n');
    }
    write_output(path, &[text.as_bytes()]).map_err(LabError::io("write", path))
}

/// What an earlier run wrote with `--per-query`.
#[derive(Debug)]
pub(crate) struct Earlier(Vec<EarlierRow>);

impl Earlier {
    /// Reads the rows of a file.
    ///
    /// # Errors
    /// When it cannot be read, or is no such file.
    pub(crate) fn load(path: &Path) -> Result<Self, LabError> {
        Ok(Self(load_earlier(path)?))
    }

    /// The rows of a mode. Where the file has reranked rows and others, those that were reranked or not as `reranked`
    /// says.
    pub(crate) fn of(&self, mode: Mode, reranked: bool) -> Vec<EarlierRow> {
        let of_mode = || self.0.iter().filter(|row| row.mode == mode.as_str());
        let same = of_mode().filter(|row| row.reranker.is_some() == reranked);
        let same: Vec<EarlierRow> = same.cloned().collect();
        if same.is_empty() {
            of_mode().cloned().collect()
        } else {
            same
        }
    }
}
